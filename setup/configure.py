#!/usr/bin/python3
"""configure.py: writes BUILD/build.ninja (BUILD: build), which says how everything is built, and builds.

    setup/configure.py [TARGET...]          writes it; then ninja builds these targets (and takes its options, such as -k0)
    setup/configure.py --leave-out TARGET...        the same; deques that do not compile are named and left out (failed.py)
    ninja -f build/build.ninja -t commands build/deques/fib/weir       asks, once it is written (-t inputs, -t query)

An object's path says how it is compiled: build/obj/FLAVOUR/WHOSE/+VARIANT/SOURCE.o, WHOSE being a deque or "once". Nothing lists
the deques: each header queues/*.h, as_published/*.h and as_shipped/*.h becomes executables. What else a room builds says its build.py.

CC, CXX, OPTIMISE, CPPFLAGS, LDFLAGS, PREFIX and BUILD come from the environment. A build by other flags waits in BUILD/other_flags.
"""

import fcntl
import functools
import glob
import importlib.util
import json
import os
import re
import shutil
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compiler import PLACED, Compiler, keep_builds, output_of, read, refuse, write  # noqa: E402
from failed import leave_out  # noqa: E402

# What is compiled for each deque, and of that, what is compiled in every variant of code. Everything else is compiled once.
FOR_EACH_DEQUE = ("workloads/latency/", "workloads/contention/contention.c", "workloads/contention/variants/",
                  "workloads/forks/", "workloads/pool/pool.c", "proof/checks/conformance.c", "proof/checks/stress.c",
                  "proof/checks/preempt.c", "proof/checks/pool_places.c", "harness/trust/handwritten",
                  "tests/scripted/machine.c", "tests/numa/placed.c", "queues/upstream/", "queues/adopted/")
TOGETHER = "workloads/latency/"  # the microbenchmarks: one compilation, but for the loops that are timed
IN_VARIANTS = ("workloads/latency/variants/", "workloads/contention/variants/")
FOLDER_EACH = ("workloads/latency", "workloads/contention")  # families of workloads; below these each workload is one of its own:
WORKLOAD_EACH = ("workloads/forks", "workloads/applications")
ROOMS = ["harness", "proof/lab", "harness/trust", "tests", "extras/*"]  # and before them queues/upstream, which adds deques

