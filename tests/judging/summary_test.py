#!/usr/bin/python3
"""samples.csv to summary.csv: which rows count, and the values of a row."""

import csv

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.formats import SAMPLE_COLUMNS
from harness.judging.run_folder import STATUSES, Run, parse_params, readable
from plots.data.sections import build_sections
from harness.judging.summaries import COLUMNS, summarize
from harness.judging.cells import interval_heading, intervals_are


class Summaries(FolderTest):
    def make(self, name="run", **settings):
        return SyntheticRun(self.folder / name, **settings)

    def test_sections_that_only_left_out_are_none_of_the_run(self):
        run = self.make()
        run.section("fig6", "push")
        run.section("fig7", "steal")
        run.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (8.0, "ns")})
        for command, tags in [(["suite", "paper"], ["fig6", "fig7"]), (["suite", "paper", "--only", "fig6"], ["fig6"]),
                              (["suite", "paper", "--only=fig6"], ["fig6"])]:
            run.command = command
            run.write()
            self.assertEqual([section.tag for section in build_sections(Run(run.folder))], tags)

    def summary_of(self, run, metric):
        return next(summary for summary in summarize(Run(run.folder)) if summary.metric == metric)

    @staticmethod
    def written(run):
        return list(csv.DictReader((run.folder / "summary.csv").read_text(encoding="utf-8").splitlines()))

    def hand_made(self, values, **settings):
        """A run of one cell with exactly these values: {invocation: [repetitions]}."""
        run = self.make(invocations=0, **settings)
        run.exact("push", "chase_lev", {"batch": 1}, [{"push_latency": repetitions} for repetitions in values.values()], ["fig6"])
        run.write()
        return run

    def test_median_of_the_medians_of_invocations(self):
        summary = self.summary_of(self.hand_made({0: [1, 2, 90], 1: [10, 11, 12], 2: [4, 4, 5]}), "push_latency")
        self.assertEqual((summary.median, summary.low, summary.high), (4, 2, 11))
        self.assertEqual((summary.minimum, summary.maximum), (1, 90))
        self.assertEqual((summary.invocations, summary.repetitions), (3, 3))

    def test_one_invocation_has_no_interval_and_says_so(self):
        run = self.hand_made({0: [1, 2, 3]})
        summary = self.summary_of(run, "push_latency")
        self.assertEqual((summary.median, summary.low, summary.high), (2, None, None))
        self.assertIn("no interval", intervals_are([summary]))
        self.expect(0, "judging.summaries", run.folder)
        row = next(row for row in self.written(run) if row["metric"] == "push_latency")
        self.assertEqual((row["low"], row["high"], row["median"]), ("", "", "2"))

    def test_few_invocations_state_their_true_coverage(self):
        for count, says in ((3, "75 %"), (6, "their 95 % intervals")):
            self.assertIn(says, intervals_are([self.summary_of(self.hand_made({i: [i + 1] for i in range(count)}), "push_latency")]))
        self.assertEqual([interval_heading(counts) for counts in ([6, 9], [5, 9])], ["95 % interval", "range"])

    def test_an_invocation_without_its_end_is_left_out(self):
        run = self.hand_made({0: [1], 1: [5], 2: [100]})
        run.rows.pop()
        run.write()
        done = self.expect(0, "judging.summaries", run.folder, says=": 1 rows left out")
        self.assertIn("from 2 invocations", done.stdout)
        self.assertEqual(self.summary_of(run, "push_latency").maximum, 5)

    def test_a_torn_last_line_is_left_out(self):
        run = self.hand_made({0: [1], 1: [5]})
        with open(run.folder / "samples.csv", "a", encoding="utf-8") as file:
            file.write("0000000000000001,push,chase_lev,bat")
        self.expect(0, "judging.summaries", run.folder, says=": 1 rows left out")
        self.assertEqual(self.summary_of(run, "push_latency").invocations, 2)

    def test_an_invocation_may_come_after_one_without_a_verdict(self):
        run = self.hand_made({0: [1], 1: [5]})
        unproven = [[*run.rows[0][:5], "process", 0, 0, metric, "", "s", "unproven", ""]
                    for metric in ("push", "invocation_time")]
        run.rows = unproven + run.rows
        run.write()
        self.assertEqual(self.summary_of(run, "push_latency").by_invocation, {0: 1, 1: 5})
        run.rows = unproven
        run.write()
        self.assertEqual([summary.status for summary in summarize(Run(run.folder))], ["unproven"] * 2)

    def test_what_the_driver_cannot_have_written_is_refused_with_its_line(self):
        def refused(line, says, change):
            run = self.hand_made({0: [1, 2], 1: [5]})
            change(run.rows)
            run.write()
            self.expect(3, "judging.summaries", run.folder, says=f"samples.csv:{line}: {says}")

        def set_field(row, column, value):
            return lambda rows: rows[row].__setitem__(SAMPLE_COLUMNS.index(column), value)

        refused(2, "push_latency cannot be nan", set_field(0, "value", "nan"))
        refused(3, "push_latency cannot be inf", set_field(1, "value", "inf"))
        refused(2, "could not convert", set_field(0, "value", "fast"))
        refused(2, "could not convert", set_field(0, "value", ""))
        refused(2, "push_latency cannot be -1", set_field(0, "value", "-1"))
        refused(2, "no such status: 'fine'", set_field(0, "status", "fine"))
        refused(2, "a value beside the status denied", set_field(0, "status", "denied"))
        refused(2, "invocation '-1' is no number", set_field(0, "invocation", "-1"))
        refused(2, "repetition '' is no number", set_field(0, "repetition", ""))
        refused(3, "push_latency of owner is there twice", lambda rows: rows.insert(1, rows[0]))
        refused(7, "push_latency of owner is there twice", lambda rows: rows.extend(rows[:3]))
        refused(3, "12 columns instead of 16", lambda rows: rows.__setitem__(1, rows[1][:-1]))
        refused(3, "17 columns instead of 16", lambda rows: rows.__setitem__(1, [*rows[1], "", "", "", ""]))

    def test_a_mean_that_something_was_subtracted_from_may_be_below_nothing(self):
        run = self.hand_made({0: [1]})
        run.rows[0][8:10] = ["steal_time", "-0.2"]
        run.write()
        self.assertEqual(self.summary_of(run, "steal_time").median, -0.2)

    def test_values_are_read_as_they_were_meant(self):
        self.assertEqual(parse_params("file=none;path=/a%20b%2C%3B%3D%22%5C/%C3%A4"),
                         {"file": "none", "path": '/a b,;="\\/ä'})
        self.assertEqual(readable("%25%0A%FF%23"), "%25%0A%FF#")

    def test_cells_of_an_older_build_are_left_out(self):
        run = self.hand_made({0: [1]})
        run.rows += [["ffffffffffffffff", *row[1:]] for row in run.rows]
        run.write()
        self.expect(0, "judging.summaries", run.folder, says="1 invocations left out")
        self.assertEqual({summary.cell for summary in summarize(Run(run.folder))}, {run.cells[0]["cell"]})

    def test_values_of_a_crashed_invocation_do_not_count(self):
        run = self.hand_made({0: [1], 1: [5]})
        run.rows[-1][9], run.rows[-1][11] = "", "crashed"
        run.write()
        summary = self.summary_of(run, "push_latency")
        self.assertEqual((summary.status, summary.by_invocation), ("crashed", {0: 1}))

    def test_a_value_that_most_invocations_lack_is_denied(self):
        for lacking, expected in (((0,), ("ok", 1)), ((0, 1), ("denied", 0))):
            run = self.hand_made({0: [1], 1: [5], 2: [6]})
            for row in run.rows:
                if row[8] == "push_latency" and row[6] in lacking:
                    row[9], row[11] = "", "denied"
            run.write()
            summary = self.summary_of(run, "push_latency")
            self.assertEqual((summary.status, summary.without), expected)

    def test_what_could_not_be_measured_is_empty_never_zero(self):
        run = self.make()
        run.cell(["fig6"], "push", "array", {"batch": 1}, {"push_latency": (5, "ns")}, status="unsupported")
        run.write()
        self.expect(0, "judging.summaries", run.folder)
        row = next(row for row in self.written(run) if row["metric"] == "push")
        self.assertEqual((row["status"], row["median"], row["invocations"]), ("unsupported", "", "0"))

    def test_columns_flags_and_tags(self):
        run = self.make()
        run.cell(["fig7", "fig8"], "steal", "abp", {"percent": 10}, {"steal_latency": (5, "ns")},
                 flags="unsound+emulated")
        run.write()
        self.expect(0, "judging.summaries", run.folder)
        rows = self.written(run)
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual((rows[0]["tags"], rows[0]["flags"]), ("fig7;fig8", "emulated+unsound"))

    def test_the_columns_are_documented(self):
        page = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
        for column in [*COLUMNS, *SAMPLE_COLUMNS]:
            self.assertIn(f"| `{column}` |", page)
        for status in STATUSES:
            self.assertIn(f"| `{status}` |", page)


if __name__ == "__main__":
    run_tests()
