"""python3 -m trust.gate_trials [--trials=N] [--for=TIME] [--resume=NAME] [--beside] ...: does the gate find planted slowdowns?

A trial gives real pairs of processes to the gate's own code. The two builds of a pair differ by a known change, planted in
Chase-Lev's source. Pairs are measured as the gate measures them: the same driver, executables copied anew, base
and head first in turn, variants drawn. All pairs of one planted kind make a series, in the order of measuring. A trial takes
the next unused pairs of its kind, and applies the gate's looks, its rule, its confirmation by fresh pairs and its budget, which
these processes' times use up. Nothing is simulated, and no pair is in two trials of a kind.

- identical: one build twice, in all cells of suites/gate.suite. An alarm in any cell is an alarm.
- harmless: an edit that costs nothing and moves code, in 20 forms in turn: an unused function, the functions in another
  order, a longer branch that is not taken, three instructions in a steal. All cells again; the last form leaves out the cells
  that time steals.
- slower: a chain of known length, a little longer in push, pop or steal: by itself, as the fork of the pool, or among the
  other work of an owner, a thief, a sort. Only that cell is timed, with its part of alpha and budget among all cells.
- faster: the pairs of "3 % slower" with base and head exchanged.
- compare: the rule of ./run.sh compare, either way and until decided, on the pairs of the same series. For identical builds
  any verdict of slower or faster is an alarm; for a planted slowdown only the right verdict is one.

Planted trees are copies below build/trust_gate, built once, with all variants and layouts.

Pairs are kept below results/NAME. --resume=NAME continues a run and loses at most the pairs that were being
measured. Exit 1 if the gate finds less than it promises: if the whole interval of a share lies outside the promise.
"""

import argparse
import csv
import math
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from scipy import stats

from trust.pair_series import Recorded, Series, TimeIsUp, builds_hash, conditions_of, same_conditions
from plots.data.run_folder import EXIT_USAGE, PROGRAM, Problem, run_program
from gate.ci import SUITE, machine, new_folder, seconds
from gate.deciding import ALPHA, UNDECIDED, Watched, WatchedEitherWay
from gate import revisions
from gate.measuring import LAYOUTS, Suite, measure_until_decided
from plots.data.written import write_rows
from plots.pages.table import aligned, markdown
from plots.statistics import FASTER, SLOWER, median

TRIALS_SUITE = "trust/gate.suite"
TREES = Path("build/trust_gate")
DEQUE = "chase_lev"
HEADER = f"queues/{DEQUE}.h"
PUSH = "DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {\n"
POP = "DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {\n"
STEAL = "DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {\n"
COPIED = "Makefile harness proof queues setup trust workloads".split()
IDENTICAL = "identical"
BUDGET = 600.0  # seconds, of ./run.sh ci --against


def replaced(text, *pairs):
    for found, put in pairs:
        if text.count(found) != 1:
            raise Problem(f"nothing can be planted at {found.splitlines()[0]!r}: {HEADER} has changed")
        text = text.replace(found, put)
    return text


def chained(text, operation, steps):
    """Plants a chain of so many steps in the operation; each chain waits for that of the previous operation."""
    return replaced(text, ('#include "ring.h"\n', f'''#include "ring.h"
#define PLANTED_STEPS {steps}
#include "trust/planted_chain.h"
static _Thread_local uint64_t planted_before;
'''), (operation, operation + "    planted_before = planted_chain(planted_before);\n"))


def nops(count):
    return f'__asm__ volatile(".rept {count}\\n\\tnop\\n\\t.endr");'


def with_unused(text, number):
    return replaced(text, (PUSH, f"""__attribute__((used, noinline)) static void deque_unused(void) {{
    {nops((1, 13, 40, 100, 300)[number])}
}}

{PUSH}"""))


def in_another_order(text, number):
    functions = re.findall(r"^DEQUE_OPERATION [^{]*\{(?:[^\n]*\}\n|.*?\n\}\n)", text, re.M | re.S)
    for function in functions:
        text = text.replace(function, "")
    declared = [function.partition("{")[0].strip() + ";\n" for function in functions]
    random.Random(number).shuffle(functions)
    head, end = text.rsplit("#endif", 1)
    return head + "".join(declared + functions) + "#endif" + end


def with_longer_cold_branch(text, number):
    cold = "    if ((int64_t)(bottom - top) > (int64_t)deque->mask)\n        return DEQUE_FULL;\n"
    return replaced(text, (cold, cold.replace("\n        return", f" {{\n        {nops((4, 9, 17, 33, 70)[number])}\n        return")
                           + "    }\n"))


