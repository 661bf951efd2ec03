"""checks.py: runs one check at a time on a header outside queues/, or on a tree of sources of which some are changed
(proof/planted_faults).

A check builds what it needs in the subject's own folder and runs it. Its result is PASSED, KILLED, NOT_BUILT, ABSENT if its tool
is missing, or NOTHING if it says nothing about the deque (the time is up). A planted fault names its checks (faults.py):

    plain:stress          the check of that name (proof/checks/stress.c), built plain, address or thread: with sanitizers
    pool, pool:gives_way  the pool's check on the deque; in the second one, threads give way inside its operations and the
                          deque's, so that half-done ones meet even on a crowded machine
    lab WORD...           build/lab/DEQUE WORD...: "lab stop", "lab explore --memory=weak --schedules=3000"
    model MODEL CLIENT [OPTION...]: WORD    a client of proof/model, and what it has to find, in the words of its table.txt
    loops NAME... [: as written]    tests/measured_loops.sh on workloads/latency/NAME.c; as written: vectorised by nothing
"""

import functools
import itertools
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "proof/model"))
import genmc  # noqa: E402

BUILD = ROOT / os.environ.get("BUILD", "build")
CC = os.environ.get("CC", "gcc")

FAULTS, GENMC = genmc.FAULTS, genmc.GENMC
PASSED, KILLED, NOT_BUILT, NOTHING, ABSENT = "passed", "killed", "not built", "nothing", "absent"

# Limits in seconds of processor time, so that a busy machine is no reason to give up. A check that uses them up has no verdict.
LAB_SECONDS = 120    # the lab ends a hanging run itself, and takes at most a tenth of this
CHECK_SECONDS = 240   # sum over all threads; the watchdog of a check ends a hanging step within 60
MODEL_SECONDS = 60   # per client; most need less than one
BUILD_SECONDS = 300
SECONDS = 6          # of real time, of a check of a fault; most are found in a tenth of it. Sound code gets less
SOUND_SECONDS = {"check": 0.3, "pool": 1}
STANDSTILL = 20      # limit of real time, as a multiple: for a process that sleeps for ever
ADDRESS_SPACE = 8 << 30

# gcc's flags for deques as in setup/configure.py, but without warnings: a mutant may compare in vain.
COMMON = ["-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-w", "-iquote", ".", "-iquote", "queues"]
FLAVOURS = {
    "plain": ["-O1"],
    "address": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-O1", "-fno-omit-frame-pointer", "-fsanitize=thread"],
}
QUICK = {"conformance": ["-O0", "-DDEQUE_CALLED"]}  # one thread: compiling takes longer than running
CHOSEN = "proof/mutants/chosen.c"
# The harness's sources that an executable of deque_main.c needs.
MAIN_SOURCES = ["harness/deque_main.c", "proof/checks/verdict.c", "harness/measuring/clock.c",
                "harness/measuring/random.c", CHOSEN,
                *(f"harness/measuring/{name}.c" for name in ("describe", "parameters", "cell", "counters"))]
LAB_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-I.", "-Iqueues", "-O1", "-fno-pie", "-fno-stack-protector", "-w",
             "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"]


class Misfit(Exception):
    """A planted fault that cannot be planted, a file of them that cannot be read, or a name of no check."""


def run(command, seconds, address_space=None, root=ROOT, chosen=0):
    """(exit status, or None if so many seconds of processor time were used up; output). Ends the whole process group."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(seconds)), resource.RLIM_INFINITY))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    environment = {**os.environ, "CHOSEN_MUTANT": str(chosen), "ASAN_OPTIONS": "hard_rss_limit_mb=2000:detect_leaks=1",
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
        self.chosen = 0  # the mutant that runs, of a header with several (mutate.all_in_one)
        self.said = ""  # output of the last build or run

    @property
    def name(self):
        """The header's path for compilers: relative to the root, because the root may be anywhere, even in a folder with a
        blank."""
        return str(self.header.relative_to(self.root) if self.header.is_relative_to(self.root) else self.header)

    def run(self, command, seconds, address_space=None):
        status, self.said = run(command, seconds, address_space, self.root, self.chosen)
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
    runtime = [BUILD / "lab" / "runtime" / f"{name}.o" for name in ("engine", "clients", "verbs")]
    with compiled_once:
        runtime += chosen()
    return executable if subject.run([CC, "-no-pie", "-o", executable, made, *runtime], BUILD_SECONDS) == 0 else None


def lab(*words):
    """The lab with these words, in each of the deque's modes, and with both kinds of asymmetric fences."""
    def check(subject, *_):
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


