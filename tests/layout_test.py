#!/usr/bin/python3
"""layout_test.py: each folder includes only what it may, as its README says.

A file may include what its folder may know, directly and through other headers. Ends on "N passed, N failed"; exit 0, 1.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))
from tests.plots.support import run_tests  # noqa: E402

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
ROOMS = ("queues", "harness", "proof", "workloads")
CONTRACT = r"queues/(deque|parts/\w+)\.h"
MAY = {  # what the files of these folders may include, directly and through others
    "queues": r"queues/",
    "harness/driver": r"harness/|results/metrics\.csv",
    "harness/measuring": rf"harness/measuring/|{CONTRACT}",
    "workloads": rf"harness/measuring/|workloads/|proof/checks/|{CONTRACT}",
    "proof/checks": rf"harness/measuring/|workloads/|proof/checks/|{CONTRACT}",
    "proof/lab/engine": r"proof/lab/engine/|harness/measuring/random\.h",  # the one generator
    "proof/lab/clients": rf"proof/lab/(engine|clients)/|harness/measuring/|proof/scenarios\.h|{CONTRACT}"}


def code(path):
    return COMMENT.sub(" ", (ROOT / path).read_text(encoding="utf-8"))


def sources():
    return sorted(path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*")
                  if path.suffix in (".c", ".h", ".cc"))


def files_of_git():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [path for path in done.stdout.splitlines() if (ROOT / path).is_file()]


def resolved(path, name):
    """What a file includes by that name: beside it or from the root; None when it is neither, of another project."""
    for place in (ROOT / path).parent / name, ROOT / name:
        if place.exists():
            return place.resolve().relative_to(ROOT).as_posix()
    return None


def below(path, *folders):
    return any(path.startswith(folder + "/") for folder in folders)


def cycle(edges):
    """One circle of this graph, {from: {to}}, as a list that ends where it begins; None when there is none."""
    done = set()

    def visit(node, way):
        if node in way:
            return way[way.index(node):] + [node]
        if node in done:
            return None
        found = next(filter(None, (visit(to, way + [node]) for to in sorted(edges.get(node, ())))), None)
        done.add(node)
        return found

    return next(filter(None, (visit(node, []) for node in sorted(edges))), None)


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.included = {path: sorted(filter(None, (resolved(path, name) for name in INCLUDE.findall(code(path)))))
                        for path in sources()}

    def reached(self, path):
        """{file: the file that includes it} of all that a file includes, through others too."""
        found, left = {}, [path]
        while left:
            by = left.pop()
            for name in self.included.get(by, ()):
                if name not in found:
                    found[name] = by
                    left.append(name)
        return found

    def names_none(self, path, words, why):
        found = re.search(words, code(path))
        self.assertIsNone(found, f"{why} has {found and found.group()}")

    def test_each_folder_includes_what_it_may(self):
        for folder, may in MAY.items():
            files = [path for path in self.included if below(path, folder)]
            self.assertTrue(files, folder)
            for path in files:
                for name, by in self.reached(path).items():
                    self.assertRegex(name, rf"^({may})", f"{path} includes {name}" + (f" through {by}" if by != path else ""))

    def test_judging_knows_no_drawing(self):
        files = sorted((ROOT / "harness").rglob("*.py"))
        self.assertGreater(len(files), 10)
        for path in files:
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"(?m)^\s*(from|import) (plots|extras)\b", path)

    def test_workloads_and_checks_name_no_deque(self):
        """Those whose names are English words cannot be told apart; includes are looked at above."""
        names = [path.stem for path in (ROOT / "queues").glob("*.h") if "_" in path.stem]
        self.assertGreater(len(names), 5)
        for path in self.included:
            if below(path, "workloads", "proof/checks"):
                self.names_none(path, rf"\b({'|'.join(names)})\b", path)

    def test_the_lab_s_engine_names_no_verb_and_no_client(self):
        for path in (ROOT / "proof/lab/engine").iterdir():
            self.names_none(path, r"lab/(clients|verbs)/", path)

    def test_what_is_compiled_once_knows_no_deque(self):
        """The pool but its inner loop, the applications, the driver, the library, and all of the lab but what is built for a deque."""
        each = {"harness/measuring/deque_under_test.h", "proof/lab/clients/operations.c", "workloads/pool/pool.c",
                "workloads/pool/pool_inline.h"}
        seen = 0
        for path in self.included:
            if below(path, "workloads/pool", "workloads/applications", "harness/driver", "harness/measuring",
                     "proof/lab/engine", "proof/lab/clients", "proof/lab/verbs") and path not in each:
                seen += 1
                for name in [path, *self.reached(path)]:
                    self.names_none(name, r"\bDEQUE_(HEADER|TRAITS)\b", f"{path}, by {name},")
        self.assertGreater(seen, 100)

    def test_nothing_depends_on_extras(self):
        """Documents may name them. Programs find them by a wildcard, or by the name that the user gave."""
        parts = {path.split("/")[1] for path in files_of_git() if path.startswith("extras/")}
        for path in files_of_git():
            if not path.startswith(("extras/", "results/")) and not path.endswith((".md", ".svg", ".csv", ".tsv")):
                text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
                found = re.search(rf"extras[/.]({'|'.join(parts)})\b", text) if parts else None
                self.assertIsNone(found, f"{path} has {found and found.group()}")

    def test_extras_stay_small(self):
        lines = sum((ROOT / path).read_bytes().count(b"\n") for path in files_of_git()
                    if path.startswith("extras/") and not path.endswith((".md", ".csv", ".tsv")))
        self.assertLessEqual(lines, 9500)

    def test_no_circle_of_folders(self):
        edges = {}
        for path, names in self.included.items():
            for name in names:
                if (ends := (str(Path(path).parent), str(Path(name).parent)))[0] != ends[1]:
                    edges.setdefault(ends[0], set()).add(ends[1])
        self.assertIsNone(cycle(edges), "folders that include each other")

    def test_no_circle_of_files(self):
        self.assertIsNone(cycle(self.included))


class Itself(unittest.TestCase):
    def test_a_circle_is_found(self):
        self.assertEqual(cycle({"a": {"b"}, "b": {"c", "d"}, "d": {"b"}}), ["b", "d", "b"])
        self.assertIsNone(cycle({"a": {"b", "c"}, "b": {"c"}}))


if __name__ == "__main__":
    run_tests()
