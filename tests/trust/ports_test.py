#!/usr/bin/python3
"""ports.py: docs/ports.md says what the headers say, and every port's header says how it differs."""

import unittest

from tests.plots.support import ROOT, run_tests

from harness.trust import ports

HEADER = """/* mine.h: a deque.
 *
 * It is like theirs. What differs is little.
 *
 * Where this departs from the paper, and why:
 * - There, it grows. Here
 *   it does not.
 * - Another.
 *
 * What differs besides: the name.
 */
"""


class Ports(unittest.TestCase):
    def test_what_differs_is_read_from_the_paragraphs_that_begin_so(self):
        self.assertEqual(ports.differences(HEADER), "There, it grows. ...")
        self.assertEqual(ports.differences("/* mine.h: a deque.\n *\n * It is new.\n */\n"), "")

    def test_every_port_says_how_it_differs(self):
        self.assertEqual([deque for deque, _, said in ports.rows() if not said], [])

    def test_the_page_is_the_headers(self):
        self.assertEqual((ROOT / "docs/ports.md").read_text(encoding="utf-8"), ports.page(),
                         "python3 -m harness.trust.ports > docs/ports.md")


if __name__ == "__main__":
    run_tests()
