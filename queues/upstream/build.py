"""Other people's deques: which can be built here, and how. setup/configure.py loads this; README.md says where to get them.

UPSTREAM_FROM names folders with originals, joined by :, that are searched first. Of those that cannot be built,
BUILD/FLAVOUR/upstream/not_built.txt says why, a line each (name, tab, reason), for the driver to repeat. What adopt.py wrote is in
queues/adopted: a shim of the same kind, or the header alone, which names a crate."""

import functools
import glob
import hashlib
import os
import re
import shutil

from compiler import kept, output_of

# name: headers of which one has to be found (| between them) or all (&), and where they come from
ORIGINALS = {
    "eigen_runqueue": ("unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h|eigen3/unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h",
                       "Debian: libeigen3-dev"),
    "taskflow_bounded": ("taskflow/core/wsq.hpp", "Taskflow 4.1 or later: --from=FOLDER"),
    "taskflow_unbounded": ("taskflow/core/wsq.hpp", "Taskflow 4.1 or later: --from=FOLDER"),
    "libvsync_chase_lev": ("vsync/queue/chaselev.h&vsync/atomic.h", "libvsync 4.3 or later: --from=FOLDER"),
    "stdexec_bwos_lifo": ("exec/detail/bwos_lifo_queue.hpp", "stdexec: --from=FOLDER"),
    "libfork_deque": ("libfork/core/ext/deque.hpp", "libfork 3.8: --from=FOLDER"),
    "onetbb": ("src/tbb/arena_slot.h", "oneTBB with pull request 2158: --from=FOLDER"),
    "parlaylib_abp": ("parlay/internal/work_stealing_deque.h", "parlaylib: --from=FOLDER"),
    "toomanycooks": ("tmc/detail/qu_chase_lev64.hpp", "TooManyCooks of June 2026 or later: --from=FOLDER"),
}
IN_RUST = ("crossbeam_lifo", "crossbeam_fifo")
REGISTRY = "/usr/share/cargo/registry"
NOT_IN_LAB = {"toomanycooks": "it accesses one word by two widths, which C11 and so the lab do not know",
              **dict.fromkeys(IN_RUST, "the lab sees no access that Rust's compiler made")}
NOT_IN_THREAD = dict.fromkeys(IN_RUST, "stable rustc does not instrument for ThreadSanitizer")
CRATE = "queues/upstream/crossbeam"


