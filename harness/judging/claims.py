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

Anything else is refused with its line. So are

- a band that contains "no effect": 1.068 within 25 % would also hold for 0.9, which is the opposite,
- a time or a rate compared with a number, which would be another machine's. It belongs into `there`.
"""

import ast
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy

from harness.judging.defaults import defaults_of
from harness.judging.metrics import known_as
from harness.judging.run_folder import table_rows
from harness.judging.words import NANOSECONDS

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
# Functions of a list, whose rows are its elements and whose columns are invocations; and of its elements' names.
FUNCTIONS = {"first": lambda rows: rows[:1], "last": lambda rows: rows[-1:],
             "median": lambda rows: numpy.median(rows, axis=0, keepdims=True), "steps": lambda rows: rows[1:] / rows[:-1],
             "spread": lambda rows: numpy.abs(rows / numpy.median(rows, axis=1, keepdims=True) - 1) + NOTHING}
LABELS = {"steps": lambda labels: [f"{before} to {after}" for before, after in zip(labels, labels[1:])],
          "spread": lambda labels: labels}
OPERATIONS = {ast.Add: numpy.add, ast.Mult: numpy.multiply, ast.Div: numpy.divide}
RANGE = re.compile(r"(\d+)\.\.(\d+)")


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

    @property
    def dimension(self):
        """{unit: power} of units that differ from machine to machine: times and rates."""
        [unit, *_] = {line.unit for line in known_as(self.metric) if self.role in line.role} or [""]
        return {unit: 1} if unit in NANOSECONDS else {unit.rpartition("/")[2]: -1} if unit.endswith("/s") else {}


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
        node = self.tree.args[0] if isinstance(self.tree, ast.Call) and self.tree.func.id != "steps" else self.tree
        return node.id if isinstance(node, ast.Name) else None

    def rows(self, values):
        """A row for each element, a column for each invocation; values: the same of every name."""
        return _rows(self.tree, values)

    def labels(self, labels):
        """What distinguishes each element of its list; [""] if it is none. labels: the same of every name."""
        return _labels(self.tree, labels)


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
    known = set()

    def claim_of(row):
        claim = _claim(row)
        _require((claim.paper, claim.name) not in known, f"the claim {claim.name} of {claim.paper} is there twice")
        known.add((claim.paper, claim.name))
        return claim

    return table_rows(path, COLUMNS, claim_of)


def range_of(value):
    """(from, to) of FROM..TO, else None."""
    match = RANGE.fullmatch(value)
    return match and tuple(map(int, match.groups()))


def _require(condition, otherwise):
    if not condition:
        raise ValueError(otherwise)


def _claim(row):
    for name in ("claim", "place", "line", "quote", "stated", "cells", "formula"):
        _require(row[name].strip(), f"no {name}")
    _require(row["paper"] in PAPERS, f"no such paper: {row['paper']}; there are {', '.join(PAPERS)}")
    _require(row["line"].isdecimal(), f"line {row['line']!r} is no number")
    definitions = dict(map(_definition, row["cells"].split(";")))
    _require(len(definitions) == row["cells"].count(";") + 1, "a name is defined twice")
    comparisons = [_comparison(text, definitions) for text in re.split(r"\s+and\s+", row["formula"].strip())]
    used = {node.id for comparison in comparisons for side in (comparison.left, comparison.right)
            for node in ast.walk(side.tree) if isinstance(node, ast.Name)}
    _require(not set(definitions) - used, f"the formula does not use {', '.join(sorted(set(definitions) - used))}")
    there = [_stated(text, definitions) for text in filter(str.strip, row["there"].split(";"))]
    conditions = [_condition(text, definitions.values()) for text in row["conditions"].split(";")]
    _require(len(conditions) == len(set(conditions)), "a condition is there twice")
    return Claim(row["claim"], row["paper"], row["place"], int(row["line"]), row["quote"], row["stated"], row["remark"],
                 row["cells"], row["formula"], definitions, comparisons, there, conditions)


def _definition(text):
    """(name, Definition) of 'NAME: WORKLOAD DEQUES ROLE.METRIC SETTINGS'."""
    match = re.fullmatch(r"\s*([a-z]\w*): (\w+) ([\w/,]+) (\w+)\.([\w.]+)((?: \w+=[\w.-]+(?:,[\w.-]+)*)*)\s*", text)
    _require(match, f"not NAME: WORKLOAD DEQUE ROLE.METRIC SETTING=VALUE...: {text.strip()!r}")
    name, workload, deques, role, metric, settings = match.groups()
    _require(name not in FUNCTIONS, f"{name} is a function")
    pairs = [setting.split("=") for setting in settings.split()]
    _require(len({key for key, _ in pairs}) == len(pairs), f"a setting twice in {text.strip()!r}")
    split = tuple((key, tuple(values.split(","))) for key, values in pairs)
    return name, Definition(workload, tuple(deques.split(",")), role, metric, split)


def _condition(text, definitions):
    pairs = tuple(tuple(word.split("=")) for word in text.split())
    for pair in pairs:
        _require(len(pair) == 2, f"not SETTING=VALUE: {text.strip()!r}")
        _require(any(one.takes(pair[0]) for one in definitions), f"no definition leaves {pair[0]} to a condition")
        ends = range_of(pair[1])
        _require(not ends or ends[0] < ends[1], f"a range from less to more: {pair[1]}")
    return pairs


def _comparison(text, definitions):
    match = re.fullmatch(r"([^<~]+)(?:<([^<~]+)|~([^<~]+?)\s+within\s+(\d+(?:\.\d+)?) %)", text)
    _require(match, f"neither A < B nor A ~ B within N %: {text!r}")
    left, below, about, within = match.groups()
    comparison = Comparison(_side(left, definitions), _side(below or about, definitions), float(within) / 100 if within else None)
    sides = comparison.left, comparison.right
    ones = {name: numpy.ones((len(one.queries()), 1)) for name, one in definitions.items()}
    rows = [side.rows(ones) for side in sides]
    _require(all(map(len, rows)), f"steps of a list of one in {text!r}")
    try:
        numpy.broadcast_shapes(*(some.shape for some in rows))
    except ValueError:
        raise ValueError(f"lists of different lengths in {text!r}") from None
    units = [_dimension(side.tree, definitions) for side in sides]
    _require(units[0] == units[1], f"{text!r} compares a time or a rate with a number; another machine's number belongs into there")
    for side in sides if within else ():
        effect = side.constant and max(side.constant, 1 / side.constant)
        _require(effect in (None, 1) or 1 + comparison.within < effect,
                 f"{text!r}: the band reaches over 1, which is no effect; within {100 * (effect or 0) - 100:.3g} % is too much")
    return comparison


def _stated(text, definitions):
    """(Side, number) of 'SIDE = NUMBER'."""
    side, equals, number = text.partition("=")
    _require(equals and re.fullmatch(r"\s*\d+(\.\d+)?\s*", number), f"not SIDE = NUMBER: {text.strip()!r}")
    return _side(side, definitions), float(number)


def _side(text, definitions):
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"cannot be read: {text!r}") from None
    _check(tree, definitions)
    _dimension(tree, definitions)
    return Side(text, tree)


def _check(node, definitions):
    if isinstance(node, ast.Constant):
        _require(type(node.value) in (int, float) and node.value > 0, f"{node.value!r} is no number above 0")
    elif isinstance(node, ast.Name):
        _require(node.id in definitions, f"no such name: {node.id}; cells defines {', '.join(definitions)}")
    elif isinstance(node, ast.BinOp):
        _require(type(node.op) in OPERATIONS, f"only + * / are there, not {ast.unparse(node)}")
        _check(node.left, definitions)
        _check(node.right, definitions)
    elif isinstance(node, ast.Call):
        function = ast.unparse(node.func)
        _require(function in FUNCTIONS, f"no such function: {function}; there are {', '.join(FUNCTIONS)}")
        _require(len(node.args) == 1 and not node.keywords, f"{function} takes one list")
        _check(node.args[0], definitions)
    else:
        raise ValueError(f"not part of a formula: {ast.unparse(node)}")


def _dimension(node, definitions):
    """{unit: power} of a side, without powers of 0."""
    if isinstance(node, ast.Constant):
        return {}
    if isinstance(node, ast.Name):
        return definitions[node.id].dimension
    if isinstance(node, ast.Call):
        return {} if node.func.id in ("steps", "spread") else _dimension(node.args[0], definitions)
    left, right = _dimension(node.left, definitions), _dimension(node.right, definitions)
    if isinstance(node.op, ast.Add):
        _require(left == right, f"adds different units: {ast.unparse(node)}")
        return left
    sign = 1 if isinstance(node.op, ast.Mult) else -1
    powers = {unit: left.get(unit, 0) + sign * right.get(unit, 0) for unit in left | right}
    return {unit: power for unit, power in powers.items() if power}


def _rows(node, values):
    if isinstance(node, ast.Constant):
        return numpy.full((1, 1), float(node.value))
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](_rows(node.left, values), _rows(node.right, values))
    return FUNCTIONS[node.func.id](_rows(node.args[0], values))


def _labels(node, labels):
    if isinstance(node, ast.Name):
        return labels[node.id]
    if isinstance(node, ast.BinOp):
        return max(_labels(node.left, labels), _labels(node.right, labels), key=len)
    return LABELS.get(node.func.id, lambda _: [""])(_labels(node.args[0], labels)) if isinstance(node, ast.Call) else [""]
