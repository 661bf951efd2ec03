#!/usr/bin/python3
"""run.py: do the checks catch mistakes? Runs every mutant of every sound deque through the checks until one kills it.

    proof/mutants/run.py [DEQUE...] [--jobs N]
    proof/mutants/run.py --check                 does equivalent.txt name only mutants that exist?

`make mutants` calls it. mutate.py makes the mutants from the header as it is. build/mutants/scores/DEQUE.csv keeps the
verdicts. A later run uses them unless the deque's code has changed, so a run that was stopped goes on where it was.

A mutant that passes every check has survived. If a check came to no verdict (out of time, tool missing), the mutant stays open,
its row names the check, and the next run tries that check again. After you wrote a new check, delete the file of verdicts.

Compiling would take most of the time. So each check is built once with all mutants of a deque, and the environment chooses one
(chosen.c). Where compilers take an order that is chosen so for seq_cst, mutants of orders and fences are built alone: for the
model checker and for real threads. The model checker is not asked of logic, where the other checks have to find every mistake.

At the end come the mutants that are left, and how many of each deque were killed. An argument that a mutant is harmless
(equivalent.txt) counts once the mutant has survived the cheap checks: it is for people to prove, and any kill refutes it. To try
the rest on it, take the argument away. Of the others, the checks must kill all of logic, fences and seq_cst without the model
checker, and 95 % of all with it. Exit: 0 they do, 1 they do not, 2 no such deque, 3 a tool is missing.
"""

import argparse
import concurrent.futures
import copy
import csv
import os
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import checks
import mutate

LOCAL = checks.BUILD / "mutants" / "scores"
HARMLESS = Path(__file__).resolve().parent / "equivalent.txt"
OPEN, KILLED, SURVIVED = "open", "killed", "survived"
MODEL = "model"  # its checks have names such as "model rc11 last_item"
DEMANDED_WITH_MODEL = 0.95

# In this order they are tried. `explore` spends most of its time in its exhaustive part.
CHEAP = (
    ("lab explore", checks.lab("explore", "--schedules=300", "--bound=1", "--quiet")),
    ("conformance", checks.check("plain", "conformance", 0.2)),
    ("lab explore, weak memory", checks.lab("explore", "--memory=weak", "--schedules=300", "--bound=1", "--quiet")),
    ("lab stop", checks.lab("stop")),
)
LONGER = (
    *((f"lab explore, {memory} memory, four switches",
       checks.lab("explore", f"--memory={memory}", "--client=missed", "--schedules=0", "--bound=4", "--quiet"))
      for memory in ("tso", "weak")),
    ("lab explore, missed by two", checks.lab("explore", "--client=missed_two", "--fault=stranger", "--schedules=50000", "--bound=0",
                                              "--quiet")),
    ("lab explore, weak memory, longer", checks.lab("explore", "--memory=weak", "--schedules=3000", "--bound=2", "--quiet")),
    ("sanitized conformance", checks.check("address", "conformance", 0.3)),
    ("lab explore, longer", checks.lab("explore", "--schedules=3000", "--bound=2", "--quiet")),
)
THREADS = (
    ("preempt", checks.check("plain", "preempt", 1.5)),
    ("stress", checks.check("plain", "stress", 1.5)),
    ("address preempt", checks.check("address", "preempt", 1.5)),
    ("thread preempt", checks.check("thread", "preempt", 2)),
)
NO_VERDICT = "no verdict: "  # for an open mutant; then come the names of the checks: "NAME; NAME"


class Row(NamedTuple):
    """The result for one mutant."""
    function: str
    line: str
    mutation: str
    kind: str
    verdict: str
    check: str  # the check that killed it; of an open mutant, those that came to no verdict
    code: str   # hash of the code that it was made from

    @property
    def key(self):
        return self[:3]


class Scores:
    """The rows of one deque."""

    def __init__(self, deque, text):
        self.deque, self.text = deque, text
        self.path = LOCAL / f"{deque}.csv"
        self.code = mutate.code_hash(text)
        self.mutants = mutate.mutants(text)
        self.lock = threading.Lock()
        self.rows = {}  # by key; later rows of the file replace earlier ones
        if self.path.exists():
            with open(self.path, newline="", encoding="utf-8") as file:
                rows = [Row(*fields) for fields in csv.reader(file)]
            self.rows = {row.key: row for row in rows if row.code == self.code}

    def row_of(self, mutant):
        return self.rows.get(mutant.key, Row(*mutant.key, mutant.kind, OPEN, "", self.code))

    def note(self, row):
        with self.lock:
            self.rows[row.key] = row
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(row)

    def counts(self, harmless):
        """By class and "all": "argued" (and survived every check), "killed", "by model"."""
        counts = Counter()
        for row in self.rows.values():
            counts[row.kind, "all"] += 1
            counts[row.kind, "argued"] += row.verdict == SURVIVED and (self.deque, row.key) in harmless
            counts[row.kind, "killed"] += row.verdict == KILLED
            counts[row.kind, "by model"] += row.verdict == KILLED and row.check.startswith(MODEL)
        return counts


