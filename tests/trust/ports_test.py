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
#define DEQUE_TRAITS { .id = "mine", .source = "theirs" }
"""


class Ports(unittest.TestCase):
    def test_what_differs_is_read_from_the_paragraphs_that_begin_so(self):
        self.assertEqual(ports.differences(HEADER), "There, it grows. ...")
        self.assertEqual(ports.differences("/* mine.h: a deque.\n *\n * It is new.\n */\n"), "")
        self.assertEqual(ports.source(HEADER), "theirs")

    def test_every_port_says_how_it_differs_and_after_what_it_is(self):
        self.assertEqual([deque for deque, after, _, said in ports.rows() if not said or not after], [])

    def test_the_page_is_the_headers(self):
        self.assertEqual((ROOT / "docs/ports.md").read_text(encoding="utf-8"), ports.page(),
                         "python3 -m harness.trust.ports > docs/ports.md")


if __name__ == "__main__":
    run_tests()
