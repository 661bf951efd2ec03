#!/usr/bin/python3
"""model_test.py: does run.py fail a row that reaches too little? On tables of one row each."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT))
from tests.plots.support import FolderTest, run_tests  # noqa: E402

GENMC = os.environ.get("GENMC", "genmc")


class Rows(FolderTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder
        self.model = self.root / "proof/model"
        for name in ("model", "mutants"):
            shutil.copytree(ROOT / "proof" / name, self.root / "proof" / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "proof/scenarios.h", self.root / "proof")
        for name in ("queues", "harness"):
            (self.root / name).symlink_to(ROOT / name)

    def run_row(self, row, deque="chase_lev", **environment):
        """(exit status, output) of a table of this row alone."""
        (self.model / "table.txt").write_text(f"{deque}  {row}\n")
        done = subprocess.run([self.model / "run.py", deque], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_what_is_reached_passes(self):
        status, output = self.run_row("last_item  sc  ok  late,lost,beaten")
        self.assertEqual((status, output.splitlines()[-1]), (0, "1 passed, 0 failed"))

    def test_what_no_execution_reaches_fails(self):
        status, output = self.run_row("last_item  sc  ok  late,both")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: no execution reaches both", output)

    def run_fake(self, row, script, **environment):
        """The same, with a shell script for GenMC."""
        genmc = self.root / "genmc"
        genmc.write_text(f"#!/bin/sh\n{script}\n")
        genmc.chmod(0o755)
        return self.run_row(row, GENMC=str(genmc), **environment)

    def test_time_that_is_up_is_no_verdict(self):
        for expected in ("ok", "race"):
            status, output = self.run_fake(f"last_item  sc  {expected}  -", "while :; do :; done", MODEL_ROW_SECONDS="1")
            self.assertEqual(status, 4)
            self.assertEqual(output.splitlines()[-2:], ["1 came to no verdict", "0 passed, 0 failed"])

    def test_a_breakdown_of_the_checker_is_no_verdict(self):
        for script, why in (("echo \"Assertion 'x' failed.\"; kill -ABRT $$", "genmc ended by signal 6: Assertion 'x' failed."),
                            ("exit 17", "genmc ended with exit code 17"), ("exit 0", "genmc ended with exit code 0")):
            for expected in ("ok", "race"):
                status, output = self.run_fake(f"last_item  sc  {expected}  -", script)
                self.assertEqual(status, 3)
                self.assertRegex(output, f"no verdict +0  {re.escape(why)}\n")
                self.assertEqual(output.splitlines()[-2:], ["1 came to no verdict", "0 passed, 0 failed"])

    def test_what_does_not_compile_and_an_unknown_error_fail(self):
        for status_of_genmc in 5, 42:
            status, output = self.run_fake("last_item  sc  ok  -", f"echo 'Error: another'; exit {status_of_genmc}")
            self.assertEqual(status, 1)
            self.assertIn("FAILED: expected ok", output)


class Clients(FolderTest):
    def test_they_compile_where_assert_h_has_assert_alone(self):
        """As genmc's."""
        (self.folder / "assert.h").write_text("#define assert(e) ((void)(e))\n")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu11", "-w", "-fsyntax-only", f"-I{self.folder}", "-I.", "-Iqueues",
                        '-DDEQUE_HEADER="queues/chase_lev.h"', "-DCLIENT=last_item", "proof/model/clients.c"], check=True, cwd=ROOT)


if __name__ == "__main__":
    if not shutil.which(GENMC):
        del Rows
        print("genmc is not installed: the rules of its rows not tried")
    run_tests()
