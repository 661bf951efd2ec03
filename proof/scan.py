#!/usr/bin/python3
"""scan.py: other people's deques, from clones: what do our checks say of them at these revisions?

    ./run.sh scan FOLDER [REVISION ...] [FOLDER ...]      FOLDER: a clone of Taskflow, stdexec, ... (queues/upstream/README.md)

Without revisions a folder is scanned as it is. Builds each deque that queues/upstream/ has a shim for, and only that: its checks,
plain and under ThreadSanitizer, and its executable of the lab. Prints a table in Markdown. A fault is what two checkers find; what
one finds is to be looked at. Explored is what the lab can see: no Rust, and no word that is accessed by two widths. If the lab finds
something in a deque that we have transcribed, the model checker GenMC is asked as well, where it is installed.
Exit: 0 nothing was found, 1 something was, 2 usage, 3 something is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 5  # that each check searches at random
ROOT = Path(__file__).resolve().parent.parent
PARTS = {"checks": "threads", "thread": "ThreadSanitizer", "lab": "the lab"}
WHERE = {"plain": "", "thread": "under ThreadSanitizer ", "lab": "in the lab "}
ROW = re.compile(r"(passed|FAILED|undecided)\s+(\S+)\s+(\S+)\s+(plain|address and undefined|thread|lab)\s+(.*)")
# What GenMC finds in a transcription of the same algorithm. run.py ends well if the fault that is expected was found.
GENMC = os.environ.get("GENMC", "genmc")
TRANSCRIBED = {"upstream/libfork_deque": [GENMC, "--imm", "--", "-std=gnu11", "docs/scan/libfork_growth.c"],
               "upstream/parlaylib_abp": ["proof/model/run.py", "as_shipped/parlay_abp"]}


def refuse(code, why):
    print(f"scan: {why}", file=sys.stderr)
    sys.exit(code)


def asked(words):
    """[(folder, revision or "")], in order: a word is a folder, or a revision of the folder before."""
    pairs, revisions = [], 0
    for word in words:
        if Path(word).is_dir():
            pairs.append((Path(word).resolve(), ""))
            revisions = 0
        elif not pairs:
            refuse(2, f"no such folder: {word}")
        else:
            folder = pairs[-1][0]
            if subprocess.run(["git", "-C", folder, "cat-file", "-e", f"{word}^{{commit}}"], capture_output=True).returncode:
                refuse(2, f"{word} is neither a folder nor a revision of {folder}")
            if revisions == 0:
                pairs.pop()
            pairs.append((folder, word))
            revisions += 1
    return pairs


def tree(folder, revision, scratch):
    """The folder, or its files of that revision in a folder of their own."""
    if not revision:
        return folder
    files = Path(tempfile.mkdtemp(dir=scratch))
    archive = subprocess.Popen(["git", "-C", folder, "archive", revision], stdout=subprocess.PIPE)
    if subprocess.run(["tar", "-x", "-m", "-C", files], stdin=archive.stdout).returncode or archive.wait():
        refuse(3, f"git cannot write out {revision} of {folder}")
    return files


def name_of(folder, revision):
    said = subprocess.run(["git", "-C", folder, "rev-parse", "--short=8", revision or "HEAD"], capture_output=True, text=True)
    return said.stdout.strip() or "as it is"


def originals(files, scratch):
    """The ids of what queues/upstream/ can build of these files alone."""
    environment = {**os.environ, "UPSTREAM_FROM": str(files), "CPPFLAGS": "", "BUILD": str(Path(scratch) / "build"),
                   "CXX": os.environ.get("CXX", "g++") + " -nostdinc -nostdinc++"}
    found = subprocess.run(["queues/upstream/found.sh"], cwd=ROOT, env=environment, capture_output=True, text=True).stdout
    here = (files / "crossbeam-deque").is_dir()
    return [word for word in found.split() if word.startswith("upstream/") and (here or "crossbeam" not in word)]


def absent(part, id):
    """Why this kind of executable cannot be built, as found.sh says, which the build has called by then; or nothing."""
    file = ROOT / "build" / ("deques" if part == "checks" else part) / "upstream" / "not_built.txt"
    said = dict(line.split("\t", 1) for line in (file.read_text().splitlines() if file.exists() else ()))
    return said.get(id.removeprefix("upstream/"), "")


def check(id, files):
    """The rows of its checks: (verdict, check, flavour, what was said). A build that fails is a row, and so is what is not asked."""
    environment = {**os.environ, "UPSTREAM_FROM": str(files)}
    subprocess.run(["make", "build/upstream/from/flags"], cwd=ROOT, env=environment, capture_output=True)
    reasons = {part: absent(part, id) for part in PARTS}
    built = subprocess.run(["setup/build.sh", "build/stealbench", *(f"build/{part}/{id}" for part in PARTS if not reasons[part])], cwd=ROOT,
                           env=environment, capture_output=True, text=True)
    said = subprocess.run(["build/stealbench", "check", id, f"--seconds={SECONDS}"], cwd=ROOT, capture_output=True, text=True).stdout
    rows = [(row[1], row[3], row[4], row[5].strip()) for row in map(ROW.match, said.splitlines()) if row and row[2] == id]
    not_asked = [("not asked", PARTS[part], "-", why) for part, why in reasons.items() if why]
    return (rows or [("not built", "-", "-", why_not(built.stderr))]) + not_asked


def why_not(said):
    """The first error of a build that failed, among its lines of progress."""
    return next((line for line in said.splitlines() if not line.startswith("building ")), "?")


def confirm(id, rows):
    """The row of GenMC, where the lab found something in a deque that is transcribed."""
    if id not in TRANSCRIBED or ("FAILED", "lab") not in {(row[0], row[2]) for row in rows} or not shutil.which(GENMC):
        return []
    done = subprocess.run(TRANSCRIBED[id], cwd=ROOT, capture_output=True, text=True)
    error = re.search(r"^Error: (.*?)!*$| (assertion) ", done.stdout + done.stderr, re.M)
    return [("FAILED", "GenMC", "transcription", error[1] or error[2])] if error else []


def checker(row, rows):
    """Who finds it: a sanitizer where the same check passes without, else the check."""
    _, name, flavour, _ = row
    if flavour == "transcription":
        return "GenMC, in a transcription"
    plain = {other[0] for other in rows if other[1:3] == (name, "plain")}
    races = flavour == "thread" and ("passed" in plain or not plain and "ThreadSanitizer" in row[3])
    return "ThreadSanitizer" if races else f"the lab's {name}" if flavour == "lab" else name


def verdict(rows):
    failed = [row for row in rows if row[0] == "FAILED"]
    found = sorted({checker(row, rows) for row in failed})
    if not failed:
        return "not built" if rows[0][0] == "not built" else "nothing found"
    return f"**fault**: {', '.join(found)}" if len(found) > 1 else f"to be looked at: {found[0]} alone"


def line(id, revision, rows):
    """A row of the table."""
    passed = {where: [name for result, name, its, _ in rows if result == "passed" and its == flavour] for flavour, where in WHERE.items()}
    said = [f"{checker(row, rows)}: {re.sub(r'WARNING: ThreadSanitizer: |  *.pid=[0-9]+.', '', row[3])}" for row in rows if row[0] in ("FAILED", "not built")]
    cells = [f"`{id}`", revision, verdict(rows), "; ".join(dict.fromkeys(said)),
             "; ".join(where + ", ".join(names) for where, names in passed.items() if names),
             "; ".join([f"{WHERE.get(its, '')}{name}: no verdict, {why}" for result, name, its, why in rows if result == "undecided"]
                       + [f"{name}: {why}" for result, name, _, why in rows if result == "not asked"])]
    return "| " + " | ".join(cell.replace("|", "\\|") or "-" for cell in cells) + " |"


def main():
    words = sys.argv[1:]
    if not words or words[0].startswith("-"):
        print(__doc__.strip())
        return 0 if words else 2
    bad = False
    with tempfile.TemporaryDirectory(prefix="scan-") as scratch:
        print("| deque | revision | verdict | what was said | passed | not answered |\n| --- | --- | --- | --- | --- | --- |", flush=True)
        for folder, revision in asked(words):
            files = tree(folder, revision, scratch)
            ids = originals(files, scratch)
            if not ids:
                refuse(3, f"{folder} {revision}: queues/upstream/ has no shim for anything in it")
            for id in ids:
                rows = check(id, files)
                rows += confirm(id, rows)
                bad |= any(row[0] == "FAILED" for row in rows)
                print(line(id, name_of(folder, revision), rows), flush=True)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
