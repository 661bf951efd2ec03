#!/usr/bin/python3
"""orders_test.py: the contract's rules (queues/deque.h) for memory orders, which no compiler checks.

- Every order is written out.
- Every access and fence with an order other than relaxed has a comment that names its partner: "pairs with ...", or a
  word for another comment in the same file that does: "as in NAME", "as above", "as every store of FIELD". Without one it
  is spoken for by an earlier comment at the same field that says so: "here and below", "here and in NAME", or, at the
  access right before it, "both".
- The partner is there: after "pairs with", up to a semicolon or full stop, "in NAME" is a function of the file, and "the
  acquire of FIELD in NAME", or release, is in it.
- A store to a field that is loaded with acquire somewhere is a release store, and so is a read-modify-write: else a comment
  at it says "relaxed:", or of the latter "acquire:", and why that will do.

A comment is at an access when it stands above its statement, or in it, or behind it on its last line. Ends on "N passed,
M failed"; exit 0, 1.
"""

import functools
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "proof/mutants")]
import mutate  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

CALL = re.compile(r"atomic_(?:load|store|exchange|compare_exchange\w*|fetch_\w+|thread_fence)\w*")
PARTNER = re.compile(r"\bpairs? with\b")
CLAUSE = re.compile(r"\bpairs? with\b[^;.]*")
IN = re.compile(r"\bin (\w+)")
# "the acquires of bottom in steal", "the release stores of epoch in lf_bulk_steal"
SIDE = re.compile(r"\b(acquire|release)s?(?: stores?| loads?)? of (\w+) in (\w+)")


class Access(NamedTuple):
    line: int
    call: str
    field: str  # "" for a fence
    orders: tuple
    function: str
    comment: str

    def strong(self):
        return any(order != "relaxed" for order in self.orders)

    def acquires(self):
        return "store" not in self.call and any(order in ("acquire", "acq_rel", "seq_cst") for order in self.orders)

    def releases(self):
        return "load" not in self.call and any(order in ("release", "acq_rel", "seq_cst") for order in self.orders)

    def publishes(self):
        """Is it a release store? For a CAS the order of success counts."""
        return self.orders[0] in ("release", "acq_rel", "seq_cst")

    def says_why_not(self):
        """False if the comment speaks of a release as well: then it describes another order than the code has."""
        return re.search(rf"\b{self.orders[0]}(, for [^:;.]*)?:", self.comment) and not re.search(
            r"\b(release|acq_rel|seq_cst):", self.comment)


source_of = functools.cache(mutate.Source)


def words(comment):
    return " ".join(re.sub(r"^[ \t]*\*(?!/)", " ", comment[2:].removesuffix("*/"), flags=re.MULTILINE).split())


def field_of(argument):
    """The field's name: slots for &deque->slots[i & mask]; a pointer's own name; for a function's result, the function's name."""
    argument = re.sub(r"\[[^\[\]]*\]$", "", argument)
    return re.findall(r"\w+", argument)[0 if argument.endswith(")") else -1]


def behind(name, code):
    """The last value of a local variable before the end of this code, if the argument of a call is just its name."""
    found = re.findall(rf"\b{name}\s*=\s*([^=;][^;]*);", code) if re.fullmatch(r"\w+", name) else []
    return found[-1] if found else name


def borders(source):
    """Where statements end: semicolons outside of brackets, and braces, but for that of do ... while."""
    depth = 0
    for at, token in enumerate(source.tokens):
        depth += (token in "([") - (token in ")]")
        if (token == ";" and depth == 0) or token == "{" or (token == "}" and source.tokens[at + 1:at + 2] != ["while"]):
            yield source.starts[at]


def comment_at(code, comments, ends, start, end):
    """The comments at a call from start to end."""
    before = max((at for at in ends if at < start), default=-1)
    behind = min((at for at in ends if at > end), default=len(code))
    last = code.find("\n", behind)
    line = code.find("\n", before + 1)  # a comment after the previous statement, on its line, belongs to that statement
    first = before if before < 0 or code[before + 1:line].strip() else line
    return " ".join(words(text) for at, text in comments if first < at < (last if last >= 0 else len(code)))