def with_longer_steal(text, number):
    """Three instructions at the beginning, or after one of the first statements."""
    head, steal = text.split(STEAL)
    places = [match.end() for match in re.finditer(r"^    (?:\(void\)self;|\}|deque_item taken[^;]*;|\*item = taken;)\n", steal, re.M)]
    at = [0, *places][number]
    return head + STEAL + steal[:at] + f"    {nops(3)}\n" + steal[at:]


FORMS = with_unused, in_another_order, with_longer_cold_branch, with_longer_steal
FORMS_EACH = 5
TIMES_STEALS = {"steal", "contention-10k", "contention-1M"}
# {name of a tree: the edit of its header}. The time of push, pop and steal is nearly all chain; a fork or a sort's task takes as
# long as some steps.
CHAINS = [("push", PUSH, steps) for steps in (21, 22, 33, 34, 100, 103, 105, 106, 110, 116)] + [
    (name, operation, steps) for name, operation in (("pop", POP), ("steal", STEAL)) for steps in (100, 103, 105)]
PLANTED = {f"{name}_{steps}": lambda text, operation=operation, steps=steps: chained(text, operation, steps)
           for name, operation, steps in CHAINS}
PLANTED |= {f"harmless_{len(FORMS) * number + place:02d}": lambda text, form=form, number=number: form(text, number)
            for number in range(FORMS_EACH) for place, form in enumerate(FORMS)}


def different(source, target):
    """Copies a file unless the same one is there already, so that objects built from it stay up to date."""
    if not os.path.exists(target) or os.stat(source).st_mtime != os.stat(target).st_mtime:
        shutil.copy2(source, target)


def tree_with(name, root=TREES):
    """The copy of this tree with the planted edit, and with built objects that do not depend on the deque."""
    tree = Path(root) / re.sub(r"\W", "_", name)
    built = [f"build/{path}" for path in ("build.json", "libmeasuring.a", "obj/harness", "obj/timed/once", f"checks/{DEQUE}",
                                          f"pool_checks/{DEQUE}")]
    for path in [*COPIED, *filter(os.path.exists, built)]:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        if Path(path).is_dir():
            shutil.copytree(path, tree / path, copy_function=different, dirs_exist_ok=True,
                            ignore=lambda folder, _: [Path(HEADER).name] if folder == str(Path(HEADER).parent) else [])
        else:
            different(path, tree / path)
    text = PLANTED[name](Path(HEADER).read_text(encoding="utf-8"))
    header = tree / HEADER
    if not header.exists() or header.read_text(encoding="utf-8") != text:
        header.write_text(text, encoding="utf-8")
    return tree


def build_trees(kinds, layouts):
    """Builds the executables that these kinds time. The checks are the unchanged deque's: trials do not check correctness."""
    parts = {}
    for kind in kinds:
        for build in {kind.base, kind.head} - {Path("build")}:
            parts.setdefault(build.parent.name, set()).update(kind.parts)
    for number, (name, wanted) in enumerate(sorted(parts.items())):
        print(f"\r\033[Kbuilding {name}, {number + 1} of {len(parts)}", end="", file=sys.stderr, flush=True)
        targets = [f"build/{part}/{DEQUE}" for part in sorted(wanted)]
        targets += [f"build/{LAYOUTS}/{number}/{DEQUE}" for number in range(1, layouts) if "pool" in wanted]
        tree = tree_with(name)
        said = revisions.make_like(tree, ["-o", f"build/checks/{DEQUE}", *targets])
        if not all((tree / target).exists() for target in targets):
            raise Problem(f"{name} cannot be built: {said}")
    print(file=sys.stderr)
    revisions.make_like(Path("."), [f"build/{LAYOUTS}/{number}/{DEQUE}" for number in range(1, layouts)])


@dataclass
class Kind:
    """series: whose pairs it takes. base, head: folders of builds. whole: cells of the gate's suite, else of the trials' own.
    tags: only these; none: all. exchanged: base and head are exchanged. turn, of: it is tried in each trial whose number
    modulo `of` is turn. least, most: the promised share of trials that alarm. either_way: by compare's rule."""

    name: str
    series: str
    base: Path
    head: Path
    whole: bool = False
    tags: tuple = ()
    exchanged: bool = False
    turn: int = 0
    of: int = 1
    least: float = 0.0
    most: float = 1.0
    either_way: bool = False

    @property
    def alarms(self):
        """The verdicts on a cell that are an alarm."""
        if not self.either_way:
            return {SLOWER}
        return {SLOWER, FASTER} if self.whole else {FASTER if self.exchanged else SLOWER}

    @property
    def parts(self):
        pooled = {tag for tag in self.tags if tag in ("fib", "quicksort")}
        return {"deques", "pool"} if self.whole else {"pool"} if pooled else {"deques"}


