"""Measures two sides in turns, base and head or two deques, until all cells are decided or the time is over.

The driver measures. Each side has an id of its own (base/chase_lev, head/chase_lev), and the two ids make a group of a section,
which the driver measures in turns: base first in one pair, head first in the next. Resuming the run with more invocations keeps
the existing ones, so a look at the pairs costs nothing.
"""

import shutil
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from harness.judging.metrics import value_among
from harness.judging.run_folder import EXIT_USAGE, Problem, Run, worst_status
from harness.judging.summaries import distance_of
from harness.judging.deciding import FAILED, UNDECIDED, UNMEASURED, log_ratios
from harness.judging.statistics.distances import at_one_place, classes_of, told

CHECKS = "checks"  # the executables of these, without which a deque is not timed
SIDES = ("base", "head")


class Suite:
    """A suite's file in which each section is one cell: the options of all, and {tag: title, options, workload, settings}. text()
    names the deques."""

    def __init__(self, path, tags=()):
        """tags: only these cells; none: all."""
        self.options, self.cells, section = [], {}, None
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            line = line.split("#")[0].strip()
            if line.startswith("["):
                tag, _, title = line[1:].partition("]")
                section = self.cells[tag] = dict(title=title.strip(), options=[], workload="", settings="")
            elif line.startswith(("invocations ", "title ")) or not line:
                continue
            elif section is None or line.startswith(("repetitions ", "minimum_time ", "timeout ", "precision ", "variants ")):
                (self.options if section is None else section["options"]).append(line)
            elif section["workload"]:
                raise Problem(f"{path}: [{tag}] has two lines; a section here is one cell", EXIT_USAGE)
            else:
                section["workload"], *settings = [word for word in line.split() if not word.startswith("deque=")]
                section["settings"] = " ".join(settings)
        if tags:
            self.only(tags)

    @property
    def variants(self):
        """The number of variants of the code, of all cells."""
        return next((int(line.split()[1]) for line in self.options if line.startswith("variants ")), 2)

    def families(self, family_of):
        """The families that have these cells' workloads; family_of: {workload: family}."""
        return sorted({family_of[cell["workload"]] for cell in self.cells.values() if cell["workload"] in family_of})

    def only(self, tags):
        """Keeps only these cells; steal also names steal-10 and steal-50."""
        kept = {}
        for tag in tags:
            named = [cell for cell in self.cells if cell == tag or cell.startswith(f"{tag}-") and tag not in self.cells]
            if not named:
                raise Problem(f"no cell {tag} is there; there are {', '.join(self.cells)}", EXIT_USAGE)
            kept |= dict.fromkeys(named)
        self.cells = {name: cell for name, cell in self.cells.items() if name in kept}

    def text(self, watched, ids, title="Base and head in turns"):
        """The suite of two sides, each cell with the wanted number of invocations. Decided cells stay in it, because a run has only
        cells that its suite names."""
        lines = [f"title {title}", *self.options]
        for tag in dict.fromkeys(one.tag for one in watched):
            cell = self.cells[tag]
            lines += [f"[{tag}] {cell['title']}", f"invocations {max(one.asked + one.left_out for one in watched if one.tag == tag)}",
                      *cell["options"], f"{cell['workload']} deque={','.join(ids)} {cell['settings']}"]
        return "\n".join(lines) + "\n"


def id_of(side):
    """(prefix or "", deque) as the driver names it."""
    return "/".join(filter(None, side))


def folders_of(deque, build):
    """The folders of a build that hold executables of this deque, below the build's."""
    below = [path for pattern in ("deques/*", CHECKS) for path in Path(build).glob(pattern) if (path / deque).is_file()]
    return {str(path.relative_to(build)) for path in below}


