"""RUN/histograms.csv: distributions of single operations' latencies."""

import csv
import io
import math
from collections import defaultdict
from dataclasses import dataclass

from harness.formats import HISTOGRAM_COLUMNS
from harness.judging.run_folder import Problem, read_text, take_rows
from harness.judging.summaries import standing_invocations


@dataclass
class Histogram:
    """Buckets of one metric of one cell and role over all its invocations at one distance: [(lower, upper, count)], ascending."""

    buckets: list
    unit: str

    @property
    def count(self):
        return sum(count for _, _, count in self.buckets)

    def tail(self):
        """[(value, share that took longer)], for curves of percentiles."""
        points, seen = [], 0
        for _, upper, count in self.buckets:
            seen += count
            points.append((upper, 1 - seen / self.count))
        return points


def read_histograms(run):
    """{(cell, role, metric): Histogram}, of finished invocations; {} when the run made none."""
    path = run.folder / "histograms.csv"
    if not path.exists():
        return {}
    text = read_text(path, "it holds the distributions")
    lines = csv.reader(io.StringIO(text, newline=""))
    header = next(lines, None)
    if header is not None and header != HISTOGRAM_COLUMNS:
        raise Problem(f"{path} has other columns than {','.join(HISTOGRAM_COLUMNS)}")
    merged, units, seen, standing = defaultdict(lambda: defaultdict(int)), {}, set(), standing_invocations(run)

    def take(fields):
        row, bucket, count = _parse_row(fields)
        key, invocation = (row["cell"], row["role"], row["metric"]), int(row["invocation"])
        place = *key, invocation, bucket
        if place in seen and (row["cell"], invocation) in run.invocations:
            raise ValueError("this bucket is there twice")
        seen.add(place)
        if invocation in standing.get(row["cell"], ()) and run.invocations[row["cell"], invocation][-1]["status"] == "ok":
            merged[key][bucket] += count
            units[key] = row["unit"]

    take_rows(path, lines, text, take)
    return {key: Histogram([(lower, upper, count) for (lower, upper), count in sorted(buckets.items()) if count],
                           units[key]) for key, buckets in merged.items() if any(buckets.values())}


def _parse_row(fields):
    """(row, (lower, upper), count); a ValueError for anything that the driver cannot have written."""
    if len(fields) != len(HISTOGRAM_COLUMNS):
        raise ValueError(f"{len(fields)} columns instead of {len(HISTOGRAM_COLUMNS)}")
    row = dict(zip(HISTOGRAM_COLUMNS, fields))
    if not row["invocation"].isdecimal():
        raise ValueError(f"invocation {row['invocation']!r} is no number from 0")
    bucket, count = (float(row["lower"]), float(row["upper"])), int(row["count"])
    if not all(map(math.isfinite, bucket)) or not bucket[0] < bucket[1] or count < 1:
        raise ValueError(f"{count} in {bucket[0]:g} to {bucket[1]:g} is no bucket")
    return row, bucket, count
