#!/usr/bin/python3
"""./run.sh advise on a made-up run, near the measured places and elsewhere."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

# threads, tasks, time of a run by deque; the grain is 2 * time / tasks
FINE = (2, 1000000, {"chase_lev": 0.1, "abp": 0.1005, "locked": 0.2})  # 200 ns
COARSE = (2, 1000, {"chase_lev": 0.11, "abp": 0.1, "locked": 0.1})  # 200 us


class Advise(FolderTest):
    def setUp(self):
        super().setUp()
        run = SyntheticRun(self.folder / "run", invocations=9, repetitions=1, noise=0.001)
        for workload, (threads, tasks, times) in (("uts", FINE), ("quicksort", COARSE)):
            for deque, seconds in times.items():
                run.cell([], workload, deque, {"threads": threads}, {"run_time": (seconds, "s"), "tasks": (tasks, "tasks"), "steals": (tasks / 100, "steals")})
        run.rows = [[*row[:5], "pool" if row[8] == "run_time" else "worker", *row[6:]] for row in run.rows]
        self.run_folder = run.write()

    def advice(self, code, *words):
        return self.expect(code, "advise", self.run_folder, *words).stdout

    def test_it_says_what_was_fastest_near_by(self):
        said = self.advice(0, "--grain=200ns", "--threads=2")
        self.assertIn("Within 2 % of the best in all of them: abp, chase_lev. Not settled: none.", said)
        self.assertNotIn("quicksort", said)
        said = self.advice(0, "--grain=150us", "--threads=2", "--steals=0.02")
        self.assertIn("Within 2 % of the best in all of them: abp, locked.", said)
        self.assertRegex(said, r"chase_lev +\| 1\.10\d \[.* slower")

    def test_elsewhere_it_gives_no_advice_and_says_what_was_measured(self):
        for words in (["--grain=2us", "--threads=2"], ["--grain=200ns", "--threads=4"], ["--grain=200ns", "--threads=2", "--steals=0.1"]):
            said = self.advice(3, *words)
            self.assertIn("No advice", said)
            self.assertIn("| uts", said)
            self.assertNotIn("Within 2 %", said)

    def test_counts_stand_for_the_three(self):
        counts = self.folder / "counts"
        counts.write_text("threads 2\nseconds 0.150000\ntasks 1000000\nsteals 10000\nstolen 12000\n")
        self.assertIn("2 threads, 300 ns a task, 0.010 steals a task", self.advice(0, f"--from={counts}"))
        counts.write_text("threads 2\ntasks 0\n")
        self.expect(2, "advise", self.run_folder, f"--from={counts}", says="no seconds, steals")

    def test_what_is_missing_or_wrong_is_usage(self):
        self.expect(2, "advise", self.run_folder, "--grain=200ns", says="--threads")
        self.expect(2, "advise", self.run_folder, "--grain=200", "--threads=2", says="with its unit")


if __name__ == "__main__":
    run_tests()
