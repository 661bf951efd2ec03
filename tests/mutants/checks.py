"""checks.py: the gate, one check at a time, for a header that lies elsewhere than in queues/.

A check builds what it needs in the mutant's own folder and runs it. Its answer is PASSED, KILLED, NOT_BUILT or, when
it says nothing about the deque (a tool is missing, the time is up), NOTHING.
"""

import functools
import os
import re
import resource
import shutil
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
CC = os.environ.get("CC", "gcc")
GENMC = os.environ.get("GENMC", "genmc")

PASSED, KILLED, NOT_BUILT, NOTHING = "passed", "killed", "not built", "nothing"

# Of processor time: a busy machine is no reason to give up. What uses it up has come to no verdict.
LAB_SECONDS = 120    # the lab ends what hangs itself, and takes a tenth of this at most
GATE_SECONDS = 240   # of all threads together; a gate's watchdog finds a step that does not end within 60
MODEL_SECONDS = 60   # for each client; most need less than one
BUILD_SECONDS = 300
STANDSTILL = 20      # times as much of real time: for what sleeps for ever
ADDRESS_SPACE = 8 << 30

# gcc's flags for deques as in the Makefile, without warnings: a mutant may well compare in vain.
COMMON = ["-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-g", "-w", "-iquote", ".", "-iquote", "queues"]
FLAVOURS = {
    "plain": ["-O1"],
    "address": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=thread"],
}
# What an executable of deque_main.c needs of the harness.
MAIN_SOURCES = ["harness/deque_main.c", "checks/once/verdict.c", "harness/measuring/clock/clock.c",
                "harness/measuring/random.c",
                *(f"harness/measuring/cell/{name}.c" for name in ("describe", "parameters", "cell")),
                *(f"harness/measuring/counters/{name}.c" for name in ("counters", "counter_events", "counters_papi"))]
LAB_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-I.", "-Iqueues", "-O2", "-g", "-fno-pie", "-fno-stack-protector", "-w",
             "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"]


def run(command, seconds, address_space=None):
    """(exit status, or None when so many seconds of processor time were used up, output). Ends the whole process
    group."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(seconds)), resource.RLIM_INFINITY))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=2000:detect_leaks=1",
                   "TSAN_OPTIONS": "memory_limit_mb=2000"}
    with subprocess.Popen([str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit,
                          env=environment) as process:
        try:
            output, _ = process.communicate(timeout=seconds * STANDSTILL)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output.decode(errors="replace")
    status = None if process.returncode == -signal.SIGXCPU else process.returncode
    return status, output.decode(errors="replace")


def verdict(status):
    """Of a check's exit status: 1 is a finding; so is a crash (4, or a signal). 5, and time that is up: no verdict."""
    if status == 0:
        return PASSED
    return NOTHING if status in (None, 2, 3, 5) else KILLED


class Subject:
    """One header below a folder of its own, as queues/ID.h would be."""

    def __init__(self, deque, header, folder):
        self.deque, self.header, self.folder = deque, Path(header).resolve(), Path(folder)
        self.modes = mode_values(self.header.read_text())
        self.kept = {}

    def once(self, name, build):
        """What build makes, kept for the checks that follow: a path, or None when it does not build."""
        if name not in self.kept:
            self.kept[name] = build()
        return self.kept[name]


def mode_values(text):
    found = re.search(r'\.mode_values = "([^"]*)"', text)
    return found.group(1).split("|") if found else []


# --- the lab

def build_runtime():
    """The lab's own objects, as its sources are now: a header built for other ones would seem to be killed."""
    status, output = run(["make", "-s", f"BUILD={os.path.relpath(BUILD, ROOT)}", f"CC={CC}", "mutants_runtime"], 2 * BUILD_SECONDS)
    if status != 0:
        raise SystemExit(f"the lab does not build:\n{output}")


def build_lab(subject):
    made, executable = subject.folder / "lab.o", subject.folder / "lab"
    status, output = run(["lab/clients/instrument.sh", subject.deque, subject.header, made, CC, *LAB_FLAGS], BUILD_SECONDS)
    if status != 0:
        return None
    objects = BUILD / "lab" / "runtime"  # one whose source is gone is of an older tree
    runtime = sorted(made for made in objects.rglob("*.o") if (ROOT / made.relative_to(objects)).with_suffix(".c").exists())
    status, output = run([CC, "-no-pie", "-o", executable, made, *runtime], BUILD_SECONDS)
    return executable if status == 0 else None


