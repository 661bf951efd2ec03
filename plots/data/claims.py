"""What the papers claim: results/published/claims.csv, each claim a formula over cells of a run. Judged by
plots/pages/scorecard.py; the language is explained to readers in docs/results.md, under "The scorecard".

    cells      DEFINITION; DEFINITION; ...
    DEFINITION NAME: WORKLOAD DEQUE[,DEQUE...] ROLE.METRIC SETTING=VALUE[,VALUE...] ...
    formula    COMPARISON and COMPARISON and ...
    COMPARISON SIDE < SIDE | SIDE ~ SIDE within N %
    SIDE       numbers, names, + * / ( ), first(SIDE) last(SIDE) min(SIDE) max(SIDE)

Several deques or values make a list, in the order written. Lists are compared element by element, and with what is no
list each element; first, last, min and max make one value of a list. What a definition does not set is at its default
(defaults.py). There is no minus: all that is measured is positive, and so is all that is made of it. Whatever is written
otherwise is refused with its line.
"""

import ast
import itertools
import re
from dataclasses import dataclass

import numpy

from plots.data.defaults import defaults_of
from plots.data.published import FOLDER
from plots.data.run_folder import table_rows

FILE = FOLDER / "claims.csv"
COLUMNS = "claim paper place line quote stated cells formula remark".split()
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
REDUCED = {"first": lambda rows: rows[:1], "last": lambda rows: rows[-1:],
           "min": lambda rows: rows.min(axis=0, keepdims=True), "max": lambda rows: rows.max(axis=0, keepdims=True)}
OPERATIONS = {ast.Add: numpy.add, ast.Mult: numpy.multiply, ast.Div: numpy.divide}


@dataclass(frozen=True)
class Query:
    """One value that a claim asks a run for."""

    workload: str
    deque: str
    role: str
    metric: str
    settings: tuple  # of (name, value), as written

    def matches(self, cell):
        """Is this the cell? What is set has to be there; what is not, at its default where the cell has it at all."""
        params, named, defaults = cell["params"], dict(self.settings), defaults_of(self.workload)
        return (cell["workload"] == self.workload and cell["deque"] == self.deque
                and all(params.get(name) == value for name, value in named.items())
                and all(params.get(name, value) == value for name, value in defaults.items() if name not in named))

    @property
    def text(self):
        return " ".join([self.workload, self.deque, *(f"{name}={value}" for name, value in self.settings)])


@dataclass(frozen=True)
class Side:
    text: str
    tree: object

    @property
    def constant(self):
        """The number, where it is nothing else; None otherwise."""
        return self.tree.value if isinstance(self.tree, ast.Constant) else None

    @property
    def name(self):
        return self.tree.id if isinstance(self.tree, ast.Name) else None

    def rows(self, values):
        """A row for each element, a column for each invocation; values: the same of every name."""
        return _rows(self.tree, values)

    def names(self, node=None):
        """The names in it that stand for themselves, not inside first(), min() and so on."""
        node = self.tree if node is None else node
        if isinstance(node, ast.Name):
            return [node.id]
        return self.names(node.left) + self.names(node.right) if isinstance(node, ast.BinOp) else []


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
    queries: dict  # {name: [Query]}
    comparisons: list


def read_claims(path=FILE):
    """All claims, in the order of the file; a Problem with the line where one is not as above."""
    known = set()

    def claim_of(row):
        claim = _claim(row)
        _require((claim.paper, claim.name) not in known, f"the claim {claim.name} of {claim.paper} is there twice")
        known.add((claim.paper, claim.name))
        return claim

    return table_rows(path, COLUMNS, claim_of)


def _require(condition, otherwise):
    if not condition:
        raise ValueError(otherwise)


