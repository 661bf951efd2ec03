"""python3 -m harness.trust.gate_trials [--trials=N] [--budget=TIME] [--only=KIND,KIND] [--beside]: what the gate finds.

Each trial is a gate of its own in fresh processes: two builds whose difference is known, measured in turns until every cell
is decided or the trial's budget is spent. "identical" is the code of one deque twice, all cells of suites/gate.suite; the
planted ones are a known chain a little longer in push, timed by itself or as the fork of the pool, judged as strictly as
in a gate of all cells. What the exact counts are to find is planted in Chase-Lev's source, in a copy of the tree. A table
with exact binomial intervals, and trials.csv. Exit 1 where less is found than the gate promises, which so many trials as
are asked for can only deny.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scipy import stats

from plots.data.run_folder import EXIT_USAGE, Problem, run_program
from plots.gate.ci import SUITE, cells_of, new_folder, seconds
from plots.gate.deciding import SLOWER, UNDECIDED, Watched
from plots.gate.measuring import Bench, Suite, measure_until_decided
from plots.pages.table import aligned
from plots.statistics import THRESHOLD, median

TRIALS_SUITE = "harness/trust/gate.suite"
BUILDS = Path("build/trust_gate")
PUSH = "DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {\n"
# What a count has to see: (what is replaced in queues/chase_lev.h, by what).
COUNTED = {
    "a fence in push": (PUSH, PUSH + "    atomic_thread_fence(memory_order_seq_cst);\n"),
    "a read-modify-write in push": (PUSH, PUSH + "    (void)atomic_fetch_add_explicit(&deque->top, 0, memory_order_relaxed);\n"),
    "top and bottom on one line": ("    alignas(DEQUE_LINE) _Atomic uint64_t bottom;", "    _Atomic uint64_t bottom;"),
}
COPIED = "Makefile checks harness lab queues runtimes workloads".split()


@dataclass
class Kind:
    """base, head: folders of builds. least, most: the share of trials that alarm, as the gate promises."""

    name: str
    base: Path
    head: Path
    deque: str = "planted"
    tags: tuple = ()
    least: float = 0.0
    most: float = 1.0


KINDS = [
    Kind("identical", Path("build"), Path("build"), "chase_lev", most=0.01),
    Kind("push 3 % slower", BUILDS / "push_100", BUILDS / "push_103", tags=("push", "pop"), least=0.95),
    Kind("push 5 % slower", BUILDS / "push_100", BUILDS / "push_105", tags=("push", "pop"), least=0.99),
    Kind("push 3 % faster", BUILDS / "push_103", BUILDS / "push_100", tags=("push", "pop"), most=0.0),
    Kind("fork 5 % slower", BUILDS / "fork_14", BUILDS / "fork_15", tags=("fib",), least=0.95),
]


@dataclass
class Outcome:
    """Of one kind. alarms: trials that ended in one where the plant is; elsewhere: in another cell; undecided: trials with
    a cell whose time ran out and no alarm."""

    name: str
    least: float
    most: float
    trials: int = 0
    alarms: int = 0
    elsewhere: int = 0
    undecided: int = 0
    ratios: tuple = ()
    pairs: int = 0
    seconds: float = 0.0

    def interval(self):
        """Clopper and Pearson's, 95 %."""
        return tuple(stats.binomtest(self.alarms, self.trials).proportion_ci(0.95, method="exact"))

    @property
    def verdict(self):
        """Denied where the whole interval lies outside what is promised; shown where all of it lies inside."""
        low, high = self.interval()
        if high < self.least or low > self.most:
            return "DENIED"
        return "shown" if self.least <= low and high <= self.most else "not denied"


def try_once(kind, suites, folder, scratch, budget):
    """The cells of one trial, and how long it took."""
    whole, own = suites
    if kind.tags:
        cells = [Watched(kind.deque, tag, own.cells[tag]["title"]) for tag in kind.tags]
        suite = own
    else:
        arguments = argparse.Namespace(threshold=THRESHOLD)
        suite, cells = whole, cells_of(kind.deque, ("deques", "pool"), whole, arguments, Path("."))
    for cell in cells:
        cell.cells = len(whole.cells)
    bench = Bench("build/stealbench", suite, kind.deque, cells, (kind.base, kind.head), scratch, folder)
    return cells, measure_until_decided([bench], budget, unsound=bool(kind.tags))


def try_kind(kind, suites, trials, budget, scratch):
    planted = kind.tags[0] if kind.tags else None
    outcome, ratios = Outcome(kind.name, kind.least, kind.most), []
    for trial in range(trials):
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            cells, took = try_once(kind, suites, Path(folder) / "results", Path(folder), budget)
        broken = next((cell for cell in cells if not cell.logs), None)
        if broken:
            raise Problem(f"{kind.name}: {broken.name} was not measured: {broken.why}")
        alarm = {cell.tag for cell in cells if cell.verdict == SLOWER}
        outcome.trials += 1
        outcome.alarms += bool(alarm & {planted}) if planted else bool(alarm)
        outcome.elsewhere += bool(planted and alarm - {planted})
        outcome.undecided += not alarm and any(cell.verdict == UNDECIDED for cell in cells)
        outcome.seconds += took
        outcome.pairs += sum(len(cell.logs) for cell in cells)
        ratios += [cell.decision.ratio for cell in cells if cell.tag == (planted or cell.tag)]
        print(f"\r\033[K{kind.name}: {trial + 1} of {trials}" if sys.stderr.isatty() else "", end="", file=sys.stderr)
    outcome.ratios = tuple(ratios)
    return outcome


