"""Which claims of the papers each suite can answer, by a dry run, on machines that are only described."""

import re
import subprocess
import unittest

from tests.plots.support import ROOT, run_tests

from harness.judging.claims import read_claims
from harness.judging.answerable import answerable, answerable_text, planned_cells

XEONS = "pack:2 [numa] core:32 pu:2(indexes=2*64:64*1)"
RYZEN = "pack:1 [numa] core:8 pu:2"
TWO_PROCESSORS = "pack:1 [numa] core:2 pu:1"
ABOUT_128_THREADS = "dag-halves, dag-taskflow-halves, dag-size-insensitive, global-contention"


def said_by(suite, machine):
    """{title of a paper: (answered, of how many, names of others)} as --dry-run prints it."""
    done = subprocess.run(["build/stealbench", "suite", suite, "--dry-run", "--quiet", "--unsound", f"--topology={machine}"], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    found = re.findall(r"^  (\d+) of (\d+) of (.*?)(?:; not (.*))?$", done.stdout, re.M)
    if found and sum(int(of) for _, of, _, _ in found) != len(read_claims()):
        raise AssertionError(done.stdout)
    return {title: (int(answered), int(of), names) for answered, of, title, names in found}


class Suites(unittest.TestCase):
    def test_paper_and_the_xeons_suite_answer_every_claim_on_the_papers_machines(self):
        for suite, machine, but in (("paper", XEONS, ""), ("xeon8358", XEONS, ""), ("paper", RYZEN, ABOUT_128_THREADS)):
            said = said_by(suite, machine)
            self.assertEqual(", ".join(filter(None, (names for _, _, names in said.values()))), but, suite)

    def test_fewer_claims_on_two_processors(self):
        many, few = (sum(answered for answered, _, _ in said_by("paper", machine).values()) for machine in (RYZEN, TWO_PROCESSORS))
        self.assertLess(few, many)

    def test_quick_answers_most_of_the_bulk_paper_and_smoke_nothing(self):
        answered, of, names = next(iter(said_by("quick", TWO_PROCESSORS).values()))
        self.assertGreater(answered, of / 2)
        self.assertTrue(names)
        self.assertEqual(said_by("smoke", XEONS), {})  # two invocations settle nothing


class Cells(unittest.TestCase):
    CLAIM = next(claim for claim in read_claims() if (claim.paper, claim.name) == ("bulk", "push-constant-500"))

    def judged(self, *lines):
        return answerable(planned_cells(lines), [self.CLAIM])

    def test_settings_and_invocations_count(self):
        """The claim takes all its batches at equal settings, under one of its conditions."""
        others = [f"push\tlf_bulk\tprelinked=1;batch={batch}\t6\n" for batch in (128, 512, 1024)]
        for line, answered in (("push\tlf_bulk\tprelinked=1;batch=1\t6\n", True), ("push\tlf_bulk\tprelinked=1;batch=1\t5\n", False),
                               ("push\tlf_bulk\tprelinked=1;batch=2\t6\n", False), ("push\tabp\tprelinked=1;batch=1\t6\n", False),
                               ("push\tlf_bulk\tprelinked=1;batch=1;method=published\t6\n", False)):
            [(_, found)] = self.judged(*others, line)
            self.assertEqual(found, answered, line)

    def test_what_is_printed(self):
        text = answerable_text([(self.CLAIM, True)])
        self.assertRegex(text, r"\n  1 of 1 of .*Bulk Operations.*\)$")


if __name__ == "__main__":
    run_tests()
