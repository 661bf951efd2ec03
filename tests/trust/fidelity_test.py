#!/usr/bin/python3
"""fidelity.py: a mapping is refused by line, ratios come out as planted, absent originals are said. From a mapping to the table:
tests/end_to_end/upstream.sh."""

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.trust import ahead, fidelity
from harness.trust.fidelity import parse_mapping, present_pairs, suite_text
from harness.judging.run_folder import Problem
from harness.judging.summaries import summarize

MAPPING = """
case push 1 push owner:push_latency batch=1 capacity=1024   # a comment
case thief 2 contention owner:steal_time,owner:owner_operations thieves=1
pair ours upstream/theirs push thief
slower ours upstream/theirs push two loads more
faster ours upstream/theirs thief no lock
none alone nobody published it
"""


class Reading(FolderTest):

    def test_what_is_wrong_is_said_with_its_line(self):
        for text, says in [
                ("cas push 1 push owner:a", ":1: no such line: cas"),
                ("case push 1 push", ":1: not enough values"),
                ("case push none push owner:a", ":1: .*none"),
                ("case push 1 push latency", ":1: not enough values"),
                ("case a 1 push owner:a\npair x y b", ":2: no such case: b"),
                ("case a 1 push owner:a\npair x y a\nslower x z a why", ":3: no such pair: .*z"),
                ("case a 1 push owner:a\npair x y a\nfaster x y b why", ":3: no such case of this pair: b"),
                ("none", ":1: not enough values")]:
            with self.subTest(text), self.assertRaisesRegex(Problem, says) as caught:
                parse_mapping(text)
            self.assertEqual(caught.exception.code, 2)

    def test_the_mapping_that_is_there_fits_the_deques_that_are_there(self):
        mapping = parse_mapping((ROOT / "harness" / "trust" / "fidelity.txt").read_text(encoding="utf-8"))
        queues = ROOT / "queues"
        named = {deque for pair in mapping.pairs for deque in (pair.port, pair.original)} | set(mapping.without)
        headers = {str(path.relative_to(queues).with_suffix("")) for path in [*queues.glob("*.h"), *queues.glob("upstream/*.h")]}
        self.assertEqual(sorted(named ^ (headers - {"deque", "upstream/upstream"})), [])

    def test_a_suite_has_a_section_for_each_case_of_each_pair(self):
        pairs = parse_mapping(MAPPING).pairs
        self.assertEqual([line for line in suite_text(pairs, False).splitlines() if "deque=" in line or "[" in line],
                         ["[ours-push] ours against upstream/theirs: push",
                          "push deque=ours,upstream/theirs batch=1 capacity=1024",
                          "[ours-thief] ours against upstream/theirs: thief",
                          "contention deque=ours,upstream/theirs thieves=1"])
        again = suite_text(pairs, True)
        self.assertIn("[ours-thief]", again)
        self.assertNotIn("[ours-push]", again)


