#!/usr/bin/python3
"""runtimes/: the suite without what is absent, ratios and goals from a made-up run."""

import subprocess
import sys
import unittest
from pathlib import Path

from support import FolderTest, run_tests
from synthetic_run import SyntheticRun

PEERS = Path(__file__).resolve().parent.parent.parent / "runtimes"
sys.path.insert(0, str(PEERS))
from peers import compare, verdicts  # noqa: E402
from suite_here import here  # noqa: E402

from run_folder import Run
from summarize import summarize


class Peers(FolderTest):
    def run_of(self, times):
        """times: {section: {(deque, params): seconds}}."""
        run = SyntheticRun(self.folder / "run", invocations=7, repetitions=1, noise=0.01)
        for tag, members in times.items():
            run.section(tag, f"About {tag}")
            for (deque, params), seconds in members.items():
                run.cell([tag], tag.split("-")[0], deque, {"threads": 2, **dict(params)}, {"run_time": (seconds, "s")})
        run.rows = [[*row[:5], "pool" if row[8] == "run_time" else row[5], *row[6:]] for row in run.rows]
        return Run(run.write())

    def rows_of(self, times):
        run = self.run_of(times)
        return compare(run, summarize(run))

    def test_the_ratio_is_of_our_best_to_each_peer(self):
        rows = self.rows_of({"quicksort-2": {("chase_lev", ()): 0.50, ("locked", ()): 0.60, ("onetbb", ()): 0.55,
                                             ("openmp", ()): 0.40}})
        self.assertEqual([(row[2], row[3]) for row in rows], [("chase_lev", "oneTBB"), ("chase_lev", "OpenMP")])
        self.assertAlmostEqual(rows[0][4], 0.50 / 0.55, delta=0.02)
        self.assertLess(rows[0][5], rows[0][4])
        self.assertEqual({place: reached for place, (_, reached) in verdicts(rows).items()}, {0: True, 1: False})

    def test_an_interval_beyond_the_goal_misses_it_though_the_median_reaches_it(self):
        row = ("quicksort-2", "", "chase_lev", "oneTBB", 0.99, 0.95, 1.04, 1.0, 1.0, "s")
        self.assertFalse(verdicts([row])[0][1])
        self.assertTrue(verdicts([(*row[:6], 1.02, *row[7:])])[0][1])

    def test_walks_are_held_against_the_fastest_program(self):
        program = {name: ("programs", (("program", name),)) for name in ("find", "bfs", "fd")}
        rows = self.rows_of({"walk-2": {("chase_lev", ()): 0.10, program["find"]: 0.3, program["bfs"]: 0.11,
                                        program["fd"]: 0.2}})
        goals = verdicts(rows)
        self.assertEqual([rows[place][3] for place in goals], ["bfs"])
        self.assertFalse(goals[next(iter(goals))][1])

    def test_the_program_says_so_and_ends_on_one(self):
        run = self.run_of({"fib-1": {("chase_lev", ()): 0.2, ("onetbb", ()): 1.0},
                           "fib-2": {("chase_lev", ()): 0.9, ("onetbb", ()): 1.0}})
        done = subprocess.run([sys.executable, str(PEERS / "peers.py"), str(run.folder)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("reached: at most 0.3", done.stdout)
        self.assertIn("MISSED: at most 0.3", done.stdout)
        self.assertIn("1 of 2 goals reached", done.stdout)

    def test_a_run_without_peers_is_no_failure(self):
        self.assertEqual(self.rows_of({"fib-1": {("chase_lev", ()): 0.2}}), [])


class Suite(unittest.TestCase):
    def test_absent_names_go_and_are_told(self):
        text = "title A deque=b\n[x] One\nfib deque=a,b,c n=3\nfib deque=d n=3\n# deque=d stays in a comment\n"
        kept, absent = here(text, {"a", "c"})
        self.assertEqual(absent, ["b", "d"])
        self.assertIn("fib deque=a,c n=3\n", kept)
        self.assertNotIn("deque=d n=3", kept)
        self.assertIn("# deque=d stays in a comment", kept)


if __name__ == "__main__":
    run_tests()
