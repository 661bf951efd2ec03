"""mutate.py: the mutants of a deque's header, each one small change of its text.

Changes, inside functions, never in comments, strings or preprocessor lines, or lines that the preprocessor leaves out, because
nothing could kill such a mutant:

  orders   each memory_order argument to the next weaker ones that its operation may have, and to relaxed
  fences   each atomic_thread_fence removed; a sequentially consistent one also changed to acq_rel
  checks   each condition (of if, while, for and ?:, and each comparison that is returned or assigned), and each operand
           of && and || in one: treated as false (`never`), as true (`always`), inverted. For loops only `never` and `inverted`:
           an endless loop shows nothing
  CAS      a condition that is a compare-and-exchange: its result replaced by success (`succeeded`), by failure (`failed`), or
           inverted; the access stays
  locks    each lock and unlock of a mutex removed

Some headers are another header under a switch: lf_bulk_many.h is lf_bulk.h with LF_BULK_MANY_THIEVES. The included text then
replaces the #include, so that its functions are mutated for this deque too.

A mutant's key is (function, code of its line, mutation). It survives changes elsewhere in the header and in comments. If a
function has the same line and mutation twice, the later ones end on " #2", " #3".
"""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

LOGIC, STRONG, ORDER = "logic", "fence or seq_cst", "other order"
CLASSES = (LOGIC, STRONG, ORDER)

WEAKER = {
    "load": {"seq_cst": ("acquire", "relaxed"), "acquire": ("relaxed",)},
    "store": {"seq_cst": ("release", "relaxed"), "release": ("relaxed",)},
    "rmw": {"seq_cst": ("acq_rel", "relaxed"), "acq_rel": ("acquire", "release"), "acquire": ("relaxed",),
            "release": ("relaxed",)},
}
COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"}
CAS = ("atomic_compare_exchange_strong_explicit", "atomic_compare_exchange_weak_explicit")
LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock")
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
ASSIGNMENTS = {"=", "+=", "-=", "|=", "&=", "^=", "*=", "/=", "<<=", ">>=", "%="}

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S")
HIDDEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                    re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')", re.DOTALL)
LINE = re.compile(r'^#line (\d+) "([^"\n]*)"\n', re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    function: str
    line: str      # the code of its first line, without comments
    mutation: str  # "acquire -> relaxed", "never: left > 0", ...
    kind: str      # one of CLASSES
    start: int     # the part of the header's text that is replaced, and its replacement
    end: int
    replacement: str
    header: str    # where the line is: an included header, or "" for the header itself (header.py)
    number: int    # number of the line there, from 1

    @property
    def key(self):
        return (self.function, self.line, self.mutation)

    def where(self, deque):
        """For people: the line and, if it is in another header, the deque."""
        own = f"{deque}.h"
        return f"{own}:{self.number}" if self.header in ("", own) else f"{self.header}:{self.number} for {deque}"

    def apply(self, text):
        return text[:self.start] + self.replacement + text[self.end:]


def blank(text, compiled=None):
    """The text with everything but code replaced by blanks, so that offsets stay the same. compiled: the numbers of the lines
    to keep, if given."""
    code = HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden.group()), text)
    if compiled is None:
        return code
    return "\n".join(line if number in compiled else " " * len(line) for number, line in enumerate(code.split("\n"), 1))


def without_comments(text):
    """The text with its comments replaced by blanks, so that offsets stay the same."""
    return COMMENT.sub(lambda found: found.group(1) or re.sub(r"[^\n]", " ", found.group()), text)


def code_hash(text):
    """A hash of the code, including preprocessor lines, but not of comments and layout."""
    bare = without_comments(LINE.sub("", text))
    return hashlib.sha256(" ".join(bare.replace("\\\n", " ").split()).encode()).hexdigest()[:12]


