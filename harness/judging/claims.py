"""What the papers claim: results/published/claims.csv, a sentence a row, each with a formula over cells of a run. Judged by
harness/judging/scorecard.py; explained to readers in docs/results.md, under "The scorecard".

    cells       DEFINITION; DEFINITION; ...
    DEFINITION  NAME: WORKLOAD DEQUE[,DEQUE...] ROLE.METRIC SETTING=VALUES ...
    VALUES      a value, or a list a,b,c. The run must have all of them, or the claim cannot be asked
    formula     COMPARISON and COMPARISON and ...
    COMPARISON  SIDE < SIDE | SIDE ~ SIDE within N %
    SIDE        numbers, names, + * / ( ), first(SIDE) last(SIDE) median(SIDE) steps(SIDE)
                spread(SIDE)
    there       SIDE = NUMBER; SIDE = NUMBER; ...
    conditions  CONDITION; CONDITION; ...
    CONDITION   SETTING=VALUE SETTING=FROM..TO ...

Several deques or values make a list, in the order written. Lists are compared element by element; if one side is no list, it is
compared with each element. first, last and median make one value of a list. steps has each element divided by the one
before; spread is how far each invocation is from their median, as a share of it. So:

    1 < steps(a)                              rises at every step; steps(a) < 1 falls
    a ~ median(a) within 10 %                 constant
    first(a) < first(b) and last(b) < last(a) crosses
    3 < a / b                                 at least three times

Settings that a definition does not name are at their defaults (defaults.py). There is no minus: all measured values are positive,
and so are all values computed from them.

`there` has the numbers of the paper's own machine, in the unit of ours. They are shown beside ours and get no verdict.

`conditions` are settings under which the claim is judged, each separately. The first is the paper's own; the verdict is that of
the first one that the run has. A condition sets parameters that the definition's workload has and the definition leaves open.
FROM..TO is the largest number in this range that the run has: threads=2..22.

Anything else is refused with its line.
"""

import ast
import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy

from harness.judging.defaults import defaults_of
from harness.judging.run_folder import table_rows

FILE = Path(__file__).resolve().parents[2] / "results" / "published" / "claims.csv"
COLUMNS = "claim paper place line quote stated cells formula there conditions remark".split()
PAPERS = {
    "bulk": "\N{LEFT DOUBLE QUOTATION MARK}A Lock-Free Work-Stealing Algorithm for Bulk Operations"
            "\N{RIGHT DOUBLE QUOTATION MARK} (Kataru, Davarnia, Jannesari)",
    "bwos_thesis": "\N{LEFT DOUBLE QUOTATION MARK}Analysis of Novel Approaches for Work-Stealing Scheduling"
                   "\N{RIGHT DOUBLE QUOTATION MARK} (Duwadi)",
    "phanes": "Phanes, part 4: \N{LEFT DOUBLE QUOTATION MARK}Lock-Free\N{RIGHT DOUBLE QUOTATION MARK}",
    "volt": "Volt\N{RIGHT SINGLE QUOTATION MARK}s documentation: \N{LEFT DOUBLE QUOTATION MARK}Chase-Lev Work-Stealing "
            "Deque\N{RIGHT DOUBLE QUOTATION MARK}",
    "worksteal": "\N{LEFT DOUBLE QUOTATION MARK}Work-Stealing from First Principles\N{RIGHT DOUBLE QUOTATION MARK} "
                 "(Ilzam)",
}
# Verdicts need ratios: a count of 0 becomes this.
NOTHING = 1e-9
OPERATIONS = {ast.Add: numpy.add, ast.Mult: numpy.multiply, ast.Div: numpy.divide}
RANGE = re.compile(r"(\d+)\.\.(\d+)")


class List(NamedTuple):
    """What a name or a formula stands for. rows: an element each, a column an invocation. labels: what tells its elements apart."""

    labels: list
    rows: numpy.ndarray


def steps(some):
    return List([f"{before} to {after}" for before, after in zip(some.labels, some.labels[1:])], some.rows[1:] / some.rows[:-1])


def spread(some):
    return List(some.labels, numpy.abs(some.rows / numpy.median(some.rows, axis=1, keepdims=True) - 1) + NOTHING)


FUNCTIONS = {"first": lambda some: List([""], some.rows[:1]), "last": lambda some: List([""], some.rows[-1:]),
             "median": lambda some: List([""], numpy.median(some.rows, axis=0, keepdims=True)), "steps": steps, "spread": spread}


