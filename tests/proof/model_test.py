#!/usr/bin/python3
"""model_test.py: does run.py fail a row that reaches too little, has shrunk, or does not end? On tables of one row each."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT))
from tests.plots.support import run_tests  # noqa: E402

GENMC = os.environ.get("GENMC", "genmc")


class Rows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="model-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.model = self.root / "proof/model"
        shutil.copytree(ROOT / "proof/model", self.model, ignore=shutil.ignore_patterns("executions.txt", "__pycache__"))
        shutil.copy(ROOT / "proof/scenarios.h", self.root / "proof")
        for name in ("queues", "harness"):
            (self.root / name).symlink_to(ROOT / name)

    def run_row(self, row, *options, deque="chase_lev", **environment):
        """(exit status, output) of a table of this row alone."""
        (self.model / "table.txt").write_text(f"{deque}  clients  {row}\n")
        done = subprocess.run([self.model / "run.py", *options, deque], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_what_is_reached_and_kept_passes(self):
        status, output = self.run_row("last_item  sc  ok  late,lost,beaten", "--write")
        self.assertEqual((status, output.splitlines()[-1]), (0, "1 passed, 0 failed"))
        executions = output.split()[4]
        self.assertEqual((self.model / "executions.txt").read_text().split(), ["chase_lev", "1", executions])
        status, output = self.run_row("last_item  sc  ok  late", "--numbers")
        self.assertEqual(status, 0)
        self.assertRegex(output, rf"executions={executions} .*end={executions}")

    def test_what_no_execution_reaches_fails(self):
        status, output = self.run_row("last_item  sc  ok  late,both", "--write")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: no execution reaches both", output)

    def test_a_deque_that_shrank_to_a_tenth_fails(self):
        self.run_row("last_item  sc  ok  late", "--write")
        path = self.model / "executions.txt"
        now = int(path.read_text().split()[2])
        for kept, expected in ((10 * now, 1), (10 * now - 1, 0)):
            path.write_text(f"chase_lev 1 {kept}\n")
            status, output = self.run_row("last_item  sc  ok  late")
            self.assertEqual((status, f"executions were {kept} and are {now}" in output), (expected, expected == 1))

    def test_no_end_is_seen_in_the_executions(self):
        self.assertEqual(self.run_row("alone_empty  sc  endless  -", deque="as_published/bwos_lifo")[0], 0)
        status, output = self.run_row("alone_empty  sc  endless  -")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: expected endless", output)
        self.assertEqual(self.run_row("alone_empty  sc  ok  -", "--write")[0], 0)

    def test_time_that_is_up_is_no_verdict(self):
        genmc = self.root / "genmc"
        genmc.write_text("#!/bin/sh\nwhile :; do :; done\n")
        genmc.chmod(0o755)
        for expected in ("ok", "race", "endless"):
            status, output = self.run_row(f"last_item  sc  {expected}  -", GENMC=str(genmc), MODEL_ROW_SECONDS="1")
            self.assertEqual(status, 4)
            self.assertEqual(output.splitlines()[-2:], ["1 came to no verdict", "0 passed, 0 failed"])


if __name__ == "__main__":
    if not shutil.which(GENMC):
        print("genmc is not installed: the rules of its rows not tried")
        sys.exit(3)
    run_tests()
