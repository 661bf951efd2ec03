#!/usr/bin/python3
"""Figures and tables of the contention workload, from made-up runs: they show the run's values."""

import math
import unittest

from tests.plots.support import FolderTest, drawn, folder_of_class, rows_of, run_tests
from tests.plots.synthetic_contention import LATENCY, ContentionRun, contention_run

from harness.judging.cells import OWN_BLOCKS, ranked
from plots.data.contention import contention_cells, frequency_text
from harness.judging.histograms import Histogram, read_histograms
from harness.judging.run_folder import Run
from harness.judging.summaries import summarize
from plots.figures.picture import Picture

FIGURES = "contention_throughput", "contention_steals", "latency_distributions"


class Contention(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.usual = Run(contention_run(folder_of_class(cls) / "run", invocations=6))
        cls.found = drawn(cls.usual, *FIGURES)

    def draw(self, **settings):
        """Of the usual run, or of one with these settings."""
        self.made = self.found if not settings else drawn(
            Run(contention_run(self.folder / "run", **{"invocations": 6, **settings})), *FIGURES)

    def table(self, name):
        return rows_of(self.made[name][1])

    def caption(self, name):
        return self.made[name][1].caption

    def test_every_figure_stands_under_its_section(self):
        for name, (tag, _) in self.found.items():
            self.assertTrue(name.startswith(tag), name)

    def test_oversubscribed_is_said_where_it_is_and_only_there(self):
        self.draw()
        self.assertNotIn("oversubscribed", self.caption("5.2-throughput-throughput-thieves-1"))  # one thief
        self.assertIn("oversubscribed", self.caption("5.2-throughput-throughput-thieves-5"))  # five

    def test_at_least_once_is_marked_with_its_meaning(self):
        self.draw()
        self.assertIn("idempotent LIFO \N{DAGGER}", {row["deque"] for row in self.table("5.2-throughput-order-thieves-1")})
        self.assertIn("more than once", self.caption("5.2-throughput-throughput-thieves-1"))

    def test_order_tells_settled_from_not(self):
        self.draw(noise=0.0001)
        words = {(row["frequency"], row["deque"]): row["against the next"]
                 for row in self.table("5.2-throughput-order-thieves-1")}
        self.assertEqual(words["1 MHz", "BWoS LIFO"], "settled")  # 245 against Chase-Lev's 180
        self.draw(noise=0.5)
        words = [row["against the next"] for row in self.table("5.2-throughput-order-thieves-1")]
        self.assertIn("not settled", words)

    def test_five_invocations_settle_no_order(self):
        few = Run(contention_run(self.folder / "few", invocations=5, noise=0.0001))
        cells = [cell for cell in contention_cells(few, summarize(few))
                 if cell.tag == "5.2-throughput" and cell.params["frequency"] == "1000" and cell.params["thieves"] == "1"]
        self.assertEqual([settled for *_, settled in ranked(cells, "process", "total_operations")], [None] * 6)

    def test_relative_to_bwos_beside_the_thesis(self):
        name = "5.2-throughput-order-thieves-5-relative"
        for item, stated in ((8, False), (4, True)):  # the thesis's values are for items of 4 bytes
            self.draw(noise=0, item=item)
            row = next(row for row in self.table(name) if row["deque"] == "ABP")
            ours, theirs = 190e6 * (1 - 0.4), 250e6 * (1 - 0.1)
            self.assertEqual(row["total throughput"], f"{100 * (ours / theirs - 1):+.1f} %")
            self.assertEqual("-24.07 %" in self.made[name][1].rows[0], stated)
            self.assertEqual("by the table it does 1.32, 1.63 and 21.3 times as much" in self.caption(name), stated)
            self.assertNotIn("-24.07 %", str(self.table("5.2-throughput-order-thieves-1-relative")))

    def test_figure_5_6_has_its_two_ratios(self):
        self.draw(noise=0, block=256)
        rows = {row[0]: row[1:] for row in self.made["5.2-throughput-ratios-thieves-5"][1].rows}
        ours = 250 * 0.9 / (190 * 0.6), 250 * 0.9 / (200 * 0.5)
        self.assertEqual(rows["1 MHz"], [f"{ours[0]:.2f}", "\N{ALMOST EQUAL TO} 2", f"{ours[1]:.2f}",
                                         "\N{ALMOST EQUAL TO} 1.5"])
        self.assertEqual((rows["1 kHz"][1], rows["1 kHz"][3]), ("\N{ALMOST EQUAL TO} 2", ""))
        self.draw(noise=0)  # the thesis's had blocks of 256
        self.assertNotIn("5.2-throughput-ratios-thieves-5", self.made)

    def test_failed_steals_beside_the_thesis(self):
        self.draw(noise=0, thieves=(1, 2))
        for thieves, stated in ((1, ""), (2, "46 %")):  # the thesis had two
            rows = {row["deque"]: row for row in self.table(f"5.2-outcomes-outcomes-thieves-{thieves}-failed")}
            self.assertEqual(rows["Chase-Lev"]["empty"], "75.0 %")
            self.assertEqual(rows["Chase-Lev"]["lost race (thesis)"], stated)
            self.assertEqual(rows["mutex"]["empty"], "")  # none failed
        self.assertIn("95 and 7.5 %", self.caption("5.2-outcomes-outcomes-thieves-2-failed"))

    def test_a_crowd_gets_a_frame_each(self):
        self.draw(more_deques=8)
        self.assertIn("5.2-throughput-throughput-thieves-1-each", self.made)
        self.assertIn("other deques in pale grey", self.caption("5.2-throughput-throughput-thieves-1"))

    def test_whose_the_frequency_is_makes_pictures_of_their_own_and_is_said(self):
        self.draw(frequency_of=("thief", "all"), noise=0)
        for whose, words in (("thief", "frequencies each"), ("all", "frequencies of all thieves together")):
            caption = self.caption(f"5.2-throughput-throughput-frequency_of-{whose}-thieves-5")
            self.assertIn(words, caption)
        self.assertIn("steals attempted a second by all thieves together", caption)

    def blocks(self, name, sizes, deques=("bwos_lifo", "chase_lev")):
        """{picture's name: picture} of a run in which the first deque was measured at these sizes of blocks."""
        run = ContentionRun(self.folder / name, invocations=2)
        run.section("5.2-fig3", "Throughput")
        for deque in deques:
            for block in sizes if deque == deques[0] else [0]:
                for frequency in (1000, 100000, 1000000):
                    run.measured(["5.2-fig3"], deque, {"thieves": 1, "frequency": frequency, "block": block},
                                 {("process", "total_operations"): (2e8 / (1 + block), "operations/s")})
        return {name: made for name, (_, made) in drawn(Run(run.write()), FIGURES[0]).items() if isinstance(made, Picture)}

    def test_the_same_configuration_is_drawn_once(self):
        """BWoS at its own block size, and at the same named."""
        own = int(OWN_BLOCKS["bwos_lifo"])
        for sizes, lines in (((0, own), ["BWoS LIFO", "Chase-Lev"]), ((0, 256), ["BWoS LIFO", "BWoS LIFO, blocks of 256", "Chase-Lev"])):
            picture, = self.blocks(f"own{len(lines)}", sizes).values()
            self.assertEqual(sorted(picture.labels()), lines)

    def test_block_sizes_are_places_on_an_axis_and_no_lines(self):
        sizes = (8, 16, 32, 64, 128, 256, 512)
        picture = next(one for name, one in self.blocks("sizes", sizes).items() if name.endswith("-by-block"))
        for frame in picture.frames:
            self.assertEqual([int(text) for _, text in frame.x.ticks], list(sizes))
            self.assertLessEqual(len([layer for layer in frame.layers if layer.marks]), 3)

    def test_the_thesis_medians_stand_beside_its_thieves_and_frequency_alone(self):
        run = ContentionRun(self.folder / "steals", invocations=2)
        run.section("5.2-fig8", "Latency")
        for thieves, frequency in ((1, 100000), (5, 100000), (5, 20000)):
            name = run.measured(["5.2-fig8"], "chase_lev", {"thieves": thieves, "frequency": frequency, "sample": "steal"}, {})
            run.histogram(name, "thief", "steal_latency", 90)
        made = {name: one for name, (_, one) in drawn(Run(run.write()), FIGURES[2]).items() if isinstance(one, Picture)
                and "percentiles" not in name}
        self.assertEqual(len(made), 3)
        for name, picture in made.items():
            self.assertEqual("the thesis's median" in picture.labels(), "thieves-5-frequency-100000" not in name
                             and "frequency-100000-thieves-5" not in name, name)

    def test_quantiles_of_the_histograms(self):
        found = read_histograms(self.usual)
        for (cell, _, metric), histogram in found.items():
            median = LATENCY[self.usual.cells[cell]["deque"]] if self.usual.cells[cell]["deque"] in LATENCY else 90
            self.assertEqual(metric, "steal_latency")
            self.assertLess(abs(math.log(histogram.quantile(0.5) / median)), 0.05)
        self.assertEqual(len(found), len(LATENCY))

    def test_torn_and_unfinished_rows_of_histograms_do_not_count(self):
        before = read_histograms(self.usual)
        key = next(iter(before))
        with open(self.usual.folder / "histograms.csv", "a", encoding="utf-8") as file:
            file.write(f"{key[0]},thief,99,0,steal_latency,10,11,1000000,ns\n{key[0]},thief,0,0,steal_lat")
        self.assertEqual(read_histograms(self.usual)[key].count, before[key].count)


class Quantiles(unittest.TestCase):
    def test_within_a_bucket_by_proportion(self):
        histogram = Histogram([(0.0, 10.0, 50), (10.0, 30.0, 50)], "ns")
        self.assertEqual([histogram.quantile(part) for part in (0.25, 0.5, 0.75, 1.0)], [5.0, 10.0, 20.0, 30.0])
        self.assertEqual(histogram.tail(), [(10.0, 0.5), (30.0, 0.0)])

    def test_frequencies_as_words(self):
        self.assertEqual([frequency_text(value) for value in ("0", "20000", "1000000", "max", "500")],
                         ["0", "20 kHz", "1 MHz", "max", "500 Hz"])


if __name__ == "__main__":
    run_tests()
