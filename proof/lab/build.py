"""The lab: build/lab/DEQUE; and build/callgrind/DEQUE, whose instructions harness/judging/counts/counts.sh counts.

setup/configure.py loads this. The engine knows nothing of deques, the clients do: operations.c is compiled for each, instrumented."""

import glob

STANDARD = "-std=gnu11 -D_GNU_SOURCE -I."
WARNINGS = "-Wall -Wextra -Wshadow -Wconversion"
PLACE = "-fno-pie -fno-stack-protector"
OPTIMISED = "-O2 -gdwarf-4"  # of DWARF 5 binutils takes the first header for the source
ENGINE, BESIDES = "-O1", "-O0"  # timed by nobody; exploring spends its time in the engine
ALONE = "-Wno-shadow"  # of sources that are compiled together, a name in one may hide another's; apart they must not (tests/build.py)
# gcc would expand known copies in place, where the lab does not see them: they stay calls.
SEEN = "-fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset"
INSTRUMENT = "proof/lab/clients/instrument.sh"
SYMBOLS = "proof/lab/engine/libc_symbols.txt"
CAPACITY = "-DUPSTREAM_FIXED_CAPACITY=128"


class Lab:
    def __init__(self, build):
        self.build, self.folder = build, f"{build.folder}/lab"
        self.c = f"$cc {STANDARD} {OPTIMISED} {PLACE} {SEEN} {build.compiler.quiet_lab}".strip()
        folders = {name: [one for one in sorted(glob.glob(f"proof/lab/{name}/*.c")) if not one.endswith("/operations.c")]
                   for name in ("engine", "clients", "verbs")}
        folders["engine"].append("harness/measuring/random.c")
        # It describes itself as the timed executables do.
        folders["verbs"] += ["harness/measuring/describe.c", "harness/measuring/parameters.c"]
        self.sources = sum(folders.values(), [])
        self.engine, *besides = [self.runtime(name, sources) for name, sources in folders.items()]
        self.objects = [self.engine, *besides]

    def compile(self, out, source, command):
        return self.build.run(out, f"{command} -MMD -MF $out.d -c $in -o $out", [source], depfile=f"{out}.d")

    def runtime(self, name, sources):
        flags = f"{ENGINE if name == 'engine' else BESIDES} {PLACE} {ALONE}"
        return self.build.edge(f"{self.folder}/runtime/{name}.o", "compile_together", sources, compiler="$cc -std=gnu11", flags=flags)

    def deque(self, deque):
        original, out = self.build.originals.get(deque), f"{self.folder}/deques/{deque}.o"
        compiler, shim = self.c, ""
        if original:
            compiler = f"{compiler} {CAPACITY} {original.sized()} {original.place} $cppflags"
            shim = f"$cxx -std=c++20 -D_GNU_SOURCE -I. -DNDEBUG {CAPACITY} {original.place} $cppflags_others {OPTIMISED} {PLACE} {SEEN} " \
                   f"{self.build.compiler.quiet_lab}"
            shim = f"SHIM_COMPILER='{shim}' "
        header = f"queues/{deque}.h"
        self.build.run(out, f"{shim}{INSTRUMENT} {deque} {header} $out {compiler}", [header],
                       after=[INSTRUMENT, SYMBOLS, *([original.bytes] if original and original.bytes else [])], depfile=f"{self.folder}/deques/{deque}.d")
        return self.link(f"{self.folder}/{deque}", [out, *self.objects], "$cxx" if original else "$cc")

    def link(self, out, objects, compiler="$cc"):
        return self.build.run(out, f"{compiler} -no-pie -o $out $in", objects)

    def tests(self):
        """Litmus programs are instrumented like a deque; what judges them is not."""
        litmus = f"{self.folder}/tests/litmus.o"
        self.build.run(litmus, f"{self.c} -MMD -MF $out.d -c $in -o $out.raw && objcopy --redefine-syms={SYMBOLS} $out.raw $out && "
                       "rm -f $out.raw", ["tests/lab/litmus.c"], after=[SYMBOLS], depfile=f"{litmus}.d")
        judge = self.compile(f"{self.folder}/tests/runtime_test.o", "tests/lab/runtime_test.c",
                             f"$cc {STANDARD} {WARNINGS} {OPTIMISED} {PLACE}")
        self.link(f"{self.folder}/tests/runtime_test", [judge, litmus, self.engine])

    def counted(self, deque):
        """Neither instrumented nor native: the same instructions on every machine that has this compiler. A thief that waits until the last
        heavy fence is long enough ago counts how slow the machine is, so here it does not wait."""
        out = f"{self.build.folder}/callgrind/{deque}"
        return self.build.run(out, f"$cc {STANDARD} {WARNINGS} -O3 -march=x86-64-v3 {self.build.compiler.whole} -g -pthread "
                              f"-DDEQUE_FENCE_REST=0 -DDEQUE_HEADER='\"queues/{deque}.h\"' -MMD -MF $out.d $in -o $out",
                              ["harness/judging/counts/instructions.c"], depfile=f"{out}.d")


def add(build):
    lab = Lab(build)
    for deque in [*build.deques, *build.originals]:
        seen = deque not in build.originals or build.originals[deque].lab
        build.group(f"lab/{deque}", [lab.deque(deque)] if seen else [])
        if not seen:
            build.group(f"{build.folder}/lab/{deque}", [])  # who asks for the executable gets none
        build.group(f"check_builds/{deque}", [f"lab/{deque}"])
        build.group("lab", [f"lab/{deque}"])
    build.group("check_builds", ["lab"])
    build.group("all", ["lab"])
    build.group("callgrind", [lab.counted(deque) for deque in build.deques])
    build.group("mutants_runtime", lab.objects)  # proof/mutants links every mutant with these
    build.lab_sources = lab.sources
    lab.tests()