def accesses(text):
    source, code, found = source_of(text), mutate.blank(text), []
    comments = [(match.start(), match.group()) for match in mutate.COMMENT.finditer(text) if match.group()[0] == "/"]
    ends = list(borders(source))
    for function, first, past in source.functions():
        for at in range(first, past):
            if not CALL.fullmatch(source.tokens[at]) or source.tokens[at + 1] != "(":
                continue
            start, end = source.starts[at], source.starts[source.partner[at + 1]]
            given = [code[source.starts[begin]:source.ends[to - 1]] for begin, to in mutate.split_arguments(source, at + 1)]
            orders = tuple(word.removeprefix("memory_order_") for word in given if re.fullmatch(r"memory_order_\w+", word))
            field = "" if "fence" in source.tokens[at] else field_of(behind(given[0], code[source.starts[first]:start]))
            found.append(Access(text.count("\n", 0, start) + 1, source.tokens[at], field, orders, function,
                                comment_at(code, comments, ends, start, end)))
    return found


def same(name, function):
    """Does a comment's name mean that function? "steal" is deque_steal."""
    return function in (name, "deque_" + name)


def is_named(access, others):
    """Is its partner named: by its own comment, by one that this refers to, or by one that speaks for it?"""
    if PARTNER.search(access.comment):
        return True
    telling = [other for other in others if other.field == access.field and PARTNER.search(other.comment)]
    before = [other for other in telling if other.function == access.function and other.line < access.line]
    referred = re.search(r"\bas in (\w+)", access.comment)
    if referred:
        return any(same(referred.group(1), other.function) for other in telling)
    if "as above" in access.comment:
        return bool(before)
    if re.search(rf"\bas every (store|load) of {access.field}\b", access.comment):
        return bool(telling)
    if any("here and below" in other.comment for other in before):
        return True
    if any(same(name, access.function) for other in telling for name in re.findall(r"\bhere and in (\w+)", other.comment)):
        return True
    place = others.index(access)
    return place > 0 and others[place - 1].function == access.function and bool(
        re.search(r"\bboth: pair with\b", others[place - 1].comment))


def stale(clause, every, functions):
    """Partners named in a comment that the file does not have."""
    named = [name for name in IN.findall(clause) if not any(same(name, function) for function in functions)]
    for name in named:
        yield f"its comment names {name}, and there is no such function"
    for side, field, name in SIDE.findall(clause):
        if name not in named and not any(other.field == field and same(name, other.function) and
                   (other.acquires() if side == "acquire" else other.releases()) for other in every):
            yield f"its comment names the {side} of {field} in {name}, and there is none"


def findings(text):
    """The faults of a header's orders: (line, what)."""
    every, said = accesses(text), []
    functions = {name for name, _, _ in source_of(text).functions()}
    acquired = {access.field for access in every if access.acquires()} - {""}
    for access in every:
        if not access.orders or ("fence" not in access.call and not access.call.endswith("_explicit")):
            said.append((access.line, f"{access.call} does not write out its order"))
        elif access.strong() and not is_named(access, every):
            said.append((access.line, f"{access.call} {access.field} ({access.orders[0]}): no comment names its partner"))
        elif ("load" not in access.call and not access.publishes() and access.field in acquired
              and not access.says_why_not()):
            said.append((access.line, f"{access.field} is acquired elsewhere, this store of it is {access.orders[0]}, and no "
                                      "comment says why"))
        said += [(access.line, what) for clause in CLAUSE.findall(access.comment) for what in stale(clause, every, functions)]
    return said


def unknown_to_git():
    """Names of new headers: a deque that git does not know yet is a first try, and its comments fail no test."""
    done = subprocess.run(["git", "ls-files", "--others", "--exclude-standard", "queues/*.h"], cwd=ROOT, check=False,
                          capture_output=True, text=True) if shutil.which("git") else None
    return {Path(line).name for line in done.stdout.splitlines()} if done else set()


SHARED = [ROOT / "queues" / part for part in mutate.FAMILIES]  # operations of several deques, which have their partners in each
HEADERS = sorted({*(ROOT / "queues").glob("*.h"), *(ROOT / "queues/parts").glob("*.h")}.difference(SHARED))


def whole(path):
    """A header's text, with the operations that it shares behind it: so its own lines keep their numbers."""
    text = path.read_text(encoding="utf-8")
    return text + "".join(part.read_text(encoding="utf-8") for part in SHARED if f'"parts/{part.name}"' in text)


def included(text):
    """The text of the deques that a deque's header includes: its partners may be there."""
    paths = [ROOT / "queues" / name for name in re.findall(r'^#include "(\w+\.h)"$', text, re.M) if name != "deque.h"]
    return "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