class Source:
    """A header's tokens, with the partner of each bracket."""

    def __init__(self, text, compiled=None):
        self.text = text
        self.uncommented = without_comments(text)
        found = list(TOKEN.finditer(blank(text, compiled)))
        self.tokens = [token.group() for token in found]
        self.starts = [token.start() for token in found]
        self.ends = [token.end() for token in found]
        self.partner = {}
        open_ones = []
        for at, token in enumerate(self.tokens):
            if token in OPENING:
                open_ones.append(at)
            elif token in CLOSING:
                begun = open_ones.pop()
                self.partner[begun], self.partner[at] = at, begun

    def top_level(self, first, past):
        """Positions of the tokens from first to before past that are in no inner brackets."""
        at = first
        while at < past:
            yield at
            at = self.partner[at] if self.tokens[at] in OPENING else at
            at += 1

    def functions(self):
        """(name, first token of its body, past it)."""
        at = 0
        while at < len(self.tokens):
            if self.tokens[at] != "{":
                at = self.partner[at] + 1 if self.tokens[at] in OPENING else at + 1
                continue
            past = self.partner[at]
            if self.tokens[at - 1] == ")":
                yield self.tokens[self.partner[at - 1] - 1], at + 1, past
            at = past + 1

    def snippet(self, first, past):
        return " ".join(self.text[self.starts[first]:self.ends[past - 1]].split())

    def line_at(self, offset):
        begin = self.uncommented.rfind("\n", 0, offset) + 1
        return " ".join(self.uncommented[begin:self.uncommented.find("\n", offset)].split())

    def place(self, offset):
        """(name of the header, number of the line), by the last #line; no name if there was none."""
        name, number, since = "", 1, 0
        for said in LINE.finditer(self.text, 0, offset):
            number, name, since = int(said.group(1)), said.group(2), said.end()
        return name, number + self.text.count("\n", since, offset)


def split_arguments(source, opening):
    """(first, past) of each argument of the call whose bracket this is."""
    first, arguments = opening + 1, []
    for at in source.top_level(opening + 1, source.partner[opening]):
        if source.tokens[at] == ",":
            arguments.append((first, at))
            first = at + 1
    return arguments + [(first, source.partner[opening])]


def orders(source, first, past):
    """The changes of memory orders and fences in a function: (start token, past, replacement, mutation, kind)."""
    for at in range(first, past):
        name = source.tokens[at]
        if not name.startswith("atomic_") or source.tokens[at + 1] != "(":
            continue
        arguments = split_arguments(source, at + 1)
        if name == "atomic_thread_fence":
            order = source.tokens[at + 2].removeprefix("memory_order_")
            strong = STRONG if order == "seq_cst" else ORDER
            # A removed fence is of the strong kind, whatever its order was.
            yield at, source.partner[at + 1] + 1, "((void)0)", f"fence {order} dropped", STRONG
            if order == "seq_cst":
                yield at + 2, at + 3, "memory_order_acq_rel", "fence seq_cst -> acq_rel", strong
            continue
        operation = "load" if "_load" in name else "store" if "_store" in name else "rmw"
        for position, (begin, end) in enumerate(arguments):
            token = source.tokens[begin]
            if end - begin != 1 or not token.startswith("memory_order_"):
                continue
            failure = name in CAS and position == 4
            order = token.removeprefix("memory_order_")
            for weaker in WEAKER["load" if failure else operation].get(order, ()):
                what = f"{'failure ' if failure else ''}{order} -> {weaker}"
                kind = STRONG if order == "seq_cst" else ORDER
                yield begin, end, f"memory_order_{weaker}", what, kind


def locks(source, first, past):
    for at in range(first, past):
        if source.tokens[at] in LOCKS:
            end = source.partner[at + 1] + 1
            yield at, end, "((void)0)", f"{source.tokens[at].removeprefix('pthread_mutex_')} dropped", LOGIC


