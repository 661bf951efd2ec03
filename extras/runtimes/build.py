"""Other runtimes on the same work, one executable each below build/extras/runtimes, built where what it needs is found.
setup/configure.py loads this, and transplants' build.py some of it.

RUNTIMES_FROM is a folder of other people's checkouts, each by the name that git clone gives it. What lies there is built at its
revision, which the title tells; it comes before what is installed. All is built offline."""

import glob
import os
import re
import shutil

from compiler import kept, output_of

HERE = "extras/runtimes"
CHECKOUTS = {"toomanycooks": "TooManyCooks"}  # others have the runtime's name
CHECKOUT = "a checkout, RUNTIMES_FROM="  # all that a runtime needs of which nothing else is known


def value(name, default=""):
    return os.environ.get(name, default)


def version_in(path, pattern):
    """What a pattern finds in a file, if there is one."""
    if not path or not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return (re.search(pattern, file.read(), re.M) or [None, ""])[1]


class Runtime:
    """here: is what it needs here; needs: where that comes from; half: what another language's compiler makes of its own part."""

    def __init__(self, needs, here, flags="", libs="", half="", cxx=""):
        self.needs, self.here, self.flags, self.libs, self.half, self.cxx = needs, here, flags, libs, half, cxx


class Runtimes:
    def __init__(self, build):
        self.build, self.folder = build, f"{build.folder}/extras/runtimes"
        clangs = [one for one in sorted(glob.glob("/usr/bin/clang++-[12][0-9]")) if not one.endswith(("-13", "-14"))]
        # gcc 12 takes neither libfork's subscripts nor what TooManyCooks awaits: coroutines by the newest clang, if there is one.
        self.coroutines = value("COROUTINES_CXX", (clangs or [""])[-1])
        self.cargo = value("CARGO", "/usr/bin/cargo" if os.path.exists("/usr/bin/cargo") else shutil.which("cargo") or "")
        self.rustc = self.cargo[:-len("cargo")] + "rustc"
        self.registry = value("RAYON_REGISTRY", "/usr/share/cargo/registry")
        self.includes = re.findall(r"-I *(\S+)", build.compiler.cppflags)
        # Our warnings do not apply to other people's headers.
        build.flavours["runtimes"] = " ".join([build.flavours["timed"], *(f"-isystem {one}" for one in self.includes)])

    def checkout(self, name):
        folder = f"{value('RUNTIMES_FROM')}/{CHECKOUTS.get(name, name)}"
        return folder if value("RUNTIMES_FROM") and os.path.isdir(folder) else ""

    def from_flags(self, name):
        folder = self.checkout(name)
        if not folder:
            return ""
        revision = output_of(["git", "-C", folder, "describe", "--tags", "--always"]).strip()
        include = {"lace": f"{self.build.folder}/extras/from/lace/include", "taskflow": folder}.get(name, f"{folder}/include")
        return f"-DRUNTIME_REVISION='\"{revision}\"' -isystem {include}"

    def all(self):
        finds, headers = self.build.compiler.finds, "its headers, CPPFLAGS=-I..."
        libomp = glob.glob("/usr/lib/llvm-*/lib/libomp.so")[:1]
        # Where Lace was installed, a file beside the header tells what no header does.
        lace = [version_in(f"{folder}/../lib/pkgconfig/lace.pc", r"^Version: *(.*)") for folder in self.includes]
        lace_half = f"{self.build.folder}/extras/from/lace/lib/liblace.a" if self.checkout("lace") else ""
        crates = sorted(glob.glob(f"{self.registry}/rayon-[0-9]*/Cargo.toml") + glob.glob(f"{self.registry}/rayon/Cargo.toml"))[:1]
        go = value("GO", shutil.which("go") or "")
        java = value("JAVA_HOME", os.path.realpath(shutil.which("javac") or "").replace("/bin/javac", ""))
        rayon, goroutines = f"{self.build.folder}/obj/runtimes/rayon/libforeign_half.a", f"{self.build.folder}/obj/runtimes/goroutines.a"
        return {
            "onetbb": Runtime("Debian: libtbb-dev", finds("oneapi/tbb/task_group.h"), libs="-ltbb"),
            "openmp": Runtime("the OpenMP of the C++ compiler", finds("omp.h"), "-fopenmp", "-fopenmp"),
            # LLVM's runtime under the same compiler's code.
            "openmp_llvm": Runtime("Debian: libomp-dev", libomp and finds("omp.h"), "-fopenmp",
                                   f"{libomp[0]} -Wl,-rpath,{os.path.dirname(libomp[0])}/" if libomp else ""),
            "taskflow": Runtime(headers, finds("taskflow/taskflow.hpp")),
            "parlaylib": Runtime(headers, finds("parlay/parallel.h")),
            "stdexec": Runtime(headers, finds("exec/static_thread_pool.hpp"), "-std=c++20"),
            "lace": Runtime("its header and library, CPPFLAGS=-I... LDFLAGS=-L...", finds("lace.h"),
                                    f"-DLACE_VERSION='\"{lace[0]}\"'" if lace and lace[0] else "", lace_half or "-llace", lace_half),
            "libfork": Runtime(CHECKOUT, False, "-std=c++2b", cxx=self.coroutines),
            "toomanycooks": Runtime(CHECKOUT, False, cxx=self.coroutines),
            "rayon": Runtime("Debian: librust-rayon-dev cargo rustc", crates and self.cargo and os.path.exists(self.rustc),
                             self.rayon_version(crates), f"{rayon} -ldl", rayon),
            "goroutines": Runtime("Debian: golang-go", go, f"-DGO_VERSION='\"{self.go_version(go)}\"'", goroutines, goroutines),
            # The folder of a JDK, with its compiler, jni.h and the virtual machine as a library.
            "forkjoinpool": Runtime("Debian: default-jdk-headless", all(os.path.exists(f"{java}/{one}") for one in (
                "bin/javac", "include/jni.h", "lib/server/libjvm.so")), f"-isystem {java}/include -isystem {java}/include/linux "
                                    f"-DJAVA_FOLDER='\"{java}\"'", f"-L{java}/lib/server -ljvm -Wl,-rpath,{java}/lib/server",
                                    f"{self.build.folder}/extras/java/ForkJoin.class"),
        }, go, java

    @staticmethod
    def rayon_version(crates):
        return f"-DRAYON_VERSION='\"{version_in(crates[0] if crates else '', r'^version = .(.*).$')}\"'"

    def go_version(self, go):
        state = go and [go, os.stat(os.path.realpath(go)).st_mtime_ns]
        return kept(self.build.folder, state, lambda: output_of([go, "env", "GOVERSION"])).strip()[len("go"):] if go else ""

    def cargo_build(self):
        target = " ".join(f"-C target-cpu={one}" for one in re.findall(r"-march=(\S+)", self.build.compiler.optimise))
        return f"RUSTC={self.rustc} RUSTFLAGS='{target}' {self.cargo} build --quiet --release --offline --target-dir target"

    def halves(self, go, java):
        """What compilers of other languages make."""
        build, folder, classes = self.build, f"{self.build.folder}/obj/runtimes", f"{self.build.folder}/extras/java"
        build.run(f"{folder}/rayon/libforeign_half.a", f"cp -r {HERE}/rayon/. {folder}/rayon && cd {folder}/rayon && {self.cargo_build()} "
                  f"--config 'source.crates-io.replace-with=\"here\"' --config 'source.here.directory=\"{self.registry}\"' && "
                  "cp target/release/libforeign_rayon.a libforeign_half.a",
                  [f"{HERE}/rayon/Cargo.toml", *sorted(glob.glob(f"{HERE}/rayon/src/*.rs"))])
        made = os.path.abspath(folder)
        build.run(f"{folder}/goroutines.a", f"cd {HERE}/goroutines && CC='$cc' CGO_ENABLED=1 GO111MODULE=on GOPROXY=off GOFLAGS=-mod=mod "
                  f"GOTOOLCHAIN=local GOCACHE='{made}/go_cache' {go} build -buildmode=c-archive -o '{made}/goroutines.a' .",
                  sorted(glob.glob(f"{HERE}/goroutines/*")))
        build.run(f"{classes}/ForkJoin.class", f"{java}/bin/javac -Xlint:all -d {classes} $in && touch $out",
                  sorted(glob.glob(f"{HERE}/forkjoinpool/*.java")))
        lace = f"{build.folder}/extras/from/lace"
        build.run(f"{lace}/lib/liblace.a", f"cmake -S '{self.checkout('lace')}' -B {lace}/build -DCMAKE_BUILD_TYPE=Release "
                  f"-DCMAKE_INSTALL_PREFIX='{os.path.abspath(lace)}' -DCMAKE_INSTALL_LIBDIR=lib -DLACE_BUILD_TESTS=OFF "
                  f"-DLACE_BUILD_BENCHMARKS=OFF && cmake --build {lace}/build --target install", [])

    def objects(self, flavour, whose, runtime, source, after=()):
        """main, and the runtime's source, which takes the place of a workload."""
        name = os.path.splitext(os.path.basename(source))[0]
        flags = " ".join(filter(None, [runtime.flags, self.from_flags(name)]))
        return [self.build.object("timed", "once", "harness/deque_main.c"),
                self.build.object(flavour, whose, f"{HERE}/parts/no_deque.c", header="queues/empty.h"),
                self.build.object(flavour, whose, source, header="queues/empty.h", extra=flags, cxx=runtime.cxx, after=after)]

    def inputs(self):
        """What the runtimes work on is made by the same code as for ours."""
        build = self.build
        return build.edge(f"{build.folder}/libapplications.a", "archive",
                          build.objects_once("timed", [one for one in build.below("workloads/applications") if build.once(one)]))


