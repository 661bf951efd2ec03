#!/usr/bin/python3
"""compare.py: a planted slowdown fails, identical builds do not, and cells that cannot be judged do not pass."""

import math
import unittest

import numpy

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.in_turns import UNTIL_DECIDED, watched_of
from harness.judging.run_folder import Run, differing_conditions
from harness.judging.deciding import WatchedEitherWay


class TwoSides(FolderTest):
    def make(self, name, slower=1.0, seed=1, invocations=9, noise=0.01, deque="chase_lev", cells=4):
        run = SyntheticRun(self.folder / name, invocations=invocations, noise=noise, seed=seed)
        run.section("fig6", "push")
        for i in range(cells):
            value = 8.0 * (i + 1)
            run.cell(["fig6"], "push", deque, {"batch": 2 ** i},
                     {"push_latency": (value * slower, "ns"), "push_latency_per_item": (value * slower, "ns")})
        run.write()
        return run

    def test_exit_codes(self):
        base, slow = self.make("base"), self.make("slow", 1.1, seed=2)
        self.expect(1, "judging.compare", slow.folder, base.folder, "--exit-code", says="4 slower")
        self.expect(0, "judging.compare", base.folder, slow.folder, "--exit-code", says="4 faster")
        self.expect(0, "judging.compare", slow.folder, base.folder, "--exit-code", "--threshold=20", says="4 not told apart")

    def test_deques_that_may_repeat_items_are_named(self):
        base, other = self.make("base", deque="idempotent"), self.make("other", deque="idempotent", seed=2)
        for run in (base, other):
            run.deques = {"idempotent": {"title": "idempotent LIFO", "delivery": "at_least_once"}}
            run.write()
        self.expect(0, "judging.compare", base.folder, other.folder, says="may hand an item out more than once: idempotent")
        self.assertNotIn("more than once", self.expect(0, "judging.compare", self.make("a").folder, self.make("b").folder).stdout)

    def test_two_deques_of_one_run(self):
        run = SyntheticRun(self.folder / "run", noise=0.005)
        for deque, each, mode in (("chase_lev", 8.0, {}), ("lf_bulk", 9.0, {"walk": "full"}),
                                  ("lf_bulk", 4.0, {"walk": "skip"})):
            run.cell(["fig7"], "steal", deque, {"percent": 10, **mode}, {"steal_latency": (each, "ns")})
        run.write()
        done = self.expect(1, "judging.compare", run.folder, "--deque=lf_bulk", "--against=chase_lev", "--exit-code")
        self.assertIn("1 slower, 1 faster", done.stdout)
        self.assertIn("skips the walk", done.stdout)

    def test_too_few_invocations_settle_nothing_and_do_not_pass(self):
        a, b = self.make("a", 2.0, invocations=3), self.make("b", invocations=3, seed=2)
        self.expect(0, "judging.compare", a.folder, b.folder, says="4 not settled")
        self.expect(3, "judging.compare", a.folder, b.folder, "--exit-code", says="no verdict on 4 of 4 cells: it takes 6 invocations")
        a, b = self.make("a", 2.0, invocations=5), self.make("b", invocations=5, seed=2)
        self.expect(3, "judging.compare", a.folder, b.folder, "--exit-code", says="4 not settled")

    def test_runs_one_after_the_other_do_not_pass(self):
        base, slow = self.make("base"), self.make("slow", 1.1, seed=2)
        for run, start, end in ((base, "2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"),
                                (slow, "2026-01-01T00:10:00Z", "2026-01-01T00:20:00Z")):
            run.manifest = {"start": start, "end": end}
            run.write()
        self.expect(0, "judging.compare", slow.folder, base.folder, says="not in turns")
        self.expect(3, "judging.compare", slow.folder, base.folder, "--exit-code", says="not in turns")
        self.expect(1, "judging.compare", slow.folder, base.folder, "--exit-code", "--anyway", says="4 slower")

    def test_a_run_of_less_than_a_second_was_measured_in_turns(self):
        run = SyntheticRun(self.folder / "run")
        for deque in ("abp", "chase_lev"):
            run.cell(["pop"], "pop", deque, {}, {"pop_latency": (5.0, "ns")})
        run.manifest = {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"}
        self.assertNotIn("not in turns", self.expect(0, "judging.compare", run.write(), "--deque=abp", "--against=chase_lev").stdout)

    def test_a_crash_is_no_speed(self):
        base = self.make("base")
        broken = SyntheticRun(self.folder / "broken", invocations=9)
        for i in range(4):
            broken.cell(["fig6"], "push", "chase_lev", {"batch": 2 ** i}, {"push_latency": (8.0 * (i + 1), "ns")},
                        status="crashed" if i == 0 else "ok")
        broken.write()
        self.expect(1, "judging.compare", broken.folder, base.folder, "--exit-code", says="crashed or hung")
        alone = SyntheticRun(self.folder / "alone")
        alone.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (8.0, "ns")}, status="crashed")
        self.expect(3, "judging.compare", alone.write(), base.folder, says="nothing could be compared")

    def test_an_unproven_deque_does_not_pass_and_fails_none(self):
        base, half = self.make("base"), self.make("half", seed=2)
        cell = half.cells[0]["cell"]
        half.rows = [row for row in half.rows if row[0] != cell] + [
            [*half.rows[0][:5], "process", 0, 0, metric, "", "", "unproven", ""] for metric in ("push", "invocation_time")]
        half.write()
        self.expect(0, "judging.compare", half.folder, base.folder, says="1 cells were not timed in A")
        self.expect(3, "judging.compare", half.folder, base.folder, "--exit-code", says="not all could be judged")

    def test_runs_of_different_conditions_are_compared_on_request_only(self):
        for part, member, what in [("machine", "cpu", "processor"), ("machine", "kernel", "kernel"),
                                   ("build", "compiler", "compiler"), ("build", "version", "compiler's version"),
                                   ("build", "flags", "flags"), ("build", "cppflags", "preprocessor's flags")]:
            base, other = self.make("base"), self.make("other", seed=2)
            was = getattr(base, part)[member]
            getattr(other, part)[member] = "quite another"
            other.write()
            self.assertEqual(differing_conditions(Run(other.folder), Run(base.folder)), [(what, "quite another", was)])
        says = f"another {what}: 'quite another' and {was!r}"
        self.expect(2, "judging.compare", other.folder, base.folder, says=says)
        self.expect(0, "judging.compare", other.folder, base.folder, "--anyway", says=says)
        other.build = None
        other.write()
        self.expect(2, "judging.compare", other.folder, base.folder, says="another compiler: 'unknown' and 'gcc'")

    def test_usage(self):
        run = self.make("run")
        self.expect(2, "judging.compare", run.folder, says="--deque A --against B")
        self.expect(2, "judging.compare", run.folder, "--deque=nothing", "--against=chase_lev", says="it has chase_lev")
        self.expect(3, "judging.compare", run.folder, run.folder, "--metric=none", says="nothing could be compared")


