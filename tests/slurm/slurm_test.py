#!/usr/bin/python3
"""slurm_test.py: a piece of smoke, submitted to a real Slurm of three nodes on this host (small_slurm.py), while a node dies,
one is lost, a job of higher priority comes, the time limit is near, and an element is cancelled.

What is asked is in the merged run: every cell of the plan exactly once, none that was finished run again. The times mean
nothing. Takes some minutes; needs Debian's slurm-wlm and munge, and executables of array, chase_lev, locked. Ends on
"N passed, N failed"; exit 0, 1, or 3 where it cannot run.
"""

import collections
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.slurm.small_slurm import SmallSlurm, missing_packages, wait_for  # noqa: E402

DEQUES = ("array", "chase_lev", "locked")
LONG = 600  # seconds that a busy machine may take


def piece_of_smoke(folder):
    """suites/smoke.suite with three of its deques, as a file."""
    def fewer(line):
        return "deque=" + ",".join(deque for deque in line.group(1).split(",") if deque in DEQUES)
    path = Path(folder) / "smoke.suite"
    path.write_text(re.sub(r"deque=(\S+)", fewer, (ROOT / "suites" / "smoke.suite").read_text()))
    return str(path)


def shortened_paper(folder):
    """Two sections of suites/paper.suite with these deques and few invocations, as a file."""
    text = (ROOT / "suites" / "paper.suite").read_text()
    sections = [re.search(rf"^\[{tag}\].*?\n\n", text, re.MULTILINE | re.DOTALL).group() for tag in ("fig6", "pop")]
    lines = [line for line in "".join(sections).splitlines() if line.startswith("[") or "deque=all" in line]
    path = Path(folder) / "paper.suite"
    path.write_text("invocations 8\nrepetitions 2\nminimum_time 0.005\n" + "\n".join(lines).replace("all,unsound", ",".join(DEQUES)))
    return str(path)


def copy_of_the_tree(folder):
    """The files that measuring and merging need, with only these deques, outside of git: so edits of the tree meanwhile do not
    change the parts' commit."""
    tree = Path(folder) / "tree"
    for name in "harness", "plots", "suites", "setup", "results/published":
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in "run.sh", "build/stealbench", "build/build.json", "results/metrics.csv", "results/settings.csv":
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for name in "configure.py", "packages.sh":  # everything is there and built
        (tree / "setup" / name).write_text("#!/bin/sh\n")
    shutil.copytree(ROOT / "build/deques", tree / "build/deques")
    for part in "checks", "lab":
        (tree / "build" / part).mkdir()
        for deque in DEQUES:
            if (ROOT / "build" / part / deque).exists():
                shutil.copy(ROOT / "build" / part / deque, tree / "build" / part)
    if (ROOT / "build/stamps").exists():
        shutil.copytree(ROOT / "build/stamps", tree / "build/stamps")
    return tree


def finished(folder):
    """[(cell, invocation)] that end in a samples.csv, in its order."""
    path = folder / "samples.csv"
    text = path.read_text() if path.exists() else ""
    return [(row[0], int(row[6])) for row in csv.reader(text[:text.rfind("\n") + 1].splitlines())
            if len(row) == 16 and row[8] == "invocation_time"]


class Submitted:
    """A run that was submitted."""

    def __init__(self, slurm, suite, tree, name, *words):
        self.slurm, self.suite, self.tree, self.name = slurm, suite, tree, name
        self.folder = tree / "results" / name
        self.submit("--name=" + name, *words)

    def submit(self, *words):
        said = self.slurm.run(sys.executable, "-m", "harness.cluster.slurm", self.suite, "--slurm", *words, cwd=self.tree,
                              timeout=LONG)
        if said.returncode:
            raise AssertionError(f"exit {said.returncode}: {said.stdout}")
        jobs = re.search(r"^submitted: (\d+) measures, (\d+) merges", said.stdout, re.MULTILINE)
        self.said, (self.array, self.merging) = said.stdout, jobs.groups() if jobs else (None, None)

    def element(self, part, state="RUNNING"):
        """(element, node) of that part's element, when it is so."""
        return next(((name, node) for name, is_in, node in self.slurm.queue(self.array)
                     if name == f"{self.array}_{part}" and is_in == state), None)

    def attempts(self, part, repeat=1):
        return sorted((self.folder / "parts" / str(part) / f"repeat-{repeat}").glob("attempt-*"),
                      key=lambda path: int(path.name[8:]))

    def of_part(self, part, repeat=1):
        """The finished invocations of each attempt at a part."""
        return [finished(attempt) for attempt in self.attempts(part, repeat)]

    def running_with(self, part, count):
        """(element, node) as soon as it runs and its newest attempt has finished so many, more than so many being left."""
        def ready():
            there, of_part = self.element(part), self.of_part(part)
            return there if there and of_part and len(of_part[-1]) >= count else None
        return wait_for(f"part {part} of {self.name} running, with {count} finished", ready, LONG)

    def over(self):
        wait_for(f"the end of {self.name}", lambda: not self.slurm.queue(self.array, self.merging), LONG)

    def log(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-1500:]}"
                         for path in sorted((self.folder / "parts" / "logs").glob("*.txt")))

    def plan(self):
        """{cell: (part, invocations)} of the division."""
        manifest = json.loads(next(self.folder.glob("parts/*/repeat-1/attempt-1/manifest.json")).read_text())
        return {row["cell"]: (row["part"], row["invocations"]) for row in manifest["split"]}


