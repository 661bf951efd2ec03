#!/usr/bin/python3
"""benchmark.json: names, repetitions and aggregates as Google Benchmark writes them; and its own compare.py reads two."""

import json
import subprocess
import sys
from pathlib import Path

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.pages.benchmark import write_benchmark

COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian: libbenchmark-tools


class Benchmark(FolderTest):
    def written(self, name, slower=1.0):
        run = SyntheticRun(self.folder / name, invocations=9, noise=0.002, seed=len(name))
        run.section("fig6", "Push")
        for batch in (1, 64):
            run.cell(["fig6"], "push", "chase_lev", {"batch": batch, "push": "batch", "prelinked": "0", "block": "0"},
                     {"push_latency": (0.9 * batch * slower, "ns")})
        run.cell(["fig6"], "push", "abp", {"batch": 64, "push": "single"}, {"push_latency": (60.0, "ns")})
        run.cell(["fig6"], "dag", "abp", {"threads": 2}, {"run_time": (0.5, "s")})
        run.cell(["fig6"], "pop", "abp", {"take": "one"}, {"pop_latency": (1.0, "ns")}, status="crashed")
        return write_benchmark(*run.read())

    def test_names_repetitions_and_aggregates(self):
        rows = json.loads(self.written("one").read_text())["benchmarks"]
        names = [row["name"] for row in rows]
        for name in ("push/chase_lev/batch:1", "push/chase_lev/batch:64", "push/abp/batch:64/push:single"):
            self.assertEqual(names.count(name), 9)
            for aggregate in ("mean", "median", "stddev", "cv"):
                self.assertEqual(names.count(f"{name}_{aggregate}"), 1)
        median = next(row for row in rows if row["name"] == "push/chase_lev/batch:64_median")
        self.assertEqual((median["run_type"], median["aggregate_name"], median["time_unit"]), ("aggregate", "median", "ns"))
        self.assertAlmostEqual(median["real_time"], 57.6, delta=1)
        run = next(row for row in rows if row["name"].startswith("dag/abp"))
        self.assertEqual(run["threads"], 2)
        self.assertAlmostEqual(run["real_time"], 0.5e9, delta=1e7)
        self.assertFalse(any("pop/" in name for name in names))

    def test_its_own_compare_finds_every_row(self):
        if not COMPARE.exists():
            self.skipTest("left out: no compare.py here (Debian: libbenchmark-tools)")
        before, after = self.written("before"), self.written("after", slower=1.5)
        done = subprocess.run([sys.executable, COMPARE, "--no-color", "benchmarks", before, after], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        line = next(line for line in done.stdout.splitlines() if line.startswith("push/chase_lev/batch:64_median"))
        self.assertAlmostEqual(float(line.split()[1]), 0.5, delta=0.03)
        pvalue = next(line for line in done.stdout.splitlines() if line.startswith("push/chase_lev/batch:64_pvalue"))
        self.assertIn("U Test, Repetitions: 9 vs 9", pvalue)


if __name__ == "__main__":
    run_tests()
