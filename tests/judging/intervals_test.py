#!/usr/bin/python3
"""The statistics: known answers."""

import unittest

from tests.plots.support import run_tests

from harness.judging import statistics as statistics_of


class Intervals(unittest.TestCase):
    def test_ranks_are_those_of_the_tables(self):
        """Conover: Practical Nonparametric Statistics (1999), table A3. The driver's are tested by the same."""
        for count, rank in ((6, 1), (7, 1), (8, 1), (9, 2), (10, 2), (11, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10), (50, 18),
                            (100, 40)):
            self.assertEqual(statistics_of.median_interval(range(1, count + 1)), (rank, count + 1 - rank), count)

    def test_the_least_number_whose_range_is_an_interval(self):
        """1 - 2^(1-n) is 0.9375 for five, 0.96875 for six, 0.9921875 for eight."""
        self.assertEqual([statistics_of.least_pairs(confidence) for confidence in (0.9, 0.95, 0.99)], [5, 6, 8])


if __name__ == "__main__":
    run_tests()
