#!/usr/bin/python3
"""results/metrics.csv has a line for every metric that is recorded, and no other: held to the sources, to the run that is
kept, and to the report and the command that show it."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from tests.plots.support import ROOT, run_tests

from plots.data.metrics import NAMED, known_as, of_run, read_metrics
from plots.data.run_folder import STATUSES, Run
from plots.pages.report import metrics_of

# Who hands a value on, and which of its arguments is the metric; the unit is the next literal.
REPORTERS = {"cell_sample": 3, "cell_no_sample": 3, "measure_report": 3, "owner_sample": 1, "thief_sample": 2,
             "cell_histogram": 2, "add_row": 4}
# A metric that is no literal there comes from a table of these, in the same file: {"tasks", "tasks", ...}, or an array.
TABLE = re.compile(r'\{"([a-z0-9_]+)",\s*(?:"([a-z/]*)"|\w+(?:->|\())')
HAS_TABLE = re.compile(r"char \*(?:const )?(?:metric|metrics)\b")
ARRAY = re.compile(r'(?:\bmetrics\[[^=]*=|\[SAMPLED_\w+\] =) \{([^;{}]*)\}')
NAMED_BY_MACRO = re.compile(r'#define (?:SIMULATED_OPERATIONS|INVOCATION_END) "(\w+)"')
PER_OF_A_RUNTIME = re.compile(r'"(time_per_\w+)"')
# Where a name is made of parts: what stands in the source, and what can come of it.
MADE = {'"%s_least"': ("_least",), '"%s_max"': ("_max",), '"%s_maximum"': ("_maximum",), '"%s_count"': ("_count",),
        '"%s_per_operation"': ("_per_operation",), '"%s_%s"': ("_p50", "_p90", "_p99", "_p99.9")}

# Of the run that is kept, which is older.
OLDER_UNITS = {("unreadable", "directories"), *((f"attempts_{how}", "steals") for how in ("empty", "lost", "busy"))}


def sources():
    folders = ["workloads", "harness/measuring", "harness/driver/execute", "harness/driver/record"]
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".c", ".h", ".cc")
            and path.name != "headline.c"]  # which reads metrics


def arguments_of(text, start):
    """The arguments of the call whose bracket opens at start, and where it ends."""
    depth, parts, begin, quoted = 0, [], start + 1, False
    for place in range(start, len(text)):
        character = text[place]
        quoted ^= character == '"'
        if quoted:
            continue
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and depth == 1 or depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
        if depth == 0:
            return parts
    return parts


def recorded_in(text):
    """({metric: units}, calls whose metric is no literal) of one source."""
    found, others = {}, []
    for reporter, place in REPORTERS.items():
        for match in re.finditer(rf"\b{reporter}\(", text):
            arguments = arguments_of(text, match.end() - 1)
            if len(arguments) <= place or arguments[0].startswith(("const struct", "struct")) or "const char" in arguments[place]:
                continue  # a declaration
            literal = re.fullmatch(r'"([a-z0-9_.]+)"', arguments[place])
            if literal:
                unit = next((word for word in arguments[place + 1:] if re.fullmatch(r'"[A-Za-z/]*"', word)), None)
                found.setdefault(literal[1], set()).add(unit and unit.strip('"'))
            else:
                others.append(arguments[place])
    if others or HAS_TABLE.search(text):
        for name, unit in TABLE.findall(text):
            if name in STATUSES:
                continue
            found.setdefault(name, set()).add(unit or None)
        for names in ARRAY.findall(text):
            for name in re.findall(r'"(\w+)"', names):
                found.setdefault(name, set())
        for name in NAMED_BY_MACRO.findall(text):
            found.setdefault(name, set())
    return found, others


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {path: path.read_text(encoding="utf-8") for path in sources()}
        cls.recorded, cls.without_literal = {}, []
        for path, text in cls.texts.items():
            found, others = recorded_in(text)
            for name in PER_OF_A_RUNTIME.findall(text) if path.parts[-2] == "runtimes" else NAMED_BY_MACRO.findall(text):
                found.setdefault(name, set())
            for name, units in found.items():
                cls.recorded.setdefault(name, {})[path.relative_to(ROOT)] = units
            cls.without_literal += [(path.name, other) for other in others]

    def test_the_sources_are_read(self):
        """What this test can see: far more than nothing, of every kind."""
        for name in ("push_latency", "steals_stolen", "attempts_empty", "duplicate_groups", "timeline_sleep", "items_left",
                     "l2_misses", "instructions_simulated", "operations_simulated", "invocation_time", "peak_memory",
                     "major_page_faults", "steal_latency_lost", "time_per_call", "placement", "ping_pong_time"):
            self.assertTrue(name in self.recorded, name)
        self.assertGreater(len(self.recorded), 100)
        for path, other in self.without_literal:  # what is neither would not be seen
            self.assertRegex(other, r"metric|^name$|->per$|SIMULATED_OPERATIONS|INVOCATION_END|workload->name|cell->workload|^field\[", path)

    def test_every_metric_that_is_recorded_has_a_line(self):
        for name, places in self.recorded.items():
            lines = known_as(name)
            if not lines:  # of a name that is never a metric alone: steal_latency_empty, of which quantiles are made
                lines = known_as(f"{name}_p50")
            self.assertTrue(lines, f"{name}, recorded by {', '.join(map(str, places))}, has no line in results/metrics.csv")
            for path, units in places.items():
                for unit in units - {None}:
                    if known_as(name):
                        self.assertTrue(any(line.may_be_in(unit) for line in lines), f"{name} is in {unit!r} ({path})")

    def test_every_line_is_of_a_metric_that_its_source_records(self):
        made = {name + suffix for name in self.recorded for suffixes in MADE.values() for suffix in suffixes}
        for line in read_metrics():
            text = self.texts[ROOT / line.source]
            whole = line.metric in self.recorded and f'"{line.metric}"' in text
            part = next((form for form, suffixes in MADE.items() if line.metric.endswith(suffixes) and form in text), None)
            self.assertTrue(whole or part and (line.metric in made or line.metric.startswith("*")),
                            f"{line.metric}: {line.source} does not record it")

    def test_a_metric_has_one_unit(self):
        units = {}
        for line in read_metrics():
            units.setdefault(line.metric, set()).add(line.unit)
        self.assertEqual({name: some for name, some in units.items() if len(some) > 1}, {})

    def test_no_line_is_empty_or_there_twice(self):
        lines = read_metrics()
        for line in lines:
            for what in ("metric", "role", "workloads", "range", "what"):
                self.assertTrue(getattr(line, what).strip(), line)
            self.assertFalse(line.what.endswith("."), line)
        keys = [(line.metric, line.role, line.workloads) for line in lines]
        self.assertEqual(len(set(keys)), len(keys))

    def test_the_workloads_that_lines_name_are_all_that_there_are(self):
        told = {word for line in read_metrics() for word in re.findall(r"\w+", line.workloads)}
        there = set(re.findall(r'\.name = "(\w+)"', "".join(text for path, text in self.texts.items()
                                                            if path.suffix == ".c" and "REGISTER_WORKLOAD" in text)))
        self.assertEqual(NAMED, there, "NAMED of plots/data/metrics.py")
        self.assertLessEqual(there, told)


class WhereUsersLook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_read = Run(ROOT / "results/example/quick")

    def test_the_kept_run_has_no_other(self):
        rows = {(row["metric"], row["unit"], row["workload"]) for some in self.run_read.invocations.values() for row in some}
        for metric, unit, workload in rows:
            if metric == workload:
                continue  # the row of a cell that is unsupported
            lines = known_as(metric)
            self.assertTrue(lines, metric)
            self.assertTrue(any(line.may_be_in(unit) for line in lines) or (metric, unit) in OLDER_UNITS, (metric, unit))

    def test_the_report_has_those_of_the_run(self):
        shown = {(row[0], row[3]) for row in metrics_of(self.run_read)["rows"]}
        names = {name for name, _ in shown}
        self.assertLessEqual({"push_latency", "steals_stolen", "run_time", "attempts_lost", "peak_memory"}, names)
        self.assertNotIn("ping_pong_time", names)
        self.assertTrue(all(line.metric in names for line in of_run(self.run_read)))

    def test_list_metrics(self):
        def asked(*words):
            return subprocess.run([sys.executable, "-m", "plots.pages.metrics", *words], cwd=ROOT, capture_output=True,
                                  text=True, check=False)

        whole, some, none = asked(), asked("fairness"), asked("no such word")
        self.assertEqual(whole.stdout.count("\n    ") > len(read_metrics()) - 1, True)
        self.assertIn("fairness  (ratio, 0 to 1)", some.stdout)
        self.assertLess(len(some.stdout.splitlines()), 6)
        self.assertEqual((none.returncode, none.stdout), (2, ""))
        self.assertIn("./run.sh list metrics", none.stderr)


if __name__ == "__main__":
    run_tests()
