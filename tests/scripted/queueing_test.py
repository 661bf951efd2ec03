#!/usr/bin/python3
"""queueing_test.py: in virtual time `serve` behaves like the queues of theory, M/M/1, M/D/1 and M/M/2. And our theory is right.

In virtual time a service takes just what was drawn, so what is left is chance: the mean of so many requests, whose seed is
fixed, and the order of threads within 20 us, against services of a millisecond.
"""

import math
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))
from plots.data.queueing import MD1, MMc, erlang_c, quantile  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

PROGRAM = ROOT / "build" / "scripted" / "scripted"
FIRST_COME = "idle=yield take=one look=0 mean=1000000 spin=0".split()


def on_one_processor():
    """The threads take turns: on one processor the next one need not be woken on another, which takes three times as long."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def sojourn_ms(*settings, seconds):
    """{what: ms} of the sojourn times of a run of that many virtual seconds."""
    said = subprocess.run([PROGRAM, "--run", "serve", *FIRST_COME, *settings, "--repetitions=1", f"--minimum-time={seconds}",
                           "--invocation=0"], capture_output=True, text=True, timeout=300, check=True, preexec_fn=on_one_processor)
    rows = [line.split("\t") for line in said.stdout.splitlines() if line.startswith("sample\trequest\t")]
    return {row[3].removeprefix("sojourn_"): float(row[4]) / 1e6 for row in rows if row[3].startswith("sojourn_") and row[5] == "ns"}


class Theory(unittest.TestCase):
    def test_one_server_is_exponential(self):
        for load in (0.3, 0.8):
            system = MMc(load, 1)
            self.assertAlmostEqual(system.mean, 1 / (1 - load))
            for part in (0.5, 0.99):
                self.assertAlmostEqual(quantile(system, part), -math.log(1 - part) / (1 - load), 6)

    def test_many_servers(self):
        self.assertAlmostEqual(erlang_c(1, 2), 1 / 3)  # of a table
        self.assertAlmostEqual(erlang_c(8, 10), 0.4092, 4)
        self.assertAlmostEqual(MMc(1.6, 1, 2).mean, 1 / (1 - 0.8 ** 2))
        self.assertAlmostEqual(MMc(1, 1, 2).longer(2), MMc(1 + 1e-7, 1, 2).longer(2), 6)  # where the formula would divide by 0

    def test_constant_service(self):
        self.assertAlmostEqual(MD1(0.5, 1).mean, 1.5)
        for load in (0.5, 0.8):  # the mean is the integral of what is longer
            system, step = MD1(load, 1), 0.002
            self.assertAlmostEqual(step * sum(system.longer((i + 0.5) * step) for i in range(10000)), system.mean, 2)
        self.assertAlmostEqual(quantile(MD1(1e-9, 1), 0.5), 1, 6)


class Measured(unittest.TestCase):
    def follows(self, system, found, within):
        wanted = {"mean": system.mean, **{f"p{100 * part:.0f}": quantile(system, part) for part in (0.5, 0.9, 0.99)}}
        for what, value in wanted.items():
            self.assertAlmostEqual(found[what] / value, 1, delta=within * (2 if what == "p99" else 1), msg=f"{what}: {found}, {wanted}")

    def test_exponential(self):
        self.follows(MMc(0.5, 1), sojourn_ms("rate=500", seconds=40), 0.04)
        self.follows(MMc(0.8, 1), sojourn_ms("rate=800", seconds=60), 0.08)

    def test_constant(self):
        self.follows(MD1(0.7, 1), sojourn_ms("rate=700", "cost=uniform", seconds=150), 0.05)

    def test_two_servers(self):
        self.follows(MMc(1.2, 1, 2), sojourn_ms("rate=1200", "threads=2", seconds=8), 0.08)

    def test_a_late_request_is_late(self):
        """No coordinated omission: while the server is away requests arrive as before, and each waits for the rest of the absence."""
        found = sojourn_ms("rate=100", "mean=1000", "cost=uniform", "rare=50", "rare_time=100000000", seconds=40)
        self.assertGreater(found["p90"], 20)  # a fifth of the requests arrive within the 100 ms that one in fifty takes
        self.assertLess(found["p50"], 20)


if __name__ == "__main__":
    run_tests()
