#!/usr/bin/python3
"""The figures of the open load and trust/queueing.py, from made-up runs whose sojourn times are those of M/M/1."""

import math
import unittest

from tests.plots.support import FolderTest, drawn, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.run_folder import Problem, Run
from trust import queueing

FIGURES = "sojourn", "waking", "processor_time", "policy_against_deque", "slot", "everything"
CAPACITY = 1e5  # requests a second: 10 us each
SETTINGS = {"threads": 1, "arrivals": "poisson", "request": "one", "rare": 0, "cost": "exponential", "idle": "spin", "slot": 0,
            "after": 0, "patience": 128}


def metrics_of(load, slower=1.0):
    """The values of M/M/1 at that load, with times so many times as long."""
    mean = slower * 1e9 / (CAPACITY * (1 - load / 100))
    times = {f"sojourn_{name}": -math.log(1 - part) * mean for name, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999))}
    return {**{("request", name): (value, "ns") for name, value in {**times, "sojourn_mean": mean, "wake_up_p50": 1000 * slower, "service_p50": 1e4, "service_p99": 5e4}.items()},
            ("pool", "request_capacity"): (CAPACITY, "requests/s"), ("generator", "offered_rate"): (CAPACITY * load / 100, "requests/s"),
            ("generator", "late_share"): (0.1, "%"), ("pool", "processors_busy"): (1.0, "processors"),
            ("pool", "switches_per_second"): (100.0, "switches/s"), ("pool", "processor_time_per_request"): (2e4, "ns")}


class MadeUp(FolderTest):
    def run_of(self, cells, **settings):
        """cells: (section, deque, settings, metrics)."""
        run = SyntheticRun(self.folder / "run", **{"noise": 0.001, **settings})
        for tag in dict.fromkeys(tag for tag, *_ in cells):
            run.section(tag, tag)
        for tag, deque, params, metrics in cells:
            name = run.cell([tag], "serve", deque, {**SETTINGS, **params}, metrics)
            if params.get("tail"):
                run.histograms += [[name, "request", i, 0, "wake_up", 1000 * (j + 1), 1000 * (j + 2), 10, "ns"]
                                   for i in range(run.invocations) for j in range(5)]
        return Run(run.write())


class Serve(MadeUp):
    def test_sojourn_lies_on_the_theory_it_is_drawn_with(self):
        made = drawn(self.run_of([("load", deque, {"load": load}, metrics_of(load)) for deque in ("locked", "abp") for load in (30, 50, 80)]), *FIGURES)
        picture = made["load-sojourn"][1]
        self.assertEqual([frame.title for frame in picture.frames], ["50 %", "99 %", "99.9 %"])
        for frame in picture.frames:
            *lines, theory = frame.layers
            self.assertEqual((len(lines), len(theory.marks)), (2, 41))
            at_50 = next(mark.y for mark in theory.marks if mark.x == 50)
            self.assertAlmostEqual(lines[0].marks[1].y / at_50, 1, delta=0.05)
        self.assertIn("M/M/c", picture.caption)
        rows = rows_of(made["load-serve"][1])
        self.assertEqual(len(rows), 6)
        self.assertEqual({row["load (%)"] for row in rows}, {"30", "50", "80"})

    def test_no_theory_where_none_is_known(self):
        made = drawn(self.run_of([("load", "abp", {"load": load, "cost": "heavy"}, metrics_of(load)) for load in (30, 50, 80)]), *FIGURES)
        self.assertEqual(made["load-sojourn"][1].frames[0].layers[-1].marks, [])

    def test_policy_against_deque_says_which_moves_more(self):
        slower = {"spin": 1, "yield": 1, "sleep": 8}
        made = drawn(self.run_of([("idle", deque, {"load": load, "idle": idle, "tail": 1}, metrics_of(10, slower[idle] * (1.1 if deque == "abp" else 1)))
                                  for deque in ("locked", "abp") for idle in slower for load in (1, 10, 50)]), *FIGURES)
        self.assertIn("Sojourn p50: policies differ by up to 8", made["idle-policy-10"][1].caption)
        self.assertIn("deques by 1.1 times", made["idle-policy-10"][1].caption)
        self.assertEqual([layer.label for layer in made["idle-processor_time-abp"][1].frames[0].layers], ["idle=spin", "idle=yield", "idle=sleep"])
        wake = made["idle-wake_up"][1].frames[0]
        self.assertEqual([len(layer.marks) for layer in wake.layers], [4, 4, 4])  # of the fifth bucket nothing is left

    def test_the_slot_has_a_row_a_deque_and_request_and_a_mark_a_slot(self):
        made = drawn(self.run_of([("slot", deque, {"load": 10, "request": request, "after": after, "slot": slot}, metrics_of(10))
                                  for deque in ("abp", "locked")
                                  for request in ("chain", "fanout") for after in (0, 200) for slot in (0, 1, "stealable")]), *FIGURES)
        frame = made["slot-slot"][1].frames[0]
        self.assertEqual([len(layer.marks) for layer in frame.layers], [8, 8, 8])
        self.assertEqual(len(frame.y.ticks), 8)


class Trust(MadeUp):
    def verdicts(self, slower, **settings):
        rows = queueing.rows_of(self.run_of([("x", "abp", {"load": load}, metrics_of(load, slower)) for load in (50, 80)], **settings))
        return [row.verdict for row in rows]

    def test_an_open_load_is_held_to_theory(self):
        self.assertEqual(self.verdicts(1.0), ["within"] * 8)
        self.assertEqual(self.verdicts(1.2), ["OUTSIDE"] * 8)
        self.assertEqual(self.verdicts(1.2, invocations=5), [""] * 8)

    def test_a_run_without_it_is_a_problem(self):
        self.assertRaises(Problem, queueing.rows_of, self.run_of([("x", "abp", {"load": 50, "cost": "heavy"}, metrics_of(50))]))


if __name__ == "__main__":
    run_tests()
