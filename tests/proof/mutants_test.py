#!/usr/bin/python3
"""mutants_test.py: the mutants of a small header, listed by hand; those of compiled lines; what a check's process may do; and a
mutant has survived only if it passed every check, which are scripted here."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "proof/mutants"), str(ROOT)]
sys.dont_write_bytecode = True
import checks  # noqa: E402
import mutate  # noqa: E402
import run  # noqa: E402
from tests.plots.support import FolderTest, run_tests  # noqa: E402

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

MAIN = """int main(void) {
    for (int x = 0; x < 4; x++)
        for (int n = 0; n < 4; n++) {
            struct s s = {x, x == 2};
            int answer = f(&s, n);
            printf("%d %d,", answer, s.x);
        }
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

    def test_all_in_one(self):
        """A mutant that is chosen in the executable of all does what it does alone."""
        mutants = self.mutants[1:len(self.mutants):4]

        def answers(text, chosen=0):
            program = f"#include <stdatomic.h>\n#include <stdbool.h>\n#include <stdio.h>\n{text}{MAIN}"
            with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
                (Path(folder) / "f.c").write_text(program)
                self.assertEqual(checks.run([checks.CC, "-O1", "-w", f"{folder}/f.c", checks.CHOSEN, "-o", f"{folder}/f"], 60), (0, ""))
                return [checks.run([f"{folder}/f"], 1, chosen=number)[1] for number in range(chosen + 1)]

        together = answers(mutate.all_in_one(HEADER, mutants), len(mutants))
        self.assertEqual(together, [*answers(HEADER), *(answers(mutant.apply(HEADER))[0] for mutant in mutants)])
        self.assertGreater(len(set(together)), len(mutants) / 2)

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
            self.texts = {name: mutate.read(Path(folder) / f"{name}.h") for name in ("base", "many")}
        self.found = {name: [(mutant.where(name), mutant.mutation) for mutant in mutate.mutants(text)
                             if mutant.mutation.startswith("never")] for name, text in self.texts.items()}

    def test_each_branch_is_mutated_where_it_is_compiled(self):
        self.assertEqual(self.found["base"], [("base.h:9", "never: a == 1"), ("base.h:16", "never: c")])

    def test_a_header_is_mutated_with_what_it_includes(self):
        self.assertEqual(self.found["many"], [("base.h:6 for many", "never: a == 1"),
                                              ("base.h:16 for many", "never: c"), ("many.h:4", "never: d == 3")])

    def test_a_header_compiles_with_what_it_includes(self):
        """Every fourth, or all."""
        for deque, text in [*mutate.headers().items()][::1 if os.environ.get("EVERYTHING") else 4]:
            done = subprocess.run([checks.CC, *checks.COMMON, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, cwd=ROOT,
                                  capture_output=True, check=False)
            self.assertEqual((deque, done.stderr), (deque, ""))

    def test_nothing_falls_between_two_deques(self):
        """Each line of a deque's header that could be mutated is, for a deque that compiles it."""
        mutated = {(mutant.header or f"{deque}.h", mutant.number, mutant.mutation.split(" #")[0])
                   for deque, text in mutate.headers().items() for mutant in mutate.mutants(text)}
        for deque in mutate.headers():
            for mutant in mutate.mutants_of((mutate.QUEUES / f"{deque}.h").read_text()):
                self.assertIn((f"{deque}.h", mutant.number, mutant.mutation.split(" #")[0]), mutated)


class Scores(unittest.TestCase):
    def setUp(self):
        self.scores = run.Scores("x", "")
        for mutation, kind, verdict, check in (("a", mutate.LOGIC, run.KILLED, "lab stop"), ("b", mutate.LOGIC, run.SURVIVED, ""),
                                               ("c", mutate.LOGIC, run.SURVIVED, ""), ("d", mutate.ORDER, run.KILLED, "model rc11 full")):
            self.scores.rows["f", "line", mutation] = run.Row("f", "line", mutation, kind, verdict, check, "c0de")

    def test_shares(self):
        harmless = {("x", ("f", "line", "b")): "argued"}
        of = self.scores.counts(harmless)
        self.assertEqual(run.share(of, (mutate.LOGIC,), False), (1, 2))
        self.assertEqual(run.share(of, (mutate.ORDER,), False), (0, 1))
        self.assertEqual(run.share(of, mutate.CLASSES, True), (2, 3))
        self.assertRegex(run.table({"x": of}), r"\nx +4 +1 +1/2 +0/0 +0/1 +2/3\nall +4 ")
        self.assertFalse(run.reached(of))
        self.scores.rows.pop(("f", "line", "c"))
        self.assertTrue(run.reached(self.scores.counts(harmless)))

    def test_arguments_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arguments"
            path.write_text("# heading\n= because\n  of this\nx @ f @ if (a || b) @ never: a\nx @ f @ line @ b\n")
            found = run.read_harmless(path)
            self.assertEqual(found[("x", ("f", "if (a || b)", "never: a"))], "because of this")
            self.assertEqual(len(found), 2)
            path.write_text("x @ f @ line @ b\n")
            with self.assertRaises(SystemExit):
                run.read_harmless(path)


class Checks(unittest.TestCase):
    """How checks.py judges a process that it runs. proof/planted_faults shows with the same code that checks kill."""

    def test_time_that_is_up_is_processor_time_and_no_verdict(self):
        status, _ = checks.run(["sh", "-c", "while :; do :; done"], 1)
        self.assertIsNone(status)
        self.assertEqual(checks.verdict(status), checks.NOTHING)
        self.assertEqual(checks.run(["sleep", "1.5"], 1)[0], 0)
        self.assertEqual([checks.verdict(status) for status in (0, 1, 4, -11, 5, 3)],
                         [checks.PASSED, *[checks.KILLED] * 3, *[checks.NOTHING] * 2])


NAMES = {"CHEAP": ("cheap one",), "LONGER": ("longer one",), "THREADS": ("threads",)}
MODELS = ("model rc11 a", "model rc11 b")


class Verdicts(FolderTest):
    """One mutant of chase_lev, of an order, through fake checks."""

    def setUp(self):
        super().setUp()
        self.text = mutate.read(mutate.QUEUES / "chase_lev.h")
        self.answers, self.as_it_is, self.asked, self.kind = {}, {}, Counter(), mutate.ORDER
        patches = [mock.patch.multiple(run, **{phase: [(name, self.check(name)) for name in names]
                                               for phase, names in NAMES.items()}),
                   mock.patch.object(run.Run, "model_checks", lambda _, deque: [(name, self.check(name)) for name in MODELS]),
                   mock.patch.object(run, "LOCAL", self.folder / "local"),
                   mock.patch.object(checks, "BUILD", self.folder)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def check(self, name):
        def answer(subject):
            if subject.folder.name == "together" and not subject.chosen:  # the deque as it is
                return self.as_it_is.get(name, checks.PASSED)
            self.asked[name] += 1
            return self.answers.get(name, checks.PASSED)
        return answer

    def go(self, **answers):
        """(verdict, check) of the first mutant after one more run in which these checks answer so."""
        self.answers = {name.replace("_", " "): answer for name, answer in answers.items()}
        self.asked.clear()
        scores = run.Scores("chase_lev", self.text)
        scores.mutants = [next(mutant for mutant in scores.mutants if mutant.kind == self.kind)]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(run.Run(1, {}).go([scores]), not self.as_it_is)
        row, = run.Scores("chase_lev", self.text).rows.values()
        return row.verdict, row.check

    def test_one_without_a_verdict_stays_open_and_says_of_which_check(self):
        verdict, said = self.go(model_rc11_b=checks.NOTHING, threads=checks.NOTHING)
        self.assertEqual(verdict, run.OPEN)
        self.assertIn(said, ("no verdict: model rc11 b; threads", "no verdict: threads; model rc11 b"))
        self.assertEqual(self.go(threads=checks.NOTHING), (run.OPEN, "no verdict: threads"))
        self.assertEqual(self.go(), (run.SURVIVED, ""))
        self.assertEqual(self.asked, {"threads": 1})

    def test_a_check_that_the_deque_does_not_pass_kills_nothing(self):
        self.as_it_is = {"longer one": checks.KILLED}
        self.assertEqual(self.go(longer_one=checks.KILLED), (run.OPEN, "no verdict: longer one"))

    def test_the_model_checker_is_asked_of_orders(self):
        self.kind = mutate.LOGIC
        self.assertEqual(self.go(), (run.SURVIVED, ""))
        self.assertEqual(set(self.asked), {"cheap one", "longer one", "threads"})

    def test_every_check_counts(self):
        for name in ("cheap one", "longer one", "threads", *MODELS):
            for answer in (checks.NOTHING, checks.NOT_BUILT):
                (self.folder / "local" / "chase_lev.csv").unlink(missing_ok=True)
                self.assertEqual(self.go(**{name.replace(" ", "_"): answer}), (run.OPEN, f"no verdict: {name}"))


if __name__ == "__main__":
    run_tests()