def lab(*words):
    """The lab with these words, in each of the deque's modes."""
    def check(subject):
        executable = subject.once("lab", lambda: build_lab(subject))
        if not executable:
            return NOT_BUILT
        for mode in subject.modes or [None]:
            arguments = [*words, f"--mode={mode}"] if mode else words
            answer = verdict(run([executable, *arguments], LAB_SECONDS, ADDRESS_SPACE)[0])
            if answer != PASSED:
                return answer
        return PASSED
    return check


# --- the gate: checks/NAME.c

@functools.lru_cache(maxsize=None)
def main_objects(flavour):
    """What does not depend on the deque, compiled once."""
    folder = BUILD / "mutants" / "main" / flavour
    folder.mkdir(parents=True, exist_ok=True)
    for source in MAIN_SOURCES:
        status, output = run([CC, *COMMON, *FLAVOURS[flavour], '-DDEQUE_ID="mutant"',
                              '-DDEQUE_HEADER="queues/chase_lev.h"', "-c", source, "-o",
                              folder / (Path(source).stem + ".o")], BUILD_SECONDS)
        if status != 0:
            raise SystemExit(f"{source} does not compile:\n{output}")
    return sorted(folder.glob("*.o"))


def build_gate(subject, flavour, name):
    executable = subject.folder / f"{flavour}-{name}"
    status, _ = run([CC, *COMMON, *FLAVOURS[flavour], f'-DDEQUE_HEADER="{subject.header}"', f"checks/{name}.c",
                     *main_objects(flavour), "-o", executable, "-lm"], BUILD_SECONDS)
    return executable if status == 0 else None


def gate(flavour, name, seconds):
    def check(subject):
        executable = subject.once((flavour, name), lambda: build_gate(subject, flavour, name))
        if not executable:
            return NOT_BUILT
        limit = ADDRESS_SPACE if flavour == "plain" else None
        return verdict(run([executable, "--check", name, "--seed=1", f"--seconds={seconds}"], GATE_SECONDS, limit)[0])
    return check


# --- the model checker

FAULTS = ("Error: Safety violation", "Error: Non-atomic race", "Error: Attempt to read from uninitialized",
          "Error: Attempt to access non-allocated", "Error: Attempt to access freed", "Error: Attempt to free",
          "Error: Double-free")


CACHED = "cached"  # how GenMC always runs here: what an execution reached does not matter


def model_rows(deque):
    """The (file, client, model, options) of tests/model/table.txt for one deque that has to be right."""
    own, general = [], []
    for line in (ROOT / "tests/model/table.txt").read_text().splitlines():
        words = line.split()
        if not words or line.startswith("#") or words[4] != "ok":
            continue
        rows = [(words[1], client, model, tuple(word for word in words[6:] if word != CACHED))
                for client in words[2].split(",") for model in words[3].split(",")]
        names = words[0].split(",")
        if deque in names:
            own += rows
        elif "*" in names and "-" + deque not in names or "+" + deque in names:
            general += rows
    return list(dict.fromkeys(own or general))


def row_name(row):
    return " ".join((row[2], row[1], *row[3]))


def model(row):
    file, client, memory_model, options = row

    def check(subject):
        if not shutil.which(GENMC):
            return NOTHING
        defines = [option for option in options if option.startswith("-D")]
        others = [option for option in options if not option.startswith("-D")]
        # GenMC hands the compiler's flags to a shell, hence the second layer of quotes.
        left = subject.folder / "left"  # names what GenMC leaves behind of its compiler's output
        _, output = run([GENMC, f"--{memory_model}", "--disable-estimation", *others, "--", "-std=gnu11", "-w", "-I.",
                         "-Iqueues", f'-DDEQUE_HEADER=\\"{subject.header}\\"', f"-DCLIENT={client}",
                         f"-DCLIENT_{client}", *defines, "-MMD", "-MF", left, f"tests/model/{file}.c"], MODEL_SECONDS)
        if left.exists():
            Path(left.read_text().split(": ", maxsplit=1)[0]).unlink(missing_ok=True)
            left.unlink()
        if "No errors were detected" in output:
            return PASSED
        return KILLED if any(fault in output for fault in FAULTS) else NOTHING
    return check
