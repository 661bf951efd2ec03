"""The samples of a run as one row for each cell, role and metric. python3 -m harness.judging.summaries RUN writes summary.csv.

The median is the median of the invocations' medians; low and high are its 95 % interval over invocations, None with
one invocation. results/README.md documents every column.

If threads were at different distances in different invocations (harness/judging/statistics/distances.py), a row is made of the
invocations of one class: the most frequent class over all cells with the same settings, so that one table shows one distance.
A cell without that class uses its own most frequent class, and is not paired with the others.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from harness.formats import HISTOGRAM_COLUMNS
from harness.judging import statistics as statistics_of
from harness.judging.run_folder import driver_rows, run_of_arguments, run_program, worst_status, write_rows
from harness.judging.statistics.distances import MOVED, class_of, classes_of

COLUMNS = ("cell tags workload deque params placement role metric unit status flags invocations repetitions median "
           "low high minimum maximum series distance class elsewhere").split()
# The flag of a row whose cell was never measured at the distance of the other cells with its settings. It is not compared with
# them.
APART = "other_distance"
# The settings that make several series of one deque, in the order in which they are printed.
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
    without: int = 0  # invocations without a value, if most have one
    repetitions: int = 0
    by_invocation: dict = field(default_factory=dict)  # {invocation: median over its repetitions}
    median: float = None
    low: float = None
    high: float = None
    minimum: float = None
    maximum: float = None
    measured: dict = field(default_factory=dict)  # {invocation: [values]}, at any distance
    distances: dict = field(default_factory=dict)  # {invocation: ns, None: not known}, without those that MOVED
    distance: float = None  # of the row's invocations
    distance_class: str = ""  # the class of that distance, among those of the whole run

    @property
    def invocations(self):
        return len(self.by_invocation)

    @property
    def elsewhere(self):
        """The number of invocations left out because they were measured at another distance."""
        return max(0, len(self.measured) - self.invocations) if self.measured else 0

    def standing_by(self, invocations, key=lambda invocation: invocation):
        """The same row made of these invocations alone; key(invocation) is its name in by_invocation."""
        chosen = [i for i in sorted(self.measured) if i in invocations]
        row = replace(self, by_invocation={key(i): statistics_of.median(self.measured[i]) for i in chosen}, repetitions=0,
                      median=None, low=None, high=None, minimum=None, maximum=None)
        known = [self.distances[i] for i in chosen if self.distances.get(i) is not None]
        row.distance = statistics_of.median(known) if known else None
        if chosen:
            medians, every = list(row.by_invocation.values()), [value for i in chosen for value in self.measured[i]]
            row.repetitions = max(len(self.measured[i]) for i in chosen)
            row.median = statistics_of.median(medians)
            row.low, row.high = statistics_of.median_interval(medians) or (None, None)
            row.minimum, row.maximum = min(every), max(every)
        return row

    def scaled(self, factor):
        """(median, low, high); low and high are None if there is no interval."""
        return tuple(None if value is None else value * factor for value in (self.median, self.low, self.high))

    def as_row(self):
        numbers = [self.median, self.low, self.high, self.minimum, self.maximum]
        return [self.cell, ";".join(self.tags), self.workload, self.deque, self.params_text, self.placement, self.role,
                self.metric, self.unit, self.status, "+".join(self.flags), self.invocations, self.repetitions,
                *("" if number is None else format(number, ".10g") for number in numbers), self.series,
                "" if self.distance is None else f"{self.distance:.1f}", self.distance_class, self.elsewhere or ""]

    @property
    def series(self):
        """Deque and variant. Rows of one workload, role, metric and series differ only in settings that every deque gets."""
        return ";".join([self.deque, *(f"{name}={self.params[name]}" for name in SERIES_PARAMETERS if name in self.params)])


def invocation_statuses(run):
    """{cell: {invocation: status of its last row}}; the last row says whether the invocation crashed or timed out."""
    statuses = defaultdict(dict)
    for (cell, invocation), rows in run.invocations.items():
        statuses[cell][invocation] = rows[-1]["status"]
    return statuses


def summarize(run):
    """All rows of a run's summary, in the order of its samples."""
    ended = invocation_statuses(run)
    groups, places = defaultdict(list), defaultdict(dict)
    for (cell, invocation), rows in run.invocations.items():
        places[cell][invocation], there = distance_of(rows)
        there = {id(row) for row in there}
        for row in rows:
            groups[row["cell"], row["role"], row["metric"]].append(row if id(row) in there else {**row, "value": None})
    standing, classes = _standing(run, places), classes_of(seen_distances(run))
    summaries = []
    for key, rows in groups.items():
        summary = _summary_of(run, key, rows, ended[key[0]])
        summary.distances = {i: place for i, place in places[key[0]].items() if place != MOVED}
        chosen, named = standing[key[0]]
        summary = summary.standing_by(chosen, named) if named else summary.standing_by(chosen)
        summary.flags += [APART] * bool(named)
        found = class_of(summary.distance, classes)
        summary.distance_class = found.name if found else ""
        summaries.append(summary)
    return summaries


def seen_distances(run, cells=None):
    """The distance of each sample (cell, invocation, repetition) that has one; cells: only of these."""
    return list({(*key, row["repetition"]): row["distance"] for key, rows in run.invocations.items()
                 if cells is None or key[0] in cells for row in rows if row["distance"] is not None}.values())


