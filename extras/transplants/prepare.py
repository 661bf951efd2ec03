"""python3 -m extras.transplants.prepare HOST --from=FOLDER [--deque=A,B]: other people's runtime with deques of ours.

For each deque, and for "own", the host's deque: copies the host's headers to build/extras/hosts/HOST/DEQUE/include, gives the copy
the exported deque and our glue, and builds the host's tests and its program of extras/runtimes. The tests run before
anything is timed. Then it writes build/extras/transplants.suite. FOLDER, a checkout of the host's, is only read.

Exit: 0; 1 a test of the host failed; 2 usage; 3 something is missing, or a deque does not fit the host.
"""

import argparse
import difflib
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from export import header
from harness.judging.git import answer
from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, EXIT_USAGE, Problem, run_program
from extras.transplants import crates
from extras.transplants.hosts import HOSTS

HERE = Path(__file__).resolve().parent
BUILD = Path("build/extras")
OWN = "own"
DEQUES = "chase_lev,weir,lace,bwos_lifo,st3,the,jdk_fork_join,taskflow_unbounded".split(",")  # the first six that fit
TEST_SECONDS, BUILD_SECONDS = 600, 3600


def nearest(word, words, what):
    near = difflib.get_close_matches(word, words, 1)
    return Problem(f"no such {what}: {word}" + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(words)}"), EXIT_USAGE)


def unfit(deque, host):
    """Why the deque cannot be the host's; "" if it can."""
    source = header.decided(header.source_of(deque))
    for asked, why in [(host.lifo and header.trait(source, "owner_order") != "DEQUE_LIFO", "joins need the newest task, and it pops the oldest"),
                       (header.trait(source, "delivery") == "DEQUE_AT_LEAST_ONCE", "it may give a task twice"),
                       (header.trait(source, "thieves") != "DEQUE_MANY_THIEVES", "it allows one thief at a time"),
                       (header.trait(source, "needs_self") == "true", "its thieves need a deque of their own"),
                       (host.all_stealable and crates.withheld(deque), crates.withheld(deque)),
                       (header.trait(source, "shared") == "true", "its workers share one deque"),
                       ("lists" in header.native(source), "it links its items, which the host's tasks are not made for")]:
        if asked:
            return why
    return ""


def edited(text, path, edits):
    """The text of the host's file with its edits made."""
    for _, old, new in edits:
        if text.count(old) != 1:
            raise Problem(f"{path} has {text.count(old)} times, not once: {old.strip()}", EXIT_MISSING)
        text = text.replace(old, new)
    return text


def files_of(host, source, deque):
    """{path below include/: text} of what differs from the host's headers."""
    if deque == OWN:
        return {}
    made = {}
    for path in dict.fromkeys(edit[0] for edit in host.edits):
        whole = source / (path if Path(path).parts[0] == host.headers else f"{host.headers}/{path}")
        if not whole.exists():
            raise Problem(f"{source} is no checkout of {host.title}: {whole} is missing", EXIT_MISSING)
        made[path] = edited(whole.read_text(encoding="utf-8"), whole, [edit for edit in host.edits if edit[0] == path])
    made[f"glue/{host.name}.hpp"] = (HERE / f"{host.name}.hpp").read_text(encoding="utf-8")
    made["glue/transplant_glue.hpp"] = (HERE / "deque.hpp").read_text(encoding="utf-8")
    try:
        made["glue/transplant_deque.h"] = header.export(deque, "transplant", "")
    except header.CannotExport as why:
        raise Problem(str(why), EXIT_MISSING) from None
    return made


def copy(host, source, deque):
    """Makes include/ of the deque anew if what it is made of has changed, and removes what was built of it."""
    made, folder = files_of(host, source, deque), BUILD / "hosts" / host.name / deque
    digest = hashlib.sha256(repr((revision(source), str(source.resolve()), sorted(made.items()))).encode()).hexdigest()
    if (folder / "made_of").exists() and (folder / "made_of").read_text() == digest:
        return folder, made
    for stale in (folder, BUILD.parent / "obj" / "transplants" / host.name / deque):
        shutil.rmtree(stale, ignore_errors=True)
    (BUILD / "transplants" / host.name / deque).unlink(missing_ok=True)
    into = folder / "include" / ("" if host.headers == "include" else host.headers)
    shutil.copytree(source / host.headers, into)
    for path, text in made.items():
        (folder / "include" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "include" / path).write_text(text, encoding="utf-8")
    (folder / "made_of").write_text(digest)
    return folder, made


def revision(source):
    commit = answer("rev-parse", "HEAD", root=source)
    return commit and commit + ("" if answer("status", "--porcelain", "--untracked-files=no", root=source) == "" else ", edited")


def patch(host, source, made):
    """What changes in the host's files, as diff -u."""
    for path, text in made.items():
        if not path.startswith("glue/"):
            old = source / (path if Path(path).parts[0] == host.headers else f"{host.headers}/{path}")
            yield "".join(difflib.unified_diff(old.read_text(encoding="utf-8").splitlines(True), text.splitlines(True),
                                               f"a/{path}", f"b/{path}"))


