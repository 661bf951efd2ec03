"""kills.py: the checks that a planted fault can name (faults.py).

    plain:stress          the check of that name (proof/checks/stress.c), built plain, address or thread: with sanitizers
    pool, pool:gives_way  the pool's check on the deque; in the second one, threads give way inside its operations and the
                          deque's, so that half-done ones meet even on a crowded machine
    lab WORD...           build/lab/DEQUE WORD...: "lab stop", "lab explore --memory=weak --schedules=3000"
    model MODEL CLIENT [OPTION...]: WORD    a client of proof/model, and what it has to find, in the words of its table.txt
    loops NAME... [: as written]    tests/measured_loops.sh on workloads/latency/NAME.c; as written: vectorised by nothing
"""

import functools
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import faults
import checks

CAUGHT, PASSED, NOT_BUILT, NOTHING, ABSENT = checks.KILLED, checks.PASSED, checks.NOT_BUILT, checks.NOTHING, "absent"
SECONDS = 6          # for a fault; most are found in a tenth of it. Sound code gets less
SOUND_SECONDS = {"gate": 0.3, "pool": 1}
TRIES = 4            # tries of each check that needs luck


@dataclass(frozen=True)
class Check:
    name: str
    kind: str        # "gate", "pool", "lab", "model", "loops" or "due"
    run: Callable    # (subject, seconds, seed) -> CAUGHT, PASSED, ...; what was said is in the subject
    luck: bool       # it may miss a fault that it finds another time
    row: tuple = ()  # the row of the model's table


def parse(name):
    """The check of that name."""
    kind, _, rest = name.partition(" ")
    if found := re.fullmatch(r"(plain|address|thread):(\w+)", name):
        if not (faults.ROOT / f"proof/checks/{found.group(2)}.c").is_file():
            raise faults.Misfit(f"there is no proof/checks/{found.group(2)}.c: {name}")
        return Check(name, "gate", lambda subject, seconds, seed: checks.gate(*found.groups(), seconds, seed)(subject), True)
    if name in ("pool", "pool:gives_way"):
        return Check(name, "pool", functools.partial(pool, name == "pool:gives_way"), True)
    if kind == "lab" and rest:
        run = checks.lab(*rest.split(), *(["--quiet"] if rest.startswith("explore") else []))
        return Check(name, "lab", lambda subject, seconds, seed: run(subject), False)
    if found := re.fullmatch(r"model (sc|tso|rc11|imm) (\w+)((?: -\S+)*): (\w+)", name):
        memory_model, client, options, word = found.groups()
        if word not in checks.FAULTS.values():
            raise faults.Misfit(f"no word for a fault ({' '.join(sorted(set(checks.FAULTS.values())))}): {word}")
        row = (client, memory_model, tuple(options.split()))
        return Check(name, "model", functools.partial(model, row, word), False, row)
    if found := re.fullmatch(r"loops ([\w/]+(?: [\w/]+)*)(: as written)?", name):
        return Check(name, "loops", functools.partial(loops, found.group(1).split(), bool(found.group(2))), False)
    if kind == "due" and rest:
        return Check(name, "due", functools.partial(due, rest), False)
    raise faults.Misfit(f"there is no check of that name: {name}")


def finding(subject):
    """The finding of a check about a fault, in a few words."""
    lines = subject.said.splitlines()
    for line in [line for line in lines if "MAY NOT BE" in line or "CONTRADICTS" in line] + lines:
        if re.search(r"FAILED|WARNING: Thread|ERROR: Addr|runtime error|^Error: |MAY NOT BE|CONTRADICTS|error:", line):
            return re.sub(r" \(pid.*", "", re.sub(r"^.*FAILED [a-z]+ of [^:]*: ", "", line)).strip()[:110]
    return (subject.said.strip().splitlines() or [""])[-1][:110]


def model(row, word, subject, _seconds, _seed):
    if not shutil.which(checks.GENMC):
        return ABSENT
    answer = checks.model(row)(subject)
    if answer == CAUGHT and checks.genmc.verdict(subject.said) != word:
        subject.said = f"not {word}: " + finding(subject)
        return NOTHING
    return answer


# --- the pool

POOL_FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-g", "-O1", "-w", "-I."]
POOL = "workloads/pool"
GIVES_WAY = ["-include", "proof/checks/give_way.h"]
HANGS_SOON = ["-DHANG_SECONDS=15.0", "-DHANG_WAITED=1e9"]  # faults of the pool make it hang


def sources_in(folder, pattern, for_each_deque):
    """Those that are compiled once."""
    return sorted(f"{folder}/{path.name}" for path in (faults.ROOT / folder).glob(pattern) if path.name != for_each_deque)


@functools.lru_cache(maxsize=None)
def around_the_pool():
    """Objects of everything that no fault of the pool touches."""
    folder = checks.BUILD / "planted_faults"
    sources = [source for source in checks.MAIN_SOURCES if source != "proof/checks/verdict.c"]
    sources += [f"harness/measuring/{name}.c" for name in ("distance", "places")]
    sources += ["harness/measuring/histogram.c"]
    sources += sources_in("proof/checks", "pool*.c", "pool_places.c")
    return [*checks.compile_once(sources, POOL_FLAGS, folder / "main"),
            *checks.compile_once(["proof/checks/verdict.c"], [*POOL_FLAGS, *HANGS_SOON], folder / "verdict")]


