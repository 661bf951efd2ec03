#!/usr/bin/python3
"""Ratios and goals from a made-up run; the suite."""

import re
import unittest

from tests.plots.support import ROOT, FolderTest, drawn, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from harness.judging.run_folder import Run
from extras.runtimes.data import RUNTIMES, Against, Row, compare
from harness.judging.summaries import summarize
from plots.figures.figure import Table
from harness.judging.statistics import verdicts_on
from extras.runtimes import judge

TITLES = {"onetbb_runtime": "oneTBB 2021.8", "openmp": "OpenMP on gcc's libgomp 12.2.0", "lace_runtime": "Lace 1.4.2"}
HERE = ROOT / "extras" / "runtimes"


class Runtimes(FolderTest):
    def run_of(self, times, noise=0.01, invocations=7):
        """times: {section: {(deque, params): seconds}}."""
        run = SyntheticRun(self.folder / "run", invocations=invocations, repetitions=1, noise=noise,
                           deques={**DEQUES, **{name: {"title": title} for name, title in TITLES.items()}})
        for tag, members in times.items():
            run.section(tag, f"About {tag}")
            for (deque, params), seconds in members.items():
                run.cell([tag], tag.split("-")[0], deque, {"threads": 2, **dict(params)}, {"run_time": (seconds, "s")})
        run.rows = [[*row[:5], "pool" if row[8] == "run_time" else row[5], *row[6:]] for row in run.rows]
        return Run(run.write())

    def rows_of(self, times, **options):
        run = self.run_of(times, **options)
        return compare(run, summarize(run))

    def test_the_ratio_is_of_our_best_to_each_runtime(self):
        rows = self.rows_of({"quicksort-2": {("chase_lev", ()): 0.50, ("locked", ()): 0.60, ("onetbb_runtime", ()): 0.55,
                                             ("openmp", ()): 0.40}})
        self.assertEqual([(row.best.deque, row.runtime) for row in rows], [("chase_lev", "onetbb_runtime"), ("chase_lev", "openmp")])
        self.assertAlmostEqual(rows[0].best.ratio, 0.50 / 0.55, delta=0.02)
        self.assertLess(rows[0].best.low, rows[0].best.ratio)
        self.assertEqual([reached for *_, reached in judge.verdicts(rows)], [True, False])

    def test_what_was_chosen_before_stands_beside_what_was_chosen_after(self):
        [row] = self.rows_of({"fib-1": {("chase_lev", ()): 0.6, ("abp", ()): 0.2, ("onetbb_runtime", ()): 1.0}})
        self.assertEqual((row.first.deque, row.best.deque), ("chase_lev", "abp"))
        self.assertAlmostEqual(row.first.ratio, 0.6, delta=0.02)
        self.assertAlmostEqual(row.best.ratio, 0.2, delta=0.02)

    def test_times_and_ratio_are_of_the_same_invocations(self):
        run = self.run_of({"uts-2": {("chase_lev", ()): 0.2, ("onetbb_runtime", ()): 0.4}}, noise=0)
        for (cell, invocation), rows in run.invocations.items():
            for row in rows:  # theirs was ten times as slow in three invocations that ours does not have
                if row["metric"] == "run_time" and run.cells[cell]["deque"] == "onetbb_runtime" and invocation < 3:
                    row["value"] *= 10
        for key in [key for key in run.invocations if run.cells[key[0]]["deque"] == "chase_lev" and key[1] < 3]:
            del run.invocations[key]
        [row] = compare(run, summarize(run))
        self.assertAlmostEqual(row.best.ratio, 0.5, delta=0.001)
        self.assertAlmostEqual(row.best.time / row.best.their_time, row.best.ratio, delta=0.001)

    def test_an_interval_beyond_the_goal_misses_it_though_the_median_reaches_it(self):
        for high, reached in [(1.04, False), (1.02, True)]:
            held = Against("chase_lev", 1.0, 1.0, 0.99, 0.95, high, 7)
            row = Row("quicksort-2", "", "onetbb_runtime", "oneTBB 2021.8", "s", held, held, [None, None])
            self.assertEqual([found for *_, found in judge.verdicts([row])], [reached])

    def test_fewer_than_six_invocations_settle_no_goal(self):
        for pairs, reached in [(5, None), (6, True)]:
            held = Against("chase_lev", 1.0, 1.0, 0.2, 0.19, 0.21, pairs)
            row = Row("fib-1", "", "onetbb_runtime", "oneTBB 2021.8", "s", held, held, [None, None])
            self.assertEqual([found for *_, found in judge.verdicts([row])], [reached])

    def test_a_verdict_in_the_report_rests_on_the_one_rule(self):
        """As everywhere: none from fewer than six invocations, and all comparisons of the run considered together."""
        times = {f"uts-{place}": {("chase_lev", ()): 0.4, ("onetbb_runtime", ()): seconds}
                 for place, seconds in enumerate((0.4, 0.4, 0.4, 0.6), 1)}
        for invocations, last in ((5, "not settled"), (10, "faster")):
            run = self.run_of(times, noise=0.01, invocations=invocations)
            summaries = summarize(run)
            found = [row[3] for _, made in drawn(run, "runtimes").values() if isinstance(made, Table) for row in made.rows]
            by_deque = [{summary.deque: summary for summary in summaries if summary.metric == "run_time" and tag in summary.tags}
                        for tag in times]
            pairs = [(each["chase_lev"].by_invocation, each["onetbb_runtime"].by_invocation) for each in by_deque]
            self.assertEqual([verdict or "not settled" for verdict in verdicts_on(pairs)], found)
            self.assertEqual(found[3], last)

    def test_the_program_says_so_with_versions_and_ends_on_one(self):
        run = self.run_of({"fib-1": {("chase_lev", ()): 0.2, ("onetbb_runtime", ()): 1.0},
                           "fib-2": {("chase_lev", ()): 0.9, ("onetbb_runtime", ()): 1.0}})
        done = self.expect(1, "extras.runtimes.judge", run.folder, says="1 of 2 goals reached")
        self.assertRegex(done.stdout, r"reached: .*against oneTBB 2021\.8: at most 0\.3; it is 0\.20 \[")
        self.assertRegex(done.stdout, r"MISSED: .*: at most 0\.3; it is 0\.9")
        self.assertRegex(done.stdout, r"\| About fib-1 +\| +oneTBB 2021\.8 +\| +1\.\d\d s +\| +chase_lev +\| +2\d\d ms")
        self.assertRegex(done.stdout, r"One run of 28 invocations, 7 a cell, .* with the 95 % interval")

    def test_processor_time_and_memory_are_of_the_first_of_ours_and_empty_where_nobody_told(self):
        run = self.run_of({"fib-1": {("chase_lev", ()): 0.5, ("abp", ()): 0.4, ("onetbb_runtime", ()): 1.0, ("openmp", ()): 1.0}}, noise=0)
        for (cell, _), rows in run.invocations.items():
            deque, time = run.cells[cell]["deque"], next(row for row in rows if row["metric"] == "run_time")
            rows[:] = [row for row in rows if row["metric"] != "peak_memory"]
            if deque != "openmp":
                rows.append({**time, "metric": "processor_time", "value": {"chase_lev": 0.9, "abp": 0.1, "onetbb_runtime": 1.8}[deque]})
                rows.append({**time, "role": "process", "metric": "peak_memory", "unit": "bytes",
                             "value": {"chase_lev": 3 << 20, "abp": 1 << 20, "onetbb_runtime": 12 << 20}[deque]})
        rows = compare(run, summarize(run))
        self.assertEqual([cost and round(cost.ratio, 6) for row in rows for cost in row.costs], [0.5, 0.25, None, None])
        text = judge.table(rows, judge.COST_HEADINGS, judge.cost_cells_of)
        self.assertRegex(text, r"oneTBB 2021\.8 +\| +1\.80 s +\| +12\.0 MiB +\| +chase_lev +\| +900 ms +\| +0\.50 \[0\.50, 0\.50\] +\| +3\.00 MiB")
        self.assertRegex(text, r"libgomp 12\.2\.0 +\|( +\|)+$")

    def test_a_run_without_runtimes_is_no_failure(self):
        self.assertEqual(self.rows_of({"fib-1": {("chase_lev", ()): 0.2}}), [])


