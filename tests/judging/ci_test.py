#!/usr/bin/python3
"""The CI job: when a cell is decided, whole jobs of random cells, the deques that a change touches, the written files."""

import json
import math
import os
import subprocess
import unittest
from unittest import mock
from xml.etree import ElementTree

import numpy

from harness.judging.run_folder import Problem
from harness.judging import ci, ci_report as report, revisions
from harness.judging.deciding import (
    BY_CODE, FAILED, IDENTICAL, UNCONFIRMED, UNDECIDED, UNMEASURED, Watched, exit_code, next_look)
from harness.judging.bench import SIDES, Bench, Side, Suite, measured
from harness.judging.statistics import NOT_SLOWER, SLOWER
from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun


def watch(draw, cells=1, most=200):
    """A cell that is given pairs until it is decided."""
    cell, logs = Watched("chase_lev", "push", cells=cells), []
    while not cell.verdict and len(logs) < most:
        logs += draw(cell.asked - len(logs))
        cell.see(logs)
    return cell


def normal(generator, ratio, spread):
    return lambda n: list(generator.normal(math.log(ratio), spread, n))


class Deciding(unittest.TestCase):
    def test_what_fresh_pairs_do_not_show_is_no_alarm(self):
        generator = numpy.random.default_rng(2)
        first = iter([list(generator.normal(0.1, 0.01, 12))])
        cell = watch(lambda n: next(first, None) or list(generator.normal(0, 0.01, n)))
        self.assertEqual((cell.verdict, cell.alarm_at), (UNCONFIRMED, 12))

    def test_all_cells_share_one_alpha(self):
        """Eight pairs that all show it are worth about 64: enough for a cell that is alone, not for one of twenty."""
        alone, among = Watched("a", "push"), Watched("a", "push", cells=20)
        for cell in (alone, among):
            cell.see([0.1] * 8)
        self.assertEqual((alone.alarm_at, among.alarm_at), (8, None))
        among.see([0.1] * 12)
        self.assertEqual(among.alarm_at, 12)
        benches = [mock.Mock(watched=[Watched("a", "push"), Watched("a", "pop")]), mock.Mock(watched=[alone])]
        with mock.patch.object(ci, "measure_until_decided"):
            ci.time_into({"notices": []}, benches, mock.Mock(budget=1))
        self.assertEqual([cell.cells for bench in benches for cell in bench.watched], [3, 3, 3])

    def test_looks_keep_the_sides_in_turn(self):
        pairs = [6]
        while pairs[-1] < 400:
            pairs.append(next_look(pairs[-1]))
        self.assertFalse([n for n in pairs if n % 2])
        self.assertLess(len(pairs), 60)
        self.assertEqual(next_look(16, 16), 22)

    @staticmethod
    def in_codes(effects, noise, seed, cells=11, most=600):
        """A cell whose ratio is another one in each code, drawn in balance."""
        generator, cell, codes = numpy.random.default_rng(seed), Watched("chase_lev", "quicksort-2", cells=cells), []
        logs = []
        while not cell.verdict and len(logs) < most:
            while len(codes) < cell.asked:
                codes += [int(code) for code in generator.permutation(len(effects))]
            now = codes[len(logs):cell.asked]
            logs += [math.log1p(effects[code]) + generator.normal(0, noise) for code in now]
            cell.see(logs, codes[:len(logs)])
        return cell

    def test_what_some_codes_show_and_others_do_not_is_no_slowdown(self):
        """Five variants are 5 % slower and three are faster, and so are fresh processes."""
        cell = self.in_codes([0.05] * 5 + [-0.03] * 3, 0.01, 7)
        self.assertEqual(cell.verdict, BY_CODE)
        self.assertEqual(exit_code([cell]), 0)
        alone = Watched("chase_lev", "quicksort-2", cells=11)
        while not alone.verdict and len(alone.logs) < len(cell.logs):
            alone.see(cell.logs[:alone.asked])
        self.assertEqual(alone.verdict, SLOWER, "the same pairs of one code")

    def test_a_slowdown_in_every_code_is_one(self):
        for seed in range(10):
            effects = numpy.random.default_rng(seed).normal(0.03, 0.008, 8)
            self.assertEqual(self.in_codes(effects, 0.02, seed).verdict, SLOWER, effects)

    def test_exit_codes(self):
        def code(*verdicts, counts=None):
            return exit_code([Watched("d", str(i), verdict=verdict) for i, verdict in enumerate(verdicts)], counts)
        self.assertEqual(code(NOT_SLOWER, IDENTICAL, UNMEASURED), 0)
        self.assertEqual(code(NOT_SLOWER, UNCONFIRMED), 0)
        self.assertEqual(code(NOT_SLOWER, UNDECIDED), 3)
        self.assertEqual(code(SLOWER, UNDECIDED), 1)
        self.assertEqual(code(FAILED), 1)
        self.assertEqual(code(UNMEASURED), 3)
        self.assertEqual(code(UNMEASURED, counts=0), 0)
        self.assertEqual(code(NOT_SLOWER, counts=1), 1)
        self.assertEqual(code(NOT_SLOWER, counts=3), 3)


