"""The value of a cell: the first time or rate that one of its threads reports, which is what the workload measures. The driver's
`precision` asks for the same (harness/driver/record/record.h). A cell's other values repeat it or are diagnostics, such as how long
workers idled."""

from harness.judging.words import NANOSECONDS

# (role, metric) by workload: what compare judges besides.
BESIDES = {"contention": [("thief", "steal_time")]}


def value_among(units):
    """The (role, metric) of a cell's value; units: {(role, metric): unit}, in the order in which the process reported them."""
    return next((key for key, unit in units.items() if key[0] != "process" and (unit in NANOSECONDS or unit.endswith("/s"))), None)


def value_of(summaries):
    """A cell's value among its summaries; None if it has none."""
    found = {(one.role, one.metric): one for one in summaries}
    return found.get(value_among({key: one.unit for key, one in found.items()}))


def main_ones(summaries):
    """Of each cell its value, and what is judged besides."""
    cells = {}
    for one in summaries:
        cells.setdefault(one.cell, []).append(one)
    values = {cell: value_of(some) for cell, some in cells.items()}
    return [one for one in summaries if one is values[one.cell] or (one.role, one.metric) in BESIDES.get(one.workload, [])]
