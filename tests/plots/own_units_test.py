#!/usr/bin/python3
"""A machine's own units of time: each is computed from its reference, and absent if the run lacks the reference."""

from plots.data.own_units import own_units
from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun


class Units(FolderTest):
    def units(self, deque="chase_lev", instructions="", distances=(), pingpong=(), **of_process):
        """{name: ns or None} of a run with a push, a walk of two threads at these distances, and these values of the process."""
        run = SyntheticRun(self.folder / "run", noise=0)
        run.build["instructions"] = instructions
        run.cell(["a"], "push", deque, {"batch": 1},
                 {"push_latency": (2.0, "ns"), **{("process", name): (value, "") for name, value in of_process.items()}})
        if pingpong:
            run.cell(["a"], "pingpong", "empty", {}, {(role, "ping_pong_time"): (value, "ns") for role, value in pingpong})
        if distances:
            run.rows = [[*row, "", "", distances[row[6] % len(distances)]] for row in run.rows]
        return {one.name: one.nanoseconds and round(one.nanoseconds, 6) for one in own_units(*run.read())}

    def test_none_without_a_reference(self):
        self.assertEqual(self.units(), {"cycles": None, "atomics": None, "lines": None})
        self.assertIsNone(self.units(dependent_multiplication=0.9)["cycles"], "not known to be x86-64")

    def test_a_cycle_is_told_by_the_frequency_or_by_a_multiplication(self):
        self.assertEqual(self.units(instructions="sse4_1 avx", dependent_multiplication=0.9)["cycles"], 0.3)
        self.assertEqual(self.units(instructions="sse4_1 avx", dependent_multiplication=0.9, processor_frequency=4e9)["cycles"], 0.25)

    def test_an_atomic_operation_is_the_push_of_fetch_add(self):
        self.assertEqual(self.units(deque="fetch_add")["atomics"], 2.0)

    def test_a_line_s_transfer_is_the_distance_of_most_samples_or_half_a_round_trip(self):
        trips = [("0-1", 90.0), ("same-socket", 100.0)]
        self.assertEqual(self.units(pingpong=trips)["lines"], 50.0)
        self.assertEqual(self.units(pingpong=trips, distances=[27.0, 27.0, 105.0])["lines"], 27.0)


if __name__ == "__main__":
    run_tests()
