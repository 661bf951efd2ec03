#!/usr/bin/python3
"""The gate's own trials: what is planted can be planted, shares and their intervals, and a gate that is as good as blind."""

import math
import re
import unittest
from pathlib import Path
from unittest import mock

import numpy

from harness.trust import gate_trials
from harness.trust.gate_trials import COUNTED, KINDS, Outcome, Suite
from tests.plots.support import run_tests


class Drawn:
    """In place of a Bench: pairs as a machine of 1 % noise would give them; 3 % or 5 % by the name of the build."""

    def __init__(self, _driver, _suite, _deque, watched, builds, _scratch, _results):
        self.watched = watched
        steps = [int(re.sub(r"\D", "", Path(build).name) or 100) for build in builds]
        self.slower = {cell.tag: steps[1] / steps[0] if cell.tag in ("push", "fib") else 1.0 for cell in watched}
        self.generator = numpy.random.default_rng(steps[0] + steps[1])

    @property
    def open(self):
        return [cell for cell in self.watched if not cell.verdict]

    def measure(self, _unsound=False):
        for cell in self.open:
            cell.see(cell.logs + list(self.generator.normal(math.log(self.slower[cell.tag]), self.noise,
                                                            cell.asked - len(cell.logs))))

    noise = 0.01


class Blind(Drawn):
    noise = 5.0


class Trials(unittest.TestCase):
    def outcome(self, name, bench, trials=8, budget=60):
        suites = Suite("suites/gate.suite"), Suite(gate_trials.TRIALS_SUITE)
        kind = next(kind for kind in KINDS if kind.name == name)
        with mock.patch.object(gate_trials, "Bench", bench):
            return gate_trials.try_kind(kind, suites, trials, budget, None)

    def test_slowdowns_are_found_and_an_improvement_is_none(self):
        for name, alarms in (("push 3 % slower", 8), ("push 5 % slower", 8), ("push 3 % faster", 0), ("fork 5 % slower", 8)):
            outcome = self.outcome(name, Drawn)
            self.assertEqual((outcome.alarms, outcome.elsewhere, outcome.undecided), (alarms, 0, 0), name)
            self.assertEqual(outcome.verdict, "not denied")

    def test_a_gate_that_finds_nothing_is_denied(self):
        outcome = self.outcome("push 5 % slower", Blind, budget=0.1)
        self.assertEqual((outcome.alarms, outcome.undecided, outcome.verdict), (0, 8, "DENIED"))

    def test_intervals_are_exact(self):
        low, high = Outcome("", 0.95, 1.0, trials=200, alarms=196).interval()
        self.assertAlmostEqual(low, 0.9496, places=4)  # Clopper, Pearson
        self.assertAlmostEqual(high, 0.9945, places=4)
        self.assertEqual(Outcome("", 0.9, 1.0, trials=200, alarms=200).verdict, "shown")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=0).verdict, "not denied")
        self.assertEqual(Outcome("", 0.0, 0.01, trials=200, alarms=9).verdict, "DENIED")

    def test_what_is_counted_can_be_planted(self):
        text = Path("queues/chase_lev.h").read_text(encoding="utf-8")
        for name, (found, put) in COUNTED.items():
            self.assertEqual(text.count(found), 1, name)
            self.assertNotEqual(found, put)

    def test_the_makefile_builds_what_is_tried(self):
        makefile = Path("Makefile").read_text(encoding="utf-8")
        for kind in KINDS:
            for build in (kind.base, kind.head):
                what, _, steps = build.name.partition("_")
                if build.parent == gate_trials.BUILDS:
                    self.assertIn(steps, re.search(rf"^TRUST_GATE_{what.upper()} := (.*)", makefile, re.M).group(1).split())


if __name__ == "__main__":
    run_tests()
