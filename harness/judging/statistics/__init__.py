"""Statistics. Nothing here reads or prints. intervals.py: medians and their intervals; verdicts.py: the rule for "faster" of a
finished run; sequential.py: the rule while measuring; distances.py: which samples may be compared."""

import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not installed; drawing and comparing need it: here by ./run.sh setup --venv, or on another machine from a copy of "
          "the run's folder by ./run.sh report", file=sys.stderr)
    sys.exit(3)

from harness.judging.statistics.intervals import (  # noqa: F401
    CONFIDENCE, least_pairs, median, median_interval, paired_log_ratio, range_coverage)
from harness.judging.statistics.sequential import MEASURE_ON, NOT_SLOWER, Decision, decide, evidence  # noqa: F401
from harness.judging.statistics.verdicts import (  # noqa: F401
    ALIKE, BEYOND, DIFFERENT, FASTER, LEAST_PAIRS, NOT_SETTLED, SLOWER, THRESHOLD, VERDICTS, WITHIN, Judgement, alike, claimed, judge,
    judge_invocations, verdicts_on)
