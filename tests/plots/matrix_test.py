#!/usr/bin/python3
"""The matrix, summary.md, and the folder for a static host, from made-up runs."""

import re
import unittest

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.statistics import SLOWER
from plots.data.matrix import BEST, build_matrix
from plots.figures.styles import lightness
from harness.judging.run_folder import Problem, Run
from harness.judging.summaries import summarize
from plots.pages.matrix import STEPS, ratio_text, step_of, summary_text, traits_of, value_text
from plots.pages.report import MARK, publish
from plots.pages.trust import remarks


def push_run(folder, latencies, **settings):
    """{deque: {batch: ns}} as a run with one section."""
    run = SyntheticRun(folder, **{"invocations": 7, "noise": 0.003, **settings})
    run.section("fig6", "Figure 6")
    for deque, by_batch in latencies.items():
        for batch, value in by_batch.items():
            run.cell(["fig6"], "push", deque, {"batch": batch}, {"push_latency": (value, "ns")})
    return run


class Matrix(FolderTest):
    def built(self, *arguments, **settings):
        run = Run(push_run(self.folder / "run", *arguments, **settings).write())
        summaries = summarize(run)
        return run, summaries, build_matrix(run, summaries)

    def test_ratios_and_verdicts(self):
        _, _, matrix = self.built({"abp": {1: 2.0, 64: 100.0}, "chase_lev": {1: 3.0, 64: 50.0}, "array": {1: 1.0, 64: 30.0},
                                   "as_published/lf_queue": {1: 0.5, 64: 3.0}})
        first, last = matrix.cases[:2]
        self.assertEqual([case.name for case in matrix.cases], ["push-1", "push-64", "memory"])
        self.assertEqual([first.entries[deque].state for deque in ("abp", "chase_lev", "array", "as_published/lf_queue")],
                         [BEST, SLOWER, "not ranked", "not ranked"])
        self.assertAlmostEqual(first.entries["chase_lev"].ratio, 1.5, delta=0.02)
        self.assertAlmostEqual(last.entries["abp"].ratio, 2, delta=0.03)
        self.assertLess(first.entries["array"].ratio, 1, "a reference may be below the best, which is no reference")
        self.assertEqual([row.deque for row in matrix.rows][-1], "array")

    def test_a_deque_alone_is_no_rank_and_emulated_forms_are_marked(self):
        run = push_run(self.folder / "alone", {"locked": {1: 2.0}, "array": {1: 0.7}})
        read, summaries = run.read()
        matrix = build_matrix(read, summaries)
        self.assertEqual({(entry.state, entry.ratio) for entry in matrix.cases[0].entries.values()}, {("not ranked", None)})
        self.assertNotIn("1.00", summary_text(read, matrix, []))
        run = SyntheticRun(self.folder / "emulated", noise=0)
        for deque, flags in (("abp", "emulated"), ("lf_bulk", "")):
            run.cell([], "push", deque, {"batch": 64}, {"push_latency": (50, "ns")}, flags=flags)
        read, summaries = run.read()
        self.assertRegex(summary_text(read, build_matrix(read, summaries), []), r"\| abp +\| +1.00 e")

    def test_a_push_of_many_stands_with_and_without_its_linking(self):
        run = push_run(self.folder / "run", {"chase_lev": {1: 2.0, 1024: 600.0}, "lf_bulk": {1: 3.0, 1024: 900.0}})
        for batch, value in ((1, 3.0), (1024, 4.0)):
            run.cell(["fig6"], "push", "lf_bulk", {"batch": batch, "prelinked": 1}, {"push_latency": (value, "ns")})
        cases = build_matrix(*run.read()).cases
        self.assertEqual([(case.name, case.title) for case in cases[:3]], [
            ("push-1", "push of 1"), ("push-1024", "push of 1024, linking timed"),
            ("push-linked-1024", "push of 1024, linked before")])
        self.assertEqual([round(case.entries["lf_bulk"].summary.median / 100) for case in cases[1:3]], [9, 0])
        self.assertEqual([round(case.entries["chase_lev"].summary.median / 100) for case in cases[1:3]], [6, 6])

    def test_oversubscribed_cells_and_the_published_method_are_no_case(self):
        run = push_run(self.folder / "run", {"abp": {1: 2.0}, "chase_lev": {1: 3.0}})
        run.cell(["fig6"], "push", "abp", {"batch": 2}, {"push_latency": (9.0, "ns")}, flags="oversubscribed")
        run.cell(["fig6"], "push", "abp", {"batch": 4, "method": "published"}, {"push_latency": (9.0, "ns")})
        self.assertEqual([case.name for case in build_matrix(*run.read()).cases], ["push-1", "memory"])

    def test_words(self):
        self.assertEqual([ratio_text(ratio) for ratio in (1, 9.99, 9.996, 99.96, 0.014, 0.004)],
                         ["1.00", "9.99", "10.0", "100", "0.01", "<0.01"])
        self.assertEqual([value_text(*value) for value in ((1500, "ns"), (0.0021, "s"), (1.2e9, "operations/s"), (2e6, "bytes"))],
                         ["1.50 \N{MICRO SIGN}s", "2.10 ms", "1.20 G/s", "2.00 MB"])
        self.assertEqual([step_of(ratio) for ratio in (0.5, 1, STEPS[0], 2, 1e9)], [0, 0, 0, 3, len(STEPS)])
        facts = {"bound": "fixed", "owner_order": "LIFO", "native": "poll,places", "thieves": "many",
                 **{f"{what}_progress": "lock_free" for what in ("push", "pop", "steal")}}
        self.assertEqual(traits_of(facts), ["bounded", "lifo", "lock_free", "many_thieves", "once"])
        facts = {"bound": "linked", "owner_order": "FIFO", "native": "lists", "thieves": "one", "delivery": "at_least_once", "classic": "1",
                 **{f"{what}_progress": "wait_free" for what in ("push", "pop", "steal")}}
        self.assertEqual(traits_of(facts), ["classic", "unbounded", "fifo", "no_polling", "lock_free", "wait_free_owner", "bulk_push",
                                            "bulk_steal"])


