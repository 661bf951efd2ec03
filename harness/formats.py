"""Versions and columns of a run's files, the conditions that two runs must share, and what C and Python must agree on besides. Reads
them from the headers that document each."""

import re
from pathlib import Path


def _defined(header):
    text = (Path(__file__).resolve().parent / header).read_text(encoding="utf-8")
    return dict(re.findall(r'^#define (\w+) "?([^"\n]+)"?$', text, re.MULTILINE))


_VALUES = _defined("driver/util/format.h")

MANIFEST_VERSION, SAMPLES_VERSION = int(_VALUES["MANIFEST_VERSION"]), int(_VALUES["SAMPLES_VERSION"])
SAMPLE_COLUMNS, HISTOGRAM_COLUMNS = (_VALUES[name].split(",") for name in ("SAMPLES_COLUMNS", "HISTOGRAMS_COLUMNS"))
# A word for each condition, and its part and member of the manifest.
CONDITIONS = [tuple(re.split("[:.]", condition)) for condition in _VALUES["CONDITIONS"].split(",")]
FAILURES_MAX = int(_VALUES["FAILURES_MAX"])
# Distances between processors with a larger ratio belong to different places.
DISTANCE_RATIO = float(_defined("measuring/distance.h")["DISTANCE_RATIO"])
