"""Other runtimes on the same work: which cells are theirs, and ours against theirs, pair by pair.

A runtime poses as a deque that has only some workloads: its executable's name stands in the column deque.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from harness.judging.words import format_number
from harness.judging.statistics import judge_invocations, median

# Their executables' names.
RUNTIMES = set(re.search(r"^optional (.*)$", Path(__file__).with_name("runtimes.suite").read_text(encoding="utf-8"), re.M)[1].split(","))
# Costs besides time that are compared, for the first of ours: of all threads, and the process's peak, its input included.
COSTS = [("pool", "processor_time"), ("process", "peak_memory")]


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


@dataclass
class Against:
    """One of our deques against another runtime, over the invocations that both have."""

    deque: str
    time: float
    their_time: float
    ratio: float
    low: float
    high: float
    pairs: int
    judged: object = None  # statistics.Judgement, on the same

    @property
    def text(self):
        interval = "" if self.low is None else f" [{ratio_text(self.low)}, {ratio_text(self.high)}]"
        return ratio_text(self.ratio) + interval


@dataclass
class Row:
    tag: str
    title: str
    runtime: str  # its executable
    name: str  # what it calls itself, with its version
    unit: str
    first: Against  # None if it could not run
    best: Against
    costs: list  # Against of the first of ours, for each of COSTS; None unless both reported it


def metric_of(summaries, cell):
    """Time per call if the work is counted in calls, else the time of a run."""
    for name in ("time_per_call", "run_time"):
        found = summaries.get((cell, name))
        if found and found.median is not None and found.status == "ok":
            return found
    return None


def name_of(run, cell):
    """The runtime's name in the table: its title with the version."""
    return run.deque_facts(cell["deque"]).get("title") or cell["deque"]


def against(run, cell, ours, theirs):
    """Ours against theirs, two summaries; None if no invocation has both, or one is missing."""
    if not ours or not theirs:
        return None
    both = sorted(set(ours.by_invocation) & set(theirs.by_invocation))
    if not both or ours.unit != theirs.unit:
        return None
    held = judge_invocations(ours.by_invocation, theirs.by_invocation)
    times = (median([summary.by_invocation[i] for i in both]) for summary in (ours, theirs))
    return held and Against(run.cells[cell]["deque"], *times, held.ratio, held.low, held.high, held.pairs, held)


def compare(run, summaries):
    """[Row] in the order of the suite."""
    by_name = {(summary.cell, summary.metric): summary for summary in summaries if summary.role == "pool"}
    costs = {(summary.cell, summary.role, summary.metric): summary for summary in summaries if summary.status == "ok"}
    rows = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        times = {name: metric_of(by_name, name) for name in cells}
        ours = [name for name in cells if run.cells[name]["deque"] not in RUNTIMES]
        measured = [name for name in ours if times[name]]
        if not measured:
            continue
        best = min(measured, key=lambda name: times[name].median)
        for other in [name for name in cells if run.cells[name]["deque"] in RUNTIMES and times[name]]:
            held = against(run, best, times[best], times[other])
            if held:
                first = against(run, ours[0], times[ours[0]], times[other])
                besides = [against(run, ours[0], costs.get((ours[0], *cost)), costs.get((other, *cost))) for cost in COSTS]
                cell = run.cells[other]
                rows.append(Row(tag, title, cell["deque"], name_of(run, cell), times[other].unit, first, held, besides))
    return rows


def time_text(seconds, unit):
    """1.53 ns, 12.3 ms."""
    return f"{format_number(seconds * 1000)} ms" if unit == "s" and seconds < 1 else f"{format_number(seconds)} {unit}"


def memory_text(size):
    return f"{format_number(size / 2**20)} MiB"
