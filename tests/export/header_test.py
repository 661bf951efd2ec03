#!/usr/bin/python3
"""header_test.py: do exported deques compile together, in C and in C++, deliver each item, and cost as much as ours?"""

import functools
import os
import re
import shutil
import subprocess
import unittest
from unittest import mock

from export import certificate, header
from tests.plots.support import ROOT, FolderTest, run_tests

CC = os.environ.get("CC", "gcc")
CXX = os.environ.get("CXX", "clang++" if "clang" in CC else "g++")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pthread"]


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout + done.stderr


@functools.cache
def exportable():
    found = []
    for deque in header.deques():
        text = header.decided(header.source_of(deque))
        if header.trait(text, "sound") == "true" and header.trait(text, "reference") != "true":
            found.append((deque, text))
    return found


# One exported deque by one thread: of what goes in, each comes out once, at one end or the other.
ONE = """
struct NAME_object { LINK int taken; };
static int NAME_tried(void) {
    static struct NAME_object objects[300];
    struct NAME_config config;
    memset(&config, 0, sizeof config);
    config.capacity = 512;
    config.workers = 1;
    struct NAME_deque *deque = NAME_new(&config);
    NAME_item item = NULL;
    int wrong = 0;
    if (!deque || (size_t)deque % UP_LINE != 0)
        return -1;
    for (int i = 0; i < 300; i++)
        wrong += NAME_push(deque, (NAME_item)(void *)&objects[i]) != UP_OK;
    for (int i = 0; NAME_size(deque) > 0 && i < 1000; i++)
        if ((i % 3 == 0 && NAME_steal(deque, SELF, &item) == UP_OK) || NAME_pop(deque, &item) == UP_OK)
            ((struct NAME_object *)(void *)item)->taken++;
    for (int i = 0; i < 300; i++)
        wrong += objects[i].taken != 1;
    NAME_delete(deque);
    return wrong;
}
"""


@functools.cache
def exported(deque):
    """(whether items are links, the header under the deque's own prefix)"""
    lists = "lists" in header.native(dict(exportable())[deque])
    return lists, header.export(deque, f"my_{deque}", "" if lists else "struct task *")


def program(folder):
    """One program of all deques, each exported under names of its own."""
    parts, calls = ["#include <stdio.h>", "#include <string.h>", "struct task;"], []
    for deque, text in exportable():
        prefix, (lists, exports) = f"my_{deque}", exported(deque)
        (folder / f"{prefix}.h").write_text(exports)
        one = ONE.replace("SELF", "deque" if header.trait(text, "needs_self") == "true" else "NULL")
        one = one.replace("LINK", f"struct {prefix}_link link;" if lists else "").replace("UP_", f"{prefix.upper()}_")
        parts += [f'#include "{prefix}.h"', one.replace("NAME", prefix)]
        calls.append(f'    printf("%d {deque}\\n", {prefix}_tried());')
    return "\n".join([*parts, "int main(void) {", *calls, "    return 0;", "}"]) + "\n"