def conditions(source, first, past):
    """The conditions in a function: (first token, past, whether of a loop)."""
    for at in range(first, past):
        token = source.tokens[at]
        if token in ("if", "while"):
            yield at + 2, source.partner[at + 1], token == "while"
        elif token == "for":
            ends = [i for i in source.top_level(at + 2, source.partner[at + 1]) if source.tokens[i] == ";"]
            if ends[1] > ends[0] + 1:
                yield ends[0] + 1, ends[1], True
        elif token == "?":
            yield begin_of_operand(source, at), at, False
        elif token in ("return", "=") and not in_for(source, at):
            end = next(i for i in source.top_level(at + 1, past) if source.tokens[i] in (";", ",", *CLOSING))
            level = [source.tokens[i] for i in source.top_level(at + 1, end)]
            if "?" not in level and any(t in COMPARISONS or t in CAS for t in level):
                yield at + 1, end, False


def in_for(source, at):
    """Is the assignment in the head of a for?"""
    depth = at
    while depth > 0:
        depth -= 1
        token = source.tokens[depth]
        if token in CLOSING:
            depth = source.partner[depth]
        elif token in OPENING:
            return token == "(" and source.tokens[depth - 1] == "for"
    return False


def begin_of_operand(source, question):
    """Where the condition before a `?` begins."""
    at = question
    while True:
        before = source.tokens[at - 1]
        if before in CLOSING:
            at = source.partner[at - 1]
        elif before in OPENING or before in (",", ";", "?", ":", "return") or before in ASSIGNMENTS:
            return at
        else:
            at -= 1


def operands(source, first, past):
    """The operands of && and || in a condition, also in brackets; the condition itself if it has none."""
    for operator in ("||", "&&"):
        ends = [i for i in source.top_level(first, past) if source.tokens[i] == operator]
        if ends:
            for begin, end in zip([first] + [i + 1 for i in ends], ends + [past]):
                yield from operands(source, begin, end)
            return
    inner = first + 1 if source.tokens[first] == "!" else first
    if source.tokens[inner] == "(" and source.partner[inner] == past - 1:
        inside = list(operands(source, inner + 1, past - 1))
        if len(inside) > 1:
            yield from inside
            return
    yield first, past


def checks(source, first, past):
    seen = set()
    for begin, end, loop in conditions(source, first, past):
        for low, high in operands(source, begin, end):
            if (low, high) in seen:
                continue
            seen.add((low, high))
            text = source.text[source.starts[low]:source.ends[high - 1]]
            short = source.snippet(low, high)
            if any(token in CAS for token in source.tokens[low:high]):
                negated = source.tokens[low] == "!"
                yield low, high, f"((void)({text}), {int(not negated)})", f"succeeded: {short}", LOGIC
                yield low, high, f"((void)({text}), {int(negated)})", f"failed: {short}", LOGIC
            else:
                yield low, high, f"((void)({text}), 0)", f"never: {short}", LOGIC
                if not loop:
                    yield low, high, f"((void)({text}), 1)", f"always: {short}", LOGIC
            yield low, high, f"(!({text}))", f"inverted: {short}", LOGIC


def mutants_of(text, compiled=None):
    """All mutants of a header, or of its compiled lines, in the order of the text."""
    source = Source(text, compiled)
    found, times = [], {}
    for function, first, past in source.functions():
        changes = [*orders(source, first, past), *locks(source, first, past), *checks(source, first, past)]
        for low, high, replacement, mutation, kind in sorted(changes, key=lambda change: change[0]):
            line = source.line_at(source.starts[low])
            times[function, line, mutation] = times.get((function, line, mutation), 0) + 1
            again = times[function, line, mutation]
            found.append(Mutant(function, line, mutation + (f" #{again}" if again > 1 else ""), kind,
                                source.starts[low], source.ends[high - 1], replacement,
                                *source.place(source.starts[low])))
    return found


