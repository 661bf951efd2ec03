#!/usr/bin/python3
"""Whom to rob, and what to do when there is nothing: made-up runs in, the numbers that they must show out."""

from tests.plots.application_pictures_test import ApplicationRuns
from tests.plots.support import rows_of, run_tests

BAG = {"tasks": 1000, "mean": 100, "cost": "heavy", "threads": 4, "steal": "one", "idle": "sleep", "pool": "general"}
WORKER = {"steals": 100, "attempts_empty": 40, "attempts_lost": 10, "attempts_busy": 0, "steal_time_median": 300,
          "steal_time_p99": 9000, "jain_tasks": 0.9, "jain_work": 0.8}


class Policies(ApplicationRuns):
    modules = ("victim_policies",)

    def add_policies(self, deque, **seconds):
        for policy, time in seconds.items():
            self.add("policies", "bag", deque, {**BAG, "victims": policy}, time, workers=WORKER)

    def test_a_policy_is_held_against_random_victims_of_the_same_deque(self):
        self.made.section("policies", "Whom to rob")
        self.add_policies("bwos_lifo", random=1.5, probabilistic=1.0, sequential=1.5)
        self.add_policies("chase_lev", random=1.0, probabilistic=1.0, sequential=2.0)
        found = self.draw()
        tag, table = found["policies-bag-victims-table"]
        self.assertEqual(tag, "policies")
        rows = {(row["deque"], row["victims"]): row for row in rows_of(table)}
        self.assertEqual(len(rows), 6)
        bwos = next(row for (deque, policy), row in rows.items() if "bwos" in deque.lower() and policy == "probabilistic")
        self.assertAlmostEqual(float(bwos["ratio"]), 1 / 1.5, delta=0.03)
        self.assertEqual(bwos["verdict"], "faster")
        self.assertEqual(float(bwos["failed a steal"]), 0.5)
        self.assertEqual(float(bwos["balance of tasks"]), 0.9)
        self.assertEqual(float(bwos["balance of time"]), 0.8)
        self.assertEqual(float(bwos["a steal, median (ns)"]), 300)
        slower = [row["verdict"] for (deque, policy), row in rows.items() if policy == "sequential" and "bwos" not in deque.lower()]
        self.assertEqual(slower, ["slower"])
        self.assertEqual([row["ratio"] for (_, policy), row in rows.items() if policy == "random"], ["", ""])

    def test_a_frame_a_measure_and_a_row_a_policy(self):
        self.made.section("policies", "Whom to rob")
        self.add_policies("bwos_lifo", random=1.5, probabilistic=1.0, longest=1.2)
        self.add_policies("chase_lev", random=1.0, probabilistic=1.0, longest=1.1)
        _, picture = self.draw()["policies-bag-victims"]
        self.assertEqual(len(picture.frames), 4)
        self.assertEqual([text for _, text in picture.frames[0].y.ticks], ["random", "longest", "probabilistic"])
        self.assertEqual([len(layer.marks) for layer in picture.frames[0].layers], [3, 3])
        self.assertAlmostEqual(picture.frames[0].layers[0].marks[0].x, 1500, delta=30)

    def test_of_many_deques_eight_are_drawn_together(self):
        self.made.section("policies", "Whom to rob")
        for number in range(11):
            self.add_policies(f"deque{number}", random=1.0, probabilistic=1.0, longest=1.0)
        found = self.draw()
        self.assertEqual(len(found["policies-bag-victims"][1].labels()), 8)
        self.assertEqual(len(found["policies-bag-victims-2"][1].labels()), 3)

    def test_failed_steals_have_an_axis_with_numbers_apart_and_a_crowd_is_said(self):
        self.made.section("policies", "Whom to rob")
        for policy, empty in (("random", 3000), ("longest", 40), ("probabilistic", 0)):
            self.add("policies", "bag", "chase_lev", {**BAG, "victims": policy}, 1.0, workers={**WORKER, "attempts_empty": empty})
        _, picture = self.draw()["policies-bag-victims"]
        failed = picture.frames[2].x
        self.assertEqual([text for _, text in failed.ticks], ["0", "1", "10"])
        self.assertNotIn("more workers than processors", picture.caption)
        for row in self.made.rows:
            row[12] = "oversubscribed"
        _, picture = self.draw()["policies-bag-victims"]
        self.assertIn("more workers than processors", picture.caption)

    def test_two_policies_or_one_worker_are_no_question(self):
        self.made.section("policies", "Whom to rob")
        self.add_policies("bwos_lifo", random=1.5, probabilistic=1.0)
        for policy in ("random", "longest", "probabilistic"):
            self.add("policies", "bag", "chase_lev", {**BAG, "threads": 1, "victims": policy}, 1.0, workers=WORKER)
        self.assertEqual(self.draw(), {})

    def test_ways_of_being_idle(self):
        self.made.section("idle", "Idle")
        for way, time in (("spin", 1.0), ("yield_each", 2.0), ("sleep", 1.0)):
            self.add("idle", "bag", "chase_lev", {**BAG, "victims": "random", "idle": way}, time, workers=WORKER)
        rows = {row["idle"]: row for row in rows_of(self.draw()["idle-bag-idle-table"][1])}
        self.assertEqual(rows["yield_each"]["verdict"], "slower")
        self.assertEqual(rows["spin"]["verdict"], "not told apart")
        for row in [row for row in self.made.rows if row[8] == "run_time"]:
            self.made.rows.insert(self.made.rows.index(row), [*row[:8], "processor_time", "2.5", "s", "ok", ""])
        _, picture = self.draw()["idle-bag-idle"]
        self.assertEqual(picture.frames[1].x.label, "processor time of all workers (ms)")
        self.assertEqual({round(mark.x) for layer in picture.frames[1].layers for mark in layer.marks}, {2500})


class Distribution(ApplicationRuns):
    modules = ("static_distribution",)

    def test_a_frame_a_cost_and_a_row_an_arrangement(self):
        self.made.section("static", "Static")
        times = {("none", "one"): 2.0, ("none", "each"): 1.5, ("random", "each"): 1.0}
        for cost in ("uniform", "heavy"):
            for (victims, first), time in times.items():
                for deque in ("chase_lev", "locked"):
                    self.add("static", "bag", deque, {**BAG, "cost": cost, "victims": victims, "first": first}, time)
        [(tag, picture)] = self.draw().values()
        self.assertEqual((tag, len(picture.frames)), ("static", 2))
        for frame in picture.frames:
            self.assertEqual([text for _, text in frame.y.ticks or []][-1:] and len(frame.y.ticks), 3)
            found = sorted(round(mark.x, -2) for layer in frame.layers for mark in layer.marks)
            self.assertEqual(found, [1000, 1000, 1500, 1500, 2000, 2000])

    def test_stealing_alone_is_no_comparison(self):
        self.made.section("static", "Static")
        for first in ("one", "each"):
            self.add("static", "bag", "chase_lev", {**BAG, "victims": "random", "first": first}, 1.0)
        self.assertEqual(self.draw(), {})


if __name__ == "__main__":
    run_tests()