# --- checks/NAME.c

compiled_once = threading.Lock()


def by_folder(sources):
    return [list(alike) for _, alike in itertools.groupby(sorted(sources), os.path.dirname)]


def compile_once(together, flags, folder):
    """Objects of the sources that do not depend on the deque, of each list one: most of the time goes into headers of the system."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for *others, source in together:
        made.append(folder / (Path(source).stem + ".o"))
        new = made[-1].with_suffix(f".{os.getpid()}")  # another run of this program may be using the existing file
        included = [word for other in others for word in ("-include", other)]
        status, output = run([CC, *flags, *included, "-c", source, "-o", new], BUILD_SECONDS)
        if status != 0:
            raise SystemExit(f"{source} does not compile:\n{output}")
        os.replace(new, made[-1])
    return made


@functools.lru_cache(maxsize=None)
def chosen():
    return compile_once([[CHOSEN]], [], BUILD / "mutants" / "lab")


@functools.lru_cache(maxsize=None)
def main_objects_of(flavour):
    return compile_once(by_folder(MAIN_SOURCES), [*COMMON, *FLAVOURS[flavour]], BUILD / "mutants" / "main" / flavour)


def main_objects(flavour):
    with compiled_once:
        return main_objects_of(flavour)


def deque_flags(subject):
    """What tells a source that is compiled for each deque which one it is."""
    return ['-DDEQUE_ID="mutant"', f'-DDEQUE_HEADER="{subject.name}"']


def build_check(subject, flavour, name):
    executable = subject.folder / f"{flavour}-{name}"
    flags = [*COMMON, *FLAVOURS[flavour], *QUICK.get(name, []), *deque_flags(subject)]
    status = subject.run([CC, *flags, f"proof/checks/{name}.c", *main_objects(flavour), "-o", executable, "-lm"], BUILD_SECONDS)
    return executable if status == 0 else None


def check(flavour, name, usual_seconds=SECONDS):
    if not (ROOT / f"proof/checks/{name}.c").is_file():
        raise Misfit(f"there is no proof/checks/{name}.c: {flavour}:{name}")

    def check(subject, seconds=usual_seconds, seed=1):
        executable = subject.once((flavour, name), lambda: build_check(subject, flavour, name))
        if not executable:
            return NOT_BUILT
        limit = ADDRESS_SPACE if flavour == "plain" else None
        return verdict(subject.run([executable, "--check", name, f"--seed={seed}", f"--seconds={seconds}"], CHECK_SECONDS, limit))
    return check


# --- the model checker

def model_rows(deque):
    """The (client, model, options) rows of proof/model/table.txt that hold for a correct deque."""
    # What an execution reached does not matter here, so GenMC always uses its cache.
    rows = [(row.client, row.model, tuple(option for option in row.options if option != genmc.CACHED))
            for row in genmc.rows_of(deque) if row.expected == "ok"]
    return list(dict.fromkeys(rows))


def row_name(row):
    return " ".join((row[1], row[0], *row[2]))


def model(row, word=None):
    """word: what it has to find; None: any fault."""
    client, memory_model, options = row
    if word and word not in FAULTS.values():
        raise Misfit(f"no word for a fault ({' '.join(sorted(set(FAULTS.values())))}): {word}")

    def check(subject, *_):
        if not shutil.which(GENMC):
            return ABSENT
        left = subject.folder / "left"
        subject.run(genmc.command(client, memory_model, options, subject.name, left), MODEL_SECONDS)
        genmc.remove_what_is_left(left)
        found = genmc.verdict(subject.said)
        if word and found not in ("ok", "broken", word):
            subject.said = f"not {word}: " + finding(subject)
            return NOTHING
        return {"ok": PASSED, "broken": NOTHING}.get(found, KILLED)
    return check


# --- the pool

POOL_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-g", "-O1", "-w", "-I.", "-DPOOL_CHECK_OWNER"]
POOL = "workloads/pool"
GIVES_WAY = ["-include", "proof/checks/give_way.h"]
HANGS_SOON = ["-DHANG_SECONDS=15.0", "-DHANG_WAITED=1e9"]  # faults of the pool make it hang


def sources_in(folder, pattern, for_each_deque):
    """Those that are compiled once."""
    return sorted(f"{folder}/{path.name}" for path in (ROOT / folder).glob(pattern) if path.name != for_each_deque)


@functools.lru_cache(maxsize=None)
def around_the_pool():
    """Objects of everything that no fault of the pool touches."""
    folder = BUILD / "planted_faults"
    sources = [source for source in MAIN_SOURCES if source != "proof/checks/verdict.c"]
    sources += [f"harness/measuring/{name}.c" for name in ("distance", "places", "histogram")]
    sources += sources_in("proof/checks", "pool*.c", "pool_places.c")
    return [*compile_once(by_folder(sources), POOL_FLAGS, folder / "main"),
            *compile_once([["proof/checks/verdict.c"]], [*POOL_FLAGS, *HANGS_SOON], folder / "verdict")]


@functools.lru_cache(maxsize=None)
def sound_once():
    """{source: object} of the pool's sources that do not depend on the deque, unchanged."""
    folder = BUILD / "planted_faults/once"
    sources = sources_in(POOL, "*.c", "pool.c")
    return dict(zip(sources, compile_once([[one] for one in sources], POOL_FLAGS, folder)))


