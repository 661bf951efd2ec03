#!/usr/bin/python3
"""golden_test.py [--renew]: what is made of a kept run, byte for byte.

The run in golden/ (its .dat files are CSV, packed by xz) has samples for every figure, table and part of a page. Each value is a
prime that occurs only once, times a factor that makes it plausible in its unit: any mix-up (of outcome, quantile, unit, role, the
sides of a comparison, a bound and its value) changes a number. When expected.txt was first written, a second program, which computed
each number from the samples, agreed with all of them. --renew writes it again after an intended change: read its diff.
"""

import difflib
import hashlib
import lzma
import re
import shutil
import sys
from pathlib import Path
from unittest import mock

from tests.plots.support import FolderTest, run_tests

GOLDEN = Path(__file__).resolve().parent / "golden"
EXPECTED = GOLDEN / "expected.txt"
RENEW = "--renew" in sys.argv


class Golden(FolderTest):
    def made(self):
        """The files that hold numbers; of the large ones their SHA-256."""
        run = self.folder / "golden"
        run.mkdir()
        shutil.copy(GOLDEN / "manifest.json", run)
        shutil.copy(GOLDEN / "samples.dat", run / "samples.csv.xz")  # as in a kept run
        (run / "histograms.csv").write_bytes(lzma.decompress((GOLDEN / "histograms.dat").read_bytes()))
        with mock.patch.dict(sys.modules, {"matplotlib": None}):  # left out: what it draws are the same marks
            self.expect(3, "draw", run, says="matplotlib is not installed")
        text = []
        for path in [run / "summary.csv", *sorted(run.glob("figures/*.dat")), *sorted(run.glob("figures/*.gp"))]:
            text.append(f"{path.relative_to(run)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n")
        for path in [run / "summary.md", run / "table.txt", *sorted(run.glob("figures/*.csv"))]:
            text += [f"\n=== {path.relative_to(run)}\n", path.read_text(encoding="utf-8")]
        report = (run / "report.html").read_text(encoding="utf-8")
        self.assertIn('<a href="samples.csv.xz">samples.csv.xz</a>', report)
        told = re.findall(r'title="([^"]* invocations?, [^"]*)"', report)
        text += ["\n=== the matrix's intervals\n", *(f"{one}\n" for one in told)]
        compared = self.expect(0, "judging.compare", run, "--deque", "chase_lev", "--against", "lf_bulk").stdout
        return "".join([*text, "\n=== compare chase_lev lf_bulk\n", compared.replace(str(run), "golden")])

    def test_the_bytes(self):
        made = self.made()
        if RENEW:
            EXPECTED.write_text(made, encoding="utf-8")
        expected = EXPECTED.read_text(encoding="utf-8")
        changed = difflib.unified_diff(expected.splitlines(), made.splitlines(), "expected.txt", "made", n=0, lineterm="")
        self.assertEqual(expected, made, "\n".join([*changed][:40]))


if __name__ == "__main__":
    sys.argv = [one for one in sys.argv if one != "--renew"]
    run_tests()
