#!/usr/bin/python3
"""catalogue.py: the deques in tables, made from the code by `make catalogue`.

Writes queues/CATALOGUE.md (what each deque claims) and build/catalogue.md (all tables). The claims come from what the built
deques say of themselves (--describe), bytes from a program that counts a deque's allocations, mutants from the totals in
proof/mutants. Exit: 0, 3 something is missing.
"""

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
`make catalogue` also writes `build/catalogue.md`, with two tables more: the bytes each deque takes, and how many mutants the
checks kill. `./run.sh lab count --orders` prints each operation's atomic accesses by memory order, and
`./run.sh lab count --csv` its cache lines while another thread is at work.
"""
CLAIMS = ("What each deque claims", """The lab's `stop` and, with real threads, the gate's `stopped` hold a deque to these claims. Wait-free and lock-free: the
operation finishes wherever any other thread has stopped. Blocking: a thread that stops at some point keeps it from
finishing (it holds a lock, or leaves a ring full, or every steal answers LOST). `block`: the number of items in a block is
a setting.""", claims_table)
# heading, text, how the table is made
OTHERS = [
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
