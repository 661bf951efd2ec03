"""python3 -m harness.judging.ci --against [REVISION]: is this tree slower than that revision? ./run.sh ci --against calls it.

Both are built by the same compiler with the same flags, the base in a worktree below build/against. Executables with the same
code are not timed. The others are measured in turns, cell by cell, until each is decided or the budget is spent
(harness/judging/deciding.py has the rule). Exact counts are compared with the base's own counts. Exit: 0 nothing is slower, 1 something is,
2 usage, 3 not decided, or nothing could be judged.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.judging.run_folder import EXIT_USAGE, PROGRAM, Problem, run_program
from harness.judging import ci_report, descriptions, revisions
from harness.judging.deciding import IDENTICAL, UNMEASURED, Watched, exit_code
from harness.judging.bench import Bench, Suite, distances_told, measure_until_decided, say_progress
from harness.judging.statistics import THRESHOLD
from harness.judging.words import counted

SUITE = "suites/ci.suite"


def seconds(text):
    """"90", "90s", "10m"."""
    factor = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], None)
    try:
        value = float(text[:-1]) * factor if factor else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no time: 90, 90s, 10m") from None
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("more than 0, up to 24h")
    return value


def percent(text):
    value = float(text)
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError("more than 0, up to 100 per cent")
    return value / 100


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("--against", nargs="?", const="", default="", metavar="REVISION",
                        help="the base revision; default: the merge base with the main branch")
    parser.add_argument("--deque", metavar="A,B", help="only these, whatever the change touches")
    parser.add_argument("--only", metavar="CELL,CELL", help=f"only these cells of {SUITE}")
    parser.add_argument("--budget", type=seconds, default=600.0, metavar="TIME", help="stop measuring after this time (default: 10m)")
    parser.add_argument("--threshold", type=percent, default=THRESHOLD, metavar="PERCENT",
                        help="smaller slowdowns count as none (default: 2)")
    parser.add_argument("--no-counts", action="store_true", help="only times")
    parser.add_argument("--no-times", action="store_true", help="only counts")
    parser.add_argument("--name", metavar="NAME", help="name of the folder below results/")
    parser.add_argument("--unsound", action="store_true", help="time deques that fail their checks, too")
    return parser.parse_args(arguments)


def sound_deques():
    """The deques that are timed by default."""
    return [deque for deque, traits in revisions.described()[0].items() if traits.get("sound") == "1"]


def choose(arguments, families, changed):
    """(the deques to judge, a line why there are none)."""
    if arguments.deque:
        named, known = arguments.deque.split(","), revisions.described()[0]
        for deque in named:
            if deque not in known:
                raise Problem(f"no deque {deque} is built here; there are {', '.join(known)}", EXIT_USAGE)
        return named, ""
    for deque, why in descriptions.not_built().items():
        if f"queues/{deque}.h" in changed:
            raise Problem(f"{deque} cannot be built: {why}")
    found = revisions.touched(sound_deques(), families, changed)
    if not changed:
        return [], "no file differs from the base"
    if not found:
        return [], f"no deque depends on what changed ({several(changed)})"
    return found, ""


def several(names):
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def say(text):
    print(text, file=sys.stderr, flush=True)


def count(tree, deques, folder):
    """(exit code, output) of comparing exact counts of these deques with the base's, both counted now."""
    script = "harness/judging/counts/counts.sh"
    if not (tree / script).exists():
        return 3, f"the base has no {script}"
    baseline = Path(folder).resolve() / "base-counts"
    environment = {**os.environ, "BASELINE_DIR": str(baseline)}
    before = subprocess.run([f"./{script}", "--update-baseline", *deques], cwd=tree, env=environment, capture_output=True,
                            text=True, check=False)
    if before.returncode:
        return 3, f"the base could not be counted:\n{before.stdout}{before.stderr}"
    now = subprocess.run([f"./{script}", *deques], env=environment, capture_output=True, text=True, check=False)
    said = "\n".join(line for line in (now.stdout + now.stderr).splitlines() if "--update-baseline" not in line or "MORE" in line)
    return (now.returncode if now.returncode in (0, 1) else 3), said.replace(
        "every count is as in the baseline", "every count is as in the base")


def new_folder(name):
    folder = Path("results") / (name or time.strftime("%Y%m%d-%H%M%S-ci"))
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise Problem(f"{folder} is there already", EXIT_USAGE) from None
    return folder


