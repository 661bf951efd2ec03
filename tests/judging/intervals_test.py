#!/usr/bin/python3
"""The statistics: known answers, and coverage measured on drawn samples with a fixed seed."""

import math
import unittest

from tests.plots.support import run_tests

import numpy
from harness.judging import statistics as statistics_of


class Intervals(unittest.TestCase):
    def test_ranks_are_those_of_the_tables(self):
        """Conover: Practical Nonparametric Statistics (1999), table A3. The driver's are tested by the same."""
        for count, rank in ((6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10), (50, 18), (100, 40)):
            self.assertEqual(statistics_of.median_interval(range(1, count + 1)), (rank, count + 1 - rank), count)

    def test_it_covers_the_median_as_often_as_stated(self):
        """docs/measuring.md states these."""
        generator, found = numpy.random.default_rng(7), []
        for count in range(6, 13):
            ends = [statistics_of.median_interval(values) for values in generator.lognormal(0, 0.5, (4000, count))]
            found.append(sum(low <= 1 <= high for low, high in ends) / len(ends))
        self.assertGreater(min(found), 0.95)
        self.assertLess(max(found), 0.995)

    def test_the_least_number_whose_range_is_an_interval(self):
        """1 - 2^(1-n) is 0.9375 for five, 0.96875 for six, 0.9921875 for eight."""
        self.assertEqual([statistics_of.least_pairs(confidence) for confidence in (0.9, 0.95, 0.99)], [5, 6, 8])


class Comparisons(unittest.TestCase):
    def test_one_pair_has_no_interval(self):
        self.assertEqual(statistics_of.paired_log_ratio([3], [2]), (math.exp(math.log(1.5)), None, None))


if __name__ == "__main__":
    run_tests()
