"""Pairs of processes of two builds, measured in turns as the gate measures them, and kept. The gate's trials use them.

A series only ever grows. Reading it from its beginning gives the same trials again, so a run that was stopped goes on where it
ended, and no pair is measured twice.
"""

import copy
import csv
import hashlib
import json
import math
import os
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from plots.data.run_folder import EXIT_USAGE, Problem
from gate.deciding import Watched
from gate.measuring import JUDGED, POOLED, SIDES, TIMED_PARTS, Bench, common_layouts, measured, pairs_of

DRIVER = "build/stealbench"
CONDITIONS = "conditions.json"
COLUMNS = "chunk cell base head unit seconds load code".split()
# Starting the driver costs as much as several pairs, so each call measures at least this many. Even: base and head go first
# equally often.
LEAST = 40


class TimeIsUp(Exception):
    """Nothing more is to be measured now."""


@dataclass
class Pair:
    """One cell's times in a process of the base and one of the head, in unit; seconds: the duration of both processes."""

    base: float
    head: float
    unit: str
    seconds: float
    load: float  # average of the minute before, of the whole machine
    code: str = ""  # the variant or layout that both were measured in

    @property
    def log(self):
        """Of the ratio, above 0 if the head is slower."""
        return math.log(self.base / self.head if self.unit.endswith("/s") else self.head / self.base)

    def exchanged(self):
        """The same two processes, with the head for the base."""
        return Pair(self.head, self.base, self.unit, self.seconds, self.load, self.code)


class Series:
    """The pairs of some cells of one deque in two builds. until: when measuring ends (time.monotonic())."""

    def __init__(self, file, suite, deque, builds, tags, until=math.inf):
        self.file, self.suite, self.deque, self.builds, self.until = Path(file), suite, deque, builds, until
        self.pairs, self.chunks = {tag: [] for tag in tags}, 0
        if self.file.exists():
            self._read()

    def _read(self):
        """Leaves out an incomplete line, and a pair without its partner in the other order."""
        by_chunk = defaultdict(list)
        with open(self.file, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                if len(row) == len(COLUMNS) and row != COLUMNS:
                    chunk, cell, base, head, unit, seconds, load, code = row
                    by_chunk[int(chunk), cell].append(
                        Pair(float(base), float(head), unit, float(seconds), float(load), code))
                    self.chunks = max(self.chunks, int(chunk))
        for (_, cell), pairs in sorted(by_chunk.items()):
            if cell in self.pairs:
                self.pairs[cell] += pairs[:len(pairs) // 2 * 2]

    def have(self, needs):
        """Measures until each cell has this many pairs: {tag: pairs}."""
        while missing := {tag: count - len(self.pairs[tag]) for tag, count in needs.items()
                          if count > len(self.pairs[tag])}:
            if time.monotonic() >= self.until:
                raise TimeIsUp
            self._measure({tag: max(LEAST, count + count % 2) for tag, count in missing.items()})

    def _measure(self, asked):
        """Runs the driver once, in fresh copies of the builds and with an order of variants of its own."""
        suite = copy.deepcopy(self.suite)
        for tag in asked:
            suite.cells[tag]["settings"] += f" seed={self.chunks + 1}"
        cells = [Watched(self.deque, tag, suite.cells[tag]["title"], asked=count) for tag, count in asked.items()]
        with tempfile.TemporaryDirectory(dir="build", prefix="trust-gate-") as scratch:
            bench = Bench(DRIVER, suite, self.deque, cells, self.builds, scratch, Path(scratch) / "results")
            bench.measure(unsound=True)
            if broken := next((cell for cell in cells if not cell.logs), None):
                raise Problem(f"{self.file.stem}: {broken.name} was not measured: {broken.why}")
            found = measured(bench.results / bench.name)
        self.chunks += 1
        for tag in asked:
            self._keep(tag, *(found[tag, f"{side}/{self.deque}"] for side in SIDES))

    def _keep(self, tag, base, head):
        """Keeps an even number of the invocations that both sides have at one distance of their threads."""
        judged, took = JUDGED.get(self.suite.cells[tag]["workload"], POOLED), ("process", "invocation_time")
        shared = pairs_of((base, head), judged)
        load = round(os.getloadavg()[0], 2)
        pairs = [Pair(float(base.values[judged][i]), float(head.values[judged][i]), base.units[judged],
                      round(base.values[took][i] + head.values[took][i], 6), load, base.codes.get(i, "")) for i in shared]
        pairs = pairs[:len(pairs) // 2 * 2]
        new = not self.file.exists()
        torn = not new and not self.file.read_bytes().endswith(b"\n")
        with open(self.file, "a", newline="", encoding="utf-8") as file:
            file.write("\n" if torn else "")
            csv.writer(file, lineterminator="\n").writerows(
                [*([COLUMNS] if new else []),
                 *([self.chunks, tag, repr(one.base), repr(one.head), one.unit, f"{one.seconds:.6f}", f"{one.load:.2f}",
                    one.code] for one in pairs)])
        self.pairs[tag] += pairs


class Recorded:
    """One trial in place of the gate's Bench: its cells get the series' next pairs, as many as the gate asks for each time. Its
    clock adds up what these pairs took."""

    def __init__(self, series, watched, starts, exchanged=False):
        self.series, self.watched, self.starts, self.exchanged = series, watched, starts, exchanged
        self.seconds = 0.0

    @property
    def open(self):
        return [cell for cell in self.watched if not cell.verdict]

    def clock(self):
        return self.seconds

    def measure(self, _unsound=False):
        self.series.have({cell.tag: self.starts[cell.tag] + cell.asked for cell in self.open})
        for cell in self.open:
            start = self.starts[cell.tag]
            pairs = self.series.pairs[cell.tag][start:start + cell.asked]
            if self.exchanged:
                pairs = [pair.exchanged() for pair in pairs]
            self.seconds += sum(pair.seconds for pair in pairs[len(cell.logs):])
            cell.unit, cell.sides = pairs[0].unit, tuple(zip(*((pair.base, pair.head) for pair in pairs)))
            cell.see([pair.log for pair in pairs], [pair.code for pair in pairs])


def builds_hash(builds, deque):
    """One hash over the executables of all these builds: it identifies the measured code."""
    found = hashlib.sha256()
    for build in builds:
        for part in [*TIMED_PARTS, *common_layouts((deque, deque), builds)]:
            file = Path(build) / part / deque
            found.update(file.read_bytes() if file.exists() else b"")
    return found.hexdigest()


def conditions_of(folder):
    """How the series of a folder are measured; {} in a new folder."""
    file = Path(folder) / CONDITIONS
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def same_conditions(folder, conditions):
    """Writes the conditions and returns all that the folder has. A Problem if it was begun with others."""
    before, file = conditions_of(folder), Path(folder) / CONDITIONS
    for name, value in conditions.items():
        if before.get(name, value) != value:
            raise Problem(f"{folder} was begun with another {name}: its pairs and new ones do not belong together. "
                          "Begin a new one, without --resume", EXIT_USAGE)
    file.write_text(json.dumps({**before, **conditions}, indent=1) + "\n", encoding="utf-8")
    return {**before, **conditions}
