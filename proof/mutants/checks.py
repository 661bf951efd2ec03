"""checks.py: runs one check at a time on a header outside queues/, or on a tree of sources of which some are changed
(proof/planted_faults).

A check builds what it needs in the subject's own folder and runs it. Its result is PASSED, KILLED, NOT_BUILT, or NOTHING if it
says nothing about the deque (a tool is missing, or the time is up).
"""

import functools
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "proof/model"))
import genmc  # noqa: E402

BUILD = ROOT / os.environ.get("BUILD", "build")
CC = os.environ.get("CC", "gcc")

PASSED, KILLED, NOT_BUILT, NOTHING = "passed", "killed", "not built", "nothing"

# Limits in seconds of processor time, so that a busy machine is no reason to give up. A check that uses them up has no verdict.
LAB_SECONDS = 120    # the lab ends a hanging run itself, and takes at most a tenth of this
GATE_SECONDS = 240   # sum over all threads; the watchdog of a check ends a hanging step within 60
MODEL_SECONDS = 60   # per client; most need less than one
BUILD_SECONDS = 300
STANDSTILL = 20      # limit of real time, as a multiple: for a process that sleeps for ever
ADDRESS_SPACE = 8 << 30

# gcc's flags for deques as in setup/configure.py, but without warnings: a mutant may compare in vain.
COMMON = ["-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-g", "-w", "-iquote", ".", "-iquote", "queues"]
FLAVOURS = {
    "plain": ["-O1"],
    "address": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=thread"],
}
# The harness's sources that an executable of deque_main.c needs.
MAIN_SOURCES = ["harness/deque_main.c", "proof/checks/verdict.c", "harness/measuring/clock.c",
                "harness/measuring/random.c",
                *(f"harness/measuring/{name}.c" for name in ("describe", "parameters", "cell", "counters"))]
LAB_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-I.", "-Iqueues", "-O2", "-g", "-fno-pie", "-fno-stack-protector", "-w",
             "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"]


def run(command, seconds, address_space=None, root=ROOT):
    """(exit status, or None if so many seconds of processor time were used up; output). Ends the whole process group."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(seconds)), resource.RLIM_INFINITY))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=2000:detect_leaks=1",
                   "TSAN_OPTIONS": "memory_limit_mb=2000"}
    with subprocess.Popen([str(word) for word in command], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit,
                          env=environment) as process:
        try:
            output, _ = process.communicate(timeout=seconds * STANDSTILL)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output.decode(errors="replace")
        except BaseException:  # an interrupt
            os.killpg(process.pid, signal.SIGKILL)
            raise
    status = None if process.returncode == -signal.SIGXCPU else process.returncode
    return status, output.decode(errors="replace")


def verdict(status):
    """The verdict by a check's exit status. 1 is a finding, and so is a crash (4, or a signal). 5 and a timeout are no verdict."""
    if status == 0:
        return PASSED
    return NOTHING if status in (None, 2, 3, 5) else KILLED


class Subject:
    """One header in a folder of its own, as if it were queues/ID.h; or a header of a tree of sources (root)."""

    def __init__(self, deque, header, folder, root=ROOT):
        self.deque, self.header, self.folder, self.root = deque, Path(header).absolute(), Path(folder), Path(root)
        text = self.header.read_text()
        self.modes = mode_values(text)
        self.fences = ("kernel", "pair") if ".asymmetric_fences = true" in text else ()
        self.kept = {}
        self.said = ""  # output of the last build or run

    @property
    def name(self):
        """The header's path for compilers: relative to the root, because the root may be anywhere, even in a folder with a
        blank."""
        return str(self.header.relative_to(self.root) if self.header.is_relative_to(self.root) else self.header)

    def run(self, command, seconds, address_space=None):
        status, self.said = run(command, seconds, address_space, self.root)
        return status

    def once(self, name, build):
        """The result of build, kept for the checks that follow: a path, or None if it does not build."""
        if name not in self.kept:
            self.kept[name] = build()
        return self.kept[name]


def mode_values(text):
    found = re.search(r'\.mode_values = "([^"]*)"', text)
    return found.group(1).split("|") if found else []


# --- the lab

