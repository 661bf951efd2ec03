#!/usr/bin/python3
"""Compares counts of this build with a baseline, or with another build's, and prints what changed.

usage: compare_counts.py [--update-baseline] [--partial] [--compiler=gcc] NOW BASELINE

Two folders as harness/judging/counts/counts.sh writes them. counts.csv is compared always: no compiler changes it. plain-COMPILER.csv
and instructions-COMPILER.csv are compared where both were made with the same compiler and valgrind
(toolchain-COMPILER.txt). Less is better of every count; but of the calls of a row, those that were ok.

An increase fails where the row's rule is "exact" on both sides. Where it is "advisory", the count depends on what the
other thread happened to do: a change of one operation moves the counts of another. Such are said and fail nothing.
Plain accesses are the cheapest: more of them fail only where the row's lines or the operation's instructions rise too.
A field that only its owner reads in place of a shared one is an improvement.

Exit: 0 nothing increased, 1 something did, 2 usage, 3 the baseline is missing or damaged, or nothing could be judged.
--partial: only some deques were counted, so rows of others are not missing.
"""

import argparse
import csv
import os
import sys
from pathlib import Path

KEY = ("deque", "operation", "situation", "outcome")
TEXT = (*KEY, "rule")
# Counts are printed with four digits. A change by one access in one of many calls is larger than this.
SMALLEST = 0.00005
RENEW = "./run.sh ci --update-baseline"


class Damaged(Exception):
    """A file that ci.sh cannot have written; says why."""


