"""RUN/histograms.csv: distributions of single operations' latencies, and their quantiles. Pure but for reading."""

import csv
import io
from collections import defaultdict
from dataclasses import dataclass

from run_folder import Problem

COLUMNS = "cell role invocation repetition metric lower upper count unit".split()


@dataclass
class Histogram:
    """Buckets of one metric of one cell and role, all its invocations together: [(lower, upper, count)], ascending."""

    buckets: list
    unit: str

    @property
    def count(self):
        return sum(count for _, _, count in self.buckets)

    def quantile(self, part):
        """The value below which that part (0 to 1) of all lies, within its bucket by proportion."""
        wanted, seen = part * self.count, 0
        for lower, upper, count in self.buckets:
            if seen + count >= wanted:
                return lower + (upper - lower) * ((wanted - seen) / count)
            seen += count
        return self.buckets[-1][1]

    def tail(self):
        """[(value, part of all that took longer)], for curves of percentiles."""
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
    lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    header = next(lines, None)
    if header is not None and header != COLUMNS:
        raise Problem(f"{path} has other columns than {','.join(COLUMNS)}")
    merged, units = defaultdict(lambda: defaultdict(int)), {}
    for fields in lines:
        if len(fields) != len(COLUMNS):
            continue  # the torn end of a run that was stopped
        row = dict(zip(COLUMNS, fields))
        try:
            key = (row["cell"], row["role"], row["metric"])
            if (row["cell"], int(row["invocation"])) not in run.invocations:
                continue
            merged[key][float(row["lower"]), float(row["upper"])] += int(row["count"])
        except ValueError:
            continue
        units[key] = row["unit"]
    return {key: Histogram([(lower, upper, count) for (lower, upper), count in sorted(buckets.items()) if count],
                           units[key]) for key, buckets in merged.items() if any(buckets.values())}
