"""Versions and columns of a run's files, and the conditions that two runs must share. Reads them from the driver's
header, which documents each."""

import re
from pathlib import Path

_HEADER = Path(__file__).resolve().parent / "driver" / "util" / "format.h"
_VALUES = dict(re.findall(r'^#define (\w+) "?([^"\n]+)"?$', _HEADER.read_text(encoding="utf-8"), re.MULTILINE))

MANIFEST_VERSION, SAMPLES_VERSION = int(_VALUES["MANIFEST_VERSION"]), int(_VALUES["SAMPLES_VERSION"])
SAMPLE_COLUMNS, HISTOGRAM_COLUMNS, SPLIT_COLUMNS = (
    _VALUES[name].split(",") for name in ("SAMPLES_COLUMNS", "HISTOGRAMS_COLUMNS", "SPLIT_COLUMNS"))
# The columns of every version of samples.csv.
COLUMNS_OF = {version: SAMPLE_COLUMNS[:len(SAMPLE_COLUMNS) - SAMPLES_VERSION + version]
              for version in range(1, SAMPLES_VERSION + 1)}
# A word for each condition, and its part and member of the manifest.
CONDITIONS = [tuple(re.split("[:.]", condition)) for condition in _VALUES["CONDITIONS"].split(",")]
FAILURES_MAX = int(_VALUES["FAILURES_MAX"])
