#!/usr/bin/python3
"""ports.py: docs/ports.md says what the headers say, and every port's header says how it differs."""

import unittest

from tests.plots.support import ROOT, run_tests

from harness.trust import ports


class Ports(unittest.TestCase):
    def test_every_port_says_how_it_differs(self):
        self.assertEqual([deque for deque, _, said in ports.rows() if not said], [])

    def test_the_page_is_the_headers(self):
        self.assertEqual((ROOT / "docs/ports.md").read_text(encoding="utf-8"), ports.page(),
                         "python3 -m harness.trust.ports > docs/ports.md")


if __name__ == "__main__":
    run_tests()
