#!/usr/bin/python3
"""Computes every number of the golden run (golden.py) anew from samples.csv and histograms.csv, as docs/results.md and
results/README.md say, and looks for it behind every figure, table and page. Imports nothing of plots/.

All values are distinct, so a number tells from which cell, metric and statistic it comes: it must be the one that label, axis and
unit promise. A figure without a rule here fails."""

import base64
import csv
import functools
import itertools
import json
import math
import operator
import re
import statistics
import zlib
from collections import defaultdict
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from tests.plots.golden import INVOCATIONS, golden_run
from tests.plots.support import ROOT, FolderTest, folder_of_class, run_tests

TIME = {"ns": 1.0, "\N{MICRO SIGN}s": 1e3, "ms": 1e6, "s": 1e9}
BY = {"million/s": 1e-6, "MiB": 2.0 ** -20}
THOUSANDS = {"k": 1e3, "M": 1e6, "G": 1e9}


@functools.lru_cache(maxsize=None)
def place_of_end(count):
    def uncovered(k):
        """How often fewer than k of so many values lie below their median, or above it."""
        return 2 * sum(math.comb(count, i) for i in range(k)) / 2 ** count

    return max(k for k in range(1, count + 1) if k == 1 or uncovered(k) <= 0.05) - 1


def ends_of(values):
    """The 95 % interval of a median, by ranks."""
    ordered, place = sorted(values), place_of_end(len(values))
    return ordered[place], ordered[-1 - place]


def three(values):
    return statistics.median(values), *ends_of(values)


def ratio_of(ours, theirs):
    """(ratio, low, high) of {invocation: value}, pair by pair."""
    logs = [math.log(ours[i] / theirs[i]) for i in sorted(ours.keys() & theirs.keys())]
    return tuple(math.exp(one) for one in three(logs))


def same(one, other, within=1e-8):
    return one is None and other is None or None not in (one, other) and math.isclose(one, other, rel_tol=within, abs_tol=1e-300)


@dataclass
class Cell:
    name: str
    workload: str
    deque: str
    title: str
    params: dict
    tags: list
    values: dict = field(default_factory=lambda: defaultdict(dict))  # {"role.metric": {invocation: median of its repetitions}}
    known: dict = field(default_factory=dict)
    deques: frozenset = frozenset()  # of the run

    def of(self, facts, what, unit=""):
        """(median, low, high) in that unit; None if it was not measured."""
        if what not in self.values:
            return None
        scale = BY[unit] if unit in BY else TIME[facts.units[what]] / TIME[unit] if unit in TIME else 1.0
        if what not in self.known:
            self.known[what] = three(self.values[what].values())
        return tuple(scale * value for value in self.known[what])


