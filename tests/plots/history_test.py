#!/usr/bin/python3
"""history.py: a step is found at its commit, machines are kept separate, and unchanged cells are not marked."""

import csv
import json
import random

from plots import history
from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun


class History(FolderTest):
    def make(self, slower_from=None, runs=16, cpu="one", cells=6, name="run"):
        wander = random.Random(5)
        for i in range(runs):
            run = SyntheticRun(self.folder / f"{name}-{i:02}", invocations=3, noise=0.005, seed=wander.randrange(10 ** 6))
            run.section("fig6", "push")
            run.machine["cpu"] = cpu
            for cell in range(cells):
                slow = 1.05 if slower_from is not None and cell == 0 and i >= slower_from else 1.0
                run.cell(["fig6"], "push", "chase_lev", {"batch": 2 ** cell}, {"push_latency": (8.0 * (cell + 1) * slow, "ns")})
            run.manifest = {"commit": f"{i:040x}", "sources": "clean", "start": f"2026-01-{i + 1:02}T00:00:00Z"}
            run.write()

    def look(self, *arguments, code=0, says=""):
        return self.expect(code, "history", *arguments, f"--runs={self.folder}", says=says).stdout

    def test_a_step_is_found_where_it_is(self):
        self.make(slower_from=9)
        said = self.look("push_latency", f"--csv={self.folder / 'all.csv'}", says="16 runs, 6 series, 1 with a change")
        self.assertRegex(said, r"batch=1 .*1\.0[45]\d from 0000000000 \((run-08|run-09|run-10)\)")
        rows = list(csv.DictReader((self.folder / "all.csv").open(encoding="utf-8")))
        self.look("push_latency", f"--json={self.folder / 'all.json'}", says="16 runs")
        same = json.loads((self.folder / "all.json").read_text(encoding="utf-8"))
        self.assertEqual([(row["run"], float(row["value"]), float(row["changed"] or 0)) for row in rows],
                         [(row["run"], row["value"], row["changed"] or 0) for row in same])
        self.assertEqual(len(rows), 96)
        self.assertEqual(len([row for row in rows if row["changed"]]), 1)

    def test_nothing_changed(self):
        self.make()
        self.look(says="16 runs, 6 series, 0 with a change")

    def test_machines_are_apart(self):
        self.make(runs=8, cells=1)
        self.make(runs=8, cells=1, cpu="another", name="there")
        self.look(says="16 runs, 2 series")

    def test_what_is_not_there(self):
        self.look(code=3, says="no run to look back at")
        self.make(runs=1)
        self.look("pop_latency", code=2, says="no run has the metric pop_latency; there are push_latency")
        self.look("--deque=nobody", code=2, says="there are chase_lev")

    def test_a_damaged_run_is_said_and_left_out(self):
        self.make(runs=2)
        (self.folder / "run-00" / "manifest.json").write_text("{", encoding="utf-8")
        self.assertIn("1 runs", self.look())

    def test_of_a_rate_less_is_slower(self):
        """From 1300 to 1100 a second: 1.182 times as slow; the numbers themselves stay rates."""
        for i, rate in enumerate([1300.0] * 8 + [1100.0] * 8):
            run = SyntheticRun(self.folder / f"run-{i:02}", invocations=1, repetitions=1, noise=0)
            run.cell([], "dag", "chase_lev", {}, {"steps": (rate, "operations/s")})
            run.manifest = {"start": f"2026-01-{i + 1:02}"}
            run.write()
        said = self.look(says="1 series, 1 with a change")
        self.assertRegex(said, r"1300 +1100 +operations/s .* 1\.182 from ")

    def test_two_steps(self):
        values = [1.0, 1.01, 0.99, 1.0, 1.01, 1.0, 1.0, 0.99, *[1.2, 1.21, 1.19, 1.2, 1.2, 1.21, 1.2, 1.19],
                  *[1.1, 1.11, 1.1, 1.09, 1.1, 1.1, 1.11, 1.1]]
        found = history.steps(values, 0.05)
        self.assertEqual([place for place, _ in found], [8, 16])
        self.assertLess(found[1][1], 1)
        self.assertEqual(history.steps([1.0, 1.001] * 10, 0.05), [])


if __name__ == "__main__":
    run_tests()
