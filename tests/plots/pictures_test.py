#!/usr/bin/python3
"""Modules of plots/pictures: found by looking, drawn, indexed, shown under their section, forgotten with their run."""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from support import FolderTest, run_tests
from synthetic_run import whole_run

import pictures
from pictures import Picture, Table, draw_pictures, modules, read_index
from report import report_html
from run_folder import Run
from sections import build_sections
from summarize import summarize


def made_up(tag, caption):
    def draw(_run, _sections, _summaries):
        import matplotlib.pyplot as pyplot
        figure, axes = pyplot.subplots()
        axes.plot([1, 2], [3, 4])
        yield tag, Picture("made_up", "A made-up picture", caption, figure)
        yield tag, Table("made_up_table", "A made-up table", "Of two rows.", ["deque", "ns"], [["<a>", "1.5"]], [1])
    return SimpleNamespace(draw=draw)


class Pictures(FolderTest):
    def setUp(self):
        super().setUp()
        self.run_read = Run(whole_run(self.folder / "run", invocations=4))
        self.summaries = summarize(self.run_read)
        self.sections = build_sections(self.run_read, self.summaries)
        self.figures = self.run_read.folder / "figures"
        self.modules, pictures.modules = pictures.modules, lambda: [made_up("fig6", "Why & how.")]

    def tearDown(self):
        pictures.modules = self.modules

    def draw(self):
        return draw_pictures(self.run_read, self.sections, self.summaries)

    def test_files_and_index(self):
        self.assertEqual([path.name for path in self.draw()], ["made_up.pdf", "made_up.svg", "made_up_table.csv"])
        self.assertTrue(all((self.figures / name).stat().st_size for name in ("made_up.pdf", "made_up.svg")))
        self.assertEqual((self.figures / "made_up_table.csv").read_text(), "deque,ns\n<a>,1.5\n")
        self.assertEqual([entry["name"] for entry in read_index(self.figures)], ["made_up", "made_up_table"])

    def test_the_report_shows_them_under_their_section(self):
        self.draw()
        text = report_html(self.run_read, self.summaries, self.sections)
        section = next(part for part in text.split("<section>") if "A made-up picture" in part)
        self.assertIn(next(one.title for one in self.sections if one.tag == "fig6"), section)
        self.assertIn("data:image/svg+xml;base64,", section)
        self.assertIn("Why &amp; how.", section)
        self.assertIn("&lt;a&gt;", section)

    def test_what_is_no_longer_drawn_is_removed(self):
        self.draw()
        pictures.modules = lambda: []
        self.draw()
        self.assertEqual(list(self.figures.glob("made_up*")), [])
        self.assertEqual(read_index(self.figures), [])

    def test_the_same_run_gives_the_same_bytes(self):
        self.draw()
        before = (self.figures / "made_up.svg").read_bytes()
        self.draw()
        self.assertEqual((self.figures / "made_up.svg").read_bytes(), before)


class Modules(unittest.TestCase):
    def test_every_module_draws(self):
        folder = Path(pictures.__file__).parent
        names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        self.assertEqual({module.__name__.rpartition(".")[2] for module in modules()}, names)
        with tempfile.TemporaryDirectory(prefix="plots-test-") as name:
            run = Run(whole_run(Path(name) / "run", invocations=2))
            summaries = summarize(run)
            sections = build_sections(run, summaries)
            for module in modules():  # a run that has nothing of theirs
                self.assertEqual(list(module.draw(run, sections, summaries)), [], module.__name__)


if __name__ == "__main__":
    run_tests()
