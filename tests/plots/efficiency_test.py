#!/usr/bin/python3
"""workloads/runtimes/efficiency.py: which repetitions count, the results, and refusals. Executables are made up."""

import csv
import io
import unittest
from pathlib import Path

from tests.plots.support import FolderTest, run_tests

from workloads.runtimes import efficiency

# A deque's executable: a repetition takes as long as TIME_threads says, on its own clock and on ours.
FAKE = """#!/bin/sh
case $1 in
--describe) printf 'workload\\tdag\\tmade up\\ncheck\\tstress\\t1\\tx\\ncheck\\tlong\\t0\\tx\\n' ;;
--check) [ "$2" = stress ] && [ ! -e "$0.fails" ] ;;
--run)
    threads=1 repetitions=1 placement=
    for argument; do case $argument in
        threads=*) threads=${argument#*=} ;;
        --repetitions=*) repetitions=${argument#*=} ;;
        placement=*) placement=${argument#*=} ;;
        file=wrong) echo 'wrong:1: no graph' >&2; exit 2 ;;
    esac; done
    case $threads-$placement in
    2-compact) places='w0:4;w1:6' ;;
    4-compact) places='w0:4;w1:6;w2:4;w3:6' ;;
    2-*) places="w0:${placement%+*};w1:${placement#*+}" ;;
    *) places="w0:$placement" ;;
    esac
    printf 'placement\\t%s\\n' "$places"
    i=0
    while [ $i -lt "$repetitions" ]; do
        [ "$threads" = 1 ] && time=0.08 || time=0.05
        sleep $time
        printf 'sample\\tpool\\t%s\\trun_time\\t%s\\ts\\tok\\t\\n' $i $time
        i=$((i + 1))
    done ;;
esac
"""


def repetition(begin, end):
    return efficiency.Repetition(begin, end)


class WhatCounts(unittest.TestCase):
    def test_only_repetitions_within_the_others_work(self):
        one = efficiency.Child([repetition(0, 1), repetition(1, 2), repetition(2, 3), repetition(3, 4)], "")
        two = efficiency.Child([repetition(0.5, 1.5), repetition(1.5, 2.5), repetition(2.5, 3.2)], "")
        first, second = efficiency.together([one, two])
        self.assertEqual([(r.begin, r.end) for r in first], [(1, 2), (2, 3)])
        self.assertEqual(len(second), 3)

    def test_none_when_they_never_worked_at_once(self):
        one, two = (efficiency.Child([repetition(begin, begin + 1)], "") for begin in (0, 2))
        self.assertEqual(efficiency.together([one, two]), [[], []])

    def test_processors_are_read_from_the_placement(self):
        self.assertEqual(efficiency.processors_of("w0:4;w1:16"), ["4", "16"])
        self.assertEqual(efficiency.processors_of("w0:any;w1:any"), [])


class Program(FolderTest):
    def setUp(self):
        super().setUp()
        self.deque, self.checks = (self.folder / part / "made_up" for part in ("pool", "checks"))
        for path in (self.deque, self.checks):
            path.parent.mkdir()
            path.write_text(FAKE, encoding="utf-8")
            path.chmod(0o755)

    def run_program(self, code, *arguments, says=""):
        return self.expect(code, "workloads.runtimes.efficiency", *arguments, "--deque=made_up", says=says,
                           environment={"BUILD": str(self.folder)})

    def test_efficiency_is_the_copies_time_over_twice_the_threads(self):
        done = self.run_program(0, "dag", "nodes=7", "--rounds=3", "--repetitions=5", "--csv=-", "--goal=50")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        # On a busy machine the copies of a round may miss each other; then it is left out.
        self.assertLessEqual({row["round"] for row in rows}, {"0", "1", "2"})
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual((row["copies_time"], row["threads_time"], row["efficiency"]), ("0.08", "0.05", "0.8"))
        self.assertIn("efficiency 80.0 %", done.stderr)

    def test_a_goal_needs_the_whole_interval(self):
        for values, goal, verdict in (((0.8, 0.81, 0.82), 80, "reached"), ((0.8, 0.81, 0.82), 90, "missed"),
                                      ((0.8, 0.9, 1.0), 90, "not settled")):
            out = io.StringIO()
            efficiency.tell("dag", "made_up", [], 2, [(1.0, 1.0, value) for value in values], goal, out)
            self.assertIn(f"goal {verdict} ({goal} %)", out.getvalue())

    def test_a_deque_that_fails_its_checks_is_not_timed(self):
        Path(f"{self.checks}.fails").write_text("", encoding="utf-8")
        self.run_program(1, "dag", says="does not pass the check stress")

    def test_what_cannot_be_is_refused(self):
        for code, word, says in ((2, "threads=2", "threads=2"), (2, "--threads=1", "at least 2 threads"),
                                 (3, "--threads=4", "4 processors are needed, 2 are there"), (2, "file=wrong", "wrong:1: no graph")):
            self.run_program(code, "dag", word, says=says)
        self.run_program(2, "sort", says="there are dag")
        self.deque.unlink()
        self.run_program(3, "dag", says="there is no executable of made_up")


if __name__ == "__main__":
    run_tests()
