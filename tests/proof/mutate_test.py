#!/usr/bin/python3
"""mutate_test.py: the mutants of a small header, listed by hand; the mutants of its compiled lines; the scores; and what a
check's process may do."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "proof/mutants"), str(ROOT)]
sys.dont_write_bytecode = True
import checks  # noqa: E402
import header  # noqa: E402
import mutate  # noqa: E402
import score  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

HEADER = """/* not here: if (a < b) */
#define NOT_HERE(a) if (a) return; \\
    while (a)
static const char *text = "if (x)";
struct s { _Atomic int x; int y; };
static int f(struct s *s, int n) {
    int old = atomic_load_explicit(&s->x, memory_order_acquire); // if (never)
    if (n > 0 && !(old == 1 || s->y))
        return 1;
    for (int i = 0; i < n; i++)
        atomic_store_explicit(&s->x, i ? i : 2, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_compare_exchange_strong_explicit(&s->x, &old, 3, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return 2;
    bool same = old == n;
    return same;
}
"""

FOUND = [
    ("acquire -> relaxed", mutate.ORDER),
    *((f"{how}: {what}", mutate.LOGIC) for what in ("n > 0", "old == 1", "s->y")
      for how in ("never", "always", "inverted")),
    ("never: i < n", mutate.LOGIC), ("inverted: i < n", mutate.LOGIC),
    *((f"{how}: i", mutate.LOGIC) for how in ("never", "always", "inverted")),
    ("seq_cst -> release", mutate.STRONG), ("seq_cst -> relaxed", mutate.STRONG),
    ("fence seq_cst dropped", mutate.STRONG), ("fence seq_cst -> acq_rel", mutate.STRONG),
    *((f"{how}: !atomic_compare_exchange_strong_explicit(&s->x, &old, 3, memory_order_acq_rel, memory_order_relaxed)",
       mutate.LOGIC) for how in ("succeeded", "failed", "inverted")),
    ("acq_rel -> acquire", mutate.ORDER), ("acq_rel -> release", mutate.ORDER),
    *((f"{how}: old == n", mutate.LOGIC) for how in ("never", "always", "inverted")),
]


class Mutants(unittest.TestCase):
    def setUp(self):
        self.mutants = mutate.mutants_of(HEADER)

    def changed(self, mutation):
        """The line that this mutation makes of its own."""
        mutant = next(mutant for mutant in self.mutants if mutant.mutation == mutation)
        return mutant.apply(HEADER).splitlines()[mutant.number - 1].strip()

    def test_all_are_found_and_nothing_else(self):
        self.assertEqual([(mutant.mutation, mutant.kind) for mutant in self.mutants], FOUND)

    def test_what_they_change(self):
        self.assertEqual(self.changed("never: old == 1"), "if (n > 0 && !(((void)(old == 1), 0) || s->y))")
        self.assertEqual(self.changed("inverted: n > 0"), "if ((!(n > 0)) && !(old == 1 || s->y))")
        self.assertEqual(self.changed("fence seq_cst dropped"), "((void)0);")
        self.assertEqual(self.changed("always: i"), "atomic_store_explicit(&s->x, ((void)(i), 1) ? i : 2, "
                                                    "memory_order_seq_cst);")
        self.assertIn("memory_order_relaxed); // if (never)", self.changed("acquire -> relaxed"))

    def test_keys_are_unique(self):
        twice = HEADER.replace("        return 2;", "        return 2;\n    if (n > 0 && !(old == 1 || s->y))\n"
                                                    "        return 3;")
        mutants = mutate.mutants_of(twice)
        self.assertEqual(len({mutant.key for mutant in mutants}), len(mutants))
        self.assertIn("never: n > 0 #2", [mutant.mutation for mutant in mutants])

    def test_a_comment_changes_no_key(self):
        """So a mutant's result stays valid when somebody rewrites a comment."""
        commented = HEADER.replace("        return 1;", "        return /* so */ 1; // and so").replace(
            "if (n > 0 &&", "if (n > 0 && /* why */").replace("// if (never)", "/* another\n text */")
        self.assertEqual([mutant.key for mutant in mutate.mutants_of(commented)], [mutant.key for mutant in self.mutants])
        self.assertEqual(mutate.code_hash(commented), mutate.code_hash(HEADER))


BASE = """#include "deque.h"
/* not here:
#if 0 */
static int f(int a) {
#ifdef MANY /* here, with MANY */
    return a ==
           1;
#else
    return a == 1;
#endif
}
#if defined(DEQUE_LIFO_IS_NO_MACRO) || !defined(DEQUE_OPERATION)
static int nowhere(int b) { return b == 2; }
#endif
static int g(int c) {
    if (c)
        return 1;
    return 2;
}
"""
OTHER = """/* many.h */
#define MANY
#include "base.h"
static int h(int d) { return d == 3; }
"""


class Compiled(unittest.TestCase):
    """Mutants are made only of compiled code, in any header."""

    def setUp(self):
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            (Path(folder) / "base.h").write_text(BASE)
            (Path(folder) / "many.h").write_text(OTHER)
            self.texts = {name: header.read(Path(folder) / f"{name}.h") for name in ("base", "many")}
        self.found = {name: [(mutant.where(name), mutant.mutation) for mutant in header.mutants(text)
                             if mutant.mutation.startswith("never")] for name, text in self.texts.items()}

    @staticmethod
    def preprocessed(text):
        return subprocess.run([checks.CC, "-E", "-P", "-iquote", header.QUEUES, "-x", "c", "-"], input=text, text=True,
                              capture_output=True, check=True).stdout

    def test_each_branch_is_mutated_where_it_is_compiled(self):
        self.assertEqual(self.found["base"], [("base.h:9", "never: a == 1"), ("base.h:16", "never: c")])

    def test_a_header_is_mutated_with_what_it_includes(self):
        self.assertEqual(self.found["many"], [("base.h:6 for many", "never: a == 1"),
                                              ("base.h:16 for many", "never: c"), ("many.h:4", "never: d == 3")])

    def test_nothing_falls_between_two_deques(self):
        """Each line of a deque's header that could be mutated is, for a deque that compiles it."""
        mutated = {(mutant.header or f"{deque}.h", mutant.number, mutant.mutation.split(" #")[0])
                   for deque, text in score.headers().items() for mutant in header.mutants(text)}
        for deque in score.headers():
            for mutant in mutate.mutants_of((header.QUEUES / f"{deque}.h").read_text()):
                self.assertIn((f"{deque}.h", mutant.number, mutant.mutation.split(" #")[0]), mutated)


class Scores(unittest.TestCase):
    def row(self, mutation, kind, verdict, check=""):
        row = score.Row("f", "line", mutation, kind, verdict, check, "c0de")
        return row.key, row

    def test_shares(self):
        rows = dict([self.row("a", mutate.LOGIC, score.KILLED, "lab stop"),
                     self.row("b", mutate.LOGIC, score.SURVIVED),
                     self.row("c", mutate.LOGIC, score.SURVIVED),
                     self.row("d", mutate.ORDER, score.KILLED, "model rc11 full"),
                     self.row("e", mutate.ORDER, score.NOT_BUILT)])
        of = score.score_of("x", rows, {("x", ("f", "line", "b")): "argued"})
        self.assertEqual(of.share((mutate.LOGIC,), False), (1, 2))
        self.assertEqual(of.share((mutate.ORDER,), False), (0, 1))
        self.assertEqual(of.share(mutate.CLASSES, True), (2, 3))
        self.assertIn("| `x` | 4 | 1 | 0 | 1/2 | - | 0/1 | 1 | 66.7 % |", score.table([of]))
        self.assertFalse(score.reached([of]))
        rows.pop(("f", "line", "c"))
        self.assertTrue(score.reached([score.score_of("x", rows, {("x", ("f", "line", "b")): "argued"})]))

    def test_arguments_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arguments"
            path.write_text("# heading\n= because\n  of this\nx @ f @ if (a || b) @ never: a\nx @ f @ line @ b\n")
            found = score.read_harmless(path)
            self.assertEqual(found[("x", ("f", "if (a || b)", "never: a"))], "because of this")
            self.assertEqual(len(found), 2)
            path.write_text("x @ f @ line @ b\n")
            with self.assertRaises(SystemExit):
                score.read_harmless(path)


class Checks(unittest.TestCase):
    """How checks.py judges a process that it runs. proof/planted_faults shows with the same code that checks kill."""

    def test_time_that_is_up_is_processor_time_and_no_verdict(self):
        status, _ = checks.run(["sh", "-c", "while :; do :; done"], 1)
        self.assertIsNone(status)
        self.assertEqual(checks.verdict(status), checks.NOTHING)
        self.assertEqual(checks.run(["sleep", "1.5"], 1)[0], 0)
        self.assertEqual([checks.verdict(status) for status in (0, 1, 4, -11, 5, 3)],
                         [checks.PASSED, *[checks.KILLED] * 3, *[checks.NOTHING] * 2])


if __name__ == "__main__":
    run_tests()
