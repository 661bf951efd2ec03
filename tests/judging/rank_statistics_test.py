#!/usr/bin/python3
"""Tests by ranks, drift and false discoveries: against scipy, against every possible case, and against published examples."""

import itertools
import unittest

from tests.plots.support import run_tests

import numpy
from harness.judging import statistics as statistics_of
from scipy import stats

# Darwin's maize, crossed less self-fertilised, in eighths of an inch (Fisher: The Design of Experiments, 1935).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# Treatments of myocardial infarction (Benjamini, Hochberg 1995, section 4.1): four are called at 5 %.
INFARCTION = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
              0.7590, 1.000]


class SignedRank(unittest.TestCase):
    def test_published_example(self):
        self.assertEqual(statistics_of.signed_rank(MAIZE), (24.0, 0.041259765625))

    def test_as_scipy_has_it_exact_and_approximate(self):
        generator = numpy.random.default_rng(11)
        for count in (1, 2, 5, 6, 9, 20, 50, 51, 120):
            values = generator.normal(0.2, 1, count)
            expected = stats.wilcoxon(values, mode="exact" if count <= 50 else "approx", correction=count > 50)
            for ours, theirs in zip(statistics_of.signed_rank(values), expected):
                self.assertAlmostEqual(ours, theirs, msg=count)

    def test_equal_ranks_are_exact_too(self):
        values = [1, 1, 2, -2, 3, 3, -1, 2]
        ranks = stats.rankdata(numpy.abs(values))
        sums = [sum(r for r, up in zip(ranks, signs) if up) for signs in itertools.product((0, 1), repeat=8)]
        least = min(sum(r for r, v in zip(ranks, values) if v > 0), sum(r for r, v in zip(ranks, values) if v < 0))
        self.assertEqual(statistics_of.signed_rank(values), (least, 2 * sum(s <= least for s in sums) / 256))

    def test_pairs_without_a_difference_say_nothing(self):
        self.assertEqual(statistics_of.signed_rank([0, 0, 0]), (0.0, 1.0))
        self.assertEqual(statistics_of.signed_rank([0, *MAIZE, 0]), statistics_of.signed_rank(MAIZE))


class FalseDiscoveries(unittest.TestCase):
    def test_published_example(self):
        adjusted = statistics_of.benjamini_hochberg(INFARCTION)
        self.assertEqual(sum(p <= 0.05 for p in adjusted), 4)
        self.assertEqual(sum(p <= 0.05 / 15 for p in INFARCTION), 3)  # Bonferroni's, in the same section
        self.assertAlmostEqual(adjusted[3], 0.0095 * 15 / 4)

    def test_the_step_up_rule_written_out(self):
        ps = list(numpy.random.default_rng(12).uniform(0, 1, 40) ** 3)
        for q in (0.01, 0.05, 0.2):
            last = max((k for k, p in enumerate(sorted(ps), 1) if p <= q * k / 40), default=0)
            called = sorted(ps)[:last]
            self.assertEqual(sorted(p for p, a in zip(ps, statistics_of.benjamini_hochberg(ps)) if a <= q), called)

    def test_of_none_and_of_one(self):
        self.assertEqual(statistics_of.benjamini_hochberg([]), [])
        self.assertEqual(statistics_of.benjamini_hochberg([0.03]), [0.03])


class Drifts(unittest.TestCase):
    def test_a_step_is_found_at_its_place(self):
        found = statistics_of.drift([1.00, 1.01, 0.99, 1.00, 1.10, 1.12, 1.11, 1.09, 1.10, 1.11])
        self.assertEqual(found.place, 4)
        self.assertAlmostEqual(found.change, 1.105, delta=0.01)
        self.assertLess(found.p, 0.05)

    def test_a_trend_is_found(self):
        found = statistics_of.drift([1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(found.tau, 1)
        self.assertAlmostEqual(found.p, 4 / 5040)

    def test_a_step_is_as_rare_as_among_all_orders(self):
        values = [3, 4, 2, 1, 7, 6, 5]
        largest = max(abs(2 * stats.mannwhitneyu(values[:t], values[t:]).statistic - t * (7 - t)) for t in range(1, 7))
        orders = numpy.array(list(itertools.permutations(range(1, 8))))
        before = numpy.arange(1, 7)
        every = numpy.abs(2 * orders.cumsum(axis=1)[:, :-1] - before * 8).max(axis=1)
        place, p = statistics_of.change_point(values)
        self.assertEqual(place, 4)
        self.assertAlmostEqual(p, (every >= largest).mean(), delta=0.02)

    def test_without_drift_it_is_rarely_called(self):
        generator = numpy.random.default_rng(14)
        called = sum(statistics_of.drift(list(generator.lognormal(0, 0.02, 9))).p < 0.05 for _ in range(600))
        self.assertLess(called / 600, 0.07)
        self.assertIsNone(statistics_of.drift([2.0, 2.0, 2.0]))
        self.assertIsNone(statistics_of.drift([2.0]))


if __name__ == "__main__":
    run_tests()