@dataclass(frozen=True)
class Query:
    """One value that a claim asks a run for."""

    workload: str
    deque: str
    role: str
    metric: str
    settings: tuple  # of (name, value), as written

    def matches(self, cell):
        """Is this the cell? It must have all values that are set; its other settings must be at their defaults."""
        params, named, defaults = cell["params"], dict(self.settings), defaults_of(self.workload, self.deque)
        return (cell["workload"] == self.workload and cell["deque"] == self.deque
                and all(params.get(name) == value for name, value in named.items())
                and all(params.get(name, value) == value for name, value in defaults.items() if name not in named))

    @property
    def text(self):
        return " ".join([self.workload, self.deque, *(f"{name}={value}" for name, value in self.settings)])


@dataclass(frozen=True)
class Definition:
    workload: str
    deques: tuple
    role: str
    metric: str
    settings: tuple  # of (name, values), as written

    def takes(self, setting):
        """May a condition set this?"""
        return setting in defaults_of(self.workload) and setting not in dict(self.settings)

    def queries(self, condition=()):
        """A Query for each element of its list. condition: (name, value) pairs."""
        settings = [*self.settings, *((name, (value,)) for name, value in condition if self.takes(name))]
        choices = [[(name, value) for value in values] for name, values in settings]
        return [Query(self.workload, deque, self.role, self.metric, chosen)
                for deque in self.deques for chosen in itertools.product(*choices)]

    def labels(self):
        """What tells its elements apart: 'batch=128'."""
        return [", ".join([query.deque] * (len(self.deques) > 1) + ["=".join(one) for one, (_, values) in zip(
            query.settings, self.settings) if len(values) > 1]) for query in self.queries()]


@dataclass(frozen=True)
class Side:
    text: str
    tree: object

    @property
    def constant(self):
        """The number if the side is only a number; None otherwise."""
        return self.tree.value if isinstance(self.tree, ast.Constant) else None

    @property
    def name(self):
        """The name, if the side is a name or an element of a name's list; None for a ratio and the like."""
        node = self.tree.args[0] if isinstance(self.tree, ast.Call) and self.tree.func.id not in ("steps", "spread") else self.tree
        return node.id if isinstance(node, ast.Name) else None

    def of(self, lists):
        """Its List; lists: {name: List}"""
        return _evaluate(self.tree, lists)


@dataclass(frozen=True)
class Comparison:
    left: Side
    right: Side
    within: float  # a share; None: left is to be below right


@dataclass(frozen=True)
class Claim:
    name: str
    paper: str
    place: str
    line: int
    quote: str
    stated: str
    remark: str
    cells: str
    formula: str
    definitions: dict  # {name: Definition}
    comparisons: list
    there: list  # of (Side, number)
    conditions: list  # of ((name, value or FROM..TO), ...)


def read_claims(path=FILE):
    """All claims, in the order of the file; a Problem with the line number of a malformed claim."""
    return table_rows(path, COLUMNS, _claim)


def range_of(value):
    """(from, to) of FROM..TO, else None."""
    match = RANGE.fullmatch(value)
    return match and tuple(map(int, match.groups()))


def _require(condition, otherwise):
    if not condition:
        raise ValueError(otherwise)


def _claim(row):
    _require(row["paper"] in PAPERS, f"no such paper: {row['paper']}; there are {', '.join(PAPERS)}")
    definitions = dict(map(_definition, row["cells"].split(";")))
    comparisons = [_comparison(text, definitions) for text in re.split(r"\s+and\s+", row["formula"].strip())]
    there = [_stated(text, definitions) for text in filter(str.strip, row["there"].split(";"))]
    conditions = [_condition(text, definitions.values()) for text in row["conditions"].split(";")]
    return Claim(row["claim"], row["paper"], row["place"], int(row["line"]), row["quote"], row["stated"], row["remark"],
                 row["cells"], row["formula"], definitions, comparisons, there, conditions)


def _definition(text):
    """(name, Definition) of 'NAME: WORKLOAD DEQUES ROLE.METRIC SETTINGS'."""
    match = re.fullmatch(r"\s*([a-z]\w*): (\w+) ([\w/,]+) (\w+)\.([\w.]+)((?: \w+=[\w.-]+(?:,[\w.-]+)*)*)\s*", text)
    _require(match, f"not NAME: WORKLOAD DEQUE ROLE.METRIC SETTING=VALUE...: {text.strip()!r}")
    name, workload, deques, role, metric, settings = match.groups()
    pairs = (setting.split("=") for setting in settings.split())
    split = tuple((key, tuple(values.split(","))) for key, values in pairs)
    return name, Definition(workload, tuple(deques.split(",")), role, metric, split)


