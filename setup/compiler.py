"""compiler.py: what a build has to know of its compiler and its flags, each set of which keeps its build. configure.py asks for it.

Which flags the compiler knows and where it looks for headers is asked once and kept in BUILD/compilers: the answers take longest.
"""

import glob
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys

# The variants of the measured loops: flags that must not matter, but may change the machine code. The plain one comes first.
# A variant with a flag that the compiler does not know is the plain code at another address.
GAP = "-DOPERATION_GAP"
VARIANTS = {
    "gcc": ["plain", f"-falign-loops=64 {GAP}", "-fno-tree-pre", f"-fno-gcse {GAP}", f"-fno-schedule-insns2 {GAP}", f"-fno-ivopts {GAP}",
            "-funroll-loops", f"-fno-reorder-blocks -fno-tree-loop-im {GAP}"],
    "clang": ["plain", f"-falign-loops=64 {GAP}", "-mllvm -enable-pre=false", f"-mllvm -enable-load-pre=false {GAP}",
              f"-mllvm -disable-post-ra {GAP}", f"-mllvm -disable-lsr {GAP}", "-funroll-loops", f"-mllvm -regalloc=basic {GAP}"],
}
# Functions that do not depend on the deque begin a cache line.
PLACED = "-ffunction-sections -falign-functions=64"
# With ThreadSanitizer gcc warns of every fence; no happens-before here comes from a fence alone. With either sanitizer it
# reports variables set after an instrumented access as maybe uninitialized.
QUIET = "-Wno-tsan -Wno-maybe-uninitialized"
# callgrind counts a jump into a part that gcc has split off (NAME.cold) as a call.
WHOLE = "-fno-reorder-blocks-and-partition"
# Optional headers, each used by one file (__has_include).
OPTIONAL_HEADERS = ["openssl/sha.h", "xxhash.h"]
LIBRARIES = ["hwloc", "jansson", "benchmark", "cmocka", "libcrypto", "libxxhash"]
# The compiler's macros of instruction sets, and Linux's names of these.
INSTRUCTIONS = {f"__{name.upper()}__": name for name in ("sse4_1 sse4_2 popcnt movbe bmi2 fma avx avx2 avx512f avx512dq avx512bw "
                                                         "avx512vl avx512cd").split()}
INSTRUCTIONS.update({"__BMI__": "bmi1", "__ARM_FEATURE_ATOMICS": "atomics", "__ARM_FEATURE_SVE": "sve"})


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(3)


def output_of(command):
    """What a command prints; nothing if it fails or does not exist."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def kept(build, question, ask):
    """What ask() gives, or gave when the question was the same."""
    name = hashlib.sha256(f"{question} {read(__file__)}".encode()).hexdigest()[:20]
    path = os.path.join(build, "compilers", name)
    try:
        return json.loads(read(path))
    except (OSError, ValueError):
        answer = ask()
    write(path, json.dumps(answer))
    return answer


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Writes a file unless it holds that text; says whether it did."""
    if os.path.exists(path) and read(path) == text:
        return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)
    return True


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
    if os.path.exists(told) and read(told) != facts:
        move(folder, place(read(told)), [*names, "build.json"])
    if not os.path.exists(told) and os.path.isdir(place(facts)):
        move(place(facts), folder, ["build.json", *names])
        os.rmdir(place(facts))
    write(told, facts)


