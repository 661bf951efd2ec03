"""A made-up run of a suite from suites/: every section and line, a few values of each setting, a few deques; each cell has the
metrics that its workload records by results/metrics.csv."""

import itertools
import math
import re
import zlib

from tests.plots.support import ROOT
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.defaults import all_defaults
from harness.judging.metrics import read_metrics

GROUPS = {"all": ["array", "locked", "locked_fixed", "abp", "chase_lev", "lf_bulk"], "sound": ["chase_lev", "lf_bulk"],
          "classic": ["chase_lev", "lf_bulk", "taskflow_bounded"], "unsound": []}
APPLICATIONS = {"bag", "dag", "marking", "walk", "duplicates", "quicksort", "uts", "fib", "nqueens"}
KEPT = 3        # values of a setting
PRODUCT = 6     # cells of a line and deque, beyond which fewer values are kept


def in_digits(value):
    match = re.fullmatch(r"(\d+)([kMG])", value)
    return match[1] + {"k": "000", "M": "000000", "G": "000000000"}[match[2]] if match else value


def listed(name, values, processors):
    """The values of a suite's list on a machine with so many processors, but for those that `...` stands for."""
    given, most = values.split(","), processors - (name == "thieves")
    bounded = name in ("threads", "thieves") and {"...", "all"} & set(given)
    found = dict.fromkeys(str(most) if value == "all" and bounded else in_digits(value) for value in given if value != "...")
    return [value for value in found if not bounded or int(value) <= most]


