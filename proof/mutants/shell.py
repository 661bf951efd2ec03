#!/usr/bin/python3
"""Do the tests of the shell scripts catch mistakes in them? Small changes, one at a time, each in a copy of the tree.

    proof/mutants/shell.py [--sample=N] [--only=FILE,FILE] [--seed=N]

A mutant is a comparison or a test turned, && for ||, an exit code of 0, a negation left out, a line that does nothing. Killed is
what fails the test of the script, or does not end in time. A test takes half a minute, so `check` tries none. Ends on
"N passed, N failed"; exit 1 when fewer are killed than LEAST, 3 when a test fails without a mutant."""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {"run.sh": "verbs", "setup/build.sh": "build", "setup/flags.sh": "build", "setup/packages.sh": "set_up"}
LEAST = 0.5
LONGEST = 600  # seconds
CHANGES = [(r" -eq ", " -ne "), (r" -ne ", " -eq "), (r" -gt ", " -le "), (r" -lt ", " -ge "), (r" && ", " || "), (r" \|\| ", " && "),
           (r"\bexit [1-9]", "exit 0"), (r"\breturn [1-9]", "return 0"), (r"\bif ! ", "if "), (r"\[ ! ", "[ "), (r"\[ -e ", "[ ! -e "),
           (r"\[ -s ", "[ ! -s "), (r" == ", " != "), (r" != ", " == ")]


def mutants_of(text):
    """[(line, what, the text with it)]; comments, and what is inside of awk's and sed's programs, stay as they are."""
    lines, inside = text.split("\n"), False
    for number, line in enumerate(lines):
        quoted = inside
        inside ^= line.count("'") % 2 == 1
        if quoted or line.lstrip().startswith("#"):
            continue
        for pattern, new in CHANGES:
            for found in re.finditer(pattern, line):
                if line.count("'", 0, found.start()) % 2:  # a program of awk's or sed's
                    continue
                changed = line[:found.start()] + new + line[found.end():]
                yield number + 1, f"{line.strip()} -> {changed.strip()}", "\n".join([*lines[:number], changed, *lines[number + 1:]])
        if re.fullmatch(r"\s+(rm|mv|cp|cat|printf|echo|mkdir) .*[^\\|{]", line):
            yield number + 1, f"{line.strip()} -> :", "\n".join([*lines[:number], re.sub(r"\S.*", ":", line), *lines[number + 1:]])


def passes(copy, test):
    """Does that test pass in the copy?"""
    try:
        return subprocess.run([f"tests/end_to_end/{test}.sh"], cwd=copy, capture_output=True, timeout=LONGEST, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def copy_of_tree(folder):
    """What git tracks, and what the tests ask for of the build."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, files):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    wanted = {"build": {"stealbench", "build.json", "flags.mk", "compilers", "libmeasuring.a", "described", "obj"},
              "obj": {"harness", "driver", "timed"}, "timed": {"once", "chase_lev", "lf_bulk"}}
    shutil.copytree(ROOT / "build", folder / "build", symlinks=True,
                    ignore=lambda at, names: set(names) - wanted.get(Path(at).name, set(names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, metavar="N", help="so many")
    parser.add_argument("--only", metavar="FILE,FILE", help="mutants of these scripts")
    parser.add_argument("--seed", type=int, default=26, help="of the sample")
    arguments = parser.parse_args()
    sources = arguments.only.split(",") if arguments.only else list(SOURCES)
    if unknown := sorted(set(sources) - set(SOURCES)):
        parser.error(f"no tests are known of {', '.join(unknown)}; there are {', '.join(SOURCES)}")
    mutants = [(source, *one) for source in sources for one in mutants_of((ROOT / source).read_text(encoding="utf-8"))]
    if arguments.sample:
        mutants = sorted(random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants))))
    killed = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy_of_tree(Path(folder))
        for source in dict.fromkeys(one[0] for one in mutants):
            if not passes(folder, SOURCES[source]):
                print(f"tests/end_to_end/{SOURCES[source]}.sh fails without a mutant of {source}", file=sys.stderr)
                return 3
        for source, line, what, text in mutants:
            script = Path(folder, source)
            script.write_text(text, encoding="utf-8")
            dead = not passes(folder, SOURCES[source])
            shutil.copy2(ROOT / source, script)
            killed += dead
            if not dead:
                print(f"survived  {source}:{line}: {what}", flush=True)
    good = killed >= LEAST * len(mutants)
    print(f"{killed} of {len(mutants)} killed, at least {LEAST:.0%} are asked for\n{int(good)} passed, {int(not good)} failed")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
