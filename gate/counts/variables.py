#!/usr/bin/python3
"""The BWoS thesis's tables 3.1 to 3.4 (which operation reads and writes which variable) beside what the lab counts.

usage: variables.py [--lab=build/lab] [--check=FILE]

Runs `count --variables` for the thesis's listings (queues/as_published/) and for the deques that we time, and prints the
tables as Markdown: the thesis's line, the listing's and ours for each variable, equal ones as one; bold if the listing differs
from its table.
--check=FILE: succeeds if FILE contains exactly these tables.

Exit: 0 fine, 1 FILE has others, 2 usage, 3 an executable or the thesis's numbers are missing.
"""

import argparse
import csv
import re
import subprocess
import sys
from pathlib import Path

STATED = Path(__file__).resolve().parents[2] / "results" / "published" / "bwos_thesis_accesses.csv"
PARTS = [("push", "fastpath"), ("push", "advance"), ("pop", "fastpath"), ("pop", "advance"), ("steal", "fastpath"),
         ("steal", "advance")]
HEADINGS = {"push": "pushBottom", "pop": "popBottom", "steal": "popTop"}
# The functions in which a deque moves on to another block.
ADVANCES = re.compile(r"advance|go_up|go_down|start_over|take_over|next|passed")
# For each series: the listing, the deque that we time, and their names for the thesis's variables.
SERIES = {
    "ABP": ("as_published/abp", "abp", {"top": ["age"]}, {"top": ["age"]}),
    "CL": ("as_published/chase_lev", "chase_lev", {}, {}),
    "FIFO BWoS": ("as_published/bwos_fifo", "bwos_fifo", {},
                  {"b_pos": ["bottom", "committed"], "f_pos": ["front"], "s_pos": ["claim"], "s_cnt": ["stolen"]}),
    "LIFO BWoS": ("as_published/bwos_lifo", "bwos_lifo", {},
                  {"b_pos": ["bottom"], "f_pos": ["floor"], "s_pos": ["claim"], "s_cnt": ["stolen"]}),
}
READ_MODIFY_WRITES = {"cas": "CAS", "cas failed": "CAS", "exchange": "exchange", "fetch": "fetch_add"}


class Missing(Exception):
    pass


def counted(lab, deque, advances):
    """{(variable, operation, part): the kinds of its accesses} of operations that succeeded, each alone. advances: does the
    table separate moving on to another block from the rest?"""
    try:
        done = subprocess.run([str(Path(lab) / deque), "count", "--variables"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Missing(f"{lab}/{deque}: {error.strerror}; make {lab}/{deque}") from None
    found = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        if row["operation"] in HEADINGS and row["outcome"] == "ok" and row["situation"] != "empty":
            part = "advance" if advances and ADVANCES.search(row["function"]) else "fastpath"
            found.setdefault((row["variable"], row["operation"], part), set()).add(row["access"])
    if not found:
        raise Missing(f"{lab}/{deque} counted nothing: {done.stderr.strip()}")
    return found


def text_of(kinds):
    """As the thesis writes it: {load, cas} is R(W)_CAS."""
    by = sorted({READ_MODIFY_WRITES[kind] for kind in kinds if kind in READ_MODIFY_WRITES})
    plain = ("R" if "load" in kinds else "") + ("W" if "store" in kinds else "")
    if not by:
        return plain or "-"
    # A fetch_add reads and writes, (RW). Of a CAS or an exchange the thesis counts the write, (W).
    if "W" in plain:
        plain += " "
    return plain + ("(RW)" if by == ["fetch_add"] else "(W)") + "_" + ",".join(by)


def alike(stated, ours):
    """Are they the same? An exchange and a CAS return the old value, so it does not matter whether the table calls that a read."""
    return stated == ours or ("_" in stated and stated.lstrip("R") == ours.lstrip("R"))


def stated_tables():
    """{(table, series): {variable: {(operation, part): stated}}}"""
    try:
        lines = [line for line in STATED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    except OSError as error:
        raise Missing(f"{STATED}: {error.strerror}") from None
    tables = {}
    for row in csv.DictReader(lines):
        variables = tables.setdefault((row["table"], row["series"]), {})
        variables.setdefault(row["variable"], {})[row["operation"], row["part"]] = row["stated"]
    return tables


def code(text):
    return text if text == "-" else f"`{text}`"


def markdown(lab):
    lines = []
    for (number, series), variables in stated_tables().items():
        listing, timed, names, ours = SERIES[series]
        parts = [part for part in PARTS if part in next(iter(variables.values()))]
        headings = [HEADINGS[operation] + (", advancing" if part == "advance" else "") for operation, part in parts]
        of_listing, of_timed = (counted(lab, deque, ("push", "advance") in parts) for deque in (listing, timed))
        lines += [f"| table {number}, {series} | | {' | '.join(headings)} |", "| --- |" + " --- |" * (1 + len(parts))]
        for variable, stated in variables.items():
            def cells(found, called, variable=variable):
                return [text_of(set().union(*(found.get((name, *part), set()) for name in called.get(variable, [variable]))))
                        for part in parts]
            theirs = [stated[part] for part in parts]
            marked = [code(cell) if alike(said, cell) else f"**{code(cell)}**"
                      for said, cell in zip(theirs, cells(of_listing, names))]
            called = ", ".join(f"`{name}`" for name in ours.get(variable, [variable]))
            rows = {}  # whose rows are the same, by their text
            for whose, row in (("thesis", map(code, theirs)), ("its listing", marked),
                               (f"`{timed}`: {called}", map(code, cells(of_timed, ours)))):
                rows.setdefault(" | ".join(row), []).append(whose)
            lines += [f"| {'' if i else f'`{variable}` '}| {', '.join(whose)} | {row} |" for i, (row, whose) in enumerate(rows.items())]
        lines.append("")
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "), add_help=True)
    parser.add_argument("--lab", default="build/lab")
    parser.add_argument("--check", metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        tables = markdown(options.lab)
    except Missing as error:
        print(f"variables.py: {error}", file=sys.stderr)
        return 3
    if not options.check:
        print(f"Made by gate/counts/variables.py, explained in docs/papers/bwos_thesis.md.\n\n{tables}", end="")
        return 0
    written = Path(options.check).read_text(encoding="utf-8")
    wrong = [table for table in tables.strip().split("\n\n") if table not in written]
    if not wrong:
        print(f"{options.check} has the counted tables")
    for table in wrong:
        print(f"{options.check} has another table than this:\n{table}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
