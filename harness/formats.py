"""Versions and columns of a run's files, and what two runs must have alike: read from the driver's header, which says what
each of them is."""

import re
from pathlib import Path

_HEADER = Path(__file__).resolve().parent / "driver" / "util" / "format.h"
_VALUES = dict(re.findall(r'^#define (\w+) "?([^"\n]+)"?$', _HEADER.read_text(encoding="utf-8"), re.MULTILINE))

MANIFEST_VERSION, SAMPLES_VERSION = int(_VALUES["MANIFEST_VERSION"]), int(_VALUES["SAMPLES_VERSION"])
SAMPLE_COLUMNS, HISTOGRAM_COLUMNS, SPLIT_COLUMNS = (
    _VALUES[name].split(",") for name in ("SAMPLES_COLUMNS", "HISTOGRAMS_COLUMNS", "SPLIT_COLUMNS"))
# Those of every version of samples.csv.
COLUMNS_OF = {version: SAMPLE_COLUMNS[:len(SAMPLE_COLUMNS) - SAMPLES_VERSION + version]
              for version in range(1, SAMPLES_VERSION + 1)}
# Words for it, part and member of the manifest.
CONDITIONS = [tuple(re.split("[:.]", condition)) for condition in _VALUES["CONDITIONS"].split(",")]
FAILURES_MAX = int(_VALUES["FAILURES_MAX"])