class Original:
    """An original that can be built. place: the compiler's options for the folders of UPSTREAM_FROM."""

    WITHOUT = ("proof/checks/preempt.c",)  # it does something at each access by <stdatomic.h>

    def __init__(self, build, deque, place, tools, rust=False):
        """place: the compiler's options for the folders of the original. tools: what builds it in Rust."""
        self.deque, self.place, self.tools, self.rust_at_all, maker = deque, place, tools, rust, build.compiler.maker
        self.lab = not rust and os.path.basename(deque) not in not_in_lab(build)
        shim = f"queues/{deque}.cc"
        self.shim = shim if os.path.exists(shim) else ""
        # A shim and the workloads become one at link time, so that operations are inlined into the loops that time them. What may
        # throw is inlined only into C that was compiled with exceptions.
        clang = re.search(r"clang version (\d+)|$", build.compiler.version)[1]
        lld = f"-flto=thin -fuse-ld={lld_of(build, clang) or 'lld'} -Qunused-arguments"
        self.at_link_time = "-fexceptions " + (lld if maker == "clang" else "-flto=auto")
        # gcc wonders at an array that is filled as far as it is used and goes to a function it cannot see into.
        self.quiet = "-Wno-maybe-uninitialized" if maker == "gcc" else ""
        self.bytes = self.measured(build) if self.shim or rust and deque.startswith("adopted/") else ""

    def own_crate(self):
        """A crate in a folder of its own, not one of Debian's. It becomes machine code: its operations are calls."""
        return self.tools.get("crate", "") if self.rust_at_all else ""

    def rust(self, flavour):
        """Is it inlined by clang's linker?"""
        return self.rust_at_all and not self.own_crate() and flavour in ("timed", "layout", "items4")

    def measured(self, build):
        """The header that defines UPSTREAM_BYTES, from the size of a symbol."""
        out = f"{build.folder}/bytes/{self.deque}"
        read = "nm -S $out.o | sed -n 's/^[0-9a-f]* \\([0-9a-f]*\\) . upstream_bytes$$/#define UPSTREAM_BYTES 0x\\1/p' > $out"
        if not self.shim:
            return build.run(out, read.replace("$out.o", "$in"), [self.crate(build, "bytes")])
        return build.run(out, f"$cxx -std=c++20 $common -DNDEBUG -w -MD -MF $out.d {self.place} $cppflags_others -c $in -o $out.o && {read}",
                         [self.shim], depfile="$out.d")

    def flags(self, flavour):
        if self.rust(flavour):
            return f"-flto=thin --target={self.tools['target']} -fuse-ld={self.tools['lld']} -Qunused-arguments -gdwarf-4"
        if not self.shim:
            return self.sized()
        more = {"address": "-DUPSTREAM_FIXED_CAPACITY=128", "thread": "-DUPSTREAM_FIXED_CAPACITY=128", "described": ""}
        return " ".join(filter(None, ["-DNDEBUG", self.sized(), self.quiet, more.get(flavour, self.at_link_time)]))

    def sized(self):
        return f"-include {self.bytes}" if self.bytes else ""

    def compiler(self, flavour):
        return self.tools["clang"] if self.rust(flavour) else "$cc"

    def linker(self, flavour):
        return self.tools["clang"].replace("clang", "clang++") if self.rust(flavour) else "$cxx"

    def depends(self, source):
        """What includes an original is compiled anew when a header of it changes (-MD: with system headers)."""
        return f"-MD {self.place}" if source.endswith(".cc") or not self.shim else ""

    def objects(self, build, flavour):
        if self.shim:
            return [build.object(flavour, self.deque, self.shim)]
        return [self.crate(build, flavour)] if self.rust_at_all else []

    def crate(self, build, flavour):
        """A static library: bitcode, which clang's linker inlines into what clang compiled of ours, or machine code (its C side is
        instrumented, the Rust is not)."""
        crate, target, flags = self.own_crate(), self.tools["target"], ""
        whose = os.path.basename(self.deque) if self.deque.startswith("adopted/") else "crossbeam"
        folder = f"{build.folder}/upstream/{whose}/{'machine_code' if crate else flavour}"
        if flavour != "address" and not crate:
            processors = re.findall(r"-march=(\S+)", build.compiler.optimise)
            flags = " ".join(["-C linker-plugin-lto", *(f"-C target-cpu={one}" for one in processors)])
        package = f'path = "{crate}", package = "{name_of_crate(crate)}"'
        where = f"sed -i 's|^crossbeam-deque = .*|crossbeam-deque = {{ {package} }}|' Cargo.toml && " if crate else ""
        registry = "" if crate else f"--config 'source.crates-io.replace-with=\"debian\"' --config 'source.debian.directory=\"{REGISTRY}\"'"
        return build.run(f"{folder}/libupstream.a",
                         f"cp -r {CRATE}/. {folder} && cd {folder} && {where}RUSTC={self.tools['rustc']} RUSTFLAGS='{flags}' "
                         f"{self.tools['cargo']} build --quiet --release --offline --target {target} --target-dir target {registry} && "
                         f"cp target/{target}/release/libupstream.a libupstream.a", [f"{CRATE}/Cargo.toml", f"{CRATE}/src/lib.rs"])


def name_of_crate(folder):
    try:
        with open(f"{folder}/Cargo.toml", encoding="utf-8") as file:
            return (re.search(r'^name *= *"(.*)"', file.read(), re.M) or [None, ""])[1]
    except OSError:
        return ""


def link_folders(build, folders):
    """A link to each of these folders (joined by :), so that no blank in a path reaches a command."""
    links = []
    for folder in filter(None, folders.split(":")):
        folder = os.path.realpath(folder)
        link = f"{build.folder}/upstream/from/{hashlib.sha256(folder.encode()).hexdigest()[:8]}"
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.islink(link):
            os.symlink(folder, link)
        links.append(link)
    return links


def not_in_lab(build):
    of_clang = {"onetbb": "for clang its fence is inline assembly, which the lab does not see"}
    return NOT_IN_LAB | (of_clang if build.compiler.maker == "clang" else {})


def said_by(build, command, pattern):
    """What a pattern finds in what a tool prints, which is kept as long as the tool is the same."""
    path = shutil.which(command[0])
    state = path and [path, os.stat(path).st_mtime_ns, *command[1:]]
    said = kept(build.folder, state, lambda: output_of(command)) if state else ""
    return (re.search(pattern, said, re.M) or [None, ""])[1]


def lld_of(build, llvm):
    """The linker that reads what clang of this LLVM writes for it, as -fuse-ld= names it; "" if there is none."""
    fitting = (name for name in (f"lld-{llvm}", "lld") if said_by(build, [f"ld.{name}", "--version"], r"\bLLD (\d+)") == llvm)
    return next(fitting, "")


