#!/usr/bin/python3
"""catalogue_test.py [--rewrite [TABLE...]]: queues/CATALOGUE.md, and whether its tables say what is so.

The tables: claims come from what the built deques say of themselves (--describe), accesses and coherence from the lab (count
--orders, --csv), memory from a program that counts a deque's allocations, mutants from the scores in proof/mutants.
A row that says what is not so fails, and so does one of a deque that is not there. A deque without a row is new: a
notice. --rewrite writes the file, or those tables of it, anew. Ends on "N passed, N failed"; exit 0, 1 a table is out of
date, 2 usage, 3 something is missing.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "proof/mutants"))
sys.dont_write_bytecode = True
import score  # noqa: E402

CATALOGUE = ROOT / "queues/CATALOGUE.md"
SITUATIONS = [("push", "alone"), ("pop", "alone"), ("pop", "last item"), ("pop", "empty"), ("steal", "alone"),
              ("steal", "empty"), ("push_batch", "alone"), ("steal_batch", "alone"), ("steal_into", "alone"),
              ("push_list", "alone"), ("steal_list", "alone")]
COUNTS = ["loads", "stores", "rmws", "fences"]
ROUNDS = ("steals between", "pushes between", "pops between")
CLANG = "clang" in os.path.basename(os.environ.get("CC", "gcc"))
LINES = ["transfers", "invalidations", "upgrades", "false_sharing"]


def deques():
    return sorted(path.stem for path in (ROOT / "queues").glob("*.h") if path.stem != "deque")


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(missing(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.returncode}"))
    return done.stdout


def missing(what):
    print(f"catalogue_test.py: {what}", file=sys.stderr)
    return 3


def for_each(work):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(deques(), pool.map(work, deques())))


def facts_of(deque):
    lines = [line.split("\t") for line in run(f"build/lab/{deque}", "--describe").splitlines()]
    facts = {line[1]: line[2] for line in lines if line[0] == "deque"}
    header = (ROOT / f"queues/{deque}.h").read_text(encoding="utf-8")
    spill = re.search(r"^#define DEQUE_SPILL (\w+)", header, re.M)
    return facts | {"spill": spill.group(1) if spill else "", "block": "#define DEQUE_BLOCK " in header}


def words(text):
    return text.replace("_", "-")


def when_full(facts):
    if facts["keeps_nothing"] == "1":
        return "never"
    text = {"fixed": "FULL", "growable": "grows; FULL without memory", "linked": "FULL without memory"}[facts["bound"]]
    if "lists" in facts["native"]:
        text = "never"
    return text + (f"; `{facts['spill']}` hands half back" if facts["spill"] else "")


def claims_table():
    rows = []
    for deque, facts in for_each(facts_of).items():
        native = ", ".join(f"`{form}`" for form in facts["native"].split(",") if form not in ("-", "poll"))
        needs = [text for text, so in [("thief needs a deque of its own", facts["needs_self"] == "1"),
                                       ("owner polls", "poll" in facts["native"]),
                                       ("one for all workers", facts["shared"] == "1"),
                                       ("`block`", facts["block"]),
                                       (f"`{facts['mode']}`", facts["mode"] != "-")] if so]
        thieves = {"owner_only": "none", "one": "one at a time", "many": "many"}[facts["thieves"]]
        rows.append([f"`{deque}`", facts["owner_order"], thieves, native, ", ".join(needs),
                     *(words(facts[f"{operation}_progress"]) for operation in ("push", "pop", "steal")),
                     {"once": "once", "at_least_once": "at least once"}[facts["delivery"]], when_full(facts)])
    return table(["deque", "owner", "thieves", "has itself", "needs, settings", "push", "pop", "steal", "an item comes out",
                  "when full"], rows)


def short(text):
    for order in ("relaxed", "acquire", "release", "seq_cst"):
        text = text.replace(order, {"relaxed": "rlx", "acquire": "acq", "release": "rel", "seq_cst": "sc"}[order])
    return text


def counts_of(form):
    """How to get {(operation, situation): its rows, one for each outcome} of a deque."""
    def of(deque):
        found = {}
        for line in csv.DictReader(run(f"build/lab/{deque}", "count", form).splitlines()):
            found.setdefault((line["operation"], line["situation"]), []).append(line)
        return found
    return of


def named(line, usual):
    """`steal`, empty: the operation with what is not usual about it."""
    said = [text for text in (line["situation"], line["outcome"]) if text not in usual]
    return ", ".join([f"`{line['operation']}`", *said])


def accesses_table():
    rows = []
    for deque, found in for_each(counts_of("--orders")).items():
        lines = [line for key in SITUATIONS for line in found.get(key, ())]
        for place, line in enumerate(lines):
            usual = ("alone", "ok") if line["situation"] != line["outcome"] else ("empty",)
            text = f"`{line['operation']}`, empty" if usual == ("empty",) else named(line, usual)
            rows.append([f"`{deque}`" if place == 0 else "", text,
                         *(short(line[count]) if line[count] != "0" else "" for count in COUNTS)])
    return table(["deque", "operation", "loads", "stores", "read-modify-writes", "fences"], rows)


def coherence_table():
    rows = []
    for deque, found in for_each(counts_of("--csv")).items():
        lines = [line for (_, situation), some in found.items() if situation in ROUNDS for line in some]
        for place, line in enumerate(lines):
            values = [f"{float(line[count + width]):.3g}" for width in ("", "_128") for count in LINES]
            rows.append([f"`{deque}`" if place == 0 else "", named(line, ("ok",)),
                         *("" if value == "0" else value for value in values)])
    return table(["deque", "operation", "transfers", "invalidations", "upgrades", "beside another's",
                  "pairs: transfers", "invalidations", "upgrades", "beside another's"], rows)


def bytes_of(deque):
    compiler = os.environ.get("CC", "gcc")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "memory"
        run(compiler, "-std=gnu11", "-D_GNU_SOURCE", "-I.", "-pthread", "-O1", f'-DDEQUE_HEADER="queues/{deque}.h"',
            "tests/catalogue/memory.c", "-o", program)
        return [int(text) for text in run(program).split("\t")]


def memory_table():
    rows = []
    for deque, (struct, link, empty, full, _, more) in for_each(bytes_of).items():
        each = (more - full) / 1024
        rows.append([f"`{deque}`", str(struct), str(empty), str(full), f"{each:g}", str(link) if link else ""])
    return table(["deque", "`struct deque`", "allocated when empty", "when full", "for each item more",
                  "link in each item"], rows)


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def mutants_table():
    return score.table(score.everything()[0])


BEGINNING = """# The deques in tables

