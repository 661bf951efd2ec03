"""python3 -m harness.trust.ci_trials [--trials=N] [--for=TIME] ...: does the CI job find planted slowdowns?

A trial is a job of its own: the CI job's code measures and judges two builds that differ by a known change, planted in
Chase-Lev's source. Nothing is simulated.

- identical: one build twice, in all cells of suites/ci.suite. An alarm in any cell is an alarm.
- harmless: an edit that costs nothing and moves code, in 20 forms in turn: an unused function, the functions in another
  order, a longer branch that is not taken, three instructions in a steal. All cells again; the last form leaves out the cells
  that time steals.
- slower: a chain of known length, a little longer in push, pop or steal: by itself, as the fork of the pool, or among the
  other work of an owner, a thief, a sort. Only that cell is timed, with its part of alpha and budget among all cells.
- faster: base and head of "3 % slower" exchanged.

Planted trees are copies below build/ci_trials, built once, in all variants of the code. Exit 1 if the job finds less than it
promises: if the whole interval of a share lies outside the promise.
"""

import argparse
import itertools
import math
import os
import platform
import random
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from scipy import stats

from harness.judging.run_folder import EXIT_USAGE, PROGRAM, Problem, run_program, write_rows
from harness.judging.ci import SUITE, machine, new_folder, seconds
from harness.judging.deciding import SLOWER, UNDECIDED, Watched
from harness.judging import revisions
from harness.judging.bench import Bench, Suite, measure_until_decided, measured
from harness.judging.text_table import aligned, markdown
from harness.judging.statistics import median

TRIALS_SUITE = "harness/trust/ci_trials.suite"
TREES = Path("build/ci_trials")
DEQUE = "chase_lev"
HEADER = f"queues/{DEQUE}.h"
PUSH = "DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {\n"
POP = "DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {\n"
STEAL = "DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {\n"
COPIED = "Makefile harness proof queues setup workloads".split()
BUDGET = 600.0  # seconds, of ./run.sh ci --against


def replaced(text, *pairs):
    for found, put in pairs:
        if text.count(found) != 1:
            raise Problem(f"nothing can be planted at {found.splitlines()[0]!r}: {HEADER} has changed")
        text = text.replace(found, put)
    return text