def all_in_one(text, mutants):
    """The header with all these mutants in it, so that one executable (with chosen.c) runs any of them, counted from 1. Where
    the compiler wants to know an order, it takes seq_cst for it: only the lab's executables are told of each order."""
    changes = {}
    for number, mutant in enumerate(mutants, 1):
        changes.setdefault((mutant.start, mutant.end), []).append(f"chosen_mutant == {number} ? {mutant.replacement} : ")
    inserted = [(end, 0, -start, "))") for start, end in changes]  # of two that end in one place the inner one first
    inserted += [(start, 1, -end, f"({''.join(replaced)}(") for (start, end), replaced in changes.items()]
    for at, _, _, piece in sorted(inserted, reverse=True):
        text = text[:at] + piece + text[at:]
    return "extern const int chosen_mutant; /* const, or the lab would see accesses to it */\n" + text


# --- the text of a deque: its header, with what it includes

QUEUES = Path(__file__).resolve().parents[2] / "queues"
CC = os.environ.get("CC", "gcc")
RING = "parts/ring.h"
FAMILIES = ("parts/chase_lev.h", "parts/claims.h")  # mutated for each deque of the family: what it meets differs
# Each function of ring.h is mutated for one deque that uses it.
OF_RING = {
    "chase_lev": {"ring_asked", "ring_capacity", "ring_clear", "ring_slots", "ring_make", "ring_between"},
    "locked": {"ring_make_plain", "ring_grow_plain", "ring_part"},
    "saturn": {"ring_buffer_new", "ring_buffers_free", "ring_buffer_copy"},
    "go_runq": {"ring_share"},
    "bwos_lifo": {"ring_log2", "ring_blocks"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*\n', re.MULTILINE)


def read(path, folder=""):
    """A header's text, with the headers beside it that it includes in their places. The contract and its parts stay an #include,
    but for ring.h where it is mutated. #line says where each line stands (Source.place). The folder is the header's,
    below the first one's."""
    text = path.read_text()

    def in_place(include):
        name = os.path.normpath(os.path.join(folder, include.group(1)))
        ring = name == RING and not folder and path.stem in OF_RING
        if name == "deque.h" or (name.startswith("parts/") and name not in FAMILIES and not ring):
            return f'#include "{name}"\n'
        back = text.count("\n", 0, include.end()) + 1
        inner = read(path.parent / include.group(1), os.path.dirname(name))
        return f'#line 1 "{name}"\n{inner}#line {back} "{os.path.join(folder, path.name)}"\n'

    return INCLUDE.sub(in_place, text)


def directives_and_marks(text):
    """The text with its preprocessor lines unchanged, and with every other line of code replaced by a mark with its number."""
    lines, goes_on = [], False
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        directive = goes_on or line.lstrip().startswith("#")
        goes_on = directive and line.endswith("\\")
        lines.append(line if directive or not line.strip() else f"compiled_line_{number}")
    return "\n".join(lines) + "\n"


def compiled_lines(text):
    """The numbers of the code lines, from 1, that the preprocessor leaves in."""
    done = subprocess.run([CC, "-E", "-P", "-std=gnu11", "-D_GNU_SOURCE", "-iquote", QUEUES, "-x", "c", "-"],
                          input=directives_and_marks(text), text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"a header does not go through the preprocessor:\n{done.stderr}")
    return {int(number) for number in re.findall(r"\bcompiled_line_(\d+)\b", done.stdout)}


def mutants(text):
    """All mutants of the compiled lines of a header."""
    lines = LINE.findall(text)
    of_ring = OF_RING.get(lines[-1][1].removesuffix(".h"), ()) if lines else ()
    return [mutant for mutant in mutants_of(text, compiled_lines(text))
            if mutant.header != RING or mutant.function in of_ring]


def headers():
    """{deque: its header's text} of the deques to mutate: sound ones, without references."""
    texts = {path.stem: read(path) for path in sorted(QUEUES.glob("*.h"))}
    return {deque: text for deque, text in texts.items() if ".sound = true" in text and ".reference = true" not in text}
