#!/usr/bin/python3
"""catalogue_test.py [--rewrite]: do the tables in queues/README.md that can be generated say what is so?

Claims come from what the built deques say of themselves (--describe), accesses from the lab (count --orders), bytes
from a program that counts a deque's allocations. --rewrite writes the tables anew. Ends on "N passed, N failed"; exit 0,
1 a table is out of date, 3 something is missing.
"""

import csv
import difflib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "queues/README.md"
SITUATIONS = [("push", "alone"), ("pop", "alone"), ("pop", "last item"), ("pop", "empty"), ("steal", "alone"),
              ("steal", "empty"), ("push_batch", "alone"), ("steal_batch", "alone"), ("steal_into", "alone"),
              ("push_list", "alone"), ("steal_list", "alone")]
COUNTS = ["loads", "stores", "rmws", "fences"]


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


def accesses_of(deque):
    lines = csv.DictReader(run(f"build/lab/{deque}", "count", "--orders").splitlines())
    return {(line["operation"], line["situation"]): line for line in lines}


def accesses_table():
    rows = []
    for deque, lines in for_each(accesses_of).items():
        found = [key for key in SITUATIONS if key in lines]
        for place, key in enumerate(found):
            operation, situation = key
            text = f"`{operation}`" + ("" if situation == "alone" else f", {situation}")
            rows.append([f"`{deque}`" if place == 0 else "", text,
                         *(short(lines[key][count]) if lines[key][count] != "0" else "" for count in COUNTS)])
    return table(["deque", "operation", "loads", "stores", "read-modify-writes", "fences"], rows)


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


TABLES = {"claims": claims_table, "accesses": accesses_table, "memory": memory_table}


def marks(name):
    return f"<!-- {name}: made by tests/catalogue_test.py --rewrite -->\n", f"<!-- {name}: end -->\n"


def main():
    rewrite = sys.argv[1:] == ["--rewrite"]
    if sys.argv[1:] and not rewrite:
        print(__doc__, file=sys.stderr)
        return 2
    text, failed = CATALOGUE.read_text(encoding="utf-8"), 0
    for name, make in TABLES.items():
        begin, end = marks(name)
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(missing(f"queues/README.md has no place for the table {name}"))
        before, rest = text.split(begin)
        old, after = rest.split(end)
        new = "\n" + make() + "\n"
        if old != new and not rewrite:
            failed += 1
            print(f"FAILED the table {name} of queues/README.md is out of date; --rewrite writes it anew:")
            print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "README.md", "as it is", n=0,
                                                 lineterm="")))
        text = before + begin + new + end + after
    if rewrite:
        CATALOGUE.write_text(text, encoding="utf-8")
    print(f"{len(TABLES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
