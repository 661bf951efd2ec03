"""The metrics: results/metrics.csv, a line for each that a workload, a runtime or the driver records.

    metric     as in samples.csv; *_per_operation stands for every counter's
    unit       as there; of *_per_operation the counter's own before the stroke
    role       whose value it is
    workloads  those that record it
    range      its possible values
    value      "value" if it may be the value of its cell (value_among(); the driver's `precision` stops on the same)
    what       its meaning in one sentence
    source     the file that records it

A metric that means different things for different roles has a line for each. The driver includes the file as C, too: all texts
are in quotation marks, and a comma ends each line.
"""

import re
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from harness.judging.defaults import all_defaults
from harness.judging.run_folder import table_rows

FILE = Path(__file__).resolve().parents[2] / "results" / "metrics.csv"


@dataclass(frozen=True)
class Metric:
    metric: str
    unit: str
    role: str
    workloads: str
    range: str
    value: str
    what: str
    source: str

    def is_of(self, metric):
        return metric == self.metric or self.metric.startswith("*") and metric.endswith(self.metric[1:])

    def may_be_in(self, unit):
        return unit == self.unit or self.unit.startswith("*") and unit.endswith(self.unit[1:])


COLUMNS = [one.name for one in fields(Metric)]


@lru_cache(maxsize=1)
def read_metrics(path=FILE):
    """All lines, in the order of the file."""
    return table_rows(path, [*COLUMNS, ""], lambda row: Metric(*list(row.values())[:-1]))


def known_as(metric):
    """The lines of that name, exact ones alone where there are any."""
    lines = [line for line in read_metrics() if line.is_of(metric)]
    return [line for line in lines if line.metric == metric] or lines


def of_run(run):
    """The lines of the metrics that the run recorded, in the order of the file."""
    recorded = {(row["metric"], row["workload"]) for rows in run.invocations.values() for row in rows}
    wanted = [line for metric, _ in sorted(recorded) for line in known_as(metric)]
    names = {workload for _, workload in recorded}
    return [line for line in read_metrics() if line in wanted and is_about(line, names)]


def is_about(line, workloads):
    """Does one of these record it? A line without workloads holds for all."""
    named = all_defaults().keys() & set(re.findall(r"\w+", line.workloads))
    return not named or bool(named & workloads)


# (role, metric) by workload: what compare judges besides.
BESIDES = {"contention": [("thief", "steal_time")]}


@lru_cache(maxsize=1)
def _values():
    return {line.metric for line in read_metrics() if line.value}


def value_among(reported):
    """The (role, metric) of a cell's value, or None: the first that is marked as a value, of reported, in the order in which the
    process reported them. A cell's other metrics repeat it or are diagnostics, such as how long workers idled."""
    return next((key for key in reported if key[1] in _values()), None)


def value_of(summaries):
    """A cell's value among its summaries; None if it has none."""
    found = {(one.role, one.metric): one for one in summaries}
    return found.get(value_among(found))


def main_ones(summaries):
    """Of each cell its value, and what is judged besides."""
    cells = {}
    for one in summaries:
        cells.setdefault(one.cell, []).append(one)
    values = {cell: value_of(some) for cell, some in cells.items()}
    return [one for one in summaries if one is values[one.cell] or (one.role, one.metric) in BESIDES.get(one.workload, [])]
