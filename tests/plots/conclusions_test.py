#!/usr/bin/python3
"""What a run says at its end: word by word for a made-up run, for incomplete runs, and where they are shown."""

import html
import re
import sys
from unittest import mock

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

SINGLE = {"batch": 1024, "push": "single", "prelinked": 0}
STEAL = {"percent": 60, "owner": "idle", "size": 10000}
CELLS = [
    ("push", "taskflow_bounded", SINGLE, "push_latency", 800.0),
    ("push", "taskflow_unbounded", SINGLE, "push_latency", 1000.0),
    ("push", "lf_bulk", {"batch": 1024, "push": "batch", "prelinked": 1, "walk": "full"}, "push_latency", 320.0),
    ("push", "array", SINGLE, "push_latency", 100.0),  # a reference is not ranked
    ("steal", "lf_bulk", {**STEAL, "walk": "full"}, "steal_latency", 2000.0),
    ("steal", "chase_lev", STEAL, "steal_latency", 10000.0),
    ("steal", "abp", STEAL, "steal_latency", 1.0, "unsupported"),
    ("pop", "chase_lev", {"take": "one"}, "pop_latency", 5.0),
    ("pop", "abp", {"take": "one"}, "pop_latency", 5.02),  # within the threshold: neither is the fastest
    ("pop", "lf_bulk", {"take": "one"}, "pop_latency", 1.0, "crashed"),
    ("pair", "taskflow_bounded", {}, "pair_latency", 5.0),
    ("pair", "abp", {}, "pair_latency", 6.25),
]
EXPECTED = """\
Steal 60 %: lf_bulk takes 2.00 \N{MICRO SIGN}s; the next, chase_lev, 10.0 \N{MICRO SIGN}s (5.00 times).
Push and pop: taskflow_bounded takes 5.00 ns; the next, abp, 6.25 ns (1.25 times).
Pop: chase_lev takes 5.00 ns; the next, abp, 5.02 ns (1.00 times, not settled).
Push of 1024: lf_bulk takes 320 ns; the next, taskflow_bounded, 800 ns (2.50 times).
No thief ran beside a working owner: these are costs of operations alone.
The papers' claims that this run can answer: 1 holds, 0 do not, 0 are not settled.
synthetic: 12 cells in 84 invocations; 1 crashed (pop of lf_bulk); 1 not supported by the deque (steal of abp).
Busy machine: other programs used 1.7 of 2 processors when it began.
In 1 of 10 cells threads were off their processors in more than 10 % of the windows.
Open {}/report.html
"""
LONGEST = 30  # words of a sentence


class Conclusions(FolderTest):
    def run_of(self, cells, load=0.1, displaced="", distances=(), **settings):
        """cells: (workload, deque, settings, metric, ns[, how it ended]); no two invocations differ."""
        run = SyntheticRun(self.folder / "run", noise=0, **settings)
        run.machine["others_at_start"] = load
        run.section("a", "a")
        for workload, deque, params, metric, value, *status in cells:
            share = 0.8 if displaced == f"{workload} {deque}" else 0.99
            run.cell(["a"], workload, deque, params, {metric: (value, "ns"), "share_counted": (share, "ratio")}, *status)
        if distances:  # between the cells' threads, invocation by invocation
            run.rows = [[*row, "", "", distances[row[6] % len(distances)]] for row in run.rows]
        return run.write()

    def said(self, *cells, **settings):
        lines = self.expect(0, "pages.conclusions", self.run_of(cells, **settings)).stdout.splitlines()
        for line in lines[:-1]:
            for one in re.split(r"(?<=[.;]) ", line):
                self.assertLessEqual(len(one.split()), LONGEST, one)
        return "\n".join(lines[:-1])

    def test_a_made_up_run_word_by_word(self):
        self.maxDiff = None
        folder = self.run_of(CELLS, load=1.7, displaced="pair abp")
        expected = EXPECTED.format(folder)
        self.assertEqual(self.expect(0, "pages.conclusions", folder).stdout, expected)
        with mock.patch.dict(sys.modules, {"matplotlib": None}):  # pictures take long
            drawn = self.expect(3, "draw", folder).stdout
        self.assertEqual(drawn, (folder / "table.txt").read_text(encoding="utf-8") + "\n" + expected)
        page = html.unescape((folder / "report.html").read_text(encoding="utf-8"))
        opening = re.search('<ol class="found".*?</ol>', page, re.DOTALL).group()
        self.assertEqual(re.findall("<li>(.*)</li>", opening), expected.splitlines()[:-1])
        places = [page.index(text) for text in (opening, 'id="matrix"', 'id="section-a"', 'id="scorecard"', 'id="trust"')]
        self.assertEqual(places, sorted(places), "the answer first, claims and caveats after the figures")

    def test_a_deque_alone_is_no_rank_and_no_claim_is_asked(self):
        said = self.said(("pop", "abp", {"take": "one"}, "pop_latency", 5.0), ("pop", "array", {"take": "one"}, "pop_latency", 1.0))
        self.assertEqual(said.splitlines(), ["No two deques were measured at the same task, so none is called the fastest.",
                                             "No thief ran beside a working owner: these are costs of operations alone.",
                                             "synthetic: 2 cells in 14 invocations; all were measured."])

    def test_a_smoke_run_says_that_it_works(self):
        folder = self.run_of(CELLS[:4], invocations=1)
        path = folder / "manifest.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"suite": "synthetic"', '"suite": "smoke"'), encoding="utf-8")
        lines = self.expect(0, "pages.conclusions", folder).stdout.splitlines()
        self.assertEqual(lines[0], "It works: 4 deques in 4 cells, all measured, too briefly to rank them.")
        self.assertEqual(len(lines), 2)

    def test_processors_that_were_moved_are_told_and_a_distance_alone_is_not(self):
        self.assertNotIn("moved", self.said(*CELLS[4:6], distances=[27.0]))
        self.assertIn("The host moved processors: in 2 of 2 cells only the invocations at one distance count.",
                      self.said(*CELLS[4:6], distances=[27.0, 27.5, 105.0]))

    def test_many_that_crash_are_counted_and_a_stopped_run_is_told(self):
        deques = ["abp", "chase_lev", "lf_bulk", "locked", "taskflow_bounded", "taskflow_unbounded"]
        said = self.said(*[("dag", deque, {"threads": 1}, "run_time", 1.0, "crashed") for deque in deques])
        self.assertIn("; 6 crashed (dag of abp, dag of chase_lev and 4 more).", said)
        folder = self.run_of(CELLS[:1])
        path = folder / "manifest.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"finished"', '"stopped"'), encoding="utf-8")
        self.expect(0, "pages.conclusions", folder, says="1 cell in 7 invocations; the run is stopped, not finished.")


if __name__ == "__main__":
    run_tests()
