"""RUN/histograms.csv: distributions of single operations' latencies."""

import math
from collections import defaultdict
from dataclasses import dataclass

from harness.formats import HISTOGRAM_COLUMNS
from harness.judging.run_folder import driver_rows
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
    merged, units, seen, standing = defaultdict(lambda: defaultdict(int)), {}, set(), standing_invocations(run)

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
        if invocation in standing.get(row["cell"], ()) and run.invocations[row["cell"], invocation][-1]["status"] == "ok":
            merged[key][bucket] += count
            units[key] = row["unit"]

    driver_rows(path, "it holds the distributions", HISTOGRAM_COLUMNS, take)
    return {key: Histogram([(lower, upper, count) for (lower, upper), count in sorted(buckets.items()) if count],
                           units[key]) for key, buckets in merged.items() if any(buckets.values())}
