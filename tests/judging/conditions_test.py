#!/usr/bin/python3
"""Disturbances of a run are reported: dropped windows, frequency changes; and nothing if there were none."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.conditions import conditions_of
from plots.data.sections import build_sections
from plots.pages.trust import remarks


class Conditions(FolderTest):
    def said(self, share=0.99, chain=(0.83,), busy=0):
        """Of a run of six cells of 12 invocations; busy: in how many of them abp found no quiet moment. (its summaries, what is said)"""
        run = SyntheticRun(self.folder / "run", invocations=0)
        run.section("fig6", "push")
        for deque in list(run.deques)[:6]:
            run.cell(["fig6"], "push", deque, {"batch": 1}, {})
            for i in range(12):
                lacks = deque == "abp" and i < busy
                for role, metric, value, unit in (("owner", "push_latency", "" if lacks else 5 + (i * 7 % 5 - 2) * 5e-4, "ns"),
                                                  ("process", "share_counted", share, "ratio"),
                                                  ("process", "dependent_multiplication", chain[i % len(chain)], "ns"),
                                                  ("process", "invocation_time", 0.1, "s")):
                    run.rows.append([run.cells[-1]["cell"], "push", deque, run.cells[-1]["params"], "owner:0", role, i, 0, metric,
                                     value, unit, "busy" if value == "" else "ok", ""])
        read, summaries = run.read()
        return summaries, conditions_of(read, summaries)

    def test_a_quiet_machine_is_not_spoken_of(self):
        self.assertEqual(self.said()[1], [])
        self.assertEqual(self.said(chain=(0.83, 0.835, 0.84))[1], [])
        self.assertEqual(self.said(chain=(0.83,) * 11 + (1.2,))[1], [], "one invocation is no step")

    def of_workers(self, share, asleep=0.0, flags=""):
        """The sentences for a run of quicksort on two workers that took 1 s each."""
        run = SyntheticRun(self.folder / "run", invocations=3)
        run.section("5.3", "quicksort")
        run.cell(["5.3"], "quicksort", "abp", {"threads": 2}, {
            "run_time": (1.0, "s"), "share_on_processor": (share, "ratio"), "sleep_time": (asleep, "s"),
            ("pool", "processor_time"): (2 * share, "s")}, flags=flags)
        read, summaries = run.read()
        return conditions_of(read, summaries), next(one.text for one in remarks(read, summaries) if one.what == "machine")

    def test_workers_off_their_processors(self):
        """Pool cells have no windows: their workers' processor time decides. A sleeping worker is not displaced."""
        said, panel = self.of_workers(0.2)
        self.assertEqual(len(said), 1)
        self.assertIn("In 1 of 1 cells on the pool workers were off their processors", said[0])
        self.assertIn("at worst 80 %, quicksort of abp", said[0])
        self.assertNotIn("more threads than processors", said[0])
        self.assertIn(said[0], panel)
        self.assertIn("1 of these cells had more threads than processors", self.of_workers(0.2, flags="oversubscribed")[0][0])
        for share, asleep in ((0.95, 0.0), (0.5, 1.0), (0.2, 1.55)):
            said, panel = self.of_workers(share, asleep)
            self.assertEqual(said, [])
            self.assertIn("No thread was displaced for long (in the 1 of 1 cells that tell)", panel)
        self.assertTrue(self.of_workers(0.5, 0.7)[0])

    def test_counted_sections_that_were_left_out_are_told_once(self):
        run = SyntheticRun(self.folder / "run", invocations=3)
        run.section("push", "Push")
        run.sections.append({"tag": "push-counted", "title": "Counted: Push", "status": "denied"})
        run.cell(["push"], "push", "abp", {"batch": 1}, {"push_latency": (5.0, "ns")})
        read, summaries = run.read()
        self.assertEqual([one.text for one in remarks(read, summaries) if "counters" in one.text],
                         ["What push-counted would count is left out: this machine has no hardware counters (the reason is not recorded)."])
        self.assertEqual([section.tag for section in build_sections(read, summaries)], ["push"])

    def test_busy_invocations_are_told_and_take_nothing_from_the_others(self):
        for busy, status in ((0, "ok"), (1, "ok"), (5, "ok"), (6, "busy"), (12, "busy")):
            summaries, said = self.said(busy=busy)
            mine = next(one for one in summaries if one.deque == "abp" and one.metric == "push_latency")
            self.assertEqual((mine.status, mine.invocations), (status, 12 - busy))
            said = " ".join(said)
            if status == "ok" and busy:
                self.assertIn("In 1 of 6 cells some invocations have no push_latency", said)
                self.assertIn(f"at worst {12 - busy} of 12, push of abp", said)
            else:
                self.assertEqual(said, "")


if __name__ == "__main__":
    run_tests()
