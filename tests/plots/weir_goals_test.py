#!/usr/bin/python3
"""weir's goals on made-up runs: the best of the others, the limits of a goal, and unsettled cases."""

import re

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.pages.weir_goals import ABSENT, GOALS, MISSED, REACHED, TOO_FEW, goals_of

WEIR = {"weir": {"title": "Weir", "source": "this project", "reference": "0", "sound": "1", "thieves_leave": "0"},
        "repeats": {"title": "again", "source": "nowhere", "sound": "1", "delivery": "at_least_once"}}


class Goals(FolderTest):
    def lines(self, latencies, batch=1, section="push", metric="push_latency", unit="ns", **settings):
        """{title: line} of a run of one section: {deque: value}."""
        run = SyntheticRun(self.folder / "run", **{"invocations": 11, "noise": 0.003, "deques": {**DEQUES, **WEIR}, **settings})
        run.section(section, "a case")
        for deque, value in latencies.items():
            run.cell([section], "push", deque, {"batch": batch}, {metric: (value, unit)})
        return {line.goal.title: line for line in goals_of(*run.read())}

    def test_the_best_is_allowed_for_by_the_factor(self):
        for weir, state in ((1.0, REACHED), (1.2, REACHED), (1.26, REACHED), (1.5, MISSED)):
            line = self.lines({"weir": weir, "chase_lev": 1.25, "abp": 1.3})["push, single, warm"]
            self.assertEqual((line.rival.deque, line.state), ("chase_lev", state), weir)
            self.assertAlmostEqual(line.ratio.ratio, weir / 1.25, delta=0.02)

    def test_no_reference_and_nothing_unsound_or_repeating_is_the_best(self):
        line = self.lines({"weir": 1.0, "chase_lev": 2.0, "array": 0.5, "as_published/lf_queue": 0.4, "repeats": 0.3})[
            "push, single, warm"]
        self.assertEqual((line.rival.deque, line.state), ("chase_lev", REACHED))

    def test_a_named_reference_counts_though_another_is_better(self):
        line = self.lines({"weir": 100.0, "lf_bulk": 50.0, "chase_lev": 10.0}, section="reserve-1024")[
            "push of 1024 by reserve and commit"]
        self.assertEqual((line.rival.deque, line.state), ("lf_bulk", MISSED))

    def test_too_few_invocations_settle_nothing(self):
        line = self.lines({"weir": 1.0, "chase_lev": 9.0}, invocations=5)["push, single, warm"]
        self.assertEqual(line.state, TOO_FEW)

    def test_what_is_not_settled_is_bounded(self):
        line = self.lines({"weir": 1.3, "chase_lev": 1.25}, noise=0.1)["push, single, warm"]
        bound = int(re.fullmatch(r"missed by at most (\d+) %", line.state)[1])
        self.assertLess(line.asked.high, 1 + bound / 100)
        self.assertGreater(line.asked.high, 1 + (bound - 1) / 100)

    def test_what_was_not_measured_is_said(self):
        lines = self.lines({"chase_lev": 9.0})
        self.assertEqual({line.state for line in lines.values()}, {ABSENT})
        done = self.expect(0, "pages.weir_goals", self.folder / "run", says="not measured")
        self.assertRegex(done.stdout, r"items that no thief can reach .* 0 +items +reached\n")
        self.assertIn(f"1 of {len(GOALS) + 1} goals reached", done.stdout)

    def test_every_section_is_in_the_suite(self):
        suite = (ROOT / "suites/weir.suite").read_text(encoding="utf-8")
        sections = set(re.findall(r"^\[([^\]]+)\]", suite, re.M))
        self.assertEqual({goal.section for goal in GOALS}, sections)


if __name__ == "__main__":
    run_tests()
