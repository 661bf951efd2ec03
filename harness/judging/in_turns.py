"""Measures two deques, or two revisions, in turns for ./run.sh compare: until each main cell is decided, or a given number of
pairs of each. Uses the CI job's machinery (harness/judging/bench.py) on the cells of suites/compare.suite."""

import difflib
import shutil
import tempfile
import time
from collections import namedtuple
from pathlib import Path

from harness.judging.metrics import BESIDES
from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, EXIT_USAGE, Problem, Run, warn
from harness.judging import revisions
from harness.judging.ci import sound_deques
from harness.judging.deciding import FAILED, WatchedEitherWay
from harness.judging.bench import Bench, id_of, judged_of, measure_until_decided, measured, say_progress, take_pairs
from harness.judging.statistics import NOT_SETTLED, THRESHOLD

SUITE = "suites/compare.suite"
UNTIL_DECIDED, SO_OFTEN = "Two deques side by side, until each cell is decided", "Two deques side by side"
DRIVER = "build/stealbench"


# What is compared. judged, reference: the prefix of the side's id ("": none) and its deque; builds: of both.
Sides = namedtuple("Sides", "judged reference builds")


def found_run(word):
    """The run's folder with that name; None if there is none."""
    for path in (Path(word), Path("results") / word):
        if (path / "manifest.json").is_file():
            return str(path)
    return None


def sides_of(words, suite, deques=None):
    """[Sides] of two deques that are built, of one and each other sound one ("all"), or of each deque that differs between two
    revisions in the suite's cells; says so if none differs. deques: of revisions compare only these."""
    if words[0] == words[1]:
        raise Problem(f"{words[0]} against itself tells nothing", EXIT_USAGE)
    built = revisions.described()[0]
    if words[1] == "all" and words[0] in built:
        return [Sides(("", words[0]), ("", other), ("build", "build")) for other in sound_deques() if other != words[0]]
    if all(word in built for word in words):
        return [Sides(("", words[0]), ("", words[1]), ("build", "build"))]
    missing = [word for word in words if word not in built]
    if len(missing) == 1 or revisions.git("rev-parse", "--verify", "--quiet", f"{words[0]}^{{commit}}", may_fail=True) is None:
        near = difflib.get_close_matches(missing[0], built, 1)
        raise Problem(f"{missing[0]} is no deque that is built here, no run and no revision"
                      + (f"; did you mean {near[0]}?" if near else ""), EXIT_USAGE)
    return sides_of_revisions(words, suite, deques)


def sides_of_revisions(words, suite, deques):
    commits = [revisions.commit_of(word) for word in words]
    if commits[0] == commits[1]:
        raise Problem(f"{' and '.join(words)} are the same commit", EXIT_USAGE)
    changed = revisions.git("diff", "--name-only", "--no-renames", *commits).splitlines()
    families = suite.families(revisions.described()[1])
    chosen = deques.split(",") if deques else revisions.touched(sound_deques(), families, changed)
    if not chosen:
        print(f"nothing to measure: no deque depends on what differs between {words[0]} and {words[1]}")
        return []
    trees = [revisions.worktree(commit) for commit in commits]
    absent = {}
    for tree in trees:
        absent |= revisions.build_like(tree, chosen, families)[0]
    found = []
    for deque in chosen:
        if deque in absent:
            warn(f"{deque} is left out: {absent[deque].replace('the base', 'one of the two')}")
        elif not revisions.differing_families(deque, families, trees):
            print(f"{deque}: nothing to measure, {words[0]} and {words[1]} have the same machine code")
        else:
            for tree in trees:
                revisions.make_like(tree, revisions.targets_of(deque, families, suite.variants))
            found.append(Sides(*((commit[:12], deque) for commit in commits), tuple(tree / "build" for tree in trees)))
    if len(absent) == len(chosen):
        raise Problem("no deque is in both of them")
    return found


def watched_of(cells, deque, threshold=THRESHOLD):
    """The watched cells; cells: {tag: (title, workload)}."""
    some = [WatchedEitherWay(deque, tag, title if number == 0 else f"{title}: {value[1]}", threshold=threshold, judged=value)
            for tag, (title, workload) in cells.items() for number, value in enumerate([None, *BESIDES.get(workload, [])])]
    for one in some:
        one.cells = len(some)
    return some


def measure_in_turns(arguments, suite, sides, passed, several):
    """(the Run, the exit code of measuring). several: of several pairs, each has a run of its own."""
    family_of = revisions.described()[1]
    there = [(Path(build), deque) for build, (_, deque) in zip(sides.builds, (sides.judged, sides.reference))]
    cells = {tag: (cell["title"], cell["workload"]) for tag, cell in suite.cells.items()
             if all((build / "deques" / family_of.get(cell["workload"], "-") / deque).exists() for build, deque in there)}
    if not cells:
        raise Problem(f"{id_of(sides.judged)} and {id_of(sides.reference)} share no cell of {SUITE}")
    watched = watched_of(cells, sides.judged[1], arguments.threshold / 100)
    name = (arguments.name or time.strftime("%Y%m%d-%H%M%S-compare")) + several * f"-{sides.judged[1]}-{sides.reference[1]}"
    if (Path("results") / name).exists():
        raise Problem(f"results/{name} is there already", EXIT_USAGE)
    with tempfile.TemporaryDirectory(dir="build", prefix="compare-") as scratch:
        bench = Bench(DRIVER, suite, name, watched, sides.builds[::-1], scratch, "results",
                      [sides.reference, sides.judged], SO_OFTEN if arguments.invocations else UNTIL_DECIDED)
        if arguments.invocations:
            for one in watched:
                one.asked = arguments.invocations
            bench.measure(unsound=arguments.unsound, options=passed)
        else:
            measure_until_decided([bench], arguments.budget, progress=say_progress, unsound=arguments.unsound, options=passed)
    if not (Path("results") / name / "samples.csv").exists():
        shutil.rmtree(Path("results") / name, ignore_errors=True)
        raise Problem(watched[0].why, EXIT_FAILED if watched[0].verdict == FAILED else EXIT_MISSING)
    run = Run(Path("results") / name)
    return run, run.manifest.get("exit_code") or 0


def decided_cells(run, judged, reference, threshold=THRESHOLD):
    """The watched cells of a run that was measured until they were decided, as measuring left them: the same looks at the same
    pairs. A cell without pairs says why."""
    workloads = {tag: cell["workload"] for cell in run.cells.values() for tag in cell["tags"]}
    found = measured(run.folder)
    cells = watched_of({tag: (title, workloads[tag]) for tag, title in run.section_titles() if tag in workloads}, judged, threshold)
    for cell in cells:
        sides = [found.get((cell.tag, deque)) for deque in (reference, judged)]
        if not all(side and side.ended == "ok" for side in sides):
            cell.why = ", ".join(f"{deque} {side.ended if side else 'not run'}" for deque, side in zip((reference, judged), sides))
        elif not all(judged_of(cell, sides) in side.values for side in sides):
            cell.why = "one of the two does not report it"
        else:
            cell.see_again(*take_pairs(cell, sides, judged_of(cell, sides)))
            cell.sides = tuple(side[:len(cell.logs)] for side in cell.sides)
        cell.verdict = cell.verdict or NOT_SETTLED
    return cells