def tools_for_crate(build, crate):
    """What builds a crate as machine code; nothing without cargo."""
    rustc, cargo = shutil.which("rustc"), shutil.which("cargo")
    host = said_by(build, ["rustc", "-vV"], r"^host: (.*)")
    return {"rustc": rustc, "cargo": cargo, "crate": os.path.realpath(crate), "target": host} if rustc and cargo else {}


def rust_tools(build, links):
    """({what builds the crate: path}, why not): the Rust compiler's operations are inlined into loops that clang compiled, so the LLVMs
    of both have to be the same."""
    asked = functools.partial(said_by, build)
    crates = [path for link in links for path in glob.glob(f"{link}/crossbeam-deque/Cargo.toml")]
    tools = tools_for_crate(build, os.path.dirname(crates[0])) if crates else {}
    if tools:
        return tools, ""
    if not glob.glob(f"{REGISTRY}/crossbeam-deque-*"):
        return {}, "crossbeam-deque not found; Debian: librust-crossbeam-deque-dev"
    why = "rustc and cargo not found; Debian: rustc cargo"
    for rustc in dict.fromkeys(f"{folder}/rustc" for folder in [*os.environ["PATH"].split(":"), "/usr/bin"]):
        llvm = os.access(rustc, os.X_OK) and asked([rustc, "-vV"], r"^LLVM version: (\d+)")
        if not llvm or not shutil.which(f"{os.path.dirname(rustc)}/cargo"):
            continue
        why = f"clang and lld of LLVM {llvm}, as {rustc} has, not found; Debian: clang lld"
        for clang in f"clang-{llvm}", "clang":
            lld = lld_of(build, llvm)
            if lld and asked([clang, "--version"], r"\bversion (\d+)") == llvm:
                return {"rustc": rustc, "cargo": f"{os.path.dirname(rustc)}/cargo", "clang": clang, "lld": lld,
                        "target": asked([rustc, "-vV"], r"^host: (.*)")}, ""
    return {}, why


def missing_of(build, headers, folders):
    """The last header of "a|b" (one of them) or "a&b" (all of them) that is not there; nothing when there is what is needed."""
    names = re.split("[|&]", headers)
    missing = [name for name in names if not build.compiler.finds(name, *folders)]
    return missing[-1] if missing and ("&" in headers or len(missing) == len(names)) else ""


def adopted(build):
    """{deque: what adopt.py made of somebody's class}, and {name: why it is not built here}."""
    found, absent = {}, {}
    for header in sorted(glob.glob("queues/adopted/*.h")):
        deque = header[len("queues/"):-len(".h")]
        with open(header, encoding="utf-8") as file:
            told = dict(re.findall(r"^ \* (crate|include): (.*)$", file.read(), re.M))
        tools = tools_for_crate(build, told["crate"]) if "crate" in told else {}
        if "crate" in told and not tools:
            absent[os.path.basename(deque)] = "rustc and cargo not found; Debian: rustc cargo"
            continue
        place = " ".join(["" if tools else "-w", *(f"-isystem {link}" for link in link_folders(build, told.get("include", "")))])
        found[deque] = Original(build, deque, place, tools, rust="crate" in told)
    return found, absent


def add(build):
    links = link_folders(build, os.environ.get("UPSTREAM_FROM", ""))
    folders = [f"{link}{below}" for link in links for below in ("", "/include", "/vatomic/include") if os.path.isdir(link + below)]
    place = " ".join(f"-isystem {folder}" for folder in folders)
    absent = {name: f"{missing} not found; {hint}" for name, (headers, hint) in ORIGINALS.items()
              for missing in [missing_of(build, headers, folders)] if missing}
    tools, why = rust_tools(build, links)
    absent.update(dict.fromkeys(IN_RUST if why else (), why))
    here = [name for name in [*ORIGINALS, *IN_RUST] if name not in absent]
    for name in here:
        build.originals[f"upstream/{name}"] = Original(build, f"upstream/{name}", place, tools, name in IN_RUST)
        if "crate" not in tools or name not in IN_RUST:
            build.group("upstream", [f"deques/upstream/{name}"])
    build.group("upstream", [])
    own, no_cargo = adopted(build)
    build.originals.update(own)
    for flavour, also in ("described/deques", {}), ("address", {}), ("thread", NOT_IN_THREAD), ("lab", NOT_IN_LAB):
        in_rust = {os.path.basename(deque): also[IN_RUST[0]] for deque in own if own[deque].rust_at_all and also}
        for whose, reasons in (("upstream", {**{name: reason for name, reason in also.items() if name in here}, **absent}),
                               ("adopted", {**in_rust, **no_cargo})):
            build.write(f"{build.folder}/{flavour}/{whose}/not_built.txt",
                        "".join(f"{name}\t{reason}\n" for name, reason in reasons.items()))
