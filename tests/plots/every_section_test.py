#!/usr/bin/python3
"""All of paper.suite is drawn: no section without a figure, no frame with more lines than can be told apart, no file name for
two pictures."""

import unittest
from collections import Counter

from tests.plots.run_of_suite import lines_of, run_of_suite
from tests.plots.support import folder_of_class, run_tests

from plots.data.matrix import build_matrix
from harness.judging.run_folder import Run
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from plots.figures.drawing import made_of
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Picture
from plots.pages.table import section_lines, tables_of

CASES = ["push-1", "push-1024", "push-linked-1024", "pop", "pair", "steal-10", "steal-50", "steal-100", "steal-busy-100", "owner-1-max", "owner-5-max",
         *(f"{what}-{quantile}-1-100000" for what in ("push", "pop", "steal") for quantile in ("p50", "p99.9")), "memory",
         "fork-1", "fork-16", "quicksort-16", "uts-16", "nqueens-16", "duplicates-16", "walk-32", "dag-128", "knapsack-128"]


class EverySection(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = Run(run_of_suite(folder_of_class(cls) / "run", "paper"))
        cls.run_read, cls.summaries = run, (summaries := summarize(run))
        sections = build_sections(run, summaries)
        cls.made = list(made_of(run, sections, summaries))
        cls.blocks = {section.tag: "\n".join(section_lines(section, tables_of(cls.made)[section.tag])) for section in sections}

    def test_every_section_has_a_figure(self):
        drawn = {tag for tag, one in self.made if isinstance(one, Picture)}
        tags = {tag for tag, _, _ in lines_of("paper")[1]}
        self.assertGreater(len(tags), 40)
        self.assertEqual(tags - drawn, set())

    def test_every_name_is_one_picture(self):
        self.assertEqual([name for name, count in Counter(one.name for _, one in self.made).items() if count > 1], [])

    def test_titles_tell_the_pictures_of_a_section_apart(self):
        titles = Counter((tag, one.title) for tag, one in self.made if isinstance(one, Picture))
        self.assertEqual([title for title, count in titles.items() if count > 1], [])

    def test_no_frame_has_more_lines_than_can_be_told_apart(self):
        for _, one in self.made:
            for frame in one.frames if isinstance(one, Picture) else []:
                lines = [layer for layer in frame.layers if layer.label and layer.marks and layer.kind in ("curve", "points")]
                looks = {(layer.look.colour, layer.look.shape, layer.look.dash, layer.look.hollow, layer.size) for layer in lines}
                self.assertEqual(len(looks), len(lines), (one.name, frame.title, [layer.label for layer in lines]))
                boxes = [layer for layer in frame.layers if layer.label and layer.marks and layer.kind == "bars"]
                colours = {(layer.look.colour, layer.look.hollow, layer.look.hatched) for layer in boxes}
                self.assertEqual(len(colours), len(boxes), (one.name, [layer.label for layer in boxes]))
                self.assertLessEqual(len([layer for layer in lines if not layer.look.hollow]), LINES_MAX, (one.name, frame.title))

    def test_the_text_has_a_table_a_figure_of_the_thesis_with_its_values(self):
        for tag, values in {"5.2-fig2": ["push (ns)"], "5.2-fig3": ["deque", "1 MHz"], "5.2-fig5": ["\N{ALMOST EQUAL TO} 2"],
                            "5.2-table1": ["-38.51 %"], "5.2-table2": ["23768562"], "5.2-table3": ["54 %", "46 %"],
                            "5.2-fig8": ["116"], "5.2-fig9": ["106"]}.items():
            for value in values:
                self.assertIn(value, self.blocks[tag], tag)
            self.assertLess(self.blocks[tag].count("\n"), 160, tag)
            self.assertNotIn("total_operations", self.blocks[tag], tag)
        self.assertIn("ping_pong_time", self.blocks["5.2-places"])
        self.assertIn("run_time", self.blocks["fig9"])

    def test_the_matrix_has_every_case(self):
        names = [case.name for case in build_matrix(self.run_read, self.summaries).cases]
        for name in CASES:
            self.assertIn(name, names)


if __name__ == "__main__":
    run_tests()
