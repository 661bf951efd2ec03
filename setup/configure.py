#!/usr/bin/python3
"""configure.py: writes BUILD/build.ninja (BUILD: build), which says how everything is built, and builds.

    setup/configure.py [TARGET...]              writes it; then ninja builds these targets (and takes its options, such as -k0)
    setup/configure.py build/deques/chase_lev   as `make build/deques/chase_lev` does; setup/build.sh also names deques that fail
    ninja -f build/build.ninja -t commands build/pool/weir      asks, once it is written (-t inputs, -t query, -t deps)

An object's path says how it is compiled: build/obj/FLAVOUR/WHOSE/+VARIANT/SOURCE.o, WHOSE being a deque or "once". Nothing lists
the deques: each header queues/*.h, as_published/*.h and as_shipped/*.h becomes executables of its own. What else a room builds
stands in its build.py, which need not be there.

CC, CXX, OPTIMISE, CPPFLAGS, LDFLAGS, PREFIX and BUILD come from the environment. Each set of flags keeps its build: that of other
flags is moved to BUILD/other_flags, and back when they return. Of two builds in one folder the second waits.
"""

import fcntl
import functools
import glob
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compiler import PLACED, Compiler, output_of, refuse  # noqa: E402

# What is compiled for each deque, and of that, what is compiled in every variant of code. Everything else is compiled once.
FOR_EACH_DEQUE = ("harness/deque_main.c", "workloads/latency/", "workloads/contention/contention.c", "workloads/contention/variants/",
                  "workloads/forks/", "workloads/pool/pool.c", "proof/checks/conformance.c", "proof/checks/stress.c",
                  "proof/checks/preempt.c", "proof/checks/stopped.c", "proof/checks/pool_places.c", "harness/trust/handwritten",
                  "tests/scripted/machine.c", "tests/numa/placed.c", "queues/upstream/",
                  "queues/adopted/")
IN_VARIANTS = ("workloads/latency/variants/", "workloads/contention/variants/")
ROOMS = ["proof/lab", "harness/trust", "tests", "extras/*"]  # and before them queues/upstream, which adds deques

# A warning stops no build, because the next compiler has new ones; tests/run.sh fails on each.
COMMON = "-D_GNU_SOURCE -I. -pthread -Wall -Wextra -Wshadow -Wconversion"
SANITIZED = "-O1 -g1 -fno-omit-frame-pointer -fsanitize={} -DWATCH_GAP=10000000 {}"
LAYOUTS = range(1, 8)
# -ldl: for dlsym before glibc 2.34. The driver does not link Google Benchmark, which only the published method uses.
DRIVER_LIBS = "-ljansson -lhwloc -lpthread -lm -ldl"
DEQUE_LIBS = "-lbenchmark -lhwloc -lpthread -lm -ldl"
# Options of the linker for a description: functions that would run a workload are left unresolved; nothing calls them.
UNRESOLVED = "-no-pie -Wl,--unresolved-symbols=ignore-all -Wl,-z,lazy"
RULES = {
    "compile": "$compiler $common $depends -MF $out.d $flags -c $in -o $out",
    "compile_and_link": "$compiler $common $depends -MF $out.d $flags $in $ldflags -o $out",
    "archive": "rm -f $out && ar rcs $out $in",
    "link": "$linker $flags -o $out $script $in $ldflags $libs",
    "run": "$command",
}


@functools.lru_cache(None)
def below(*folders):
    """The sources below these folders."""
    found = (os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top, followlinks=True) for name in names)
    return sorted(path for path in found if path.endswith((".c", ".cc")))


def once(source):
    return not source.startswith(FOR_EACH_DEQUE)


