#!/usr/bin/python3
"""Figures: every one of every suite has its axes' names and units and every published point; what is drawn is what was measured; many
deques are told apart."""

import csv
import itertools
import math
import os
import random
import re
import shutil
import subprocess
import unittest
from collections import Counter

from harness.judging.metrics import main_ones
from harness.judging.run_folder import Run
from harness.judging.summaries import summarize
from harness.judging.words import NANOSECONDS
from plots.data.published import FOLDER
from plots.figures import drawing, gnuplot
from plots.figures.figure import Figure, Point, Table, Value
from plots.figures.layout import is_faint, legend_text, names_at_the_end, settled_axes, y_limits
from plots.figures.making import made_of
from plots.figures.scripts.operations import LOOPS
from plots.figures.styles import CLASSIC, LOOKS, lightness, look_of
from tests.plots.run_of_suite import SuiteRun
from tests.plots.support import ROOT, FolderTest, folder_of_class, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

WITHOUT_UNIT = re.compile(r"speed-up|times as fast|time over that|tasks|switches|steal|attempts|balance|share|operations a second|"
                          r"an operation")
PARTLY = set("5.2-block 5.2-duel 5.2-fig2 cold counters dag fig9-large parts policies push size volt waits walk walk-large".split())


def figures_of(run, summaries=None):
    made = list(made_of(run, summaries or summarize(run)))
    return made, [one for _, one in made if isinstance(one, Figure)]


