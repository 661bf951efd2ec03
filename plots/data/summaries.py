"""The samples of a run as one row for each cell, role and metric.

The median is that of the invocations' medians; low and high are its 95 % bootstrap interval over invocations, None
with one invocation. results/README.md documents every column.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from plots import statistics as statistics_of
from plots.data.run_folder import worst_status

COLUMNS = ("cell tags workload deque params placement role metric unit status flags invocations repetitions median "
           "low high minimum maximum series").split()
# What makes several series of one deque, in the order in which it is told; a deque's own mode besides.
SERIES_PARAMETERS = ("push", "prelinked", "form", "walk", "orders", "take", "method", "block")


@dataclass
class Summary:
    """One row of summary.csv, and the medians of its invocations, which comparisons pair."""

    cell: str
    workload: str
    deque: str
    params: dict
    params_text: str
    tags: list
    placement: str
    role: str
    metric: str
    unit: str
    status: str
    flags: list
    without: int = 0  # invocations that the machine gave no value, while most have one
    repetitions: int = 0
    by_invocation: dict = field(default_factory=dict)  # {invocation: median over its repetitions}
    median: float = None
    low: float = None
    high: float = None
    minimum: float = None
    maximum: float = None

    @property
    def invocations(self):
        return len(self.by_invocation)

    def scaled(self, factor):
        """(median, low, high), low and high None where there is no interval."""
        return tuple(None if value is None else value * factor for value in (self.median, self.low, self.high))

    def as_row(self):
        numbers = [self.median, self.low, self.high, self.minimum, self.maximum]
        return [self.cell, ";".join(self.tags), self.workload, self.deque, self.params_text, self.placement, self.role,
                self.metric, self.unit, self.status, "+".join(self.flags), self.invocations, self.repetitions,
                *("" if number is None else format(number, ".10g") for number in numbers), self.series]

    @property
    def series(self):
        """Deque and variant: rows of one workload, role, metric and series differ in settings that are put to every
        deque alone, so that a table of one value for each of these mixes nothing."""
        return ";".join([self.deque, *(f"{name}={self.params[name]}" for name in SERIES_PARAMETERS if name in self.params)])


def invocation_statuses(run):
    """{cell: {invocation: status of its last row}}: crashed and timed out invocations say so there."""
    statuses = defaultdict(dict)
    for (cell, invocation), rows in run.invocations.items():
        statuses[cell][invocation] = rows[-1]["status"]
    return statuses


def summarize(run):
    """All rows of a run's summary, in the order of its samples."""
    ended = invocation_statuses(run)
    groups = defaultdict(list)
    for rows in run.invocations.values():
        for row in rows:
            groups[row["cell"], row["role"], row["metric"]].append(row)
    return [_summary_of(run, key, rows, ended[key[0]]) for key, rows in groups.items()]


def metrics_by_cell(summaries):
    """{cell: {(role, metric): summary}}"""
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    return by_cell


def usable(summary):
    """The summary where it has a value, else None."""
    return summary if summary is not None and summary.median is not None and summary.status == "ok" else None


def _summary_of(run, key, rows, ended):
    cell, role, metric = key
    known = run.cells[cell]
    values = defaultdict(list)
    for row in rows:
        # What a process measured before it crashed is no result.
        if row["value"] is not None and ended[row["invocation"]] == "ok":
            values[row["invocation"]].append(row["value"])
    flags = sorted({flag for row in rows for flag in row["flags"].split("+") if flag})
    summary = Summary(
        cell=cell, workload=rows[0]["workload"], deque=rows[0]["deque"], params=known["params"],
        params_text=rows[0]["params"], tags=known["tags"],
        placement=" or ".join(sorted({row["placement"] for row in rows if row["placement"]})),
        role=role, metric=metric, unit=Counter(row["unit"] for row in rows).most_common(1)[0][0],
        status=worst_status([row["status"] for row in rows] + list(ended.values())), flags=flags)
    # Threads that were never on their processors together in one invocation take nothing from the others.
    denied = {row["invocation"] for row in rows if row["status"] == "denied"} - set(values)
    if summary.status == "denied" and len(denied) < len(values):
        summary.status, summary.without = "ok", len(denied)
    if values:
        every = [value for some in values.values() for value in some]
        summary.by_invocation = {i: statistics_of.median(some) for i, some in sorted(values.items())}
        medians = list(summary.by_invocation.values())
        summary.repetitions = max(len(some) for some in values.values())
        summary.median = statistics_of.median(medians)
        summary.low, summary.high = statistics_of.bootstrap_median_interval(medians) or (None, None)
        summary.minimum, summary.maximum = min(every), max(every)
    return summary