class Headers(unittest.TestCase):
    def test_of_each_deque(self):
        seen, fresh = 0, unknown_to_git()
        for path in HEADERS:
            text = whole(path)
            seen += sum(access.strong() for access in accesses(text))
            with self.subTest(path.name):
                said = [f"queues/{path.name}:{line}: {what}" for line, what in findings(text)]
                if path.name in fresh:
                    print("".join(f"notice: {one}\n" for one in said), end="")
                else:
                    self.assertFalse(said, "\n" + "\n".join(said))
        self.assertGreater(seen, 200, "this reads the headers no more")

    def test_every_store_that_publishes_would_be_missed(self):
        """Each release of each deque made one less, comments as they are: a finding."""
        unseen, seen = [], 0
        for path in HEADERS:
            text = whole(path)
            base = included(text)
            publish = [access.field != "" and access.releases() for access in accesses(text)]
            for mutant in mutate.mutants_of(text):
                if not re.match(r"(release|seq_cst|acq_rel) -> ", mutant.mutation):
                    continue
                weaker = mutant.apply(text)
                if [access.field != "" and access.releases() for access in accesses(weaker)] == publish:
                    continue
                seen += 1
                if findings(base + weaker) == findings(base + text):
                    unseen.append(f"{path.name}:{mutant.number}: {mutant.function}: {mutant.mutation}")
        self.assertFalse(unseen, "\n" + "\n".join(unseen))
        self.assertGreater(seen, 100)


HEADER = """
DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    /* release, here and below: pairs with the acquire of bottom in steal, which may read
     * any of our stores of it */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in steal */
    if (left == 0)
        other(deque);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of bottom in push and pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    return DEQUE_OK;
}
"""


SAID = "release: pairs with the acquire of bottom in steal"
STORE = "    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);\n    return result"
RELAXED = STORE.replace("release", "relaxed")
ACQUIRE = STORE.replace("store", "exchange").replace("release", "acquire")
POINTER = "    _Atomic uint64_t *place = &deque->bottom;\n" + STORE.replace("&deque->bottom", "place")
NO_PARTNER = "no comment names its partner"
# (the expected finding, or nothing; the replaced part of HEADER; its replacement)
CHANGED = [
    (NO_PARTNER, f"    /* {SAID} */\n", ""),
    (NO_PARTNER, " /* pairs with the fence in pop */", ""),
    (NO_PARTNER, f"    /* {SAID} */\n    atomic", f"    prepare(deque); /* {SAID} */\n    atomic"),  # of another statement
    (NO_PARTNER, "release, here and below:", "release:"),
    (NO_PARTNER, STORE, STORE.replace("&deque->bottom", "&deque->top")),  # "here and below" speaks for one field
    *(("", SAID, said) for said in ("release: as in pop", "release, as every store of bottom")),
    *((NO_PARTNER, SAID, said) for said in ("release: as in steal_half", "release: as above", "release, as every store of top")),
    ("there is no such function", SAID, SAID.replace("steal", "take")),
    ("names the acquire of top in steal", SAID, SAID.replace("bottom", "top")),
    ("this store of it is relaxed", STORE, RELAXED),
    ("", STORE, "    /* relaxed: nobody looks any more */\n" + RELAXED),
    ("this store of it is acquire", STORE, "    /* pairs with the release of bottom in push */\n" + ACQUIRE),
    ("", STORE, "    /* acquire: it publishes nothing; pairs with the release of bottom in push */\n" + ACQUIRE),
    ("this store of it is acquire", STORE, f"    /* acquire: it publishes nothing; {SAID} */\n" + ACQUIRE),
    # an order within an argument is not the store's
    ("", STORE, STORE.replace("bottom + 1", "atomic_load_explicit(&deque->bottom, memory_order_relaxed)")),
    ("this store of it is relaxed", STORE, POINTER.replace("release", "relaxed")),
    ("does not write out its order", "atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed)",
     "atomic_store(&deque->slots[bottom & deque->mask], item)"),
]


class Itself(unittest.TestCase):
    def test_what_is_right_passes(self):
        self.assertEqual(findings(HEADER), [])
        self.assertEqual([access.field for access in accesses(HEADER)], ["slots", "bottom", "bottom", "", "bottom", "", "bottom"])

    def test_what_is_wrong_is_found(self):
        for what, old, new in CHANGED:
            with self.subTest(new):
                self.assertIn(old, HEADER)
                said = findings(HEADER.replace(old, new, 1))
                self.assertEqual(len(said), 1 if what else 0, said)
                self.assertIn(what, said[0][1] if said else "")


if __name__ == "__main__":
    run_tests()