class Compiler:
    """CC with its flags, and what was found out about it."""

    def __init__(self, build):
        given = {name: os.environ.get(name, "") for name in ("CC", "CXX", "OPTIMISE", "CPPFLAGS", "LDFLAGS", "PREFIX")}
        for name, value in given.items():
            try:
                shlex.split(value)
            except ValueError:
                refuse(f"{name}: the shell cannot read {value}")
        self.cc = given["CC"] or "gcc"
        self.cxx = given["CXX"] or self._cxx_like()
        self.optimise = given["OPTIMISE"] or "-O3 -march=native"
        self.version = (output_of([*self.cc.split(), "--version"]).splitlines() or [""])[0]
        self.maker = "clang" if "clang" in self.version else "gcc"
        self.cppflags, self.ldflags = given["CPPFLAGS"], given["LDFLAGS"]
        known = self._known(build, given)
        for folder in known["folders"]:
            self._add_folder(folder)
        self.quiet, self.quiet_lab, self.whole = known["quiet"], known["quiet_lab"], known["whole"]
        self.variants, self.instructions, self._search = known["variants"], known["instructions"], known["search"]
        self.headers = [header for header in OPTIONAL_HEADERS if self.finds(header)]

    def _cxx_like(self):
        """The C++ compiler of the same make as CC, if it is installed: one links what the other instruments."""
        like = self.cc.replace("clang", "clang++") if "clang" in self.cc else self.cc.replace("gcc", "g++")
        return like if like != self.cc and shutil.which(like) else "g++"

    def _known(self, build, given):
        """The answers of an earlier time, unless compiler, flags, processor or installed libraries are others."""
        folders = [*os.environ.get("PKG_CONFIG_PATH", "").split(":"), *glob.glob("/usr/*/pkgconfig"), *glob.glob("/usr/*/*/pkgconfig")]
        libraries = [(folder, os.stat(folder).st_mtime_ns) for folder in folders if os.path.isdir(folder)]
        return kept(build, [given, shutil.which(self.cc.split()[0]), self.version, libraries, self._processor()], self._ask)

    def _ask(self):
        self.known = self._compiles(" ".join([QUIET, WHOLE, *VARIANTS[self.maker][1:]]))  # one question instead of ten
        variants = [one if one == "plain" or self._knows(one) else "plain" for one in VARIANTS[self.maker]]
        return {"variants": variants, "quiet": QUIET if self._knows(QUIET) else "", "whole": WHOLE if self._knows(WHOLE) else "",
                "quiet_lab": "-Wno-tsan" if self.maker == "gcc" else "", "folders": self._folders(),
                "instructions": self._instructions(), "search": self._search_path()}

    def _knows(self, flags):
        return self.known or self._compiles(flags)

    def _compiles(self, flags):
        return subprocess.run([*self.cc.split(), "-Werror", *flags.split(), "-x", "c", "-c", "/dev/null", "-o", "/dev/null"],
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    @staticmethod
    def _folders():
        """Folders of libraries where the compiler does not look by itself: below PREFIX, or known to pkg-config (modules, Spack)."""
        prefix = os.environ.get("PREFIX")
        found = {f"-I{prefix}/include", f"-L{prefix}/lib"} if prefix else set()
        for library in LIBRARIES if shutil.which("pkg-config") else []:
            found.update(output_of(["pkg-config", "--cflags-only-I", "--libs-only-L", library]).split())
        return sorted(found)

    def _add_folder(self, folder):
        if folder.startswith("-I") and folder not in self.cppflags.split():
            self.cppflags = f"{folder} {self.cppflags}".strip()
        if folder.startswith("-L") and folder not in self.ldflags.split():
            self.ldflags = f"{folder} -Wl,-rpath,{folder[2:]} {self.ldflags}".strip()

    def _search_path(self):
        """The folders in which the compiler looks for headers, without those of CPPFLAGS."""
        said = subprocess.run([*self.cc.split(), "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"}).stderr
        return [line.strip() for line in said.partition("#include <...>")[2].partition("End of search")[0].splitlines()[1:]]

    def finds(self, header, *more):
        """Does the compiler find this header, looking into these folders, too?"""
        words = shlex.split(self.cppflags)
        given = [word[2:] for word in words if word.startswith("-I")] + [after for word, after in zip(words, words[1:])
                                                                         if word in ("-I", "-isystem", "-idirafter")]
        return any(os.path.exists(os.path.join(folder, header)) for folder in [*given, *more, *self._search] if folder)

    @staticmethod
    def _processor():
        try:
            with open("/proc/cpuinfo", encoding="utf-8") as file:
                return next((line.partition(":")[2].split() for line in file if line.startswith(("flags", "Features"))), [])
        except OSError:
            return []

    def _instructions(self):
        """The instruction sets that the executables need, which the driver checks before it starts one. A virtual machine's kernel may
        not list a set that its processor has: a build for this very processor does not ask for it."""
        said = output_of([*self.cc.split(), *shlex.split(self.optimise), "-dM", "-E", "-x", "c", "/dev/null"])
        macros = {line.split()[1] for line in said.splitlines() if len(line.split()) > 1}
        here = self._processor() if "native" in self.optimise else []
        return sorted(name for macro, name in INSTRUCTIONS.items() if macro in macros and (not here or name in here))

    def facts(self):
        """For build.json, which a run's manifest quotes."""
        return {"compiler": self.cc, "version": self.version, "flags": self.optimise, "cppflags": self.cppflags, "cxx": self.cxx,
                "headers": " ".join(self.headers), "variants": " ".join(one.replace(" ", "+") for one in self.variants),
                "placed": PLACED, "instructions": " ".join(self.instructions)}