def read_rows(path):
    """The file's rows by key, in order, as {column: text}, and the names of their counts."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            for row in reader:
                key = tuple(row[name] for name in KEY)
                if None in row or None in row.values() or key in rows:
                    raise ValueError("other columns, or a row twice")
                rows[key] = row
                for name in row.keys() - set(TEXT):
                    float(row[name] or 0)
            if "rule" not in (reader.fieldnames or ()):
                raise ValueError("no columns")
        except (KeyError, ValueError, csv.Error) as problem:
            raise Damaged(f"{path} is damaged: line {reader.line_num}: {problem}") from problem
    return rows, [name for name in reader.fieldnames if name not in TEXT]


class Comparison:
    """The differences between two sets of rows. dearer: {(deque, operation)} whose instructions increased."""

    def __init__(self, now, before, columns, partial, dearer):
        self.now, self.before, self.dearer = now, before, dearer
        both, counted = [key for key in now if key in before], {key[0] for key in now}
        self.judged = any(map(self.exact, both))
        counts = [(key, column, before[key].get(column), now[key][column]) for key in both for column in columns]
        self.changes = [(key, column, float(old), float(new)) for key, column, old, new in counts
                        if old and new and abs(float(new) - float(old)) > SMALLEST]
        self.added = [key for key in now if key not in before]
        gone = [key for key in before if key not in now]
        self.gone_deques = [] if partial else sorted({key[0] for key in gone} - counted)
        # An operation that no longer succeeds has no cost; rows of a removed deque or of failures are no loss.
        self.gone = [key for key in gone if key[0] in counted]
        self.increased = [change for change in self.changes if self.fails(change)]
        self.lost = [key for key in self.gone if key[3] == "ok" and before[key]["rule"] == "exact"]

    def exact(self, key):
        return self.now[key]["rule"] == self.before[key]["rule"] == "exact"

    @staticmethod
    def worse(change):
        key, column, old, new = change
        return (new < old) if column == "calls" and key[3] == "ok" else new > old

    def fails(self, change):
        """Plain accesses cost nothing by themselves; every other count does."""
        key, column = change[:2]
        costs = column != "plain" or key[:2] in self.dearer or any(
            other[:2] == (key, "lines") and self.worse(other) for other in self.changes)
        return self.exact(key) and self.worse(change) and costs

    def print_rest(self):
        """What fails nothing."""
        for change in self.changes:
            if self.exact(change[0]) and change not in self.increased:
                print_change("more" if self.worse(change) else "less", change)
        moved = [change[0] for change in self.changes if not self.exact(change[0])]
        if moved:
            print(f"  moved {', '.join(sorted({key[0] for key in moved}))}: {len(moved)} counts in {len(set(moved))} rows of two threads. "
                  "Both threads decide them, so they fail nothing. If the change was meant to leave them alone, compare times: "
                  "./run.sh ci --against")
        for deque in sorted({key[0] for key in self.added}):
            known = "new rows" if any(key[0] == deque for key in self.before) else "new, so nothing to compare with"
            print(f"  notice: {deque}: {known}; {RENEW} adds it")
        for deque in self.gone_deques:
            print(f"  gone  {deque}: {sum(key[0] == deque for key in self.before)} rows")


def print_change(word, change):
    key, column, old, new = change
    share = f"{(new - old) / old:+.1%}" if old else "from nothing"
    print(f"  {word}  {key[0]:<18} {key[1]:<11} {key[2]:<18} {key[3]:<5} {column:<17} {old:>10.4f} -> {new:>10.4f}  {share}")


def update(now_path, baseline_path, partial):
    """Writes the new rows into the baseline; if partial, keeps those of deques that were not counted."""
    rows, columns = read_rows(now_path)
    written, counted = len(rows), {key[0] for key in rows}
    if partial and baseline_path.exists():
        rows |= {key: row for key, row in read_rows(baseline_path)[0].items() if key[0] not in counted}
    new = baseline_path.with_suffix(".new")
    with open(new, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=[*TEXT, *columns], lineterminator="\n", restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    os.replace(new, baseline_path)
    print(f"  {baseline_path}: {written} rows written")


def read_text(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def with_other_tools(before, now):
    return (f"  baseline: {before.strip().replace(chr(10), ', ') or 'none'}\n"
            f"  now:      {now.strip().replace(chr(10), ', ')}")


def update_all(now, baseline, of_compiler, partial, tools):
    baseline.mkdir(parents=True, exist_ok=True)
    update(now / "counts.csv", baseline / "counts.csv", partial)
    before = read_text(baseline / tools)
    if partial and before and before != read_text(now / tools):
        print("ci: plain accesses and instructions of the other deques were counted with other tools, so these were not "
              "written; without names all are:")
        print(with_other_tools(before, read_text(now / tools)))
        return 0
    for name in of_compiler:
        update(now / name, baseline / name, partial)
    (baseline / tools).write_text(read_text(now / tools), encoding="utf-8")
    return 0


def compare_all(now, baseline, of_compiler, partial, tools):
    if not (baseline / "counts.csv").exists():
        print(f"ci: nothing to compare with: no {baseline / 'counts.csv'}; {RENEW} makes it")
        return 3
    files, before, after = ["counts.csv"], read_text(baseline / tools), read_text(now / tools)
    if before == after:
        absent = [str(baseline / name) for name in of_compiler if not (baseline / name).exists()]
        if absent:
            print(f"ci: the baseline is damaged: no {' and no '.join(absent)}; {RENEW} makes it")
            return 3
        files += of_compiler
    compared, dearer = [], set()
    for name in reversed(files):  # instructions come first: they say whether more plain accesses cost anything
        rows, columns = read_rows(now / name)
        before_rows, _ = read_rows(baseline / name)
        if not rows:  # these deques have no counts of this kind
            continue
        if not before_rows:
            raise Damaged(f"{baseline / name} is damaged: no rows")
        compared.insert(0, Comparison(rows, before_rows, columns, partial, dearer))
        dearer |= {(key[0], key[1].removesuffix("_empty")) for key, column, _, _ in compared[0].increased
                   if column == "instructions"}
    lost = sorted({key for one in compared for key in one.lost})  # a row may be in several files
    increased = [change for one in compared for change in one.increased]
    for change in increased:
        print_change("MORE", change)
    for key in lost:
        print(f"  GONE  {key[0]:<18} {key[1]:<11} {key[2]:<18} {key[3]:<5} no longer succeeds in this situation")
    for one in compared:
        one.print_rest()
    if before != after:
        print("ci: plain accesses, upgrades and instructions are not judged: the baseline's were counted with other tools:")
        print(with_other_tools(before, after))
    if increased or lost:
        print(f"ci: {len(increased) + len(lost)} counts increased; if that is meant: {RENEW}")
        return 1
    if not compared[0].judged:
        print(f"ci: nothing was judged: the baseline has none of these; {RENEW} adds them")
        return 3
    same = not any(one.changes or one.added or one.gone or one.gone_deques for one in compared)
    print("ci: every count is as in the baseline" if same else "ci: no count increased")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Compares counts with a baseline.")
    parser.add_argument("--update-baseline", action="store_true")
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("now", type=Path)
    parser.add_argument("baseline", type=Path)
    arguments = parser.parse_args()
    of_compiler = [f"plain-{arguments.compiler}.csv", f"instructions-{arguments.compiler}.csv"]
    work = update_all if arguments.update_baseline else compare_all
    try:
        return work(arguments.now, arguments.baseline, of_compiler, arguments.partial, f"toolchain-{arguments.compiler}.txt")
    except Damaged as problem:
        print(f"ci: {problem}; restore it from the repository, or delete it and run {RENEW}")
        return 3


if __name__ == "__main__":
    sys.exit(main())