def share(counts, kinds, with_model):
    """(number killed, number of mutants not argued harmless)."""
    killed = sum(counts[kind, "killed"] - (0 if with_model else counts[kind, "by model"]) for kind in kinds)
    return killed, sum(counts[kind, "all"] - counts[kind, "argued"] for kind in kinds)


def reached(counts):
    strict, (killed, of) = share(counts, (mutate.LOGIC, mutate.STRONG), False), share(counts, mutate.CLASSES, True)
    return strict[0] == strict[1] and killed >= DEMANDED_WITH_MODEL * of


def table(counts):
    """counts: {deque: its counts}."""
    lines = [f"{'':<22} mutants  argued" + "".join(f"{kind:>18}" for kind in mutate.CLASSES) + "  with the model checker"]
    for deque, of in {**counts, "all": sum(counts.values(), Counter())}.items():
        every, argued = (sum(of[kind, what] for kind in mutate.CLASSES) for what in ("all", "argued"))
        shares = ["{}/{}".format(*share(of, (kind,), False)) for kind in mutate.CLASSES]
        lines.append(f"{deque:<22} {every:>7} {argued:>7}" + "".join(f"{one:>18}" for one in shares) +
                     "{:>18}/{}".format(*share(of, mutate.CLASSES, True)))
    return "\n".join(lines)


def report(all_scores, harmless):
    """Prints what is left, and the table. Returns whether the demands are met."""
    for scores in all_scores:
        for mutant in scores.mutants:
            row = scores.rows.get(mutant.key)
            if row and row.verdict in (OPEN, SURVIVED) and (scores.deque, row.key) not in harmless:
                print(f"{row.verdict} ({row.check}): {mutant.where(scores.deque)} {row.function}: {row.line}: {row.mutation} ({row.kind})")
    counts = {scores.deque: scores.counts(harmless) for scores in all_scores}
    good = reached(sum(counts.values(), Counter()))
    print(table(counts))
    print(f"demanded (logic, fences, seq_cst: all, without the model checker; everything: 95 %): {'yes' if good else 'NO'}")
    return good


def read_harmless(path=HARMLESS):
    """{(deque, key): argument}. An argument begins with `= `, continues in lines that begin with a blank, and holds for the
    mutants below it: DEQUE, ... @ FUNCTION @ LINE @ MUTATION @ ..., each of these mutations in each of these deques."""
    found, argument, goes_on = {}, "", False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("= "):
            argument, goes_on = line[2:].strip(), True
        elif line.startswith(" ") and goes_on:
            argument += " " + line.strip()
        else:
            deques, *words = (word.strip() for word in line.split(" @ "))
            mutants = [(deque, (*words[:2], mutation)) for deque in deques.split(", ") for mutation in words[2:]]
            if not mutants or not argument or found.keys() & set(mutants):
                raise SystemExit(f"{path.name}:{number}: not DEQUE @ FUNCTION @ LINE @ MUTATION below an argument, or "
                                 f"there already: {line}")
            found.update(dict.fromkeys(mutants, argument))
            goes_on = False
    return found


def complaints(known, harmless):
    """What is wrong with the arguments: of no mutant, or of one that a check kills."""
    of = {deque: Scores(deque, known[deque]) for deque in {deque for deque, _ in harmless} & set(known)}
    for deque, key in harmless:
        if deque not in of or key not in {mutant.key for mutant in of[deque].mutants}:
            yield f"{deque} has no such mutant (any more): {' @ '.join(key)}"
        elif key in of[deque].rows and of[deque].rows[key].verdict == KILLED:
            yield f"{deque}: {of[deque].rows[key].check} kills a mutant that is argued to be harmless: {' @ '.join(key)}"