def spread(values, count):
    """The first, the last and some in between."""
    count = min(count, len(values))
    return list(dict.fromkeys(values[place * (len(values) - 1) // max(1, count - 1)] for place in range(count)))


def lines_of(suite):
    """(title, [(tag, its title, [(workload, deques, {setting: values})])])"""
    def settings_of(words):
        return {name: listed(name, values.replace("+", ",") if name == "counters" else values, 2)
                for name, values in (word.split("=", 1) for word in words)}

    title, sections, counted = "", [], []
    for line in (ROOT / "suites" / f"{suite}.suite").read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        section = re.match(r"\[([^\]]+)\] *(.*)", line)
        if section:
            sections.append((section[1], section[2], []))
        elif words and words[0] == "title":
            title = line.split(" ", 1)[1]
        elif len(words) > 1 and words[1].startswith("deque="):
            deques = words[1].removeprefix("deque=").split(",")
            sections[-1][2].append((words[0], deques, settings_of(words[2:])))
        elif words and words[0] == "counted":
            tag, its, lines = sections[-1]
            more = {"counters": ["caches", "pipeline"], **settings_of(words[1:])}
            counted.append((f"{tag}-counted", f"Counted: {its}", [(*line, settings | more) for *line, settings in lines]))
    return title, sections + counted


def cells_of_line(settings):
    kept = {name: spread(list(dict.fromkeys(values)), KEPT) for name, values in settings.items()}
    while math.prod(map(len, kept.values())) > PRODUCT:
        longest = max(kept, key=lambda name: len(kept[name]))
        kept[longest] = spread(kept[longest], len(kept[longest]) - 1)
    for values in itertools.product(*kept.values()):
        yield dict(zip(kept, values))


def is_recorded(line, workload, params):
    """Does that workload record this metric under these settings?"""
    told = line.workloads
    if "counters" in told:
        asked = re.search(r"counters=([\w|]*)", told)[1]
        return params["counters"] in asked.split("|") if asked else params["counters"] != "none"
    sample = re.search(r"with (sample|waits|steal_times)=(\w+)", told)
    if sample and workload != "growth" and params.get(sample[1], "none") != sample[2]:
        return False
    if workload in APPLICATIONS and told.startswith(("all applications", "applications with")):
        return True
    return told == "all" or workload in re.findall(r"\w+", told.split(";")[0])


class SuiteRun(SyntheticRun):
    def __init__(self, folder, suite):
        names = {f"{path.relative_to(ROOT / 'queues').with_suffix('')}" for path in (ROOT / "queues").glob("*.h")}
        deques = {name: {"title": name.replace("_", " "), "source": "made up", "reference": str(int(name in ("array", "empty"))),
                         "sound": "1", "owner_order": "LIFO", "bound": "fixed", "delivery": "once"} for name in names}
        super().__init__(folder, invocations=1, repetitions=1, deques=deques)
        self.manifest = {"suite": suite}
        self.title, sections = lines_of(suite)
        by_cell = {}
        for tag, title, lines in sections:
            self.section(tag, title)
            for workload, deques, settings in lines:
                named = [name for one in deques for name in GROUPS.get(one, [one])]
                for deque, params in itertools.product(dict.fromkeys(named), cells_of_line(settings)):
                    key = workload, deque, tuple(sorted(params.items()))
                    by_cell.setdefault(key, []).append(tag)
        for (workload, deque, params), tags in by_cell.items():
            self.measure(list(dict.fromkeys(tags)), workload, deque, dict(params))

    def measure(self, tags, workload, deque, params):
        params = {name: all_defaults()["*"][name] for name in ("placement", "counters", "seed")} | all_defaults()[workload] | params
        values, cost = {}, 0.3 + zlib.crc32(deque.encode()) % 1000 / 700
        number = {name: float(value) for name, value in params.items() if re.fullmatch(r"\d+(\.\d+)?", str(value))}
        for line in read_metrics():
            roles = [role for role in line.role.split(", ") if role in ("owner", "thief", "worker", "pool", "process")]
            if "counters=" in line.workloads:
                roles = {"contention": ["owner", "thief"], "steal": ["thief"], **dict.fromkeys(APPLICATIONS, ["worker"])}.get(
                    workload, ["owner"])
            if is_recorded(line, workload, params) and not line.range.startswith("never") and "*" not in line.metric:
                for role in roles:
                    values[role, line.metric] = self.value_of(line, workload, params, number, cost), line.unit
                    if line.source == "harness/measuring/counter_sets.csv":
                        values[role, f"{line.metric}_per_operation"] = cost, f"{line.unit}/operation"
        first = len(self.rows)
        name = self.cell(tags, workload, deque, params, {})
        ends = {row[6]: row for row in self.rows[first:] if row[8] == "invocation_time"}
        del self.rows[first:]
        for invocation, end in ends.items():
            drift = 1 + self.random.gauss(0, self.noise)
            self.rows += [[*end[:5], role, invocation, 0, metric, repr(value * drift), unit, "ok", ""]
                          for (role, metric), (value, unit) in values.items() if metric != "invocation_time"] + [end]
        if params.get("sample", "none") != "none" and workload == "contention":
            role = "thief" if params["sample"] == "steal" else "owner"
            self.histogram(name, role, f"{params['sample']}_latency", 90 * cost)
        if params.get("waits") == "1":
            self.histogram(name, "worker", "task_wait", 2000 * cost)

    @staticmethod
    def value_of(line, workload, params, number, cost):
        size = {"push": number.get("batch", 1), "steal": number.get("percent", 1) * number.get("size", 100) / 100}.get(workload, 1)
        if line.unit in ("percent", "ratio"):
            return min(0.9, 0.4 * cost) * (100 if line.unit == "percent" else 1)
        if line.unit == "s":
            return cost / min(2, max(1, number.get("threads", 1)))
        if line.unit == "ns":
            tail = {"p90": 2, "p99": 5, "p99.9": 20, "maximum": 400}.get(line.metric.rsplit("_", 1)[-1], 1)
            excess = 270 if params.get("method") == "published" else 0
            return (4 * cost * tail + excess) * (size ** 0.8 if not line.metric.endswith("_per_item") else size ** -0.2)
        if line.unit == "operations/s":
            return 2e8 / cost / (1 + number.get("frequency", 3e6) * number.get("thieves", 1) / 2e6)
        return 1000 * cost
