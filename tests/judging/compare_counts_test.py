#!/usr/bin/python3
"""Which changed counts fail (harness/judging/counts/compare_counts.py)."""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.plots.support import run_tests

COMPARE = Path(__file__).resolve().parents[2] / "harness" / "judging" / "counts" / "compare_counts.py"
FILES = {"counts.csv": {"calls": 9, "loads": 2, "transfers": 0.97}, "plain-gcc.csv": {"plain": 2, "lines": 4},
         "instructions-gcc.csv": {"instructions": 15}}


def write(folder, changed, situations, outcome="ok", rule="exact"):
    """The three files of one build: a row for a steal in each situation, with the counts above but for those changed."""
    folder.mkdir()
    for name, counts in FILES.items():
        rows = ["callgrind"] if name.startswith("instructions") else situations
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [("deque", "operation", "situation", "outcome", "rule", *counts)] +
                [("mine", "steal", row, outcome, rule, *(changed.get(word, old) for word, old in counts.items()))
                 for row in rows])


def compare(situations=("alone",), before=("alone",), rows=(), **changed):
    """Exit code and output for a build with these counts changed, against one without."""
    with tempfile.TemporaryDirectory() as folder:
        now, baseline = Path(folder) / "now", Path(folder) / "before"
        write(baseline, {}, before, *rows)
        write(now, changed, situations, *rows)
        done = subprocess.run([sys.executable, COMPARE, now, baseline], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Counts(unittest.TestCase):
    def test_a_plain_field_in_place_of_a_shared_one_is_no_increase(self):
        code, said = compare(loads=1, transfers=0, plain=3, lines=3, instructions=14)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, "more  mine .* plain ")
        self.assertIn("ci: no count increased", said)

    def test_plain_accesses_fail_with_more_lines_or_instructions(self):
        for dearer in ({"lines": 5}, {"instructions": 16}):
            code, said = compare(plain=3, **dearer)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, "MORE  mine .* plain ")
            self.assertIn("ci: 2 counts increased", said)

    def test_every_other_count_fails_by_itself(self):
        for word, more in (("loads", 3), ("transfers", 1), ("lines", 5), ("instructions", 16), ("calls", 8)):
            code, said = compare(**{word: more})
            self.assertEqual((code, said.count("MORE")), (1, 1), said)
        self.assertEqual((compare(calls=10)[0], compare(calls=8, rows=("lost",))[0]), (0, 0))  # fewer calls that succeed are worse
        self.assertEqual(compare(loads=3, rows=("ok", "advisory"))[0], 3)  # nothing was judged

    def test_a_success_that_occurs_no_more_is_told_once_and_first(self):
        code, said = compare(before=("alone", "last item"), loads=1)
        self.assertEqual((code, said.count("GONE")), (1, 1), said)
        self.assertLess(said.index("GONE"), said.index("less"))
        self.assertIn("ci: 1 counts increased", said)


if __name__ == "__main__":
    run_tests()
