#!/usr/bin/python3
"""A decision that may be taken at any time: the value of a bet, and the shares of false and of found slowdowns in random
pairs, all seeded."""

import math
import unittest

import numpy

from harness.judging import statistics as statistics_of
from tests.plots.support import run_tests

LOOKS = [*range(6, 20, 2), *range(20, 61, 5)]


class Evidence(unittest.TestCase):
    def test_it_is_a_fair_bet(self):
        """Over all signs of pairs of these sizes, which are equally likely where the builds do not differ, it is 1."""
        sizes = [0.01, 0.3, 0.02, 0.05, 0.002, 0.01, 1.5, 0.03]
        worth = [statistics_of.evidence([size * (1 if signs >> i & 1 else -1) for i, size in enumerate(sizes)])
                 for signs in range(2 ** len(sizes))]
        self.assertAlmostEqual(numpy.mean(worth), 1, places=6)

    def test_no_unit_and_no_outlier_matters(self):
        logs = [0.02, 0.05, -0.01, 0.04, 0.03, 0.06]
        self.assertAlmostEqual(statistics_of.evidence(logs), statistics_of.evidence([1000 * log for log in logs]))
        self.assertAlmostEqual(statistics_of.evidence([*logs, 5.0]) / statistics_of.evidence([*logs, 500.0]), 1, places=6)
        self.assertGreater(statistics_of.evidence([*logs, 5.0]), statistics_of.evidence(logs))
        self.assertEqual(statistics_of.evidence([0.0] * 9), 1)

    def test_disturbed_pairs_take_little_from_those_that_agree(self):
        """Ten of twenty pairs are close to 2 %, the others anywhere: this shows more than the sizes alone."""
        generator = numpy.random.default_rng(20)
        worth = []
        for _ in range(40):
            logs = [*generator.normal(0.02, 0.003, 10), *generator.normal(0, 0.2, 10)]
            worth.append(math.log(statistics_of.evidence([float(log) for log in generator.permutation(logs)])))
        self.assertGreater(numpy.median(worth), math.log(20))


class Decisions(unittest.TestCase):
    def test_false_alarms_whatever_the_noise(self):
        """Evidence of 20 at any of these looks, the threshold aside: in at most 5 of 100. Where the head is faster, too: noise that is
        rarer the larger it is, and noise of two states between which each side hops."""
        generator = numpy.random.default_rng(21)
        for draw in (lambda n: generator.normal(0, 0.05, n), lambda n: 0.05 * generator.standard_t(1.5, n),
                     lambda n: generator.choice([-1, 1], n) * generator.choice([0.01, 0.5], n, p=[0.95, 0.05]),
                     lambda n: generator.normal(-0.01, 0.03, n), lambda n: -0.02 + 0.05 * generator.standard_t(2, n),
                     lambda n: generator.normal(-0.02, 0.002, n) + generator.choice([-0.03, 0, 0, 0.03], n),
                     lambda n: generator.normal(-0.02, 0.002, n) + generator.choice([-0.025, 0, 0, 0.025], n)):
            false = sum(any(statistics_of.evidence(list(logs[:n])) >= 20 for n in LOOKS)
                        for logs in (draw(LOOKS[-1]) for _ in range(120)))
            self.assertLessEqual(false / 120, 0.05)

    def test_the_interval_covers_at_all_times_at_once(self):
        generator, missed = numpy.random.default_rng(26), 0
        for _ in range(40):
            logs = generator.normal(math.log(1.1), 0.05, 40)
            looks = [statistics_of.decide(list(logs[:n])) for n in (8, 12, 20, 40)]
            missed += any(not look.low <= 1.1 <= look.high for look in looks)
            self.assertTrue(all(look.low <= look.ratio <= look.high for look in looks))
        self.assertLessEqual(missed, 3)
        self.assertLess(looks[-1].high / looks[-1].low, 1.1)

    def test_too_few_pairs_and_pairs_without_spread(self):
        self.assertEqual(statistics_of.decide([0.5] * 5).verdict, statistics_of.MEASURE_ON)
        self.assertEqual(statistics_of.decide([0.125] * 6, alpha=1 / 16).verdict, "slower")
        self.assertEqual(statistics_of.decide([-0.125] * 8).verdict, "faster")
        self.assertEqual(statistics_of.decide([0.0] * 8).verdict, statistics_of.MEASURE_ON)  # worth 97 of the 100 that it takes
        self.assertEqual(statistics_of.decide([0.0] * 9).verdict, "not told apart")

    def test_not_slower_is_not_yet_alike(self):
        """A side that is a tenth faster is not slower; nor is it equal, nor is one that may be faster."""
        passed = statistics_of.decide([-0.1] * 9, alpha=1e-9)
        self.assertEqual((passed.verdict, round(passed.ratio, 3)), ("not slower", 0.905))
        few = [0.0, 0.001, -0.03, 0.002, -0.001, -0.04, 0.001, 0.0, -0.002, 0.001, 0.0, 0.001]
        decided = statistics_of.decide(few)
        self.assertEqual(decided.verdict, "not slower")
        self.assertFalse(statistics_of.alike(decided.low, decided.high))
        many = statistics_of.decide([0.001, -0.001] * 10)
        self.assertEqual(many.verdict, "not told apart")
        self.assertTrue(1 / 1.02 <= many.low and many.high <= 1.02)


if __name__ == "__main__":
    run_tests()
