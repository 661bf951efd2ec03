"""crates.py: Rayon, a host made of crates: its workers' deque is the crate crossbeam-deque, in whose place cargo takes ours
(rayon/, by [patch.crates-io]). The host's own files stay as they are.

FOLDER is a checkout, or a folder of crates: Debian's /usr/share/cargo/registry, or what `cargo vendor` made. build/extras/hosts/rayon
has own/ and ours/, each with source/ (the copy), half/ (extras/runtimes/rayon) and .cargo/config.toml (the patch). Both
are compiled once: a deque of ours is a library to the tests, LIBRARY, and an object to the program, which is linked last.

An item has two words. NAME has them in the deque's slots, NAME_cells a pointer to a cell of the owner's in their place.
"""

import json
import os
import re
import shutil
from pathlib import Path

from export import header
from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, Problem

HERE = Path(__file__).resolve().parent
HALF = HERE.parent / "runtimes" / "rayon"
OWN, OURS, CELLS, LIBRARY = "own", "ours", "_cells", "libtransplant.so"
# Those of our deques that can have two words in a slot: what a thief reads before its claim it forgets when the claim fails,
# or it reads after the claim. The others publish an item by its slot.
TWO_WORDS = {"abp", "bwos_lifo", "chase_lev", "lace", "st3", "taskflow_unbounded", "the", "weir"}
MEMBERS = 'members = ["rayon-demo", "rayon-core"]'  # the demo needs what a checkout does not have


def registry():
    return Path(os.environ.get("RAYON_REGISTRY", "/usr/share/cargo/registry"))


def cargo():
    """The cargo and rustc that the build of extras/runtimes takes, or None."""
    found = os.environ.get("CARGO") or ("/usr/bin/cargo" if Path("/usr/bin/cargo").exists() else shutil.which("cargo"))
    return found if found and Path(found).with_name("rustc").exists() else None


def crate(folder, name):
    """The folder of the crate in a folder of crates, or None."""
    versions = sorted(folder.glob(f"{name}-[0-9]*/Cargo.toml")) or sorted(folder.glob(f"{name}/Cargo.toml"))
    return versions[-1].parent if versions else None


def parts(source):
    """(rayon's folder, rayon-core's), whether it is a checkout or a folder of crates."""
    if (source / "rayon-core" / "Cargo.toml").exists() and (source / "Cargo.toml").exists():
        return source, source / "rayon-core"
    found = crate(source, "rayon"), crate(source, "rayon-core")
    if None in found:
        raise Problem(f"{source} is neither a checkout of Rayon nor a folder of crates with rayon and rayon-core", EXIT_MISSING)
    return found


