"""python3 -m plots.history [METRIC] [--deque=A,B] [--workload=W] [--runs=FOLDER] [--csv=FILE] [--json=FILE]: what ./run.sh history shows.

All runs below results/ by commit: the median of each cell in each run, and where it changed (by a step that is unlikely to be
chance among so many cells). A series has one machine, kernel, compiler, set of flags, and distance between the threads'
processors.
"""

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from harness.formats import CONDITIONS
from plots import statistics as statistics_of
from plots.comparison.pairs import comparable_metric, drop_restated, is_throughput
from plots.data.cells import grouped
from plots.data.git import answer
from plots.data.run_folder import EXIT_USAGE, PROGRAM, Problem, Run, parse_params, run_program, warn
from plots.data.sections import varying_parameters
from plots.data.summaries import distance_of
from plots.data.words import format_number, words_for
from plots.data.written import write_rows, write_whole
from plots.pages.table import aligned, show
from plots.statistics.distances import MOVED, class_of, classes_of

SHADES = "▁▂▃▄▅▆▇█"
LATEST = 30  # of the points, in the line of shades
Q = 0.05  # the share of false alarms among the cells called changed


@dataclass
class Point:
    run: str
    commit: str  # short; with a * if the sources differed from it
    value: float


@dataclass
class Series:
    """One number of one cell on one machine, in the order of commits."""

    machine: tuple
    workload: str
    deque: str
    params: str
    role: str
    metric: str
    unit: str
    distance: str = ""  # of the threads' processors: "near (28 ns)"
    points: list = field(default_factory=list)
    changes: list = field(default_factory=list)  # [(place, median after : before)]

    @property
    def cell(self):  # for drop_restated()
        return self.machine, self.workload, self.deque, self.params, self.distance

    @property
    def values(self):
        return [point.value for point in self.points]


def machine_of(run):
    return tuple(str((run.manifest.get(part) or {}).get(member, "unknown")) for _, part, member in CONDITIONS)


def commit_of(run):
    commit = str(run.manifest.get("commit") or "unknown")
    return commit, commit[:10] + ("" if run.manifest.get("sources") in ("clean", None) else "*")


def in_order(runs):
    """In git's order of commits, or by time if git does not know them all. Runs of one commit by time."""
    listed = answer("rev-list", "--reverse", "--topo-order", "--all") or ""
    known = {commit: place for place, commit in enumerate(listed.split())}
    if all(commit_of(run)[0] in known for run in runs):
        return sorted(runs, key=lambda run: (known[commit_of(run)[0]], str(run.manifest.get("start"))))
    return sorted(runs, key=lambda run: str(run.manifest.get("start")))


def collect(runs):
    """Every series of times and rates, except those that restate another."""
    found = defaultdict(list)
    for run in runs:
        values = defaultdict(lambda: defaultdict(list))
        for (_, invocation), rows in run.invocations.items():
            place, there = distance_of(rows)
            for row in there:
                if row["value"] is not None and rows[-1]["status"] == "ok" and place != MOVED:
                    key = row["workload"], row["deque"], row["params"], row["role"], row["metric"], row["unit"]
                    values[key][invocation, place].append(row["value"])
        for key, by_invocation in values.items():
            found[(machine_of(run), *key)].append((run, by_invocation))
    return drop_restated([series for key, by_run in found.items() for series in series_of(key, by_run)
                          if comparable_metric(series) and series.points])


def series_of(key, by_run):
    """A series for each distance between a cell's threads. by_run: [(run, {(invocation, distance): values})]."""
    classes = classes_of(place for _, by_invocation in by_run for _, place in by_invocation)
    for one in [None, *classes]:
        series = Series(*key, one.name if one else "")
        for run, by_invocation in by_run:
            here = [statistics_of.median(some) for (_, place), some in by_invocation.items() if class_of(place, classes) is one]
            if here and (middle := statistics_of.median(here)) > 0:
                series.points.append(Point(run.name, commit_of(run)[1], middle))
        yield series


def steps(values, p_below):
    """[(place, median after : before)] of all steps; both sides of a step are searched again."""
    if len(set(values)) < 2 or len(values) < statistics_of.LEAST_PAIRS:
        return []
    place, p = statistics_of.change_point(values)
    before, after = values[:place], values[place:]
    if p >= p_below:
        return []
    change = statistics_of.median(after) / statistics_of.median(before)
    here = [(place, change)] if abs(change - 1) > statistics_of.THRESHOLD else []
    return steps(before, p_below) + here + [(place + later, by) for later, by in steps(after, p_below)]


def mark_changes(all_series):
    """Sets the changes of all series, considered together."""
    asked = [series for series in all_series if len(series.points) >= statistics_of.LEAST_PAIRS and len(set(series.values)) > 1]
    worth = statistics_of.benjamini_hochberg([statistics_of.change_point(series.values)[1] for series in asked])
    for series, q in zip(asked, worth):
        if q < Q:
            series.changes = steps(series.values, Q)


