#!/usr/bin/python3
"""The gate's own trials: blocks of a series, which goes on where it ended; shares and their intervals; what is planted can be
planted; compare's rule on the same pairs."""

import math
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy

from trust import gate_trials, pair_series
from trust.gate_trials import KINDS, Outcome, Progress, Suite
from trust.pair_series import LEAST, Pair, TimeIsUp, same_conditions
from plots.data.run_folder import Problem
from gate.measuring import Side
from tests.plots.support import run_tests

SUITES = Suite("suites/gate.suite"), Suite(gate_trials.TRIALS_SUITE)


class Machine:
    """In place of the driver: pairs as a machine of 1 % noise would give them, 3 % or 5 % by the name of the build; a pair
    takes a second."""

    noise, calls = 0.01, 0

    def __init__(self, _driver, suite, deque, watched, builds, _scratch, results):
        self.suite, self.deque, self.watched, self.results, self.name = suite, deque, watched, results, deque
        names = [Path(build).parent.name for build in builds]
        self.steps = [100 if name.startswith("harmless") else int(re.sub(r"\D", "", name) or 100) for name in names]

    def measure(self, unsound=False):
        assert unsound
        type(self).calls += 1
        Machine.latest = self
        seeds = {re.search(r"seed=(\d+)$", self.suite.cells[cell.tag]["settings"]).group(1) for cell in self.watched}
        generator = numpy.random.default_rng([int(seeds.pop()), *self.steps])
        self.found = {}
        for cell in self.watched:
            judged = pair_series.JUDGED.get(self.suite.cells[cell.tag]["workload"], pair_series.POOLED)
            rate = judged[1] == "owner_operations"
            for side, slower in (("base", 1.0), ("head", self.steps[1] / self.steps[0])):
                drawn = slower * numpy.exp(generator.normal(0, self.noise, cell.asked))
                one = Side()
                one.values[judged] = dict(enumerate(1e6 / drawn if rate else drawn))
                one.values["process", "invocation_time"] = dict.fromkeys(range(cell.asked), 0.5)
                one.units[judged] = "operations/s" if rate else "ns"
                one.codes = {i: str(i % 8) for i in range(cell.asked)}
                self.found[cell.tag, f"{side}/{self.deque}"] = one
            cell.see([0.0] * cell.asked)


class Blind(Machine):
    noise = 5.0


class WithMachine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.on(Machine)
        for name, put in (("measured", lambda _: Machine.latest.found), ("tempfile", mock.Mock(wraps=tempfile))):
            patch = mock.patch.object(pair_series, name, put)
            patch.start()
            self.addCleanup(patch.stop)
        pair_series.tempfile.TemporaryDirectory = lambda **_: tempfile.TemporaryDirectory(dir=self.folder)

    def on(self, machine):
        patch = mock.patch.object(pair_series, "Bench", machine)
        patch.start()
        self.addCleanup(patch.stop)
        machine.calls = 0

    def timed(self, name, budget=600):
        return self.all_timed(name, budget)[0]

    def all_timed(self, name, budget=600):
        kinds = [kind for kind in KINDS if kind.name == name]
        serieses = gate_trials.open_series(self.folder, kinds, SUITES, math.inf)
        return gate_trials.open_timed(kinds, serieses, SUITES, budget)