class Exported(FolderTest):
    def test_all_in_one_program(self):
        """In C and in C++: it keeps each deque's promise."""
        for name in ("all.c", "all.cc"):
            (self.folder / name).write_text(program(self.folder) if name == "all.c" else '#include "all.c"\n')
            compiler = [CC, "-std=c11", "-D_GNU_SOURCE", "-O1"] if name == "all.c" else [
                CXX, "-std=c++17", "-O0", "-Wno-class-memaccess" if CXX == "g++" else "-Wno-unknown-warning-option"]
            if shutil.which(compiler[0]):
                status, said = run(*compiler, *WARNINGS, "-I", self.folder, "-o", self.folder / "all", self.folder / name)
                self.assertEqual(status, 0, said[:4000])
                status, said = run(self.folder / "all", timeout=300)
                self.assertEqual((status, said.splitlines()), (0, [f"0 {deque}" for deque, _ in exportable()]))

    @unittest.skipUnless(shutil.which(CXX), "no C++ compiler")
    def test_holds_only_what_the_deque_reaches(self):
        """So a strict C++ compiler takes chase_lev, which has no flexible array; ring.h's deques that grow have one."""
        (self.folder / "my.h").write_text(header.export("chase_lev", "my", "void *"))
        (self.folder / "my.cc").write_text('#include "my.h"\n')
        status, said = run(CXX, "-std=c++17", "-Wpedantic", "-fsyntax-only", *WARNINGS, self.folder / "my.cc")
        self.assertEqual(status, 0, said)
        self.assertNotIn("_ring_buffer", (self.folder / "my.h").read_text())

    def text_section(self, lines):
        (self.folder / "probe.c").write_text("\n".join(lines))
        status, said = run(CC, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-ffile-prefix-map=.=.", "-I", ROOT / "queues", "-I",
                           self.folder, "-c", "-o", self.folder / "probe.o", self.folder / "probe.c")
        self.assertEqual(status, 0, said)
        status, said = run("objcopy", "-O", "binary", "--only-section=.text", self.folder / "probe.o", self.folder / "text")
        self.assertEqual(status, 0, said)
        return (self.folder / "text").read_bytes()

    def test_same_machine_code(self):
        """An exported operation is the one that the suite measures, instruction by instruction: of every fifth deque, or of all."""
        for deque, text in exportable()[::1 if os.environ.get("EVERYTHING") else 5]:
            item = "" if "lists" in header.native(text) else "void *"
            (self.folder / "mine.h").write_text(header.export(deque, "mine", item))

            def probe(first, prefix, struct_name):
                return [first,
                        f"int push(struct {struct_name} *d, {prefix}_item i) {{ return {prefix}_push(d, i); }}",
                        f"int pop(struct {struct_name} *d, {prefix}_item *i) {{ return {prefix}_pop(d, i); }}",
                        f"int steal(struct {struct_name} *d, {prefix}_item *i) {{ return {prefix}_steal(d, d + 1, i); }}"]
            ours = self.text_section(probe(f'#include "{deque}.h"', "deque", "deque"))
            self.assertGreater(len(ours), 16)
            self.assertEqual(ours, self.text_section(probe('#include "mine.h"', "mine", "mine_deque")), deque)

    def test_a_second_owner_is_found(self):
        """A thread that pops another's deque ends the program, which names the call; a deque that was handed over is no fault."""
        (self.folder / "my.h").write_text(header.export("chase_lev", "my", "void *"))
        (self.folder / "two.c").write_text("""#include <pthread.h>
#define MY_CHECK_OWNER
#include "my.h"
static struct my_deque *deque;
static void *pops(void *over) { void *item; if (over) my_new_owner(deque); my_pop(deque, &item); return NULL; }
int main(int count, char **words) {
    struct my_config config = {0};
    pthread_t thread;
    deque = my_new(&config);
    my_push(deque, words);
    pthread_create(&thread, NULL, pops, count > 1 ? words : NULL);
    pthread_join(thread, NULL);
    return 0;
}
""")
        status, said = run(CC, "-std=c11", "-D_GNU_SOURCE", *WARNINGS, "-I", self.folder, "-o", self.folder / "two", self.folder / "two.c")
        self.assertEqual(status, 0, said)
        self.assertEqual(run(self.folder / "two", "hand over"), (0, ""))
        status, said = run(self.folder / "two")
        self.assertEqual((status, said), (-6, "my_pop: called by a second thread, but a deque has one owner\n"))

    def test_the_readmes_example(self):
        """It runs as it stands, with the header that its command writes."""
        text = (ROOT / "README.md").read_text()
        self.assertIn("./run.sh export chase_lev --prefix=cl --output=cl.h", text)
        (self.folder / "cl.h").write_text(header.export("chase_lev", "cl", ""))
        (self.folder / "example.c").write_text(re.search(r"^```c\n(.*?)^```", text, re.M | re.S)[1])
        status, said = run(CC, *WARNINGS, "-I", self.folder, "-pthread", "-o", self.folder / "example", self.folder / "example.c")
        self.assertEqual(status, 0, said)
        self.assertEqual(run(self.folder / "example"), (0, "first task was stolen, second task is mine\n"))

    def test_comments_and_licence_come_along(self):
        text = header.export("lace", "cl", "void *")
        for wanted in ("cl_push(struct cl_deque *, cl_item)", "cl_poll(struct cl_deque *)", "MIT License",
                       "The owner takes items LIFO", "./run.sh export lace --prefix=cl"):
            self.assertIn(wanted, text)
        self.assertIn("membarrier", header.export("weir", "cl", "void *"))
        self.assertIn("cl_deque: libfork,", header.export("libfork", "cl", "void *"), "not the deque inside of it")
        without = header.export("chase_lev", "cl", "void *")
        self.assertNotIn("membarrier", without)
        self.assertNotIn("cl_poll", without)
        self.assertNotIn("cl_push_batch", without)

    def test_every_name_has_the_prefix(self):
        for deque, _ in exportable():
            prefix = f"my_{deque}"
            text = re.sub(f"{prefix.upper()}_(OPERATION|SLOW_PATH) ", r"DEQUE_\1 ", exported(deque)[1])
            names = header.names_of(text) - {"DEQUE_OPERATION", "DEQUE_SLOW_PATH"}
            self.assertGreater(len(names), 10)
            for name in names:
                self.assertRegex(name, rf"^(struct |enum |union )?({prefix}|{prefix.upper()})_", deque)
            self.assertNotIn("using ", header.COMMENT.sub("", text))


