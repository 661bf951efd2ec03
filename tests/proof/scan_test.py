#!/usr/bin/python3
"""scan_test.py: how a scan reads folders, revisions and the rows of a check. Builds nothing."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "proof")]
import scan  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

PASSES = ("passed", "stress", "plain", "0.3 s")
LOSES = ("FAILED", "stress", "plain", "1 were lost")
RACES = ("FAILED", "stress", "thread", "data race")
EXPLORED = ("FAILED", "explore", "lab", "item lost")


class Verdicts(unittest.TestCase):
    def test_two_checkers_make_a_fault(self):
        self.assertEqual(scan.verdict([PASSES]), "nothing found")
        self.assertEqual(scan.verdict([PASSES, EXPLORED]), "to be looked at: the lab's explore alone")
        self.assertEqual(scan.verdict([LOSES, EXPLORED]), "**fault**: stress, the lab's explore")

    def test_a_check_that_fails_twice_is_one_checker(self):
        self.assertEqual(scan.verdict([LOSES, RACES]), "to be looked at: stress alone")

    def test_what_only_a_sanitizer_sees_is_the_sanitizers(self):
        self.assertEqual(scan.verdict([PASSES, RACES]), "to be looked at: ThreadSanitizer alone")
        self.assertEqual(scan.verdict([("FAILED", "pool", "thread", "WARNING: ThreadSanitizer: data race (pid=7)"), RACES, PASSES]),
                         "to be looked at: ThreadSanitizer alone")

    def test_genmc_is_the_second_checker_of_what_the_lab_alone_finds(self):
        model = ("FAILED", "GenMC", "transcription", "assertion")
        self.assertEqual(scan.verdict([PASSES, EXPLORED, model]), "**fault**: GenMC, in a transcription, the lab's explore")
        for id, rows in (("upstream/libfork_deque", [PASSES, LOSES]), ("upstream/a", [EXPLORED])):
            self.assertEqual(scan.confirm(id, rows), [])

    def test_genmc_finds_what_a_transcription_shows(self):
        if not shutil.which(scan.GENMC):
            self.skipTest("left out: no genmc")
        for id in scan.TRANSCRIBED:
            self.assertEqual([row[:3] for row in scan.confirm(id, [PASSES, EXPLORED])], [("FAILED", "GenMC", "transcription")], id)

    def test_a_build_that_fails_is_no_verdict(self):
        self.assertEqual(scan.verdict([("not built", "-", "-", "error")]), "not built")

    def test_the_first_error_says_why_it_was_not_built(self):
        self.assertEqual(scan.why_not("building 1 of 2: a\nerror: no package\nthe build failed; whole output: log\n"), "error: no package")

    def test_a_line_says_what_was_said(self):
        self.assertEqual(scan.line("upstream/a", "1234", [PASSES, EXPLORED]),
                         "| `upstream/a` | 1234 | to be looked at: the lab's explore alone | the lab's explore: item lost | stress | - |")

    def test_a_line_says_what_passed_where_and_what_was_not_answered(self):
        rows = [PASSES, ("passed", "conformance", "plain", "0.1 s"), ("passed", "stress", "thread", "1 s"),
                ("undecided", "stop", "plain", "it took too long"), ("not asked", "the lab", "-", "it is Rust")]
        self.assertEqual(scan.line("upstream/a", "1234", rows), "| `upstream/a` | 1234 | nothing found | - "
                         "| stress, conformance; under ThreadSanitizer stress | stop: no verdict, it took too long; the lab: it is Rust |")
        self.assertEqual(scan.verdict([("not built", "-", "-", "error"), rows[-1]]), "not built")

    def test_rows_of_a_check_are_read(self):
        row = scan.ROW.match(f"{'FAILED':10} {'upstream/a':32} {'stress':12} {'address and undefined':22} lost | gone")
        self.assertEqual(row.groups(), ("FAILED", "upstream/a", "stress", "address and undefined", "lost | gone"))


class Clones(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scan-")
        self.addCleanup(folder.cleanup)
        self.clone = Path(folder.name) / "a clone"
        self.clone.mkdir()
        self.git("init", "-q")
        self.revisions = [self.commit(text) for text in ("before", "after")]

    def git(self, *words):
        return subprocess.run(["git", "-C", self.clone, "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, text):
        (self.clone / "file.hpp").write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")

    def test_revisions_belong_to_the_folder_before(self):
        other = self.clone.parent
        self.assertEqual(scan.asked([str(self.clone), *self.revisions, str(other)]),
                         [(self.clone, self.revisions[0]), (self.clone, self.revisions[1]), (other, "")])

    def test_a_revision_is_scanned_as_it_was(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.assertEqual((scan.tree(self.clone, self.revisions[0], scratch) / "file.hpp").read_text(), "before")
            self.assertEqual(scan.tree(self.clone, "", scratch), self.clone)

    def test_what_is_neither_is_refused(self):
        for words in (["nowhere"], [str(self.clone), "0123456789"]):
            with self.assertRaises(SystemExit) as refused:
                scan.asked(words)
            self.assertEqual(refused.exception.code, 2)


if __name__ == "__main__":
    run_tests()
