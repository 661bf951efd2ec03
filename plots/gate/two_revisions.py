"""python3 -m plots.gate.two_revisions A B [--deque=ID,ID]: builds two revisions for ./run.sh compare A B.

Prints a line for each deque that can differ: ID, A's and B's names for it, and what --deques-in is to be.
"""

import argparse
import shutil
from pathlib import Path

from plots.data.run_folder import EXIT_USAGE, PROGRAM, Problem, run_program, warn
from plots.gate import revisions
from plots.gate.ci import sound_deques
from plots.gate.measuring import PARTS, Suite, common_layouts


def changed_between(a, b):
    return revisions.git("diff", "--name-only", "--no-renames", a, b).splitlines()


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs=2, metavar="REVISION")
    parser.add_argument("--deque", metavar="ID,ID", help="these, whatever differs")
    arguments = parser.parse_args()
    commits = [revisions.commit_of(one) for one in arguments.revisions]
    if commits[0] == commits[1]:
        raise Problem(f"{' and '.join(arguments.revisions)} are the same commit", EXIT_USAGE)
    deques = (arguments.deque.split(",") if arguments.deque
              else revisions.touched(sound_deques(), changed_between(*commits)))
    if not deques:
        raise Problem("no deque depends on what differs between them; --deque=ID names some all the same")
    trees = [revisions.worktree(commit) for commit in commits]
    absent = {}
    for tree in trees:
        absent |= revisions.build_like(tree, deques)[0]
    for deque, why in absent.items():
        warn(f"{deque} is left out: {why.replace('the base', 'one of the two')}")
    same = [deque for deque in deques if deque not in absent
            and not revisions.differing_parts(deque, [tree / "build" for tree in trees])]
    for deque in same:
        warn(f"{deque} is left out: the same code in both")
    left = [deque for deque in deques if deque not in absent and deque not in same]
    for deque in left:
        folders, builds = [], [tree / "build" for tree in trees]
        revisions.build_layouts(trees, deque, Suite("suites/compare.suite").layouts)
        for commit, tree in zip(commits, trees):
            # One deque alone, so that the driver asks no others what they are.
            side = Path("build/against/sides") / commit[:12] / deque.replace("/", "-")
            shutil.rmtree(side, ignore_errors=True)
            for part in [*PARTS, *common_layouts(deque, builds)]:
                if (tree / "build" / part / deque).exists():
                    (side / part / deque).parent.mkdir(parents=True)
                    shutil.copy2(tree / "build" / part / deque, side / part / deque)
                    if part not in PARTS:
                        continue
                    folders.append(f"{commit[:12]}={side / part}")
        print("\t".join([deque, *(f"{commit[:12]}/{deque}" for commit in commits), ":".join(folders)]))
    if not left:
        raise Problem("nothing differs that is timed")


if __name__ == "__main__":
    run_program(main)
