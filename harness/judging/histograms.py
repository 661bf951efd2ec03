"""RUN/histograms.csv: distributions of single operations' latencies."""

import math
from collections import defaultdict

from harness.formats import HISTOGRAM_COLUMNS
from harness.judging.run_folder import driver_rows
from harness.judging.summaries import standing_invocations


def tail_of(buckets):
    """[(value, share that took longer)], for curves of percentiles."""
    points, seen, count = [], 0, sum(count for _, _, count in buckets)
    for _, upper, some in buckets:
        seen += some
        points.append((upper, 1 - seen / count))
    return points


def read_histograms(run):
    """{(cell, role, metric): [(lower, upper, count)]}, ascending, over all finished invocations at one distance; {} when the run made
    none."""
    path = run.folder / "histograms.csv"
    if not path.exists():
        return {}
    merged, seen, standing = defaultdict(lambda: defaultdict(int)), set(), standing_invocations(run)

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

    driver_rows(path, "it holds the distributions", HISTOGRAM_COLUMNS, take)
    return {key: [(lower, upper, count) for (lower, upper), count in sorted(buckets.items())] for key, buckets in merged.items()}