class Trials(WithMachine):
    def outcome(self, name, trials=8, **options):
        timed = self.timed(name, **options)
        for _ in range(trials):
            timed.next()
        return timed.outcome

    def test_slowdowns_are_found_and_an_improvement_is_none(self):
        for name, alarms in (("push 3 % slower", 8), ("push 5 % slower", 8), ("push 3 % faster", 0), ("fib 5 % slower", 8), ("contention 8 % slower", 8),
                             ("identical", 0)):
            outcome = self.outcome(name)
            self.assertEqual((outcome.alarms, outcome.undecided), (alarms, 0), name)
            self.assertEqual(outcome.verdict, "not denied")

    def test_compare_finds_either_way_and_rarely_calls_identical_builds_different(self):
        for name, alarms in (("compare: push 5 % slower", 8), ("compare: push 3 % faster", 8), ("compare: identical", 0)):
            self.assertEqual(self.outcome(name).alarms, alarms, name)

    def test_harmless_forms_take_turns_in_one_share(self):
        timed = self.all_timed("harmless")
        self.assertEqual((len(timed), len({id(one.outcome) for one in timed})), (20, 1))
        gate_trials.go_through(timed, 25, mock.Mock())
        self.assertEqual((timed[0].outcome.trials, timed[0].outcome.alarms), (25, 0))
        self.assertEqual([len({row[1] for row in one.rows}) for one in timed], [2] * 5 + [1] * 15)
        stealing = {row[2] for row in timed[3].rows}
        self.assertIn("quicksort-2", stealing)
        self.assertFalse(stealing & gate_trials.TIMES_STEALS, "three instructions in a steal are no harm but to steals")

    def test_pairs_know_their_code(self):
        series = self.timed("push 3 % slower").series
        series.have({"push": LEAST})
        self.assertEqual({pair.code for pair in series.pairs["push"]}, set("01234567"))
        self.assertEqual(self.timed("push 3 % slower").series.pairs, series.pairs)
        self.assertEqual(series.pairs["push"][0].exchanged().code, series.pairs["push"][0].code)

    def test_a_gate_that_finds_nothing_is_denied(self):
        self.on(Blind)
        outcome = self.outcome("push 5 % slower", budget=300)
        self.assertEqual((outcome.alarms, outcome.undecided, outcome.verdict), (0, 8, "DENIED"))
        # its cell's part of the budget is 27 s, of a second a pair
        self.assertLess(outcome.pairs / outcome.trials, 40)

    def test_no_pair_is_in_two_trials_and_none_is_left_out(self):
        timed = self.timed("identical")
        seen = {tag: [] for tag in timed.starts}
        watched = gate_trials.Watched

        def noted(*arguments, **options):
            cell = watched(*arguments, **options)
            seen[cell.tag].append(cell)
            return cell
        with mock.patch.object(gate_trials, "Watched", noted):
            for _ in range(3):
                timed.next()
        for tag, cells in seen.items():
            logs = [log for cell in cells for log in cell.logs]
            self.assertEqual(logs, [pair.log for pair in timed.series.pairs[tag][:len(logs)]], tag)
            self.assertEqual(timed.starts[tag], len(logs))

    def test_a_series_goes_on_where_it_ended(self):
        first = self.timed("push 3 % slower")
        for _ in range(4):
            first.next()
        calls = Machine.calls
        again = self.timed("push 3 % slower")
        for _ in range(4):
            again.next()
        self.assertEqual(Machine.calls, calls)  # nothing was measured again
        self.assertEqual(again.rows, first.rows)
        self.assertEqual(again.series.pairs, first.series.pairs)
        while Machine.calls == calls:
            again.next()
        logs = [pair.log for pair in again.series.pairs["push"]]
        self.assertEqual(len(set(logs)), len(logs))  # new pairs, of another seed

    def test_a_torn_line_is_left_out_and_ruins_none_after_it(self):
        series = self.timed("push 3 % slower").series
        series.have({"push": LEAST})
        with open(series.file, "a", encoding="utf-8") as file:
            file.write("2,push,1.0,1.")
        torn = self.timed("push 3 % slower").series
        self.assertEqual(torn.pairs, series.pairs)
        torn.have({"push": 2 * LEAST})
        self.assertEqual(self.timed("push 3 % slower").series.pairs, torn.pairs)
        self.assertEqual(len(torn.pairs["push"]), 2 * LEAST)

    def test_when_time_is_up_nothing_is_measured_and_what_is_there_is_tried(self):
        timed = self.timed("push 3 % slower")
        timed.series.until = -math.inf
        with self.assertRaises(TimeIsUp):
            timed.next()
        self.assertEqual((timed.outcome.trials, Machine.calls), (0, 0))

    def test_other_builds_are_another_series(self):
        same_conditions(self.folder, dict(budget=1, machine="a"))
        same_conditions(self.folder, dict(budget=1, machine="a", more=2))
        with self.assertRaisesRegex(Problem, "begun with another machine"):
            same_conditions(self.folder, dict(machine="b"))

    def test_one_pair_for_both_orders(self):
        pair = Pair(10.0, 11.0, "ns", 1.0, 0.0)
        self.assertAlmostEqual(pair.log, math.log(1.1))
        self.assertAlmostEqual(pair.exchanged().log, -math.log(1.1))
        rate = Pair(10.0, 11.0, "operations/s", 1.0, 0.0)
        self.assertAlmostEqual(rate.log, -math.log(1.1))


class Shares(unittest.TestCase):
    def test_intervals_are_exact(self):
        low, high = Outcome("", 0.95, 1.0, trials=200, alarms=196).interval()
        self.assertAlmostEqual(low, 0.9496, places=4)  # Clopper, Pearson
        self.assertAlmostEqual(high, 0.9945, places=4)
        self.assertEqual(Outcome("", 0.9, 1.0, trials=200, alarms=200).verdict, "shown")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=0).verdict, "not denied")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=9).verdict, "DENIED")

    def test_what_is_left_is_told(self):
        progress = Progress({"a": 10, "b": 10})
        with mock.patch.object(gate_trials.sys, "stderr") as out, mock.patch("builtins.print") as said:
            out.isatty.return_value = False
            progress.say(Outcome("a", 0, 1, trials=1), 600)
            progress.say(Outcome("b", 0, 1, trials=2), 0.1)  # was there already
        self.assertIn("a: trial 1 of 10, 0 alarms; about 1:30 h left", said.call_args_list[0].args[0])
        self.assertIn("b: trial 2 of 10", said.call_args_list[1].args[0])


class Planting(unittest.TestCase):
    def test_all_that_is_tried_can_be_planted(self):
        text, made = Path(gate_trials.HEADER).read_text(encoding="utf-8"), set()
        for kind in KINDS:
            for build in {kind.base, kind.head} - {Path("build")}:
                self.assertEqual(build, gate_trials.TREES / build.parent.name / "build")
                made.add(gate_trials.PLANTED[build.parent.name](text))
        self.assertNotIn(text, made)
        self.assertEqual(len(made), len({build for kind in KINDS for build in (kind.base, kind.head)} - {Path("build")}))
        self.assertEqual(gate_trials.in_another_order(text, 1).count("deque_pop(struct"), 2, "its prototype and itself")
        with self.assertRaisesRegex(Problem, "has changed"):
            gate_trials.with_unused(text.replace(gate_trials.PUSH, ""), 0)

    def test_a_tree_is_made_once_and_keeps_what_was_built_of_it(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(gate_trials, "COPIED", ["queues"]):
            tree = gate_trials.tree_with("push_103", folder)
            self.assertIn("PLANTED_STEPS 103", (tree / gate_trials.HEADER).read_text(encoding="utf-8"))
            (tree / "build/deques").mkdir(parents=True)
            (tree / "build/deques/chase_lev").touch()
            times = {file: file.stat().st_mtime_ns for file in tree.rglob("*") if file.is_file()}
            self.assertEqual(gate_trials.tree_with("push_103", folder), tree)
            self.assertEqual({file: file.stat().st_mtime_ns for file in tree.rglob("*") if file.is_file()}, times)


if __name__ == "__main__":
    run_tests()
