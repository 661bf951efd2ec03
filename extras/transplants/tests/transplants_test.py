#!/usr/bin/python3
"""Edits of a made-up host, refusals, and the ratios of a made-up run."""

import contextlib
import io
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from tests.plots.support import ROOT, FolderTest, drawn, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.run_folder import Problem, Run
from harness.judging.summaries import summarize
from extras.transplants.data import compare
from extras.transplants import crates, prepare
from extras.transplants.hosts import HOSTS, Host


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
                                 ("taskflow", "taskflow_unbounded", "^$"), ("stdexec", "weir", "^$"), ("stdexec", "lace", "^$"),
                                 ("openmp_llvm", "bwos_fifo", "newest"), ("openmp_llvm", "weir", "^$")):
            self.assertRegex(prepare.unfit(deque, HOSTS[host]), why, deque)
        for host in HOSTS.values():
            self.assertGreaterEqual(sum(not prepare.unfit(deque, host) for deque in prepare.DEQUES), 6, host.name)

    def test_a_section_whose_work_the_host_does_not_have_is_left_out(self):
        text = prepare.suite_text(HOSTS["libfork"], "2f359cda", ["own", "weir"], {"fib", "uts"})
        self.assertEqual(re.findall(r"^\[([^]]+)\]", text, re.M), ["fib-1", "fib-2", "uts-2"])
        self.assertIn("\nuts deque=libfork/own,libfork/weir threads=2 tree=T1\n", text)
        self.assertIn("title Transplants into libfork (2f359cda)", text)

    @unittest.skipUnless(shutil.which("cmake"), "needs cmake")
    def test_a_host_that_is_a_library_is_built_of_its_copy(self):
        host = Host("made", "Made", "", "made", [], [], library="libmade.so", target="made", cmake=["BUILD_SHARED_LIBS=ON"])
        sources = self.folder / "include" / "made"
        sources.mkdir(parents=True)
        (sources / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.13)\nproject(made C)\nadd_library(made made.c)\n")
        (sources / "made.c").write_text("int made(void) { return 1; }\n")
        library, path = prepare.library(host, self.folder)
        self.assertTrue(Path(library).exists())
        self.assertEqual(path, f"-Wl,-rpath,{Path(library).parent}")
        Path(library).unlink()
        (sources / "made.c").write_text("no C\n")
        with self.assertRaisesRegex(Problem, "cmake --build .* fails"):
            prepare.library(host, self.folder)
        self.assertEqual(prepare.library(HOSTS["taskflow"], self.folder), [])

    def test_every_host_has_its_program_and_its_glue_and_help_names_it(self):
        told = re.search(r"extras transplants (\S+)", (prepare.HERE / "run").read_text(encoding="utf-8"))
        self.assertEqual(sorted(told[1].split("|")), sorted(HOSTS))
        for host in HOSTS:
            self.assertTrue(list((ROOT / "extras/runtimes").glob(f"{host}.c*")), host)
            self.assertTrue(list(prepare.HERE.glob(f"{host}*")), host)

    def test_names_that_are_wrong(self):
        for arguments, code, says in ((["taskflo", "--from=."], 2, "did you mean taskflow"),
                                      (["taskflow", "--from=.", "--deque=wier"], 2, "did you mean weir"),
                                      (["taskflow", "--from=.", "--deque=weir"], 3, "no checkout of Taskflow|is missing"),
                                      (["taskflow", "--from=/nowhere"], 3, "no folder")):
            done = subprocess.run([sys.executable, "-m", "extras.transplants.prepare", *arguments], cwd=ROOT,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, says)


