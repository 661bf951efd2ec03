#!/usr/bin/python3
"""run.py: do the checks catch mistakes? Runs every mutant of every sound deque through the checks until one kills it.

    proof/mutants/run.py [DEQUE...] [--jobs N] [--first N] [--unargued] [--record]

`make mutants` calls it. mutate.py makes the mutants from the header as it is. build/mutants/scores/DEQUE.csv keeps the
verdicts. A later run uses them unless the deque's code has changed, so a run that was stopped goes on where it was.

A mutant that passes every check has survived. If a check came to no verdict (out of time, tool missing), the mutant stays open,
its row names the check, and the next run tries it again. After you wrote a new check, delete the file of verdicts.

--first     only the first N mutants of each deque
--record    writes the totals, and the mutants that are left, into the tables beside this file
--unargued  leaves out what equivalent.txt argues to be harmless

Prints the table at the end. Exit: 0 enough were killed (score.py), 1 not, 2 no such deque, 3 a tool is missing.
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

# In this order they are tried. `explore` spends most of its time in its exhaustive part.
CHEAP = (
    ("lab explore", checks.lab("explore", "--schedules=300", "--bound=1", "--quiet")),
    ("lab stop", checks.lab("stop")),
    ("conformance", checks.gate("plain", "conformance", 0.2)),
    ("lab explore, weak memory", checks.lab("explore", "--memory=weak", "--schedules=300", "--bound=1", "--quiet")),
)
LONGER = (
    *((f"lab explore, {memory} memory, four switches",
       checks.lab("explore", f"--memory={memory}", "--client=missed", "--schedules=0", "--bound=4", "--quiet"))
      for memory in ("tso", "weak")),
    ("lab explore, weak memory, longer", checks.lab("explore", "--memory=weak", "--schedules=3000", "--bound=2", "--quiet")),
    ("sanitized conformance", checks.gate("address", "conformance", 0.3)),
    ("lab explore, longer", checks.lab("explore", "--schedules=3000", "--bound=2", "--quiet")),
)
THREADS = (
    ("preempt", checks.gate("plain", "preempt", 1.5)),
    ("stress", checks.gate("plain", "stress", 1.5)),
    ("address preempt", checks.gate("address", "preempt", 1.5)),
    ("thread preempt", checks.gate("thread", "preempt", 2)),
)
NO_VERDICT = "no verdict: "  # for an open mutant; then come the names of the checks: "NAME; NAME"


class Scores:
    """The rows of one deque."""

    def __init__(self, deque, text):
        self.deque, self.text = deque, text
        self.path = score.LOCAL / f"{deque}.csv"
        self.code = mutate.code_hash(text)
        self.mutants = header.mutants(text)
        self.rows = score.read_scores(deque, text)
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
        """One row per mutant, in the order of the header."""
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
        self.kills = Counter()  # by deque and check: a check that killed before is tried first
        self.lock = threading.Lock()

    def model_checks(self, deque):
        rows = checks.model_rows(deque)
        rows.sort(key=lambda row: -self.kills[deque, f"{MODEL} {checks.row_name(row)}"])
        return [(f"{MODEL} {checks.row_name(row)}", checks.model(row)) for row in rows]

    def checks_of(self, deque, row):
        """The checks for one mutant. For logic, fences and seq_cst the model checker comes last, because the other checks have to
        kill these."""
        dear = [self.model_checks(deque), THREADS]
        if row.kind != mutate.ORDER:
            dear.reverse()
        return [*CHEAP, *LONGER, *dear[0], *dear[1]]

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
        subject = self.subject(scores.deque, mutant.apply(scores.text), str(index))
        row, missing, result = scores.row_of(mutant), [], None
        for name, check in self.checks_of(scores.deque, row):
            answer = check(subject)
            if answer == checks.KILLED:
                result = replace(row, verdict=KILLED, check=name)
                break
            if answer == checks.NOT_BUILT and name == "conformance":
                result = replace(row, verdict=NOT_BUILT, check="")
                break
            if answer != checks.PASSED:
                missing.append(name)
        if not result:
            result = replace(row, verdict=OPEN if missing else SURVIVED, check=NO_VERDICT + "; ".join(missing) if missing else "")
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
        """Does the unchanged header pass the checks that need no luck? If not, a kill means nothing."""
        if not self.pending(scores):
            return True
        subject = self.subject(scores.deque, scores.text, "sound")
        for name, check in (*CHEAP, *LONGER):
            if check(subject) != checks.PASSED:
                print(f"FAILED {scores.deque}: {name} does not pass the deque as it is: no mutants of it", flush=True)
                return False
        shutil.rmtree(subject.folder, ignore_errors=True)
        return True

    def pending(self, scores):
        """The indices of the mutants to try."""
        def wanted(mutant):
            argued = self.options.unargued and (scores.deque, mutant.key) in self.harmless
            return not argued and scores.row_of(mutant).verdict == OPEN
        return [index for index, mutant in enumerate(scores.mutants[:self.options.first]) if wanted(mutant)]

    def go(self, all_scores):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            good = [scores for scores, sound in zip(all_scores, pool.map(self.sound, all_scores)) if sound]
            work = [(scores, index) for scores in good for index in self.pending(scores)]
            self.total = len(work)
            for future in [pool.submit(self.try_one, scores, index) for scores, index in work]:
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
    for name in ("unargued", "record"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    known = score.headers()
    for deque in options.deques:
        if deque not in known:
            print(f"no such deque, or none that is sound: {deque} (there are: {' '.join(known)})", file=sys.stderr)
            return 2
    all_scores = [Scores(deque, known[deque]) for deque in options.deques or known]
    if not shutil.which(checks.GENMC):
        print("no model checker (genmc) is installed: mutants that only it could kill stay open", flush=True)
    checks.build_runtime()
    whole = Run(options).go(all_scores)
    if options.record:
        score.record(options.deques)
    return 0 if score.report(options.deques) and whole else 1


if __name__ == "__main__":
    sys.exit(main())