class Certificate(FolderTest):
    """What the header says was checked: only what passed on this very code."""

    def asked(self, deque, status=0, passed=("conformance",)):
        """(the certificate, how often the checks ran)"""
        with mock.patch.object(certificate, "run_checks", return_value=(status, {check: ["plain"] for check in passed})) as runs:
            return certificate.certificate(deque), runs.call_count

    def setUp(self):
        super().setUp()
        kept = mock.patch.object(certificate, "KEPT", self.folder)
        kept.start()
        self.addCleanup(kept.stop)

    def test_names_what_passed_and_runs_it_once(self):
        said, ran = self.asked("chase_lev")
        self.assertEqual(ran, 1)
        self.assertRegex(said, r"^Checked on \d{4}-\d\d-\d\d by \./run\.sh check of stealbench .*; passed: conformance \(plain\)\.")
        self.assertEqual(self.asked("chase_lev", passed=("stress",)), (said, 0))
        self.assertIn(said.split(" by ")[0], header.export("chase_lev", "cl", "", said))

    def test_other_code_is_checked_anew(self):
        self.asked("chase_lev")
        with mock.patch.object(header, "source_of", return_value="another"):
            self.assertEqual(self.asked("chase_lev")[1], 1)

    def test_what_does_not_pass_has_none(self):
        for status, code in ((1, 1), (3, 3)):
            with self.assertRaises(certificate.Problem) as why:
                self.asked("chase_lev", status)
            self.assertEqual(why.exception.code, code)
        self.assertTrue(header.export("chase_lev", "cl", "").startswith("/* NOT CHECKED. cl_deque"))


class Written(FolderTest):
    def said(self, *words):
        return run("/usr/bin/python3", "-m", "export", *words, "--unchecked", cwd=ROOT)

    def test_what_is_refused_leaves_nothing(self):
        for status, said, words in ((2, "--prefix=9x", ("lace", "--prefix=9x")),
                                    (2, "X_OK", ("lace", "--prefix=x")), (3, "a reference", ("array",)),
                                    (3, "lf_bulk_link", ("lf_bulk", "--item=void *"))):
            with self.subTest(words=words):
                found, answer = self.said(*words, "-o", self.folder / "made.h")
                self.assertEqual((found, list(self.folder.iterdir())), (status, []))
                self.assertIn(said, answer)
        status, said = run("/bin/sh", "-c", "/usr/bin/python3 -m export lace --unchecked > /dev/full", cwd=ROOT)
        self.assertEqual((status, said[said.index(": output"):]), (4, ": output: No space left on device\n"))


if __name__ == "__main__":
    run_tests()
