#!/usr/bin/python3
"""The rule for a verdict, and how reliable it is: shares of false and of found differences in random comparisons, all seeded."""

import itertools
import math
import unittest

from tests.plots.support import run_tests

import numpy
from harness.judging import statistics as statistics_of
from harness.judging.statistics import verdicts
from harness.judging.statistics.verdicts import BEYOND, NOT_SETTLED, THRESHOLD, WITHIN, claimed


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
    """How often claimed() is wrong, of true ratios inside, at and beyond the edge of what is claimed.

    Inside, "does not hold" is wrong; beyond, "holds" is. At the edge itself either may be wrong, and each is counted."""

    BAND, NOISE = 0.25, 0.08

    def noise(self, random, shape):
        """Of a process; some are disturbed, as the drawn machine's."""
        return numpy.exp(random.normal(0, self.NOISE, shape) + (random.random(shape) < 0.02) * random.uniform(0.1, 0.3, shape))

    def wrong(self, truths, invocations, within, false, times):
        """The share of false verdicts in so many trials. A claim holds if all its ratios do."""
        random, count = numpy.random.default_rng(7), dict.fromkeys(false, 0)
        for _ in range(times):
            reference = list(self.noise(random, invocations))  # all are compared with it
            said = {claimed(list(truth * self.noise(random, invocations)), reference, within)[0] for truth in truths}
            verdict = BEYOND if BEYOND in said else WITHIN if said == {WITHIN} else None
            if verdict in count:
                count[verdict] += 1
        return max(count.values()) / times

    def test_at_most_one_in_twenty_is_wrong(self):
        for invocations, share in itertools.product((6, 10, 20), (0.5, 0.9, 1, 1.1, 2)):
            times, false = (400 if share == 1 else 100), {BEYOND} if share < 1 else {WITHIN} if share > 1 else {BEYOND, WITHIN}
            with self.subTest(invocations=invocations, share=share):
                self.assertLessEqual(self.wrong([1 + self.BAND * share], invocations, self.BAND, false, times), 0.05)
                # "Below 1" is by the threshold: its edge has a width, from 1 / (1 + threshold) to 1.
                for truth in {share, share / (1 + THRESHOLD)} if share == 1 else {share}:
                    false = {BEYOND} if truth < 1 else {WITHIN}
                    self.assertLessEqual(self.wrong([truth], invocations, None, false, times), 0.05)

    def test_what_lies_far_beyond_is_called_with_six_invocations(self):
        random = numpy.random.default_rng(7)
        far = list(2 * self.noise(random, 6))
        self.assertEqual(claimed(far, [1.0] * 6, self.BAND)[0], BEYOND)
        self.assertEqual(claimed([1.24, 1.26, 1.25, 1.3, 1.2, 1.28], [1.0] * 6, self.BAND)[0], NOT_SETTLED)


if __name__ == "__main__":
    run_tests()