class EverySuite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = folder_of_class(cls)
        cls.runs = {suite: Run(SuiteRun(folder / suite, suite).write()) for suite in ("smoke", "quick", "paper")}
        cls.summaries = {suite: summarize(run) for suite, run in cls.runs.items()}
        cls.made = {suite: figures_of(run, cls.summaries[suite]) for suite, run in cls.runs.items()}

    def test_every_section_has_a_figure_and_every_figure_a_name(self):
        for suite, (made, _) in self.made.items():
            drawn = {tag for tag, one in made if isinstance(one, Figure)}
            self.assertEqual({section["tag"] for section in self.runs[suite].manifest["sections"]} - drawn, set(), suite)
            self.assertEqual([name for name, count in Counter(one.name for _, one in made).items() if count > 1], [], suite)
            titles = Counter((tag, one.title) for tag, one in made)
            self.assertEqual([title for title, count in titles.items() if count > 1], [], suite)

    def test_no_cell_is_left_out(self):
        """A figure has the value of every cell of its section, but of loops without a deque, which its caption has; of walks by deques
        of no version of the posts it has the speed-up. Some cells of sections in PARTLY stand only in a table, or by the item."""
        for suite, partly in (("quick", set()), ("paper", PARTLY)):
            drawn = {(tag, f"{point.value.y * NANOSECONDS.get(axes.unit, 1):.9g}") for tag, figure in self.made[suite][0]
                     if isinstance(figure, Figure) for axes in figure.parts for one in axes.series for point in one.points}
            lacking, mains = set(), main_ones(self.summaries[suite])
            for one in mains:
                for tag in set(one.tags) - {"claims"}:
                    sampled = one.params.get("sample", "none") != "none"
                    if not (tag.endswith("-counted") or one.deque in LOOPS or one.metric == "steal_time" or sampled):
                        scale = NANOSECONDS.get(one.unit, 1e-6 if one.unit == "operations/s" else 1)
                        if tag == "walk" and one.deque not in ("empty", "locked", "phanes"):
                            alone = next((it for it in mains if (it.deque, it.params) == (one.deque, one.params | {"threads": "1"})), one)
                            scale = alone.median / one.median ** 2
                        if (tag, f"{one.median * scale:.9g}") not in drawn:
                            lacking.add(tag)
            self.assertEqual(lacking, partly, suite)

    def test_a_deque_that_failed_everywhere_stops_no_figure(self):
        """Published values of it have no place in rows of deques that were measured."""
        failed = SuiteRun(folder_of_class(type(self)) / "failed", "quick")
        for row in failed.rows:
            if row[2] == "chase_lev":
                row[9], row[11] = "", "crashed"
        for figure in figures_of(Run(failed.write()))[1]:
            for axes in figure.parts:
                if axes.order:
                    self.assertEqual({point.x for one in axes.series for point in one.points} - set(axes.order), set(), figure.name)
            gnuplot.data_text(figure.parts)

    def test_axes_have_names_and_units_and_points_are_numbers(self):
        for figure in itertools.chain(*(figures for _, figures in self.made.values())):
            self.assertTrue(figure.title and figure.caption, figure.name)
            for axes in figure.parts:
                self.assertTrue(axes.y and (axes.x or axes.rows), (figure.name, axes))
                self.assertTrue(axes.unit or WITHOUT_UNIT.search(axes.y), (figure.name, axes.y))
                for one in axes.series:
                    for point in one.points:
                        self.assertTrue(math.isfinite(point.value.y), (figure.name, one.name))
                        if point.value.low is not None:
                            self.assertTrue(point.value.low <= point.value.y <= point.value.high, (figure.name, one.name, point))

    def test_series_of_one_name_or_one_look_are_one(self):
        for figure in itertools.chain(*(figures for _, figures in self.made.values())):
            for axes in map(settled_axes, figure.parts):
                told = [one for one in axes.series if one.kind in ("line", "paper") and not is_faint(axes, one)]
                self.assertEqual(len({legend_text(one) for one in told}), len(told), (figure.name, [one.name for one in told]))
                looks = Counter((one.look, one.kind) for one in told)
                self.assertEqual([look for look, count in looks.items() if count > 1], [], (figure.name, [one.name for one in told]))

    def test_every_published_value_stands_in_a_figure_or_table(self):
        made, figures = self.made["paper"]
        shown = {f"{point.value.y:.6g}" for figure in figures for axes in figure.parts for one in axes.series if one.kind == "paper"
                 for point in one.points}
        texts = " ".join(text for _, one in made if isinstance(one, Table) for row in one.rows for text in map(str, row))
        texts += " ".join(one.caption for _, one in made) + " ".join(axes.title for figure in figures for axes in figure.parts)
        texts = texts.replace(",", "")
        for path in sorted(FOLDER.glob("*.csv")):
            if path.name != "claims.csv":
                for row in csv.DictReader(line for line in path.open(encoding="utf-8") if not line.startswith("#")):
                    value = float(row["value"])
                    found = (any(f"{value * scale:.6g}" in shown for scale in (1, 1e-3))
                             or re.search(rf"(?<![\d.])({abs(value):g}(?!\d)|{abs(value):.10g})", texts))
                    with self.subTest(path=path.name, row=row):
                        self.assertTrue(found)

    def test_all_kinds_are_drawn_by_both_programs(self):
        folder = folder_of_class(type(self))
        seen, first = set(), []  # a figure is drawn for each kind that smaller ones have not
        for figure in sorted(self.made["paper"][1], key=lambda one: len(one.parts)):
            kinds = {(axes.rows, axes.log, one.kind) for axes in figure.parts for one in axes.series}
            if kinds - seen:
                first.append(figure)
                seen |= kinds
        self.assertGreater(len(seen), 8)
        for figure in first:
            drawing.save(figure, folder)
            svg = (folder / f"{figure.name}.svg").read_text(encoding="utf-8")
            for axes in map(settled_axes, figure.parts):
                self.assertIn(axes.label.split()[0].replace("&", "&amp;"), svg, figure.name)
            gnuplot.save(figure, folder)
            if shutil.which("gnuplot"):
                done = subprocess.run(["gnuplot", f"{figure.name}.gp"], cwd=folder, capture_output=True, text=True, check=False,
                                      env={**os.environ, "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, ""), figure.name)
                self.assertTrue((folder / f"{figure.name}-gnuplot.pdf").exists())


class WhatIsDrawn(FolderTest):
    """One figure whose every number is known, as matplotlib draws it; gnuplot and the CSV golden_test.py has."""

    def figure(self):
        figure = Figure("known", "Known", "Of known numbers.")
        axes = figure.axes("batch", "push latency", unit="ns", log="xy")
        axes.line("lf_bulk", [(1, Value(10, 8, 15, 6)), (64, Value(700, 650, 900, 7))])
        axes.paper("paper: lf_bulk", "lf_bulk", [(1, 500, "< 500")])
        rows = figure.axes("deque", "time", unit="ms", rows=True)
        rows.bar("abp", "abp", Value(4, 3, 6, 6))
        rows.bar("chase_lev", "chase_lev", Value(5, 4.5, 5.25, 6), start=2)
        rows.mark("quartiles", "points", look_of("weir"), Point("abp", Value(2, 1, 3.5)))
        rows.mark("work", "spans", look_of("weir"), Point("chase_lev", Value(5.5), start=1.5))
        return figure

    def test_an_svg_says_the_same_numbers(self):
        figure = self.figure()
        drawing.save(figure, self.folder)
        _, lines, bars = re.split('<g id="axes_[12]">', (self.folder / "known.svg").read_text(encoding="utf-8"))
        numbers = r"([\d.]+) ([\d.]+) \n"

        def box(text):
            corners = re.search(r'id="patch_\d+">\s*<path d="M ' + "L ".join([numbers] * 3), text).groups()
            left, bottom, right, _, _, top = map(float, corners)
            return left, bottom, right, top

        def intervals(text):
            return [tuple(map(float, one)) for some in re.findall(r'<g id="LineCollection.*?</g>', text, re.DOTALL)
                    for one in re.findall(f"M {numbers}L {numbers}", some)]

        _, bottom, _, top = box(lines)
        low, high = y_limits(figure.parts[0])
        ends = [[round(low * (high / low) ** ((bottom - y) / (bottom - top)), 1) for y in (one[1], one[3])] for one in intervals(lines)]
        self.assertEqual(ends, [[8, 15], [650, 900]])
        left, _, right, _ = box(bars)
        low, high = y_limits(figure.parts[1])

        def value(x):
            return round(low + (high - low) * (float(x) - left) / (right - left), 2)

        self.assertEqual([(value(one[0]), value(one[2])) for one in intervals(bars)], [(3, 6), (4.5, 5.25), (1, 3.5)])
        rectangles = re.findall(rf'd="M {numbers}L {numbers}L {numbers}L {numbers}z\n" clip-path', bars)
        self.assertEqual([(value(one[0]), value(one[2])) for one in rectangles], [(0, 4), (2, 5)])
        (span,) = re.findall(r'<defs>\s*<path id="\w+" d="M ([\d.]+) \S+ \nL \S+ \S+ \nL ([\d.]+) ', bars)
        self.assertEqual(tuple(map(value, span)), (1.5, 5.5))
        for text in (">Known<", "push latency (ns)", "batch", "time (ms)", ">abp<", ">chase_lev<"):
            self.assertIn(text, lines + bars)

    def test_styles_for_papers_are_as_wide_as_a_column(self):
        for style, (column, *_) in drawing.STYLES.items():
            figure = self.figure()
            figure.columns = 1
            self.assertEqual(drawing.draw(figure, style).get_figwidth(), column)


def deques_of(count):
    """The usual ones and `count` more."""
    facts = {name: {"owner_order": "LIFO", "bound": "fixed", "delivery": "once", **about} for name, about in DEQUES.items()}
    for i in range(count):
        facts[f"deque_{i:02d}"] = {"title": f"Deque {i}", "source": "made up", "sound": "1", "reference": "0", "owner_order": "LIFO",
                                   "bound": "fixed", "delivery": "at_least_once" if i % 11 == 3 else "once"}
    return facts


def many_deques(folder, count=24):
    run = SyntheticRun(folder, invocations=6, repetitions=1, deques=deques_of(count))
    chance = random.Random(7)
    run.section("fig6", "Latency of push by batch size")
    run.section("fig7", "Latency of stealing a proportion of 10,000 items")
    for deque in run.deques:
        cost = math.exp(chance.uniform(0, 5))
        flags = "unsound" if deque.startswith("as_") else "emulated" if chance.random() < 0.4 else ""
        for batch in (1, 128, 512, 1024):
            run.cell(["fig6"], "push", deque, {"batch": batch, "push": "batch", "prelinked": "0"},
                     {"push_latency": (cost * batch ** 0.9, "ns")}, flags=flags)
        for percent in (10, 30, 60):
            run.cell(["fig7"], "steal", deque, {"percent": percent, "owner": "idle", "size": 10000},
                     {"steal_latency": (cost * percent * 100, "ns")}, flags=flags)
    return run.write()


class ManyDeques(FolderTest):
    def test_forty_are_one_picture_classic_ones_in_colour_others_grey_with_names(self):
        _, figures = figures_of(Run(many_deques(self.folder / "run", 40)))
        self.assertEqual([figure.name for figure in figures if figure.name.startswith("fig")], ["fig6_push", "fig7_steal"])
        for figure in figures[:2]:
            axes = figure.parts[-1]
            lines = [one for one in axes.series if one.kind == "line"]
            self.assertGreater(len(lines), 40)
            self.assertEqual({one.deque for one in lines if not is_faint(axes, one)}, {one.deque for one in lines} & set(CLASSIC))
            names = names_at_the_end(axes)
            self.assertEqual({one.name for one, *_ in names}, {one.name for one in lines if is_faint(axes, one)})
            places = [place for *_, place in names]
            self.assertGreater(min(b - a for a, b in zip(places, places[1:])), 0.015)
        papers = figures[1].parts[0]
        self.assertEqual(papers.log, "")
        self.assertEqual({one.deque for one in papers.series if one.kind == "line"}, {"lf_bulk", "taskflow_bounded", "taskflow_unbounded"})


class Looks(unittest.TestCase):
    def test_every_deque_of_the_repository_has_a_look_of_its_own(self):
        there = {str(path.relative_to(ROOT / "queues").with_suffix("")) for path in (ROOT / "queues").glob("*.h")
                 if "DEQUE_TRAITS" in path.read_text(encoding="utf-8")} - {"deque"}
        self.assertEqual(there - LOOKS.keys(), set())
        self.assertEqual(len(set(LOOKS.values())), len(LOOKS))

    def test_classic_is_what_the_driver_calls_so(self):
        traits = {str(path.relative_to(ROOT / "queues").with_suffix("")) for path in (ROOT / "queues").rglob("*.h")
                  if re.search(r"\.classic = true", path.read_text(encoding="utf-8"))}
        self.assertEqual(set(CLASSIC), traits)

    def test_classic_ones_are_told_apart_in_colour_and_in_grey(self):
        for one, other in itertools.combinations(map(look_of, CLASSIC), 2):
            self.assertTrue(one.colour != other.colour or one.shape != other.shape)
            lighter = abs(lightness(one.colour) - lightness(other.colour)) >= 12
            self.assertTrue(lighter or one.shape != other.shape or one.dash != other.dash)

    def test_variants_keep_their_colour_and_differ_without_it(self):
        looks = [look_of("bwos_lifo", variant, emulated) for variant in range(3) for emulated in (False, True)]
        self.assertEqual({look.colour for look in looks}, {look_of("bwos_lifo").colour})
        self.assertEqual(len({(look.shape, look.dash) for look in looks}), 6)


if __name__ == "__main__":
    run_tests()