def slower(what, percent, operation, steps, least, **options):
    base, head = (TREES / f"{operation}_{number}" / "build" for number in steps)
    return Kind(f"{what} {percent} % slower", f"{what}_{percent}", base, head, tags=(what,), least=least, **options)


GATE_CELLS = tuple(Suite(SUITE).cells)
KINDS = [
    Kind(IDENTICAL, "identical", Path("build"), Path("build"), whole=True, most=0.01),
    *(Kind("harmless", name, Path("build"), TREES / name / "build", whole=True, most=0.01, turn=number, of=len(FORMS) * FORMS_EACH,
           tags=tuple(tag for tag in GATE_CELLS if FORMS[number % len(FORMS)] != with_longer_steal or tag not in TIMES_STEALS))
      for number, name in enumerate(name for name in PLANTED if name.startswith("harmless_"))),
    slower("push", 3, "push", (100, 103), 0.95), slower("push", 5, "push", (100, 105), 0.99),
    Kind("push 3 % faster", "push_3", TREES / "push_100" / "build", TREES / "push_103" / "build", tags=("push",), exchanged=True,
         most=0.0),
    slower("pop", 3, "pop", (100, 103), 0.95), slower("pop", 5, "pop", (100, 105), 0.99),
    slower("steal", 3, "steal", (100, 103), 0.95), slower("steal", 5, "steal", (100, 105), 0.99),
    slower("fib", 3, "push", (33, 34), 0.9), slower("fib", 5, "push", (21, 22), 0.95),
    slower("quicksort", 3, "push", (100, 110), 0.8), slower("quicksort", 5, "push", (100, 116), 0.95),
    # A longer push shifts the rhythm of owner and thief: 3 steps of 100 made this cell 1.6 % slower, 6 steps 8 %, never 3 %.
    slower("contention", 8, "push", (100, 106), 0.95), slower("contention", 11, "push", (100, 110), 0.99),
]
# compare promises only that identical builds are rarely called different.
KINDS += [replace(kind, name=f"compare: {kind.name}", either_way=True, least=0.0, most=ALPHA if kind.whole else 1.0)
          for kind in KINDS if kind.name != "harmless"]


@dataclass
class Outcome:
    """Of one kind. alarms: trials that ended in one; undecided: those without an alarm in which a cell's budget ran out;
    taken: seconds of measuring; pairs: in all trials; ratios: of each cell of each trial."""

    name: str
    least: float
    most: float
    trials: int = 0
    alarms: int = 0
    undecided: int = 0
    pairs: int = 0
    taken: float = 0.0
    ratios: list = field(default_factory=list)

    def interval(self):
        return exact_interval(self.alarms, self.trials)

    @property
    def verdict(self):
        """Denied if the whole interval lies outside the promise; shown if all of it lies inside."""
        low, high = self.interval()
        if high < self.least or low > self.most:
            return "DENIED"
        return "shown" if self.least <= low and high <= self.most else "not denied"


def exact_interval(found, of):
    """Clopper and Pearson's of a share, 95 %."""
    return tuple(stats.binomtest(found, of).proportion_ci(0.95, method="exact"))


class Timed:
    """The trials of a kind: one after the other through its series."""

    def __init__(self, kind, series, gate_cells, budget, outcome):
        self.kind, self.series, self.outcome = kind, series, outcome
        tags = list(series.pairs)
        self.budget, self.gate_cells = budget * len(tags) / gate_cells, gate_cells
        self.starts, self.rows = dict.fromkeys(tags, 0), []

    def next(self):
        """Makes one trial. TimeIsUp if it lacks pairs and there is no time to measure them."""
        watch = WatchedEitherWay if self.kind.either_way else Watched
        cells = [watch(DEQUE, tag, self.series.suite.cells[tag]["title"], cells=self.gate_cells) for tag in self.starts]
        trial = Recorded(self.series, cells, self.starts, self.kind.exchanged)
        took = measure_until_decided([trial], self.budget, clock=trial.clock)
        alarms = [cell.tag for cell in cells if cell.verdict in self.kind.alarms]
        one = self.outcome
        one.trials += 1
        one.alarms += bool(alarms)
        one.undecided += not alarms and any(cell.verdict == UNDECIDED for cell in cells)
        one.pairs += sum(len(cell.logs) for cell in cells)
        one.taken += took
        one.ratios += [cell.decision.ratio for cell in cells]
        self.rows += [["compare " * self.kind.either_way + self.series.file.stem, one.trials, cell.tag, cell.verdict, len(cell.logs), f"{cell.decision.ratio:.4f}"]
                      for cell in cells]
        self.starts = {cell.tag: self.starts[cell.tag] + len(cell.logs) for cell in cells}


