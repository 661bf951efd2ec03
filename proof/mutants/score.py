#!/usr/bin/python3
"""score.py: how many mutants of each deque the checks kill, and whether that is as many as we demand.

    proof/mutants/score.py            prints the table, then every survivor that nobody has argued about
    proof/mutants/score.py --check    does equivalent.txt name only mutants that exist?

The repository keeps totals (scores.csv). `make mutants` leaves each mutant's verdict in build/mutants/scores; the table uses
those rows for the deques that it ran.

An argument that a mutant is harmless counts once the mutant has survived every check. Until then the mutant is open and
counts as one to be killed.

Of the mutants not argued to be harmless, the checks must kill all of logic, fences and seq_cst without the model checker, and
95 % of all mutants with it. Exit code: 0 they do, 1 they do not (or --check fails), 2 usage, 3 no scores.
"""

import csv
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import header
import mutate
from checks import BUILD

ROOT = Path(__file__).resolve().parent.parent.parent
TOTALS = Path(__file__).resolve().parent / "scores.csv"
LOCAL = BUILD / "mutants" / "scores"  # each mutant's verdict, found by runs in this tree
HARMLESS = ROOT / "proof" / "mutants" / "equivalent.txt"
TOTAL = "**all**"  # the last row of the table
COLUMNS = ("function", "line", "mutation", "class", "verdict", "check", "code")
OPEN, KILLED, SURVIVED, NOT_BUILT = "open", "killed", "survived", "not built"
MODEL = "model"  # its checks have names such as "model rc11 last_item"
DEMANDED_WITH_MODEL = 0.95


@dataclass(frozen=True)
class Row:
    """The result for one mutant."""
    function: str
    line: str
    mutation: str
    kind: str
    verdict: str
    check: str  # the check that killed it; for an open mutant, how far it came
    code: str   # hash of the code that it was made from

    @property
    def key(self):
        return (self.function, self.line, self.mutation)

    @property
    def fields(self):
        return (self.function, self.line, self.mutation, self.kind, self.verdict, self.check, self.code)


def headers():
    """{deque: its header's text} of the deques to mutate: sound ones, without references."""
    found = {}
    for path in sorted((ROOT / "queues").glob("*.h")):
        text = header.read(path)
        if ".sound = true" in text and ".reference = true" not in text:
            found[path.stem] = text
    return found


def read_scores(deque, text):
    """{key: row} from runs in this tree on the deque's current code."""
    path = LOCAL / f"{deque}.csv"
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        rows = [Row(*fields) for fields in csv.reader(file) if len(fields) == len(COLUMNS) and fields[0] != COLUMNS[0]]
    code = mutate.code_hash(text)
    return {row.key: row for row in rows if row.code == code}  # later rows replace earlier ones


def read_harmless(path=HARMLESS):
    """{(deque, key): argument}. An argument begins with `= `, continues in lines that begin with a blank, and holds for the
    mutants below it: DEQUE, ... @ FUNCTION @ LINE @ MUTATION @ ..., each of these mutations in each of these deques."""
    found, argument, goes_on = {}, "", False
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
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


@dataclass
class Score:
    deque: str
    code: str
    counts: Counter  # by class and "all": "argued" (and survived every check), "not run" (but argued), "killed", "by model"

    def share(self, kinds, with_model):
        """(number killed, number of mutants not argued harmless)."""
        killed = sum(self.counts[kind, "killed"] - (0 if with_model else self.counts[kind, "by model"])
                     for kind in kinds)
        return killed, sum(self.counts[kind, "all"] - self.counts[kind, "argued"] for kind in kinds)


def score_of(deque, rows, harmless):
    counts = Counter()
    for row in rows.values():
        if row.verdict == NOT_BUILT:
            continue
        counts[row.kind, "all"] += 1
        counts[row.kind, "argued"] += row.verdict == SURVIVED and (deque, row.key) in harmless
        counts[row.kind, "not run"] += row.verdict == OPEN and (deque, row.key) in harmless
        counts[row.kind, "killed"] += row.verdict == KILLED
        counts[row.kind, "by model"] += row.verdict == KILLED and row.check.startswith(MODEL)
    codes = {row.code for row in rows.values()}
    return Score(deque, codes.pop() if len(codes) == 1 else "several", counts)


def fraction(share):
    killed, of = share
    return f"{killed}/{of}" if of else "-"


STRICT = (mutate.LOGIC, mutate.STRONG)


def total_of(scores):
    return Score("all", "", sum((score.counts for score in scores), Counter()))


def table(scores):
    lines = ["| deque | mutants | harmless, argued and run | argued, not run | logic | fences, seq_cst | other orders "
             "| + model checker | all |",
             "|---|---|---|---|---|---|---|---|---|"]
    for score in [*scores, total_of(scores)]:
        counts = score.counts
        killed, of = score.share(mutate.CLASSES, True)
        lines.append("| " + " | ".join([
            f"`{score.deque}`" if score.code else TOTAL, str(sum(counts[kind, "all"] for kind in mutate.CLASSES)),
            *(str(sum(counts[kind, what] for kind in mutate.CLASSES)) for what in ("argued", "not run")),
            *(fraction(score.share((kind,), False)) for kind in mutate.CLASSES),
            str(sum(counts[kind, "by model"] for kind in mutate.CLASSES)),
            f"{100 * killed / of:.1f} %" if of else "-"]) + " |")
    return "\n".join(lines) + "\n"


