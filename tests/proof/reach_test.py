#!/usr/bin/python3
"""reach_test.py: how far the checks say that they reach, and how they tell a failure, on headers that are changed here."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "proof/mutants"), str(ROOT)]
sys.dont_write_bytecode = True
import checks  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

RING = (ROOT / "queues/chase_lev.h").read_text()


class Reach(unittest.TestCase):
    def said(self, text, check, *options):
        """(exit status, output) of a check of this header."""
        with tempfile.TemporaryDirectory(prefix="reach-") as folder:
            (Path(folder) / "queues").mkdir()
            header, program = Path(folder) / "queues/chase_lev.h", Path(folder) / "check"
            header.write_text(text)
            subprocess.run([checks.CC, *checks.COMMON, "-DHANG_PROCESSOR_SECONDS=0.3", '-DDEQUE_ID="chase_lev"',
                            f'-DDEQUE_HEADER="{header}"', "harness/deque_main.c", "proof/checks/verdict.c", f"proof/checks/{check}.c",
                            checks.BUILD / "libmeasuring.a", "-o", program, "-lhwloc", "-lm", "-ldl"], check=True, cwd=ROOT)
            done = subprocess.run([program, "--check", check, *options], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_one_thread_holds_many_items_and_sees_every_position(self):
        self.assertIn(": held 262144, positions past 2^64; ", self.said(RING, "conformance", "--rounds=1")[1])

    def test_a_deque_that_cannot_be_moved_is_said(self):
        status, said = self.said(RING.replace("config->first_index", "0"), "conformance", "--rounds=1")
        self.assertEqual(status, 0)
        self.assertIn("held 262144, not looked at beyond 200000 items: first_index is ignored;", said)

    def test_threads_and_items_of_stress(self):
        self.assertRegex(self.said(RING, "stress", "--seconds=0.01")[1], ": 19 threads, 1[56][0-9]{3} items at once; ")

    def test_a_failure_is_told_by_few_operations(self):
        before = "if ((int64_t)(bottom - top) > (int64_t)deque->mask)"
        status, said = self.said(RING.replace(before, before[:-1] + " + 1)", 1), "conformance")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^  operations: push x\d+\n  tried: .*\n  repeat: .*\nFAILED conformance of chase_lev: push took one")

    def test_another_case_goes_on_after_a_hang(self):
        hang = RING.replace("    if (left > 0) {", "    while (left == 2 && top == 0)\n        continue;\n    if (left > 0) {")
        status, said = self.said(hang.replace(
            "    *item = taken;", "    *item = victim->mask == 3 && top == INT32_MAX - 1 ? (deque_item)0 : taken;"), "conformance")
        self.assertEqual(status, 1)
        self.assertRegex(said, "(?s)FAILED conformance of chase_lev: it hangs.*FAILED conformance of chase_lev: steal gave")


if __name__ == "__main__":
    run_tests()
