#!/usr/bin/python3
"""Trials of the CI job: what is planted is found, and the rest is not; shares and their intervals; what is planted can be planted."""

import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy

from harness.trust import ci_trials
from harness.trust.ci_trials import KINDS, Outcome
from harness.judging.run_folder import Problem
from tests.plots.support import run_tests


class Machine:
    """In place of the job's Bench: pairs as a machine of 1 % noise would give them, 3 % or 5 % by the name of the build; a pair
    takes a second."""

    noise = 0.01

    def __init__(self, _driver, suite, _deque, watched, builds, _scratch, _results):
        self.watched, self.seconds = watched, 0
        names = [Path(build).parent.name for build in builds]
        base, head = (100 if name.startswith("harmless") else int(re.sub(r"\D", "", name) or 100) for name in names)
        self.shift = numpy.log(head / base)
        seed, = {re.search(r"seed=(\d+)$", suite.cells[cell.tag]["settings"]).group(1) for cell in watched}
        self.generator = numpy.random.default_rng([int(seed), base, head])

    @property
    def open(self):
        return [cell for cell in self.watched if not cell.verdict]

    def measure(self, unsound):
        assert unsound
        for cell in self.open:
            logs = cell.logs + list(self.generator.normal(self.shift, self.noise, cell.asked - len(cell.logs)))
            self.seconds += len(logs) - len(cell.logs)
            cell.see(logs, [str(i % 8) for i in range(len(logs))])


class Blind(Machine):
    noise = 5.0


class Trials(unittest.TestCase):
    def outcome(self, name, trials=8, machine=Machine):
        with mock.patch.multiple(ci_trials, Bench=machine, spent=lambda bench: bench.seconds), \
                tempfile.TemporaryDirectory() as folder, mock.patch("builtins.print"), \
                mock.patch.object(ci_trials.tempfile, "TemporaryDirectory", lambda **_: mock.MagicMock(__enter__=lambda _: folder)):
            outcome, = ci_trials.go_through([kind for kind in KINDS if kind.name == name], trials)
        return outcome

    def test_slowdowns_are_found_and_an_improvement_is_none(self):
        for name, alarms in (("push 3 % slower", 8), ("push 5 % slower", 8), ("push 3 % faster", 0), ("fib 5 % slower", 8),
                             ("contention 8 % slower", 8), ("identical", 0)):
            outcome = self.outcome(name)
            self.assertEqual((outcome.trials, outcome.alarms, outcome.undecided), (8, alarms, 0), name)
            self.assertEqual(outcome.verdict, "not denied")
            self.assertEqual(len(set(outcome.ratios)), len(outcome.ratios), "each trial has pairs of its own")

    def test_harmless_forms_take_turns_in_one_share(self):
        outcome = self.outcome("harmless", 21)
        self.assertEqual((outcome.trials, outcome.alarms), (21, 0))
        stealing = {row[2] for row in outcome.rows if row[1] == 4}
        self.assertIn("quicksort-2", stealing)
        self.assertFalse(stealing & ci_trials.TIMES_STEALS, "three instructions in a steal are no harm but to steals")

    def test_a_job_that_finds_nothing_is_denied(self):
        outcome = self.outcome("push 5 % slower", machine=Blind)
        self.assertEqual((outcome.alarms, outcome.undecided, outcome.verdict), (0, 8, "DENIED"))
        # its cell's part of the budget, of a second a pair
        part = ci_trials.BUDGET / len(ci_trials.JOB_CELLS)
        self.assertTrue(all(part <= row[4] < 1.2 * part for row in outcome.rows))

    def test_when_time_is_up_no_trial_begins(self):
        self.assertEqual(ci_trials.go_through(KINDS, 3, until=0), [])


class Shares(unittest.TestCase):
    def test_intervals_are_exact(self):
        low, high = Outcome("", 0.95, 1.0, trials=200, alarms=196).interval()
        self.assertAlmostEqual(low, 0.9496, places=4)  # Clopper, Pearson
        self.assertAlmostEqual(high, 0.9945, places=4)
        self.assertEqual(Outcome("", 0.9, 1.0, trials=200, alarms=200).verdict, "shown")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=0).verdict, "not denied")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=9).verdict, "DENIED")


class Planting(unittest.TestCase):
    def test_all_that_is_tried_can_be_planted(self):
        text, made = Path(ci_trials.HEADER).read_text(encoding="utf-8"), set()
        for kind in KINDS:
            for build in {kind.base, kind.head} - {Path("build")}:
                self.assertEqual(build, ci_trials.TREES / build.parent.name / "build")
                made.add(ci_trials.PLANTED[build.parent.name](text))
        self.assertNotIn(text, made)
        self.assertEqual(len(made), len({build for kind in KINDS for build in (kind.base, kind.head)} - {Path("build")}))
        self.assertEqual(ci_trials.in_another_order(text, 1).count("deque_pop(struct"), 2, "its prototype and itself")
        with self.assertRaisesRegex(Problem, "has changed"):
            ci_trials.with_unused(text.replace(ci_trials.PUSH, ""), 0)


if __name__ == "__main__":
    run_tests()