COUNTED = ("all", "argued", "not run", "killed", "by model")
TOTALS_HEAD = ("deque", "class", "mutants", "argued", "argued_not_run", "killed", "killed_by_model", "code")


def kept():
    """{deque: its Score} as kept in the repository."""
    scores = {}
    with open(TOTALS, newline="", encoding="utf-8") as file:
        for deque, kind, *counts, code in list(csv.reader(file))[1:]:
            score = scores.setdefault(deque, Score(deque, code, Counter()))
            score.counts.update({(kind, what): int(count) for what, count in zip(COUNTED, counts)})
    return scores


def record(only=()):
    """Replaces the totals that the repository keeps of these deques, or of all, by those of runs in this tree."""
    harmless, scores, known = read_harmless(), kept() if TOTALS.exists() else {}, headers()
    for deque in only or known:
        if rows := read_scores(deque, known[deque]):
            for mutant in header.mutants(known[deque]):  # what --unargued has left out was not run
                if (deque, mutant.key) in harmless and mutant.key not in rows:
                    rows[mutant.key] = Row(*mutant.key, mutant.kind, OPEN, "", mutate.code_hash(known[deque]))
            scores[deque] = score_of(deque, rows, harmless)
    with open(TOTALS, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([TOTALS_HEAD, *(
            (deque, kind, *(scores[deque].counts[kind, what] for what in COUNTED), scores[deque].code)
            for deque in sorted(set(scores) & set(known)) for kind in mutate.CLASSES if scores[deque].counts[kind, "all"])])


def complaints(known, harmless):
    """What is wrong with the arguments: of no mutant, or of one that a check kills."""
    found, mutants, rows = [], {}, {}
    for deque, key in harmless:
        if deque not in mutants:
            mutants[deque] = {mutant.key for mutant in header.mutants(known[deque])} if deque in known else ()
            rows[deque] = read_scores(deque, known[deque]) if deque in known else {}
        if key not in mutants[deque]:
            found.append(f"{deque} has no such mutant (any more): {' @ '.join(key)}")
        elif key in rows[deque] and rows[deque][key].verdict == KILLED:
            found.append(f"{deque}: {rows[deque][key].check} kills a mutant that is argued to be harmless: {' @ '.join(key)}")
    return found


def outdated(score, text):
    """Why a deque's scores do not belong to its current header; or None."""
    if mutate.code_hash(text) != score.code:
        return "its code has changed since"
    rows = read_scores(score.deque, text)
    unseen = sum(mutant.key not in rows for mutant in header.mutants(text)) if rows else 0
    return f"{unseen} of its mutants have no score" if unseen else None


def reached(scores):
    total = total_of(scores)
    strict, (killed, of) = total.share(STRICT, False), total.share(mutate.CLASSES, True)
    return strict[0] == strict[1] and killed >= DEMANDED_WITH_MODEL * of


def report(only=()):
    """Prints everything, or the part about these deques. Returns whether the demands are met."""
    harmless, totals, known, scores = read_harmless(), kept(), headers(), []
    for deque in only or known:
        rows = read_scores(deque, known[deque])
        if rows or deque in totals:
            scores.append(score_of(deque, rows, harmless) if rows else totals[deque])
        where = {mutant.key: mutant.where(deque) for mutant in header.mutants(known[deque])} if rows else {}
        for row in rows.values():
            if row.verdict in (OPEN, SURVIVED) and (deque, row.key) not in harmless:
                print(f"{row.verdict} ({row.check}): {where.get(row.key, deque)} {row.function}: {row.line}: {row.mutation} ({row.kind})")
    print(table(scores))
    say_new(known, totals)
    for score in scores:
        if why := outdated(score, known[score.deque]):
            print(f"{score.deque}: {why}; proof/mutants/run.py {score.deque}")
    good = reached(scores)
    print(f"demanded (logic, fences, seq_cst: all, without the model checker; everything: 95 %): {'yes' if good else 'NO'}")
    return good


def say_new(known, totals):
    for deque in known:
        if deque not in totals and not (LOCAL / f"{deque}.csv").exists():
            print(f"notice: {deque} is new: its mutants have no scores yet; proof/mutants/run.py {deque}")


def check():
    known = headers()
    found = complaints(known, read_harmless())
    say_new(known, kept())
    for complaint in found:
        print(f"FAILED {HARMLESS.name}: {complaint}")
    print(f"{int(not found)} passed, {len(found)} failed")
    return not found


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    if not TOTALS.exists():
        print("no scores yet: proof/mutants/run.py --record", file=sys.stderr)
        return 3
    return 0 if (check() if sys.argv[1:] else report()) else 1


if __name__ == "__main__":
    sys.exit(main())