@functools.lru_cache(maxsize=None)
def sound_once():
    """{source: object} of the pool's sources that do not depend on the deque, unchanged."""
    folder = checks.BUILD / "planted_faults/once"
    sources = sources_in(POOL, "*.c", "pool.c")
    return dict(zip(sources, checks.compile_once(sources, POOL_FLAGS, folder)))


@functools.lru_cache(maxsize=None)
def included(source, deque):
    """What a source includes."""
    done = subprocess.run([checks.CC, *POOL_FLAGS, f'-DDEQUE_HEADER="queues/{deque}.h"', "-MM", source], cwd=faults.ROOT,
                          text=True, capture_output=True, check=True)
    return set(done.stdout.replace("\\\n", " ").split()[1:])


def prepare(kinds):
    """Builds first, one after the other, what several faults share."""
    if "pool" in kinds:
        around_the_pool()
        sound_once()
    if "lab" in kinds:
        checks.build_runtime()
    if "due" in kinds:
        checks.run(["make", "-s", f"BUILD={os.path.relpath(checks.BUILD, faults.ROOT)}", SCRIPTED], checks.BUILD_SECONDS)


def build_pool(subject, gives_way, changed):
    """Compiles only the sources with the fault; if that fails, uses no object of the pool's own."""
    objects = []
    for source, sound in sound_once().items():
        if changed & included(source, subject.deque):
            sound = subject.once(source, lambda source=source: compiled(subject, source, []))
        objects.append(sound)
    for source in f"{POOL}/pool.c", "proof/checks/pool_places.c":
        objects.append(subject.once((source, gives_way),
                                    lambda source=source: compiled(subject, source, GIVES_WAY if gives_way else [])))
        if None in objects:
            return None
    executable = subject.folder / ("pool-gives-way" if gives_way else "pool")
    linked = subject.run([checks.CC, "-pthread", *objects, *around_the_pool(), "-o", executable, "-lhwloc", "-lm"],
                         checks.BUILD_SECONDS)
    return executable if linked == 0 else None


def compiled(subject, source, flags):
    made = subject.folder / f"{source.replace('/', '-')}{len(flags)}.o"
    status = subject.run([checks.CC, *POOL_FLAGS, *flags, f'-DDEQUE_HEADER="{subject.name}"', "-c", source, "-o", made],
                         checks.BUILD_SECONDS)
    return made if status == 0 else None


def pool(gives_way, subject, seconds, seed):
    executable = subject.once(("pool", gives_way), lambda: build_pool(subject, gives_way, subject.changed))
    if not executable:
        return NOT_BUILT
    return checks.verdict(subject.run([executable, "--check", "pool", f"--seed={seed}", f"--seconds={seconds}"], checks.GATE_SECONDS))


# --- metrics of a scripted deque

SCRIPTED = os.path.relpath(checks.BUILD / "scripted/scripted", faults.ROOT)


def build_scripted(subject):
    """Compiles only the sources with the fault, in a copy of the build of the sound sources."""
    def others(folder, names):  # of the objects those of the scripted deque, and those that all deques share
        at = Path(folder).relative_to(checks.BUILD).parts
        wanted = {(): r"obj|scripted|compilers|.*\.(a|json|mk)", ("obj",): ".*"}.get(at, "once" if len(at) == 2 and at[1] != "scripted" else ".*")
        return [name for name in names if not re.fullmatch(wanted, name)]
    shutil.copytree(checks.BUILD, subject.folder / "build", symlinks=True, ignore=others)
    status = subject.run(["make", "-s", f"BUILD={subject.folder / 'build'}", f"{subject.folder / 'build'}/scripted/scripted"],
                         checks.BUILD_SECONDS)
    return subject.folder / "build/scripted/scripted" if status == 0 else None


def due(rows, subject, _seconds, _seed):
    executable = subject.once("scripted", lambda: build_scripted(subject))
    if not executable:
        return NOT_BUILT
    return checks.verdict(subject.run(["/usr/bin/python3", "tests/scripted/due_test.py", executable, *rows.split()], checks.GATE_SECONDS))


# --- measured loops

def loops(names, as_written, subject, _seconds, _seed):
    if not shutil.which("objdump") or (as_written and platform.machine() != "x86_64"):
        return ABSENT
    flags, objects = [], []
    if as_written:
        clang = "clang" in subprocess.run([checks.CC, "--version"], text=True, capture_output=True, check=False).stdout
        flags = (["-fno-vectorize", "-fno-slp-vectorize", "-fno-builtin"] if clang
                 else ["-fno-tree-vectorize", "-fno-tree-loop-distribute-patterns"])
    for name in names:
        objects.append(subject.folder / f"{len(objects)}.o")
        subject.run([checks.CC, *POOL_FLAGS[:3], "-O2", "-w", "-I.", *flags, f'-DDEQUE_HEADER="{subject.name}"', "-c",
                     f"workloads/latency/{name}.c", "-o", objects[-1]], checks.BUILD_SECONDS)
        if not objects[-1].exists():
            return NOT_BUILT
    made = subject.folder / "deques/latency" / subject.deque
    made.parent.mkdir(parents=True, exist_ok=True)
    # Linked, because only then does a call of memcpy have its name. Parts of the suite that the loops do not need are left out.
    if subject.run([checks.CC, "-no-pie", "-nostartfiles", "-Wl,-e,0", "-Wl,--unresolved-symbols=ignore-all", *objects,
                    "-o", made], checks.BUILD_SECONDS) != 0:
        return NOT_BUILT
    if subject.run(["tests/measured_loops.sh", made], checks.GATE_SECONDS) == 0:
        return PASSED
    return NOTHING if "no measured loop" in finding(subject) else CAUGHT