Made by `make catalogue`, and checked by `tests/run.sh catalogue`: edit the deques, not this file.
[README.md](README.md) describes each deque.
"""
# name, heading, what it says, how it is made
SECTIONS = {
    "claims": ("What each deque claims", """The lab's `stop` and, with real threads, the gate's `stopped` hold a deque to these claims. Wait-free and lock-free: the
operation gets its work done wherever any other thread has stopped. Blocking: some thread, stopped at some point, keeps it
from doing so (it holds a lock; it leaves a ring full for good; every steal answers LOST). `block`: the number of items in
a block is a setting.""", claims_table),
    "accesses": ("Atomic accesses of each operation", """The mean of 32 calls in the lab (batches of 16; steals of half of 64 items) while no other thread runs, of each outcome
by itself ("lost": the calls that answered LOST), by memory order:
rlx relaxed, acq acquire, rel release, sc sequentially consistent. A lock and an unlock count as one read-modify-write
each, a sequentially consistent store also as a fence. Plain accesses are left out, because they depend on the compiler.
Where an operation reaches a new block, a node or growth only now and then, the mean has a fraction.""", accesses_table),
    "coherence": ("Cache lines of each operation", """The mean of 32 operations in the lab (8 of batches, lists and steals into another deque), with one of another thread's
