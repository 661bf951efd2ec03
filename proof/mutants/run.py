#!/usr/bin/python3
"""run.py: does the gate catch mistakes? Every mutant of every sound deque through every check, until one kills it.

    proof/mutants/run.py [DEQUE...] [--jobs N] [--first N] [--phases N] [--again]
                         [--unargued] [--more] [--list] [--record]    what `make mutants` calls

Mutants are made of the header as it is (mutate.py). build/mutants/scores/DEQUE.csv keeps what a run found out. A later run
does not find it out again unless the deque's code has changed, so a run that was stopped goes on where it was. --record
puts the totals, and the mutants that are left, into the tables beside this file.

There are three phases. Every mutant meets the cheap checks; those left meet the longer ones, and those left then the
expensive ones: threads and the model checker. A mutant that passes them all has survived. If a check came to no verdict
(its time was up, its tool is missing), the mutant stays open. Its row names the checks to try again, and the next run tries
these, with ten times the time for the model checker. --again tries what was not killed once more from the start (after a new check was
written), --unargued leaves out what equivalent.txt argues to be harmless, --first takes the first N mutants
of each deque alone, --more tries the mutants of the operators on wish as well (mutate.py), --list prints the mutants and
runs nothing.

Ends on the table. Exit: 0 as demanded (score.py), 1 not, 2 no such deque, 3 a tool is missing.
"""

import argparse
import concurrent.futures
import csv
import os
import shutil
import sys
import threading
import time
from collections import Counter
from dataclasses import replace

import checks
import header
import mutate
import score
from score import COLUMNS, KILLED, MODEL, NOT_BUILT, OPEN, SURVIVED, Row

# In the order in which they are tried. The exhaustive part of `explore` is what takes time.
CHEAP = (
    ("lab explore", checks.lab("explore", "--schedules=300", "--bound=1", "--quiet")),
    ("lab stop", checks.lab("stop")),
    ("conformance", checks.gate("plain", "conformance", 0.2)),
    ("lab explore, weak memory", checks.lab("explore", "--memory=weak", "--schedules=300", "--bound=1", "--quiet")),
)
LONGER = (
    ("lab explore, weak memory", checks.lab("explore", "--memory=weak", "--schedules=3000", "--bound=2", "--quiet")),
    ("sanitized conformance", checks.gate("address", "conformance", 0.3)),
    ("lab explore", checks.lab("explore", "--schedules=3000", "--bound=2", "--quiet")),
)
THREADS = (
    ("preempt", checks.gate("plain", "preempt", 1.5)),
    ("stress", checks.gate("plain", "stress", 1.5)),
    ("address preempt", checks.gate("address", "preempt", 1.5)),
    ("thread preempt", checks.gate("thread", "preempt", 2)),
    ("thread stress", checks.gate("thread", "stress", 2)),
)
DEAR = 2
PATIENCE = 10  # a client that has used up its time has more of it when it is tried again
# What is known of an open one: how far it has come, and which checks came to no verdict on the way: "NAME; NAME".
PASSED = ("passed the cheap checks", "passed the longer checks")
NO_VERDICT = "no verdict: "


def undecided(row):
    """The names of the checks that came to no verdict on an open mutant."""
    return row.check.partition(NO_VERDICT)[2].split("; ") if row.verdict == OPEN and NO_VERDICT in row.check else []


def how_far(phase, names):
    """What is to be said of one that no check has killed up to this phase, where the checks of these names came to no
    verdict."""
    words = [PASSED[phase]] if phase < DEAR else []
    return ", ".join(words + ([NO_VERDICT + "; ".join(names)] if names else []))


def phases_passed(row):
    """How many phases an open one has behind it."""
    if row.check.startswith(NO_VERDICT):
        return DEAR
    return next((phase + 1 for phase, said in enumerate(PASSED) if row.check.startswith(said)), 0)


def worth_another_try(row):
    """Not killed, or by the model checker alone where it should take no model checker."""
    return row.verdict in (SURVIVED, OPEN) or (row.kind in score.STRICT and row.check.startswith(MODEL))


