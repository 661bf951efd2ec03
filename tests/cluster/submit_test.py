#!/usr/bin/python3
"""Checks what ./run.sh SUITE --slurm gives to sbatch (a stand-in notes it), and how an element reacts to srun, scancel
and scontrol. The driver is the real one; the deques are fakes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tests.plots.support import ROOT, run_tests

FAKE = ROOT / "tests/end_to_end/fakes/deque.sh"
SUITE = "title T\ninvocations 4\nrepetitions 2\nminimum_time 0.01\n" + "".join(
    f"[s{i}] of {i}\npush deque=one,two batch={i}\n" for i in range(1, 6))
# Notes its arguments, a line each and an empty one, in the file named by it; sbatch also prints a number.
NOTES = """#!/bin/bash
{ printf '%s\\n' "${0##*/}" "$@"; echo; } >> "$NOTES"
case ${0##*/} in
  sbatch) [ -z "${SBATCH_SAYS-}" ] || { echo "$SBATCH_SAYS" >&2; exit 1; }
    number=$(grep -c '^sbatch$' "$NOTES"); echo "$((100 + number))" ;;
  squeue) printf '%s' "${SQUEUE_SAYS-}" ;;
  srun) exec bash -c "$SRUN_DOES" ;;
esac
"""
UNTIL_CANCELLED = 'until grep -q ^scancel "$NOTES"; do sleep 0.1; done; exit 130'  # what srun does


class Submitting(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="stealbench submit "))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.tree, self.bin, self.notes = self.folder / "tree", self.folder / "bin", self.folder / "notes"
        (self.tree / "build/deques/latency").mkdir(parents=True)
        (self.tree / "suites").mkdir()
        self.bin.mkdir()
        shutil.copy(ROOT / "build/stealbench", self.tree / "build")
        shutil.copytree(ROOT / "harness", self.tree / "harness", ignore=shutil.ignore_patterns("__pycache__"))
        (self.tree / "suites/paper.suite").write_text(SUITE)
        (self.tree / "setup").mkdir()
        for name in "configure.py", "packages.sh":  # everything is there and built
            (self.tree / "setup" / name).write_text("#!/bin/sh\n")
            (self.tree / "setup" / name).chmod(0o755)
        for deque in "one", "two":
            shutil.copy(FAKE, self.tree / "build/deques/latency" / deque)
            (self.tree / "build/deques/latency" / deque).chmod(0o755)
        for name in "sbatch", "squeue", "scontrol", "srun", "scancel":
            (self.bin / name).write_text(NOTES)
            (self.bin / name).chmod(0o755)
        self.results = self.tree / "results"

    def environment(self, more):
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "NOTES": str(self.notes), **more}

    def submit(self, *words, code=0, **more):
        done = subprocess.run([sys.executable, "-m", "harness.cluster.slurm", "paper", "--slurm", *words], cwd=self.tree, check=False,
                              env=self.environment(more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def noted(self, program="sbatch"):
        """[arguments] of each time it was called."""
        text = self.notes.read_text() if self.notes.exists() else ""
        calls = [call.split("\n") for call in text.split("\n\n") if call]
        return [call[1:] for call in calls if call[0] == program]

    def test_an_array_and_what_merges_it(self):
        said = self.submit("--name=r", "-p", "short", "-N", "3", "--constraint=icelake", "--length=2", "-A", "me",
                           "--only=s1,s2,s3", "--sbatch=--mail-type=END")
        self.assertIn("2 parts", said)
        array, merging = self.noted()
        run = str(self.results / "r")
        for word in ("--array=1,2%3", "--partition=short", "--constraint=icelake", "--account=me", "--exclusive", "--requeue",
                     "--nodes=1", "--mem=0", "--mail-type=END", f"--chdir={self.tree}", "--signal=B:USR1@60",
                     "--open-mode=append", f"--output={run}/parts/logs/%A_%a.txt"):
            self.assertIn(word, array)
        script = array.index("harness/cluster/element.sh")
        self.assertEqual(array[script + 1:script + 4], [run, "2", "1"])
        self.assertEqual(array[script + 4:script + 6], ["suite", "paper"])
        self.assertIn("--only=s1,s2,s3", array[script + 6:])
        self.assertIn("--name=r", array[script + 6:])
        self.assertIn("--dependency=afterany:101", merging)
        self.assertEqual(merging[-1], f"--wrap=./run.sh merge '{run}'")
        self.assertNotIn("--exclusive", merging)
        self.assertTrue((self.results / "r/parts/logs").is_dir())
        # stealbench accepts its arguments: measures the first part, as an element would.
        words = array[script + 4:]
        done = subprocess.run(["build/stealbench", *words, "--part=1/2", "--dry-run"], cwd=self.tree, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_length_and_time(self):
        for words, parts, minutes in [(["--length=5"], 5, 25), (["--length=1h"], 1, 25),
                                      (["--length=1", "-t", "1-2"], 1, "1-2")]:
            with self.subTest(words):
                self.notes.unlink(missing_ok=True)
                said = self.submit(f"--name=r{parts}{minutes}", *words)
                self.assertIn(f"{parts} part", said)
                self.assertIn(f"--time={minutes}", self.noted()[0])

    def test_several_nodes_a_cell(self):
        self.submit("--name=r", "--repeat-nodes=4", "-N", "9", "--length=3", "--anyway")
        array, merging = self.noted()
        self.assertTrue(merging[-1].endswith(" --anyway"))
        self.assertIn("--array=1,2,3%2", array)
        self.assertIn("--nodes=4", array)
        self.assertEqual(array[array.index("harness/cluster/element.sh") + 3], "4")

    def test_dry_run_submits_and_makes_nothing(self):
        said = self.submit("--name=r", "--dry-run", "--length=3")
        self.assertIn("sbatch ", said)
        self.assertIn("--dependency=afterany:JOB", said)
        self.assertEqual(self.noted(), [])
        self.assertFalse(self.results.exists() and any(self.results.iterdir()))

    def test_what_cannot_be(self):
        self.submit("--name=r", "--length=5")
        self.assertIn("exists already", self.submit("--name=r", code=2))
        self.assertIn("sbatch refused", self.submit("--name=q", code=3, SBATCH_SAYS="no such partition"))

    def measure(self, part, name="r", repeat=1):
        asked = json.loads((self.results / name / "slurm.json").read_text())
        parts = 5
        done = subprocess.run(["build/stealbench", *asked["words"], f"--part={part}/{parts}", f"--repeat={repeat}", "--quiet"],
                              cwd=self.tree, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_resume_submits_what_is_missing_as_it_was(self):
        self.submit("--name=r", "--length=5", "-p", "short")
        for part in 1, 3:
            self.measure(part)
        self.assertIn("still queued", self.submit("--resume=r", code=2, SQUEUE_SAYS="101_2 R"))
        said = self.submit("--resume", "-C", "big")
        self.assertIn("missing: part 2", said)
        array = self.noted()[-2]
        for word in "--array=2,4,5", "--partition=short", "--constraint=big":
            self.assertIn(word, array)
        self.assertEqual(array[array.index("harness/cluster/element.sh") + 2], "5")
        for part in 2, 4, 5:
            self.measure(part)
        calls = len(self.noted())
        self.assertIn("nothing is missing", self.submit("--resume"))
        self.assertEqual(len(self.noted()), calls)
        self.assertIn("no run of paper", self.submit("--resume", "--results=/nowhere", code=2))
        for path in (self.results / "r").glob("parts/*/*/*/manifest.json"):  # a cell's four invocations take 3,000 s
            path.write_text(re.sub(r'("seconds": ")[^"]*', r"\g<1>3000", path.read_text()))
        samples = self.results / "r/parts/3/repeat-1/attempt-1/samples.csv"
        rows = samples.read_text().splitlines(keepends=True)
        ends = [place for place, row in enumerate(rows, 1) if ",invocation_time," in row]
        samples.write_text("".join(rows[:ends[1]]))  # one of each of the two cells is there
        self.submit("--resume")
        self.assertLessEqual({"--array=3", "--time=175"}, set(self.noted()[-2]))  # twice 4,500 s, and 20 minutes for the checks

    def element(self, does, **more):
        """element.sh of part 2, begun; what srun does is bash."""
        run = self.results / "r"
        return subprocess.Popen(
            ["harness/cluster/element.sh", str(run), "5", "1", "suite", "paper", "--name=r"], cwd=self.tree, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=self.environment({
                "SRUN_DOES": does, "SLURM_ARRAY_TASK_ID": "2", "SLURM_JOB_ID": "77", "SLURM_JOB_NODELIST": "n4",
                "SLURM_CPUS_ON_NODE": "128", "SLURM_PROCID": "0", "SLURMD_NODENAME": "n4", **more}))

    def test_an_element_measures_its_part_with_all_processors(self):
        self.submit("--name=r", "--length=5")
        words = json.loads((self.results / "r/slurm.json").read_text())["words"]
        run = str(self.results / "r")
        process = self.element(f"parts=5 harness/cluster/element.sh --on-node '{run}' 5 1 " + " ".join(f"'{word}'" for word in words))
        said, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        [srun] = self.noted("srun")
        for word in "--cpus-per-task=128", "--cpu-bind=none", "--ntasks=1", "--mem=0":
            self.assertIn(word, srun)
        manifest = json.loads((self.results / "r/parts/2/repeat-1/attempt-1/manifest.json").read_text())
        self.assertEqual((manifest["part"], manifest["host"], manifest["state"]), ("2/5", "n4", "finished"))

    def ended(self, does, finishes, how=signal.SIGUSR1):
        """What an element says that is told to end, and what it asked Slurm for; its srun ends with 130 then."""
        self.submit("--name=r", "--length=5")
        folder = self.results / "r/parts/2/repeat-1/attempt-1"
        started = self.folder / "started"
        adds = f"mkdir -p '{folder}'; echo ',invocation_time,' >> '{folder}/samples.csv';" if finishes else ""
        process = self.element(f"{adds} touch '{started}'; {does}")
        while not started.exists():
            time.sleep(0.05)
        process.send_signal(how)
        end = time.monotonic() + 60
        while process.poll() is None and not self.noted("scontrol") and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.5)
        alive = process.poll() is None
        process.kill()
        said, _ = process.communicate()
        return said, alive, self.noted("scontrol"), self.noted("scancel")

    def test_near_its_limit_it_queues_itself_again_and_waits_to_be_ended(self):
        said, alive, asked, cancelled = self.ended(UNTIL_CANCELLED, finishes=True)
        self.assertIn(["requeue", "77"], asked, said)
        self.assertEqual(cancelled, [["--signal=TERM", "77.0"]])
        self.assertTrue(alive, said)

    def test_without_progress_it_is_not_queued_for_ever(self):
        said, alive, asked, _ = self.ended(UNTIL_CANCELLED, finishes=False)
        self.assertNotIn(["requeue", "77"], asked)
        self.assertIn("use a longer --time", said)
        self.assertFalse(alive)


if __name__ == "__main__":
    run_tests()
