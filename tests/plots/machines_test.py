#!/usr/bin/python3
"""A run contributed as one file, and the page of many machines: the file has nothing private and reads like its run, and the
page begins with the claims on which machines disagree."""

import html
import io
import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from plots.data.matrix import build_matrix
from plots.data.own_units import own_units
from plots.data.run_folder import Run
from plots.data.summaries import summarize
from plots.pages.contribute import LARGEST
from plots.pages.machines import read_machine
from plots.pages.scorecard import score
from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

SECRETS = ("secret-host", "secretuser", "/home/", "b007b007", "localversion")
SINGLE = {"batch": 1024, "push": "single", "prelinked": 0}
CLAIM = "In contrast, the Taskflow bounded (TF_BD_Queue) and unbounded queues (TF_UB_Queue)"


def verdicts(scores):
    return [(one.claim.name, one.verdict, one.why, one.conditions) for one in scores]


class Machines(FolderTest):
    def run_of(self, name, lf_bulk=320.0, suite="quick", **manifest):
        """A run of the quick suite, with every private detail that a run can have."""
        run = SyntheticRun(self.folder / "runs" / name, noise=0)
        run.command = ["/home/secretuser/run.sh", "quick", "--results=/home/secretuser/results"]
        run.machine.update(kernel="6.1.0-localversion #1 SMP secretuser@secret-host", cgroup="/user.slice/secretuser",
                           boot_id="b007b007", governor="/home/secretuser/governor")
        run.build.update(flags="-O3 -I/home/secretuser/include -isystem=/home/secretuser", cppflags="-I/home/secretuser")
        run.section("fig6", "Figure 6")
        for deque, params, value in (("taskflow_bounded", SINGLE, 800.0), ("taskflow_unbounded", SINGLE, 1000.0),
                                     ("lf_bulk", {"batch": 1024, "push": "batch", "prelinked": 1, "walk": "full"}, lf_bulk)):
            run.cell(["fig6"], "push", deque, params, {"push_latency": (value, "ns"), "windows_counted": (9, "windows")})
        for deque, ns in (("abp", 100.0), ("chase_lev", 200.0)):
            # The matrix has these, too.
            run.cell(["fig6"], "walk", deque, {"path": "/home/secretuser/tree", "threads": 2}, {("pool", "run_time"): (ns, "s")})
        run.rows = [[*row, "", "secret-host"] for row in run.rows]
        folder = run.write()
        self.change(folder, suite=suite, host="secret-host", memory_limit_bytes=1, **manifest)
        return folder

    @staticmethod
    def change(folder, **manifest):
        path = folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **manifest}), encoding="utf-8")

    def contribute(self, folder, name, code=0, says=""):
        self.expect(code, "pages.contribute", folder, "--to", self.folder / "machines", "--machine", name, says=says)
        return self.folder / "machines" / f"{name}.tar.xz"

    def test_nothing_private_is_in_it(self):
        folder = self.run_of("one")
        before = "".join((folder / name).read_text(encoding="utf-8") for name in ("manifest.json", "samples.csv"))
        for secret in SECRETS:
            self.assertIn(secret, before)
        path = self.contribute(folder, "one")
        with tarfile.open(path, "r:xz") as archive:
            members = archive.getmembers()
            texts = [archive.extractfile(member).read().decode("utf-8") for member in members]
        self.assertEqual([member.name for member in members], ["one/manifest.json", "one/samples.csv"])
        for member in members:
            self.assertEqual((member.uname, member.gname, member.uid, member.gid, member.mtime), ("", "", 0, 0, 0))
        for text in texts:
            for secret in SECRETS:
                self.assertNotIn(secret, text)
        self.assertNotIn("windows_counted", texts[1])
        self.assertIn('"kernel": "6.1.0"', texts[0])

    def test_it_is_the_run_for_every_program(self):
        """The kept run: its scorecard, its matrix and its units are those of the file, unpacked or read."""
        kept = ROOT / "results" / "example" / "quick"
        path = self.contribute(kept, "kept")
        self.assertLess(path.stat().st_size, LARGEST)
        run, read = Run(kept), read_machine(path)
        summaries = summarize(run)
        self.assertEqual(verdicts(read.scores), verdicts(score(run, summaries)))
        self.assertGreater(sum(one.verdict == "holds" for one in read.scores), 3)
        for one, told in zip(own_units(run, summaries), read.units, strict=True):  # the file has the main cells only
            self.assertEqual((one.name, one.words), (told.name, told.words))
            self.assertAlmostEqual(one.nanoseconds / told.nanoseconds, 1, places=2)
        whole = build_matrix(run, summaries)

        def cells(matrix):
            return [(case.name, case.settings, {deque: (entry.ratio, entry.state) for deque, entry in case.entries.items()})
                    for case in matrix.cases]

        self.assertEqual(cells(read.matrix), cells(whole))
        shutil.unpack_archive(path, self.folder)
        unpacked = Run(self.folder / "kept")
        summaries = summarize(unpacked)
        self.assertEqual(verdicts(score(unpacked, summaries)), verdicts(read.scores))
        self.assertEqual(own_units(unpacked, summaries), read.units)
        self.expect(0, "pages.table", self.folder / "kept")

    def test_the_machines_that_are_kept_can_be_read(self):
        files = sorted((ROOT / "results" / "machines").glob("*.tar.xz"))
        self.assertGreater(len(files), 1)
        for file in files:
            self.assertLess(file.stat().st_size, LARGEST)
            machine = read_machine(file)
            self.assertGreater(sum(bool(one.answers) for one in machine.scores), 10)
            self.assertNotIn("host", machine.run.manifest)

    def test_what_is_refused(self):
        self.contribute(self.run_of("stopped", state="stopped"), "a", 2, "stopped, not finished")
        self.contribute(self.run_of("own", suite="my_own"), "a", 2, "not a run of a suite in suites/")
        self.contribute(self.run_of("path", suite="../suites/quick"), "a", 2, "not a run of a suite in suites/")
        self.contribute(self.run_of("name"), "../a", 2, "no plain name")
        self.assertFalse((self.folder / "machines").exists())
        folder = self.run_of("one")
        self.contribute(folder, "a")
        self.contribute(folder, "a")  # the same again
        self.contribute(self.run_of("two", lf_bulk=5.0), "a", 2, "is another run")

    def test_a_claim_that_holds_on_one_machine_alone_stands_first(self):
        self.contribute(self.run_of("one", commit="a"), "one")
        self.contribute(self.run_of("two", lf_bulk=5000.0, commit="b"), "two")
        machines = self.folder / "machines"
        done = self.expect(0, "pages.publish", machines)
        first = done.stdout.splitlines()[0]
        self.assertIn("1 claim holds on one machine and not on another: ", first)
        self.assertIn(CLAIM, first)
        self.assertIn(": holds on one, not on two)", first)
        self.assertIn("The runs are of 2 commits", done.stdout)
        site = machines / "site"
        self.assertEqual({path.name for path in site.iterdir()},
                         {"index.html", "one.tar.xz", "two.tar.xz", "made_by_stealbench.txt"})
        page = html.unescape((site / "index.html").read_text(encoding="utf-8"))
        self.assertIn(first, page)
        for section, rows in (("differing", 1), ("machines", 2)):
            found = re.search(rf'<section id="{section}".*?</section>', page, re.DOTALL).group()
            self.assertEqual(found.count("<tr>") - 1, rows)
            self.assertIn('class="sortable"', found)
        differing = re.search(r'<section id="differing".*?</section>', page, re.DOTALL).group()
        self.assertLess(differing.index("holds: "), differing.index("does not hold: "))
        self.assertLess(page.index("differing"), page.index('id="machines"'))
        shutil.copyfile(machines / "one.tar.xz", machines / "three.tar.xz")
        self.expect(3, "pages.publish", machines, says="three.tar.xz is no contributed run")
        self.assertTrue((site / "index.html").exists())

    def test_machines_that_agree(self):
        for name in ("one", "two"):
            self.contribute(self.run_of(name), name)
        self.expect(0, "pages.publish", self.folder / "machines", says="None of them holds on one machine and not on another.")
        self.assertNotIn("commits", (self.folder / "machines" / "site" / "index.html").read_text(encoding="utf-8").split("</ol>")[0])

    def test_an_archive_of_somebody_else_writes_nothing_outside(self):
        path = self.folder / "machines" / "bad.tar.xz"
        path.parent.mkdir()
        for name, kind in (("../../evil", tarfile.REGTYPE), ("bad/manifest.json", tarfile.SYMTYPE)):
            with tarfile.open(path, "w:xz") as archive:
                member = tarfile.TarInfo(name)
                member.type, member.linkname, member.size = kind, "/etc/passwd", 0
                archive.addfile(member, io.BytesIO())
            before = set(self.folder.rglob("*"))
            self.expect(3, "pages.publish", path.parent, says="bad.tar.xz is no contributed run")
            self.assertEqual(set(self.folder.rglob("*")), before)
        self.assertFalse(Path("/tmp/evil").exists())


if __name__ == "__main__":
    run_tests()