class Suite(unittest.TestCase):
    def test_every_runtime_is_in_every_comparison_that_it_can_do(self):
        """fib on two threads of libgomp and Go stands apart."""
        text = (HERE / "runtimes.suite").read_text(encoding="utf-8")
        sections = {part.split("]")[0]: part for part in text.split("\n[")[1:]}
        here = {path.stem for path in HERE.iterdir() if path.suffix in (".c", ".cc")}
        here = {f"{name}_runtime" if (HERE.parents[1] / "queues" / f"{name}.h").exists() else name for name in here}
        self.assertEqual(RUNTIMES, here)
        sorters = here - {"goroutines", "forkjoinpool", "toomanycooks_runtime"}
        for tag, there in {**{tag: here for tag in ("fib-1", "fib-2-grain", "nqueens-2")},
                           **{tag: sorters for tag in ("quicksort-1", "quicksort-2", "uts-2")}, "uts-2-T3": sorters - {"parlaylib"},
                           "fib-2": here - {"openmp", "goroutines"}, "dag-2": {"onetbb_runtime", "openmp", "openmp_llvm", "taskflow"}}.items():
            lines = re.findall(r"^\S+ deque=(\S+)", sections[tag], re.M)
            self.assertEqual(set(",".join(lines).split(",")) & here, there, tag)
        quick = re.search(r"in --only=(fib-2,\S+)", (HERE / "run").read_text(encoding="utf-8"))[1].split(",")
        self.assertLessEqual(set(quick), set(sections))
        self.assertEqual({"fib", "nqueens", "quicksort", "uts"}, {tag.split("-")[0] for tag in quick})


if __name__ == "__main__":
    run_tests()
