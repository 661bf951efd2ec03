#!/usr/bin/python3
"""results/metrics.csv, and the report that shows it. tests/scripted/due_test.py checks on real cells that each
recorded metric has a line."""

import unittest

from tests.plots.support import ROOT, run_tests

from harness.judging.metrics import known_as, of_run, read_metrics, value_among
from harness.judging.run_folder import Run
from plots.pages.report import metrics_of


class Lines(unittest.TestCase):
    def test_each_is_whole_and_there_once(self):
        lines, units = read_metrics(), {}
        for line in lines:
            self.assertTrue(all(getattr(line, what).strip() for what in ("metric", "role", "workloads", "range", "what")), line)
            self.assertFalse(line.what.endswith("."), line)
            self.assertEqual(units.setdefault(line.metric, line.unit), line.unit, line.metric)
        keys = {(line.metric, line.role, line.workloads) for line in lines}
        self.assertEqual(len(keys), len(lines))

    def test_its_source_is_there(self):
        self.assertEqual([line for line in read_metrics() if not (ROOT / line.source).is_file()], [])


class WhereUsersLook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_read = Run(ROOT / "results/example/quick")

    def test_the_kept_run_has_no_other(self):
        rows = {(row["metric"], row["unit"], row["workload"]) for some in self.run_read.invocations.values() for row in some}
        for metric, unit, workload in rows:
            if metric != workload:  # the row of a cell that is unsupported
                self.assertTrue(any(line.may_be_in(unit) for line in known_as(metric)), (metric, unit))

    def test_a_cell_s_value_is_what_its_workload_measures(self):
        """The driver's precision takes the same (tests/harness/precision_test.c)."""
        found = {}
        for rows in self.run_read.invocations.values():
            reported = {(row["role"], row["metric"]): row["unit"] for row in rows}
            if rows[0]["status"] == "unsupported":
                continue
            found.setdefault(rows[0]["workload"], set()).add(value_among(reported))
        pool = {("pool", "run_time")}
        self.assertEqual(found, {
            "push": {("owner", "push_latency")}, "pop": {("owner", "pop_latency"), ("owner", "drain_latency_per_item")},
            "steal": {("thief", "steal_latency")}, "contention": {("owner", "owner_operations")},
            **dict.fromkeys(("dag", "walk", "duplicates", "quicksort", "fib", "uts"), pool)})

    def test_the_report_has_those_of_the_run(self):
        names = {row[0] for row in metrics_of(self.run_read)["rows"]}
        self.assertLessEqual({"push_latency", "steals_stolen", "run_time", "attempts_lost", "peak_memory"}, names)
        self.assertNotIn("push_largest", names)
        self.assertEqual({line.metric for line in of_run(self.run_read)}, names)


if __name__ == "__main__":
    run_tests()