def distance_of(rows):
    """(the distance of an invocation, its rows that were measured there). The distance is None if it is not known, MOVED if the
    threads' processors moved throughout."""
    if not any(row["distance"] or MOVED in row["flags"] for row in rows):
        return None, rows
    still = [row for row in rows if MOVED not in row["flags"]]
    classes = classes_of(row["distance"] for row in still)
    if not classes:
        return (None, rows) if len(still) == len(rows) else (MOVED, rows)
    most = max(classes, key=lambda one: one.count)
    return most.middle, [row for row in still if row["distance"] is None or row["distance"] in most]


def _standing(run, places):
    """{cell: (the invocations that its rows are made of, a function that names them, None: their numbers)}."""
    shared, groups, standing = {}, defaultdict(list), {}
    for name in places:
        cell = run.cells[name]
        names = set(cell["params"]) - {"seed"}
        shared[cell["workload"]] = shared.get(cell["workload"], names) & names
    for name in places:
        cell = run.cells[name]
        groups[cell["workload"], tuple(sorted((one, cell["params"][one]) for one in shared[cell["workload"]]))].append(name)
    for cells in groups.values():
        classes = classes_of(place for name in cells for place in places[name].values() if place != MOVED)

        def kind(place):
            return MOVED if place == MOVED else class_of(place, classes)

        def most(counts):
            return max(counts, key=lambda one: (one != MOVED, counts[one], one is not None))

        counts = {name: Counter(kind(place) for place in places[name].values()) for name in cells}
        main = most(sum(counts.values(), Counter()))
        for name in cells:
            mine = main if main in counts[name] else most(counts[name])
            chosen = {i for i, place in places[name].items() if kind(place) == mine}
            # Other names than those of invocations at the main distance: then no pair is made across distances.
            place = name if mine == MOVED else str(mine)
            standing[name] = chosen, None if mine == main != MOVED else lambda i, place=place: (i, place)
    return standing


def metrics_by_cell(summaries):
    """{cell: {(role, metric): summary}}"""
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    return by_cell


def usable(summary):
    """The summary if it has a value, else None."""
    return summary if summary is not None and summary.median is not None and summary.status == "ok" else None


def _summary_of(run, key, rows, ended):
    cell, role, metric = key
    known = run.cells[cell]
    values = defaultdict(list)
    for row in rows:
        # Values that a process measured before it crashed do not count.
        if row["value"] is not None and ended[row["invocation"]] == "ok":
            values[row["invocation"]].append(row["value"])
    flags = sorted({flag for some in {row["flags"] for row in rows} for flag in some.split("+") if flag})
    summary = Summary(
        cell=cell, workload=rows[0]["workload"], deque=rows[0]["deque"], params=known["params"],
        params_text=rows[0]["params"], tags=known["tags"],
        placement=" or ".join(sorted({row["placement"] for row in rows if row["placement"]})),
        role=role, metric=metric, unit=Counter(row["unit"] for row in rows).most_common(1)[0][0],
        status=worst_status([row["status"] for row in rows] + list(ended.values())), flags=flags)
    # If most invocations have a value, the row keeps them and counts those without.
    without = {row["invocation"] for row in rows if row["status"] in ("denied", "busy")} - set(values)
    if summary.status in ("denied", "busy") and len(without) < len(values):
        summary.status, summary.without = "ok", len(without)
    summary.measured = values
    return summary


def write_summary(run, summaries):
    """Writes RUN/summary.csv; returns its path."""
    return write_rows(run.folder / "summary.csv", COLUMNS, (summary.as_row() for summary in summaries))


def write_wide(run, summaries):
    """Writes RUN/wide.csv, the same with a column for each parameter in place of params; returns its path."""
    names = sorted({name for summary in summaries for name in summary.params})
    packed = COLUMNS.index("params")
    rows = ([*row[:packed], *(summary.params.get(name, "") for name in names), *row[packed + 1:]]
            for summary in summaries for row in [summary.as_row()])
    return write_rows(run.folder / "wide.csv", [*COLUMNS[:packed], *(f"param_{name}" for name in names), *COLUMNS[packed + 1:]], rows)


def read_histograms(run):
    """RUN/histograms.csv, distributions of single operations' latencies: {(cell, role, metric): [(lower, upper, count)]}, ascending,
    over all finished invocations at one distance; {} when the run made none."""
    path = run.folder / "histograms.csv"
    if not path.exists():
        return {}
    merged, seen, places = defaultdict(lambda: defaultdict(int)), set(), defaultdict(dict)
    for (cell, invocation), rows in run.invocations.items():
        places[cell][invocation] = distance_of(rows)[0]
    standing = _standing(run, places)

    def take(row):
        if not row["invocation"].isdecimal():
            raise ValueError(f"invocation {row['invocation']!r} is no number from 0")
        key, invocation = (row["cell"], row["role"], row["metric"]), int(row["invocation"])
        bucket, count = (float(row["lower"]), float(row["upper"])), int(row["count"])
        if not all(map(math.isfinite, bucket)) or not bucket[0] < bucket[1] or count < 1:
            raise ValueError(f"{count} in {bucket[0]:g} to {bucket[1]:g} is no bucket")
        place = *key, invocation, bucket
        if place in seen and (row["cell"], invocation) in run.invocations:
            raise ValueError("this bucket is there twice")
        seen.add(place)
        stands = row["cell"] in standing and invocation in standing[row["cell"]][0]
        if stands and run.invocations[row["cell"], invocation][-1]["status"] == "ok":
            merged[key][bucket] += count

    driver_rows(path, "it holds the distributions", HISTOGRAM_COLUMNS, take)
    return {key: [(lower, upper, count) for (lower, upper), count in sorted(buckets.items())] for key, buckets in merged.items()}


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    print(f"{write_summary(run, summaries)}: {len(summaries)} rows from {len(run.invocations)} invocations")


if __name__ == "__main__":
    run_program(main)