class Judging(FolderTest):
    """Runs of one pair with planted ratios of port to original."""

    def setUp(self):
        super().setUp()
        self.mapping = self.folder / "mapping.txt"
        self.mapping.write_text(MAPPING, encoding="utf-8")
        for name in ("ours", "alone", "upstream/theirs"):
            path = self.folder / "described" / "deques" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def run_with(self, name, push=1.0, steal=1.0, operations=1.0, noise=0.002, invocations=11, theirs="ok",
                 failing=()):
        """push, steal: how much slower the port is; operations: how much faster. theirs: how the original ends."""
        run = SyntheticRun(self.folder / name, invocations=invocations, noise=noise, seed=len(name))
        for tag, workload, params, metrics in [
                ("ours-push", "push", {"batch": 1, "capacity": 1024}, {"push_latency": (2.0, push, "ns")}),
                ("ours-thief", "contention", {"thieves": 1},
                 {"steal_time": (90.0, steal, "ns"), "owner_operations": (1e8, operations, "operations/s")})]:
            run.section(tag, tag)
            run.cell([tag], workload, "ours", params, {m: (v * by, unit) for m, (v, by, unit) in metrics.items()})
            run.cell([tag], workload, "upstream/theirs", params, {m: (v, unit) for m, (v, _, unit) in metrics.items()},
                     status=theirs, failing=failing)
        return run.write()

    def judge(self, *arguments, code=0, says=()):
        return self.expect(code, "trust.fidelity", "--mapping", self.mapping, *arguments, says=says)

    def rows(self, first, again=None):
        pairs = parse_mapping(MAPPING).pairs
        return fidelity.rows_of(pairs, summarize(fidelity.Run(first)), summarize(fidelity.Run(again)) if again else [])

    def test_planted_ratios_come_out(self):
        push, steal, operations = self.rows(self.run_with("a", 0.8, 1.1, 1.25), self.run_with("b", 0.8, 1.12, 1.25))
        self.assertAlmostEqual(push.first.ratio, 0.8, delta=0.01)
        self.assertAlmostEqual(steal.again.ratio, 1.12, delta=0.01)
        self.assertAlmostEqual(operations.ratio, 0.8, delta=0.01)  # a rate: more is faster
        self.assertLess(push.first.low, 0.8)
        self.assertGreater(push.first.high, 0.8)
        self.assertAlmostEqual(fidelity.geometric_mean([push, operations]), 0.8, delta=0.01)

    def test_verdicts(self):
        for by, verdict in [(0.6, "FASTER"), (0.97, "within"), (1.03, "within"), (1.12, "SLOWER")]:
            with self.subTest(by):
                self.assertEqual(self.rows(self.run_with("one", push=by))[0].verdict(), verdict)
        few = self.rows(self.run_with("few", push=0.5, invocations=5))[0]
        self.assertEqual(few.verdict(), "not settled")

    def test_contended_cases_need_two_runs_that_agree(self):
        first = self.run_with("first", steal=1.1)
        self.assertEqual(self.rows(first)[1].verdict(), "not settled")
        self.assertEqual(self.rows(first, self.run_with("like it", steal=1.1))[1].verdict(), "within")
        self.assertEqual(self.rows(first, self.run_with("unlike", steal=0.7))[1].verdict(), "not settled")
        slow, slow_too = self.run_with("slow", steal=1.3), self.run_with("slow too", steal=1.3)
        self.assertEqual(self.rows(slow, slow_too)[1].verdict(), "SLOWER")

    def test_the_table_names_the_best_original_of_each_row(self):
        run = SyntheticRun(self.folder / "ahead", noise=0)
        run.section("push", "push")
        run.section("owner", "owner")
        for deque, latency, rate in [("weir", 3.0, 2e8), ("upstream/a", 2.0, 1e8), ("upstream/b", 4.0, 4e8)]:
            run.cell(["push"], "push", deque, {"batch": 1}, {"push_latency": (latency, "ns")})
            run.cell(["owner"], "contention", deque, {}, {("owner", "owner_operations"): (rate, "operations/s")})
        text = "\n".join(ahead.table(summarize(fidelity.Run(run.write()))))
        self.assertRegex(text, r"push, ns +\| +a 2\.00 \| +3\.00 \(1\.50 ")
        self.assertRegex(text, r"million/s +\| +b 400 \| +200 \(2\.00 ")
        self.assertEqual(text.count("\n"), 3)

    def test_the_exit_code(self):
        slow = self.run_with("slow", 1.5, 0.5, 2.0)
        self.judge("judge", self.folder, slow, self.run_with("slow again", 1.5, 0.5, 2.0), code=0,
                   says=["SLOWER (explained)", "slower, explained: ours: two loads more", "faster, explained: ours: no lock"])
        slow = self.run_with("contended", 1.0, 1.5, 1.0)
        self.judge("judge", self.folder, slow, self.run_with("contended again", 1.0, 1.5, 1.0), code=1)
        self.judge("judge", self.folder, slow)
        self.judge("judge", self.folder, self.run_with("fast", 0.6), code=1, says=["FASTER"])

    def test_an_original_without_values_is_a_row_that_says_so(self):
        run = self.run_with("without", theirs="unsupported")
        self.judge("judge", self.folder, run, code=3,
                   says=["upstream/theirs: unsupported", "nothing could be compared"])

    def test_what_the_machine_did_not_allow_costs_pairs_and_a_crash_the_row(self):
        push = self.rows(self.run_with("denied", push=0.98, theirs="denied", failing=(0, 3)))[0]
        self.assertEqual((push.first.pairs, push.verdict()), (9, "within"))
        push = self.rows(self.run_with("crashed", push=0.9, theirs="crashed", failing=(0,)))[0]
        self.assertEqual((push.first, push.why), (None, "upstream/theirs: crashed"))

    def test_an_original_that_is_absent_is_left_out_and_said(self):
        originals = self.folder / "described" / "deques" / "upstream"
        (originals / "theirs").unlink()
        (originals / "not_built.txt").write_text("theirs\ttheirs.hpp not found; CPPFLAGS=-I...\n")
        present, lacking = present_pairs(parse_mapping(MAPPING), self.folder)
        self.assertEqual(present, [])
        why = "upstream/theirs is not built: theirs.hpp not found; CPPFLAGS=-I..."
        self.assertEqual([reason for _, reason in lacking], [why])
        self.judge("suite", self.folder, code=3, says=["no port can be compared", "theirs.hpp not found; CPPFLAGS=-I..."])


if __name__ == "__main__":
    run_tests()