def machine():
    model = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"), re.M)
    return f"{len(os.sched_getaffinity(0))} processors ({model[1] if model else platform.machine()})"


def benches_of(arguments, deques, suite, tree, folder, scratch, notices):
    """(the cells of these deques, a Bench for each deque that is to be timed). Adds to notices what is not timed."""
    family_of, cells, benches = revisions.described()[1], [], []
    families = suite.families(family_of)
    for deque in deques:
        differing = revisions.differing_families(deque, families, (tree, Path(".")))
        mine = [Watched(deque, tag, cell["title"], threshold=arguments.threshold,
                        verdict="" if family_of[cell["workload"]] in differing else IDENTICAL)
                for tag, cell in suite.cells.items() if cell["workload"] in family_of]
        cells += mine
        if not differing:
            notices.append(f"{deque}: the same code in base and head, so it is not timed")
        elif len(differing) < len(families):
            notices.append(f"{deque}: only the code of {', '.join(differing)} differs, the rest is not timed")
        timed = [cell for cell in mine if not cell.verdict]
        if timed and not arguments.no_times:
            for place in tree, Path("."):
                revisions.make_like(place, revisions.targets_of(deque, differing, suite.variants))
            benches.append(Bench("build/stealbench", suite, deque, timed, (tree / "build", "build"), scratch, folder))
    return cells, benches


def count_into(job, cells, tree, folder):
    """Counts the deques whose code differs, and puts what was found into job."""
    differ = sorted({cell.deque for cell in cells if cell.verdict != IDENTICAL})
    if differ:
        say(f"counting {', '.join(differ)}")
        job["counts"], said = count(tree, differ, folder)
        print(said.rstrip())
        job["counted"] = ci_report.printable(said)


def time_into(job, benches, arguments):
    """Times the cells of these benches until they are decided."""
    timed = [cell for bench in benches for cell in bench.watched]
    for cell in timed:
        cell.cells = len(timed)
    if timed:
        say(f"timing {len(timed)} cells, up to {arguments.budget:g} s")
        job["seconds"] = measure_until_decided(benches, arguments.budget, progress=say_progress, unsound=arguments.unsound)
        job["notices"] += distances_told(timed)


def main():
    arguments = parse_arguments()
    base, words = revisions.base_of(arguments.against)
    suite = Suite(SUITE, arguments.only and arguments.only.split(","))
    families, changed = suite.families(revisions.described()[1]), revisions.changed_files(base)
    deques, why_none = choose(arguments, families, changed)
    job = dict(base=base[:12], words=words, threshold=arguments.threshold, seconds=0.0, notices=[], counts=None, counted="",
                machine=machine(), budget=arguments.budget)
    folder = new_folder(arguments.name)
    if not deques:
        job["notices"].append(f"{why_none}: nothing that is measured can differ")
        ci_report.tell(folder, job, [], 0)
        return 0
    targets = [target for deque in deques for target in revisions.targets_of(deque, families, suite.variants)]
    say(f"against {base[:12]} ({words}): {several([Path(path).name for path in changed]) or 'no file'} changed: "
        f"{counted(len(deques), 'deque')}, {counted(len(deques) * len(suite.cells), 'cell')}, "
        f"two builds of {len(revisions.objects_of(targets))} files")
    tree = revisions.worktree(base)
    said = revisions.make_like(Path("."), [target for deque in deques for target in revisions.targets_of(deque, families)])
    if said:
        raise Problem(f"this tree cannot be built: {said}")
    absent, otherwise = revisions.build_like(tree, deques, families)
    job["notices"] += [f"{deque}: {why}" for deque, why in absent.items()]
    if otherwise:
        job["notices"].append(f"the base was built with another {' and '.join(otherwise)}: its Makefile decides that itself")
    with tempfile.TemporaryDirectory(dir="build", prefix="ci-") as scratch:
        cells, benches = benches_of(arguments, [deque for deque in deques if deque not in absent], suite, tree, folder, scratch,
                                    job["notices"])
        if not arguments.no_counts:
            count_into(job, cells, tree, folder)
        time_into(job, benches, arguments)
    for cell in cells:
        if not cell.verdict:
            cell.verdict, cell.why = UNMEASURED, "times were not asked for"
    code = exit_code(cells, job["counts"]) if cells else 3
    ci_report.tell(folder, job, cells, code)
    return code


if __name__ == "__main__":
    run_program(main)