class EitherWay(unittest.TestCase):
    """The rule for cells that are measured until they are decided: the CI job's, either way."""

    def watch(self, generator, ratio, cells=1, spread=0.02, most=400):
        cell, logs = WatchedEitherWay("a", "push", cells=cells), []
        while not cell.verdict and cell.asked <= most:
            logs += list(generator.normal(math.log(ratio), spread, cell.asked - len(logs)))
            cell.see(logs)
        return cell

    def test_either_way_is_found_and_what_is_the_same_is_not_told_apart(self):
        generator = numpy.random.default_rng(1)
        for ratio, verdict in ((1.06, "slower"), (0.94, "faster"), (1.0, "not told apart")):
            self.assertEqual([self.watch(generator, ratio, cells=13).verdict for _ in range(10)], [verdict] * 10)

    def test_one_that_is_faster_by_less_than_the_threshold_is_not_left_at_not_slower(self):
        self.assertEqual(self.watch(numpy.random.default_rng(2), 0.99, spread=0.01).verdict, "not told apart")

    def test_every_cell_of_a_comparison_gets_its_share(self):
        cells = watched_of({"pop": ("A pop", "pop"), "contention-1M": ("The owner", "contention")}, "abp")
        self.assertEqual([one.cells for one in cells], [3, 3, 3])
        for pairs, verdict in (11, ""), (12, "slower"):  # either way, and one of twenty
            one = WatchedEitherWay("a", "push", cells=20)
            one.see([0.1] * pairs)
            self.assertEqual(one.verdict, verdict)

    def test_looked_at_again_it_is_as_it_was_left(self):
        generator = numpy.random.default_rng(4)
        for ratio in (1.1, 1.02, 1.0, 0.9):
            cell, again = self.watch(generator, ratio, cells=5), WatchedEitherWay("a", "push", cells=5)
            again.see_again(cell.logs + [5.0] * 20)  # pairs that another value of the cell still needed
            self.assertEqual((again.verdict, again.logs), (cell.verdict, cell.logs))


