#!/usr/bin/python3
"""planted_faults_test.py: every planted fault still fits the code. A fault that does not fit, that no check kills, or that does not
compile fails by its name."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "proof/planted_faults"), str(ROOT)]
sys.dont_write_bytecode = True
import faults  # noqa: E402
import run  # noqa: E402
import checks  # noqa: E402
from tests.plots.support import FolderTest, run_tests  # noqa: E402

SOURCE = """static int g(struct deque *deque) {
    if (deque->top > 1)
        return f(deque->top);
    return f(deque->top);
}
"""


class Files(FolderTest):
    """Reading and planting, in a tree of one file."""

    def setUp(self):
        super().setUp()
        self.root = self.folder
        (self.root / "queues").mkdir()
        (self.root / "queues/small.h").write_text(SOURCE)

    def read(self, text, name="small"):
        path = self.root / f"{name}.txt"
        path.write_text(text)
        return faults.read(path)

    def planted(self, change):
        fault, = self.read(f"fault x\n{change}\nby plain:stress\n")
        return faults.plant(fault, self.root)["queues/small.h"]

    def misfit(self, change, *said):
        with self.assertRaises(faults.Misfit) as raised:
            self.planted(change)
        for word in said:
            self.assertIn(word, str(raised.exception))

    def test_it_has_to_be_there_once(self):
        self.misfit("in g\n- if (deque->top > 2)\n+ if (0)", "g of queues/small.h has this 0 times", "if (deque->top > 2)")
        self.misfit("in g\n- return f(deque->top);\n+ return 0;", "g of queues/small.h has this 2 times, not 1")
        self.assertEqual(self.planted("in g, 2 times\n- f(deque->top)\n+ 0").count("return 0;"), 2)
        self.misfit("in g, 3 times\n- f(deque->top)\n+ 0", "2 times, not 3")

    def test_a_function_that_is_not_there(self):
        self.misfit("in gg\n- a\n+ b", "queues/small.h has no gg")
        self.misfit("in other.h: g\n- a\n+ b", "there is no queues/other.h")

    def test_files_that_cannot_be_read(self):
        for text, said in (("fault x\nin g\n- a\n+ b\n", "small.txt:1: small/x: no check is named"),
                           ("fault x\nby plain:stress\n", "nothing is changed"),
                           ("fault x\nas it is\nin f\n- a\nby plain:stress\n", "nothing is changed"),
                           ("in g\n", "small.txt:1: a fault has to come before it"),
                           ("fault x\n- a\n", "small.txt:2: in what?"),
                           ("fault x\nas it is\nby a\nfault x\n", "small.txt:4: no name of a fault, or there already"),
                           ("fault x\nbecause\n", "not one of")):
            with self.assertRaises(faults.Misfit) as raised:
                self.read(text)
            self.assertIn(said, str(raised.exception))


class Ours(unittest.TestCase):
    def test_every_fault_fits(self):
        every, misfits = faults.read_all(), []
        self.assertGreater(len(every), 100)
        for fault in every:
            self.assertTrue((faults.ROOT / f"queues/{fault.deque}.h").is_file(), fault.name)
            self.assertTrue(all(run.tried_in_turn(demand) for demand in fault.demands), fault.name)
            try:
                self.assertTrue(faults.plant(fault) or fault.as_it_is, fault.name)
            except faults.Misfit as why:
                misfits.append(f"{fault.name}: {why}")
        self.assertFalse(misfits, "\n" + "\n".join(misfits))

    def test_every_listing_is_named(self):
        self.assertEqual(run.unlisted(faults.read_all()), [])
        self.assertIn("as_published/volt", run.unlisted([]))

    def test_messages_that_no_finding_is(self):
        with mock.patch.object(run, "findings", ["push took one item more than the capacity of 4 (3 were inside)"]):
            unsaid = " ".join(run.unsaid())
        self.assertNotIn("push took one item more", unsaid)
        self.assertIn("subject.h: pop gave %s with", unsaid)


GOOD = "fault good\nin deque_pop\n- result = DEQUE_OK;\n+ result = DEQUE_EMPTY;\nby plain:conformance\n"


class Runs(unittest.TestCase):
    """Faults of a deque, through the runner, with threads that run but briefly."""

    def run_faults(self, text, *words, name="chase_lev", **patched):
        """(exit status, output) of only these faults."""
        said = io.StringIO()
        with tempfile.TemporaryDirectory(prefix="planted-") as folder, contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(said), mock.patch.object(faults, "HERE", Path(folder)), \
                mock.patch.multiple(checks, SECONDS=0.05, SOUND_SECONDS={"check": 0.05, "pool": 0.05}), \
                mock.patch.object(run, "unlisted", return_value=[]), mock.patch.object(sys, "argv", ["run.py", *words]), \
                contextlib.ExitStack() as patches:
            (Path(folder) / f"{name}.txt").write_text(text)
            for what, value in patched.items():
                patches.enter_context(mock.patch.object(checks, what, value))
            return run.main(), said.getvalue()

    def fails(self, text, *said, **options):
        status, output = self.run_faults(text, "chase_lev/bad", **options)
        self.assertEqual(status, 1, output)
        self.assertRegex(output, r"(?m)^failed  chase_lev/bad ")
        self.assertIn("0 passed, 1 failed", output)
        for word in said:
            self.assertIn(word, output)

    def test_one_that_is_killed_passes_and_so_does_the_sound_deque_and_what_cannot_run_is_left_out(self):
        status, output = self.run_faults(GOOD + "by model sc last_item: assertion\n", GENMC="no_such_genmc")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"(?m)^passed  chase_lev/good .* s  plain:conformance: ")
        self.assertRegex(output, r"(?m)^passed  chase_lev/without_a_fault +plain:conformance")
        self.assertTrue(output.endswith("left out, for their tool is not here: 1 of model\n2 passed, 0 failed\n"))

    def test_one_that_no_longer_fits_fails(self):
        self.fails("fault bad\nin deque_pop\n- result = DEQUE_LOST;\n+ ;\nby plain:conformance\n",
                   "deque_pop of queues/chase_lev.h has this 0 times, not 1: result = DEQUE_LOST;")

    def test_one_that_no_check_kills_fails(self):
        self.fails("fault bad\nin deque_pop\n- result = DEQUE_OK;\n+ result = DEQUE_OK, result = result;\n"
                   "by plain:conformance, 2 tries\n", "not caught by plain:conformance (seed 1), plain:conformance (seed 2)")

    def test_one_that_does_not_compile_fails(self):
        self.fails("fault bad\nin deque_pop\n- result = DEQUE_OK;\n+ result = NOTHING;\nby plain:conformance\n",
                   "does not compile", "NOTHING")

    def test_no_verdict_is_no_kill(self):
        self.fails(GOOD.replace("fault good", "fault bad"), "no verdict", verdict=lambda status: checks.NOTHING)

    def test_another_finding_than_that_demanded(self):
        text = "fault bad\nin deque_push\n- bottom + 1, memory_order_release\n+ bottom + 1, memory_order_relaxed\n" \
               "by model rc11 last_item: assertion\n"
        self.assertEqual(checks.finding(mock.Mock(said="Error: Non-atomic race!")), "Error: Non-atomic race!")
        if shutil.which(checks.GENMC):
            self.fails(text, "not assertion: Error: Non-atomic race!")
            self.assertEqual(self.run_faults(text.replace("item: assertion", "item: race"), "bad")[0], 0)

    def test_names_that_are_none(self):
        status, output = self.run_faults(GOOD, "chase_lev/goood")
        self.assertEqual((status, output), (2, "no fault has that in its name: chase_lev/goood\n"))
        for check, said in (("plain:strss", "there is no proof/checks/strss.c"), ("model rc11 last_item: wrong", "no word for a fault"),
                            ("check", "no check of that name")):
            status, output = self.run_faults(GOOD.replace("plain:conformance", check))
            self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 1 failed"))
            self.assertIn(said, output)


if __name__ == "__main__":
    run_tests()
