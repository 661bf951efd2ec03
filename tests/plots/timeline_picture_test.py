#!/usr/bin/python3
"""Timelines, from a made-up run: who is shown, for how long, and what the caption adds up."""

import csv

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.figures.pictures import timeline
from plots.data.run_folder import Run

# worker: {state: [(from, to)]} in ns
SPANS = {"worker0": {"timeline_work": [(0, 600), (800, 1000)], "timeline_steal": [(600, 800)]},
         "worker1": {"timeline_search": [(0, 100)], "timeline_work": [(100, 500)], "timeline_sleep": [(500, 1000)]}}


class Timeline(FolderTest):
    def run_with(self, invocations):
        run = SyntheticRun(self.folder / "run", invocations=1, noise=0)
        run.section("uts", "Trees")
        name = run.cell(["uts"], "uts", "chase_lev", {"tree": "T3", "threads": 2}, {"run_time": (1e-6, "s")})
        run.cell(["uts"], "uts", "locked", {"tree": "T3", "threads": 2}, {"run_time": (1e-6, "s")})
        folder = run.write()
        with open(folder / "histograms.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow("cell role invocation repetition metric lower upper count unit".split())
            for role, states in SPANS.items():
                for metric, spans in states.items():
                    writer.writerows([name, role, invocations, 0, metric, lower, upper, 1, "ns"]
                                     for lower, upper in spans)
        return Run(folder)

    def test_every_worker_has_a_line_and_its_time_adds_up(self):
        (tag, picture), = timeline.draw(self.run_with(0), [], [])
        self.assertEqual(tag, "uts")
        self.assertIn("chase_lev", picture.title)
        self.assertIn("works 60.0 %, looks, and steals 10.0 %, looks in vain 5.0 %, sleeps 25.0 %", picture.caption)
        frame, = picture.frames
        self.assertEqual([text for _, text in frame.y.ticks], ["worker 0", "worker 1"])
        self.assertEqual((frame.x.low, frame.x.high), (0, 1))
        self.assertIn("\N{MICRO SIGN}s", frame.x.label)

    def test_an_invocation_that_did_not_end_is_not_shown(self):
        self.assertEqual(list(timeline.draw(self.run_with(1), [], [])), [])


if __name__ == "__main__":
    run_tests()