class UntilDecided(FolderTest):
    """A run that was measured until its cells were decided, as compare shows it."""

    def run_of(self, crashed="ok"):
        run = SyntheticRun(self.folder / "run", invocations=24, noise=0.004)
        run.title = UNTIL_DECIDED
        for tag, title in (("pop", "A pop"), ("contention-1M", "The owner beside a thief"), ("fib", "Forks and joins")):
            run.section(tag, title)
        for deque, worse in (("chase_lev", 1.0), ("lf_bulk", 1.2)):
            run.cell(["pop"], "pop", deque, {}, {"pop_latency": (4.0 * worse, "ns")})
            run.cell(["contention-1M"], "contention", deque, {"frequency": 1000000},
                     {"owner_operations": (4e8 / worse, "operations/s")})
            run.cell(["fib"], "fib", deque, {}, {("pool", "run_time"): (1.7e-7, "s"), ("pool", "idle_time_least"): (3e-6 * worse, "s")},
                     status=crashed if deque == "lf_bulk" else "ok")
        return run.write()

    def said(self, *options, code=0, **settings):
        return self.expect(code, "judging.compare", self.run_of(**settings), "--deque=lf_bulk", "--against=chase_lev", *options).stdout

    def test_the_main_cells_alone_are_judged_and_shown(self):
        said = self.said()
        self.assertIn("Intervals and verdicts hold whenever measuring stops", said)
        self.assertRegex(said, r"(?m)^A pop +4\.[78]\d ns +[34]\.[09]\d ns +1\.\d+ +\[1\.\d+, 1\.\d+\] +\d+  slower$")
        self.assertRegex(said, r"(?m)^The owner beside a thief +33\d M/s +\d+ M/s +1\.\d+ .*slower$")
        self.assertRegex(said, r"(?m)^Forks and joins +1[67]\d ns +1[67]\d ns .*not told apart$")
        self.assertIn("2 slower, 0 faster, 1 not told apart, 0 not settled", said)
        self.assertNotIn("idle_time", said)

    def test_its_exit_code(self):
        self.said("--exit-code", code=1)
        done = self.expect(1, "judging.compare", self.run_of(crashed="crashed"), "--deque=lf_bulk", "--against=chase_lev", "--exit-code")
        self.assertIn("Forks and joins (chase_lev ok, lf_bulk crashed)", done.stderr)


class Main(FolderTest):
    def test_diagnostics_are_compared_by_name(self):
        run = SyntheticRun(self.folder / "run", invocations=7, noise=0.002)
        for deque, worse in (("chase_lev", 1.0), ("lf_bulk", 1.2)):
            run.cell(["fib"], "fib", deque, {}, {("pool", "run_time"): (170e-9 * worse, "s"), ("pool", "idle_time_7"): (1.0, "s")})
        compared = ("judging.compare", run.write(), "--deque=lf_bulk", "--against=chase_lev")
        said = self.expect(0, *compared, says="1 slower, 0 faster, 0 not told apart, 0 not settled").stdout
        self.assertRegex(said, r"run_time +20\d ns +1[67]\d ns")
        self.assertIn("idle_time_7 ", self.expect(0, *compared, "--metric=idle_time_7").stdout)

    def test_what_is_no_deque_no_run_and_no_revision(self):
        self.expect(2, "judging.compare", "chase_lev", "chase_lev", says="against itself tells nothing")
        self.expect(2, "judging.compare", "chase_lv", "lf_bulkk", says="chase_lv is no deque that is built here, no run and no revision")
        self.expect(2, "judging.compare", "a", "b", "c", says="one run or two")
        self.expect(2, "judging.compare", "a", "b", "--budget=soon", says="is no time")


if __name__ == "__main__":
    run_tests()
