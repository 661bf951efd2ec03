#!/usr/bin/python3
"""Do the tests of plots/ catch mistakes in it? Changes its sources a little, one change at a time, and runs the tests of that
source.

    proof/mutants/python.py [--sample=N] [--only=FILE,FILE] [--seed=N]

A mutant turns a comparison or makes it strict, changes a constant or an operator, takes min for max, swaps two arguments or
branches, or returns nothing. Python gets it when it imports the source (sitecustomize), so nothing is copied, and programs that
the tests start have it as well. A mutant is killed if a test fails or does not end in time. Ends on "N of M killed". Exit 1:
the tests of a source kill a smaller share than LEAST; 3: its tests fail without a mutant."""

import argparse
import ast
import copy
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The tests of each source, the quickest first. Samples are drawn from the sources in QUICK.
QUICK = {"plots/statistics/samples.py": ["sample_statistics"], "plots/statistics/ranks.py": ["rank_statistics"],
         "plots/statistics/drifting.py": ["rank_statistics"], "plots/statistics/verdicts.py": ["verdicts"]}
SOURCES = QUICK | {
    "plots/data/histograms.py": ["pictures", "contention_pictures", "golden"], "plots/data/words.py": ["metrics", "golden"],
    "plots/data/foreign.py": ["foreign"],
    "plots/statistics/sequential.py": ["sequential"], "plots/data/claims.py": ["scorecard"], "plots/data/asked.py": ["scorecard"],
    "plots/data/matrix.py": ["matrix", "golden"],
    "plots/data/run_folder.py": ["outputs", "foreign"], "plots/data/summaries.py": ["summary", "golden"],
    "plots/data/sections.py": ["outputs", "golden"], "plots/data/speedup.py": ["pictures", "golden"],
    "plots/comparison/pairs.py": ["compare", "golden"], "plots/history.py": ["history"], "plots/pages/scorecard.py": ["scorecard"],
    "plots/pages/publish.py": ["matrix", "foreign"], "plots/pages/beside.py": ["matrix"], "plots/pages/table.py": ["outputs", "golden"],
    "gate/deciding.py": ["gate"], "gate/report.py": ["gate"]}
LEAST = 0.6
LONGEST = 120  # s: limit for a mutant's tests; without a mutant ten times that
TURNED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn,
          ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
          ast.And: ast.Or, ast.Or: ast.And}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
# Replaces the module that STEALBENCH_MUTANT names (file=module) by the mutated source, in every Python that starts.
HOOK = """
import importlib.abc, importlib.util, os, sys
FILE, MODULE = os.environ["STEALBENCH_MUTANT"].split("=")
class Mutant(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_file_location(name, FILE) if name == MODULE else None
sys.meta_path.insert(0, Mutant())
"""


def changes(node):
    """The possible replacements of a node."""
    if isinstance(node, ast.Compare):
        yield from (with_part(node, "ops", place, TURNED[type(one)]()) for place, one in enumerate(node.ops))
        if isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            turned = ast.Gt if isinstance(node.ops[0], (ast.Lt, ast.LtE)) else ast.Lt
            yield with_part(node, "ops", 0, turned())
    elif isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in TURNED:
        yield with_field(node, "op", TURNED[type(node.op)]())
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in NAMES:
            yield with_field(node, "func", ast.Name(NAMES[node.func.id], ast.Load()))
        elif len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
            yield with_field(node, "args", [node.args[1], node.args[0], *node.args[2:]])
    elif isinstance(node, ast.IfExp):
        yield with_field(with_field(node, "body", node.orelse), "orelse", node.body)
    elif isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand


def with_field(node, name, value):
    changed = copy.copy(node)
    setattr(changed, name, value)
    return changed


def with_part(node, name, place, value):
    return with_field(node, name, [value if at == place else one for at, one in enumerate(getattr(node, name))])


def mutants_of(text):
    """[(line, change, changed text)]: one for each change of each node."""
    tree = ast.parse(text)
    for parent in list(ast.walk(tree)):
        for field, value in list(ast.iter_fields(parent)):
            for place, node in enumerate(value) if isinstance(value, list) else ((None, value),):
                for new in list(changes(node)):
                    told = f"{ast.unparse(node)} -> {ast.unparse(new)}"
                    put(parent, field, place, ast.fix_missing_locations(ast.copy_location(new, node)))
                    yield node.lineno, told, ast.unparse(tree)
                    put(parent, field, place, node)


def put(parent, field, place, node):
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def tests_fail(source, text, hooks, longest):
    """Do the tests of a source fail, or take too long, when its text is this one?"""
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        environment = {**os.environ, "STEALBENCH_MUTANT": f"{file.name}={source[:-3].replace('/', '.')}", "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": os.pathsep.join([hooks, *filter(None, [os.environ.get("PYTHONPATH")])])}
        for test in SOURCES[source]:
            try:
                done = subprocess.run([sys.executable, "-m", f"tests.plots.{test}_test", "-f"], cwd=ROOT, env=environment,
                                      capture_output=True, timeout=longest, check=False)
            except subprocess.TimeoutExpired:
                return True
            if done.returncode:
                return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, metavar="N", help="so many, of the sources whose tests are quick")
    parser.add_argument("--only", metavar="FILE,FILE", help="mutants of these sources")
    parser.add_argument("--seed", type=int, default=26, help="of the sample")
    arguments = parser.parse_args()
    sources = arguments.only.split(",") if arguments.only else list(QUICK if arguments.sample else SOURCES)
    unknown = sorted(set(sources) - set(SOURCES))
    if unknown:
        parser.error(f"no tests are known of {', '.join(unknown)}; there are {', '.join(SOURCES)}")
    mutants = [(source, *one) for source in sources for one in mutants_of((ROOT / source).read_text(encoding="utf-8"))]
    if arguments.sample:
        mutants = sorted(random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants))))
    with tempfile.TemporaryDirectory(prefix="mutants-") as hooks, ThreadPoolExecutor(os.cpu_count()) as threads:
        Path(hooks, "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        failing = [source for source in dict.fromkeys(one[0] for one in mutants)
                   if tests_fail(source, (ROOT / source).read_text(encoding="utf-8"), hooks, 10 * LONGEST)]
        if failing:
            print(f"the tests of {', '.join(failing)} fail without a mutant", file=sys.stderr)
            return 3
        killed = list(threads.map(lambda one: tests_fail(one[0], one[3], hooks, LONGEST), mutants))
    return told(mutants, killed, whole=not arguments.sample)


def told(mutants, killed, whole):
    """Prints the survivors and how many were killed. Returns the exit code."""
    for (source, line, what, _), dead in zip(mutants, killed):
        if not dead:
            print(f"survived  {source}:{line}: {what}")
    good = True
    for source in dict.fromkeys(one[0] for one in mutants):
        mine = [dead for one, dead in zip(mutants, killed) if one[0] == source]
        print(f"{source}: {sum(mine)} of {len(mine)}")
        good &= not whole or sum(mine) >= LEAST * len(mine)
    good &= sum(killed) >= LEAST * len(killed)
    print(f"{sum(killed)} of {len(killed)} killed, at least {LEAST:.0%} are asked for")
    print(f"{int(good)} passed, {int(not good)} failed")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