def varied(source):
    return source.startswith(IN_VARIANTS)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Writes a file unless it holds that text; says whether it did."""
    if os.path.exists(path) and text_of(path) == text:
        return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)
    return True


class Build:
    """The lines of build.ninja, as they come into being. A room's build.py gets this."""

    below, once, varied, write = map(staticmethod, (below, once, varied, write))

    def __init__(self, folder):
        self.folder, self.compiler = folder, Compiler(folder)
        self.lines, self.made, self.groups, self.originals = [], set(), {}, {}
        timed, quiet = f"{self.compiler.optimise} -g1", self.compiler.quiet
        self.flavours = {  # how an object is compiled
            "harness": "-O2 -g1", "driver": "-O1 -g1", "tests": "-O1 -g1", "described": "-O0", "timed": timed,
            "layout": f"{timed} {PLACED.split()[0]}",
            "items4": f"{timed} -DDEQUE_ITEM=uint32_t -DDEQUE_VARIANT='\"item=4\"'",
            "address": SANITIZED.format("address,undefined -fno-sanitize-recover=all", quiet), "thread": SANITIZED.format("thread", quiet),
        }
        self.same_once = {"items4": "timed", "layout": "timed"}  # whose objects that are compiled once it uses
        self.one_variant = {"address", "thread"}  # nothing is timed
        self.deques = [path[len("queues/"):-2] for folder in ("", "as_published/", "as_shipped/")
                       for path in sorted(glob.glob(f"queues/{folder}*.h")) if path != "queues/deque.h"]
        self.application_libs = "-lcrypto" if "openssl/sha.h" in self.compiler.headers else ""

    # --- edges of the graph

    def edge(self, out, rule, inputs, after=(), order=(), **variables):
        """out is made by rule of inputs, anew when one of these or of after is newer, and not before order."""
        if out not in self.made:
            self.made.add(out)
            self.lines.append(f"build {out}: {rule} {' '.join(inputs)}" + (f" | {' '.join(after)}" if after else "")
                              + (f" || {' '.join(order)}" if order else ""))
            self.lines += [f"  {name} = {value}" for name, value in variables.items() if value]
        return out

    def run(self, out, command, inputs, **more):
        """A command of its own, in which $in and $out mean what they do in a rule of ninja's."""
        command = command.replace("$in", " ".join(inputs)).replace("$out", out)
        return self.edge(out, "run", inputs, command=command, **more)

    def group(self, name, targets):
        """A short name of these targets; again, of these too."""
        self.groups.setdefault(name, []).extend(targets)

    def flags_of(self, flavour, whose, number, source, header="", extra=""):
        original, flags = self.originals.get(whose), [f"${flavour}"]
        if (flavour, whose) == ("timed", "once"):
            flags.append(PLACED)  # begins a cache line, so that no edit of a deque moves an application's loop within its line
        if original:
            flags.append(original.flags(flavour))
        flags.append(extra)
        if source.startswith("proof/checks/"):
            # The checks take as long to compile as everything else. So only stress is optimised as the timed deque is; -O1 takes
            # half the time, and -O0 under a sanitizer, which checks each access of the source anyway, a third.
            flags.append("-O0" if flavour in ("address", "thread") else "" if source.endswith("/stress.c") else "-O1")
        if varied(source) or flavour == "layout":
            variant = self.compiler.variants[number % len(self.compiler.variants)]
            # Of a deque that another compiler optimises at link time (Rust), variants differ only in where the code lies.
            flags.append("" if variant == "plain" or original and original.rust(flavour) else variant)
            flags.append(f"-DCODE_VARIANT={number}")
        if whose != "once":
            flags.append(f"-DDEQUE_HEADER='\"{header or f'queues/{whose}.h'}\"' -DDEQUE_ID='\"{whose}\"'")
        return " ".join(["$cppflags_others" if source.endswith(".cc") else "$cppflags", *filter(None, flags)])

    def object(self, flavour, whose, source, number=0, header="", extra="", cxx="", after=()):
        out = f"{self.folder}/obj/{flavour}/{whose}/+{number}/{source.rpartition('.')[0]}.o"
        if out in self.made:
            return out
        original = self.originals.get(whose)
        compiler = f"{original.compiler(flavour) if original else '$cc'} -std=gnu11"
        if source.endswith(".cc"):
            compiler = f"{cxx or '$cxx'} -std=c++20"
        after = [*after, *([original.bytes] if original and original.bytes else [])]
        return self.edge(out, "compile", [source], after, compiler=compiler, depends=original.depends(source) if original else "",
                         flags=self.flags_of(flavour, whose, number, source, header, extra))

    def objects_once(self, flavour, sources):
        return [self.object(flavour, "once", source) for source in sources]

    def objects_of(self, flavour, whose, sources, **how):
        """What a deque's executable is linked from. What does not depend on the deque comes first, so that it stays in place when the
        deque changes."""
        original = self.originals.get(whose)
        own = [source for source in sources if not once(source) and not (original and source in original.WITHOUT)]
        numbers = [0] if flavour in self.one_variant else range(len(self.compiler.variants))
        return [*self.objects_once(self.same_once.get(flavour, flavour), filter(once, sources)),
                *(self.object(flavour, whose, source, number, **how) for number in numbers for source in filter(varied, own)),
                *(self.object(flavour, whose, source, **how) for source in ["harness/deque_main.c", *own] if not varied(source)),
                *(original.objects(self, flavour) if original else [])]

    def link(self, out, flavour, whose, objects, after=(), order=(), script="", libs="$application_libs $deque_libs"):
        original = self.originals.get(whose)
        flags = " ".join([f"${flavour}" if flavour else "", original.flags(flavour) if original else ""])
        return self.edge(out, "link", [*objects, *self.library], after, order, flags=flags, script=script, libs=libs,
                         linker=original.linker(flavour) if original else "")

    def executable(self, folder, flavour, whose, sources, first=(), **how):
        return self.link(f"{self.folder}/{folder}/{whose}", flavour, whose, [*first, *self.objects_of(flavour, whose, sources, **how)])

    # --- what is built

    def harness(self):
        self.measuring = [one for one in below("harness/measuring") if one.endswith(".c")]
        self.library = [self.edge(f"{self.folder}/libmeasuring.a", "archive", self.objects_once("harness", self.measuring)),
                        *self.objects_once("harness", [one for one in below("harness/measuring") if one.endswith(".cc")])]
        self.sanitized_harness = {flavour: self.objects_once(flavour, self.measuring) for flavour in ("address", "thread")}
        main = "harness/driver/stealbench.c"
        self.driver = self.objects_once("driver", [one for one in below("harness/driver") if one != main])
        self.edge(f"{self.folder}/stealbench", "link", [*self.objects_once("driver", [main]), *self.driver, self.library[0]], linker="$cc",
                  libs=DRIVER_LIBS)

    def sources(self):
        """Which sources each executable of a deque has. Each holds only what its cells depend on, because its bytes are part of their
        identity: editing an application voids no cell of push, and editing a check voids no cell. The pool's checks are apart because
        they need the pool, and a deque is timed without them."""
        self.contention = below("workloads/contention")
        self.operations = sorted([*below("workloads/latency"), *self.contention])
        self.pooled = below("workloads/forks", "workloads/pool", "workloads/applications")
        self.pooled_once = self.objects_once("timed", filter(once, self.pooled))
        pool_checks = [one for one in below("proof/checks") if os.path.basename(one).startswith("pool")]
        self.checks = [one for one in below("proof/checks") if one not in pool_checks]
        self.pool_checks = [*pool_checks, *(one for one in self.checks if one.endswith("/verdict.c")), *below("workloads/pool")]

    def of_deque(self, deque):
        checks = self.executable("checks", "timed", deque, self.checks)
        parts = [self.executable("deques", "timed", deque, self.operations), self.executable("pool", "timed", deque, self.pooled), checks,
                 self.executable("pool_checks", "timed", deque, self.pool_checks)]
        checked = sorted({*self.checks, *self.pool_checks})
        sanitized = [self.executable("address", "address", deque, checked)]
        if deque not in self.originals or not self.originals[deque].rust_at_all:
            sanitized.append(self.executable("thread", "thread", deque, checked))
        for flavour, harness in self.sanitized_harness.items():
            self.executable(f"{flavour}_workloads", flavour, deque, below("workloads"), first=harness)
        for number in LAYOUTS:
            self.layout(deque, number)
        self.group("deques", [f"deques/{deque}"])
        self.group(f"deques/{deque}", parts)
        self.group("plain_checks", parts[2:])
        self.group(f"gate_builds/{deque}", [*parts[2:], *sanitized])
        self.group("gate_builds", [f"gate_builds/{deque}"])

    def layout(self, deque, number):
        """The pool's executable in another layout (docs/measuring.md), built when a plan asks for it: code that depends on the deque is
        compiled with that variant's flags, and all functions stand in another order at other offsets."""
        own = [self.object("layout", deque, source, number) for source in ["harness/deque_main.c", *self.pooled] if not once(source)]
        objects = [*self.pooled_once, *own, *(self.originals[deque].objects(self, "layout") if deque in self.originals else [])]
        script = self.run(f"{self.folder}/obj/layout/scripts/{number}/{deque}.ld", f"setup/layout.sh {number} $in > $out", objects,
                          after=["setup/layout.sh"])
        self.link(f"{self.folder}/pool_layouts/{number}/{deque}", "layout", deque, objects, [script], script=f"-Wl,-T,{script}")

    def items4(self):
        """The deques that can carry items of 4 bytes. Intrusive ones cannot; their cells with item=4 are unsupported."""
        texts = {deque: text_of(f"queues/{deque}.h") for deque in self.deques}
        intrusive = [deque for deque, text in texts.items() if re.search(r"^#define DEQUE_NATIVE.*DEQUE_LISTS", text, re.M)]
        intrusive += [deque for deque, text in texts.items() if any(f'#include "{one}.h"' in text for one in intrusive)]
        for deque in [*self.deques, *self.originals]:
            made = self.executable("items4", "items4", deque, self.contention)
            if deque not in intrusive and deque not in self.originals:
                self.group("items4", [made])

    def descriptions(self):
        """What the executables would answer to --describe, without building them: a deque's traits, and the workloads' tables, which are
        the same for all deques. The driver lists and plans with it."""
        main, out = "harness/describe_main.c", f"{self.folder}/obj/described"
        describe = self.objects_once("harness", ["harness/measuring/describe.c", "harness/measuring/parameters.c"])

        def program(name, deque, objects):
            original = self.originals.get(deque)
            return self.edge(name, "compile_and_link", [main, *objects], [original.bytes] if original and original.bytes else [],
                             compiler="$cc -std=gnu11",
                             depends=original.depends(main) if original else "",
                             flags=f"{self.flags_of('described', deque, 0, main)} {UNRESOLVED}")

        for part, sources in ("deques", self.operations), ("pool", self.pooled):
            tables = [one for one in sources for text in [text_of(one)] if "REGISTER_WORKLOAD" in text or "PARAMETERS_END" in text]
            tables = [*self.objects_once("described", filter(once, tables)),
                      *(self.object("described", "empty", one) for one in tables if not once(one))]
            tables = program(f"{out}/workloads_{part}.program", "empty", [*tables, *describe])
            self.run(f"{out}/workloads_{part}", f"{tables} --describe | grep -E '^(workload|presets|parameter\t[^*])' > $out", [tables])
        for deque in [*self.deques, *self.originals]:
            traits = program(f"{out}/{deque}.program", deque, describe)
            for part in "deques", "pool":
                self.run(f"{self.folder}/described/{part}/{deque}", f"{{ {traits} && cat {out}/workloads_{part}; }} > $out",
                         [traits, f"{out}/workloads_{part}"])
            self.group("described", [f"{self.folder}/described/{part}/{deque}" for part in ("deques", "pool")])

    def room(self, folder):
        for path in sorted(glob.glob(f"{folder}/build.py")):
            specification = importlib.util.spec_from_file_location(f"build_of_{os.path.dirname(path)}", path)
            module = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(module)
            module.add(self)

    def everything(self):
        self.harness()
        self.sources()
        self.room("queues/upstream")
        for deque in [*self.deques, *self.originals]:
            self.of_deque(deque)
        self.items4()
        self.descriptions()
        self.group("all", [f"{self.folder}/stealbench", "deques", "described"])
        for room in ROOMS:
            self.room(room)

    def text(self):
        escaped = {name: value.replace("$", "$$") for name, value in (
            ("cc", self.compiler.cc), ("cxx", self.compiler.cxx), ("cppflags", self.compiler.cppflags), ("ldflags", self.compiler.ldflags),
            ("cppflags_others", re.sub(r"(^| )-I *", r"\1-isystem ", self.compiler.cppflags)), *self.flavours.items())}
        variables = {"builddir": self.folder, "common": COMMON, "depends": "-MMD", **escaped, "linker": "$cxx",
                     "application_libs": self.application_libs, "deque_libs": DEQUE_LIBS}
        rules = [f"rule {name}\n  command = {command}\n  description = $out" + ("\n  depfile = $out.d" if "$out.d" in command else "")
                 for name, command in RULES.items()]
        groups = [f"build {name}: phony {' '.join(dict.fromkeys(targets))}" for name, targets in self.groups.items()]
        return "\n".join([*(f"{name} = {value}" for name, value in variables.items()), *rules, *self.lines, *groups,
                          f"build {self.folder}/build.json: phony", "default all", ""])


