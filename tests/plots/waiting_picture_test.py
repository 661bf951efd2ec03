#!/usr/bin/python3
"""How long tasks waited, from a made-up run: rows, tails and table show what the run says, and a stamped run's time is
nobody's time."""

import csv

from tests.plots.support import FolderTest, rows_of, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.data.run_folder import Run
from plots.data.speedup import curves_of
from plots.data.summaries import summarize
from plots.figures.picture import Picture, Table
from plots.figures.pictures import application_times, waiting

ORDERS = {"chase_lev": "LIFO", "locked": "LIFO", "lf_bulk": "FIFO"}


class Waiting(FolderTest):
    def setUp(self):
        super().setUp()
        deques = {name: {**facts, "owner_order": ORDERS.get(name, "LIFO")} for name, facts in DEQUES.items()}
        self.made = SyntheticRun(self.folder / "run", invocations=2, noise=0, deques=deques)
        self.made.section("waits", "Waiting")
        self.buckets = []

    def add(self, deque, p50, longest, waits="1", **params):
        scale = {"p50": p50, "p90": p50, "p99": p50 * 10, "p99.9": longest, "maximum": longest}
        metrics = {f"task_wait_{name}": (value, "ns") for name, value in scale.items()}
        metrics |= {"task_wait_count": (1000.0, "tasks"), "task_wait_moved_count": (250.0, "tasks"),
                    "task_wait_moved_p50": (3000.0, "ns"), "task_wait_moved_p99": (4000.0, "ns"),
                    "task_wait_maximum_of_run": (0.25, "ratio"), "tasks_starved": (1.5, "percent")}
        name = self.made.cell(["waits"], "uts", deque, {"threads": 2, "waits": waits, **params},
                              {"run_time": (1.0, "s"), **(metrics if waits == "1" else {})})
        for row in self.made.rows:
            if row[0] == name and row[8].startswith("task"):
                row[5] = "worker"
            elif row[0] == name and row[8] == "run_time":
                row[5] = "pool"
        self.buckets += [[name, "worker", invocation, 0, "task_wait", lower, upper, count, "ns"]
                         for invocation in range(2)
                         for lower, upper, count in ((p50, p50 * 1.1, 999), (longest, longest * 1.1, 1))]

    def draw(self):
        folder = self.made.write()
        with open(folder / "histograms.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow("cell role invocation repetition metric lower upper count unit".split())
            writer.writerows(self.buckets)
        self.run_read = Run(folder)
        self.summaries = summarize(self.run_read)
        return {made.name: made for _, made in waiting.draw(self.run_read, [], self.summaries)}

    def test_rows_show_median_tail_and_the_longest_the_shortest_tail_on_top(self):
        self.add("chase_lev", 500.0, 9e6)
        self.add("lf_bulk", 100.0, 8e8)
        picture = self.draw()["waits-uts-waits"]
        frame, = picture.frames
        self.assertEqual([text for _, text in frame.y.ticks], ["LF bulk list (FIFO)", "Chase-Lev (LIFO)"])
        longest = next(layer for layer in frame.layers if layer.label == "the longest")
        self.assertEqual({mark.y: mark.x for mark in longest.marks}, {0: 8e5, 1: 9e3})
        self.assertEqual([text for _, text in frame.x.ticks][:2], ["100 ns", "1 \N{MICRO SIGN}s"])

    def test_tails_end_with_the_longest(self):
        self.add("chase_lev", 500.0, 9e6)
        frame, = self.draw()["waits-uts-waits-tail"].frames
        self.assertEqual([(mark.x, round(mark.y, 6)) for mark in frame.layers[0].marks], [(0.5, 1.0), (9000.0, 0.001)])

    def test_table_names_order_starved_and_moved(self):
        self.add("chase_lev", 500.0, 9e6)
        row, = rows_of(self.draw()["waits-uts-waits-table"])
        self.assertEqual([row[name] for name in ("order", "p50", "longest", "of the run", "starved", "moved", "moved p50")],
                         ["LIFO", "0.500", "9000", "25.0 %", "1.50 %", "25.0 %", "3.00"])

    def test_every_setting_has_a_frame_and_a_tail_of_its_own(self):
        for victims in ("random", "nearest"):
            for deque in ("chase_lev", "lf_bulk"):
                self.add(deque, 500.0, 9e6, victims=victims)
        found = self.draw()
        self.assertEqual([frame.title for frame in found["waits-uts-waits"].frames], ["victims=random", "victims=nearest"])
        self.assertIn("waits-uts-waits-tail-victims-nearest", found)
        self.assertEqual(sum(isinstance(one, Table) for one in found.values()), 1)
        self.assertEqual(sum(isinstance(one, Picture) for one in found.values()), 3)

    def test_an_axis_has_more_than_one_tick_however_many_frames(self):
        for victims in ("random", "nearest", "longest"):
            self.add("chase_lev", 5000.0, 3e6, victims=victims)
        for frame in self.draw()["waits-uts-waits"].frames:
            self.assertGreater(len(frame.x.ticks), 1)

    def test_time_of_a_stamped_run_stands_in_no_figure_of_times(self):
        for waits in ("0", "1"):
            self.add("chase_lev", 500.0, 9e6, waits=waits)
            self.add("locked", 500.0, 9e6, waits=waits)
        self.draw()
        self.assertEqual({curve.params["waits"] for curve in curves_of(self.run_read, self.summaries)}, {"0"})
        (_, picture), = application_times.draw(self.run_read, [], self.summaries)
        self.assertEqual(len(picture.frames[0].layers), 2)

    def test_more_settings_than_deques_are_rows_and_short_spans_have_ticks(self):
        for victims in ("random", "nearest", "longest", "sequential", "two_choices"):
            self.add("chase_lev", 2e8, 4e9, victims=victims, steal="one", slot=0, turns=0)
            self.add("chase_lev", 2e8, 4e9, victims=victims, steal="half", slot=1, turns=1)
        found = self.draw()
        frame, = found["waits-uts-waits"].frames
        self.assertEqual(frame.title, "Chase-Lev (LIFO)")
        rows = [text for _, text in frame.y.ticks]
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[0], "steal=one, victims=longest", "what is switched off is not told")
        self.assertFalse([name for name in found if "tail" in name])
        self.assertGreaterEqual(len(waiting.time_axis(2e5, 2e6, 1).ticks), 3)


if __name__ == "__main__":
    run_tests()