class Run:
    def __init__(self, jobs, harmless):
        self.jobs, self.harmless = jobs, harmless
        self.folder = checks.BUILD / "mutants"
        self.started = time.monotonic()
        self.done = 0
        self.total = 0
        self.kills = Counter()  # by deque and check
        self.together = {}  # {deque: the subject of all its mutants}
        self.as_it_is = {}  # {deque: the subject of its own text}
        self.passed = {}  # {(subject's folder, check): whether the deque as it is passes}
        self.killer = {}  # {deque: the check that killed last}
        self.lock = threading.Lock()

    def model_checks(self, deque):
        rows = checks.model_rows(deque)
        rows.sort(key=lambda row: -self.kills[deque, f"{MODEL} {checks.row_name(row)}"])
        return [(f"{MODEL} {checks.row_name(row)}", checks.model(row)) for row in rows]

    def checks_of(self, deque, row):
        """The checks for one mutant, first the one that killed the last mutant of this deque. The model checker comes last for
        fences and seq_cst, which the other checks have to kill. An open mutant is asked only what came to no verdict."""
        model = self.model_checks(deque)
        dear = {mutate.LOGIC: THREADS, mutate.STRONG: [*THREADS, *model], mutate.ORDER: [*model, *THREADS]}
        found = [*CHEAP] if (deque, row.key) in self.harmless else [*CHEAP, *LONGER, *dear[row.kind]]
        found.sort(key=lambda check: check[0] != self.killer.get(deque))
        left = row.check.removeprefix(NO_VERDICT).split("; ")
        again = [check for check in found if check[0] in left]
        return again if len(again) == len(left) else found

    def subject(self, deque, text, name):
        folder = self.folder / deque / name
        shutil.rmtree(folder, ignore_errors=True)
        path = folder / "queues" / f"{deque}.h"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return checks.Subject(deque, path, folder)

    def try_one(self, scores, index):
        """Tries the checks until one kills the mutant; puts the verdict into the scores."""
        mutant = scores.mutants[index]
        alone = self.subject(scores.deque, mutant.apply(scores.text), str(index))
        together = copy.copy(self.together[scores.deque])
        together.chosen = index + 1
        row, missing, result = scores.row_of(mutant), [], None
        for name, check in self.checks_of(scores.deque, row):
            subject = together if row.kind == mutate.LOGIC or name in dict((*CHEAP, *LONGER)) else alone
            answer = check(subject)
            unchanged = (self.as_it_is if subject is alone else self.together)[scores.deque]
            if answer == checks.KILLED and self.sound(unchanged, name, check):
                result = row._replace(verdict=KILLED, check=name)
                break
            if answer != checks.PASSED:
                missing.append(name)
        if not result:
            result = row._replace(verdict=OPEN if missing else SURVIVED, check=NO_VERDICT + "; ".join(missing) if missing else "")
        shutil.rmtree(alone.folder, ignore_errors=True)
        with self.lock:
            if result.verdict == KILLED:
                self.kills[scores.deque, result.check] += 1
                self.killer[scores.deque] = result.check
        scores.note(result)
        self.say(scores.deque, mutant, result)

    def say(self, deque, mutant, row):
        with self.lock:
            self.done += 1
            left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
            what = f"{row.verdict}{(' by ' if row.verdict == KILLED else ', ') + row.check if row.check else ''}"
            print(f"[{self.done}/{self.total}, {left / 60:.0f} min left] {mutant.where(deque)} {mutant.function}: "
                  f"{mutant.mutation[:60]}: {what}", flush=True)

    def sound(self, unchanged, name, check):
        """Does the deque as it is pass that check? If not, a kill means nothing."""
        if (unchanged.folder, name) not in self.passed:
            self.passed[unchanged.folder, name] = check(unchanged) == checks.PASSED
            if not self.passed[unchanged.folder, name]:
                print(f"FAILED {unchanged.deque}: {name} does not pass the deque as it is: {checks.finding(unchanged)}", flush=True)
        return self.passed[unchanged.folder, name]

    def pending(self, scores):
        """The indices of the mutants to try."""
        return [index for index, mutant in enumerate(scores.mutants) if scores.row_of(mutant).verdict == OPEN]

    def one_deque(self, scores):
        """Tries the mutants that are open."""
        pending = self.pending(scores)
        self.together[scores.deque] = self.subject(scores.deque, mutate.all_in_one(scores.text, scores.mutants), "together")
        self.as_it_is[scores.deque] = self.subject(scores.deque, scores.text, "as_it_is")
        for index in pending if pending and self.sound(self.together[scores.deque], *CHEAP[0]) else ():
            self.try_one(scores, index)

    def go(self, all_scores):
        self.total = sum(len(self.pending(scores)) for scores in all_scores)
        largest_first = sorted(all_scores, key=lambda scores: -len(self.pending(scores)))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.one_deque, largest_first))
        return all(self.passed.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("deques", nargs="*", metavar="DEQUE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    known, harmless = mutate.headers(), read_harmless()
    if options.check:
        found = list(complaints(known, harmless))
        print("".join(f"FAILED {HARMLESS.name}: {complaint}\n" for complaint in found), end="")
        print(f"{int(not found)} passed, {len(found)} failed")
        return 1 if found else 0
    for deque in options.deques:
        if deque not in known:
            print(f"no such deque, or none that is sound: {deque} (there are: {' '.join(known)})", file=sys.stderr)
            return 2
    all_scores = [Scores(deque, known[deque]) for deque in options.deques or known]
    if not shutil.which(checks.GENMC):
        print("no model checker (genmc) is installed: mutants that only it could kill stay open", flush=True)
    checks.build_runtime()
    whole = Run(options.jobs, harmless).go(all_scores)
    return 0 if report(all_scores, harmless) and whole else 1


if __name__ == "__main__":
    sys.exit(main())