def keep_builds(folder, facts, names):
    """Moves a build by other flags aside and one by these back. build.json is moved out last and in first, so that an interrupted move
    never leaves a build with the wrong build.json."""
    def move(start, end, what):
        os.makedirs(end, exist_ok=True)
        for name in what:
            if os.path.exists(f"{start}/{name}") and not os.path.islink(f"{start}/{name}"):
                os.replace(f"{start}/{name}", f"{end}/{name}")

    def place(text):
        return f"{folder}/other_flags/{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    told = f"{folder}/build.json"
    if os.path.exists(told) and text_of(told) != facts:
        move(folder, place(text_of(told)), [*names, "build.json"])
    if not os.path.exists(told) and os.path.isdir(place(facts)):
        move(place(facts), folder, ["build.json", *names])
        os.rmdir(place(facts))
    write(told, facts)


def main():
    folder, targets = os.environ.get("BUILD") or "build", sys.argv[1:]
    try:
        os.makedirs(folder, exist_ok=True)
        lock = open(f"{folder}/.lock", "w", encoding="utf-8")  # pylint: disable=consider-using-with # ninja's, until it ends
    except OSError:
        refuse(f"cannot write into {folder}")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print(f"waiting for another build in {folder}", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)
    build = Build(folder)
    build.everything()
    tops = {path[len(folder) + 1:].split("/")[0] for path in build.made if path.startswith(f"{folder}/")}
    keep_builds(folder, json.dumps(build.compiler.facts()) + "\n", [*sorted(tops), ".ninja_log", ".ninja_deps", "build.ninja"])
    ninja = ["ninja", "-f", f"{folder}/build.ninja"]
    other = write(ninja[2], build.text())
    if not shutil.which("ninja"):
        refuse("ninja is not found (Debian: ninja-build)")
    if other and os.path.exists(f"{folder}/.ninja_log"):
        output_of([*ninja, "-t", "cleandead"])  # what was built of a deque that is gone
    if targets:
        os.set_inheritable(lock.fileno(), True)
        os.execvp("ninja", [*ninja, f"-j{len(os.sched_getaffinity(0))}", *targets])


if __name__ == "__main__":
    main()