def _condition(text, definitions):
    pairs = tuple(tuple(word.split("=")) for word in text.split())
    for pair in pairs:
        _require(len(pair) == 2, f"not SETTING=VALUE: {text.strip()!r}")
        _require(any(one.takes(pair[0]) for one in definitions), f"no definition leaves {pair[0]} to a condition")
    return pairs


def _comparison(text, definitions):
    match = re.fullmatch(r"([^<~]+)(?:<([^<~]+)|~([^<~]+?)\s+within\s+(\d+(?:\.\d+)?) %)", text)
    _require(match, f"neither A < B nor A ~ B within N %: {text!r}")
    left, below, about, within = match.groups()
    comparison = Comparison(_side(left, definitions), _side(below or about, definitions), float(within) / 100 if within else None)
    ones = {name: List(one.labels(), numpy.ones((len(one.queries()), 1))) for name, one in definitions.items()}
    numpy.broadcast_shapes(*(side.of(ones).rows.shape for side in (comparison.left, comparison.right)))  # a ValueError: other lengths
    return comparison


def _stated(text, definitions):
    """(Side, number) of 'SIDE = NUMBER'."""
    side, equals, number = text.partition("=")
    _require(equals, f"not SIDE = NUMBER: {text.strip()!r}")
    return _side(side, definitions), float(number)


def _side(text, definitions):
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"cannot be read: {text.strip()!r}") from None
    for node in ast.walk(tree):
        _check(node, definitions)
    return Side(text.strip(), tree)


def _check(node, definitions):
    if isinstance(node, ast.Constant):
        _require(type(node.value) in (int, float) and node.value > 0, f"{node.value!r} is no number above 0")
    elif isinstance(node, ast.Name):
        _require(node.id in {*definitions, *FUNCTIONS}, f"no such name: {node.id}; cells defines {', '.join(definitions)}")
    elif isinstance(node, ast.Call):
        _require(len(node.args) == 1 and ast.unparse(node.func) in FUNCTIONS, f"not one of {', '.join(FUNCTIONS)}, each of one list")
    else:
        _require(isinstance(node, (ast.BinOp, ast.Load, *OPERATIONS)), f"not part of a formula: {ast.unparse(node) or node}")


def _evaluate(node, lists):
    if isinstance(node, ast.Constant):
        return List([""], numpy.full((1, 1), float(node.value)))
    if isinstance(node, ast.Name):
        return lists[node.id]
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, lists), _evaluate(node.right, lists)
        return List(max(left.labels, right.labels, key=len), OPERATIONS[type(node.op)](left.rows, right.rows))
    return FUNCTIONS[node.func.id](_evaluate(node.args[0], lists))


# --- answers, from the cells of a run or those that a suite plans

class NotThere(Exception):
    """A claim cannot be asked; says which cell is missing, or why its values do not count."""


def under(claim, condition, cells, answer):
    """(the condition with numbers for its ranges, {name: [answers]}): the largest numbers for which all cells are there. cells:
    {(workload, deque): [cells]}; answer(query, the cells that match it): what the query asks for, or NotThere."""
    def found(query):
        matching = [cell for cell in cells.get((query.workload, query.deque), ()) if query.matches(cell)]
        if not matching:
            raise NotThere(f"no cell {query.text} in this run")
        return answer(query, matching)

    first, settings = None, [[(name, number) for number in numbers_of(claim, name, value, cells)] for name, value in condition]
    for chosen in itertools.product(*settings):
        try:
            return chosen, {name: [found(query) for query in one.queries(chosen)] for name, one in claim.definitions.items()}
        except NotThere as reason:
            first = first or reason
    raise first


def numbers_of(claim, name, value, cells):
    """The value; of a range the numbers in it that the cells have, the largest first."""
    ends = range_of(value)
    if not ends:
        return [value]
    there = {cell["params"].get(name, "") for one in claim.definitions.values() if one.takes(name) for deque in one.deques
             for cell in cells.get((one.workload, deque), ())}
    found = sorted((int(value) for value in there if value.isdecimal() and ends[0] <= int(value) <= ends[1]), reverse=True)
    if not found:
        raise NotThere(f"no {name} from {ends[0]} to {ends[1]} in this run")
    return list(map(str, found))