class Scores:
    """The rows of one deque, as they come in; in the header's order at the end."""

    def __init__(self, deque, text, again=False):
        self.deque, self.text = deque, text
        self.path = score.LOCAL / f"{deque}.csv"
        self.code = mutate.code_hash(text)
        self.mutants = header.mutants(text, more=True)
        self.rows = score.read_scores(deque, text)
        if again:
            self.rows = {key: replace(row, verdict=OPEN, check="") if worth_another_try(row) else row
                         for key, row in self.rows.items()}
        self.lock = threading.Lock()

    def row_of(self, mutant):
        new = Row(*mutant.key, mutant.kind, OPEN, "", self.code)
        return self.rows.get(mutant.key, new)

    def note(self, row):
        with self.lock:
            self.rows[row.key] = row
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = not self.path.exists()
            with open(self.path, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(([COLUMNS] if new else []) + [row.fields])

    def tidy(self):
        """One row a mutant, in the order of the header."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.lock, open(self.path.with_suffix(".new"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for mutant in self.mutants:
                row = self.rows.get(mutant.key)
                if row:
                    writer.writerow(row.fields)
        os.replace(self.path.with_suffix(".new"), self.path)


class Run:
    def __init__(self, options):
        self.options = options
        self.folder = checks.BUILD / "mutants"
        self.harmless = score.read_harmless()
        self.started = time.monotonic()
        self.done = 0
        self.total = 0
        self.kills = Counter()  # by deque and check: what killed before is tried first
        self.lock = threading.Lock()

    def model_checks(self, deque):
        rows = checks.model_rows(deque)
        rows.sort(key=lambda row: -self.kills[deque, f"{MODEL} {checks.row_name(row)}"])
        return [(f"{MODEL} {checks.row_name(row)}", checks.model(row)) for row in rows]

    def left_of(self, phase, deque, row):
        """The checks of a phase for one mutant: at the end also those that came to no verdict, alone when all others have
        had their turn; all there are when one of these has gone."""
        these = self.checks_of(phase, deque, row.kind)
        if phase < DEAR:
            return these
        before = [check for early in (CHEAP, LONGER) for check in early]
        again = undecided(row)
        if not set(again) <= {name for name, _ in [*before, *these]}:
            return [*before, *these]
        if row.check.startswith(NO_VERDICT):
            return [check for check in [*before, *these] if check[0] in again]
        return [*(check for check in before if check[0] in again), *these]

    def checks_of(self, phase, deque, kind):
        """Logic, fences and seq_cst have to be found without the model checker: it comes last."""
        if phase < DEAR:
            return (CHEAP, LONGER)[phase]
        if kind == mutate.ORDER:
            return [*self.model_checks(deque), *THREADS]
        return [*THREADS, *self.model_checks(deque)]

    def subject(self, deque, text, name):
        folder = self.folder / deque / name
        shutil.rmtree(folder, ignore_errors=True)
        path = folder / "queues" / f"{deque}.h"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return checks.Subject(deque, path, folder)

    def try_one(self, scores, index, phase):
        """Through the checks of one phase; what is learnt goes into the scores."""
        mutant = scores.mutants[index]
        subject = self.subject(scores.deque, mutant.apply(scores.text), str(index))
        row = scores.row_of(mutant)
        if row.check.startswith(NO_VERDICT):
            subject.patience = PATIENCE
        missing, result = [] if phase == DEAR else undecided(row), None
        for name, check in self.left_of(phase, scores.deque, row):
            answer = check(subject)
            if answer == checks.KILLED:
                result = replace(row, verdict=KILLED, check=name)
                break
            if answer == checks.NOT_BUILT and name == "conformance":
                result = replace(row, verdict=NOT_BUILT, check="")
                break
            if answer != checks.PASSED and name not in missing:
                missing.append(name)
        if not result:
            survived = phase == DEAR and not missing
            result = replace(row, verdict=SURVIVED if survived else OPEN, check=how_far(phase, missing))
        shutil.rmtree(subject.folder, ignore_errors=True)
        with self.lock:
            self.kills[scores.deque, result.check] += 1
        scores.note(result)
        self.say(scores.deque, mutant, result)

    def say(self, deque, mutant, row):
        with self.lock:
            self.done += 1
            left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
            what = f"{row.verdict}{(' by ' if row.verdict == KILLED else ', ') + row.check if row.check else ''}"
            print(f"[{self.done}/{self.total}, {left / 60:.0f} min left] {mutant.where(deque)} {mutant.function}: "
                  f"{mutant.mutation[:60]}: {what}", flush=True)

    def sound(self, scores):
        """The other half of biting: the header as it is has to pass the cheap checks (the others have tests of their
        own)."""
        if not any(self.pending(scores, phase) for phase in range(self.options.phases)):
            return True
        subject = self.subject(scores.deque, scores.text, "sound")
        for name, check in CHEAP:
            if check(subject) != checks.PASSED:
                print(f"FAILED {scores.deque}: {name} does not pass the deque as it is: no mutants of it", flush=True)
                return False
        shutil.rmtree(subject.folder, ignore_errors=True)
        return True

    def pending(self, scores, phase):
        """Which mutants have come as far as this phase, or will."""
        found = []
        for index, mutant in enumerate(scores.mutants[:self.options.first]):
            if not self.options.more and mutant.kind in mutate.MORE_CLASSES:
                continue
            row = scores.row_of(mutant)
            if self.options.unargued and (scores.deque, mutant.key) in self.harmless:
                continue
            if row.verdict == OPEN and phases_passed(row) <= phase:
                found.append(index)
        return found

    def go(self, all_scores):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            good = [scores for scores, sound in zip(all_scores, pool.map(self.sound, all_scores)) if sound]
            for phase in range(self.options.phases):
                work = [(scores, index) for scores in good for index in self.pending(scores, phase)]
                self.started, self.done, self.total = time.monotonic(), 0, len(work)
                for future in [pool.submit(self.try_one, scores, index, phase) for scores, index in work]:
                    future.result()
                for scores in good:
                    if scores.rows:
                        scores.tidy()
        return len(good) == len(all_scores)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("deques", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--first", type=int)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--unargued", action="store_true")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--phases", type=int, choices=(1, 2, 3), default=3)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    known = score.headers()
    for deque in options.deques:
        if deque not in known:
            print(f"no such deque, or none that is sound: {deque} (there are: {' '.join(known)})", file=sys.stderr)
            return 2
    all_scores = [Scores(deque, known[deque], options.again) for deque in options.deques or known]
    if options.list:
        for scores in all_scores:
            for mutant in scores.mutants[:options.first]:
                if options.more or mutant.kind in mutate.CLASSES:
                    print(f"{mutant.where(scores.deque)}: {mutant.function}: {mutant.mutation} ({mutant.kind})")
        return 0
    if not shutil.which(checks.GENMC):
        print("no model checker (genmc) is installed: mutants that only it could kill stay open", flush=True)
    checks.build_runtime()
    whole = Run(options).go(all_scores)
    if options.record:
        score.record(options.deques)
    return 0 if score.report(options.deques) and whole else 1


if __name__ == "__main__":
    sys.exit(main())
