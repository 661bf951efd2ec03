#!/usr/bin/python3
"""Figures over block sizes and capacities: a line is named by its deque, not by the first of its cells."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.run_folder import Run
from plots.data.sections import build_sections
from plots.data.summaries import summarize
from plots.figures.pictures import sweeps

DEQUES = {name: {"title": title, "sound": "1", "reference": "0"} for name, title in
          (("bwos_lifo", "BWoS LIFO"), ("bwos_fifo", "BWoS FIFO"))}


class Sweeps(FolderTest):
    def pictures(self, setting, values):
        run = SyntheticRun(self.folder / setting, invocations=2, deques=DEQUES)
        run.section("sizes", "Sizes")
        for deque in DEQUES:
            for value in values:
                run.cell(["sizes"], "push", deque, {"batch": 1, setting: value},
                         {"push_latency": (2.0 + 8 / value, "ns"), "push_latency_per_item": (2.0 + 8 / value, "ns")})
        read = Run(run.write())
        summaries = summarize(read)
        return [picture for _, picture in sweeps.draw(read, build_sections(read, summaries), summaries)]

    def test_a_line_over_block_sizes_is_the_deques(self):
        picture, = self.pictures("block", (8, 32, 128))
        layers = [layer for frame in picture.frames for layer in frame.layers if layer.label]
        self.assertEqual({layer.label for layer in layers}, {"BWoS LIFO", "BWoS FIFO"})
        for layer in layers:
            self.assertEqual([mark.x for mark in layer.marks], [8, 32, 128])
            self.assertAlmostEqual(layer.marks[0].y, 3.0, delta=0.3)

    def test_over_capacities_as_well(self):
        picture, = self.pictures("capacity", (64, 256, 1024))
        self.assertEqual(set(picture.labels()), {"BWoS LIFO", "BWoS FIFO"})
        self.assertIn("capacity", picture.frames[0].x.label)


if __name__ == "__main__":
    run_tests()