class Crates(FolderTest):
    """Rayon, without it: made-up crates, and the glue with an owner and thieves of C++."""

    def made(self, *folders, text='[package]\nversion = "1.6.1"\n'):
        for folder in folders:
            (self.folder / folder / "src").mkdir(parents=True)
            (self.folder / folder / "Cargo.toml").write_text(text)
            (self.folder / folder / "src/lib.rs").write_text("")

    def setUp(self):
        super().setUp()
        self.made("registry/rayon-1.6.1", "registry/rayon-core-1.10.1", "registry/crossbeam-deque-0.8.1")
        patched = mock.patch.dict("os.environ", {"RAYON_REGISTRY": str(self.folder / "registry")})
        patched.start()
        self.addCleanup(patched.stop)

    def test_the_copy_of_a_folder_of_crates_is_a_workspace_with_our_crate_and_the_original(self):
        crates.copy(self.folder / "registry", self.folder / "ours", "1", True)
        crates.copy(self.folder / "registry", self.folder / "own", "1", False)
        self.assertIn('[workspace]\nmembers = ["rayon-core"]', (self.folder / "ours/source/Cargo.toml").read_text())
        self.assertTrue((self.folder / "ours/source/rayon-core/src/lib.rs").exists())
        self.assertIn("original = ", (self.folder / "ours/crossbeam-deque/Cargo.toml").read_text())
        self.assertTrue((self.folder / "ours/original/src/lib.rs").exists())
        self.assertTrue((self.folder / "ours/half/src/lib.rs").exists())
        self.assertIn("crossbeam-deque = ", (self.folder / "ours/.cargo/config.toml").read_text())
        self.assertNotIn("crossbeam-deque", (self.folder / "own/.cargo/config.toml").read_text())
        self.assertNotIn("workspace", (self.folder / "registry/rayon-1.6.1/Cargo.toml").read_text())

    def test_a_checkout_loses_its_demo_and_is_copied_anew_when_it_changes(self):
        self.made("rayon", "rayon/rayon-demo", text=f"[workspace]\n{crates.MEMBERS}\n")
        self.made("rayon/rayon-core")
        crates.copy(self.folder / "rayon", self.folder / "ours", "1", True)
        self.assertEqual((self.folder / "ours/source/Cargo.toml").read_text(), '[workspace]\nmembers = ["rayon-core"]\n')
        self.assertFalse((self.folder / "ours/source/rayon-demo").exists())
        (self.folder / "ours/target").mkdir()
        crates.copy(self.folder / "rayon", self.folder / "ours", "1", True)
        self.assertTrue((self.folder / "ours/target").exists())
        crates.copy(self.folder / "rayon", self.folder / "ours", "2", True)
        self.assertFalse((self.folder / "ours/target").exists())
        (self.folder / "rayon/Cargo.toml").write_text("[workspace]\n")
        with self.assertRaisesRegex(Problem, "0 times, not once"):
            crates.copy(self.folder / "rayon", self.folder / "ours", "3", True)

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(Problem, "neither a checkout of Rayon nor"):
            crates.parts(self.folder)
        with mock.patch.object(crates, "cargo", return_value=None), self.assertRaisesRegex(Problem, "no cargo"):
            crates.prepare(HOSTS["rayon"], self.folder / "registry", ["weir"], self.folder, None, prepare.run)
        (self.folder / "registry/crossbeam-deque-0.8.1/Cargo.toml").unlink()
        with mock.patch.object(crates, "cargo", return_value="cargo"), self.assertRaisesRegex(Problem, "no crate crossbeam-deque"):
            crates.prepare(HOSTS["rayon"], self.folder / "registry", ["weir"], self.folder, None, prepare.run)

    def test_tests_whose_tasks_wait_for_others_are_left_to_deques_that_show_thieves_all(self):
        self.assertEqual([deque for deque in sorted(crates.TWO_WORDS) if crates.withheld(deque)], ["bwos_lifo", "lace"])
        program, ran = self.folder / "rayon_core-1", []
        program.write_text("")
        with contextlib.redirect_stdout(io.StringIO()):
            for deque in ("own", "lace_cells", "weir"):
                crates.test(HOSTS["rayon"], deque, [("rayon-core", program, self.folder)], self.folder / deque,
                            lambda command, *_: ran.append(command[1:]) or (0, "97 passed"))
        self.assertEqual(ran, [[], ["--skip", "join_context_second"], []])
        self.assertEqual((self.folder / "weir/passed").read_text(), "97\n")
        with self.assertRaisesRegex(Problem, "rayon-core of Rayon fails with the"):
            crates.test(HOSTS["rayon"], "the", [("rayon-core", program, self.folder)], self.folder / "the", lambda *_: (101, ""))
        self.assertFalse((self.folder / "the/passed").exists())

    def test_an_item_keeps_its_two_words_and_comes_out_once(self):
        self.assertEqual(crates.forms("jdk_fork_join"), ["jdk_fork_join_cells"])
        for form in crates.forms("weir") + crates.forms("lace") + ["chase_lev", "jdk_fork_join_cells"]:
            folder = self.folder / form
            crates.put(form, folder)
            said = subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{folder}", folder / "glue.cc",
                                   Path(__file__).with_name("rayon_glue.cc"), "-o", folder / "stress", "-lpthread"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((said.returncode, said.stderr), (0, ""), form)
            said = subprocess.run([folder / "stress"], capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((said.returncode, said.stdout), (0, "0 wrong, some stolen\n"), form)


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
        run = self.run_of({"fib-2": {"own": 0.5, "weir": 0.4, "the": 0.5}, "uts-2": {"own": 0.2, "weir": 0.3}, "nqueens-2": {"weir": 0.1}})
        rows = compare(run, summarize(run))
        self.assertEqual([(row.tag, row.deque, row.against.judged.verdict) for row in rows],
                         [("fib-2", "weir", "faster"), ("fib-2", "the", "not told apart"), ("uts-2", "weir", "slower")])
        self.assertAlmostEqual(rows[0].against.ratio, 0.8, delta=0.02)
        made = drawn(run, "transplants")
        self.assertEqual(set(made), {"transplants-taskflow", "transplants-taskflow-ratios"})
        self.assertEqual([row["with ours it is"] for row in rows_of(made["transplants-taskflow-ratios"][1])],
                         ["faster", "not told apart", "slower"])
        self.expect(0, "extras.transplants.ratios", self.folder / "run", says="About uts-2")


if __name__ == "__main__":
    run_tests()
