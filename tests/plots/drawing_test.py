#!/usr/bin/python3
"""Drawing: modules are found, files come in pairs, the index, the report, gnuplot's scripts, sizes for papers."""

import os
import re
import subprocess
from pathlib import Path

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_contention import contention_run
from tests.plots.synthetic_run import whole_run

from harness.judging.run_folder import Run
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from plots.figures import drawing, with_gnuplot, with_matplotlib
from plots.figures.drawing import draw_all, figures, read_index
from plots.figures.picture import (
    KINDS, Arrow, Axis, Field, Frame, Layer, Look, Mark, Picture, Rule, Table, Text, logarithmic_ticks, rows_axis)
from plots.figures.for_paper import STYLES
from plots.pages.report import report_html

MADE_UP = Picture("made_up", "A made-up picture", "Why & how.",
                  [Frame([Layer([Mark(1, 3), Mark(2, 4, 3.5, 5)], Look("#0072B2"), label="A")], Axis("x"), Axis("y"))])


def made_up(_run, _sections, _summaries):
    yield "fig6", MADE_UP
    yield "fig6", Table("made_up_table", "A made-up table", "Of two rows.", ["deque", "ns"], [["<a>", "1.5"]], [1])


class Pictures(FolderTest):
    def setUp(self):
        super().setUp()
        self.run_read = Run(whole_run(self.folder / "run", invocations=4))
        self.summaries = summarize(self.run_read)
        self.sections = build_sections(self.run_read, self.summaries)
        self.figures = self.run_read.folder / "figures"
        with_these = drawing.figures
        self.addCleanup(lambda: setattr(drawing, "figures", with_these))
        drawing.figures = lambda: [("made_up", made_up)]

    def draw(self):
        return draw_all(self.run_read, self.sections, self.summaries)

    def test_files_and_index(self):
        self.assertEqual([path.name for path in self.draw()], ["made_up.pdf", "made_up.svg", "made_up.csv", "made_up.dat",
                                                               "made_up.gp", "made_up_table.csv", "pictures.json"])
        self.assertIn("1\t3\t3\t3\t0\t\"\"\n2\t4\t3.5\t5\t0", (self.figures / "made_up.dat").read_text())
        self.assertEqual((self.figures / "made_up_table.csv").read_text(), "deque,ns\n<a>,1.5\n")
        self.assertEqual([entry["name"] for entry in read_index(self.figures)], ["made_up", "made_up_table"])

    def test_the_report_shows_them_under_their_section(self):
        self.draw()
        text = report_html(self.run_read, self.summaries, self.sections)
        section = next(part for part in text.split("<section>") if "A made-up picture" in part)
        self.assertIn(next(one.title for one in self.sections if one.tag == "fig6"), section)
        self.assertIn('role="img" aria-label="A made-up picture"><svg ', section)
        self.assertIn("Why &amp; how.", section)
        self.assertIn("&lt;a&gt;", section)

    def test_what_is_no_longer_drawn_is_removed(self):
        self.draw()
        drawing.figures = lambda: []
        self.draw()
        self.assertEqual(list(self.figures.glob("made_up*")), [])
        self.assertEqual(read_index(self.figures), [])

    def test_the_same_run_gives_the_same_bytes(self):
        self.draw()
        before = [path.read_bytes() for path in sorted(self.figures.iterdir())]
        self.draw()
        self.assertEqual([path.read_bytes() for path in sorted(self.figures.iterdir())], before)


def everything(folder):
    """One picture with every element that a picture may have."""
    marks = [Mark(1, 1, 0.8, 1.3, 0.2, "a [b] %s `c`"), Mark(10, 2, 1.5, 2.5), Mark(100, 0.5)]
    layers = [Layer(marks, Look("#0072B2", shape, "dashdot", hollow=shape == "diamond"), kind, f"{kind} \N{DAGGER}")
              for kind, shape in zip(KINDS, ["circle", "plus", "", "diamond", "star", "pentagon"], strict=True)]
    layers.append(Layer([], Look("#8A8A8A", hatched=True), "bars", "none of these"))
    frames = [Frame(layers, Axis("x", "log2", 0.1, 200), rows_axis(["one\ntwo", "three", "four"]), "A title", "both",
                    [Rule(2), Rule(1, False)], [Text(1, None, "top"), Text(1, 1, "here", "right")], [Arrow(1, 1, 1)],
                    (3, 20)),
              Frame([], Axis(low=-0.5, high=1.5), Axis(low=1.5, high=-0.5), field=Field([[1.0, None], [2.0, 3.0]], "ns")),
              Frame([], Axis("x", "asinh", 0, 100, [(0, "0 %"), (10, "10 %")], True), Axis(low=0, high=1),
                    says="nothing here")]
    return Picture("everything", 'Of "all" `date` that there is', "", frames, columns=2)


