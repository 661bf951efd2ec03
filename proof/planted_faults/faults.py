"""faults.py: reads the planted faults in the files beside this one, and puts a fault into the sources.

A file is named after its subject and lists faults; `#` begins a comment:

    fault steal_without_a_cas
    in deque_steal
    -   if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst, memory_order_relaxed))
    +   if ((atomic_store_explicit(&victim->top, top + 1, memory_order_release), false))
    by plain:stress, plain:preempt
    by model sc two_thieves: assertion

This fault is called SUBJECT/steal_without_a_cas. The lines behind `-` become the lines behind `+`, or nothing. `in` says
where: a function, a `struct NAME`, a `#define NAME`. Layout and comments do not matter. The code has to be there exactly once,
or as often as `in NAME, 3 times` or `in the file, throughout` says. A fault that no longer fits the code fails: it would
silently test sound code. A fault may have several changes. `as it is` means no change, because the fault is in somebody else's
code. The file is queues/SUBJECT.h; `in pool.c: pool_spawn` names another one, below the FOLDER of a line `sources FOLDER` if
there is one. The deque is the subject, unless `deque ID` names another one; above the first fault, `deque` holds for all
faults.

Each line `by` is a demand: one of the checks in it has to kill the fault (mutants/checks.py lists their names). The checks are tried
in turn, several times, because some find a fault only by luck.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "proof/mutants"))
import mutate  # noqa: E402
from checks import Misfit  # noqa: E402


@dataclass
class Change:
    file: str   # path from the root
    place: str  # "deque_steal", "struct deque", "#define DEQUE_TRAITS"
    times: int = 1  # 0: all places, at least one
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)


@dataclass
class Fault:
    name: str   # SUBJECT/NAME
    deque: str  # the deque that is checked
    changes: list = field(default_factory=list)
    as_it_is: bool = False
    demands: list = field(default_factory=list)  # lists of names of checks; one check of each list has to kill the fault


# --- reading

WORDS = ("sources", "deque", "fault", "as", "in", "by", "-", "+")


def read(path):
    """The faults of one file."""
    folder, deque, found, faults = "queues", path.stem, {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        rest, fault = rest.strip(), faults[-1] if faults else None
        if not word or word.startswith("#"):
            continue
        try:
            if word not in WORDS:
                raise Misfit(f"not one of {' '.join(WORDS)}: {word}")
            if word in ("sources", "deque") and not fault:
                folder, deque = (rest, deque) if word == "sources" else (folder, rest)
            elif word == "fault":
                if not re.fullmatch(r"\w+", rest) or rest in found:
                    raise Misfit(f"no name of a fault, or there already: {rest}")
                found[rest] = number
                faults.append(Fault(f"{path.stem}/{rest}", deque))
            elif not fault:
                raise Misfit("a fault has to come before it")
            else:
                take(fault, word, rest, folder, path.stem)
        except Misfit as why:
            raise Misfit(f"{path.name}:{number}: {why}") from None
    for fault in faults:
        if not fault.demands:
            raise Misfit(f"{path.name}:{found[fault.name.split('/')[1]]}: {fault.name}: no check is named that has to kill it")
        if fault.as_it_is == bool(fault.changes) or any(not change.before for change in fault.changes):
            raise Misfit(f"{path.name}:{found[fault.name.split('/')[1]]}: {fault.name}: nothing is changed")
    return faults


def take(fault, word, rest, folder, subject):
    """Takes one line of a fault."""
    if word == "deque":
        fault.deque = rest
    elif word == "as":
        fault.as_it_is = rest == "it is"
    elif word == "in":
        said = re.fullmatch(r"(?:([\w./]+):\s+)?(.+?)(?:,\s*(?:(\d+) times|(throughout)))?", rest)
        times = 0 if said.group(4) else int(said.group(3) or 1)
        fault.changes.append(Change(f"{folder}/{said.group(1) or subject + '.h'}", said.group(2), times))
    elif word == "by":
        fault.demands.append([check.strip() for check in rest.split(",")])
    elif not fault.changes:
        raise Misfit("in what? (in FUNCTION comes first)")
    else:
        change = fault.changes[-1]
        if word == "-" and change.after:
            change = Change(change.file, change.place, change.times)
            fault.changes.append(change)
        (change.before if word == "-" else change.after).append(rest)


def read_all(folder=None):
    return [fault for path in sorted((folder or HERE).glob("*.txt")) for fault in read(path)]


# --- planting

def tokens(text):
    """[(token, start, end)] of the code. Comments and continued line ends count as blanks."""
    bare = mutate.without_comments(text)
    bare = re.sub(r"\\(?=\n)", " ", bare)
    return [(found.group(), found.start(), found.end()) for found in mutate.TOKEN.finditer(bare)]


def places(text):
    """{what may follow `in`: [(start, end)]} for a file. Several entries if branches of the preprocessor have one each."""
    source, found = mutate.Source(text), {"the file": [(0, len(text))]}

    def add(name, start, end):
        found.setdefault(name, []).append((start, end))

    for name, first, past in source.functions():
        opening = source.partner[first - 2]  # bracket of its arguments
        add(name, source.starts[opening - 1], source.ends[past])
    for at in range(len(source.tokens) - 2):
        if source.tokens[at] == "struct" and source.tokens[at + 2] == "{":
            add(f"struct {source.tokens[at + 1]}", source.starts[at], source.ends[source.partner[at + 2]])
    for define in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", mutate.without_comments(text), re.MULTILINE):
        add(f"#define {define.group(1)}", define.start(), define.end())
    return found


def planted(change, text):
    """The text with this change in it."""
    known = places(text)
    if change.place not in known:
        raise Misfit(f"{change.file} has no {change.place}")
    every, wanted = tokens(text), [token for token, _, _ in tokens("\n".join(change.before))]
    hits = []
    for start, end in known[change.place]:
        inside = [token for token in every if start <= token[1] and token[2] <= end]
        for at in range(len(inside) - len(wanted) + 1):
            if [token for token, _, _ in inside[at:at + len(wanted)]] == wanted:
                hits.append((inside[at][1], inside[at + len(wanted) - 1][2]))
    hits = sorted(set(hits))
    if len(hits) != (change.times or max(1, len(hits))) or any(one[1] > other[0] for one, other in zip(hits, hits[1:])):
        raise Misfit(f"{change.place} of {change.file} has this {len(hits)} times, not {change.times or 1}: {' '.join(change.before)}")
    for start, end in reversed(hits):
        text = text[:start] + "\n".join(change.after) + text[end:]
    return text


def plant(fault, root=ROOT):
    """{path: text} of the files that the fault changes."""
    texts = {}
    for change in fault.changes:
        if change.file not in texts:
            path = root / change.file
            if not path.is_file():
                raise Misfit(f"there is no {change.file}")
            texts[change.file] = path.read_text(encoding="utf-8")
        before = texts[change.file]
        texts[change.file] = planted(change, before)
        if [token[0] for token in tokens(texts[change.file])] == [token[0] for token in tokens(before)]:
            raise Misfit(f"{change.place} of {change.file} is as it was: {' '.join(change.before)}")
    return texts


def tree(texts, folder, root=ROOT):
    """Makes a folder that looks like the root except for these files; everything else in it is a link."""
    folders = {parent for path in texts for parent in Path(path).parents}
    for parent in sorted(folders, key=lambda path: len(path.parts)):
        (folder / parent).mkdir(parents=True, exist_ok=True)
        for entry in (root / parent).iterdir():
            name = parent / entry.name
            if name not in folders and name.as_posix() not in texts and entry.name not in (".git", "__pycache__"):
                (folder / name).symlink_to(entry)
    for path, text in texts.items():
        (folder / path).write_text(text, encoding="utf-8")
    return folder
