#!/usr/bin/python3
"""plots/board.py: a made-up run as the public board's file has it."""

import json

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun


class Board(FolderTest):
    def written(self, cells):
        run = SyntheticRun(self.folder / "run", invocations=3, repetitions=1, noise=0, deques={**DEQUES, "onetbb": {"title": "oneTBB"}})
        for deque, workload, params, seconds in cells:
            run.cell([], workload, deque, params, {"run_time": (seconds, "s")})
        run.rows = [[*row[:5], "pool" if row[8] == "run_time" else row[5], *row[6:]] for row in run.rows]
        self.expect(0, "board", run.write(), self.folder / "board.json")
        return json.loads((self.folder / "board.json").read_text())

    def test_durations_scaled_and_speedup(self):
        board = self.written([("chase_lev", "fib", {"n": 39, "cutoff": 1, "threads": 1}, 2.0), ("chase_lev", "fib", {"n": 39, "cutoff": 1, "threads": 2}, 1.0),
                              ("onetbb", "fib", {"n": 39, "cutoff": 1, "threads": 2}, 4.0), ("chase_lev", "fib", {"n": 38, "cutoff": 13, "threads": 2}, 0.1),
                              ("chase_lev", "skynet", {"depth": 8, "threads": 2}, 0.5), ("chase_lev", "uts", {"threads": 2}, 0.5)])
        self.assertEqual(set(board), {"metadata", "results"})
        self.assertEqual(set(board["metadata"]), {"start_time", "cpu", "cores", "kernel", "compiler"})
        self.assertEqual(set(board["results"]), {"stealbench_chase_lev", "onetbb"})
        ours = board["results"]["stealbench_chase_lev"]
        self.assertEqual(set(ours), {"fib", "skynet"})  # no cutoffs, no uts
        self.assertEqual([(one["params"], one["threads"], one["config"], one["result"]["duration"], one["result"]["scaled"], one["result"]["speedup"])
                          for one in ours["fib"]], [("39", 1, "", "2000000 us", 2.0, 1.0), ("39", 2, "", "1000000 us", 1.0, 2.0)])
        self.assertEqual(board["results"]["onetbb"]["fib"][0]["result"]["scaled"], 4.0)

    def test_a_run_without_such_work_is_said(self):
        run = SyntheticRun(self.folder / "run", invocations=3)
        run.cell([], "push", "chase_lev", {"batch": 64}, {"push_latency": (57.5, "ns")})
        self.expect(3, "board", run.write(), self.folder / "board.json", says="none of fib")


if __name__ == "__main__":
    run_tests()