def build_runtime():
    """Builds the lab's own objects from their current sources. A header built for older ones would seem to be killed."""
    status, output = run(["make", "-s", f"BUILD={os.path.relpath(BUILD, ROOT)}", f"CC={CC}", "mutants_runtime"], 2 * BUILD_SECONDS)
    if status != 0:
        raise SystemExit(f"the lab does not build:\n{output}")


def build_lab(subject):
    made, executable = subject.folder / "lab.o", subject.folder / "lab"
    if subject.run(["proof/lab/clients/instrument.sh", subject.deque, subject.header, made, CC, *LAB_FLAGS], BUILD_SECONDS) != 0:
        return None
    objects = BUILD / "lab" / "runtime"  # an object without a source belongs to an older tree
    runtime = sorted(made for made in objects.rglob("*.o") if (ROOT / made.relative_to(objects)).with_suffix(".c").exists())
    return executable if subject.run([CC, "-no-pie", "-o", executable, made, *runtime], BUILD_SECONDS) == 0 else None


def lab(*words):
    """The lab with these words, in each of the deque's modes, and with both kinds of asymmetric fences."""
    def check(subject):
        executable = subject.once("lab", lambda: build_lab(subject))
        if not executable:
            return NOT_BUILT
        for mode, fences in itertools.product(subject.modes or [None], subject.fences or [None]):
            options = [*([f"--mode={mode}"] if mode else []), *([f"--fences={fences}"] if fences else [])]
            answer = verdict(subject.run([executable, *words, *options], LAB_SECONDS, ADDRESS_SPACE))
            if answer != PASSED:
                return answer
        return PASSED
    return check


# --- the gate: checks/NAME.c

compiled_once = threading.Lock()


def compile_once(sources, flags, folder):
    """Objects of the sources that do not depend on the deque."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for source in sources:
        made.append(folder / (Path(source).stem + ".o"))
        new = made[-1].with_suffix(f".{os.getpid()}")  # another run of this program may be using the existing file
        status, output = run([CC, *flags, '-DDEQUE_ID="mutant"', '-DDEQUE_HEADER="queues/chase_lev.h"', "-c", source, "-o",
                              new], BUILD_SECONDS)
        if status != 0:
            raise SystemExit(f"{source} does not compile:\n{output}")
        os.replace(new, made[-1])
    return made


@functools.lru_cache(maxsize=None)
def main_objects_of(flavour):
    return compile_once(MAIN_SOURCES, [*COMMON, *FLAVOURS[flavour]], BUILD / "mutants" / "main" / flavour)


def main_objects(flavour):
    with compiled_once:
        return main_objects_of(flavour)


def build_gate(subject, flavour, name):
    executable = subject.folder / f"{flavour}-{name}"
    status = subject.run([CC, *COMMON, *FLAVOURS[flavour], f'-DDEQUE_HEADER="{subject.name}"', f"proof/checks/{name}.c",
                          *main_objects(flavour), "-o", executable, "-lm"], BUILD_SECONDS)
    return executable if status == 0 else None


def gate(flavour, name, seconds, seed=1):
    def check(subject):
        executable = subject.once((flavour, name), lambda: build_gate(subject, flavour, name))
        if not executable:
            return NOT_BUILT
        limit = ADDRESS_SPACE if flavour == "plain" else None
        return verdict(subject.run([executable, "--check", name, f"--seed={seed}", f"--seconds={seconds}"], GATE_SECONDS, limit))
    return check


# --- the model checker

FAULTS, GENMC = genmc.FAULTS, genmc.GENMC


def model_rows(deque):
    """The (client, model, options) rows of proof/model/table.txt that hold for a correct deque."""
    # What an execution reached does not matter here, so GenMC always uses its cache.
    rows = [(row.client, row.model, tuple(option for option in row.options if option != genmc.CACHED))
            for row in genmc.rows_of(deque) if row.expected == "ok"]
    return list(dict.fromkeys(rows))


def row_name(row):
    return " ".join((row[1], row[0], *row[2]))


def model(row):
    client, memory_model, options = row

    def check(subject):
        if not shutil.which(genmc.GENMC):
            return NOTHING
        left = subject.folder / "left"
        subject.run(genmc.command(client, memory_model, options, subject.name, left), MODEL_SECONDS)
        genmc.remove_what_is_left(left)
        return {"ok": PASSED, "broken": NOTHING}.get(genmc.verdict(subject.said), KILLED)
    return check