class Measuring(FolderTest):
    def test_the_best_of_a_process_is_judged(self):
        """The shortest time and the highest throughput of its repetitions, process by process."""
        run = SyntheticRun(self.folder / "run", invocations=3, repetitions=6, noise=0.2)
        run.cell(["push"], "push", "chase_lev", {}, {"push_latency": (1.5, "ns")})
        run.cell(["contention"], "contention", "chase_lev", {}, {"owner_operations": (4e8, "operations/s")})
        found = measured(run.write())
        for tag, metric, best in (("push", "push_latency", min), ("contention", "owner_operations", max)):
            for invocation, value in found[tag, "chase_lev"].values["owner", metric].items():
                values = [float(row[9]) for row in run.rows if row[6] == invocation and row[8] == metric]
                self.assertEqual((len(values), value), (6, best(values)))

    def test_each_call_of_the_driver_measures_new_copies_of_what_was_there_at_first(self):
        copies = [self.folder / "scratch" / "a-b" / side / "deques" / "latency" / "a" / "b" for side in ("base", "head")]
        for side in ("base", "head"):
            (self.folder / side / "deques" / "latency" / "a").mkdir(parents=True)
            (self.folder / side / "deques" / "latency" / "a" / "b").write_text(side, encoding="utf-8")
        driver, seen = self.folder / "driver", []
        driver.write_text("#!/bin/sh\necho head/a/b fails its check >&2; exit 1\n", encoding="utf-8")
        driver.chmod(0o755)
        bench = Bench(driver, Suite(ROOT / ci.SUITE), "a/b", [Watched("a/b", "push")],
                      (self.folder / "base", self.folder / "head"), self.folder / "scratch", self.folder / "results")
        for _ in range(2):
            bench.measure()
            seen.append([copy.stat().st_ino for copy in copies])
            self.assertEqual([copy.read_text(encoding="utf-8") for copy in copies], ["base", "head"])
            (self.folder / "head" / "deques" / "latency" / "a" / "b").write_text("built again", encoding="utf-8")
        self.assertEqual(bench.watched[0].verdict, FAILED)
        self.assertTrue(all(first != second for first, second in zip(*seen)))
        self.assertEqual(bench.folders, [f"{side}={self.folder}/scratch/a-b/{side}/deques/latency" for side in ("base", "head")])

    def test_a_head_that_ends_badly_fails_but_not_beside_such_a_base(self):
        key, six = ("owner", "push_latency"), range(6)
        for ended, verdict in [(("ok", "crashed"), FAILED), (("ok", "timeout"), FAILED), (("timeout", "timeout"), UNDECIDED),
                               (("crashed", "ok"), UNDECIDED), (("ok", "ok"), "")]:
            cell, bench = Watched("a", "push"), mock.Mock(ids=[f"{side}/a" for side in SIDES], results=self.folder)
            bench.open, bench.name = [cell], "a"
            sides = {("push", one): Side(its_end, {key: dict.fromkeys(six, time)}, {key: "ns"}, dict.fromkeys(six), dict.fromkeys(six, ""))
                     for one, its_end, time in zip(bench.ids, ended, (1.0, 2.0))}
            with mock.patch("harness.judging.bench.measured", return_value=sides):
                Bench._look(bench, "")
            self.assertEqual(cell.verdict, verdict)
        self.assertEqual((cell.sides, cell.logs), (([1.0] * 6, [2.0] * 6), [math.log(2)] * 6))

    def test_the_variants_that_both_builds_have_are_measured(self):
        for side, numbers in (("base", (1, 2, 3)), ("head", (1, 2))):
            for folder in ("deques/fib", *(f"deques/fib.{number}" for number in numbers)):
                (self.folder / side / folder).mkdir(parents=True)
                (self.folder / side / folder / "a").write_text(folder, encoding="utf-8")
        bench = Bench("driver", Suite(ROOT / ci.SUITE), "a", [], (self.folder / "base", self.folder / "head"),
                      self.folder / "scratch", self.folder / "results")
        bench._copy_anew()
        copied = {str(file.relative_to(self.folder / "scratch" / "a")) for file in (self.folder / "scratch").rglob("a")
                  if file.is_file() and "original" not in file.parts}
        self.assertEqual(copied, {f"{side}/{folder}/a" for side in ("base", "head")
                                  for folder in ("deques/fib", "deques/fib.1", "deques/fib.2")})
        self.assertEqual(len(bench.folders), 2)
        self.assertEqual(bench.suite.variants, 8)


