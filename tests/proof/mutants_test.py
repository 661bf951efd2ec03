#!/usr/bin/python3
"""mutants_test.py: a mutant has survived only if it passed every check. The checks here are scripted."""

import argparse
import contextlib
import io
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "proof/mutants"), str(ROOT)]
sys.dont_write_bytecode = True
import checks  # noqa: E402
import header  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

NAMES = {"CHEAP": ("cheap one",), "LONGER": ("longer one",), "THREADS": ("threads",)}
MODELS = ("model rc11 a", "model rc11 b")


class Verdicts(unittest.TestCase):
    """One mutant of chase_lev, through fake checks."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mutants-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.text = header.read(header.QUEUES / "chase_lev.h")
        self.answers, self.asked = {}, Counter()
        patches = [mock.patch.multiple(run, **{phase: [(name, self.check(name)) for name in names]
                                               for phase, names in NAMES.items()}),
                   mock.patch.object(run.Run, "model_checks", lambda _, deque: [(name, self.check(name)) for name in self.models]),
                   mock.patch.multiple(score, TOTALS=self.folder / "scores.csv", LOCAL=self.folder / "local"),
                   mock.patch.object(checks, "BUILD", self.folder)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        self.models = MODELS

    def check(self, name):
        def answer(subject):
            if "sound" in str(subject.folder):
                return checks.PASSED
            self.asked[name] += 1
            return self.answers.get(name, checks.PASSED)
        return answer

    def go(self, **answers):
        """(verdict, check) of the first mutant after one more run in which these checks answer so."""
        self.answers = {name.replace("_", " "): answer for name, answer in answers.items()}
        self.asked.clear()
        options = argparse.Namespace(first=1, jobs=1, unargued=False)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertTrue(run.Run(options).go([run.Scores("chase_lev", self.text)]))
        row, = score.read_scores("chase_lev", self.text).values()
        self.assertEqual(len((self.folder / "local/chase_lev.csv").read_text().splitlines()), 2)
        return row.verdict, row.check

    def test_the_repository_changes_only_when_asked(self):
        self.assertEqual(self.go(), (score.SURVIVED, ""))
        self.assertFalse(score.TOTALS.exists())
        score.record(["chase_lev"])
        (deque, of), = score.kept().items()
        argued = sum(deque == "chase_lev" for deque, _ in score.read_harmless())
        self.assertEqual((deque, sum(of.counts[kind, "all"] for kind in score.mutate.CLASSES)), ("chase_lev", 1 + argued))
        self.assertEqual(sum(of.counts[kind, "not run"] for kind in score.mutate.CLASSES), argued)

    def test_one_without_a_verdict_stays_open_and_says_of_which_check(self):
        self.assertEqual(self.go(model_rc11_b=checks.NOTHING, threads=checks.NOTHING),
                         (score.OPEN, "no verdict: model rc11 b; threads" if self.models_first() else "no verdict: threads; model rc11 b"))
        self.assertEqual(self.go(threads=checks.NOTHING), (score.OPEN, "no verdict: threads"))
        self.assertEqual(self.go(), (score.SURVIVED, ""))
        self.assertEqual(self.asked["model rc11 b"], 1)

    def models_first(self):
        return run.Scores("chase_lev", self.text).mutants[0].kind == run.mutate.ORDER

    def test_every_check_counts(self):
        for name in ("cheap one", "longer one", "threads", *MODELS):
            for answer in (checks.NOTHING, checks.NOT_BUILT):
                (self.folder / "local" / "chase_lev.csv").unlink(missing_ok=True)
                self.assertEqual(self.go(**{name.replace(" ", "_"): answer}), (score.OPEN, f"no verdict: {name}"))


if __name__ == "__main__":
    run_tests()