between each two: a steal after each push, and so on; by outcome. Every thread has a cache of its own, and what counts is
what happens to lines of 64 bytes, then to the aligned pairs of them that x86 fetches together. Transfers: the line was not in this
thread's cache, but in another's. Invalidations: copies in other caches that a write made worthless. Upgrades: writes
that found their line in this cache, but shared. Beside another's: words of 8 bytes that the operation touched, on lines
where the other thread writes a different word, so that they come and go for nothing (false sharing); slots next to each
other in a ring are among them. A first operation that finds a line in nobody's cache makes 0.969 of 1. What the
model leaves out: [the lab](../proof/lab/README.md#what-it-is-not).""", coherence_table),
    "memory": ("Bytes", """On a 64-bit machine: the deque itself, what it allocates with room for 1024 items (the first capacity of those that grow),
and what each further item costs between 1024 and 2048.""", memory_table),
    "mutants": ("Mutants killed", """[README.md](README.md#mutants) says what a mutant is. A cell holds how many were killed without the model checker, of
those not argued to be harmless by an argument that every check has met; an argument that was not run yet counts as one to
be killed. `+ model checker` is how many more it kills. The last column is of the operators on wish (`--more`).""", mutants_table),
}


def rows_by_deque(text):
    """{deque: its rows} of a table's lines; a row that names no deque belongs to the one above."""
    found, deque = {}, ""
    for line in [line for line in text.splitlines() if line.startswith("|")][2:]:
        deque = line.split("|")[1].strip(" `") or deque
        found.setdefault(deque, []).append(line)
    return found


def differences(name, written, made):
    """(what is wrong, notices) of a table as it is written and as it is made."""
    written, made = rows_by_deque(written), rows_by_deque(made)
    new = sorted(set(made) - set(written))
    if new:  # so the last row, of all deques, says something else
        written.pop(score.TOTAL, None)
        made.pop(score.TOTAL, None)
    wrong = [f"{deque} is not a deque here" for deque in sorted(set(written) - set(made))]
    wrong += [f"{deque}:\n- " + "\n- ".join(rows) + "\n+ " + "\n+ ".join(made[deque])
              for deque, rows in written.items() if deque in made and rows != made[deque]]
    return wrong, [f"notice: {deque} is new: no row in the table {name} yet; make catalogue writes it" for deque in new]


def read_tables():
    """{name: its table} of the file."""
    text = CATALOGUE.read_text(encoding="utf-8") if CATALOGUE.exists() else ""
    below = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    return {name: "".join(line + "\n" for line in below[heading].splitlines() if line.startswith("|"))
            for name, (heading, *_) in SECTIONS.items() if heading in below}


def to_make():
    """The names of the tables that can be made here."""
    if CLANG:
        print("the table accesses and the upgrades of coherence are what gcc makes of the deques: left out with clang")
        return [name for name in SECTIONS if name != "accesses"]
    return list(SECTIONS)


def of_every_compiler(text):
    """The table, its upgrades empty where clang decided them."""
    rows = [line.split("|") for line in text.splitlines()]
    blank = [i for i, heading in enumerate(rows[0]) if CLANG and heading.strip() == "upgrades"]
    return "".join("|".join("" if i in blank else cell for i, cell in enumerate(row)) + "\n" for row in rows)


def rewrite(names):
    tables = read_tables()
    tables.update((name, SECTIONS[name][2]()) for name in to_make() if name in names or name not in tables)
    CATALOGUE.write_text(BEGINNING + "".join(f"\n## {heading}\n\n{text}\n\n{tables.get(name, '')}"
                                             for name, (heading, text, _) in SECTIONS.items()), encoding="utf-8")


def check():
    names, written, failed = to_make(), read_tables(), 0
    for name in names:
        wrong, notices = ["it is not there"], []
        if name in written:
            wrong, notices = differences(name, of_every_compiler(written[name]), of_every_compiler(SECTIONS[name][2]()))
        for notice in notices:
            print(notice)
        if wrong:
            failed += 1
            print(f"FAILED the table {name} of queues/CATALOGUE.md; make catalogue writes it anew:")
            print("\n".join(wrong))
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    words = sys.argv[1:]
    if words and (words[0] != "--rewrite" or set(words[1:]) - set(SECTIONS)):
        print(__doc__, file=sys.stderr)
        return 2
    if not words:
        return check()
    rewrite(words[1:] or SECTIONS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