class Bench:
    """Two sides, their cells, and their run. sides: each side's prefix of ids ("": none) and its deque; by default the two
    builds of one deque."""

    def __init__(self, driver, suite, deque, watched, builds, scratch, results, sides=None, title="Base and head in turns"):
        self.driver, self.suite, self.deque, self.watched, self.title = driver, suite, deque, watched, title
        self.folder = Path(scratch) / deque.replace("/", "-")
        self.results, self.name = Path(results), deque.replace("/", "-")
        self.begun = False
        self.folders, self.copies = [], {}
        sides = sides or [(side, deque) for side in SIDES]
        self.ids = list(map(id_of, sides))
        both = set.intersection(*(folders_of(its_deque, build) for (_, its_deque), build in zip(sides, builds)))
        for (side, its_deque), build in zip(sides, builds):
            for part in sorted(both):
                target = self.folder / side / "original" / part / its_deque
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(build) / part / its_deque, target)  # so a build meanwhile changes nothing
                self.copies[self.folder / side / part / its_deque] = target
                if "." not in part:  # else another variant
                    self.folders.append((f"{side}=" if side else "") + str(self.folder / side / part))
        self.folders = list(dict.fromkeys(self.folders))

    @property
    def open(self):
        return [cell for cell in self.watched if not cell.verdict]

    def _copy_anew(self):
        """An executable's speed depends on the place of its pages in memory, which stays the same as long as the file exists. So each
        call of the driver measures new copies, and no build has the better place throughout."""
        for copy, original in self.copies.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            new = copy.with_name(copy.name + ".new")  # before the old one's pages are freed and may be reused
            shutil.copy2(original, new)
            new.replace(copy)

    def measure(self, unsound=False, options=()):
        """Calls the driver once for the wanted pairs, and looks at all cells."""
        self._copy_anew()
        file = self.folder / f"{self.name}.suite"
        file.write_text(self.suite.text(self.watched, self.ids, self.title), encoding="utf-8")
        done = subprocess.run(
            [self.driver, "suite", file, f"--deques-in={':'.join(self.folders)}", f"--results={self.results}", "--quiet",
             f"--resume={self.name}" if self.begun else f"--name={self.name}", *(["--unsound"] if unsound else []),
             *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        self.begun = True
        if done.returncode == 130:
            raise KeyboardInterrupt
        if done.returncode in (1, 2):
            self._end_all(FAILED if self.ids[1] in done.stderr and done.returncode == 1 else UNDECIDED, done.stderr)
        elif not (self.results / self.name / "samples.csv").exists():
            self._end_all(UNDECIDED, done.stderr)
        else:
            self._look(done.stderr)

    def _end_all(self, verdict, said):
        for cell in self.open:
            cell.verdict, cell.why = verdict, (said.strip().splitlines() or ["the driver said nothing"])[-1]

    def _look(self, said):
        found = measured(self.results / self.name)
        for cell in self.open:
            sides = [found.get((cell.tag, one)) for one in self.ids]
            judged = judged_of(cell, sides)
            ended = [side.ended if side else "unproven" for side in sides]
            if ended != ["ok", "ok"] or any(judged not in side.values for side in sides):
                cell.verdict = (FAILED if ended[1] in ("crashed", "timeout") and ended[0] == "ok" else
                                UNMEASURED if ended == ["ok", "ok"] else UNDECIDED)
                cell.why = next((line.strip() for line in said.splitlines() if any(one in line for one in self.ids)),
                                f"{self.ids[0]} {ended[0]}, {self.ids[1]} {ended[1]}" if ended != ["ok", "ok"]
                                else "this deque or machine does not have it")
                continue
            cell.see(*take_pairs(cell, sides, judged))


def judged_of(cell, sides):
    """The (role, metric) by which the cell is judged; None if no side has a value."""
    return cell.judged or next((side.value for side in sides if side), None)


def take_pairs(cell, sides, judged):
    """Puts the values of base and head for this role and metric, at one distance, into the cell. Returns the pairs' logarithms, and
    the code that each pair was measured in."""
    base, head = (side.values[judged] for side in sides)
    cell.unit = sides[0].units[judged]
    shared = [i for i in sorted(base.keys() & head.keys()) if at_one_place(*(side.distances.get(i) for side in sides))]
    cell.across = len(base.keys() & head.keys()) - len(shared)
    cell.distances = [sides[0].distances.get(i) for i in shared]
    cell.sides = tuple([side[i] for i in shared] for side in (base, head))
    logs = log_ratios({i: base[i] for i in shared}, head, cell.unit.endswith("/s"))
    cell.left_out = len(sides[0].distances.keys() & sides[1].distances.keys()) - len(logs)
    return list(logs.values()), [sides[0].codes[i] for i in logs]


@dataclass
class Side:
    """The results of one build's cell. ended: the worst status of its processes. values: {(role, metric): {invocation: its best}}, the
    shortest time or highest throughput of the process's repetitions: a disturbance only makes a process slower, and hits few of
    many short repetitions."""

    ended: str = "ok"
    values: dict = field(default_factory=lambda: defaultdict(dict))
    units: dict = field(default_factory=dict)
    distances: dict = field(default_factory=dict)  # {invocation: ns, None or MOVED}
    codes: dict = field(default_factory=dict)  # {invocation: its variant, "": there is one}

    @property
    def value(self):
        return value_among(self.units)


def measured(folder):
    """{(tag, deque): Side} of a run whose sections have a cell a deque."""
    run, found = Run(folder), {}
    for (cell, invocation), rows in run.invocations.items():
        facts, some = run.cells[cell], defaultdict(list)
        ended = rows[-1]["status"]
        place, there = distance_of(rows)
        for row in there:
            if row["value"] is not None and ended == "ok":
                some[row["role"], row["metric"], row["unit"]].append(row["value"])
        for tag in facts["tags"]:
            side = found.setdefault((tag, facts["deque"]), Side())
            side.ended = worst_status([side.ended, ended])
            side.distances[invocation] = place
            side.codes[invocation] = rows[-1]["variant"]
            for (role, metric, unit), values in some.items():
                side.values[role, metric][invocation] = max(values) if unit.endswith("/s") else min(values)
                side.units[role, metric] = unit
    return found


def measure_until_decided(benches, budget, clock=time.monotonic, progress=None, unsound=False, **how):
    """Measures the deques in turns until no cell is open or budget seconds are spent; open cells are then undecided. Returns the
    seconds that it took."""
    began = clock()
    while any(bench.open for bench in benches) and clock() - began < budget:
        for bench in benches:
            if bench.open and clock() - began < budget:
                bench.measure(unsound, **how)
                if progress:
                    progress(benches, clock() - began)
    for bench in benches:
        for cell in bench.open:
            cell.verdict = UNDECIDED
            cell.why = cell.why or "the budget is spent" + (
                ": it looked slower, and was not confirmed yet" if cell.alarm_at else
                ": no pair is left whose sides were measured at one distance" if cell.across and not cell.logs else "")
    return clock() - began


def distances_told(cells):
    """A list of sentences on the distances between the processors of these cells' threads."""
    seen = told(classes_of(one for cell in cells for one in cell.distances), "pairs")
    across = sum(cell.across for cell in cells)
    moved = f"; {across} across a move of the processors dropped and measured again" if across else ""
    return [f"threads {seen or 'at no two equal distances'}{moved}"] if seen or across else []


def say_progress(benches, seconds):
    """One line, overwritten on a terminal; nothing if the output is no terminal."""
    if not sys.stderr.isatty():
        return
    cells = [cell for bench in benches for cell in bench.watched]
    open_ones = [cell for cell in cells if not cell.verdict]
    print(f"\r\033[K{seconds:4.0f} s, {len(cells) - len(open_ones)} of {len(cells)} cells decided"
          + (f"; now {open_ones[0].name}, {len(open_ones[0].logs)} pairs" if open_ones else "\n"), end="",
          file=sys.stderr, flush=True)
