#!/usr/bin/python3
"""The five sentences at the end of a run: word by word for a made-up run, for incomplete runs, and where they are shown."""

import html
import os
import pty
import re
import subprocess
import sys

from harness.judging.run_folder import Run
from harness.judging.summaries import summarize
from harness.judging.scorecard import FAILS, HOLDS, UNASKED, score
from tests.plots.support import ROOT, FolderTest, run_tests
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
In 3 of 4 cases one deque is shown to be faster than all others: lf_bulk at steal 60 % (5 times as fast as chase_lev) and push of 1024 \
(2.5 times as fast as taskflow_bounded); taskflow_bounded at push and pop (1.25 times as fast as abp).
{}
{}
synthetic: 12 cells in 84 invocations; 1 crashed (pop of lf_bulk); 1 not supported by the deque (steal of abp).
The machine disturbed the run: other programs used 1.7 of 2 processors when it began; in 1 of 10 cells threads were \
off their processors in more than 10 % of the windows.
Open {}/report.html
"""


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
        self.assertIn(len(lines), (5, 6))
        return [*lines[:-3], *[None] * (6 - len(lines)), *lines[-3:]]

    def expected(self, folder):
        """EXPECTED with the sentences on the claims, whose verdicts are the scorecard's."""
        run = Run(folder)
        asked = [one for one in score(run, summarize(run)) if one.verdict != UNASKED]
        holding, failing = ([one.claim.quote for one in asked if one.verdict == verdict] for verdict in (HOLDS, FAILS))
        self.assertTrue(holding)
        holds, fails = self.expect(0, "pages.conclusions", folder).stdout.splitlines()[1:3]
        self.assertRegex(holds, f"^Of {len(asked)} claims? of 1 paper that can be asked here, {len(holding)} hold")
        self.assertRegex(fails, f"^{len(failing) or 'None'} (does|do) not(: .*)?; [0-9]+ cannot be asked here[.]$")
        for quotes, told in ((holding, holds), (failing, fails)):
            for quote in quotes[:2]:
                self.assertIn(f"\N{LEFT DOUBLE QUOTATION MARK}{quote}\N{RIGHT DOUBLE QUOTATION MARK}", told)
        return EXPECTED.format(holds, fails, folder)

    def test_a_made_up_run_word_by_word(self):
        self.maxDiff = None
        folder = self.run_of(CELLS, load=1.7, displaced="pair abp")
        expected = self.expected(folder)
        self.assertEqual(self.expect(0, "pages.conclusions", folder).stdout, expected)
        drawn = self.expect(0, "draw", folder).stdout
        self.assertEqual(drawn, (folder / "table.txt").read_text(encoding="utf-8") + "\n" + expected)
        page = html.unescape((folder / "report.html").read_text(encoding="utf-8"))
        opening = re.search('<ol class="found".*?</ol>', page, re.DOTALL).group()
        self.assertEqual(re.findall("<li>(.*)</li>", opening), expected.splitlines()[:-1])
        self.assertLess(page.index(opening), page.index('id="scorecard"'))
        self.assertLess(page.index('id="scorecard"'), page.index('id="matrix"'))

    def test_a_terminal_wraps_them_and_nothing_is_cut(self):
        folder = self.run_of(CELLS, load=1.7, displaced="pair abp")
        try:
            ours, theirs = pty.openpty()
        except OSError as why:  # a container without /dev/pts
            self.skipTest(f"no terminal: {why}")
        done = subprocess.run([sys.executable, "-m", "plots.pages.conclusions", folder], stdout=theirs, cwd=ROOT, check=True,
                              env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "60"})
        self.assertEqual(done.returncode, 0)
        os.close(theirs)
        lines = os.read(ours, 65536).decode().replace("\r\n", "\n")
        os.close(ours)
        self.assertLessEqual(max(map(len, lines.splitlines()[:-1])), 60)
        self.assertEqual(" ".join(lines.split()), " ".join(self.expected(folder).split()))

    def test_a_run_of_few_invocations_settles_nothing(self):
        said = self.said(*CELLS[:3], invocations=2)
        self.assertEqual(said[0], "In none of 1 case is one deque shown to be faster than all others (1 has fewer than the "
                                  "6 invocations that a verdict takes).")
        self.assertRegex(said[1], "^Of [0-9]+ claims? of 1 paper that can be asked here, none hold[.]$")
        self.assertRegex(said[2], "^None do not; [0-9]+ not settled; [0-9]+ cannot be asked here[.]$")

    def test_nobody_is_the_fastest_beside_one_that_is_as_fast(self):
        pops = [("pop", deque, {"take": "one"}, "pop_latency", value)
                for deque, value in (("abp", 5.0), ("chase_lev", 5.02), ("locked", 20.0))]
        self.assertEqual(self.said(*pops)[0], "In none of 1 case is one deque shown to be faster than all others.")
        self.assertIn("In 1 of 1 case one deque is shown to be faster than all others: abp at pop (4 times as fast as locked)", self.said(pops[0], pops[2])[0])

    def test_a_deque_alone_no_claim_and_a_quiet_machine(self):
        said = self.said(("pop", "abp", {"take": "one"}, "pop_latency", 5.0), ("pop", "array", {"take": "one"}, "pop_latency", 1.0))
        self.assertEqual(said[:5], ["No two deques were measured at the same task, so none is called the fastest.",
                                    "No claim of a paper can be asked of this run.", None,
                                    "synthetic: 2 cells in 14 invocations; all were measured.",
                                    "Nothing on the machine disturbed the run."])

    def test_processors_that_were_moved_are_in_the_way_and_a_distance_alone_is_not(self):
        self.assertEqual(self.said(*CELLS[4:6], distances=[27.0])[4], "Nothing on the machine disturbed the run.")
        self.assertEqual(self.said(*CELLS[4:6], distances=[27.0, 27.5, 105.0])[4],
                         "The machine disturbed the run: the host moved processors: in 2 of 2 cells only the invocations at one "
                         "distance count.")

    def test_many_that_win_or_crash_are_counted(self):
        deques = ["abp", "chase_lev", "lf_bulk", "locked", "taskflow_bounded", "taskflow_unbounded"]
        cells = [("steal", deque, {**STEAL, "percent": percent}, "steal_latency", 100.0 if deque == winner else 200.0)
                 for percent, winner in zip((10, 35, 60), deques) for deque in deques[:3]]
        crashed = [("dag", deque, {"threads": 1}, "run_time", 1.0, "crashed") for deque in deques]
        said = self.said(*cells, *crashed)
        self.assertIn("; 6 crashed (dag of abp, dag of chase_lev and 4 more).", said[3])
        self.assertEqual(said[0].count("2 times as fast"), 3)
        several = [("steal", deque, {**STEAL, "percent": percent}, "steal_latency", 100.0 if deque == "abp" else 200.0 + percent)
                   for percent in (10, 35, 60) for deque in deques[:2]]
        self.assertIn("abp at steal 60 % (2.6 times as fast as chase_lev), steal 35 % (2.35 times as fast as chase_lev) and 1 more.",
                      self.said(*several)[0])

    def test_all_crashed_or_was_stopped(self):
        said = self.said(*[("dag", deque, {"threads": 1}, "run_time", 1.0, "crashed") for deque in ("abp", "lf_bulk")])
        self.assertEqual(said[3], "synthetic: 2 cells in 14 invocations; 2 crashed (dag of abp and dag of lf_bulk).")
        folder = self.run_of(CELLS[:1])
        path = folder / "manifest.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"finished"', '"stopped"'), encoding="utf-8")
        self.expect(0, "pages.conclusions", folder, says="1 cell in 7 invocations; the run is stopped, not finished.")


if __name__ == "__main__":
    run_tests()