def chained(text, operation, steps):
    """Plants a chain of so many steps in the operation; each chain waits for that of the previous operation."""
    return replaced(text, ('#include "parts/ring.h"\n', f'''#include "parts/ring.h"
#define PLANTED_STEPS {steps}
#include "harness/trust/planted_chain.h"
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
    return text + "".join(declared + functions)


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


def tree_with(name, root=TREES):
    """The copy of this tree with the planted edit, and with built objects that do not depend on the deque. Copies have the times of
    what they are copies of, so objects built from them stay up to date."""
    tree = Path(root) / re.sub(r"\W", "_", name)
    built = [f"build/{path}" for path in (".ninja_log", "build.json", "libmeasuring.a", "obj/harness", "obj/driver", "obj/timed/once", f"checks/{DEQUE}")]
    for path in [*COPIED, *filter(os.path.exists, built)]:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        if Path(path).is_dir():
            shutil.copytree(path, tree / path, dirs_exist_ok=True,
                            ignore=lambda folder, _: [Path(HEADER).name] if folder == str(Path(HEADER).parent) else [])
        else:
            shutil.copy2(path, tree / path)
    text = PLANTED[name](Path(HEADER).read_text(encoding="utf-8"))
    header = tree / HEADER
    if not header.exists() or header.read_text(encoding="utf-8") != text:
        header.write_text(text, encoding="utf-8")
    return tree


def build_trees(kinds, variants):
    """Builds the executables that these kinds time. The checks are the unchanged deque's: trials do not check correctness."""
    parts = {}
    for kind in kinds:
        for build in {kind.base, kind.head} - {Path("build")}:
            parts.setdefault(build.parent.name, set()).update(kind.families)
    for number, (name, wanted) in enumerate(sorted(parts.items())):
        print(f"\r\033[Kbuilding {name}, {number + 1} of {len(parts)}", end="", file=sys.stderr, flush=True)
        targets = revisions.targets_of(DEQUE, sorted(wanted), variants)[1:]
        tree = tree_with(name)
        said = revisions.make_like(tree, targets)
        if not all((tree / target).exists() for target in targets):
            raise Problem(f"{name} cannot be built: {said}")
    print(file=sys.stderr)
    here = {family for kind in kinds if Path("build") in (kind.base, kind.head) for family in kind.families}
    revisions.make_like(Path("."), revisions.targets_of(DEQUE, sorted(here), variants))


@dataclass
class Kind:
    """base, head: folders of builds. whole: cells of the job's suite, else of the trials' own. tags: only these; none: all.
    turn, of: it is tried in each trial whose number modulo `of` is turn. least, most: the promised share of trials that
    alarm."""

    name: str
    base: Path
    head: Path
    whole: bool = False
    tags: tuple = ()
    turn: int = 0
    of: int = 1
    least: float = 0.0
    most: float = 1.0

    @property
    def families(self):
        return Suite(SUITE if self.whole else TRIALS_SUITE, self.tags).families(revisions.described()[1])


def slower(what, percent, operation, steps, least):
    base, head = (TREES / f"{operation}_{number}" / "build" for number in steps)
    return Kind(f"{what} {percent} % slower", base, head, tags=(what,), least=least)


JOB_CELLS = tuple(Suite(SUITE).cells)
KINDS = [
    Kind("identical", Path("build"), Path("build"), whole=True, most=0.01),
    *(Kind("harmless", Path("build"), TREES / name / "build", whole=True, most=0.01, turn=number, of=len(FORMS) * FORMS_EACH,
           tags=tuple(tag for tag in JOB_CELLS if FORMS[number % len(FORMS)] != with_longer_steal or tag not in TIMES_STEALS))
      for number, name in enumerate(name for name in PLANTED if name.startswith("harmless_"))),
    slower("push", 3, "push", (100, 103), 0.95), slower("push", 5, "push", (100, 105), 0.99),
    Kind("push 3 % faster", TREES / "push_103" / "build", TREES / "push_100" / "build", tags=("push",), most=0.0),
    slower("pop", 3, "pop", (100, 103), 0.95), slower("pop", 5, "pop", (100, 105), 0.99),
    slower("steal", 3, "steal", (100, 103), 0.95), slower("steal", 5, "steal", (100, 105), 0.99),
    slower("fib", 3, "push", (33, 34), 0.9), slower("fib", 5, "push", (21, 22), 0.95),
    slower("quicksort", 3, "push", (100, 110), 0.8), slower("quicksort", 5, "push", (100, 116), 0.95),
    # A longer push shifts the rhythm of owner and thief: 3 steps of 100 made this cell 1.6 % slower, 6 steps 8 %, never 3 %.
    slower("contention", 8, "push", (100, 106), 0.95), slower("contention", 11, "push", (100, 110), 0.99),
]


@dataclass
class Outcome:
    """Of one kind. alarms: trials that ended in one; undecided: those without an alarm in which a cell's budget ran out;
    ratios: of each cell of each trial; rows: each cell of each trial."""

    name: str
    least: float
    most: float
    trials: int = 0
    alarms: int = 0
    undecided: int = 0
    ratios: list = field(default_factory=list)
    rows: list = field(default_factory=list)

    def interval(self):
        """Clopper and Pearson's of the share of alarms, 95 %."""
        return tuple(stats.binomtest(self.alarms, self.trials).proportion_ci(0.95, method="exact"))

    @property
    def verdict(self):
        """Denied if the whole interval lies outside the promise; shown if all of it lies inside."""
        low, high = self.interval()
        if high < self.least or low > self.most:
            return "DENIED"
        return "shown" if self.least <= low and high <= self.most else "not denied"

    def add(self, cells):
        verdicts = {cell.verdict for cell in cells}
        self.trials += 1
        self.alarms += SLOWER in verdicts
        self.undecided += SLOWER not in verdicts and UNDECIDED in verdicts
        self.ratios += [cell.decision.ratio for cell in cells]
        self.rows += [[self.name, self.trials, cell.tag, cell.verdict, len(cell.logs), f"{cell.decision.ratio:.4f}"] for cell in cells]


def spent(bench):
    """Seconds of the processes so far. The driver's start is left out: a job starts it once for all cells."""
    folder = bench.results / bench.name
    if not (folder / "samples.csv").exists():
        return 0.0
    return sum(sum(side.values["process", "invocation_time"].values()) for side in measured(folder).values())


def try_once(kind, number, scratch):
    """The cells of one job, each with its verdict. The number draws the order of variants."""
    suite = Suite(SUITE if kind.whole else TRIALS_SUITE)
    cells = [Watched(DEQUE, tag, suite.cells[tag]["title"], cells=len(JOB_CELLS)) for tag in kind.tags or suite.cells]
    for cell in cells:
        suite.cells[cell.tag]["settings"] += f" seed={number + 1}"
    bench = Bench("build/stealbench", suite, DEQUE, cells, (kind.base, kind.head), scratch, Path(scratch) / "results")
    measure_until_decided([bench], BUDGET * len(cells) / len(JOB_CELLS), clock=lambda: spent(bench), unsound=True)
    if broken := next((cell for cell in cells if len(cell.logs) < 2), None):
        raise Problem(f"{kind.name}: {broken.name} was not measured: {broken.why}")
    return cells


def go_through(kinds, trials, until=math.inf):
    """[Outcome]. A trial of each kind in turn, so that there are equally many of each whenever it ends."""
    outcomes = {kind.name: Outcome(kind.name, kind.least, kind.most) for kind in kinds}
    in_turn = ((number, kind) for number in range(trials) for kind in kinds if number % kind.of == kind.turn)
    try:
        for number, kind in itertools.takewhile(lambda _: time.monotonic() < until, in_turn):
            with tempfile.TemporaryDirectory(dir="build", prefix="ci-trials-") as scratch:
                outcomes[kind.name].add(try_once(kind, number, scratch))
            one = outcomes[kind.name]
            print(f"{kind.name}: trial {one.trials} of {trials}, {one.alarms} alarms", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        pass
    return [one for one in outcomes.values() if one.trials]


def promised(outcome):
    if outcome.most == 0:
        return "never"
    return f"at most {100 * outcome.most:g} %" if outcome.most < 1 else f"at least {100 * outcome.least:g} %"


HEADINGS = ["planted", "trials", "alarms", "interval 95 %", "promised", "", "undecided", "head : base"]


def rows_of(outcomes):
    rows = []
    for one in outcomes:
        low, high = one.interval()
        rows.append([one.name, str(one.trials), str(one.alarms), f"[{100 * low:.1f}, {100 * high:.1f}] %", promised(one), one.verdict,
                     str(one.undecided), f"{median(one.ratios):.3f}"])
    return rows


def write_report(folder, outcomes):
    """report.md, and trials.csv with each trial's cells."""
    rows = rows_of(outcomes)
    lines = ["# Trials of the CI job", "", *__doc__.split("\n\n", 1)[1].rstrip().splitlines(), "", "## Found", "",
             f"{machine()}, {platform.system()} {platform.release()}; a job's budget is {BUDGET:g} s.", "", *markdown(HEADINGS, rows)]
    (folder / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_rows(folder / "trials.csv", ["planted", "trial", "cell", "verdict", "pairs", "head : base"],
               [row for one in outcomes for row in one.rows])
    print("\n".join(aligned(HEADINGS, rows, left={0, 4, 5})))
    print(f"\nas text and data: {folder}/report.md, trials.csv")


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} --ci", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = list(dict.fromkeys(kind.name for kind in KINDS))
    parser.add_argument("--trials", type=int, default=20, help="trials of each kind (default: 20; 200 show the promised shares)")
    parser.add_argument("--for", type=seconds, default=math.inf, dest="limit", metavar="TIME",
                        help="begin no trial after this time (90s, 20m, 4h)")
    parser.add_argument("--only", default="", metavar="KIND,KIND",
                        help="only kinds with this in their names: " + "; ".join(names).replace("%", "%%"))
    parser.add_argument("--name", help="name of the folder below results/")
    parser.add_argument("--ci", action="store_true", help="asks for these trials")
    arguments = parser.parse_args(arguments)
    if not 1 <= arguments.trials <= 100000:
        parser.error("1 to 100000 trials")
    wanted = [part.strip() for part in arguments.only.split(",")]
    for part in wanted:
        if not any(part in name for name in names):
            raise Problem(f"nothing of the name {part} is planted; there are {'; '.join(names)}", EXIT_USAGE)
    return arguments, [kind for kind in KINDS if kind.turn < arguments.trials and any(part in kind.name for part in wanted)]


def main():
    arguments, kinds = parse_arguments()
    until = time.monotonic() + arguments.limit
    folder = new_folder(arguments.name or time.strftime("%Y%m%d-%H%M%S-ci-trials"))
    build_trees(kinds, Suite(SUITE).variants)
    outcomes = go_through(kinds, arguments.trials, until)
    if not outcomes:
        raise Problem("no trial ended in that time")
    write_report(folder, outcomes)
    return int(any(outcome.verdict == "DENIED" for outcome in outcomes))


if __name__ == "__main__":
    run_program(main)
