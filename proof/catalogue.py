#!/usr/bin/python3
"""catalogue.py: the deques in tables, made from the code by `make catalogue`.

Writes queues/CATALOGUE.md (what each deque claims) and build/catalogue.md (all tables). The claims come from what the built
deques say of themselves (--describe), accesses and cache lines from the lab (count --orders, --csv), bytes from a program
that counts a deque's allocations, mutants from the totals in proof/mutants. Exit: 0, 3 something is missing.
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

SHORT = ROOT / "queues/CATALOGUE.md"
LONG = ROOT / os.environ.get("BUILD", "build") / "catalogue.md"
SITUATIONS = [("push", "alone"), ("pop", "alone"), ("pop", "last item"), ("pop", "empty"), ("steal", "alone"),
              ("steal", "empty"), ("push_batch", "alone"), ("steal_batch", "alone"), ("steal_into", "alone"),
              ("push_list", "alone"), ("steal_list", "alone")]
COUNTS = ["loads", "stores", "rmws", "fences"]
ROUNDS = ("steals between", "pushes between", "pops between")
LINES = ["transfers", "invalidations", "upgrades", "false_sharing"]


def deques():
    return sorted(path.stem for path in (ROOT / "queues").glob("*.h") if path.stem not in ("deque", "ring"))


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"catalogue.py: {' '.join(map(str, command))}: {done.stderr.strip() or done.returncode}", file=sys.stderr)
        sys.exit(3)
    return done.stdout


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
            "proof/catalogue_memory.c", "-o", program)
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


HEAD = """# The deques in tables

Made by `make catalogue`: edit the deques, not this file. [README.md](README.md) describes each deque.
"""
MORE = """
`make catalogue` also writes `build/catalogue.md`, with four tables more: each operation's atomic accesses by memory order,
its cache lines while another thread is at work, the bytes each deque takes, and how many mutants the checks kill.
"""
CLAIMS = ("What each deque claims", """The lab's `stop` and, with real threads, the gate's `stopped` hold a deque to these claims. Wait-free and lock-free: the
operation finishes wherever any other thread has stopped. Blocking: a thread that stops at some point keeps it from
finishing (it holds a lock, or leaves a ring full, or every steal answers LOST). `block`: the number of items in a block is
a setting.""", claims_table)
# heading, text, how the table is made
OTHERS = [
    ("Atomic accesses of each operation", """The mean of 32 calls in the lab (batches of 16; steals of half of 64 items) while no other thread runs, by outcome and by
memory order: rlx relaxed, acq acquire, rel release, sc sequentially consistent. A lock and an unlock count as one
read-modify-write each, a sequentially consistent store also as a fence. Plain accesses depend on the compiler and are left
out. A fraction means that the operation reaches a new block, a node or growth only now and then.""", accesses_table),
    ("Cache lines of each operation", """The mean of 32 operations in the lab (8 of batches, lists and steals into another deque). Another thread runs one
operation between each two: a steal after each push, and so on. Every thread has a cache of its own. The table counts lines
of 64 bytes, then the aligned pairs of them that x86 fetches together. Transfers: the line was in another thread's cache.
Invalidations: copies in other caches that a write made worthless. Upgrades: writes that found their line in this cache,
but shared. Beside another's: words of 8 bytes on lines where the other thread writes a different word (false sharing);
neighbouring slots of a ring are among them. A first operation that finds a line in nobody's cache makes 0.969 of 1.""", coherence_table),
    ("Bytes", """On a 64-bit machine: the deque itself, what it allocates with room for 1024 items (the first capacity of those that grow),
and what each further item costs between 1024 and 2048.""", memory_table),
    ("Mutants killed", """A cell says how many the checks killed without the model checker, out of those not argued to be harmless. An argument counts
once every check has met its mutant. `+ model checker` is how many more that kills.""", mutants_table),
]


def section(heading, text, make):
    return f"\n## {heading}\n\n{text}\n\n{make()}"


def main():
    claims = section(*CLAIMS)
    SHORT.write_text(HEAD + claims + MORE, encoding="utf-8")
    LONG.write_text(HEAD + claims + "".join(section(*one) for one in OTHERS), encoding="utf-8")


if __name__ == "__main__":
    main()
