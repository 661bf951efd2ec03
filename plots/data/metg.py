"""The smallest grain at which a runtime is still half as efficient as with large tasks: METG(50 %) of Task Bench.

E. Slaughter et al.: Task Bench: a parameterized benchmark for evaluating parallel runtime performance, SC20. There and here:
the grain of a run is its time times its threads over its tasks, overheads included; its efficiency is the best time of this
runtime over its time. The grain is swept by the parameter cutoff of fib, below which calls make no tasks.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from plots.data.cells import cells_of, grouped
from plots.data.words import format_number
from plots.statistics import LEAST_PAIRS, bootstrap_median_interval, median

HALF = 0.5
LEAST_GRAINS = 4


@lru_cache(None)
def calls(n):
    """How many calls fib(n) makes, itself included."""
    return 1 if n < 2 else 1 + calls(n - 1) + calls(n - 2)


@lru_cache(None)
def tasks(n, cutoff):
    """How many tasks fib(n) forks: one in each call above the cutoff."""
    return 0 if n <= cutoff else 1 + tasks(n - 1, cutoff) + tasks(n - 2, cutoff)


@dataclass
class Metg:
    """value None: every measured grain is above half (under), or too few grains were measured (none)."""

    deque: str
    title: str    # of the runtime or deque
    tag: str
    curve: list   # [(grain in ns, efficiency)], the smallest grain first
    value: float  # ns
    low: float    # 95 % interval over invocations; None where there are fewer than six
    high: float
    status: str   # ok, under, none

    @property
    def text(self):
        if self.status != "ok":
            return f"< {format_number(self.curve[0][0])} ns" if self.status == "under" else ""
        interval = f" [{format_number(self.low)}, {format_number(self.high)}]" if self.low is not None else ""
        return f"{format_number(self.value)} ns{interval}"


def efficiencies(times):
    """{grain: time of the same work} as [(grain, efficiency)], the smallest grain first."""
    best = min(times.values())
    return [(grain, best / times[grain]) for grain in sorted(times)]


def crossing(curve, level=HALF):
    """(grain, status): from the largest grain down, the grain at which efficiency first falls below the level, interpolated between
    two grains by logarithms."""
    if len(curve) < LEAST_GRAINS:
        return None, "none"
    for (below, low), (above, high) in reversed(list(zip(curve, curve[1:]))):
        if low < level <= high:
            return math.exp(math.log(below) + (level - low) / (high - low) * math.log(above / below)), "ok"
    return None, "under"


def metgs(run, summaries):
    """[Metg] of the sections that sweep fib's cutoff, for each runtime and deque; the smallest first."""
    found = []
    cells = [cell for cell in cells_of(run, summaries) if cell.workload == "fib" and cell.tag.startswith("metg")
             and cell.value("pool", "time_per_call")]
    for (tag, deque), some in grouped(cells, lambda cell: (cell.tag, cell.deque)).items():
        first = some[0]

        def grain(cell, time):
            n, cutoff = int(cell.params["n"]), int(cell.params["cutoff"])
            return time * int(cell.params["threads"]) * calls(n) / tasks(n, cutoff)

        def curve_of(times):
            return efficiencies({grain(cell, time): time for cell, time in times})

        each = [(cell, cell.value("pool", "time_per_call")) for cell in some]
        curve = curve_of([(cell, value.median) for cell, value in each])
        value, status = crossing(curve)
        shared = set.intersection(*(set(value.by_invocation) for _, value in each))
        apart = [crossing(curve_of([(cell, value.by_invocation[i]) for cell, value in each]))[0] for i in sorted(shared)]
        low = high = None
        if status == "ok" and len(apart) >= LEAST_PAIRS and None not in apart:
            value, (low, high) = median(apart), bootstrap_median_interval(apart)[:2]
        found.append(Metg(deque, first.label, tag, curve, value, low, high, status))
    return sorted(found, key=lambda one: (one.tag, one.value or (0 if one.status == "under" else math.inf)))