# harness/measuring, as it is compiled together: what neither times nor waits, and what the driver times by, too.
FACTS = ("describe", "parameters", "places")
DRIVER_TIMES = ("cell", "clock", "counters", "distance", "random", "watch")
# A warning stops no build, because the next compiler has new ones; tests/run.sh fails on each.
COMMON = "-D_GNU_SOURCE -I. -pthread -Wall -Wextra -Wshadow -Wconversion"
# Where compiling takes longer than running: also under a sanitizer, which checks each access of the source.
CALLED = "-O0 -DDEQUE_CALLED"
SANITIZED = CALLED + " -g1 -fno-omit-frame-pointer -fsanitize={} -DWATCH_GAP=10000000 -DPOOL_CHECK_OWNER {}"
# What is compiled together where nobody times it: most of the time that a small source takes goes into the headers of the system.
# Of what is compiled once a folder's sources; of the deque's own under a sanitizer these. None of it is optimised.
ONCE_TOGETHER = ("workloads/pool", "proof/checks")
POOL_CHECKS = ["workloads/pool/pool.c", "proof/checks/pool_places.c"]
OF_SANITIZERS = "proof/checks/known_fault.c"
HASHES_TREES = "workloads/applications/uts/"  # by a library, if it is there
DRIVER_LIBS = "-ljansson -lhwloc -lpthread -lm -ldl"
DEQUE_LIBS = "-lhwloc -lpthread -lm -ldl"
USUAL = {"depends": "-MMD", "linker": "$cc", "compiler": "$cc -std=gnu11", "libs": "$deque_libs"}
RULES = {
    "compile": "$compiler $common $depends -MF $out.d $flags -c $in -o $out",
    "compile_and_link": "$compiler $common $depends -MF $out.d $flags $in $ldflags -o $out",
    "compile_together": "printf '#include \"%s\"\\n' $in > $out.c && touch -d @0 $out.c && "
                        "$compiler $common $depends -MF $out.d $flags -c $out.c -o $out",  # ninja 1.12: not newer than this command
    "archive": "rm -f $out && ar rcs $out $in",
    "list": "printf '%s\\n' $in > $out",
    "link": "$linker $flags -o $out $$(cat /dev/null $lists) $in $ldflags $libs",
    "link_laid_out": "setup/layout.sh $number $$(cat $lists) $in > $out.ld && "
                     "$linker $flags -o $out -Wl,-T,$out.ld $$(cat $lists) $in $ldflags $libs",
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


def together(source):
    return source.startswith(TOGETHER) and not varied(source)


def libs_of(sources):
    return "$application_libs $deque_libs" if any(source.startswith(HASHES_TREES) for source in sources) else "$deque_libs"


@functools.lru_cache(None)
def parted(sources):
    """Those that are compiled once, and those for each deque."""
    return [one for one in sources if once(one)], [one for one in sources if not once(one)]


text_of = functools.lru_cache(None)(read)


def with_included(sources):
    """These sources, and those beside the headers that they include; of the pool all."""
    found, left = set(), list(sources)
    while left:
        path = left.pop()
        if path not in found and os.path.exists(path):
            found.add(path)
            for name in re.findall(r'^#include "(workloads/.*)\.h"', text_of(path), re.M):
                left += [f"{name}.h", f"{name}.c", *(below("workloads/pool") if name.startswith("workloads/pool/") else [])]
    return sorted(path for path in found if path.endswith(".c"))


class Build:
    """The lines of build.ninja, as they come into being. A room's build.py gets this."""

    below, once, varied, together, write = map(staticmethod, (below, once, varied, together, write))

    def __init__(self, folder, all_variants):
        self.folder, self.compiler = folder, Compiler(folder)
        self.variants = range(1, len(self.compiler.variants) if all_variants else 1)
        self.lines, self.made, self.groups, self.originals, self.compiled = [], set(), {}, {}, {}
        timed, quiet = f"{self.compiler.optimise} -g1", self.compiler.quiet
        self.flavours = {  # how an object is compiled
            "harness": "-O2 -g1", "driver": "-O0 -g1", "tests": "-O1 -g1", "described": "-O0 -w", "timed": timed,
            "layout": f"{timed} {PLACED.split()[0]}", "pool_checks": f"{CALLED} -g1",
            "items4": f"{timed} -DDEQUE_ITEM=uint32_t",
            "address": SANITIZED.format("address,undefined -fno-sanitize-recover=all", quiet), "thread": SANITIZED.format("thread", quiet),
        }
        self.same_once = {"items4": "timed", "layout": "timed"}  # whose objects that are compiled once it uses
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
            self.lines += [f"  {name} = {value}" for name, value in variables.items() if value and value != USUAL.get(name)]
        return out

    def run(self, out, command, inputs, **more):
        """A command of its own, in which $in and $out mean what they do in a rule of ninja's."""
        command = command.replace("$in", " ".join(inputs)).replace("$out", out)
        return self.edge(out, "run", inputs, command=command, **more)

    def group(self, name, targets):
        self.groups.setdefault(name, []).extend(targets)

    def flags_of(self, flavour, whose, number, source, header="", extra=""):
        original, flags = self.originals.get(whose), [f"${flavour}"]
        if (flavour, whose) == ("timed", "once"):
            flags.append(PLACED)  # begins a cache line, so that no edit of a deque moves an application's loop within its line
        if original:
            flags.append(original.flags(flavour))
        flags.append(extra)
        if source.startswith("proof/checks/") and not source.endswith("/stress.c"):
            flags.append(CALLED)  # compiling takes longer than running; stress alone is optimised as the timed deque is
        if varied(source) or flavour == "layout":
            variant = self.compiler.variants[number % len(self.compiler.variants)]
            # Of a deque that another compiler optimises at link time (Rust), variants differ only in where the code lies.
            flags.append("" if variant == "plain" or original and original.rust(flavour) else variant)
        if whose != "once":
            flags.append(f"-DDEQUE_HEADER='\"{header or f'queues/{whose}.h'}\"' -DDEQUE_ID='\"{whose}\"'")
        return " ".join(["$cppflags_others" if source.endswith(".cc") else "$cppflags", *filter(None, flags)])

    def object(self, flavour, whose, source, number=0, header="", extra="", cxx="", after=(), together=()):
        out = f"{self.folder}/obj/{flavour}/{whose}/+{number}/{source.rpartition('.')[0]}.o"
        if out in self.made:
            return out
        original = self.originals.get(whose)
        compiler = f"{original.compiler(flavour) if original else '$cc'} -std=gnu11"
        if source.endswith(".cc"):
            compiler = f"{cxx or '$cxx'} -std=c++{17 if source.startswith('harness/') else 20}"
        after = [*after, *([original.bytes] if original and original.bytes else [])]
        return self.edge(out, "compile_together" if together else "compile", together or [source], after, compiler=compiler,
                         depends=original.depends(source) if original else "",
                         flags=self.flags_of(flavour, whose, number, source, header, extra))

    def objects_once(self, flavour, sources):
        sources = tuple(sources)
        if (flavour, sources) not in self.compiled:
            folders = ONCE_TOGETHER if flavour in ("address", "thread", "pool_checks") else ()
            made = [self.object_together(flavour, name, [one for one in sources if one.startswith(name)])
                    for name in folders if any(one.startswith(name) for one in sources)]
            made += [self.object(flavour, "once", source) for source in sources if not source.startswith(folders)]
            self.compiled[flavour, sources] = made
        return self.compiled[flavour, sources]

    def list_once(self, flavour, sources):
        """The names of these objects in a file for the linker, new when one of them is: thousands of executables have the same ones."""
        made = self.objects_once(flavour, sources)
        name = f"{zlib.crc32(' '.join(made).encode()):08x}"
        return [self.edge(f"{self.folder}/obj/{flavour}/{name}.list", "list", made)] if made else []

    def object_together(self, flavour, name, sources):
        """One object of these."""
        out = f"{self.folder}/obj/{flavour}/once/{name}.o"
        return self.edge(out, "compile_together", sources, compiler="$cc -std=gnu11", flags=f"$cppflags ${flavour}")

    def objects_of(self, flavour, whose, sources, number=0, once_as="", **how):
        """What a deque's executable is linked from. What does not depend on the deque comes first, so that it stays in place when the
        deque changes."""
        original, (shared, own) = self.originals.get(whose), parted(tuple(sources))
        own = [source for source in own if not (original and source in original.WITHOUT)]
        at_once = {"microbenchmarks.c": list(filter(together, own))}
        if flavour in ("address", "thread") and POOL_CHECKS[1] in own:
            at_once["pool_checks.c"] = POOL_CHECKS
        alone = [source for source in own if not any(source in sources for sources in at_once.values())]
        main = self.object("timed", "once", "harness/deque_main.c")
        return [main, *self.list_once(once_as or self.same_once.get(flavour, flavour), shared),
                *(self.object(flavour, whose, source, number if varied(source) or flavour == "layout" else 0, **how) for source in alone),
                *(self.object(flavour, whose, name, together=sources, **how) for name, sources in at_once.items() if sources),
                *(original.objects(self, flavour) if original else [])]

    def link(self, out, flavour, whose, objects, after=(), order=(), layout=0, libs="$deque_libs"):
        original = self.originals.get(whose)
        flags = " ".join([f"${flavour}" if flavour else "", original.flags(flavour) if original else ""])
        lists, objects = [one for one in objects if one.endswith(".list")], [one for one in objects if not one.endswith(".list")]
        how, after = ("link_laid_out", [*lists, *after, "setup/layout.sh"]) if layout else ("link", [*lists, *after])
        return self.edge(out, how, [*objects, *self.library], after, order, flags=flags, number=layout, libs=libs, lists=" ".join(lists),
                         linker=original.linker(flavour) if original else "" if whose else "$cxx")

    def executable(self, folder, flavour, whose, sources, first=(), **how):
        return self.link(f"{self.folder}/{folder}/{whose}", flavour, whose, [*first, *self.objects_of(flavour, whose, sources, **how)],
                         libs=libs_of(sources))

    def in_variants(self, folder, flavour, whose, sources, **how):
        """An executable FOLDER/WHOSE, and the other variants of its code, FOLDER.NUMBER/WHOSE (docs/measuring.md): the measured loops by
        other flags. Of the pool all code that depends on the deque is, and all functions stand in another order at other offsets. They are
        linked after the first, and whenever it is: the driver takes an older one for one of other sources."""
        made, pooled = [self.executable(folder, flavour, whose, sources, **how)], "workloads/pool/pool.c" in sources
        for number in self.variants:
            flavour_here = "layout" if pooled else flavour
            made.append(self.link(f"{self.folder}/{folder}.{number}/{whose}", flavour_here, whose,
                                  self.objects_of(flavour_here, whose, sources, number, **how), after=made[:1], layout=pooled and number,
                                  libs=libs_of(sources)))
        return made

    # --- what is built

    def harness(self):
        self.measuring = [one for one in below("harness/measuring") if one.endswith(".c")]
        named = {os.path.basename(one)[:-2]: one for one in self.measuring}
        self.facts = self.object_together("driver", "facts", map(named.pop, FACTS))
        driver_times = self.object_together("harness", "driver_times", map(named.pop, DRIVER_TIMES))
        times = self.object_together("harness", "times", named.values())
        self.library = [self.edge(f"{self.folder}/libmeasuring.a", "archive", [self.facts, driver_times, times])]
        google = self.edge(f"{self.folder}/gbench.so", "compile_and_link", ["harness/measuring/gbench.cc"], compiler="$cxx -std=c++17",
                           flags="$cppflags_others $harness -fPIC -shared -Wl,--no-as-needed -lbenchmark")
        self.group("google", [google])
        self.sanitized_harness = {flavour: [self.object_together(flavour, "measuring", self.measuring)] for flavour in ("address", "thread")}
        self.driver = [self.object("driver", "once", "harness/driver/stealbench.c")]
        self.edge(f"{self.folder}/stealbench", "link", [*self.driver, self.facts, driver_times], libs=DRIVER_LIBS)

    def sources(self):
        """Which sources each executable of a deque has. Each holds one family of workloads, and only what its cells depend on, because its
        bytes are part of their identity: editing an application voids no cell of push, and editing a check voids no cell. Of the
        checks one comes before a deque is timed; the others are apart, and so is the pool's, which tests/run.sh has over few deques."""
        self.families = {os.path.basename(folder): below(folder) for folder in FOLDER_EACH}
        for source in below(*WORKLOAD_EACH):
            if "REGISTER_WORKLOAD(" in text_of(source):
                folder = os.path.dirname(source)
                own = [source] if folder in WORKLOAD_EACH else below(folder)
                self.families[os.path.basename(source)[:-2]] = with_included(own)
        self.checks = [f"proof/checks/{name}.c" for name in ("conformance", "verdict")]
        verdict, pooled = self.checks[1], [one for one in below("proof/checks") if os.path.basename(one).startswith("pool")]
        self.stress = [one for one in below("proof/checks") if one not in (self.checks[0], OF_SANITIZERS, *pooled)]
        self.pool_checks = [*pooled, verdict, *below("workloads/pool")]

    def of_deque(self, deque):
        checks = self.executable("checks", "timed", deque, self.checks)
        stress = self.executable("stress", "timed", deque, self.stress)
        pool_checks = self.executable("pool_checks", "timed", deque, self.pool_checks, once_as="pool_checks")
        timed = [self.in_variants(f"deques/{family}", "timed", deque, sources)[0] for family, sources in self.families.items()]
        checked = sorted({OF_SANITIZERS, *self.checks, *self.stress, *self.pool_checks})
        # Threads that give way show a sanitizer what threads at full speed would, but those of an original cannot; conformance has one.
        if deque not in self.originals:
            checked.remove("proof/checks/stress.c")
        sanitized = [self.executable("address", "address", deque, checked)]
        if deque not in self.originals or not self.originals[deque].rust_at_all:
            of_threads = [one for one in checked if one != "proof/checks/conformance.c"]
            sanitized.append(self.executable("thread", "thread", deque, of_threads))
        for flavour, harness in self.sanitized_harness.items():
            self.executable(f"{flavour}_workloads", flavour, deque, below("workloads"), first=harness)
        self.group("deques", [f"deques/{deque}"])
        self.group(f"deques/{deque}", [*timed, checks, stress, pool_checks])
        self.group(f"plain_checks/{deque}", [checks, stress])
        self.group("original_checks", [checks, stress] if deque in self.originals else [])
        self.group(f"check_builds/{deque}", [checks, stress, pool_checks, *sanitized])
        self.group("check_builds", [f"check_builds/{deque}"])

    def items4(self):
        """The deques that can carry items of 4 bytes. Intrusive ones cannot; their cells with item=4 are unsupported."""
        texts = {deque: text_of(f"queues/{deque}.h") for deque in self.deques}
        intrusive = [deque for deque, text in texts.items() if re.search(r"^#define DEQUE_NATIVE.*DEQUE_LISTS", text, re.M)]
        intrusive += [deque for deque, text in texts.items() if any(f'#include "{one}.h"' in text for one in intrusive)]
        for deque in [*self.deques, *self.originals]:
            made = self.in_variants("deques/items4", "items4", deque, self.families["contention"])
            if deque not in intrusive and deque not in self.originals:
                self.group("items4", made[:1])

    def room(self, folder):
        for path in sorted(glob.glob(f"{folder}/build.py")):
            specification = importlib.util.spec_from_file_location(f"build_of_{os.path.dirname(path)}", path)
            module = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(module)
            module.add(self)

    def text(self):
        escaped = {name: value.replace("$", "$$") for name, value in (
            ("cc", self.compiler.cc), ("cxx", self.compiler.cxx), ("cppflags", self.compiler.cppflags), ("ldflags", self.compiler.ldflags),
            ("cppflags_others", re.sub(r"(^| )-I *", r"\1-isystem ", self.compiler.cppflags)), *self.flavours.items())}
        variables = {"builddir": self.folder, "common": COMMON, **escaped,
                     "application_libs": self.application_libs, "deque_libs": DEQUE_LIBS, **USUAL}
        rules = [f"rule {name}\n  command = {command}\n  description = $out" + ("\n  depfile = $out.d" if "$out.d" in command else "")
                 for name, command in RULES.items()]
        groups = [f"build {name}: phony {' '.join(dict.fromkeys(targets))}" for name, targets in self.groups.items()]
        return "\n".join([*(f"{name} = {value}" for name, value in variables.items()), *rules, *self.lines, *groups,
                          f"build {self.folder}/build.json: phony", "default all", ""])


def everything(folder, all_variants):
    build = Build(folder, all_variants)
    build.harness()
    build.sources()
    build.room("queues/upstream")
    for deque in [*build.deques, *build.originals]:
        build.of_deque(deque)
    build.items4()
    build.group("all", [f"{folder}/stealbench", "google", "deques", "described"])
    for room in ROOMS:
        build.room(room)
    return build


def main():
    folder, targets = os.environ.get("BUILD") or "build", [word for word in sys.argv[1:] if word != "--leave-out"]
    os.environ.update(LC_ALL="C", NINJA_STATUS="building %f of %t: ")
    try:
        os.makedirs(folder, exist_ok=True)
        lock = open(f"{folder}/.lock", "w", encoding="utf-8")  # pylint: disable=consider-using-with # ninja's, until it ends
    except OSError:
        refuse(f"cannot write into {folder}: clone or copy the suite to a folder that you may write to")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print(f"waiting for another build in {folder}", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)
    build = everything(folder, any(re.search(r"\.\d/|^trust$", target) for target in targets))
    name = "variants.ninja" if build.variants else "build.ninja"
    if any(target.startswith("described_workload/") and target not in build.groups for target in targets):
        targets = ["described_families", *(target for target in targets if not target.startswith("described_workload/"))]
    tops = {path[len(folder) + 1:].split("/")[0] for path in build.made if path.startswith(f"{folder}/")}
    keep_builds(folder, json.dumps(build.compiler.facts()) + "\n", [*sorted(tops), ".ninja_log", ".ninja_deps", "build.ninja", "variants.ninja"])
    ninja = ["ninja", "-f", f"{folder}/{name}", f"-j{len(os.sched_getaffinity(0))}"]
    if not shutil.which("ninja"):
        refuse("ninja is not found (Debian: ninja-build)")
    known = os.path.exists(ninja[2])
    if write(ninja[2], build.text()) and known:
        write(f"{folder}/variants.ninja", (build if build.variants else everything(folder, True)).text())
        output_of(["ninja", "-f", f"{folder}/variants.ninja", "-t", "cleandead"])  # what was built of a deque that is gone
    if not targets:
        return
    if "--leave-out" not in sys.argv:
        os.set_inheritable(lock.fileno(), True)
        os.execvp("ninja", [*ninja, *targets])
    leave_out(ninja, folder, targets)


if __name__ == "__main__":
    main()
