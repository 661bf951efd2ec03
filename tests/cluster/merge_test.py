#!/usr/bin/python3
"""Merges made-up parts into one run: every invocation occurs once, however the attempts ended; other runs' parts are refused."""

import csv
import io
import json
import shutil
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from harness.cluster import merge
from tests.plots.support import run_tests

COLUMNS = "cell,workload,deque,params,placement,role,invocation,repetition,metric,value,unit,status,flags,variant,host,distance"
HISTOGRAM_COLUMNS = "cell,role,invocation,repetition,metric,lower,upper,count,unit"
A, B, C = "a" * 16, "b" * 16, "c" * 16
INVOCATIONS = 3


def rows(cell, invocation, status="ok", host="n1"):
    """Two rows, of which the second ends the invocation."""
    head = f"{cell},push,array,batch=1;seed=1,owner:0"
    return (f"{head},owner,{invocation},0,push_latency,{invocation + 1}.5,ns,ok,,,{host},\n"
            f"{head},process,{invocation},0,invocation_time,0.25,s,{status},,,{host},\n")


class Parts(unittest.TestCase):
    def setUp(self):
        self.results = Path(tempfile.mkdtemp(prefix="stealbench merge "))
        self.addCleanup(shutil.rmtree, self.results)
        self.run = self.results / "r"
        self.split({A: 1, B: 1, C: 2})

    def split(self, cells, precision=0):
        (self.run / "parts").mkdir(exist_ok=True, parents=True)
        self.cells = cells
        self.division = [{"part": part, "cell": cell, "workload": "push", "deque": "array", "params": "batch=1;seed=1",
                          "invocations": INVOCATIONS, "precision": precision, "seconds": "1.5"} for cell, part in cells.items()]

    def attempt(self, part, number, text, repeat=1, state="finished", tail="", histograms="", **differs):
        folder = self.run / "parts" / str(part) / f"repeat-{repeat}" / f"attempt-{number}"
        folder.mkdir(parents=True)
        folder.joinpath("samples.csv").write_text(COLUMNS + "\n" + text + tail)
        if histograms:
            folder.joinpath("histograms.csv").write_text(HISTOGRAM_COLUMNS + "\n" + histograms)
        manifest = {"manifest_version": 1, "run": "r", "suite": "s", "host": "n1", "part": f"{part}/2", "repeat": repeat,
                    "split": self.division, "start": f"2026-01-0{number}", "end": f"2026-02-0{number}", "state": state,
                    "exit_code": 0 if state == "finished" else 130,
                    "command": ["stealbench", "suite", "s", f"--part={part}/2"],
                    "commit": "1", "sources": "clean", "build": {"flags": "-O3"}, "machine": {"cpu": "x", "kernel": "6"},
                    "suite_hash": "1", "samples": {"version": 4},
                    "deques": [{"id": "array", "stamp": "passed"}],
                    "cells": [{"cell": cell, "workload": "push", "deque": "array", "params": "batch=1;seed=1", "tags": ["a"],
                               "invocations": INVOCATIONS} for cell, of in self.cells.items() if of == part]}
        folder.joinpath("manifest.json").write_text(json.dumps({**manifest, **differs}))
        return folder

    def merge(self, *words):
        """(exit code, what was said)"""
        said = io.StringIO()
        before, sys.argv = sys.argv, ["merge", str(self.run), *words]
        try:
            with redirect_stderr(said), redirect_stdout(said):
                return merge.main(), said.getvalue()
        finally:
            sys.argv = before

    def merged(self, name="samples.csv"):
        with open(self.run / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def ends(self):
        return sorted((row["cell"], int(row["invocation"])) for row in self.merged() if row["metric"] == "invocation_time")

    def everything(self, repeats=1):
        return sorted((cell, i) for cell in self.cells for i in range(repeats * INVOCATIONS))

    def both(self, **differs):
        self.attempt(1, 1, "".join(rows(cell, i) for i in range(3) for cell in (A, B)))
        self.attempt(2, 1, "".join(rows(C, i, host="n2") for i in range(3)), **differs)

    def test_whole_parts_make_a_whole_run(self):
        self.both()
        code, said = self.merge()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.ends(), self.everything())
        manifest = json.loads((self.run / "manifest.json").read_text())
        self.assertEqual((manifest["state"], manifest["hosts"], manifest["command"]),
                         ("finished", ["n1", "n2"], ["stealbench", "suite", "s"]))
        self.assertEqual([cell["cell"] for cell in manifest["cells"]], [A, B, C])
        self.assertNotIn("part", manifest)
        before = (self.run / "samples.csv").read_bytes()
        self.assertEqual(self.merge()[0], 0)
        self.assertEqual((self.run / "samples.csv").read_bytes(), before, "merging again changes something")

    def test_an_attempt_goes_on_where_the_one_before_was_killed(self):
        torn = rows(A, 2)[:-20]
        self.attempt(1, 1, "".join(rows(cell, i) for i in range(2) for cell in (A, B)), state="running", tail=torn)
        self.attempt(1, 2, rows(A, 2, host="n3") + rows(B, 2, host="n3"))
        self.attempt(2, 1, "".join(rows(C, i) for i in range(3)))
        self.assertEqual(self.merge()[0], 0)
        self.assertEqual(self.ends(), self.everything())
        self.assertEqual({row["host"] for row in self.merged() if row["cell"] == A and row["invocation"] == "2"}, {"n3"})

    def test_of_two_that_measured_the_same_the_first_is_taken_and_that_is_said(self):
        self.both()
        self.attempt(1, 2, rows(A, 1, host="ghost"), histograms=f"{A},thief,1,0,steal_latency,10,11,7,ns\n")
        code, said = self.merge()
        self.assertEqual((code, (self.run / "histograms.csv").exists()), (0, False))
        self.assertIn("measured by two attempts at once (a node went on that was thought dead): 1 invocation;", said)
        self.assertEqual(self.ends(), self.everything())
        self.assertNotIn("ghost", {row["host"] for row in self.merged()})

    def test_what_has_no_verdict_is_replaced(self):
        self.attempt(1, 1, rows(A, 0, "unproven") + rows(B, 0, "unproven"), deques=[{"id": "array", "stamp": "no verdict"}])
        self.attempt(2, 1, "".join(rows(C, i) for i in range(3)))
        code, said = self.merge()
        self.assertEqual(code, 3)
        self.assertIn("missing: part 1: 6 invocations of 2 cells after 1 attempt", said)
        self.attempt(1, 2, rows(A, 0, "unproven") + "".join(rows(cell, i) for i in range(3) for cell in (A, B)))
        self.assertEqual(self.merge()[0], 0)
        self.assertEqual(self.ends(), self.everything())
        self.assertNotIn("unproven", {row["status"] for row in self.merged()})
        manifest = json.loads((self.run / "manifest.json").read_text())
        self.assertEqual((manifest["deques"][0]["stamp"], manifest["start"], manifest["end"]), ("passed", "2026-01-01", "2026-02-02"))

    def test_a_cell_that_was_given_up_is_not_missing(self):
        self.both()
        shutil.rmtree(self.run / "parts" / "2")
        for attempt, code in (1, 3), (2, 0):  # the second failure is the last, however the part ended
            self.attempt(2, attempt, rows(C, attempt - 1, "timeout"), state="interrupted")
            self.assertEqual(self.merge()[0], code)
        shutil.rmtree(self.run / "parts" / "2")
        (self.run / "samples.csv").unlink()
        self.attempt(2, 1, rows(C, 0, "refused"), exit_code=2)
        code, said = self.merge()
        self.assertEqual(code, 2, said)
        self.assertNotIn("missing", said)

    def test_a_cell_that_reached_its_precision_is_not_missing(self):
        self.split({A: 1}, precision=2)
        self.attempt(1, 1, rows(A, 0) + rows(A, 1), state="interrupted")
        self.assertEqual(self.merge()[0], 3)
        self.assertEqual(json.loads((self.run / "manifest.json").read_text())["state"], "interrupted")
        self.attempt(1, 2, "")
        self.assertEqual(self.merge()[0], 0)

    def test_the_second_repeat_comes_behind_the_first(self):
        histogram = f"{A},thief,1,0,steal_latency,10,11,7,ns\n"
        for repeat in 1, 2:
            self.attempt(1, 1, "".join(rows(cell, i, host=f"n{repeat}") for i in range(3) for cell in (A, B)), repeat=repeat,
                         histograms=histogram)
            self.assertEqual(self.merge()[0], 3)
            self.attempt(2, 1, "".join(rows(C, i, host=f"n{repeat}") for i in range(3)), repeat=repeat)
        self.assertEqual(self.merge()[0], 0)
        self.assertEqual(self.ends(), self.everything(2))
        self.assertEqual({(int(row["invocation"]) // 3, row["host"]) for row in self.merged()}, {(0, "n1"), (1, "n2")})
        self.assertEqual([row["invocation"] for row in self.merged("histograms.csv")], ["1", "4"])
        cells = json.loads((self.run / "manifest.json").read_text())["cells"]
        self.assertEqual({cell["invocations"] for cell in cells}, {6})

    def test_strangers_are_refused_by_name(self):
        for what, may_differ, differs in [
                ("suite", False, {"suite": "other"}), ("text of the suite", False, {"suite_hash": "2"}),
                ("division", False, {"split": []}), ("version of samples.csv", False, {"samples": {"version": 2}}),
                ("commit", True, {"commit": "2"}), ("state of the sources", True, {"sources": "dirty"}),
                ("build", True, {"build": {"flags": "-O2"}}), ("processor", True, {"machine": {"cpu": "y", "kernel": "6"}}),
                ("kernel", True, {"machine": {"cpu": "x", "kernel": "7"}})]:
            with self.subTest(what):
                self.both(**differs)
                code, said = self.merge()
                self.assertEqual(code, 2, said)
                self.assertIn(f"with another {what} than", said)
                self.assertFalse((self.run / "samples.csv").exists())
                code, said = self.merge("--anyway")
                self.assertEqual(code, 0 if may_differ else 2, said)
                for name in "samples.csv", "manifest.json":
                    self.run.joinpath(name).unlink(missing_ok=True)
                shutil.rmtree(self.run / "parts")

    def test_a_cell_of_another_part_is_refused(self):
        self.both()
        self.attempt(2, 2, rows(A, 0))
        code, said = self.merge()
        self.assertEqual(code, 2)
        self.assertIn(f"cell {A} does not belong to part 2", said)

    def test_an_edited_part_is_refused(self):
        self.both()
        path = self.run / "parts/1/repeat-1/attempt-1/samples.csv"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:2] + lines[3:]))  # the end of an invocation is gone
        code, said = self.merge()
        self.assertEqual(code, 4)
        self.assertIn("was it edited?", said)

    def test_what_an_ordinary_resume_added_stays(self):
        self.attempt(1, 1, "".join(rows(cell, i) for i in range(3) for cell in (A, B)))
        self.assertEqual(self.merge()[0], 3)
        with open(self.run / "samples.csv", "a", encoding="utf-8") as file:
            file.write("".join(rows(C, i, host="here") for i in range(3)))
        code, said = self.merge()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.ends(), self.everything())


if __name__ == "__main__":
    run_tests()
