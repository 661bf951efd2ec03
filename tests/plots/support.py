"""Shared by the tests of plots/: a folder of their own, running a program as a user does, and the closing line."""

import contextlib
import importlib
import io
import runpy
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]


def run_tests():
    """Runs the tests of the calling script and ends on 'N passed, N failed'; exit 1 when one failed."""
    result = unittest.main(module="__main__", exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed or not result.testsRun else 0)


def drawn(run, *names):
    """{name: (tag, Figure or Table)} that the scripts of these names make of a run."""
    from harness.judging.summaries import summarize
    from plots.figures import scripts
    summaries = summarize(run)
    made = [(tag, one) for name in names for tag, one in importlib.import_module(f"{scripts.__name__}.{name}").draw(run, summaries)]
    return {one.name: (tag, one) for tag, one in made}


def rows_of(table):
    return [dict(zip(table.headings, row)) for row in table.rows]


def folder_of_class(case):
    """A folder that exists until all tests of a class have run."""
    temporary = tempfile.TemporaryDirectory(prefix="plots-test-")
    case.addClassCleanup(temporary.cleanup)
    return Path(temporary.name)


class FolderTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plots-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    @staticmethod
    def program(name, *arguments, encoding="utf-8"):
        """Runs plots.NAME, harness.NAME for judging.NAME or trust.NAME, or extras.NAME, in this process, where the libraries are
        loaded already, in a terminal of this encoding."""
        module = name if name.startswith("extras.") else f"harness.{name}" if name.startswith(("judging.", "trust.")) else f"plots.{name}"
        words = [module, *map(str, arguments)]
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that the module is imported already
            code = 0
            try:
                runpy.run_module(words[0], run_name="__main__")
            except SystemExit as end:
                code = end.code or 0
        out.seek(0), err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())

    def expect(self, code, name, *arguments, says="", **options):
        done = self.program(name, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stdout + done.stderr)
        return done
