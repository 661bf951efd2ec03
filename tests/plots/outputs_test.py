#!/usr/bin/python3
"""Table, figures and report from a made-up run: the same numbers everywhere, marks, missing values, bad input."""

import html.parser
import lzma
import re
import tempfile
import unittest
from pathlib import Path

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun, whole_run

from harness.formats import SAMPLE_COLUMNS
from plots.figures.pictures.operations import caption_of, drawings_of
from plots.figures.styles import UNSOUND
from plots.pages.findings import finding
from plots.pages.table import section_lines
from plots.data.published import FOLDER, read_published, text_of
from harness.judging.run_folder import Run
from plots.data.sections import build_sections
from harness.judging.words import is_reference


class WholeRun(unittest.TestCase):
    """Built and drawn once: every section, both methods, unsound and emulated deques, a crash, an empty section."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="plots-test-")
        cls.folder = whole_run(Path(cls.temporary.name) / "run", invocations=6)
        cls.run_read = Run(cls.folder)
        cls.sections = {section.tag: section for section in build_sections(cls.run_read)}
        test = FolderTest()
        cls.drawn = test.expect(0, "draw", cls.folder).stdout
        cls.table = test.expect(0, "pages.table", cls.folder).stdout
        cls.report = (cls.folder / "report.html").read_text(encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def svg(self, name):
        return (self.folder / "figures" / f"{name}.svg").read_text(encoding="utf-8")

    def test_one_command_makes_everything(self):
        for name in ("summary.csv", "scorecard.csv", "benchmark.json", "table.txt", "report.html"):
            self.assertTrue((self.folder / name).is_file(), name)
        self.assertEqual((self.folder / "table.txt").read_text(encoding="utf-8"), self.table)

    def test_of_a_long_table_the_terminal_gets_five_sentences_alone(self):
        self.assertGreater(len(self.table.splitlines()), 100)
        self.assertEqual(self.drawn, FolderTest().expect(0, "pages.conclusions", self.folder).stdout)
        self.assertEqual(len(self.drawn.splitlines()), 6)
        self.assertIn(f"Open {self.folder / 'report.html'}\n", self.drawn)

    def test_methods_never_share_a_panel_of_curves(self):
        panels = self.sections["fig6"].panels
        self.assertEqual([panel.settings for panel in panels], [{"method": "corrected"}, {"method": "published"}])
        for panel in panels:
            self.assertEqual({series.params["method"] for series in panel.series}, {panel.settings["method"]})

    def test_variants_are_series_of_their_own(self):
        names = [series.name for series in self.sections["fig6"].panels[0].series]
        for name in ("lf_bulk, linked before", "lf_bulk, linking timed", "taskflow_bounded, single push",
                     "taskflow_bounded, batch push", "abp (emulated)", "as_published/lf_queue UNSOUND"):
            self.assertIn(name, names)
        self.assertEqual(len(names), len(set(names)))

    def test_published_values_stand_beside_what_the_paper_measured(self):
        panel = self.sections["fig6"].panels[0]
        beside = {series.name: text_of(panel.published_for(series, "1024")) for series in panel.series}
        self.assertEqual(beside["lf_bulk, linked before"], "< 500")
        self.assertEqual(beside["taskflow_bounded, single push"], "\N{ALMOST EQUAL TO} 5000")
        self.assertEqual(beside["taskflow_bounded, batch push"], "")
        self.assertEqual(beside["lf_bulk, linking timed"], "")
        for batch in ("1", "128", "512"):  # of the list the bound is stated for every batch, of the others nothing
            self.assertEqual({series.name for series in panel.series if text_of(panel.published_for(series, batch))},
                             {"lf_bulk, linked before"})

    def test_published_values_are_left_out_where_conditions_differ(self):
        by_owner = {panel.settings["owner"]: panel for panel in self.sections["fig7"].panels}
        self.assertTrue(by_owner["idle"].published)
        self.assertFalse(by_owner["busy"].published)

    def test_the_pop_range_belongs_to_the_published_method(self):
        panel = self.sections["pop"].panels[0]
        series = next(series for series in panel.series if series.deque == "taskflow_bounded")
        self.assertEqual(text_of(panel.published_for(series, "published")), "\N{ALMOST EQUAL TO} 213 to 216")
        self.assertEqual(panel.published_for(series, "corrected"), [])

    def test_the_papers_points_are_those_published(self):
        blocks = (self.folder / "figures" / "fig7_steal.dat").read_text().split("\n\n\n")
        drawn = [line.split("\t")[:2] for block in blocks if block.startswith("# paper:")
                 for line in block.splitlines()[1:]]
        stated = [[value.x, format(value.value / 1000, "g")] for value in read_published("fig7")
                  if value.metric == "steal_latency"]
        self.assertEqual(sorted(drawn), sorted(stated))

    def test_every_figure_is_there(self):
        names = {path.stem for path in (self.folder / "figures").glob("*.svg")}
        groups = [f"fig6_push{method}{group}" for method in ("", "-method-published")
                  for group in ("", "-LIFO-growing", "-as-published")]
        self.assertEqual(names, {*groups, "fig7_steal", "fig7_steal-owner-busy", "fig8_optimised_steal", "pop", "frontier"})

    def test_marks_are_in_the_pictures(self):
        for name, marks in (("fig6_push", ("paper: LF_Queue", "&lt; 500", "5000", "(no synchronisation)")),
                            ("fig6_push-LIFO-growing", ("(emulated)", "mutex", "stroke-dasharray")),
                            ("fig6_push-as-published", ("UNSOUND", UNSOUND.colour.lower()))):
            for mark in marks:
                self.assertIn(mark, self.svg(name))

    def test_a_section_without_a_figure_gets_a_table_everywhere(self):
        for text in (self.table, self.report):
            self.assertIn("Figure 9: exploring a graph", text)
            self.assertIn("tasks_per_second", text)

    def test_what_is_missing_is_said(self):
        self.assertRegex(self.table, r"lf_bulk +dag, threads=2 +crashed")
        self.assertRegex(self.table, r"array +owner busy, percent: 10, 20, 30, 40, 50, 60 +unsupported")
        self.assertRegex(self.table, r"Figure 10: nothing was measured for this one\n=+\n\nno values")
        self.assertIn("the process ended by a signal", self.report)
        self.assertIn("No values in this run", self.report)

    def test_the_report_is_one_file_and_well_formed(self):
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

        class Balance(html.parser.HTMLParser):
            void = {"meta", "br", "path", "use", "circle", "rect", "line", "hr", "link", "img", "input", "wbr"}
            may_stay_open = ["tr", "th", "td"]  # HTML ends these by what follows
            stack = []

            def close(self, tags):
                while self.stack and self.stack[-1] in tags:
                    self.stack.pop()

            def handle_starttag(self, tag, attributes):
                if tag in self.may_stay_open:
                    self.close(self.may_stay_open[0 if tag == "tr" else 1:])
                if tag not in self.void:
                    self.stack.append(tag)

            def handle_endtag(self, tag):
                if tag in ("tbody", "thead", "tr"):
                    self.close([other for other in self.may_stay_open if other != tag])
                if tag not in self.void:
                    assert self.stack and self.stack.pop() == tag, (tag, self.getpos())

        checker = Balance()
        checker.feed(re.sub(r"<[^<>]*/>", "", self.report))
        self.assertEqual(checker.stack, [])

    def test_every_picture_has_its_title_as_alternative_text(self):
        titles = [title.strip() for title in re.findall(r'<figure [^>]*>\n<h3[^>]*>([^<]+)', self.report)]
        self.assertGreater(len(titles), 8)
        self.assertEqual(re.findall('role="img" aria-label="([^"]+)"><svg ', self.report), titles)
        self.assertEqual(len(set(titles)), len(titles), "and no two have the same")

    def test_ascii_table_for_other_terminals(self):
        done = FolderTest().expect(0, "pages.table", self.folder, environment={"PYTHONIOENCODING": "ascii"})
        self.assertTrue(done.stdout.isascii())
        self.assertIn("~ 5000", done.stdout)

    def test_the_table_fits_a_wide_terminal(self):
        self.assertLessEqual(max(map(len, self.table.splitlines())), 120)


class Findings(FolderTest):
    def panel_of(self, latencies, deques=None, noise=0.005, invocations=7):
        run = SyntheticRun(self.folder / "run", invocations=invocations, noise=noise, deques=deques)
        run.section("fig6", "push")
        for deque, by_batch in latencies.items():
            for batch, value in by_batch.items():
                run.cell(["fig6"], "push", deque, {"batch": batch}, {"push_latency": (value, "ns")})
        section = build_sections(Run(run.write()))[0]
        return section, section.panels[0]

    def test_it_follows_the_data(self):
        text = finding(*self.panel_of({"chase_lev": {1: 2.0, 128: 200.0}, "abp": {1: 5.0, 128: 6.0}}))
        self.assertRegex(text, r"batch of 1 Chase-Lev is the fastest.*batch of 128 ABP is the fastest")
        self.assertRegex(text, r"ABP changes least \(×1\.[12]\d\) and Chase-Lev most \(×(9\d\.\d|10\d)\)")
        turned = finding(*self.panel_of({"abp": {1: 2.0, 128: 200.0}, "chase_lev": {1: 5.0, 128: 6.0}}))
        self.assertRegex(turned, r"batch of 1 ABP is the fastest.*batch of 128 Chase-Lev is the fastest")

    def test_what_the_intervals_do_not_tell_apart_is_not_ranked(self):
        text = finding(*self.panel_of({"chase_lev": {1: 5.0}, "abp": {1: 5.0}, "lf_bulk": {1: 50.0}}))
        self.assertRegex(text, r"(Chase-Lev|ABP) comes first \(.*\), not told apart from (ABP|Chase-Lev)\.")
        alike = finding(*self.panel_of({"chase_lev": {1: 5.0}, "abp": {1: 5.0}}))
        self.assertIn("no deque is told apart from the fastest", alike)

    def test_what_is_not_settled_is_not_called_alike(self):
        wide = finding(*self.panel_of({"chase_lev": {1: 5.0}, "abp": {1: 5.0}, "lf_bulk": {1: 50.0}}, noise=0.2))
        self.assertRegex(wide, r"comes first \(.*\), not settled against (ABP|Chase-Lev)\.")
        nothing = finding(*self.panel_of({"chase_lev": {1: 5.0}, "abp": {1: 5.0}}, noise=0.2))
        self.assertIn("it is not settled which deque is the fastest", nothing)

    def test_references_and_unsound_deques_are_not_ranked(self):
        text = finding(*self.panel_of({"empty": {1: 0.3}, "chase_lev": {1: 5.0}, "abp": {1: 9.0}}))
        self.assertIn("Chase-Lev is the fastest", text)
        self.assertIn("Only references", finding(*self.panel_of({"empty": {1: 0.3}})))

    def test_the_mutex_is_ranked_and_wins_where_it_is_the_fastest(self):
        text = finding(*self.panel_of({"array": {1: 0.5, 60: 1.0}, "lf_bulk": {1: 2.0, 60: 14.9}, "locked": {1: 8.0, 60: 1.76}}))
        self.assertRegex(text, r"batch of 1 LF bulk list is the fastest.*batch of 60 mutex is the fastest \(1\.7\d ns\)")
        references = ("array", "array_fifo", "array_modulo", "empty", "fetch_add", "phanes_packed")
        for deque, facts in ((one["id"], one) for one in Run(ROOT / "results/example/quick").manifest["deques"]):
            self.assertEqual(is_reference(deque, facts), deque in references, "as the headers say it")

    def test_below_six_invocations_nobody_is_the_fastest(self):
        latencies = {"chase_lev": {1: 2.0}, "abp": {1: 50.0}}
        for invocations in (1, 2, 4, 5):
            text = finding(*self.panel_of(latencies, noise=0.0001, invocations=invocations))
            self.assertIn("at a batch of 1 Chase-Lev comes first", text)
            self.assertIn("fewer than 6 invocations do not settle", text)
            self.assertNotIn("fastest", text)
        self.assertIn("is the fastest", finding(*self.panel_of(latencies, noise=0.0001, invocations=6)))

    def test_captions_name_what_bars_are_in_this_run(self):
        for invocations, says in ((1, "One invocation: no bars."), (2, "in 50 % of cases with 2"), (5, "in 94 % of cases with 5"),
                                  (6, "Medians of 6 invocations; bars are 95 % intervals")):
            section, _ = self.panel_of({"chase_lev": {1: 2.0}, "abp": {1: 5.0}}, invocations=invocations)
            caption = caption_of(drawings_of([section])[0])
            self.assertIn(says, caption)
            self.assertEqual("95 % intervals" in caption, invocations >= 6)
            self.assertEqual("nothing is settled" in caption, 1 < invocations < 6)
            headings = section_lines(section)[3]
            self.assertEqual(("95 % interval" in headings, "range" in headings), (invocations >= 6, 1 < invocations < 6), headings)

    def test_one_deque_alone(self):
        text = finding(*self.panel_of({"chase_lev": {1: 2.0, 128: 200.0}}))
        self.assertIn("no other deque to compare it with", text)


class Published(unittest.TestCase):
    def test_bounds_keep_their_signs(self):
        texts = {(value.series, value.x): value.text() for value in read_published("fig6")}
        self.assertEqual(texts["LF_Queue", "1024"], "< 500")
        self.assertEqual(texts["TF_BD_Queue", "1024"], "\N{ALMOST EQUAL TO} 5000")

    def test_different_series_are_never_joined_to_a_range(self):
        values = [value for value in read_published("fig7") if value.x == "10"]
        self.assertNotIn(" to ", text_of(values))

    def test_every_file_cites_its_source_and_is_whole(self):
        heads = {"figure,series,x_name,x,metric,bound,value,unit,where": 3}
        files = sorted(set(FOLDER.glob("*.csv")) - {FOLDER / "claims.csv"})
        found = []
        for path in files:
            lines = path.read_text(encoding="utf-8").splitlines()
            self.assertTrue(lines[0].startswith("# ") and len(lines[0]) > 40, path)
            rows = [line for line in lines if not line.startswith("#")]
            found.append(rows[0])
            self.assertEqual({line.count(",") for line in rows}, {rows[0].count(",")}, path)
        self.assertEqual({head: found.count(head) for head in found}, heads)


class BadInput(FolderTest):
    PROGRAMS = ("judging.summary", "pages.table", "draw")

    def small_run(self, **settings):
        run = SyntheticRun(self.folder / "run", **settings)
        run.section("fig6", "Figure 6")
        run.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (5, "ns")})
        return run

    def every(self, code, says, *arguments):
        for program in self.PROGRAMS:
            self.expect(code, program, *arguments, says=says)

    def test_usage(self):
        self.every(2, "usage")
        self.every(2, "unrecognized", self.folder, "--nonsense")

    def test_no_folder_no_manifest_no_samples(self):
        self.every(2, "is no folder", self.folder / "none")
        self.every(3, "manifest.json is not there", self.folder)
        run = self.small_run()
        (run.write() / "samples.csv").unlink()
        self.every(3, "nothing was measured", run.folder)

    def test_a_kept_run_is_packed(self):
        run = self.small_run()
        samples = run.write() / "samples.csv"
        (run.folder / "samples.csv.xz").write_bytes(lzma.compress(samples.read_bytes()))
        samples.unlink()
        self.expect(0, "draw", run.folder)
        self.assertIn('<a href="samples.csv.xz">samples.csv.xz</a>',
                      (run.folder / "report.html").read_text(encoding="utf-8"))

    def test_empty_samples(self):
        run = self.small_run()
        (run.write() / "samples.csv").write_text("")
        self.every(3, "is empty", run.folder)
        run.rows = []
        run.write()
        self.every(3, "no complete invocation", run.folder)

    def test_damaged_manifest_and_samples(self):
        run = self.small_run()
        (run.write() / "samples.csv").write_text("a,b,c\n1,2,3\n")
        self.every(3, "other columns", run.folder)
        run.write()
        (run.folder / "samples.csv").write_bytes(b"\xff\xfe\x00")
        self.every(3, "cannot be read", run.folder)
        for damage in ("{", "[]", "null"):
            (run.folder / "manifest.json").write_text(damage)
            self.every(3, "damaged", run.folder)

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

    def test_one_deque_one_point(self):
        self.every(0, "", self.small_run(invocations=1).write())

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
        run.cell(["fig6"], "dag", "chase_lev", {"threads": 2}, {"run_time": (1.5, "s")})
        run.cell([], "pop", "chase_lev", {"take": "one"}, {"pop_latency": (8, "ns")})
        text = self.expect(0, "pages.table", run.write()).stdout
        self.assertIn("run_time", text)
        self.assertRegex(text, r"Cells of no figure\n=+\n\n(.*\n)*.*pop_latency")

    def test_without_matplotlib_all_else_still_comes(self):
        run = self.small_run()
        run.write()
        (broken := self.folder / "broken").mkdir()
        (broken / "matplotlib.py").write_text("raise ImportError('left out')\n")
        without = {"PYTHONPATH": str(broken)}
        self.expect(3, "draw", run.folder, says="matplotlib is not installed", environment=without)
        self.assertIn("could not be drawn", (run.folder / "report.html").read_text())
        self.assertEqual(sorted(path.name for path in (run.folder / "figures").iterdir()),
                         ["fig6_push.csv", "fig6_push.dat", "fig6_push.gp", "pictures.json"])

    def test_results_that_cannot_be_written(self):
        run = self.small_run()
        run.write()
        for blocked in ("summary.csv.unfinished", "report.html.unfinished"):
            (run.folder / blocked).mkdir()
        (run.folder / "figures").write_text("in the way")
        for program in ("judging.summary", "draw"):
            self.expect(4, program, run.folder, environment={}, says=str(run.folder))
        self.expect(0, "pages.table", run.folder)


if __name__ == "__main__":
    run_tests()
