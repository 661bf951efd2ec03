"""action.yml and the workflow: they are YAML with the fields that GitHub needs, and their shell steps work. The steps run here
with stand-ins for the programs that they call; GitHub itself is not tried.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT))
from tests.plots.support import run_tests  # noqa: E402

STAND_IN = '#!/bin/sh\nprintf "%s" "${0##*/}" >> "$NOTES"; printf " [%s]" "$@" >> "$NOTES"; echo >> "$NOTES"\n'


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


class Steps(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory(prefix="stealbench action ")
        self.addCleanup(self.kept.cleanup)
        self.folder = Path(self.kept.name)
        for name in ("run.sh", "setup/packages.sh", "bin/git", "bin/apt-get", "bin/sudo"):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(STAND_IN)
            path.chmod(0o755)

    def run_step(self, step, **inputs):
        """The programs that the step's shell called, with inputs in its environment as GitHub puts them there."""
        notes = self.folder / "notes"
        notes.write_text("")
        given = {name: re.sub(r"\$\{\{ *(?:inputs|matrix)\.(\w+) *\}\}", lambda found: inputs[found.group(1)], text)
                 for name, text in step.get("env", {}).items()}
        self.assertNotIn("${{ inputs", step["run"], "an input in a script is a program of whoever gave it")
        script = re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", lambda found: inputs[found.group(1)], step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder, text=True,
                              capture_output=True, check=False, env={
                                  **os.environ, **given, "NOTES": str(notes), "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return notes.read_text().splitlines()

    def steps(self):
        return {step["name"]: step for step in read("action.yml")["runs"]["steps"]}

    def test_the_action_is_composite_and_every_script_has_its_shell(self):
        action = read("action.yml")
        self.assertEqual((action["runs"]["using"], set(action["inputs"])), ("composite", {"deques", "against", "budget"}))
        for step in action["runs"]["steps"]:
            self.assertEqual(("uses" not in step, step.get("shell")), ("run" in step, "bash" if "run" in step else None), step)
        self.assertTrue(all(isinstance(about["default"], str) for about in action["inputs"].values()))

    def test_inputs_become_words_and_never_programs(self):
        for inputs, checks, slower in [
                (("", "", "10m"), [], ["run.sh [ci] [--against] [--budget=10m] [--name=ci]"]),
                (("abp chase_lev", "v1", "2m"), ["run.sh [check] [abp] [chase_lev]"],
                 ["run.sh [ci] [--against=v1] [--budget=2m] [--name=ci] [--deque=abp,chase_lev]"]),
                (("abp", "none", "2m"), ["run.sh [check] [abp]"], []),
                (("$(touch bad) `touch bad`; touch bad", '"; touch bad', "$(touch bad)"), None, None)]:
            given = dict(zip(("deques", "against", "budget"), inputs))
            ran = [self.run_step(self.steps()[name], **given) for name in ("Checks", "Slower")]
            self.assertTrue(checks is None or ran == [checks, slower], ran)
        self.assertFalse((self.folder / "bad").exists())

    def test_packages_are_asked_for_by_the_suites_own_sets(self):
        called = self.run_step(self.steps()["Packages"])
        self.assertTrue(called[0].startswith("git [config]"), called)
        sets = called[-1].split("[--need] ")[1].replace("[", "").replace("]", "").split()
        named = set(re.findall(r"^(\w+)_packages=", (ROOT / "setup/packages.sh").read_text(), re.M))
        self.assertLessEqual(set(sets) - {"--"}, named)

    def test_ci_takes_the_action_s_options(self):
        for words in ("ci --against --budget=10m --name=ci --deque=chase_lev --help", "check chase_lev --help"):
            subprocess.run([ROOT / "build/stealbench", *words.split()], capture_output=True, check=True)

    def test_the_workflows_check_use_the_action_and_upload_what_they_make(self):
        jobs = read(".github/workflows/check.yml")["jobs"]
        tests = next(step for step in jobs["check"]["steps"] if step.get("name") == "Tests")
        self.assertIn("run.sh [check]", "".join(self.run_step(tests)[-1:]))
        for one in jobs["check"]["strategy"]["matrix"]["include"]:
            self.assertIn(f"[{one['compiler']}]", self.run_step(jobs["check"]["steps"][0], **one)[-1])
        self.assertIn("./", [step.get("uses") for step in jobs["ci"]["steps"]])
        steps = read(".github/workflows/page.yml")["jobs"]["page"]["steps"]
        page = next(step for step in steps if step.get("name") == "Page")
        upload = next(step for step in steps if step.get("uses", "").startswith("actions/upload-pages-artifact@"))
        self.assertEqual(self.run_step(page), [f"run.sh [report] [results/example/quick] [--to={upload['with']['path']}]"])


if __name__ == "__main__":
    run_tests()
