#!/usr/bin/python3
"""plots/data/metg.py: the smallest efficient grain, of curves whose answer is known."""

import unittest

from tests.plots.support import FolderTest, drawn, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.data.metg import calls, crossing, efficiencies, metgs, tasks
from plots.data.run_folder import Run
from plots.data.summaries import summarize
from plots.figures.picture import Picture, Table

CUTOFFS = (1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18)
N = 30


def time_of(cutoff, overhead):
    """Per call, in ns, on two threads: a call is 1 ns of work, a task costs so many ns besides."""
    return (calls(N) + overhead * tasks(N, cutoff)) / calls(N) / 2


class Crossing(unittest.TestCase):
    def test_a_cost_a_task_crosses_where_it_is_as_much_as_the_work(self):
        """Work w and overhead o: half as efficient where w = o, and the grain is then 2 o."""
        curve = efficiencies({work + 100: (work + 100) / work for work in (1, 10, 90, 100, 110, 1000, 100000)})
        value, status = crossing(curve)
        self.assertEqual(status, "ok")
        self.assertAlmostEqual(value, 200, delta=1)

    def test_it_is_found_from_the_large_side(self):
        value, _ = crossing([(1, 0.9), (2, 0.1), (4, 0.2), (8, 0.8), (16, 1.0)])
        self.assertTrue(4 < value < 8)

    def test_where_all_is_efficient_or_little_is_known_there_is_no_number(self):
        self.assertEqual(crossing([(1, 0.6), (2, 0.7), (4, 0.8), (8, 1.0)]), (None, "under"))
        self.assertEqual(crossing([(1, 0.1), (8, 1.0)]), (None, "none"))

    def test_calls_and_tasks_are_those_of_the_workload(self):
        self.assertEqual((calls(30), tasks(30, 1)), (2692537, 1346268))
        self.assertEqual((tasks(3, 1), tasks(3, 2), tasks(3, 3)), (2, 1, 0))


class OfARun(FolderTest):
    def found(self, overheads, noise=0.0):
        deques = {**DEQUES, "onetbb": {"title": "oneTBB 2021.8"}}
        run = SyntheticRun(self.folder / "run", invocations=7, repetitions=1, noise=noise, deques=deques)
        run.section("metg-2", "The grain")
        for deque, overhead in overheads.items():
            for cutoff in CUTOFFS:
                run.cell(["metg-2"], "fib", deque, {"threads": 2, "n": N, "cutoff": cutoff},
                         {"time_per_call": (time_of(cutoff, overhead), "ns")})
        run.rows = [[*row[:5], "pool" if row[8] == "time_per_call" else row[5], *row[6:]] for row in run.rows]
        made = Run(run.write())
        return made, metgs(made, summarize(made))

    def test_each_runtime_has_its_own_and_the_smallest_is_first(self):
        made, found = self.found({"onetbb": 60, "chase_lev": 20, "lace": 0.5}, noise=0.001)
        self.assertEqual([one.deque for one in found], ["lace", "chase_lev", "onetbb"])
        self.assertEqual([one.status for one in found], ["under", "ok", "ok"])
        self.assertTrue(found[0].text.startswith("< "))
        for one, overhead in zip(found[1:], (20, 60)):
            self.assertAlmostEqual(one.value / (2 * overhead), 1, delta=0.05)
            self.assertLessEqual(one.low, one.value)
            self.assertLessEqual(one.value, one.high)
        pictures = [picture for _, picture in drawn(made, "metg").values()]
        self.assertEqual([type(picture) for picture in pictures], [Picture, Table])
        self.assertEqual([row[0] for row in pictures[1].rows][2], "oneTBB 2021.8")


if __name__ == "__main__":
    run_tests()