def shades(values):
    """The latest values as a line of shades, from the lowest to the highest."""
    latest = values[-LATEST:]
    low, high = min(latest), max(latest)
    return "".join(SHADES[round((len(SHADES) - 1) * (value - low) / (high - low))] if high > low else SHADES[0] for value in latest)


def change_text(series):
    """"1.08 times as slow from 0123456789 (run) on"; rates are inverted."""
    return "; ".join(f"{1 / by if is_throughput(series.unit) else by:.3f} from {series.points[place].commit} "
                     f"({series.points[place].run})" for place, by in series.changes)


def lines_of(all_series):
    """A table a machine. Settings that never vary within a workload are left out."""
    lines = []
    for machine in dict.fromkeys(series.machine for series in all_series):
        here = [series for series in all_series if series.machine == machine]
        varying = {workload: varying_parameters([parse_params(one.params) for one in some], absent_differs=False)
                   for workload, some in grouped(here, lambda one: one.workload).items()}
        rows = []
        for series in sorted(here, key=lambda one: (one.workload, one.metric, one.deque, one.params)):
            told = [words_for(name, value) for name, value in parse_params(series.params).items()
                    if name in varying[series.workload]]
            told += [f"threads {series.distance}"] if series.distance else []
            rows.append([series.workload, series.deque, ", ".join([series.metric, *told]), str(len(series.points)),
                         format_number(series.values[0]), format_number(series.values[-1]), series.unit,
                         shades(series.values), change_text(series)])
        lines += [", ".join(f"{what} {told}" for (what, _, _), told in zip(CONDITIONS, machine) if told), ""]
        lines += aligned(["workload", "deque", "metric", "runs", "first", "latest", "unit", "", "changed, in times"], rows,
                         left={0, 1, 2, 6, 7, 8}) + [""]
    return lines


def runs_below(folder):
    """The runs that can be read; names the others."""
    runs = []
    for manifest in sorted(Path(folder).rglob("manifest.json")):
        try:
            runs.append(Run(manifest.parent))
        except Problem as problem:
            warn(f"left out: {problem}")
    return runs


COLUMNS = (*(what for what, _, _ in CONDITIONS), *"workload deque params role metric unit distance run commit value changed".split())


def points_of(all_series):
    """A row of COLUMNS a point. changed: None if nothing changed there."""
    for series in all_series:
        changes = dict(series.changes)
        for place, point in enumerate(series.points):
            yield [*series.machine, series.workload, series.deque, series.params, series.role, series.metric, series.unit,
                   series.distance, point.run, point.commit, float(f"{point.value:.10g}"),
                   round(changes[place], 4) if place in changes else None]


def write_csv(path, all_series):
    write_rows(Path(path), COLUMNS, ([*row[:-2], f"{row[-2]:.10g}", "" if row[-1] is None else f"{row[-1]:.4f}"]
                                     for row in points_of(all_series)))


def write_json(path, all_series):
    write_whole(Path(path), json.dumps([dict(zip(COLUMNS, row)) for row in points_of(all_series)], indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("metric", nargs="?", help="such as push_latency; without it every time and rate")
    parser.add_argument("--deque", metavar="A,B")
    parser.add_argument("--workload", metavar="W,X")
    parser.add_argument("--runs", default="results", metavar="FOLDER", help="folder of the runs (default: results)")
    parser.add_argument("--csv", metavar="FILE", help="all points as data")
    parser.add_argument("--json", metavar="FILE", help="the same as JSON")
    arguments = parser.parse_args()
    runs = in_order([run for run in runs_below(arguments.runs)
                     # a run that compares two builds of a deque is left out
                     if not any("=" in str(word).removeprefix("--deques-in=") for word in run.manifest.get("command") or []
                                if str(word).startswith("--deques-in="))])
    if not runs:
        raise Problem(f"{arguments.runs} has no run to look back at")
    series = collect(runs)
    for what, wanted in (("metric", arguments.metric), ("deque", arguments.deque), ("workload", arguments.workload)):
        known = sorted({getattr(one, what) for one in series})
        for name in (wanted or "").split(",") if wanted else ():
            if name not in known:
                raise Problem(f"no run has the {what} {name}; there are {', '.join(known)}", EXIT_USAGE)
        series = [one for one in series if not wanted or getattr(one, what) in wanted.split(",")]
    mark_changes(series)
    show("\n".join(lines_of(series)).rstrip())
    changed = [one for one in series if one.changes]
    print(f"\n{len(runs)} runs, {len(series)} series, {len(changed)} with a change; a series needs "
          f"{statistics_of.LEAST_PAIRS} runs to show one")
    if arguments.csv:
        write_csv(arguments.csv, series)
    if arguments.json:
        write_json(arguments.json, series)
    sys.stdout.flush()


if __name__ == "__main__":
    run_program(main)
