"""The value of a cell: the first metric that it reports of those that results/metrics.csv marks as values. The driver's `precision`
stops on the same (harness/driver/record/record.h). A cell's other metrics repeat it or are diagnostics, such as how long workers
idled."""

from functools import lru_cache

from harness.judging.metrics import read_metrics

# (role, metric) by workload: what compare judges besides.
BESIDES = {"contention": [("thief", "steal_time")]}


@lru_cache(maxsize=1)
def _marked():
    return {line.metric for line in read_metrics() if line.value}


def value_among(reported):
    """The (role, metric) of a cell's value, or None; reported: (role, metric) in the order in which the process reported them."""
    return next((key for key in reported if key[1] in _marked()), None)


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
