#!/usr/bin/python3
"""results/settings.csv, which claims and comparisons use, agrees with the built executables' descriptions."""

import re
import unittest

from harness.judging.defaults import COLUMNS, FILE, ROOT, all_defaults, described
from harness.judging.run_folder import table_rows
from tests.plots.support import run_tests


class Defaults(unittest.TestCase):
    def test_the_table_is_what_is_described(self):
        kept, found = {tuple(row.values()) for row in table_rows(FILE, COLUMNS)}, set(described())
        if not found:
            self.skipTest("left out: nothing is built")
        deques = {row for row in kept if row[0].startswith("deque/")}  # of which some may not be built
        self.assertEqual(kept - deques, {row for row in found if not row[0].startswith("deque/")},
                         "python3 -m harness.judging.defaults renews it")
        self.assertLessEqual(found, kept)

    def test_no_deque_calls_its_mode_as_a_workload_calls_a_setting(self):
        """A suite that sets it would set both: it is refused."""
        modes = {name for path in (ROOT / "queues").rglob("*.h")
                 for name in re.findall(r'\.mode = "(\w+)"', path.read_text(encoding="utf-8"))}
        settings = {name for workload, some in all_defaults().items() if not workload.startswith("deque/") for name in some}
        self.assertIn("walk", modes)
        self.assertEqual(modes & settings, set())


if __name__ == "__main__":
    run_tests()