# --- what is said


def priority():
    """This process's priority in words, which measured processes inherit; "" if it is the usual one."""
    if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        return "measured in a real-time class, beside that load"
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return f"measured at nice {nice}" if nice else ""


def promised(outcome):
    if outcome.most == 0:
        return "never"
    if (outcome.least, outcome.most) == (0, 1):
        return ""
    return f"at most {100 * outcome.most:g} %" if outcome.most < 1 else f"at least {100 * outcome.least:g} %"


HEADINGS = ["planted", "trials", "alarms", "share", "interval 95 %", "promised", "", "undecided", "head : base",
            "pairs a trial", "seconds a trial"]


def rows_of(outcomes):
    rows = []
    for one in outcomes:
        low, high = one.interval()
        rows.append([one.name, str(one.trials), str(one.alarms), f"{100 * one.alarms / one.trials:.1f} %",
                     f"[{100 * low:.1f}, {100 * high:.1f}] %", promised(one), one.verdict if promised(one) else "", str(one.undecided),
                     f"{median(one.ratios):.3f}", f"{one.pairs / one.trials:.0f}", f"{one.taken / one.trials:.1f}"])
    return rows


def write_report(folder, conditions, rows, loads, trials):
    """report.md, for people; shares.csv and trials.csv, each trial's cells."""
    load = f"load average while measuring {median(loads):.1f} in the median, {min(loads):.1f} to {max(loads):.1f}"
    lines = ["# The gate's trials", "", *__doc__.split("\n\n", 1)[1].rstrip().splitlines(), "", "## Found", "",
             ("Beside a process that keeps one processor busy. " if conditions["beside"] else "")
             + f"{conditions['machine']}; {load}; {conditions['priority'] + '; ' if conditions.get('priority') else ''}"
             f"a gate's budget is {conditions['budget']:g} s.", "",
             *markdown(HEADINGS, rows)]
    (folder / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_rows(folder / "shares.csv", [name or "verdict" for name in HEADINGS], rows)
    write_rows(folder / "trials.csv", ["planted", "trial", "cell", "verdict", "pairs", "head : base"], trials)
    print("\n".join(aligned(HEADINGS, rows, left={0, 5, 6})))
    print(f"\n{load}\nas text and data: {folder}/report.md, shares.csv, trials.csv")


class Progress:
    """A line a trial, overwritten on a terminal, with the time left, by what the trials of each kind took so far."""

    def __init__(self, wanted):
        self.wanted, self.ended = wanted, dict.fromkeys(wanted, 0)
        self.measured = {name: [] for name in wanted}  # how long each trial took, but for those that were there already

    def say(self, outcome, took):
        self.ended[outcome.name] = outcome.trials
        if took > 0.5:
            self.measured[outcome.name].append(took)
        left = sum((self.wanted[name] - ended) * sum(self.measured[name]) / max(1, len(self.measured[name]))
                   for name, ended in self.ended.items())
        text = (f"{outcome.name}: trial {outcome.trials} of {self.wanted[outcome.name]}, {outcome.alarms} alarms; "
                f"about {left // 3600:.0f}:{left // 60 % 60:02.0f} h left")
        start, end = ("\r\033[K", "") if sys.stderr.isatty() else ("", "\n")
        print(f"{start}{text}", end=end, file=sys.stderr, flush=True)


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} --gate", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = list(dict.fromkeys(kind.name for kind in KINDS))
    parser.add_argument("--trials", type=int, default=20, help="trials of each kind (default: 20; 200 show the promised shares)")
    parser.add_argument("--counted", type=int, help=argparse.SUPPRESS)  # of before: the lab's tests plant what is counted
    parser.add_argument("--for", type=seconds, default=None, dest="limit", metavar="TIME",
                        help="stop measuring after this time (90s, 20m, 4h), then report; --resume continues")
    parser.add_argument("--budget", type=seconds, metavar="TIME", help="time limit of one gate over all cells (default: 10m)")
    parser.add_argument("--only", metavar="KIND,KIND",
                        help="only kinds with this in their names: " + "; ".join(names).replace("%", "%%"))
    parser.add_argument("--beside", action="store_true", help="run beside a process that keeps one processor busy")
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument("--name", help="name of the folder below results/")
    folder.add_argument("--resume", metavar="NAME", help="continue this folder, with its settings")
    arguments = parser.parse_args(arguments)
    if not 1 <= arguments.trials <= 100000:
        parser.error("1 to 100000 trials")
    wanted = [part.strip() for part in arguments.only.split(",")] if arguments.only else [""]
    for part in wanted:
        if not any(part in name for name in names):
            raise Problem(f"nothing of the name {part} is planted; there are {'; '.join(names)}", EXIT_USAGE)
    return arguments, lambda name: any(part in name for part in wanted)