class BothPrograms(FolderTest):
    def gnuplot(self, script):
        done = subprocess.run(["gnuplot", script.name], cwd=script.parent, capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), script)
        made = script.with_name(f"{script.stem}-gnuplot.pdf").read_bytes()
        self.assertTrue(made.startswith(b"%PDF") and len(made) > 3000, script)

    def test_both_draw_whatever_a_picture_has(self):
        picture = everything(self.folder)
        paths = with_matplotlib.save(picture, self.folder) + with_gnuplot.save(picture, self.folder)
        self.assertEqual([path.suffix for path in paths], [".pdf", ".svg", ".dat", ".gp"])
        self.gnuplot(paths[3])
        svg = paths[1].read_text()
        for text in (*picture.labels(), "A title", "nothing here", "10 %", "top", "here", "ns"):
            self.assertIn(text, svg)
            self.assertIn(text, paths[3].read_text() + paths[2].read_text())

    def test_figures_of_real_runs_have_four_files_and_no_type_3_font(self):
        for make in (whole_run, contention_run):
            run = Run(make(self.folder / make.__name__, invocations=2))
            summaries = summarize(run)
            draw_all(run, build_sections(run, summaries), summaries)
            folder = run.folder / "figures"
            stems = {kind: {path.stem for path in folder.glob(f"*.{kind}")} for kind in ("pdf", "svg", "dat", "gp")}
            self.assertGreater(len(stems["pdf"]), 5)
            self.assertEqual(len(set(map(frozenset, stems.values()))), 1)
            for name in stems["pdf"]:
                self.assertNotIn(b"/Type3", (folder / f"{name}.pdf").read_bytes(), name)
                self.gnuplot(folder / f"{name}.gp")


class ForPapers(FolderTest):
    def test_axes_by_logarithms_name_their_numbers_and_never_by_exponents(self):
        for low, high in ((1, 2), (0.004, 0.04), (35, 260), (1e-3, 1e7), (1, 1e9), (9.5, 10.5), (20000, 23768600)):
            ticks = logarithmic_ticks(low, high)
            self.assertTrue(2 <= len(ticks) <= 12, (low, high, ticks))
            for place, text in ticks:
                self.assertTrue(low <= place <= high)
                self.assertNotIn("e", text)
        self.assertEqual(Frame([], Axis("x"), Axis("y")).says, "no value in this run")

    def test_a_paper_gets_its_columns_width_and_letters(self):
        for name, width in (("acm", 3.335), ("ieee", 3.487)):
            style = STYLES[name]
            with_matplotlib.save(style.fitted(MADE_UP), self.folder, style)
            text = (self.folder / "made_up.pdf").read_bytes()
            box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", text)
            self.assertAlmostEqual(float(box[1]) / 72, width, delta=0.02)
            self.assertIn(b"/FontFile2", text)  # TrueType, embedded
            self.assertNotIn(b"/Type3", text)

    def test_nothing_is_cut_off_in_a_column(self):
        """The last line of a long legend and the title above stand within the picture."""
        layers = [Layer([Mark(1, 3), Mark(2, 4)], Look("#0072B2"), label=f"a deque with a long name, {place}") for place in range(13)]
        frames = [Frame(layers, Axis("the words below"), Axis("the words beside"), "The words above")]
        for name in ("acm", "ieee", "slides"):
            style = STYLES[name]
            with_matplotlib.save(style.fitted(Picture("tall", "", "c", frames)), self.folder, style)
            svg = (self.folder / "tall.svg").read_text()
            left, top, width, height = map(float, re.search(r'viewBox="([^"]+)"', svg)[1].split())
            texts = re.findall(r'<text [^>]*transform="rotate\(-0 ([-\d.]+) ([-\d.]+)\)"', svg)
            self.assertGreater(len(texts), 15)
            size = style.size
            for x, y in texts:
                self.assertTrue(left <= float(x) <= left + width, (name, x))
                self.assertTrue(top + 0.6 * size <= float(y) <= top + height, (name, y, height))


class Figures(FolderTest):
    def test_every_module_has_figures_that_draw_nothing_of_a_run_without_theirs(self):
        folder = Path(drawing.pictures.__file__).parent
        modules = {draw.__module__.rpartition(".")[2] for _, draw in figures()}
        self.assertLessEqual({path.stem for path in folder.glob("*.py")} - {"__init__"}, modules)
        run = Run(whole_run(self.folder / "run", invocations=2))
        summaries = summarize(run)
        sections = build_sections(run, summaries)
        drawn = {name for name, draw in figures() if list(draw(run, sections, summaries))}
        self.assertEqual(drawn, {"operations", "frontier"})


if __name__ == "__main__":
    run_tests()
