#!/usr/bin/python3
"""The one table of settings' defaults is what the executables say of themselves, setting by setting, none missing."""

import subprocess
import unittest

from tests.plots.support import ROOT, run_tests

from plots.data.defaults import OF_ALL, OF_WORKLOAD, defaults_of


def described(*executables):
    """{(workload or *, setting): default}, as the executables say."""
    stated = {}
    for executable in executables:
        said = subprocess.run([executable, "--describe"], capture_output=True, text=True, check=True).stdout
        lines = [line.split("\t") for line in said.splitlines() if line.startswith("parameter\t")]
        stated |= {(line[1], line[2]): line[4] for line in lines}
    return stated


class Defaults(unittest.TestCase):
    def setUp(self):
        executables = [path for part in ("deques", "pool") for path in sorted((ROOT / "build" / part).rglob("*"))
                       if path.is_file() and path.name != "not_built.txt"]
        if not executables:
            self.skipTest("left out: nothing is built")
        self.modes = {"walk": "lf_bulk", "orders": "chase_lev", "bottom": "saturn"}  # of one deque each
        self.stated = described(*executables)
        self.built = {path.name for path in executables}

    def test_all_that_is_stated_is_so(self):
        for (workload, name), value in self.stated.items():
            self.assertEqual(defaults_of(workload).get(name), value, f"{workload} {name}")

    def test_nothing_is_there_that_no_workload_has(self):
        workloads = {workload for workload, _ in self.stated} - {"*"}
        for workload in OF_WORKLOAD.keys() & workloads:
            for name in OF_WORKLOAD[workload]:
                self.assertIn((workload, name), self.stated)
                self.assertNotEqual(OF_WORKLOAD[workload][name], OF_ALL.get(name))  # there to differ
        self.assertEqual(set(OF_WORKLOAD), workloads)
        names = {name for _, name in self.stated}
        for name in OF_ALL:
            if self.modes.get(name, "chase_lev") in self.built:
                self.assertIn(name, names)


if __name__ == "__main__":
    run_tests()
