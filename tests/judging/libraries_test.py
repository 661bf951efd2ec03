#!/usr/bin/python3
"""libraries_test.py: the message names a library that is missing or too old. Ends on "N passed, N failed"."""

import unittest

from harness.judging.statistics.libraries import LEAST, complaint
from tests.plots.support import run_tests


def versions(**found):
    def version_of(name):
        if name not in found:
            raise ImportError(name)
        return found[name]
    return version_of


class Libraries(unittest.TestCase):
    def test_those_that_are_here_will_do(self):
        self.assertIsNone(complaint())
        self.assertIsNone(complaint(versions(numpy="2.2.4")))
        self.assertIsNone(complaint(versions(numpy="1.20.0rc1")))

    def test_an_older_one_is_named(self):
        self.assertIn("numpy 1.19.5 is here; drawing and comparing take numpy 1.20",
                      complaint(versions(numpy="1.19.5")))

    def test_a_missing_one_is_named(self):
        for name in LEAST:
            found = {other: "9.0" for other in LEAST if other != name}
            self.assertIn(f"{name} is not installed", complaint(versions(**found)))


if __name__ == "__main__":
    run_tests()
