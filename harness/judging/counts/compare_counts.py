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
    """The file's rows by key, in order, its counts as numbers (None where there is none), and their columns."""
    rows = {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            names = reader.fieldnames or []
            absent = [name for name in TEXT if name not in names]
            if absent:
                raise Damaged(f"{path} is damaged: no column {absent[0]}")
            columns = [name for name in names if name not in TEXT]
            for row in reader:
                where = f"{path} is damaged: line {reader.line_num}"
                if None in row or None in row.values():
                    raise Damaged(f"{where}: {len(names)} fields were expected")
                key = tuple(row[name] for name in KEY)
                if key in rows:
                    raise Damaged(f"{where}: {' '.join(key)} again")
                try:
                    row |= {name: float(row[name]) if row[name] else None for name in columns}
                except ValueError as problem:
                    raise Damaged(f"{where}: {problem}") from problem
                rows[key] = row
    except (csv.Error, UnicodeDecodeError) as problem:
        raise Damaged(f"{path} is damaged: {problem}") from problem
    return rows, columns


class Comparison:
    """The differences between two sets of rows. dearer: {(deque, operation)} whose instructions increased."""

    def __init__(self, now, before, columns, partial, dearer):
        self.now, self.before, self.dearer = now, before, dearer
        counted = {key[0] for key in now}
        self.both = [key for key in now if key in before]
        self.judged = sum(self.exact(key) for key in self.both)
        self.changes = [(key, column, before[key][column], now[key][column]) for key in self.both for column in columns
                        if self.differs(before[key].get(column), now[key][column])]
        self.added = [key for key in now if key not in before]
        gone = [key for key in before if key not in now]
        self.gone_deques = [] if partial else sorted({key[0] for key in gone if key[0] not in counted})
        # An operation that no longer succeeds has no cost; rows of a removed deque or of failures are no loss.
        self.gone = [key for key in gone if key[0] in counted]

    @staticmethod
    def differs(old, new):
        return old is not None and new is not None and abs(new - old) > SMALLEST

    def exact(self, key):
        return self.now[key]["rule"] == self.before[key]["rule"] == "exact"

    def worse(self, change):
        key, column, old, new = change
        return (new < old) if column == "calls" and key[3] == "ok" else new > old

    def costs(self, change):
        """Plain accesses cost nothing by themselves; every other count does."""
        key, column = change[:2]
        return (column != "plain" or key[:2] in self.dearer or
                any(other[:2] == (key, "lines") and self.worse(other) for other in self.changes))

    def fails(self, change):
        return self.exact(change[0]) and self.worse(change) and self.costs(change)

    def increased(self):
        return [change for change in self.changes if self.fails(change)]

    def lost(self):
        return [key for key in self.gone if key[3] == "ok" and self.before[key]["rule"] == "exact"]

    def advisory(self):
        return [change for change in self.changes if not self.exact(change[0])]

    def print_rest(self):
        """What fails nothing."""
        for change in self.changes:
            if self.exact(change[0]) and not self.fails(change):
                print_change("more" if self.worse(change) else "less", change)
        moved = self.advisory()
        if moved:
            rows = len({change[0] for change in moved})
            print(f"  moved {', '.join(sorted({change[0][0] for change in moved}))}: {len(moved)} counts in {rows} rows "
                  "beside another thread, which depend on both; not judged")
        for deque in sorted({key[0] for key in self.added}):
            known = "new rows" if any(key[0] == deque for key in self.before) else "new, so nothing to compare with"
            print(f"  notice: {deque}: {known}; {RENEW} adds it")
        for deque in self.gone_deques:
            print(f"  gone  {deque}: {sum(key[0] == deque for key in self.before)} rows")

    def same(self):
        return not (self.changes or self.added or self.gone or self.gone_deques)


def print_change(word, change):
    key, column, old, new = change
    share = f"{(new - old) / old:+.1%}" if old else "from nothing"
    print(f"  {word}  {key[0]:<18} {key[1]:<11} {key[2]:<18} {key[3]:<5} {column:<17} {old:>10.4f} -> {new:>10.4f}  {share}")


def update(now_path, baseline_path, partial):
    """Writes the new rows into the baseline; if partial, keeps those of deques that were not counted."""
    rows, _ = read_rows(now_path)
    counted = {key[0] for key in rows}
    with open(now_path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns, lines = reader.fieldnames, list(reader)
    written = len(lines)
    if partial and baseline_path.exists():
        read_rows(baseline_path)
        with open(baseline_path, newline="", encoding="utf-8") as file:
            lines += [row for row in csv.DictReader(file) if row["deque"] not in counted]
    new = baseline_path.with_suffix(".new")
    with open(new, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns, lineterminator="\n", restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(sorted(lines, key=lambda row: tuple(row[name] for name in KEY)))
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
        dearer |= {(key[0], key[1].removesuffix("_empty")) for key, column, _, _ in compared[0].increased()
                   if column == "instructions"}
    lost = sorted({key for one in compared for key in one.lost()})  # a row may be in several files
    increased = [change for one in compared for change in one.increased()]
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
    if all(one.same() for one in compared):
        print("ci: every count is as in the baseline")
    else:
        print("ci: no count increased")
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