@functools.lru_cache(maxsize=None)
def included(source, deque):
    """What a source includes."""
    done = subprocess.run([CC, *POOL_FLAGS, f'-DDEQUE_HEADER="queues/{deque}.h"', "-MM", source], cwd=ROOT,
                          text=True, capture_output=True, check=True)
    return set(done.stdout.replace("\\\n", " ").split()[1:])


def prepare(kinds):
    """Builds first, one after the other, what several faults share."""
    if "pool" in kinds:
        around_the_pool()
        sound_once()
    if "lab" in kinds:
        build_runtime()
    if "due" in kinds:
        run(["make", "-s", f"BUILD={os.path.relpath(BUILD, ROOT)}", SCRIPTED], BUILD_SECONDS)


def build_pool(subject, gives_way):
    """Compiles only the sources with the fault; if that fails, uses no object of the pool's own."""
    objects = []
    for source, sound in sound_once().items():
        if subject.changed & included(source, subject.deque):
            sound = subject.once(source, lambda source=source: compiled(subject, source, []))
        objects.append(sound)
    for source in f"{POOL}/pool.c", "proof/checks/pool_places.c":
        objects.append(subject.once((source, gives_way),
                                    lambda source=source: compiled(subject, source, GIVES_WAY if gives_way else [])))
        if None in objects:
            return None
    executable = subject.folder / ("pool-gives-way" if gives_way else "pool")
    linked = subject.run([CC, "-pthread", *objects, *around_the_pool(), "-o", executable, "-lhwloc", "-lm"],
                         BUILD_SECONDS)
    return executable if linked == 0 else None


def compiled(subject, source, flags):
    made = subject.folder / f"{source.replace('/', '-')}{len(flags)}.o"
    status = subject.run([CC, *POOL_FLAGS, *flags, *deque_flags(subject), "-c", source, "-o", made],
                         BUILD_SECONDS)
    return made if status == 0 else None


def pool(gives_way):
    def check(subject, seconds, seed):
        executable = subject.once(("pool", gives_way), lambda: build_pool(subject, gives_way))
        return verdict(subject.run([executable, "--check", "pool", f"--seed={seed}", f"--seconds={seconds}"],
                                   CHECK_SECONDS)) if executable else NOT_BUILT
    return check


# --- metrics of a scripted deque

SCRIPTED = os.path.relpath(BUILD / "scripted/scripted", ROOT)


def build_scripted(subject):
    """Compiles only the sources with the fault, in a copy of the build of the sound sources. In its tree the copy has the build's
    name: ninja's log knows each command, in which that name is."""
    def others(folder, names):  # of the objects those of the scripted deque, and those that all deques share
        at = Path(folder).relative_to(BUILD).parts
        wanted = {(): r"obj|scripted|compilers|.*\.(a|json)|\.ninja_log", ("obj",): ".*"}.get(
            at, "once" if len(at) == 2 and at[1] != "scripted" else ".*")
        return [name for name in names if not re.fullmatch(wanted, name)]
    name = BUILD.relative_to(ROOT) if BUILD.is_relative_to(ROOT) else Path("build")
    (subject.root / name.parts[0]).unlink(missing_ok=True)  # a link to the real one
    shutil.copytree(BUILD, subject.root / name, symlinks=True, ignore=others)
    status = subject.run(["make", "-s", f"BUILD={name}", f"{name}/scripted/scripted"], BUILD_SECONDS)
    return subject.root / name / "scripted/scripted" if status == 0 else None


