#!/usr/bin/python3
"""results/settings.csv, by which claims and comparisons judge, is what the built executables say of themselves."""

import unittest

from plots.data.defaults import COLUMNS, FILE, described
from plots.data.run_folder import table_rows
from tests.plots.support import run_tests


class Defaults(unittest.TestCase):
    def test_the_table_is_what_is_described(self):
        kept, found = {tuple(row.values()) for row in table_rows(FILE, COLUMNS)}, set(described())
        if not found:
            self.skipTest("left out: nothing is built")
        deques = {row for row in kept if row[0] == "*"}  # of which some may not be built
        self.assertEqual(kept - deques, {row for row in found if row[0] != "*"}, "python3 -m plots.data.defaults renews it")
        self.assertLessEqual(found, kept)


if __name__ == "__main__":
    run_tests()