def run(command, folder=None, environment=None, seconds=TEST_SECONDS):
    """(exit code, what it printed); None: it took longer."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=folder,
                              env={**os.environ, **(environment or {})}, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as late:
        return None, late.stdout or ""
    return done.returncode, done.stdout


def compiler_of(host):
    """As the build of extras/runtimes has it."""
    found = sorted(str(path) for pattern in ("clang++-1[5-9]", "clang++-2[0-9]") for path in Path("/usr/bin").glob(pattern))
    newest = host.coroutines and found and found[-1]
    return host.coroutines and os.environ.get("COROUTINES_CXX") or newest or os.environ.get("CXX", "g++")


def library(host, folder):
    """What cmake makes of the copy, for a compiler's command; [] where the host is headers alone."""
    if not host.library:
        return []
    made = (folder / "make" / host.library).resolve()
    if not shutil.which("cmake"):
        raise Problem(f"{host.title} is built by cmake, which is missing", EXIT_MISSING)
    options = ["CMAKE_BUILD_TYPE=Release", f"CMAKE_CXX_FLAGS=-I{(folder / 'include').resolve()}", *host.cmake]
    for command in [] if made.exists() else [["-S", str(folder / "include" / host.headers), "-B", str(folder / "make"), *(f"-D{one}" for one in options)],
                                             ["--build", str(folder / "make"), "--target", host.target, "--parallel", "2"]]:
        code, said = run(["cmake", *command], seconds=BUILD_SECONDS)
        if code != 0:
            raise Problem(f"cmake {' '.join(command)} fails:\n{said[-3000:]}", EXIT_FAILED)
    return [str(made), f"-Wl,-rpath,{made.parent}"]


def test(host, source, deque, folder):
    """The host's own tests on the copy, unless these passed before."""
    compiler, linked = compiler_of(host), library(host, folder)
    for path in host.tests:
        program = folder / "tests" / Path(path).stem
        if program.with_suffix(".passed").exists():
            continue
        program.parent.mkdir(exist_ok=True)
        for name, text in host.test_headers.items():
            (program.parent / name).parent.mkdir(exist_ok=True)
            (program.parent / name).write_text(text, encoding="utf-8")
        includes = [f"-I{source / one}" for one in host.test_includes] + [f"-I{folder / 'include'}", "-idirafter", str(program.parent)]
        code, said = run([compiler, "-std=c++20", "-O1", "-w", *includes, str(source / path), "-o", str(program),
                          *linked, *host.test_flags, "-lpthread"])
        if code != 0:
            raise Problem(f"{path} of {host.title} does not compile with {deque}:\n{said[-3000:]}", EXIT_FAILED)
        code, said = run([str(program), *host.test_cases])
        last = (said.strip().splitlines() or ["nothing said"])[-1]
        if code != 0:
            raise Problem(f"{path} of {host.title} fails with {deque} ({'time over' if code is None else f'exit {code}'}):\n"
                          f"{said[-3000:]}\nrepeat: {program}", EXIT_FAILED)
        program.with_suffix(".passed").write_text(said)
        print(f"{host.title} with {deque}: {path}: {last}", flush=True)


def workloads_of(program):
    _, said = run([program, "--describe"])
    return {line.split("\t")[1] for line in said.splitlines() if line.startswith("workload\t")}


def suite_text(host, commit, deques, workloads):
    """workloads: those of the host's program; sections of others are left out."""
    head, *sections = (HERE / "transplants.suite").read_text(encoding="utf-8").split("\n[")
    lines = "\n[".join([head, *(one for one in sections if one.split("\n")[1].split(" ")[0] in workloads)])
    ids = ",".join(f"{host.name}/{deque}" for deque in deques)
    return lines.replace("HOST_DEQUES", ids).replace("HOST", f"{host.title} ({commit[:12] if commit else 'no git revision'})")


def of_headers(host, source, deques, commit):
    """The copies of a host that is compiled with the program, tested; the names of what is to be measured."""
    if not (source / host.headers).is_dir():
        raise Problem(f"{source} is no checkout of {host.title}: {host.headers}/ is missing", EXIT_MISSING)
    for deque in deques:
        files_of(host, source, deque)  # refuses another revision before anything is removed
    deques = [OWN, *deques]
    print(f"{host.title} at {commit or 'no git revision'}" + ("" if commit == host.revision else f"; the glue was written against {host.revision[:12]}"))
    for number, deque in enumerate(deques):
        folder, made = copy(host, source, deque)
        if number == 1:  # they differ in the exported header alone
            print("".join(patch(host, source, made)), flush=True)
        test(host, source, deque, folder)
    return deques


def prepare(options):
    if options.host not in HOSTS:
        raise nearest(options.host, list(HOSTS), "host")
    host, source = HOSTS[options.host], Path(os.environ.get("STEALBENCH_FROM", "."), options.source).resolve()
    if not source.is_dir():
        raise Problem(f"--from={options.source} is no folder", EXIT_MISSING)
    fitting = [deque for deque in DEQUES if not unfit(deque, host)][:6]
    deques = list(dict.fromkeys(options.deque.split(","))) if options.deque else fitting
    for deque in deques:
        if deque not in header.deques():
            raise nearest(deque, header.deques(), "deque")
        if why := unfit(deque, host):
            raise Problem(f"{deque} does not fit {host.title}: {why}", EXIT_MISSING)
    commit = revision(source)
    if host.crates:
        deques = crates.prepare(host, source, deques, BUILD / "hosts" / host.name, commit, run)
    else:
        deques = of_headers(host, source, deques, commit)
    programs = [str(BUILD / "transplants" / host.name / deque) for deque in deques]
    if subprocess.run(["setup/configure.py", "--leave-out", "build/stealbench", *programs], check=False).returncode != 0:
        raise Problem(f"extras/runtimes/{host.name}.* was not built", EXIT_MISSING)
    (BUILD / "transplants.suite").write_text(suite_text(host, commit, deques, workloads_of(programs[0])), encoding="utf-8")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="stealbench extras transplants", description=__doc__.splitlines()[0])
    parser.add_argument("host", metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--from", dest="source", required=True, metavar="FOLDER")
    parser.add_argument("--deque", default="", metavar="A,B", help="six that fit, unless given")
    return prepare(parser.parse_args())


if __name__ == "__main__":
    run_program(main)