def sources():
    return {os.path.splitext(os.path.basename(path))[0]: path for path in sorted(glob.glob(f"{HERE}/*.c*"))}


def add(build):
    runtimes = Runtimes(build)
    known, go, java = runtimes.all()
    runtimes.halves(go, java)
    left_out = []
    for name, source in sources().items():
        runtime, checkout = known.get(name, Runtime(CHECKOUT, False)), runtimes.checkout(name)
        after = [*([runtime.half] if runtime.half else []), *glob.glob(f"{checkout}/.git/logs/HEAD")]  # built again when the checkout moves
        id_of = f"{name}_runtime" if os.path.exists(f"queues/{name}.h") else name  # a port may have the runtime's name
        objects = [*runtimes.objects("runtimes", id_of, runtime, source, after), runtimes.inputs()]
        made = build.link(f"{runtimes.folder}/{id_of}", "", "", objects, libs=f"{runtime.libs} $application_libs $deque_libs")
        if runtime.here or checkout:
            build.group("runtimes", [made])
        else:
            left_out.append(f"{source}: left out, what it needs is not found: {runtime.needs} (extras/runtimes/README.md)\n")
    build.write(f"{build.folder}/extras/left_out.txt", "".join(left_out))
    build.group("runtimes", [build.run("runtimes_left_out", f"cat {build.folder}/extras/left_out.txt", []), f"{build.folder}/stealbench"])
    steady = build.object("tests", "once", f"{HERE}/tests/runtime_steady_test.c")
    build.link(f"{build.folder}/tests/runtime_steady_test", "", "", [steady], libs="-lcmocka $deque_libs")
