#!/usr/bin/python3
"""A run of more deques than one figure can name: every deque in colour once, the others behind it, and marks."""

import math
import random
import re

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.figures.pictures.operations import drawings_of
from plots.figures.groups import FLOOR, LINES_MAX, groups_of
from harness.judging.run_folder import Run
from plots.data.sections import build_sections

MANY = [("LIFO", "fixed"), ("LIFO", "growable"), ("FIFO", "fixed")]


def deques_of(count):
    """The usual ones and `count` more: of every order and bound, two that repeat items, a live original."""
    facts = {name: {"owner_order": "LIFO", "bound": "fixed", "delivery": "once", **about} for name, about in DEQUES.items()}
    for i in range(count):
        order, bound = MANY[i % 5 % 3]
        facts[f"deque_{i:02d}"] = {"title": f"Deque {i}", "source": "made up", "sound": "1", "reference": "0",
                                   "owner_order": order, "bound": bound,
                                   "delivery": "at_least_once" if i % 11 == 3 else "once"}
    facts["upstream/original"] = {"title": "An original", "source": "made up", "sound": "1", "reference": "0",
                               "owner_order": "LIFO", "bound": "fixed", "delivery": "once"}
    return facts


def many_deques(folder, count=24):
    run = SyntheticRun(folder, invocations=6, repetitions=1, deques=deques_of(count))
    chance = random.Random(7)
    each = {deque: math.exp(chance.uniform(0, 5)) for deque in run.deques}
    run.section("fig6", "Latency of push by batch size")
    run.section("fig7", "Latency of stealing a proportion of 10,000 items")
    for deque, cost in each.items():
        flags = "unsound" if deque.startswith("as_") else "emulated" if chance.random() < 0.4 else ""
        for batch in (1, 128, 512, 1024):
            run.cell(["fig6"], "push", deque, {"batch": batch, "push": "batch", "prelinked": "0"},
                     {"push_latency": (cost * batch ** 0.9, "ns")}, flags=flags)
        for percent in (10, 30, 60):
            run.cell(["fig7"], "steal", deque, {"percent": percent, "owner": "idle", "size": 10000},
                     {"steal_latency": (cost * percent * 100, "ns")}, flags=flags)
    return run.write()


class ManyDeques(FolderTest):
    def setUp(self):
        super().setUp()
        self.run_read = Run(many_deques(self.folder / "run"))
        self.sections = build_sections(self.run_read)

    def test_every_deque_is_named_once_and_stands_behind_elsewhere(self):
        for section in self.sections:
            panel = section.panels[0]
            groups = groups_of(panel)
            self.assertGreater(len(groups), 2)
            ranked = [series.name for series in panel.series if not series.reference]
            named = [series.name for _, part in groups for series in part.series if not series.reference]
            self.assertEqual(sorted(named), sorted(ranked))
            for _, part in groups:
                mine = {series.name for series in part.series if not series.reference}
                self.assertLessEqual(len(part.series), LINES_MAX)
                self.assertIn(FLOOR, [series.deque for series in part.series])
                self.assertEqual({series.name for series in part.behind},
                                 {series.name for series in panel.series
                                  if not series.reference and not series.unsound} - mine)
            self.assertEqual(sorted(str(value) for value in panel.published),
                             sorted(str(value) for _, part in groups for value in part.published))

    def test_groups_are_of_a_kind(self):
        titles = [drawing.group for drawing in drawings_of(self.sections) if drawing.section.tag == "fig7"]
        self.assertTrue(titles[0].startswith("the paper's queues"))
        self.assertTrue(any("FIFO" in title for title in titles))
        self.assertEqual(titles[-1], "as published")

    def test_a_legible_panel_stays_one_figure(self):
        run = SyntheticRun(self.folder / "few")
        run.section("fig7", "Few")
        for percent in (10, 60):
            run.cell(["fig7"], "steal", "abp", {"percent": percent}, {"steal_latency": (9.0 * percent, "ns")})
        few = build_sections(Run(run.write()))
        self.assertEqual([(drawing.name, drawing.group) for drawing in drawings_of(few)], [("fig7_steal", "")])

    def test_they_are_drawn_and_what_repeats_items_is_marked_everywhere(self):
        self.expect(0, "draw", self.run_read.folder)
        table = (self.run_read.folder / "table.txt").read_text(encoding="utf-8")
        report = (self.run_read.folder / "report.html").read_text(encoding="utf-8")
        for text in (table, report):
            self.assertIn("deque_03 \N{DAGGER}", text)
            self.assertIn("may hand an item out more than once", text)
            self.assertNotIn("deque_04 \N{DAGGER}", text)
        marked = 0
        for drawing in drawings_of(self.sections):
            svg = (self.run_read.folder / "figures" / f"{drawing.name}.svg").read_text(encoding="utf-8")
            for series in drawing.panel.series:
                self.assertIn(series.title, svg)
                self.assertEqual(bool(re.search(re.escape(series.title) + ".{0,3}\N{DAGGER}", svg)), series.repeats,
                                 series.title)
            self.assertIn("all other deques", svg)
            marked += "may hand an item out more than once" in svg
        self.assertGreater(marked, 0)


if __name__ == "__main__":
    run_tests()