def count_in(tree, baseline, update):
    """The exit code of the exact counts of Chase-Lev in that tree."""
    done = subprocess.run(["lab/counts/ci.sh", *(["--update-baseline"] if update else []), "chase_lev"], cwd=tree,
                          env={**os.environ, "BASELINE_DIR": str(baseline)}, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or (update and done.returncode):
        raise Problem(f"the counts ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}")
    return done.returncode


def try_counts(names, trials, scratch):
    """Counted on the spot against the unchanged tree, as the gate does."""
    tree, baseline, outcomes = Path(scratch) / "tree", Path(scratch).resolve() / "baseline", []
    tree.mkdir()
    for name in COPIED:
        (shutil.copytree if Path(name).is_dir() else shutil.copy2)(name, tree / name)
    header = tree / "queues" / "chase_lev.h"
    text = header.read_text(encoding="utf-8")
    count_in(tree, baseline, True)
    for name in names:
        found, put = COUNTED[name]
        if text.count(found) != 1:
            raise Problem(f"{name} cannot be planted: queues/chase_lev.h has changed")
        header.write_text(text.replace(found, put), encoding="utf-8")
        outcome = Outcome(name, 1.0, 1.0)
        began = time.monotonic()
        for _ in range(trials):
            outcome.trials += 1
            outcome.alarms += count_in(tree, baseline, False)
        outcome.seconds = time.monotonic() - began
        outcomes.append(outcome)
        header.write_text(text, encoding="utf-8")
    return outcomes


def promised(outcome):
    if outcome.most == 0:
        return "never"
    return f"at most {100 * outcome.most:g} %" if outcome.most < 1 else f"at least {100 * outcome.least:g} %"


HEADINGS = ["planted", "trials", "alarms", "share", "interval 95 %", "promised", "", "elsewhere", "undecided", "head : base",
            "seconds a trial"]


def rows_of(outcomes):
    rows = []
    for one in outcomes:
        low, high = one.interval()
        rows.append([one.name, str(one.trials), str(one.alarms), f"{100 * one.alarms / one.trials:.1f} %",
                     f"[{100 * low:.1f}, {100 * high:.1f}] %", promised(one), one.verdict, str(one.elsewhere),
                     str(one.undecided), f"{median(one.ratios):.3f}" if one.ratios else "counted",
                     f"{one.seconds / one.trials:.1f}"])
    return rows


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./run.sh trust --gate", description=__doc__.splitlines()[0])
    names = [kind.name for kind in KINDS] + list(COUNTED)
    parser.add_argument("--trials", type=int, default=20, help="of each kind (default: 20; 200 show what is promised)")
    parser.add_argument("--counted", type=int, default=None, metavar="N", help="of those that are counted (default: as many)")
    parser.add_argument("--budget", type=seconds, default=120.0, metavar="TIME", help="of a trial (default: 120s)")
    parser.add_argument("--only", metavar="KIND,KIND", help="by a part of the name: " + "; ".join(names))
    parser.add_argument("--beside", action="store_true", help="beside a process that burns one processor")
    parser.add_argument("--name", help="of the folder below results/")
    arguments = parser.parse_args()
    if not 1 <= arguments.trials <= 100000 or arguments.counted is not None and not 0 <= arguments.counted <= 100000:
        parser.error("1 to 100000 trials")
    wanted = [part.strip() for part in arguments.only.split(",")] if arguments.only else [""]
    for part in wanted:
        if not any(part in name for name in names):
            raise Problem(f"nothing of the name {part} is planted; there are {'; '.join(names)}", EXIT_USAGE)
    return arguments, lambda name: any(part in name for part in wanted)


def main():
    arguments, wanted = parse_arguments()
    suites = Suite(SUITE), Suite(TRIALS_SUITE)
    kinds = [kind for kind in KINDS if wanted(kind.name)]
    counted = [name for name in COUNTED if wanted(name)] if arguments.counted != 0 else []
    folder, outcomes = new_folder(arguments.name or time.strftime("%Y%m%d-%H%M%S-trust-gate")), []
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if arguments.beside else None
    try:
        with tempfile.TemporaryDirectory(dir="build", prefix="trust-gate-") as scratch:
            for kind in kinds:
                outcomes.append(try_kind(kind, suites, arguments.trials, arguments.budget, scratch))
            if counted:
                outcomes += try_counts(counted, arguments.counted or arguments.trials, scratch)
    finally:
        if burner:
            burner.kill()
            burner.wait()
        if outcomes:
            rows = rows_of(outcomes)
            print("\n".join(aligned(HEADINGS, rows, left={0, 5, 6})))
            with open(folder / "trials.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([[re.sub("^$", "verdict", name) for name in HEADINGS], *rows])
            print(f"as data: {folder / 'trials.csv'}")
    return int(any(outcome.verdict == "DENIED" for outcome in outcomes))


if __name__ == "__main__":
    run_program(main)