def version(folder):
    found = re.search(r'^version = "(.*)"', (folder / "Cargo.toml").read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else "?"


def as_root(text, checkout):
    """The host's Cargo.toml as the root of a workspace of the two crates."""
    if not checkout:
        return text + '\n[workspace]\nmembers = ["rayon-core"]\n'
    if text.count(MEMBERS) != 1:
        raise Problem(f"Rayon's Cargo.toml has {text.count(MEMBERS)} times, not once: {MEMBERS}", EXIT_MISSING)
    return text.replace(MEMBERS, 'members = ["rayon-core"]')


def config(ours):
    patch = '[patch.crates-io]\nrayon = { path = "source" }\nrayon-core = { path = "source/rayon-core" }\n' + \
        ('crossbeam-deque = { path = "crossbeam-deque" }\n' if ours else "")
    return f'[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "{registry().resolve()}"\n{patch}'


def write(path, text):
    """Keeps what is the same, so that it is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def copy(source, folder, made_of, ours):
    """Makes own/ or ours/, anew if the host has changed; what cargo built stays as long as it is the same."""
    rayon, core = parts(source)
    stamp = folder / "made_of"
    if not stamp.exists() or stamp.read_text() != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        leave = shutil.ignore_patterns(".git", "target", "Cargo.lock", ".cargo-checksum.json")
        shutil.copytree(rayon, folder / "source", ignore=leave)
        if rayon == source:
            shutil.rmtree(folder / "source" / "rayon-demo", ignore_errors=True)
        else:
            shutil.copytree(core, folder / "source" / "rayon-core", ignore=leave)
        if ours:
            shutil.copytree(crate(registry(), "crossbeam-deque"), folder / "original", ignore=leave)
        root = folder / "source" / "Cargo.toml"
        root.write_text(as_root(root.read_text(encoding="utf-8"), rayon == source), encoding="utf-8")
        stamp.write_text(made_of)
    write(folder / ".cargo" / "config.toml", config(ours))
    for name, origin in ((("crossbeam-deque", HERE / "rayon"),) if ours else ()) + (("half", HALF),):
        for path in (path for path in origin.rglob("*") if path.suffix in (".toml", ".rs")):
            write(folder / name / path.relative_to(origin), path.read_text(encoding="utf-8"))


def put(deque, folder):
    """The glue and the deque for it, of a NAME or NAME_cells."""
    name = deque.removesuffix(CELLS)
    item = "" if deque != name else "unsigned __int128"
    try:
        text = header.export(name, "transplant", item)
    except header.CannotExport as why:
        raise Problem(str(why), EXIT_MISSING) from None
    atomic = "#define TRANSPLANT_ATOMIC(type) ::std::atomic<type>\n"
    if text.count(atomic) != 1:
        raise Problem(f"the exported header has {text.count(atomic)} times, not once: {atomic.strip()}", EXIT_MISSING)
    write(folder / "transplant_deque.h", text.replace(atomic, "#define TRANSPLANT_ATOMIC(type) ::transplant::atomic_of<type>\n"))
    words = f"#define {'WORDS' if item else 'CELLS'}\n"
    write(folder / "glue.cc", words + (HERE / "rayon" / "glue.cc").read_text(encoding="utf-8"))


def library(folder, run):
    """The deque as the tests link it; made again when it is older."""
    made, of = folder / LIBRARY, [folder / "glue.cc", folder / "transplant_deque.h"]
    if made.exists() and made.stat().st_mtime > max(path.stat().st_mtime for path in of):
        return
    code, said = run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-fPIC", "-shared", f"-I{folder}", str(of[0]), "-o", str(made)])
    if code != 0:
        raise Problem(f"{of[0]} does not compile:\n{said[-3000:]}", EXIT_FAILED)


def test_programs(host, folder, environment, run):
    """[(name, path)] of the host's tests, compiled."""
    found = []
    for arguments in host.tests:
        code, said = run([cargo(), "test", "--no-run", "--offline", "--message-format=json", "--target-dir", str((folder / "target").resolve()),
                          *arguments.split()], folder / "source", environment)
        if code != 0:
            raise Problem(f"the tests of {host.title} do not compile ({host.tests_need}):\n{said[-3000:]}", EXIT_MISSING)
        for line in said.splitlines():
            told = json.loads(line) if line.startswith("{") else {}
            if told.get("executable") and told.get("profile", {}).get("test"):
                found.append((told["target"]["name"], Path(told["executable"]), Path(told["manifest_path"]).parent))
    lock = (folder / "source" / "Cargo.lock").read_text(encoding="utf-8")
    if (folder.name == OURS) != (f'version = "{version(HERE / "rayon")}"' in lock):
        raise Problem(f"cargo has not put the deque into Rayon that it was told to: {folder}/source/Cargo.lock", EXIT_FAILED)
    return found


def test(host, deque, programs, folder, run):
    """The host's own tests, unless these passed before with this deque. Where thieves cannot get all, without those in which
    a task waits for another."""
    cases = host.test_cases if deque != OWN and withheld(deque.removesuffix(CELLS)) else []
    passed = folder / "passed"
    newest = max(path.stat().st_mtime for path in [program for _, program, _ in programs] + list(folder.glob(LIBRARY)))
    if passed.exists() and passed.stat().st_mtime > newest:
        return
    count = 0
    for name, program, where in programs:
        environment = {"LD_LIBRARY_PATH": str(folder.resolve())}
        code, said = run([str(program), *(cases if name.replace("-", "_") == "rayon_core" else [])], where, environment)
        if code != 0:
            raise Problem(f"{name} of {host.title} fails with {deque} ({'time over' if code is None else f'exit {code}'}):\n{said[-3000:]}\n"
                          f"repeat: LD_LIBRARY_PATH={folder.resolve()} {program}", EXIT_FAILED)
        count += sum(int(number) for number in re.findall(r"(\d+) passed", said)) or 1
    folder.mkdir(exist_ok=True)
    passed.write_text(f"{count}\n")
    print(f"{host.title} with {deque}: {count} tests passed" + (f", without {cases[-1]}" if cases else ""), flush=True)


def withheld(deque):
    """Why thieves cannot get every item of the deque at any time; "" if they can."""
    source = header.decided(header.source_of(deque))
    if "poll" in header.native(source):
        return "its owner has to answer thieves, and does not while its task waits for another"
    return "it keeps some items from thieves, for which another task may wait" if header.trait(source, "thieves_leave") not in ("", "0") else ""


def forms(deque):
    return [deque, deque + CELLS] if deque in TWO_WORDS else [deque + CELLS]


def prepare(host, source, deques, build, revision, run):
    """Copies, tests; the names of what is to be measured."""
    if not cargo():
        raise Problem("no cargo with its rustc: Debian's cargo and rustc, or CARGO=", EXIT_MISSING)
    if not crate(registry(), "crossbeam-deque"):
        raise Problem(f"{registry()} has no crate crossbeam-deque: Debian's librust-rayon-dev, or RAYON_REGISTRY=", EXIT_MISSING)
    rayon, core = parts(source)
    print(f"{host.title} {version(rayon)}, rayon-core {version(core)}; the glue was written against rayon-core {host.revision}")
    print("workspace and patch, build/extras/hosts/rayon/ours/.cargo/config.toml:\n" + config(True), flush=True)
    named = [form for deque in deques for form in forms(deque)]
    environment = {"RUSTC": str(Path(cargo()).with_name("rustc")), "RUSTFLAGS": "--cap-lints=allow", "CARGO_PROFILE_DEV_DEBUG": "0"}
    made_of = repr((str(source.resolve()), revision, version(rayon), version(core)))
    copy(source, build / OWN, made_of, False)
    copy(source, build / OURS, made_of, True)
    for deque in named:
        put(deque, build / deque)
        library(build / deque, run)
    test(host, OWN, test_programs(host, build / OWN, environment, run), build / OWN, run)
    linked = build / OURS / "linked"  # any deque: the tests find theirs when they run
    linked.mkdir(exist_ok=True)
    shutil.copy(build / named[0] / LIBRARY, linked)
    programs = test_programs(host, build / OURS, {**environment, "TRANSPLANT_LIBRARY": str(linked.resolve())}, run)
    for deque in named:
        test(host, deque, programs, build / deque, run)
    return [OWN, *named]
