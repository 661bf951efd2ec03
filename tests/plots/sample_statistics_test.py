#!/usr/bin/python3
"""The statistics: known answers, and coverage measured on drawn samples with a fixed seed."""

import math
import unittest

from tests.plots.support import run_tests

import numpy
from plots import statistics as statistics_of
from plots.statistics import samples


class Medians(unittest.TestCase):
    def test_median_of_even_and_odd(self):
        self.assertEqual(statistics_of.median([3, 1, 2]), 2)
        self.assertEqual(statistics_of.median([4, 1, 2, 3]), 2.5)


class Intervals(unittest.TestCase):
    def test_one_value_has_no_interval(self):
        self.assertIsNone(statistics_of.bootstrap_median_interval([5.0]))

    def test_below_six_values_it_is_their_range(self):
        for values in ([3.0, 9.0], [3.0, 4.0, 9.0], [9.0, 3.0, 4.0, 5.0], [3.0, 4.0, 5.0, 6.0, 9.0]):
            self.assertEqual(statistics_of.bootstrap_median_interval(values), (3.0, 9.0), values)

    def test_same_input_same_interval_other_seed_other_draws(self):
        values = list(numpy.random.default_rng(3).lognormal(size=12))
        self.assertEqual(statistics_of.bootstrap_median_interval(values),
                         statistics_of.bootstrap_median_interval(values[::-1]))
        places = samples._resampled_middles
        self.assertFalse(numpy.array_equal(places(12, 100, 1)[0], places(12, 100, 2)[0]))

    def test_agrees_with_a_bootstrap_written_out(self):
        values = numpy.random.default_rng(5).normal(100, 5, 13)
        draws = numpy.random.default_rng(6).choice(values, (20000, 13))
        expected = numpy.quantile(numpy.median(draws, axis=1), (0.025, 0.975))
        for ours, theirs in zip(statistics_of.bootstrap_median_interval(values), expected):
            self.assertAlmostEqual(ours, theirs, delta=0.6)

    def test_coverage_of_the_median(self):
        generator = numpy.random.default_rng(7)
        for count in (9, 15, 25):
            hits = 0
            for _ in range(1500):
                low, high = statistics_of.bootstrap_median_interval(generator.lognormal(0, 0.5, count))
                hits += low <= 1.0 <= high
            self.assertGreater(hits / 1500, 0.91, count)
            self.assertLess(hits / 1500, 0.99, count)

    def test_coverage_of_the_range_is_as_stated(self):
        generator = numpy.random.default_rng(8)
        for count in (2, 3, 5):
            drawn = generator.lognormal(0, 1, (20000, count))
            hits = ((drawn.min(axis=1) <= 1) & (drawn.max(axis=1) >= 1)).mean()
            self.assertAlmostEqual(hits, statistics_of.range_coverage(count), delta=0.012)
        self.assertEqual([statistics_of.range_coverage(count) for count in (0, 1)], [0, 0])


class Comparisons(unittest.TestCase):
    def test_ratio_of_pairs(self):
        ratio, low, high = statistics_of.paired_log_ratio([2, 4, 6], [1, 2, 3])
        for value in (ratio, low, high):
            self.assertAlmostEqual(value, 2.0)

    def test_pairing_removes_what_both_sides_share(self):
        drift = numpy.exp(numpy.random.default_rng(9).normal(0, 0.5, 11))
        ratio, low, high = statistics_of.paired_log_ratio(1.05 * drift, drift)
        self.assertAlmostEqual(ratio, 1.05)
        self.assertAlmostEqual(high - low, 0)

    def test_swapping_the_sides_inverts_the_ratio(self):
        a, b = [1.0, 1.1, 1.3, 0.9, 1.2], [1.2, 1.0, 1.1, 1.0, 1.4]
        forward, backward = statistics_of.paired_log_ratio(a, b), statistics_of.paired_log_ratio(b, a)
        self.assertAlmostEqual(forward[0] * backward[0], 1)
        self.assertAlmostEqual(forward[1] * backward[2], 1)

    def test_one_pair_has_no_interval(self):
        self.assertEqual(statistics_of.paired_log_ratio([3], [2]), (math.exp(math.log(1.5)), None, None))

    def test_unequal_sides_are_refused(self):
        self.assertRaises(ValueError, statistics_of.paired_log_ratio, [1, 2], [1])


if __name__ == "__main__":
    run_tests()