def _claim(row):
    for name in ("claim", "place", "line", "quote", "stated", "cells", "formula"):
        _require(row[name].strip(), f"no {name}")
    _require(row["paper"] in PAPERS, f"no such paper: {row['paper']}; there are {', '.join(PAPERS)}")
    _require(row["line"].isdecimal(), f"line {row['line']!r} is no number")
    queries = dict(map(_definition, row["cells"].split(";")))
    _require(len(queries) == row["cells"].count(";") + 1, "a name is defined twice")
    comparisons = [_comparison(text, queries) for text in re.split(r"\s+and\s+", row["formula"].strip())]
    used = {node.id for comparison in comparisons for side in (comparison.left, comparison.right)
            for node in ast.walk(side.tree) if isinstance(node, ast.Name)}
    _require(not set(queries) - used, f"the formula does not use {', '.join(sorted(set(queries) - used))}")
    return Claim(row["claim"], row["paper"], row["place"], int(row["line"]), row["quote"], row["stated"], row["remark"],
                 row["cells"], row["formula"], queries, comparisons)


def _definition(text):
    """(name, [Query]) of 'NAME: WORKLOAD DEQUES ROLE.METRIC SETTINGS'."""
    match = re.fullmatch(r"\s*([a-z]\w*): (\w+) ([\w/,]+) (\w+)\.([\w.]+)((?: \w+=[\w,.-]+)*)\s*", text)
    _require(match, f"not NAME: WORKLOAD DEQUE ROLE.METRIC SETTING=VALUE...: {text.strip()!r}")
    name, workload, deques, role, metric, settings = match.groups()
    _require(name not in REDUCED, f"{name} is a function")
    pairs = [setting.split("=") for setting in settings.split()]
    _require(len({key for key, _ in pairs}) == len(pairs), f"a setting twice in {text.strip()!r}")
    choices = [[(key, value) for value in values.split(",")] for key, values in pairs]
    return name, [Query(workload, deque, role, metric, tuple(chosen))
                  for deque in deques.split(",") for chosen in itertools.product(*choices)]


def _comparison(text, queries):
    match = re.fullmatch(r"([^<~]+)(?:<([^<~]+)|~([^<~]+?)\s+within\s+(\d+(?:\.\d+)?) %)", text)
    _require(match, f"neither A < B nor A ~ B within N %: {text!r}")
    left, below, about, within = match.groups()
    comparison = Comparison(_side(left, queries), _side(below or about, queries), float(within) / 100 if within else None)
    ones = {name: numpy.ones((len(some), 1)) for name, some in queries.items()}
    try:
        numpy.broadcast_shapes(comparison.left.rows(ones).shape, comparison.right.rows(ones).shape)
    except ValueError:
        raise ValueError(f"lists of different lengths in {text!r}") from None
    return comparison


def _side(text, queries):
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"cannot be read: {text!r}") from None
    _check(tree, queries)
    return Side(text, tree)


def _check(node, queries):
    if isinstance(node, ast.Constant):
        _require(type(node.value) in (int, float) and node.value > 0, f"{node.value!r} is no number above 0")
    elif isinstance(node, ast.Name):
        _require(node.id in queries, f"no such name: {node.id}; cells defines {', '.join(queries)}")
    elif isinstance(node, ast.BinOp):
        _require(type(node.op) in OPERATIONS, f"only + * / are there, not {ast.unparse(node)}")
        _check(node.left, queries)
        _check(node.right, queries)
    elif isinstance(node, ast.Call):
        function = ast.unparse(node.func)
        _require(function in REDUCED, f"no such function: {function}; there are {', '.join(REDUCED)}")
        _require(len(node.args) == 1 and not node.keywords, f"{function} takes one list")
        _check(node.args[0], queries)
    else:
        raise ValueError(f"not part of a formula: {ast.unparse(node)}")


def _rows(node, values):
    if isinstance(node, ast.Constant):
        return numpy.full((1, 1), float(node.value))
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](_rows(node.left, values), _rows(node.right, values))
    return REDUCED[node.func.id](_rows(node.args[0], values))