def folder_of(arguments):
    if not arguments.resume:
        return new_folder(arguments.name or time.strftime("%Y%m%d-%H%M%S-trust-gate"))
    folder = Path("results") / Path(arguments.resume).name
    if not conditions_of(folder):
        raise Problem(f"{folder} was not made by trust --gate", EXIT_USAGE)
    return folder


def open_series(folder, kinds, suites, until):
    """{name: Series} of these kinds, and the Timed of each."""
    whole, own = suites
    serieses = {}
    for kind in kinds:
        if kind.series not in serieses:
            suite = whole if kind.whole else own
            serieses[kind.series] = Series(folder / f"{kind.series}.csv", suite, DEQUE, (kind.base, kind.head),
                                           kind.tags or tuple(whole.cells), until)
    return serieses


def open_timed(kinds, serieses, suites, budget):
    """[Timed]; kinds of one name have one outcome."""
    outcomes = {kind.name: Outcome(kind.name, kind.least, kind.most) for kind in kinds}
    return [Timed(kind, serieses[kind.series], len(suites[0].cells), budget, outcomes[kind.name]) for kind in kinds]


def go_through(timed, trials, progress):
    """A trial of each kind in turn, so that there are equally many of each whenever it ends."""
    for number in range(trials):
        for one in (one for one in timed if number % one.kind.of == one.kind.turn):
            began = time.monotonic()
            one.next()
            progress.say(one.outcome, time.monotonic() - began)


def kept_besides(folder, kinds, suites, trials, budget):
    """({name: Series}, [Timed]) of the kinds in the folder that this call does not name, as far as their pairs suffice."""
    others = [kind for kind in KINDS if kind not in kinds and (folder / f"{kind.series}.csv").exists()]
    serieses = open_series(folder, others, suites, -math.inf)
    timed = open_timed(others, serieses, suites, budget)
    for one in timed:
        try:
            for _ in range(one.kind.turn, trials, one.kind.of):
                one.next()
        except TimeIsUp:
            pass
    return serieses, timed


def main():
    arguments, wanted = parse_arguments()
    suites = Suite(SUITE), Suite(TRIALS_SUITE)
    kinds = [kind for kind in KINDS if wanted(kind.name) and kind.turn < arguments.trials]
    folder = folder_of(arguments)
    until = time.monotonic() + arguments.limit if arguments.limit else math.inf
    begun = conditions_of(folder)
    conditions = dict(machine=f"{machine()}, {platform.system()} {platform.release()}",
                      beside=arguments.beside or begun.get("beside", False),
                      budget=arguments.budget or begun.get("budget", BUDGET),
                      gate=Path(SUITE).read_text(encoding="utf-8"))
    conditions["priority"] = begun.get("priority", priority())
    build_trees(kinds, suites[0].layouts)
    conditions |= {f"builds of {kind.series}": builds_hash((kind.base, kind.head), DEQUE) for kind in kinds}
    conditions = same_conditions(folder, conditions)
    serieses = open_series(folder, kinds, suites, until)
    timed = open_timed(kinds, serieses, suites, conditions["budget"])
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if conditions["beside"] else None
    try:
        go_through(timed, arguments.trials, Progress({kind.name: arguments.trials for kind in kinds}))
    except (TimeIsUp, KeyboardInterrupt):
        pass
    finally:
        if burner:
            burner.kill()
            burner.wait()
    print(file=sys.stderr)
    others, more = kept_besides(folder, kinds, suites, arguments.trials, conditions["budget"])
    serieses, timed = {**others, **serieses}, sorted(timed + more, key=lambda one: KINDS.index(one.kind))
    outcomes = {id(one.outcome): one.outcome for one in timed if one.outcome.trials}.values()
    if not outcomes:
        raise Problem(f"no trial ended in that time; its pairs are kept: --resume={folder.name}")
    loads = [pair.load for series in serieses.values() for pairs in series.pairs.values() for pair in pairs]
    write_report(folder, conditions, rows_of(outcomes), loads, [row for one in timed for row in one.rows])
    return int(any(outcome.verdict == "DENIED" for outcome in outcomes))


if __name__ == "__main__":
    run_program(main)
