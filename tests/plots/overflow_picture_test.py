#!/usr/bin/python3
"""What an overflow costs a task: made-up runs in, the numbers that they must show out."""

from tests.plots.application_pictures_test import ApplicationRuns
from tests.plots.support import run_tests

BAG = {"tasks": 1000, "mean": 0, "cost": "uniform", "threads": 1, "steal": "half", "pool": "volt"}


class Overflow(ApplicationRuns):
    modules = ("overflow",)

    def add_room(self, room, seconds, overflowed, cost=None, **settings):
        counts = {"tasks_overflowed": overflowed} | ({} if cost is None else {"overflow_cost": cost})
        self.add("volt", "bag", "volt", {**BAG, **settings, "room": room}, seconds, workers=counts)

    def test_the_cost_stands_beside_the_run_with_room_for_all(self):
        self.made.section("volt", "Volt's pool")
        for mean in (0, 1000):
            self.add_room(256, 0.002, 744, 40 + mean / 100, mean=mean)
            self.add_room(65536, 0.001, 0, mean=mean)
        [(tag, picture)] = self.draw().values()
        self.assertEqual(tag, "volt")
        costs, times = picture.frames
        self.assertEqual([round(layer.marks[0].x) for layer in costs.layers], [40, 50])
        self.assertEqual([round(layer.marks[0].x, -2) for layer in times.layers], [2000, 1000, 2000, 1000])
        self.assertIn("empty tasks", costs.y.ticks[0][1])
        self.assertIn("1000", costs.y.ticks[1][1])

    def test_without_a_ring_for_all_there_is_nothing_to_hold_it_against(self):
        self.made.section("volt", "Volt's pool")
        self.add_room(256, 0.002, 744, 40)
        self.assertEqual(self.draw(), {})
        self.add_room(65536, 0.001, 0, threads=2)
        self.assertEqual(self.draw(), {})


if __name__ == "__main__":
    run_tests()
