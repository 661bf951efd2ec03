#!/usr/bin/python3
"""The rule for a verdict, and how reliable it is: shares of false and of found differences in random comparisons, all seeded."""

import math
import unittest

from tests.plots.support import run_tests

import numpy
from harness.judging import statistics as statistics_of
from harness.judging.statistics import verdicts
from harness.judging.statistics.verdicts import BEYOND, NOT_SETTLED, WITHIN, claimed


class Rule(unittest.TestCase):
    def verdict(self, ratio, low, high, pairs=9, **settings):
        return verdicts.Judgement(ratio, low, high, pairs, **settings).verdict

    def test_each_condition(self):
        for ratio, low, high, expected in [(1.05, 1.03, 1.08, "slower"), (0.93, 0.90, 0.95, "faster"),
                                           (1.05, 1.01, 1.08, "slower"), (1.03, 0.99, 1.05, "not settled"),
                                           (1.015, 1.005, 1.03, "not settled"), (1.0, 0.99, 1.01, "not told apart"),
                                           (1.01, 1.001, 1.019, "not told apart"), (1.0, 0.9, 1.1, "not settled"),
                                           # the interval does not contain 1, the ratio is within the threshold
                                           (0.985, 0.95, 0.995, "not settled"), (1.015, 1.005, 1.05, "not settled"),
                                           (0.97, 0.95, 0.995, "faster"), (1.03, 1.005, 1.05, "slower")]:
            self.assertEqual(self.verdict(ratio, low, high), expected, (ratio, low, high))
        self.assertEqual(self.verdict(1.05, 1.03, 1.08, threshold=0.1), "not told apart")

    def test_what_every_pair_shows_is_called(self):
        nine = [1.12, 1.25, 1.17, 1.14, 1.21, 1.15, 1.23, 1.19, 1.13]
        machine = [1.0, 1.4, 0.9, 1.2, 1.6, 0.8, 1.1, 1.3, 0.7]  # drift that an unpaired test takes for noise
        self.assertEqual(statistics_of.judge([r * m for r, m in zip(nine, machine)], machine).verdict, "slower")
        self.assertEqual(statistics_of.judge(machine, [r * m for r, m in zip(nine, machine)]).verdict, "faster")

    def test_below_six_pairs_there_is_no_verdict(self):
        for pairs, expected in [(1, "not settled"), (5, "not settled"), (6, "slower")]:
            self.assertEqual(statistics_of.judge([2.0 + i / 100 for i in range(pairs)], [1.0] * pairs).verdict, expected)
        self.assertEqual(statistics_of.judge([1.0] * 5, [1.0] * 5).verdict, "not settled")
        self.assertEqual(statistics_of.judge([1.0] * 6, [1.0] * 6).verdict, "not told apart")

    def test_invocations_are_paired_by_their_numbers(self):
        a, b = {i: 2.0 + i for i in range(9)}, {i: 1.0 + i / 2 for i in range(2, 12)}
        self.assertEqual(statistics_of.judge_invocations(a, b).pairs, 7)
        self.assertAlmostEqual(statistics_of.judge_invocations(a, b).ratio, 2)
        self.assertIsNone(statistics_of.judge_invocations({0: 1.0}, {1: 1.0}))
        self.assertIsNone(statistics_of.judge_invocations({0: 0.0}, {0: 1.0}))
        few = {i: a[i] for i in range(5)}
        self.assertEqual(statistics_of.verdicts_on([(a, b), (a, a), (a, few)]), ["slower", "not told apart", None])


class Simulated(unittest.TestCase):
    """2,000 comparisons of equal sides and 60 in which A is 3 % slower, from a distribution with heavy tails. docs/results.md
    quotes these numbers."""

    def called(self, noise, pairs):
        """(how many of the equal ones are called different, how many of the slower ones are found)"""
        generator = numpy.random.default_rng(1)
        logs = generator.standard_t(4, (2060, pairs)) * noise / 2 ** 0.5
        logs[2000:] += math.log(1.03)
        verdicts = [statistics_of.judge(list(row), [1.0] * pairs).verdict for row in numpy.exp(logs)]
        return sum(verdict in statistics_of.DIFFERENT for verdict in verdicts[:2000]), verdicts[2000:].count("slower")

    def test_how_many_are_called(self):
        """Adjusted for all comparisons of a run (Benjamini, Hochberg), 6 pairs found none of the 60, and 20 at 3 % noise 48."""
        for noise, pairs, equal, slower in ((0.01, 6, 1, 59), (0.03, 6, 21, 26), (0.03, 12, 12, 51), (0.03, 20, 3, 58), (0.08, 6, 55, 8)):
            self.assertEqual(self.called(noise, pairs), (equal, slower), (noise, pairs))


class Claims(unittest.TestCase):
    def test_a_claim_holds_fails_or_is_not_settled(self):
        """Claimed is a ratio no more than 25 % from 1, or (None) one below 1."""
        for least, most, within, verdict in [
                (1.2, 1.24, 0.25, WITHIN), (0.81, 1.24, 0.25, WITHIN), (1.26, 9, 0.25, BEYOND), (0.1, 0.79, 0.25, BEYOND),
                (1.24, 1.26, 0.25, NOT_SETTLED), (0.79, 0.81, 0.25, NOT_SETTLED),
                (0.5, 0.97, None, WITHIN), (0.985, 9, None, BEYOND), (0.975, 0.99, None, NOT_SETTLED), (0.5, 1.1, None, NOT_SETTLED)]:
            ratios = [least] * 3 + [most] * 3
            self.assertEqual(claimed(ratios, [1.0] * 6, within)[0], verdict, (least, most, within))
            self.assertEqual(claimed(ratios[:5], [1.0] * 5, within)[0], NOT_SETTLED)


if __name__ == "__main__":
    run_tests()