class Facts:
    """The measured values, read without the readers of plots/."""

    def __init__(self, folder):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        titles = {one["id"]: one["title"] for one in manifest["deques"]}
        self.units, self.cells, self.speedups = {}, {}, {}
        for one in manifest["cells"]:
            params = dict(part.split("=", 1) for part in one["params"].split(";"))
            self.cells[one["cell"]] = Cell(one["cell"], one["workload"], one["deque"], titles.get(one["deque"], one["deque"]), params,
                                           one["tags"], deques=frozenset(other["deque"] for other in manifest["cells"]))
        repetitions = defaultdict(list)
        with open(folder / "samples.csv", newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            take = operator.itemgetter(*map(next(rows).index, ("cell", "role", "metric", "invocation", "value", "unit")))
            for cell, role, metric, invocation, value, unit in map(take, rows):
                if value and cell in self.cells:
                    repetitions[cell, f"{role}.{metric}", int(invocation)].append(float(value))
                    self.units[f"{role}.{metric}"] = unit
        for (cell, what, invocation), values in repetitions.items():
            self.cells[cell].values[what][invocation] = statistics.median(values)
        self.buckets = defaultdict(lambda: defaultdict(int))
        with open(folder / "histograms.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                place = float(row["lower"]), float(row["upper"])
                self.buckets[row["cell"], f"{row['role']}.{row['metric']}"][place] += int(row["count"])

    @functools.lru_cache(maxsize=None)
    def tagged(self, tag):
        return [cell for cell in self.cells.values() if tag in cell.tags or tag in ("frontier", "nodes")]

    @functools.lru_cache(maxsize=None)
    def having(self, what):
        return [cell for cell in self.cells.values() if what in cell.values]

    def quantile(self, key, part):
        buckets = sorted(self.buckets[key].items())
        wanted = part * sum(count for _, count in buckets)
        for (lower, upper), count in buckets:
            if wanted <= count:
                return lower + (upper - lower) * wanted / count
            wanted -= count
        raise ValueError(part)


@dataclass
class Mark:
    """A mark of a figure, with the texts around it."""

    figure: str
    tag: str
    x: float
    y: float
    low: float
    high: float
    start: float
    invocations: str
    text: str
    kind: str
    label: str
    title: str
    axes: tuple
    row: str
    column: str

    @property
    def key(self):
        return "|".join([self.figure, *self.axes, self.title, self.kind, self.label])


def tick_at(axis, place):
    return next((text for at, text in axis.get("ticks") or [] if abs(at - place) < 0.5), "")


def marks_of(folder, entry):
    """Of a figure. pictures.json has the texts around each mark, NAME.csv the numbers; both have the same numbers."""
    with open(folder / "figures" / f"{entry['name']}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frames, place = entry["picture"]["frames"], 0
    for frame in frames:
        x, y = frame.get("x", {}), frame.get("y", {})
        for layer in frame.get("layers", []):
            for short in layer.get("marks", []):
                row, place = rows[place], place + 1
                numbers = [float(row[name]) if row[name] else None for name in ("x", "y", "low", "high", "start")]
                short = short + [None] * (7 - len(short))
                for ours, theirs in zip(numbers, [*short[:4], short[5] or 0]):
                    assert same(ours, theirs, 1e-5) or abs((ours or 0) - (theirs or 0)) < 1e-5, (entry["name"], row, short)
                assert (row["series"], row["kind"]) == (layer.get("label", ""), layer["kind"]), (entry["name"], row)
                yield Mark(entry["name"], entry["tag"], *numbers, row["invocations"], row["text"], layer["kind"], layer.get("label", ""),
                           frame.get("title", ""), (x.get("label", "").split("\n")[0], y.get("label", "").split("\n")[0]),
                           tick_at(y, numbers[1]), tick_at(x, numbers[0]))
    assert place == len(rows), entry["name"]


def unit_in(label):
    found = re.search(r"\((ns|.s|ms|s)\b[^)]*\)|in (MiB|.?s)$|^(ns|.s) ", label.replace("operations a second", ""))
    return "million/s" if label.startswith("million") else next(filter(None, found.groups()), "") if found else ""


@dataclass
class Direct:
    """A mark that is a median of one of these metrics. unit: if the axis does not say it. along: the setting on the other axis.
    asked: settings that the cell must have."""

    whats: str
    unit: str = None
    along: str = ""
    side: str = ""
    stacked: bool = False
    bare: bool = False  # without an interval
    cut: bool = False   # an interval may end at the axis
    asked: dict = field(default_factory=dict)

    def explains(self, facts, mark):
        side = self.side or ("x" if mark.kind in ("bars", "across") else "y")
        unit = unit_in(mark.axes["xy".index(side)]) if self.unit is None else self.unit
        value = getattr(mark, side) - (mark.start if self.stacked else 0)
        for cell, what in candidates(facts, mark, self.whats.split()):
            middle, low, high = cell.of(facts, what, unit)
            if same(value, middle, 1e-6 if self.stacked else 1e-8):
                return "" if self.fits(cell, mark, side, low, high) else f"{cell} has it, with [{low}, {high}]"
        return f"no {self.whats} in {unit!r} is {value}"

    def fits(self, cell, mark, side, low, high):
        other = mark.x if side == "y" else mark.y
        bounds = same(mark.low, low) and (same(mark.high, high) or self.cut and mark.high < high)
        counted = self.bare or self.cut or mark.invocations == str(INVOCATIONS)
        settings = all(cell.params.get(name) == value for name, value in self.asked.items())
        along = self.along or mark.kind == "curve" and ALONG.get(mark.axes[0])
        if along:
            settings = settings and (hertz(mark.column) == cell.params[along] if along == "frequency" else float(cell.params[along]) == other)
        return (self.bare or mark.kind == "line" or bounds and counted) and settings and titled(cell, mark)


# The setting that an axis of x names.
ALONG = {"items in a block": "block", "capacity (items)": "capacity", "items pushed together": "batch", "items in the deque": "size",
         "threads": "threads"}


def hertz(text):
    """'1 MHz' as a setting has it."""
    number, _, unit = text.partition(" ")
    return text if text == "max" else format(float(number) * {"": 1, "Hz": 1, "kHz": 1e3, "MHz": 1e6}[unit], ".0f")


@functools.lru_cache(maxsize=None)
def titles_in(text):
    return re.findall(r"<\d+>", text)


def named(cell, text):
    titles = titles_in(text)
    return not titles or cell.title in titles


def candidates(facts, mark, whats):
    for cell in facts.tagged(mark.tag):
        if named(cell, mark.label) and named(cell, mark.row) and (named(cell, mark.title) or mark.kind == "line"):
            yield from ((cell, what) for what in whats if what in cell.values)


def titled(cell, mark):
    """Do the words around the mark say the cell's settings?"""
    told = f"{mark.title}, {mark.row if not re.match('[0-9]+ thread', mark.title) else ''}, {mark.label}, {mark.figure}"
    threads = re.search(r"(\d+) threads?\b", told)
    method = re.search("corrected method|published method", mark.title)
    settings = dict(re.findall(r"\b(\w+)=(\w+)", told))
    return ((not threads or cell.params.get("threads") == threads[1])
            and (not method or cell.params.get("method") == method[0].split()[0])
            and all(cell.params.get(name, value) == value for name, value in settings.items()))


@functools.lru_cache(maxsize=1)
def stated_values():
    found = set()
    for name in ("bulk_deque_paper", "bwos_thesis", "directory_walk_phanes"):
        text = (ROOT / "results" / "published" / f"{name}.csv").read_text(encoding="utf-8")
        found |= {float(row["value"]) for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))}
    return found


def published(_facts, mark):
    """Is in results/published/, in any unit."""
    stated = stated_values()
    scale = TIME.get(unit_in(mark.axes[1]), 1.0)
    if any(same(value / scale, one) for value in stated for one in (mark.x, mark.y)):
        return ""
    return "" if any(b and same(a / b, mark.x) for a, b in itertools.product(stated, repeat=2)) else "no paper states it"


def ideal(_facts, mark):
    return "" if mark.kind == "line" else "only lines are ideals"


def owner_alone(facts, mark):
    return Direct("owner.push_time" if mark.y < round(mark.y) else "owner.pop_time", "ns").explains(facts, mark)


def faster(facts, mark):
    """Times as fast as one thread, of the walk."""
    found = facts.tagged(mark.tag)
    version = {"one thread": ("one_thread", None), "one queue": ("shared_queue", None), "stealing, mutex": ("pool", "locked"),
               "stealing, lock-free": ("pool", "phanes")}[mark.row]
    for one, other in itertools.product(found, found):
        if (one.params["version"] == "one_thread" and other.params["version"] == version[0] and version[1] in (None, other.deque)
                and one.params["tree"] == other.params["tree"] and same(
                    mark.x, one.of(facts, "pool.run_time")[0] / other.of(facts, "pool.run_time")[0])):
            return ""
    return "no quotient of two walks"


def frontier(facts, mark):
    """x: a push and the pop after it, invocation by invocation; y: a steal."""
    for cell in facts.tagged(mark.tag):
        if named(cell, mark.label) and "thief.steal_time" in cell.values:
            steal = cell.of(facts, "thief.steal_time", "ns")
            if same(mark.y, steal[0]):
                push, pop = cell.values["owner.push_time"], cell.values["owner.pop_time"]
                costs = three([push[i] + pop[i] for i in push])
                fits = same(mark.x, costs[0]) and (mark.kind == "line" or (mark.low, mark.high) == tuple(map(rounded, steal[1:])))
                return "" if fits else f"{cell}: {costs} and {steal}"
    return alone(facts, mark)


def alone(facts, mark):
    """From the operations by themselves."""
    by = {what: [cell for cell in facts.cells.values() if what in cell.values and named(cell, mark.label)]
          for what in ("thief.steal_latency", "owner.push_latency", "owner.pop_latency")}
    for steal in by["thief.steal_latency"]:
        if same(mark.y, steal.of(facts, "thief.steal_latency", "ns")[0]):
            for push, pop in itertools.product(by["owner.push_latency"], by["owner.pop_latency"]):
                one, other = push.values["owner.push_latency"], pop.values["owner.pop_latency"]
                if push.deque == pop.deque == steal.deque and same(mark.x, statistics.median(one[i] + other[i] for i in one)):
                    return ""
    return "no deque costs its owner and thieves that"


def rounded(value):
    return float(format(value, ".10g"))


def speedups(facts, tag):
    """[(the cell of many threads, (ratio, low, high) of one thread's time to its)]"""
    if tag not in facts.speedups:
        alone = {}
        for cell in facts.tagged(tag):
            if "pool.run_time" in cell.values:
                key = cell.workload, cell.deque, tuple(item for item in sorted(cell.params.items()) if item[0] != "threads")
                alone.setdefault(key, {})[cell.params.get("threads")] = cell
        facts.speedups[tag] = [(many, ratio_of(cells["1"].values["pool.run_time"], many.values["pool.run_time"]))
                               for cells in alone.values() if "1" in cells for many in cells.values()]
    return facts.speedups[tag]


def speedup(divided):
    def explains(facts, mark):
        grey = mark.kind == "line"  # a deque in another's frame
        for many, ratio in speedups(facts, mark.tag):
            threads = int(many.params["threads"])
            due = [value / (threads if divided else 1) for value in ratio]
            if threads == mark.x and (grey or named(many, mark.label + mark.title)) and same(mark.y, due[0]) and (
                    grey or same(mark.low, due[1]) and same(mark.high, due[2])):
                return ""
        return "no application is so much faster by so many threads"
    return explains


SAMPLED = ("thief.steal_latency", "owner.push_latency", "owner.pop_latency")


def distribution(facts, mark):
    for cell, what in ((cell, what) for cell in facts.tagged(mark.tag) for what in SAMPLED if (cell.name, what) in facts.buckets):
        if named(cell, mark.row) and named(cell, mark.label):
            quarter, median, three_quarters = (facts.quantile((cell.name, what), part) for part in (0.25, 0.5, 0.75))
            if mark.label == "median" and same(mark.x, median) or same(mark.x, three_quarters) and same(mark.start, quarter):
                return "" if f"median {median:.3g}"[:9] in mark.row else "its row says another median"
    return "no distribution has that"


def tail(share_at):
    """A curve of a distribution. share_at(place of the bucket's lower and upper end, counts before and in it, all): (x, y)."""
    def points(buckets):
        seen, every = 0, sum(buckets.values())
        for (lower, upper), count in sorted(buckets.items()):
            yield share_at(lower, upper, seen, count, every)
            seen += count

    found = {}

    def explains(facts, mark):
        for cell in facts.tagged(mark.tag):
            if named(cell, mark.label) and named(cell, mark.title):
                for key in ((cell.name, what) for what in (*SAMPLED, "worker.task_wait") if (cell.name, what) in facts.buckets):
                    if key not in found:
                        found[key] = list(points(facts.buckets[key]))
                    if any(same(mark.x, x) and same(mark.y, y) for x, y in found[key]):
                        return ""
        return "no distribution has that point"
    return explains


def timeline(facts, mark):
    what = {"works": "work", "looks, and steals": "steal", "looks in vain": "search", "sleeps": "sleep"}[mark.label]
    worker = mark.row.replace(" ", "")
    spans = {place for (_, key), places in facts.buckets.items() if key == f"{worker}.timeline_{what}" for place in places}
    return "" if any(same(mark.x * 1e9, upper) and same(mark.start * 1e9, lower) for lower, upper in spans) else "no such span"


def failed(facts, mark):
    for cell, _ in candidates(facts, mark, ["worker.steals"]):
        vain = sum(cell.of(facts, f"worker.attempts_{how}")[0] for how in ("empty", "lost", "busy"))
        if same(mark.x, vain / cell.of(facts, "worker.steals")[0]) and mark.row in cell.params.values():
            return ""
    return "no cell fails so often"


def of_a_task(facts, mark):
    for cell, what in candidates(facts, mark, ["pool.run_time"]):
        if cell.workload == "bag":
            due = [value / int(cell.params["tasks"]) for value in cell.of(facts, what, "ns")]
            if same(mark.x, due[0]) and same(mark.low, due[1]) and same(mark.high, due[2]):
                room = re.findall(r"ring of (\d+); paler: of (\d+)", mark.title)[0][mark.y > round(mark.y)]
                return "" if cell.params["room"] == room and titled(cell, mark) else f"{cell} has it"
    return "no bag has such tasks"


def first_time(facts, cell):
    """The first time or rate of a cell that is not the process's."""
    return next((values for what, values in cell.values.items() if not what.startswith("process.")
                 and (facts.units[what] in ("ns", "s") or facts.units[what].endswith("/s"))), None)


@functools.lru_cache(maxsize=1)
def away_by_node(facts):
    """{node: how many percent each cell lies off the middle of the nodes}"""
    away = defaultdict(list)
    for cell in facts.cells.values():
        values = first_time(facts, cell)
        by_node = [statistics.median(values[i] for i in values if i % 2 == node) for node in (0, 1)] if values else []
        for node, value in enumerate(by_node):
            away[f"node{node}"].append(100 * (value / statistics.median(by_node) - 1))
    return away


def nodes(facts, mark):
    away = away_by_node(facts)[mark.row]
    quarters = statistics.quantiles(away, n=4)
    if mark.kind == "across":
        return "" if all(map(same, (mark.low, mark.x, mark.high), quarters)) else f"quartiles are {quarters}"
    return "" if any(abs(value - mark.x) < 1e-6 for value in away) else "no cell is so far off"


DUPLICATES = {"time (ms)": "pool.run_time", "tasks": "worker.tasks", "tasks stolen": "worker.items_stolen",
              "I/O tasks stolen": "pool.io_tasks_stolen", "voluntary switches": "worker.voluntary_context_switches",
              "involuntary switches": "worker.involuntary_context_switches"}
THROUGHPUT = {"all threads": "process.total_operations", "owner": "owner.owner_operations",
              "thieves (stolen)": "thief.thief_operations"}
MICROSECONDS = "\N{MICRO SIGN}s"
# (which marks, by "figure|x axis|y axis|frame|kind|label"; how each is explained). The first that fits counts.
with open(ROOT / "harness/measuring/counters/sets.csv", newline="", encoding="utf-8") as table:
    EVENTS = list(dict.fromkeys(row["metric"] for row in csv.DictReader(table)))


def event(facts, mark):
    """The event and perhaps the role are in the figure's name; the setting's values are texts at the axis."""
    what, role = re.search(rf"({'|'.join(EVENTS)})-?(owner|thief|worker)?$", mark.figure).groups()
    asked = hertz(mark.column) if mark.axes[0] == "frequency" else mark.column
    whats = " ".join(f"{one}.{what}_per_operation" for one in ([role] if role else ("owner", "thief", "worker")))
    return Direct(whats, "", asked={mark.axes[0]: asked}).explains(facts, replace(mark, axes=("", mark.axes[1])))


RULES = [
    (r"\|(paper: |paper, by|the thesis|posts: )", published),
    (r"\|(ideal|half the time with twice .*)$", ideal),
    (r"\|band\|", None),  # the outline of a distribution, whose median and quartiles are checked
    (r"^fig6_push.*\|push latency \(ns\)", Direct("owner.push_latency", along="batch")),
    (r"^fig[78]_.*\|steal latency", Direct("thief.steal_latency", along="percent")),
    (r"^pop.*\|pop latency", Direct("owner.pop_latency owner.drain_latency_per_item", cut=True)),
    (r"-overflow.*\|ns a task that overflowed", Direct("worker.overflow_cost", "ns")),
    (r"-overflow.*\|ns a task of the bag", of_a_task),
    (r"-times.*\|time in", Direct("pool.run_time")),
    (r"-times.*\|tasks stolen", Direct("worker.items_stolen", "", bare=True)),
    *((rf"-outcomes.*percent of the attempts.*\|{label}$", Direct(f"thief.steals_{how}", "", stacked=True, bare=True))
      for label, how in (("stolen", "stolen"), ("found empty", "empty"), ("lost race", "lost"))),
    (r"-duel-won", Direct("owner.items_won", "")),
    (r"owner_alone", owner_alone),
    (r"-throughput.*-by-block.*\|(owner|all threads|thieves \(stolen\))\|", None),
    *((rf"-throughput[^|]*\|steals attempted.*\|{re.escape(title)}\|", Direct(what, "million/s", along="frequency"))
      for title, what in THROUGHPUT.items()),
    (r"-throughput[^|]*-each", Direct("process.total_operations", "million/s", along="frequency")),
    (r"-versions-.*\|time of a warm walk", Direct("pool.run_time", asked={"cache": "warm"})),
    (r"-versions-.*\|times as fast", faster),
    *((rf"threads[^|]*\|\|\|{re.escape(title)}\|bars", Direct(what, "ms" if "ms" in title else "")) for title, what in DUPLICATES.items()),
    (r"^frontier", frontier),
    (r"\|execution time \(s\)\|.*\|points\|", Direct("pool.run_time", "s")),
    (r"irregular-costs.*\|points\|", Direct("pool.run_time", "s")),
    (r"\|threads\|execution time \(s\)\|.*\|curve\|", Direct("pool.run_time", along="threads")),
    (r"-latency[^|]*-percentiles", tail(lambda lower, upper, seen, count, every: (1 / max(1e-300, 1 - (seen + count) / every), upper))),
    (r"-latency[^|]*\|ns\|\|", distribution),
    (r"-by-place", Direct("thief.steal_latency thief.steal_time")),
    (r"-speedup.*\|efficiency", speedup(True)),
    (r"-speedup", speedup(False)),
    (r"static-distribution", Direct("pool.run_time")),
    (r"\|ns an item", Direct("owner.push_latency_per_item owner.pop_latency owner.drain_latency_per_item thief.steal_latency_per_item", "ns")),
    (r"\|ns a call", Direct("owner.push_latency owner.pair_latency owner.push_largest thief.steal_latency", "ns")),
    (r"-timeline-\d+\|time since", timeline),
    (r"\|time \(ms\)\|.*\|(across|curve|points)\|", Direct("pool.run_time", "ms")),
    (r"\|time of a steal, median", Direct("worker.steal_time_median")),
    (r"\|failed steals for each", failed),
    (r"\|balance \(Jain\)", Direct("worker.jain_work", "")),
    (r"\|processor time of all workers", Direct("pool.processor_time")),
    (r"-waits\|.*\|median$", Direct("worker.task_wait_p50", MICROSECONDS, side="x", bare=True)),
    (r"-waits\|.*\|99th percentile$", Direct("worker.task_wait_p99", MICROSECONDS, side="x", bare=True)),
    (r"-waits\|.*\|the longest$", Direct("worker.task_wait_maximum", MICROSECONDS, side="x", bare=True)),
    (r"-waits\|.*\|bars\|", Direct("worker.task_wait_p99.9", MICROSECONDS, bare=True)),
    (r"-waits-tail", tail(lambda lower, upper, seen, count, every: (max(0.01, lower / 1e3), 1 - seen / every))),
    (r"^nodes", nodes),
    (r"^[^|]*-counted-", event),
]


# --- tables: a row is one cell's, whose values all its columns show

def says(text, value, unit=""):
    """Is the text this value, to the text's last digit?"""
    found = re.match(r"([+-]?[\d.]+) ?(.*)", text)
    if not found:
        return False
    number, word = float(found[1]), found[2].split(" [")[0]
    if unit in TIME and word in TIME:
        value *= TIME[unit] / TIME[word]
    elif word[:1] in THOUSANDS and word not in (*TIME, *BY):
        value /= THOUSANDS[word[0]]
    last = 10.0 ** -len(found[1].partition(".")[2])
    return abs(number - value) <= 0.51 * last + 1e-9 * abs(value) or abs(number - value) <= 0.0051 * abs(value) and number >= 1000 * last


def median_of(what, unit="", place=0):
    def column(facts, cell, text, _row):
        value = cell.of(facts, what, unit)
        if value is None:
            return text in ("", "not reported")
        bounds = re.search(r"\[(.*), (.*)\]", text)
        return says(text, value[place], unit or facts.units[what]) and (
            not bounds or says(bounds[1], value[1]) and says(bounds[2], value[2]))
    return column


def range_of(what, unit):
    def column(facts, cell, text, _row):
        low, high = text.split(" to ")
        return says(low, cell.of(facts, what, unit)[1]) and says(high, cell.of(facts, what, unit)[2])
    return column


def made_of(make, percent=False):
    """make(m, cell): a value of m(what), the cell's medians."""
    def column(facts, cell, text, _row):
        try:
            value = make(lambda what: cell.of(facts, what)[0], cell)
        except TypeError:
            return text == ""
        return says(text, (100 if percent else 1) * value)
    return column


def against(find, what="pool.run_time", divided=False, turned=False):
    """The ratio to another cell, pair by pair, with its interval; divided: of medians. find(cell, other): is this the other?"""
    def column(facts, cell, text, row):
        if not text:
            return True
        for other in facts.tagged(row["tag"]):
            if what in other.values and find(cell, other):
                pair = (other, cell) if turned else (cell, other)
                due = (pair[0].of(facts, what)[0] / pair[1].of(facts, what)[0], None, None) if divided else ratio_of(
                    *(one.values[what] for one in pair))
                bounds = re.search(r"\[(.*), (.*)\]", text)
                if says(text, due[0]) and (not bounds or says(bounds[1], due[1]) and says(bounds[2], due[2])):
                    return True
        return False
    return column


def bounds_against(find):
    def column(facts, cell, text, row):
        if not text:
            return True
        low, high = re.findall(r"[\d.]+", text)
        dues = [ratio_of(cell.values["pool.run_time"], other.values["pool.run_time"]) for other in facts.tagged(row["tag"])
                if "pool.run_time" in other.values and find(cell, other)]
        dues += [(1 / ratio, 1 / top, 1 / bottom) for ratio, bottom, top in dues]
        return any(says(low, due[1]) and says(high, due[2]) for due in dues)
    return column


def setting(name):
    return lambda _facts, cell, text, _row: text in ("", cell.params.get(name))


def frequency(_facts, cell, text, _row):
    return hertz(text) == cell.params.get("frequency")


def counted(metric):
    """Of the cell or of one that counted another set."""
    def column(facts, cell, text, row):
        found = [other.of(facts, f"{row['role']}.{metric}")[0] for other in facts.tagged(row["tag"]) if f"{row['role']}.{metric}" in other.values
                 and (cell is other or but("counters")(cell, other))]
        return any(says(text, value) for value in found) if found else text == ""
    return column


def deviation(facts, cell, text, _row):
    return says(text, 1e3 * statistics.stdev(cell.values["pool.run_time"].values()))


def but(*names):
    """The same deque and settings, but for these."""
    return lambda cell, other: cell is not other and cell.deque == other.deque and cell.workload == other.workload and apart(
        cell, other) <= set(names)


def owners(place):
    def column(_facts, cell, text, _row):
        push, pop = (cell.values.get(f"owner.{what}_time", {}) for what in ("push", "pop"))
        return bool(push) and says(text, three([push[i] + pop[i] for i in push])[place])

    def of_operations(facts, cell, text, row):
        """Alone: the push of one cell and the pop of another."""
        pairs = itertools.product(*([one.values[f"owner.{what}_latency"] for one in facts.cells.values() if one.deque == cell.deque
                                     and f"owner.{what}_latency" in one.values] for what in ("push", "pop")))
        return any(says(text, three([push[i] + pop[i] for i in push])[place]) for push, pop in pairs) if row["setting"].startswith(
            "alone") else column(facts, cell, text, row)
    return of_operations


def of_thieves(place):
    def column(facts, cell, text, row):
        what = "thief.steal_latency" if row["setting"].startswith("alone") else "thief.steal_time"
        return what in cell.values and says(text, cell.of(facts, what)[place])
    return column


def placed(relation):
    """Of a row of several cells, the one with its thief at that place; in the first row the time of a cache line."""
    def column(facts, _cell, text, row):
        if row["deque"].startswith("a line"):
            found = [cell for cell in facts.tagged(row["tag"]) if f"{relation}.ping_pong_time" in cell.values]
            return any(median_of(f"{relation}.ping_pong_time")(facts, cell, text, row) for cell in found) or text == "(not measured)" and not found
        return text in ("", "(not measured)") or any(
            median_of(what)(facts, cell, text, row) for cell in facts.tagged(row["tag"]) if named(cell, row["deque"])
            for what in ("thief.steal_latency", "thief.steal_time") if cell.params.get("placement") == relation and what in cell.values)
    return column


def best_there(facts, cell, text, row):
    goal = ("pool.run_time", "ms", 1) if "ms" in text else ("process.total_operations", "million/s", -1)
    if goal[0] not in cell.values or any(cell.params.get(name) != value for name, value in re.findall(r"(\w+)=([\w.]+)", f"{row['workload']}, {row['best']}")):
        return False
    mine, worst = cell.of(facts, *goal[:2])[0], re.match(r"(.*): ([\d.]+) times", row["the worst"])
    others = [other.of(facts, *goal[:2])[0] for other in facts.tagged(row["tag"])
              if goal[0] in other.values and but("block", "room", "capacity")(cell, other)]
    return (says(text, mine) and all(goal[2] * mine <= goal[2] * other for other in others)
            and says(worst[2], max(max(other / mine, mine / other) for other in others)))


def ends(place):
    """'<017>, 0.162 s': the fastest (-1: the slowest) of this cost and number of threads, and how far apart they are."""
    def column(facts, cell, text, row):
        mine = sorted((other.of(facts, "pool.run_time")[0], other.title) for other in facts.tagged(row["tag"])
                      if (other.params["cost"], other.params["threads"]) == (row["cost"], row["threads"])
                      and apart(cell, other) <= {"walk", "block", "cost", "threads", "room"} | modes(cell, other))
        return bool(mine) and text.startswith(mine[place][1]) and says(text.split(", ")[1], mine[place][0], "s") and says(
            row["slowest / fastest"], mine[-1][0] / mine[0][0])
    return column


def apart(one, other):
    """The settings in which two cells differ."""
    return {name for name in one.params.keys() | other.params.keys() if one.params.get(name) != other.params.get(name)}


def modes(cell, other):
    return cell.params.keys() ^ other.params.keys()


def far(facts, cell, text, _row):
    values = first_time(facts, cell)
    by_node = [statistics.median(values[i] for i in values if i % 2 == node) for node in (0, 1)] if values else [1, 1]
    return says(text, 100 * (max(by_node) / min(by_node) - 1))


def at_frequency(name):
    """Operations of all threads by this cell's deque at that frequency, "" if it was not measured there."""
    def column(facts, cell, text, row):
        there = [other for other in facts.tagged(row["tag"]) if (cell is other or but("frequency")(cell, other)) and ALL in other.values
                 and other.params.get("frequency") == hertz(name)]
        return any(median_of(ALL, "million/s")(facts, other, text, row) for other in there) if text else not there
    return column


ALL, RUN = "process.total_operations", "pool.run_time"
VAIN = [f"worker.attempts_{how}" for how in ("empty", "lost", "busy")]
HARDWARE = {**{one.replace("_", " "): f"{one}_per_operation" for one in EVENTS}, "per cycle": "instructions_per_cycle",
            "voluntary switches": "voluntary_context_switches", "involuntary switches": "involuntary_context_switches",
            "minor faults": "minor_page_faults", "major faults": "major_page_faults"}
BALANCE = {"time (ms)": median_of(RUN, "ms"), "ratio": against(lambda cell, other: but("victims", "idle", "pool", "block")(cell, other)),
           "95 % interval": bounds_against(but("victims", "idle", "pool", "block")), "a steal, median (ns)": median_of("worker.steal_time_median"),
           "99 % (ns)": median_of("worker.steal_time_p99"), "steals": median_of("worker.steals"),
           "failed a steal": made_of(lambda m, _: sum(map(m, VAIN)) / m("worker.steals")),
           "balance of tasks": median_of("worker.jain_tasks"), "balance of time": median_of("worker.jain_work")}
THEIRS = {"thesis", "thesis, 16 threads", "paper", "posts: Linux (ms)", "posts: Windows (ms)", "ratio: Linux", "ratio: Windows",
          "empty (thesis)", "lost race (thesis)", "p50 (thesis)"}
WORDS = {"deque", "cell", "role", "", "state", "beaten by", "verdict", "order", "setting", "settings", "place", "against the next", "series", "version",
         "caches", "not told from it", "the worst", "workload", "best", "nodes", "lowest", "highest", "amplified", "slowest / fastest",
         "payload", "what", "invocations", "runtime", "efficiency"}
FAILED = ("thief.steals_empty", "thief.steals_lost")
# (which tables; {heading: what it shows of a cell}). Of a table's name the first that fits.
TABLES = [
    (r"-failed$", {"empty": made_of(lambda m, _: m(FAILED[0]) / sum(map(m, FAILED)), True),
                   "lost race": made_of(lambda m, _: m(FAILED[1]) / sum(map(m, FAILED)), True), "fairness": median_of("thief.fairness"),
                   "frequency": median_of("thief.frequency_ratio"), "turns refused": median_of("thief.turns_refused")}),
    (r"-duel$", {"thieves": setting("thieves"), "frequency": frequency, "owner got %": median_of("owner.items_won"),
                 "million operations/s": median_of(ALL, "million/s"), "lost %": median_of("thief.steals_lost"),
                 "fairness": median_of("thief.fairness")}),
    (r"-relative$", {f"{who} throughput": made_of_base for who, made_of_base in (
        (who, lambda facts, cell, text, row, what=what: any(
            what in base.values and what in cell.values and says(text, 100 * (cell.of(facts, what)[0] / base.of(facts, what)[0] - 1))
            for base in facts.tagged(row["tag"]) if base.deque == "bwos_lifo" and apart(base, cell) - modes(base, cell) <= {"block"}))
        for who, what in (("total", ALL), ("steal", "thief.thief_operations"), ("worker", "owner.owner_operations")))}),
    (r"-throughput.*-table$", {name: at_frequency(name) for name in ("0", "1 kHz", "10 kHz", "100 kHz", "1 MHz", "max")}),
    (r"-owner_alone-table$", {"bytes an item": setting("item"), "push (ns)": median_of("owner.push_time"), "pop (ns)": median_of("owner.pop_time")}),
    (r"-order", {"frequency": frequency, "million/s": median_of(ALL, "million/s"), "low": median_of(ALL, "million/s", 1),
                 "high": median_of(ALL, "million/s", 2)}),
    (r"-ratios(-placement-.*)?$", {"frequency": lambda facts, cell, text, row: hertz(text) == cell.params.get("frequency") and cell.deque == "bwos_lifo"
                   and cell.params["block"] == "256",
                   **{f"over {title}": against(lambda cell, other, deque=deque: other.deque == deque and apart(cell, other) - modes(
                       cell, other) <= {"block"}, ALL, divided=True) for title, deque in (("ABP", "abp"), ("Chase-Lev", "chase_lev"))}}),
    (r"-counted$", {heading: counted(metric) for heading, metric in HARDWARE.items()}),
    (r"-payload$", {"here": lambda facts, cell, text, row: cell.params.get("item") == row["payload"][0] and says(text, {
        "cache references": lambda m: m("cache_references"), "cache misses": lambda m: m("cache_misses"), "ipc": lambda m: m("instructions_per_cycle"),
        "cache miss rate": lambda m: 100 * m("cache_misses") / m("cache_references")}[row["what"]](
            lambda metric: cell.of(facts, f"owner.{metric}")[0]))}),
    (r"-versions.*-table$", {"threads": setting("threads"), "time (ms)": median_of(RUN, "ms"), "95 % interval": range_of(RUN, "ms"), "ratio": against(
        lambda cell, other: other.params.get("version") == "one_thread" and cell.params["tree"] == other.params["tree"]
        and other.params["cache"] == "warm", divided=True, turned=True)}),
    (r"-versions.*-results$", None),  # a column of results; its times and rates stand in the table before
    (r"-built$", {"threads": setting("threads"), "counted (ms)": lambda facts, cell, text, row: cell.params.get("tree") == "counted" and median_of(RUN, "ms")(facts, cell, text, row),
                  "ratio": against(but("tree"), divided=True, turned=True),
                  "built (ms)": lambda facts, cell, text, row: any(median_of(RUN, "ms")(facts, other, text, row)
                                                                   for other in facts.tagged(row["tag"]) if but("tree")(cell, other))}),
    (r"-frontier-|^frontier", {"owner (ns)": owners(0), "low": owners(1), "high": owners(2), "thief (ns)": of_thieves(0),
                                "low, thief (ns)": of_thieves(1), "high, low": of_thieves(2)}),
    (r"-doublings$", {"threads": setting("threads"), "time (s)": median_of(RUN, "s"), "95 % interval": range_of(RUN, "s"), "ratio to half the threads": against(
        lambda cell, other: but("threads")(cell, other) and 2 * int(other.params["threads"]) == int(cell.params["threads"]), divided=True)}),
    (r"-amplification", {"threads": setting("threads"), "cost": setting("cost"), "fastest": ends(0), "slowest": ends(-1)}),
    (r"-latency[^|]*-table$", {quantile: (lambda facts, cell, text, row, quantile=quantile: any(
        median_of(f"{what}_{quantile}")(facts, cell, text, row) for what in SAMPLED if f"{what}_{quantile}" in cell.values))
        for quantile in ("p50", "p90", "p99", "p99.9", "maximum", "count")} | {"sampling cost": median_of("process.sampling_cost")}),
    (r"^nodes", {"spread (%)": far}),
    (r"-by-place.*-table$", {place: placed(relation) for place, relation in (
        ("the core's sibling", "same-core"), ("same socket", "same-socket"), ("other socket", "cross-socket"))}),
    (r"-work$", {"threads": setting("threads"), "time": median_of(RUN), "processor time": median_of("pool.processor_time"), 
                 "memory": median_of("process.peak_memory"), "tasks": median_of("worker.tasks"), "steals": median_of("worker.steals"),
                 "items stolen": median_of("worker.items_stolen"), "found empty": median_of(VAIN[0]), "lost": median_of(VAIN[1]),
                 "turned away": median_of(VAIN[2]),
                 "overflowed": median_of("worker.tasks_overflowed"), "ns each": median_of("worker.overflow_cost"),
                 "sleeps": median_of("worker.sleeps"), "on a processor": made_of(lambda m, _: m("worker.share_on_processor"), True),
                 "idle": made_of(lambda m, cell: min(1, m("worker.idle_time") / (m(RUN) * int(cell.params["threads"]))), True)}),
    (r"-times.*-blocks$", {"items in a block": setting("block"), "time (ms)": median_of(RUN, "ms"), "times blocks of 8": against(
        lambda cell, other: other.params["block"] == "8" and (cell is other or but("block")(cell, other)), divided=True)}),
    (r"-times.*-table$", {"time (ms)": median_of(RUN, "ms"), "stolen": median_of("worker.items_stolen"),
                          "voluntary switches": median_of("worker.voluntary_context_switches")}),
    (r"-speedup-table$", {"threads": setting("threads"), "time (s)": median_of(RUN, "s"), "speed-up": against(
        lambda cell, other: other.params.get("threads") == "1" and (cell is other or but("threads")(cell, other)), turned=True),
        "95 % interval": bounds_against(lambda cell, other: other.params.get("threads") == "1" and (cell is other or but("threads")(cell, other)))}),
    (r"\dthreads.*-table$", {heading: median_of(what, "ms" if "ms" in heading else "") for heading, what in DUPLICATES.items()} | {
        "deviation (ms)": deviation}),
    (r"-(victims|idle)[^|]*-table$", BALANCE | {"victims": setting("victims"), "idle": setting("idle")}),
    (r"-waits-table$", {quantile: median_of(f"worker.task_wait_{metric}", MICROSECONDS) for quantile, metric in (
        ("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99.9", "p99.9"), ("longest", "maximum"))} | {
        "of the run": made_of(lambda m, _: m("worker.task_wait_maximum_of_run"), True), "starved": median_of("worker.tasks_starved"),
        "moved": made_of(lambda m, _: m("worker.task_wait_moved_count") / m("worker.task_wait_count"), True),
        "moved p50": median_of("worker.task_wait_moved_p50", MICROSECONDS), "moved p99": median_of("worker.task_wait_moved_p99", MICROSECONDS)}),
    (r"-best-settings$", {"there": best_there}),
]


def wrong_rows(facts, entry, columns):
    """Rows of a table that show no cell's values."""
    for texts in entry["rows"]:
        before = [""] + entry["headings"]
        pairs = [(heading if entry["headings"].index(heading) == place else f"{heading}, {before[place]}", text)
                 for place, (heading, text) in enumerate(zip(entry["headings"], texts)) if heading not in THEIRS]
        row = {**dict(pairs), "tag": entry["tag"]}
        unknown = [heading for heading, _ in pairs if heading not in columns and heading not in WORDS]
        cells = [cell for cell in facts.tagged(entry["tag"]) if is_named(cell, row)]
        if unknown:
            yield f"no rule for {unknown}", row
        elif not any(all(columns[heading](facts, cell, text, row) for heading, text in pairs if columns.get(heading)) for cell in cells):
            yield f"no cell of {len(cells)} has these values", row


UNPRIMED = ("invocation_time", "clock_overhead", "socket")  # the same in all cells
# Cases of the matrix: what is shown of them, by the beginnings of their names.
CASES = [("push-p", "owner.push_latency_p"), ("pop-p", "owner.pop_latency_p"), ("steal-p", "thief.steal_latency_p"),
         ("push-", "owner.push_latency"), ("pop", "owner.pop_latency"), ("pair", "owner.pair_latency"), ("steal", "thief.steal_latency"),
         ("owner-", "owner.owner_operations"), ("fork-", "pool.time_per_call"), ("memory", "process.peak_memory"), ("", RUN)]


def shown_in(name):
    start, what = next(case for case in CASES if name.startswith(case[0]))
    return what[:-1] + name.split("-")[1] if start.endswith("-p") else what


def is_named(cell, row):
    """May this row be the cell's, by its words?"""
    words = " ".join(text for heading, text in row.items() if heading in WORDS)
    return named(cell, words) and (row.get("deque", "") not in cell.deques or cell.deque == row["deque"])


class Golden(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.run_folder = golden_run(folder_of_class(cls) / "golden")
        (broken := cls.run_folder.parent / "broken").mkdir()
        (broken / "matplotlib.py").write_text("raise ImportError('left out')\n")  # what it draws are the same marks
        FolderTest().expect(3, "draw", cls.run_folder, says="matplotlib is not installed", environment={"PYTHONPATH": str(broken)})
        cls.facts = Facts(cls.run_folder)
        cls.index = json.loads((cls.run_folder / "figures" / "pictures.json").read_text(encoding="utf-8"))

    def explained(self, wrong):
        self.assertEqual(wrong[:5], [], f"{len(wrong)} in all")

    def test_every_mark_of_every_figure(self):
        wrong, counted = [], 0
        for mark in (mark for entry in self.index if "picture" in entry for mark in marks_of(self.run_folder, entry)):
            rule = next((rule for pattern, rule in RULES if re.search(pattern, mark.key)), "none")
            if rule is not None:
                why = "no rule" if rule == "none" else rule.explains(self.facts, mark) if isinstance(rule, Direct) else rule(self.facts, mark)
                counted += 1
                if why:
                    wrong.append((why, mark))
        self.explained(wrong)
        self.assertGreater(counted, 3000)

    def test_the_field_of_places(self):
        """A line there and back, between each two processors."""
        fields = [frame["field"] for entry in self.index for frame in entry.get("picture", {}).get("frames", []) if "field" in frame]
        due = {float(format(cell.of(self.facts, what)[0], ".6g")) for cell in self.facts.cells.values() for what in cell.values
               if re.fullmatch(r"\d+-\d+\.ping_pong_time", what)}
        self.assertEqual([{value for row in field["rows"] for value in row if value is not None} for field in fields], [due])
        self.assertEqual([field["label"] for field in fields], ["ns there and back"])

    def test_every_row_of_every_table(self):
        wrong, counted = [], 0
        for entry in (entry for entry in self.index if "rows" in entry):
            columns = next((columns for pattern, columns in TABLES if re.search(pattern, entry["name"])), {})
            if columns is not None:
                wrong += [(entry["name"], *found) for found in wrong_rows(self.facts, entry, columns)]
                counted += len(entry["rows"])
        self.explained(wrong)
        self.assertGreater(counted, 800)

    def known(self, whats, numbers, unit="", deque=None):
        """Is (median, low, high), as texts, of one of these metrics?"""
        return any(says(numbers[0], middle, self.facts.units[what]) and says(numbers[1], low) and says(numbers[2], high)
                   for what in whats for cell in self.facts.having(what) if deque in (None, cell.deque)
                   for middle, low, high in [cell.of(self.facts, what, unit)])

    def test_gnuplot_gets_the_same_numbers(self):
        for entry in (entry for entry in self.index if "picture" in entry):
            figures = self.run_folder / "figures"
            with open(figures / f"{entry['name']}.csv", newline="", encoding="utf-8") as file:
                marks = [[float(row[name]) if row[name] else None for name in ("x", "y", "low", "high", "start")] + [row["kind"]]
                         for row in csv.DictReader(file)]
            lines = [] if any("field" in frame for frame in entry["picture"]["frames"]) else [
                list(map(float, line.split("\t")[:5])) for line in (figures / f"{entry['name']}.dat").read_text(encoding="utf-8").splitlines()
                if line and line[0] != "#"]
            due = [[x, y, *(value if end is None else end for end in (low, high) for value in [x if kind in ("bars", "across") else y]),
                    start] for x, y, low, high, start, kind in marks]
            self.assertEqual(lines, due, entry["name"])

    def test_summary_csv(self):
        with open(self.run_folder / "summary.csv", newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["metric"] not in UNPRIMED]
        for row in rows:
            cell, what = self.facts.cells[row["cell"]], f"{row['role']}.{row['metric']}"
            for name, due in zip(("median", "low", "high"), cell.of(self.facts, what)):
                self.assertEqual(row[name], format(due, ".10g"), (name, row))
            self.assertEqual((row["unit"], row["deque"], row["invocations"]), (self.facts.units[what], cell.deque, str(INVOCATIONS)))
        self.assertEqual(len(rows), sum(what.split(".", 1)[1] not in UNPRIMED
                                        for cell in self.facts.cells.values() for what in cell.values))

    def test_table_txt(self):
        """A row ends with role, metric, median, interval and unit, or stands below a heading that has the unit."""
        wrong, counted, unit = [], 0, ""
        for line in (self.run_folder / "table.txt").read_text(encoding="utf-8").splitlines():
            unit = next(iter(re.findall(r"^deque .* (ns|.s) +95 % interval", line)), unit)
            numbers = re.search(r"([\d.]+) +\[([\d.]+), +([\d.]+)\]", line)
            told = re.search(r" ([\w-]+) +([\w.]+) +[\d.]+ +\[", line)
            told = told if told and ".".join(told.groups()) in self.facts.units else None
            if numbers:
                counted += 1
                whats = [".".join(told.groups())] if told else [what for what, of in self.facts.units.items() if "_latency" in what and of == "ns"]
                if not self.known(whats, numbers.groups(), "" if told else unit):
                    wrong.append(line)
        self.explained(wrong)
        self.assertGreater(counted, 800)

    def test_the_numbers_of_the_page(self):
        page = (self.run_folder / "report.html").read_text(encoding="utf-8")
        tables = [json.loads(zlib.decompress(base64.b64decode(packed))) for packed in re.findall(r'class="packed">([^<]+)<', page)]
        rows = [dict(zip(table["headings"], row)) for table in tables for row in table["rows"]]
        wrong = [row for row in rows if not self.known([f"{row['role']}.{row['metric']}"], [row[name] for name in ("median", "low", "high")],
                                                       deque=row["deque"].split(" ")[0])]
        self.explained(wrong)
        self.assertGreater(len(rows), 800)

    def test_the_matrix(self):
        page = (self.run_folder / "report.html").read_text(encoding="utf-8")
        matrix = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["matrix"]
        wrong = []
        for place, case in enumerate(matrix["cases"]):
            what = shown_in(case["name"])
            values = {row["deque"]: (row["ratios"][place], row["values"][place]) for row in matrix["rows"] if row["ratios"][place]}
            found = {deque: [cell.of(self.facts, what)[0] for cell in self.facts.cells.values() if cell.deque == deque and what in cell.values
                             and says(text, cell.of(self.facts, what)[0], self.facts.units[what])] for deque, (_, text) in values.items()}
            best = [one for deque, (ratio, _) in values.items() if ratio == 1 for one in found[deque]]
            wrong += [(case, deque, ratio) for deque, (ratio, _) in values.items() if not any(
                same(ratio, top / one if what.endswith("_operations") else one / top, 1e-5) for one, top in itertools.product(found[deque], best))]
        self.explained(wrong)
        self.assertGreater(len(matrix["cases"]), 15)

    def test_google_benchmarks_file(self):
        entries = json.loads((self.run_folder / "benchmark.json").read_text(encoding="utf-8"))["benchmarks"]
        values = {(cell.workload, cell.deque, rounded(scale * value)) for cell in self.facts.cells.values() for what in cell.values
                  for scale in [TIME.get(self.facts.units[what], 0)] for value in cell.values[what].values()}
        runs = defaultdict(list)
        for one in entries:
            workload, deque = (unquote(part) for part in one["run_name"].split("/")[:2])
            if one["run_type"] == "iteration":
                self.assertIn((workload, deque, rounded(one["real_time"])), values)
                runs[one["family_index"]].append(one["real_time"])
            else:
                due = {"mean": statistics.fmean, "median": statistics.median, "stddev": statistics.stdev,
                       "cv": lambda some: statistics.stdev(some) / statistics.fmean(some)}[one["aggregate_name"]](runs[one["family_index"]])
                self.assertTrue(same(one["real_time"], due), one)
        self.assertGreater(len(runs), 200)

    def test_compare(self):
        """A time's ratio is A's by B's, a rate's is inverted, so that above 1 is slower."""
        said = self.expect(0, "compare", self.run_folder, "--deque", "chase_lev", "--against", "lf_bulk").stdout
        metrics = {what.split(".", 1)[1] for what in self.facts.units}
        rows = [(next(word for word in re.findall(r"[\w.]+", line) if word in metrics), *numbers.groups())
                for line in said.splitlines() for numbers in [re.search(r" (\d+\.\d+) +\[(\d+\.\d+), +(\d+\.\d+)\]", line)] if numbers]
        a, b = ([cell for cell in self.facts.cells.values() if cell.deque == deque] for deque in ("chase_lev", "lf_bulk"))
        wrong = []
        for metric, *numbers in rows:
            dues = (ratio_of(*pair) for one, other in itertools.product(a, b) if one.workload == other.workload
                    for what in one.values.keys() & other.values.keys() if what.endswith("." + metric)
                    for pair in [(one.values[what], other.values[what])[::-1 if self.facts.units[what].endswith("/s") else 1]])
            if not any(all(says(text, due) for text, due in zip(numbers, due)) for due in dues):
                wrong.append((metric, numbers))
        self.explained(wrong)
        self.assertGreater(len(rows), 50)


if __name__ == "__main__":
    run_tests()