def due(rows):
    def check(subject, *_):
        executable = subject.once("scripted", lambda: build_scripted(subject))
        return verdict(subject.run(["/usr/bin/python3", "tests/scripted/due_test.py", executable, *rows.split()],
                                   CHECK_SECONDS)) if executable else NOT_BUILT
    return check


# --- measured loops

def loops(names, as_written, subject, *_):
    if not shutil.which("objdump") or (as_written and platform.machine() != "x86_64"):
        return ABSENT
    flags, objects = [], []
    if as_written:
        clang = "clang" in subprocess.run([CC, "--version"], text=True, capture_output=True, check=False).stdout
        flags = (["-fno-vectorize", "-fno-slp-vectorize", "-fno-builtin"] if clang
                 else ["-fno-tree-vectorize", "-fno-tree-loop-distribute-patterns"])
    for name in names:
        objects.append(subject.folder / f"{len(objects)}.o")
        subject.run([CC, *POOL_FLAGS[:3], "-O2", "-w", "-I.", *flags, f'-DDEQUE_HEADER="{subject.name}"', "-c",
                     f"workloads/latency/{name}.c", "-o", objects[-1]], BUILD_SECONDS)
        if not objects[-1].exists():
            return NOT_BUILT
    made = subject.folder / "deques/latency" / subject.deque
    made.parent.mkdir(parents=True, exist_ok=True)
    # Linked, because only then does a call of memcpy have its name. Parts of the suite that the loops do not need are left out.
    if subject.run([CC, "-no-pie", "-nostartfiles", "-Wl,-e,0", "-Wl,--unresolved-symbols=ignore-all", *objects,
                    "-o", made], BUILD_SECONDS) != 0:
        return NOT_BUILT
    if subject.run(["tests/measured_loops.sh", made], CHECK_SECONDS) == 0:
        return PASSED
    return NOTHING if "no measured loop" in finding(subject) else KILLED


# --- names

@dataclass(frozen=True)
class Check:
    name: str
    kind: str        # "check", "pool", "lab", "model", "loops" or "due"
    run: Callable    # (subject, seconds, seed) -> KILLED, PASSED, ...; what was said is in the subject
    row: tuple = ()  # the row of the model's table

    @property
    def luck(self):
        """May it miss a fault that it finds another time?"""
        return self.kind in ("check", "pool")


def parse(name):
    """The check of that name."""
    if found := re.fullmatch(r"(plain|address|thread):(\w+)", name):
        return Check(name, "check", check(*found.groups()))
    if name in ("pool", "pool:gives_way"):
        return Check(name, "pool", pool(name == "pool:gives_way"))
    if found := re.fullmatch(r"model (sc|tso|rc11|imm) (\w+)((?: -\S+)*): (\w+)", name):
        memory_model, client, options, word = found.groups()
        row = (client, memory_model, tuple(options.split()))
        return Check(name, "model", model(row, word), row)
    if found := re.fullmatch(r"loops ([\w/]+(?: [\w/]+)*)(: as written)?", name):
        return Check(name, "loops", functools.partial(loops, found.group(1).split(), bool(found.group(2))))
    kind, _, rest = name.partition(" ")
    if kind == "lab" and rest:
        return Check(name, kind, lab(*rest.split(), *(["--quiet"] if rest.startswith("explore") else [])))
    if kind == "due" and rest:
        return Check(name, kind, due(rest))
    raise Misfit(f"there is no check of that name: {name}")


def finding(subject):
    """The finding of a check about a fault, in a few words."""
    lines = subject.said.splitlines()
    for line in [line for line in lines if "MAY NOT BE" in line or "CONTRADICTS" in line] + lines:
        if re.search(r"FAILED|WARNING: Thread|ERROR: Addr|runtime error|^Error: |MAY NOT BE|CONTRADICTS|error:", line):
            return re.sub(r" \(pid.*", "", re.sub(r"^.*FAILED [a-z]+ of [^:]*: ", "", line)).strip()[:110]
    return (subject.said.strip().splitlines() or [""])[-1][:110]
