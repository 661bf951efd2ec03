#!/usr/bin/python3
"""Compares counts of this build with a baseline and prints what changed.

usage: compare_counts.py [--update-baseline] [--partial] --toolchain NOW BASELINE  NOW.csv BASELINE.csv ...

Each CSV file has the key columns deque, operation, situation; every other column is a count per call, and less is
better. Exit: 0 nothing increased, 1 something did, 2 usage, 3 there is no baseline.

With another compiler or valgrind than the baseline's, differences are printed and the exit is 0: they say nothing about
the change. --partial: only some deques were counted, so rows of others are not missing.
"""

import argparse
import csv
import os
import sys

KEY = ("deque", "operation", "situation")
# Counts are printed with four digits; anything that can change by one access in one call of many is above this.
SMALLEST = 0.00005


def read_rows(path):
    """The file's rows by key, in order, and its count columns."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns = [name for name in reader.fieldnames if name not in KEY]
        return {tuple(row[name] for name in KEY): row for row in reader}, columns


def changes_between(now, before, columns):
    """(key, column, before, now) for every count that differs, of the rows that both have."""
    for key, row in now.items():
        if key not in before:
            continue
        for column in columns:
            old, new = float(before[key][column]), float(row[column])
            if abs(new - old) > SMALLEST:
                yield key, column, old, new


def print_change(key, column, old, new):
    share = f"{(new - old) / old:+.1%}" if old else "from nothing"
    word = "MORE" if new > old else "less"
    print(f"  {word}  {key[0]:<22} {key[1]:<12} {key[2]:<11} {column:<13} {old:>10.4f} -> {new:>10.4f}  {share}")


def compare(now_path, baseline_path, partial):
    """Prints what changed; how many counts increased, and how many rows differ in any way."""
    now, columns = read_rows(now_path)
    before, _ = read_rows(baseline_path)
    changes = list(changes_between(now, before, columns))
    for change in changes:
        print_change(*change)
    added = [key for key in now if key not in before]
    gone = [] if partial else [key for key in before if key not in now]
    for deque in sorted({key[0] for key in added}):
        known = "new rows" if any(key[0] == deque for key in before) else "new, so nothing to compare with"
        print(f"  notice: {deque}: {known}; ./run.sh ci --update-baseline adds it")
    for deque in sorted({key[0] for key in gone}):
        print(f"  gone  {deque}: {sum(key[0] == deque for key in gone)} rows")
    return sum(new > old for _, _, old, new in changes), len(changes) + len(added) + len(gone)


def update(now_path, baseline_path):
    """Puts the rows of now into the baseline, and keeps those of deques that were not counted."""
    now, columns = read_rows(now_path)
    rows = read_rows(baseline_path)[0] if os.path.exists(baseline_path) else {}
    counted = {key[0] for key in now}
    rows = {key: row for key, row in rows.items() if key[0] not in counted} | now
    with open(baseline_path + ".new", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=[*KEY, *columns], lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: tuple(row[name] for name in KEY)))
    os.replace(baseline_path + ".new", baseline_path)
    print(f"  {baseline_path}: {len(now)} rows written")


def read_text(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description="Compares counts with a baseline.")
    parser.add_argument("--update-baseline", action="store_true")
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--toolchain", nargs=2, required=True, metavar=("NOW", "BASELINE"))
    parser.add_argument("files", nargs="+", metavar="NOW.csv BASELINE.csv")
    arguments = parser.parse_args()
    if len(arguments.files) % 2:
        parser.error("files come in pairs")
    pairs = list(zip(arguments.files[::2], arguments.files[1::2]))
    tools, tools_before = read_text(arguments.toolchain[0]), read_text(arguments.toolchain[1])
    if arguments.update_baseline:
        for pair in pairs:
            update(*pair)
        with open(arguments.toolchain[1], "w", encoding="utf-8") as file:
            file.write(tools)
        return 0
    absent = [baseline for _, baseline in pairs if not os.path.exists(baseline)]
    if absent:
        print(f"ci: nothing to compare with: no {' and no '.join(absent)}; ./run.sh ci --update-baseline makes it")
        return 3
    increased = different = 0
    for pair in pairs:
        more, other = compare(*pair, arguments.partial)
        increased += more
        different += other
    if not different:
        print("ci: every count is as in the baseline")
    if tools_before and tools != tools_before:
        print("ci: the baseline was made with other tools, so a difference says nothing about the code:")
        print("  baseline: " + tools_before.strip().replace("\n", ", "))
        print("  now:      " + tools.strip().replace("\n", ", "))
        return 0
    if increased:
        print(f"ci: {increased} counts increased; if that is meant: ./run.sh ci --update-baseline")
    return 1 if increased else 0


if __name__ == "__main__":
    sys.exit(main())
