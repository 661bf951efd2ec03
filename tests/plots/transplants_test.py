#!/usr/bin/python3
"""workloads/runtimes/transplants/: edits of a made-up host, refusals, and the ratios of a made-up run."""

import re
import subprocess
import sys
from unittest import mock

from tests.plots.support import ROOT, FolderTest, drawn, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.run_folder import Problem, Run
from plots.data.summaries import summarize
from plots.data.transplants import compare
from workloads.runtimes.transplants import prepare
from workloads.runtimes.transplants.hosts import HOSTS



class Prepared(FolderTest):
    def setUp(self):
        super().setUp()
        self.host = prepare.HOSTS["taskflow"]
        self.source = self.folder / "checkout"
        for path in dict.fromkeys(path for path, *_ in self.host.edits):
            (self.source / path).parent.mkdir(parents=True)
            (self.source / path).write_text("".join(old for _, old, _ in self.host.edits))
        patched = mock.patch.object(prepare, "BUILD", self.folder / "build")
        patched.start()
        self.addCleanup(patched.stop)

    def test_the_copy_has_the_patch_the_glue_and_the_deque_and_the_checkout_is_untouched(self):
        folder, made = prepare.copy(self.host, self.source, "chase_lev")
        text = (folder / "include/taskflow/core/worker.hpp").read_text()
        self.assertIn("transplant::wsq<Node*>", text)
        self.assertNotIn("BoundedWSQ<Node*>", text)
        self.assertIn("BoundedWSQ<Node*>", (self.source / "taskflow/core/worker.hpp").read_text())
        self.assertIn("transplant_steal", (folder / "include/glue/transplant_deque.h").read_text())
        [patch] = prepare.patch(self.host, self.source, made)
        self.assertIn("\n-  using wsq_type = BoundedWSQ<Node*>;\n", patch)
        self.assertIn("\n+  using wsq_type = transplant::wsq<Node*>;\n", patch)

    def test_its_own_deque_is_the_host_as_it_is(self):
        folder, made = prepare.copy(self.host, self.source, prepare.OWN)
        self.assertEqual((made, (folder / "include/taskflow/core/worker.hpp").read_text()),
                         ({}, (self.source / "taskflow/core/worker.hpp").read_text()))

    def test_what_was_built_goes_when_the_host_changes_and_stays_when_not(self):
        folder, _ = prepare.copy(self.host, self.source, "lace")
        built = folder / "tests" / "test.passed"
        built.parent.mkdir()
        built.write_text("as it was")
        prepare.copy(self.host, self.source, "lace")
        self.assertTrue(built.exists())
        path = self.source / "taskflow/core/worker.hpp"
        path.write_text(path.read_text() + "// another revision\n")
        prepare.copy(self.host, self.source, "lace")
        self.assertFalse(built.exists())

    def test_another_revision_without_the_place_is_refused(self):
        (self.source / "taskflow/core/worker.hpp").write_text("nothing of it")
        with self.assertRaisesRegex(Problem, "0 times, not once"):
            prepare.copy(self.host, self.source, "lace")

    def test_deques_that_do_not_fit_say_why(self):
        for host, deque, why in (("taskflow", "private", "a deque of their own"), ("taskflow", "lace", "answer"),
                                 ("taskflow", "bwos_lifo", "keeps some"), ("libfork", "lace", "^$"), ("taskflow", "idempotent", "twice"),
                                 ("parlaylib", "bwos_fifo", "newest"), ("taskflow", "lf_bulk", "links its items|one thief"),
                                 ("libfork", "bwos_fifo", "newest"), ("parlaylib", "weir", "^$"), ("libfork", "weir", "^$"),
                                 ("taskflow", "taskflow_unbounded", "^$"), ("stdexec", "weir", "^$"), ("stdexec", "lace", "^$")):
            self.assertRegex(prepare.unfit(deque, HOSTS[host]), why, deque)
        for host in HOSTS.values():
            self.assertGreaterEqual(sum(not prepare.unfit(deque, host) for deque in prepare.DEQUES), 6, host.name)

    def test_a_section_whose_work_the_host_does_not_have_is_left_out(self):
        text = prepare.suite_text(HOSTS["libfork"], "2f359cda", ["own", "weir"], {"fib", "uts"})
        self.assertEqual(re.findall(r"^\[([^]]+)\]", text, re.M), ["fib-1", "fib-2", "uts-2"])
        self.assertIn("\nuts deque=libfork/own,libfork/weir threads=2 tree=T1\n", text)
        self.assertIn("title Transplants into libfork (2f359cda)", text)

    def test_every_host_has_its_program_and_its_glue_and_the_driver_names_it(self):
        verb = re.search(r'"transplant",.*?arguments = "([^"]+)"', (ROOT / "harness/driver/verbs/table.c").read_text(encoding="utf-8"), re.S)
        self.assertEqual(sorted(verb[1].split("|")), sorted(HOSTS))
        for host in HOSTS:
            self.assertTrue(list((ROOT / "workloads/runtimes").glob(f"{host}.c*")), host)
            self.assertTrue(list(prepare.HERE.glob(f"{host}*")), host)

    def test_names_that_are_wrong(self):
        for arguments, code, says in ((["taskflo", "--from=."], 2, "did you mean taskflow"),
                                      (["taskflow", "--from=.", "--deque=wier"], 2, "did you mean weir"),
                                      (["taskflow", "--from=.", "--deque=weir"], 3, "no checkout of Taskflow|is missing"),
                                      (["taskflow", "--from=/nowhere"], 3, "no folder")):
            done = subprocess.run([sys.executable, "-m", "workloads.runtimes.transplants.prepare", *arguments], cwd=ROOT,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, says)


class Ratios(FolderTest):
    def run_of(self, times):
        """times: {tag: {deque: seconds}}, all in Taskflow."""
        made = SyntheticRun(self.folder / "run", invocations=8, repetitions=1, noise=0.005,
                            deques={f"taskflow/{name}": {"title": "Taskflow 4", "reference": "1"} for name in ("own", "weir", "the")})
        for tag, members in times.items():
            made.section(tag, f"About {tag}")
            for name, seconds in members.items():
                made.cell([tag], "fib", f"taskflow/{name}", {"threads": 2}, {("pool", "run_time"): (seconds, "s")})
        return Run(made.write())

    def test_the_ratio_is_to_the_host_s_own(self):
        run = self.run_of({"fib-2": {"own": 0.5, "weir": 0.4, "the": 0.5}, "uts-2": {"own": 0.2, "weir": 0.3}, "dag-2": {"weir": 0.1}})
        rows = compare(run, summarize(run))
        self.assertEqual([(row.tag, row.deque, row.against.judged.verdict) for row in rows],
                         [("fib-2", "weir", "faster"), ("fib-2", "the", "not told apart"), ("uts-2", "weir", "slower")])
        self.assertAlmostEqual(rows[0].against.ratio, 0.8, delta=0.02)
        made = drawn(run, "transplants")
        self.assertEqual(set(made), {"transplants-taskflow", "transplants-taskflow-ratios"})
        self.assertEqual([row["with ours it is"] for row in rows_of(made["transplants-taskflow-ratios"][1])],
                         ["faster", "not told apart", "slower"])
        self.expect(0, "workloads.runtimes.transplants.ratios", self.folder / "run", says="About uts-2")


if __name__ == "__main__":
    run_tests()