class OnSlurm(unittest.TestCase):
    maxDiff = None
    slurm = tree = suite = None  # main's: unittest would not take them down when it is interrupted

    def submitted(self, name, *words):
        run = Submitted(self.slurm, self.suite, self.tree, name, "--only=fig6,pop,5.2-fig5", *words)
        self.addCleanup(lambda: self.slurm.run("scancel", run.array, run.merging) if run.array else None)
        return run

    def exactly_once(self, run, repeats=1):
        """Every cell of the plan, in every invocation of every repeat, once: no more, no less, and in the manifest."""
        wanted = sorted((cell, i) for cell, (_, count) in run.plan().items() for i in range(repeats * count))
        self.assertTrue(sorted(finished(run.folder)) == wanted, run.log() + self.slurm.logs())
        manifest = json.loads((run.folder / "manifest.json").read_text())
        self.assertEqual({cell["cell"]: cell["invocations"] for cell in manifest["cells"]},
                         {cell: repeats * count for cell, (_, count) in run.plan().items()})
        self.assertEqual(manifest["state"], "finished")
        return manifest

    def test_node_dies_preemption_and_time_limit(self):
        """Three elements, of which one loses its node, one is put off for another job, one comes to its limit."""
        run = self.submitted("lives", "--invocations=20", "--length=3", "-N", "3", "--time=30", "--partition=low")
        self.assertIn("3 parts", run.said)
        # The third, which is the shortest, has to go for a job of higher priority, on whatever node it is.
        _, third = run.running_with(3, 1)
        self.slurm.run("sbatch", "--parsable", "--partition=high", f"--nodelist={third}", "--exclusive", "--output=/dev/null",
                       "--wrap=sleep 2")
        # The second is told that its limit is near, as --signal=B:USR1 tells it.
        limited, _ = run.running_with(2, 1)
        self.slurm.run("scancel", "--batch", "--signal=USR1", limited)
        # The first's node dies, while it measures.
        _, node = run.running_with(1, 1)
        self.slurm.kill_node(node)
        before = run.of_part(1)[0]
        wait_for(f"{node} down", lambda: self.slurm.states().get(node) == "down", 120)
        for part in 1, 2, 3:
            wait_for(f"part {part} taken up again", lambda: (run.slurm.queue(run.array), len(run.attempts(part)) > 1)[1], LONG)
        # The dead node comes back.
        self.slurm.start_node(node)
        run.over()
        manifest = self.exactly_once(run)
        # No attempt ran a finished invocation again.
        for part in 1, 2, 3:
            of_part = run.of_part(part)
            self.assertGreater(len(of_part), 1, f"part {part} was never taken up again\n" + run.log())
            times = collections.Counter(one for attempt in of_part for one in attempt)
            self.assertEqual({one for one, count in times.items() if count > 1}, set(), run.log())
        self.assertEqual(run.of_part(1)[0], before)
        # Each row names its host, and there was more than one.
        with open(run.folder / "samples.csv", newline="", encoding="utf-8") as file:
            hosts = {row["host"] for row in csv.DictReader(file)}
        self.assertEqual(sorted(hosts), manifest["hosts"])
        self.assertGreater(len(hosts), 1)
        self.assertLessEqual(hosts, set(self.slurm.names))

    def test_lost_node_cancelled_element_and_resume(self):
        """A node that goes on after it was given up writes into files of its own; what a cancelled element leaves is listed,
        and --resume submits that alone."""
        run = self.submitted("lost", "--invocations=12", "--length=2", "--time=30")
        _, node = run.running_with(1, 2)
        self.slurm.lose_node(node)
        cancelled, _ = run.running_with(2, 2)
        self.slurm.run("scancel", cancelled)
        wait_for("another attempt at part 1", lambda: run.slurm.queue(run.array) and len(run.attempts(1)) > 1, 120)
        at_once = len(run.of_part(1)[0])
        run.over()
        self.slurm.start_node(node)
        # Whatever both have measured is there once; part 2 is not whole, and that is said.
        taken = collections.Counter(finished(run.folder))
        self.assertEqual({one for one, count in taken.items() if count > 1}, set())
        first, second = run.of_part(1)[:2]
        self.assertGreater(len(first), at_once, "the lost node did not go on\n" + run.log())
        self.assertGreater(len(second), 0, run.log())
        of_first = [one for one in taken if run.plan()[one[0]][0] == 1]
        self.assertEqual(len(of_first), sum(count for part, count in run.plan().values() if part == 1), run.log())
        self.assertLess(len(taken), sum(count for _, count in run.plan().values()), run.log())
        self.assertEqual(json.loads((run.folder / "manifest.json").read_text())["state"], "interrupted")
        attempts = len(run.attempts(1))
        run.submit("--resume=lost")
        self.assertIn("submitted again: 1 of 2 parts", run.said)
        run.over()
        self.exactly_once(run)
        self.assertEqual(len(run.attempts(1)), attempts)
        run.submit("--resume=lost")
        self.assertIn("nothing is missing", run.said)

    def test_the_script_of_the_docs(self):
        """A shortened paper in three parts, by the script in docs/cluster.md: a part is cancelled, which is missing then, and submitted
        again; the run is merged and drawn."""
        script, suite = self.tree / "part.sh", shortened_paper(self.tree.parent)
        script.write_text(re.search(r"```sh\n(#!/bin/bash\n#SBATCH.*?)```", (ROOT / "docs/cluster.md").read_text(), re.DOTALL).group(1))
        said = self.slurm.run("build/stealbench", "suite", suite, "--name=docs", "--split=3", cwd=self.tree)
        self.assertEqual(said.returncode, 0, said.stdout)
        run = Submitted.__new__(Submitted)
        run.slurm, run.tree, run.name, run.folder = self.slurm, self.tree, "docs", self.tree / "results" / "docs"

        def submit(parts):
            sent = self.slurm.run("sbatch", "--parsable", "--partition=low", f"--array={parts}", str(script), suite, "docs", "3",
                                  cwd=self.tree)
            self.assertEqual(sent.returncode, 0, sent.stdout)
            run.array = run.merging = sent.stdout.strip()

        submit("1-3")
        self.addCleanup(lambda: self.slurm.run("scancel", run.array))
        cancelled, _ = run.running_with(2, 1)
        self.slurm.run("scancel", cancelled)
        run.over()
        merge = sys.executable, "-m", "harness.cluster.merge", str(run.folder)
        self.assertEqual(self.slurm.run(*merge, cwd=self.tree).returncode, 3)
        submit("2")
        run.over()
        self.assertEqual(self.slurm.run(*merge, cwd=self.tree).returncode, 0)
        self.exactly_once(run)
        drawn = self.slurm.run(sys.executable, "-m", "plots.draw", str(run.folder), cwd=ROOT)
        self.assertEqual(drawn.returncode, 0, drawn.stdout)
        self.assertIn("fig6_push", {path.stem for path in (run.folder / "figures").iterdir()})
        self.assertTrue((run.folder / "report.html").exists())

    def test_the_same_cells_on_two_nodes(self):
        run = self.submitted("twice", "--invocations=2", "--length=1", "--repeat-nodes=2", "--time=30")
        run.over()
        self.exactly_once(run, repeats=2)
        hosts = collections.defaultdict(set)
        with open(run.folder / "samples.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                hosts[row["cell"]].add((row["host"], int(row["invocation"]) // 2))
        for cell, places in hosts.items():
            self.assertEqual(len({host for host, _ in places}), 2, f"{cell}: {places}\n{run.log()}")
            self.assertEqual(len(places), 2)


def main():
    missing = missing_packages()
    absent = [deque for deque in DEQUES if not (ROOT / "build/deques/latency" / deque).exists()]
    if missing or absent:
        print("left out: a run on a real Slurm: " + (f"apt-get install {' '.join(missing)}" if missing else
                                                     f"not built: {' '.join(absent)}"))
        return 3
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stealbench slurm ") as folder, SmallSlurm() as OnSlurm.slurm:  # with a space
        OnSlurm.tree, OnSlurm.suite = copy_of_the_tree(folder), piece_of_smoke(folder)
        program = unittest.main(exit=False, verbosity=2)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{program.result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