class Colours(unittest.TestCase):
    """Of the matrix's cells, light and dark: letters that can be read, steps that can be told apart in grey as well."""

    def test_steps_go_one_way_and_letters_stand_out(self):
        style = (ROOT / "plots/pages/templates/page.css").read_text(encoding="utf-8")
        found = {letter: re.findall(rf"--{letter}(\d): (#[0-9a-f]{{6}})", style) for letter in "st"}
        for theme in range(2):  # one after the other in the file
            steps, letters = ([lightness(colour) for _, colour in found[letter][theme * (len(STEPS) + 1):][:len(STEPS) + 1]]
                              for letter in "st")
            self.assertEqual(len(steps), len(STEPS) + 1)
            self.assertIn(steps, (sorted(steps), sorted(steps, reverse=True)))
            self.assertGreater(min(abs(one - other) for one, other in zip(steps, steps[1:])), 2)
            self.assertGreater(min(abs(ground - letter) for ground, letter in zip(steps, letters)), 50)


class Trust(FolderTest):
    def told(self, run, **manifest):
        read, summaries = run.read()
        read.manifest |= manifest
        return {remark.what: remark for remark in remarks(read, summaries)}

    def test_it_is_said_what_is_wrong(self):
        run = push_run(self.folder / "run", {"abp": {1: 2.0}}, invocations=3)
        run.machine["others_at_start"] = 3.5
        told = self.told(run, state="stopped", counters={"hardware": "Permission denied"}, commit="a" * 40, sources="changed")
        self.assertEqual({what: remark.level for what, remark in told.items()},
                         {"ended": "bad", "invocations": "look", "load": "look", "machine": "fine", "counters": "look",
                          "sources": "look"})
        self.assertIn("Permission denied", told["counters"].text)

    def test_crashed_and_unproven(self):
        run = push_run(self.folder / "run", {"abp": {1: 2.0}})
        run.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (5, "ns")}, status="crashed")
        run.cell(["fig6"], "push", "locked", {"batch": 1}, {"push_latency": (5, "ns")}, status="unproven")
        told = self.told(run)
        self.assertIn("1 crashed", told["failures"].text)
        self.assertIn("locked", told["unproven"].text)


class Publish(FolderTest):
    def test_whole_and_without_a_dead_link(self):
        run = push_run(self.folder / "run", {"abp": {1: 2.0}, "chase_lev": {1: 3.0}}).write()
        site = self.folder / "site"
        self.expect(0, "draw", run, "--to", site, says="no dead link")
        self.assertTrue((site / "figures/fig6_push.svg").exists())
        self.assertTrue((site / MARK).exists())
        self.assertGreater(publish(Run(run), site), 4, "its own folder is replaced")
        (run / "figures" / "fig6_push.svg").unlink()
        with self.assertRaisesRegex(Problem, "dead links: figures/fig6_push.svg"):
            publish(Run(run), site)
        self.assertTrue((site / "figures/fig6_push.svg").exists(), "the folder of before is still there")
        self.assertEqual([path.name for path in self.folder.glob("site*")], ["site"])

    def test_another_folder_is_left_alone(self):
        run = push_run(self.folder / "run", {"abp": {1: 2.0}}).write()
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "thesis.txt").write_text("years of work")
        with self.assertRaisesRegex(Problem, "not made by this") as refused:
            publish(Run(run), self.folder / "mine")
        self.assertEqual(refused.exception.code, 2)
        self.assertTrue((self.folder / "mine" / "thesis.txt").exists())


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    run_tests()
