#!/usr/bin/python3
"""pool_test.py: does an exported pool compile, alone and beside another, and do its examples give the right answers?"""

import shutil
import unittest

from export import header, pool
from tests.export.header_test import CC, CXX, run
from tests.plots.support import ROOT, FolderTest, run_tests

EXAMPLES = {"fib": ("20", "fib(20) = 6765 on 3 threads"),
            "parallel_for": ("100000", "the sum of 100000 squares = 333328333350000 on 3 threads"),
            "quicksort": ("100000", "100000 numbers sorted on 3 threads")}
# One of each kind of item: the task itself, behind a poll, in blocks, behind a claim, as a link, with a spill, shared.
KINDS = ("chase_lev", "lace", "bwos_lifo", "multiplicity", "lf_bulk", "tokio", "global")


class Exported(FolderTest):
    def compiled(self, compiler, *words):
        status, said = run(compiler, "-D_GNU_SOURCE", "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", self.folder,
                           "-o", self.folder / "made", *words)
        self.assertEqual(status, 0, said[:4000])
        return self.folder / "made"

    def test_examples(self):
        for example, (number, answer) in EXAMPLES.items():
            for deque in KINDS if example == "quicksort" else KINDS[:1]:
                with self.subTest(example=example, deque=deque):
                    (self.folder / "my_pool.h").write_text(pool.export(deque, "my"))
                    made = self.compiled(CC, "-std=gnu11", ROOT / "export" / "examples" / f"{example}.c")
                    status, said = run(made, number, "3", timeout=120)
                    self.assertEqual(status, 0, said)
                    self.assertIn(answer, said)

    def test_two_pools_in_one_file(self):
        for prefix, deque in (("one", "lace"), ("two", "lf_bulk")):
            (self.folder / f"{prefix}.h").write_text(pool.export(deque, prefix))
        (self.folder / "both.c").write_text(
            '#define ONE_IMPLEMENTATION\n#define TWO_IMPLEMENTATION\n#include "one.h"\n#include "two.h"\n'
            "int main(void) {\n    struct one *one;\n    struct two *two;\n"
            "    struct one_options a = ONE_DEFAULTS;\n    struct two_options b = TWO_DEFAULTS;\n"
            "    if (one_start(&one, &a, NULL) || two_start(&two, &b, NULL))\n        return 1;\n"
            "    one_close(one);\n    two_close(two);\n    a.threads = 1025;\n    return one_start(&one, &a, NULL) != EINVAL;\n}\n")
        self.assertEqual(run(self.compiled(CC, "-std=gnu11", "-O1", self.folder / "both.c"), timeout=60)[0], 0)

    def test_options(self):
        """Each way to sleep, each share of a victim's items: all tasks run, and impossible options are refused."""
        for deque in ("chase_lev", "tokio", "lf_bulk", "private"):
            (self.folder / "my_pool.h").write_text(pool.export(deque, "my"))
            (self.folder / "options.c").write_text(
                '#define MY_IMPLEMENTATION\n#include "my_pool.h"\n#include <stdatomic.h>\nstatic _Atomic int ran;\n'
                "static void leaf(struct my_worker *worker, struct my_task *task) { (void)worker, (void)task, ran++; }\n"
                "static struct my_task tasks[1000], *all[1000];\n"
                "static void root(struct my_worker *worker, struct my_task *task) { (void)task, my_spawn_all(worker, all, 1000); }\n"
                "static int tried(unsigned percent, enum my_idle idle) {\n    struct my *pool;\n"
                "    struct my_options options = MY_DEFAULTS;\n    struct my_task first = {root}, *start = &first;\n"
                "    options.threads = 3, options.percent = percent, options.idle = idle, options.room = 16, ran = 0;\n"
                "    int failure = my_start(&pool, &options, NULL);\n    if (failure)\n        return failure;\n"
                "    failure = my_run(pool, &start, 1);\n    my_close(pool);\n    return failure ? failure : ran != 1000;\n}\n"
                "int main(void) {\n    for (int i = 0; i < 1000; i++)\n        tasks[i].run = leaf, all[i] = &tasks[i];\n"
                "    for (unsigned percent = 0; percent <= 100; percent += 25)\n        for (int idle = 0; idle <= MY_WAKE_EACH; idle++)\n"
                "            if (tried(percent, (enum my_idle)idle))\n                return 1;\n"
                "    return tried(101, MY_SLEEP) != EINVAL || tried(0, (enum my_idle)(MY_WAKE_EACH + 1)) != EINVAL;\n}\n")
            with self.subTest(deque=deque):
                self.assertEqual(run(self.compiled(CC, "-std=gnu11", self.folder / "options.c"), timeout=120)[0], 0)

    @unittest.skipUnless(shutil.which(CXX), "no C++ compiler")
    def test_called_from_cpp(self):
        (self.folder / "my_pool.h").write_text(pool.export("chase_lev", "my"))
        (self.folder / "pool.c").write_text('#define MY_IMPLEMENTATION\n#include "my_pool.h"\n')
        (self.folder / "main.cc").write_text(
            '#include "my_pool.h"\nstatic std::atomic<int> ran;\n'
            "static void count(my_worker *, my_task *) { ran++; }\n"
            "static void child(my_worker *, struct my_fork *) { ran++; }\n"
            "static void parent(my_worker *worker, my_task *) {\n    struct my_fork fork;\n    my_fork(worker, &fork, child);\n"
            "    my_join(worker, &fork);\n}\n"
            "int main() {\n    my *pool;\n    my_options options = MY_DEFAULTS;\n    my_task tasks[2] = {{count}, {parent}};\n"
            "    my_task *all[2] = {&tasks[0], &tasks[1]};\n"
            "    if (my_start(&pool, &options, nullptr) || my_run(pool, all, 2))\n        return 1;\n"
            "    my_close(pool);\n    return ran == 2 ? 0 : 1;\n}\n")
        self.compiled(CC, "-std=gnu11", "-c", self.folder / "pool.c")
        shutil.move(self.folder / "made", self.folder / "pool.o")
        made = self.compiled(CXX, "-std=c++17", self.folder / "main.cc", self.folder / "pool.o")
        self.assertEqual(run(made, timeout=60)[0], 0)

    def test_no_name_of_the_suite_is_left(self):
        text, comments = header.COMMENT.subn("", pool.export("lf_bulk", "my"))
        self.assertGreater(comments, 200, "the pool's own come along")
        for name in ("STEALBENCH", "pool_worker", "struct pool", "struct deque ", "cell_sample", "hwloc", "PARAMETER_"):
            self.assertNotIn(name, text)

    def test_refused(self):
        for words, status in ((("pool",), 2), (("pool", "--deque=lcae"), 2), (("pool", "--deque=array"), 3),
                              (("lace", "--deque=lace"), 2)):
            self.assertEqual(run("/usr/bin/python3", "-m", "export", *words, "--unchecked", cwd=ROOT)[0], status, words)


if __name__ == "__main__":
    run_tests()
