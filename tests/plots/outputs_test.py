#!/usr/bin/python3
"""Table, figures and report from a made-up run: the same numbers everywhere, marks, missing values, bad input."""

import csv
import re
import unittest

from tests.plots.support import FolderTest, folder_of_class, run_tests
from tests.plots.synthetic_run import SyntheticRun, whole_run

from harness.formats import SAMPLE_COLUMNS
from plots.data.published import FOLDER, read_published, text_of


class WholeRun(unittest.TestCase):
    """Built and drawn once: every section, both methods, unsound and emulated deques, a crash, an empty section."""

    @classmethod
    def setUpClass(cls):
        cls.folder = whole_run(folder_of_class(cls) / "run", invocations=6)
        cls.warned = FolderTest().expect(0, "draw", cls.folder, "--wide").stderr
        cls.table = FolderTest().expect(0, "pages.table", cls.folder).stdout
        cls.report = (cls.folder / "report.html").read_text(encoding="utf-8")

    def test_one_command_makes_everything(self):
        for name in ("summary.csv", "scorecard.csv", "table.txt", "report.html"):
            self.assertTrue((self.folder / name).is_file(), name)
        kept = (self.folder / "table.txt").read_text(encoding="utf-8")
        self.assertEqual(self.table, f"{kept}\nfigures and a report of it: ./run.sh report {self.folder}\n")

    def test_wide_has_a_column_a_parameter(self):
        with open(self.folder / "wide.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertNotIn("params", rows[0])
        with open(self.folder / "summary.csv", encoding="utf-8") as file:
            packed = list(csv.DictReader(file))
        for wide, row in zip(rows, packed, strict=True):
            self.assertEqual({name: value for name, value in (one.split("=") for one in row["params"].split(";"))},
                             {name.removeprefix("param_"): value for name, value in wide.items() if name.startswith("param_") and value})

    def test_what_is_missing_is_said(self):
        self.assertRegex(self.table, r"lf_bulk +dag, threads=2 +crashed")
        self.assertRegex(self.table, r"array +steal, owner=busy, percent=10 20 30 40 50 60 +unsupported")
        self.assertRegex(self.table, r"Figure 10: nothing was measured for this one\n=+\n\nno values")
        self.assertIn("the process ended by a signal", self.report)
        self.assertIn("No values in this run", self.report)
        self.assertEqual(self.warned, "", "where there is something to draw")

    def test_the_report_is_one_file_whose_links_lead_somewhere(self):
        self.assertEqual(self.report.count("<svg "), len(list((self.folder / "figures").glob("*.svg"))))
        self.assertNotRegex(self.report, r'(src|href)="(https?:)?//')
        self.assertNotRegex(self.report, r"<script[^>]* src=|@import|url\((?!#)")
        for needed in ('name="viewport"', "prefers-color-scheme: dark", 'href="samples.csv"', 'href="summary.csv"',
                       "./run.sh synthetic", "a made-up processor"):
            self.assertIn(needed, self.report)
        ids = re.findall(r'\bid="([^"]+)"', self.report)
        self.assertEqual(len(ids), len(set(ids)))
        for target in re.findall(r"(?:href=['\"]#|url\(#)([^'\")]+)", self.report):
            self.assertIn(target, ids)

    def test_every_picture_has_its_title_as_alternative_text(self):
        titles = [title.strip() for title in re.findall(r'<figure [^>]*>\n<h3[^>]*>([^<]+)', self.report)]
        self.assertGreater(len({*titles} & {*self.table.splitlines()}), 5)
        self.assertEqual(re.findall('role="img" aria-label="([^"]+)"><svg ', self.report), titles)
        self.assertEqual(len(set(titles)), len(titles), "and no two have the same")

    def test_ascii_table_for_other_terminals(self):
        done = FolderTest().expect(0, "pages.table", self.folder, encoding="ascii")
        self.assertTrue(done.stdout.isascii())
        self.assertIn("~ 5000", done.stdout)

    def test_the_table_fits_a_wide_terminal(self):
        self.assertLessEqual(max(map(len, self.table.splitlines())), 120)


class Published(unittest.TestCase):
    def test_different_series_are_never_joined_to_a_range(self):
        values = [value for value in read_published("fig7") if value.x == "10"]
        self.assertNotIn(" to ", text_of(values))

    def test_every_file_cites_its_source_and_is_whole(self):
        for path in sorted(set(FOLDER.glob("*.csv")) - {FOLDER / "claims.csv"}):
            self.assertRegex(path.read_text(encoding="utf-8"), r"\A# .{40}")
            read_published("", path.name)


class BadInput(FolderTest):
    PROGRAMS = ("judging.summaries", "pages.table", "draw")

    def small_run(self, **settings):
        run = SyntheticRun(self.folder / "run", **settings)
        run.section("fig6", "Figure 6")
        run.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (5, "ns")})
        return run

    def every(self, code, says, *arguments):
        for program in self.PROGRAMS:
            self.expect(code, program, *arguments, says=says)

    def test_no_folder_no_manifest_no_samples(self):
        self.every(3, "manifest.json is not there", self.folder)
        run = self.small_run()
        (run.write() / "samples.csv").unlink()
        self.every(3, "nothing was measured", run.folder)

    def test_damaged_manifest_and_samples(self):
        run = self.small_run()
        for name, content, says in [("samples.csv", b"", "no complete invocation"), ("samples.csv", b"a,b,c\n1,2,3\n", "other columns"),
                                    ("samples.csv", b"\xff\xfe\x00", "cannot be read"), ("manifest.json", b"{", "damaged"),
                                    ("manifest.json", b"[]", "damaged"), ("manifest.json", b"null", "damaged")]:
            (run.write() / name).write_bytes(content)
            self.every(3, says, run.folder)
        run.rows = []
        self.every(3, "no complete invocation", run.write())

    def test_unknown_version(self):
        run = self.small_run()
        for run.manifest, says in (({"manifest_version": 99}, "manifest_version 99"),
                                   ({"samples": {"version": 7, "columns": SAMPLE_COLUMNS}}, "samples version 7")):
            self.every(3, says, run.write())

    def test_a_manifest_of_odd_shape_is_survived(self):
        run = self.small_run()
        run.manifest = {"cells": [1, {}], "sections": [None, {"title": "x"}], "deques": None, "machine": None}
        self.every(0, "", run.write())
        self.assertIn("Cells of no figure", self.program("pages.table", run.folder).stdout)

    def test_everything_crashed(self):
        run = SyntheticRun(self.folder / "run")
        run.section("fig6", "Figure 6")
        for batch in (1, 128):
            run.cell(["fig6"], "push", "chase_lev", {"batch": batch}, {"push_latency": (5, "ns")}, status="crashed")
        run.write()
        self.every(0, "", run.folder)
        self.expect(0, "pages.table", run.folder, says="crashed")
        self.expect(0, "draw", run.folder, says="nothing to draw (crashed)")
        self.assertIn("crashed", (run.folder / "report.html").read_text())

    def test_what_failed_is_nowhere_shown(self):
        """Values that a process gave before it crashed: absurd ones, so that whoever reads them shows them."""
        run = self.small_run()
        cell = run.cell(["fig6"], "contention", "abp", {"sample": "push", "case": "cycle", "thieves": 1, "frequency": 100000}, {
            ("owner", f"push_latency_{what}"): (5, "ns") for what in ("p50", "p99", "p99.9", "maximum")}, status="crashed", failing=(0,))
        run.histograms = [[cell, "owner", invocation, 0, "push_latency", lower, 2 * lower, 9, "ns"]
                          for invocation, lower in ((0, 7.7e55), (0, 1.54e56), (1, 20.0), (1, 40.0), (2, 20.0))]
        place = next(place for place, row in enumerate(run.rows) if row[0] == cell and row[6] == 0)
        run.rows[place:place] = [[*row[:6], 0, row[7], row[8], "7.7e+55", *row[10:]] for row in run.rows
                                 if row[0] == cell and row[6] == 1 and row[5] == "owner"]
        self.expect(0, "draw", run.write())
        self.assertTrue((run.folder / "figures" / "fig6-latency-tail.csv").exists())
        for path in run.folder.rglob("*"):
            if path.is_file() and path.name not in ("samples.csv", "histograms.csv"):
                self.assertNotRegex(path.read_text(encoding="latin-1"), r"e\+5\d|7[678]0{20}|1540{20}", path)

    def test_names_are_data_not_markup(self):
        run = SyntheticRun(self.folder / "run",
                           deques={"chase_lev": {"title": '<b>"\\ @COMMAND@ %s $x `y` \'q\' </script>'}})
        run.section("fig6", 'A <title> & "more" \\n @FILES@ {{ files }} </script>')
        for batch in (1, 128):
            run.cell(["fig6"], "push", "chase_lev", {"batch": batch}, {"push_latency": (5, "ns")})
        run.write()
        self.every(0, "", run.folder)
        text = (run.folder / "report.html").read_text()
        self.assertNotIn("<b>", text)
        self.assertIn("@FILES@", text)
        self.assertIn("{{ files }}", text)
        self.assertEqual(text.count("</script>"), 2)

    def test_other_workloads_under_a_figures_tag_and_untagged_cells(self):
        run = self.small_run()
        for deque in ("abp", "chase_lev"):
            run.cell(["fig6"], "pair", deque, {}, {"pair_latency": (6.5, "ns")})
        run.cell([], "pop", "chase_lev", {"take": "one"}, {"pop_latency": (8, "ns")})
        text = self.expect(0, "pages.table", run.write()).stdout
        self.assertIn("Latency of pair (Figure 6)", text)
        self.assertRegex(text, r"Cells of no figure\n=+\n\n(.*\n)*.*pop_latency")


if __name__ == "__main__":
    run_tests()