class Revisions(FolderTest):
    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, revision):
        return revisions.commit_of(revision, self.folder)

    def test_the_base(self):
        self.git("init", "-q", "-b", "main")
        for name in ("one", "two"):
            (self.folder / name).write_text(name, encoding="utf-8")
            self.git("add", name)
            self.git("commit", "-q", "-m", name)
        with mock.patch.dict(os.environ, {"GITHUB_BASE_REF": ""}):
            self.assertEqual(revisions.base_of("", self.folder)[0], self.commit("HEAD^"))  # on main, nothing changed
            (self.folder / "new").write_text("", encoding="utf-8")
            self.assertEqual(revisions.base_of("", self.folder)[0], self.commit("HEAD"))
            self.git("checkout", "-q", "-b", "mine")
            self.git("rm", "-q", "one")
            self.git("commit", "-q", "-m", "less")
            self.assertEqual(revisions.base_of("", self.folder), (self.commit("main"), "merge base with main"))
            self.assertEqual(revisions.changed_files(self.commit("main"), self.folder), ["new", "one"])
            self.assertEqual(revisions.base_of("main^", self.folder)[0], self.commit("main^"))

    def test_no_clone_at_all(self):
        with mock.patch.dict(os.environ, {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)}):
            with self.assertRaisesRegex(Problem, "no clone of git"):
                revisions.commit_of("HEAD", self.folder)

    def test_what_a_change_touches(self):
        """By what sources include, before anything is built."""
        def objects(targets):
            ids = [target.partition("latency/")[2] for target in targets]
            return {("", "harness/measuring/measure.c", "", ""), *((one, "workloads/latency/push.c", f"queues/{one}.h", "") for one in ids)}
        deques = ["array", "as_published/abp"]
        with mock.patch.object(revisions, "objects_of", objects):
            for changed, expected in [("queues/array.h", deques[:1]), ("queues/as_published/abp.h", deques[1:]), ("queues/deque.h", deques),
                                      ("workloads/latency/push.c", deques), ("harness/measuring/measure.h", deques),
                                      ("workloads/pool/sleep.c", []), ("README.md", []), ("setup/layout.sh", deques)]:
                self.assertEqual(revisions.touched(deques, ["latency"], [changed]), expected, changed)


class Telling(FolderTest):
    def setUp(self):
        super().setUp()
        generator = numpy.random.default_rng(7)
        slow = watch(normal(generator, 1.2, 0.01))
        slow.title, slow.unit = "A push", "ns"
        slow.sides = ([1.0] * len(slow.logs), [math.exp(log) for log in slow.logs])
        self.cells = [Watched("array", "pop", verdict=IDENTICAL), slow,
                      Watched("locked", "fib", verdict=UNDECIDED, why="the budget is spent")]
        self.job = dict(base="0123456789ab", words="merge base with main", threshold=0.02, seconds=12.0, notices=["a | b"],
                         counts=1, counted="  MORE  chase_lev  push  alone  fences  0.0000 -> 1.0000  from nothing\n",
                         machine="2 processors", budget=600)

    def tell(self, code=1, **environment):
        with mock.patch.dict(os.environ, {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": "", **environment}), \
                mock.patch("builtins.print") as said:
            report.tell(self.folder, self.job, self.cells, code)
        return "\n".join(str(call.args[0]) for call in said.call_args_list if call.args)

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_all_that_is_written(self):
        said = self.tell()
        self.assertIn("ci FAILED: 1 count increased; 1 slower, 1 undecided, 1 identical", said)
        self.assertNotIn("::error", said)
        self.assertIn("|chase_lev|push|1.00|1.20|ns|1.198|[1.190,1.208]|12||slower|", self.text("summary.md").replace(" ", ""))
        suite = ElementTree.fromstring(self.text("junit.xml")).find("testsuite")
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "skipped")], ["4", "2", "1"])
        self.assertEqual(len(suite.findall("testcase/failure")), 2)
        cell = json.loads(self.text("ci.json"))["cells"][1]
        self.assertEqual((cell["verdict"], cell["base"], cell["head"]), (SLOWER, *self.cells[1].sides))

    def test_what_fails_is_seen_first_among_many_counts(self):
        less = "".join(f"  less  array  pop  alone  ok  lines  {i}.0 -> 0.0  -100.0%\n" for i in range(2, 52))
        self.job["counted"] = less + self.job["counted"] + "  GONE  chase_lev  steal  alone  ok  no longer succeeds\n"
        self.assertIn("ci FAILED: 2 counts increased; ", self.tell())
        counts = self.text("summary.md").split("```")[1].strip("\n").splitlines()
        self.assertEqual([line.split()[0] for line in counts[:3]], ["MORE", "GONE", "less"])
        self.assertEqual((len(counts), counts[-1]), (41, "... and 12 lines more, in counts.txt"))
        self.assertEqual(self.text("counts.txt"), self.job["counted"])


class CommandLine(unittest.TestCase):
    def test_options(self):
        given = ci.parse_arguments(["--against", "--budget=90s", "--threshold=3"])
        self.assertEqual((given.against, given.budget, given.threshold), ("", 90, 0.03))


if __name__ == "__main__":
    run_tests()
