"""Statistics. Nothing here reads or prints. samples.py: medians and their intervals; ranks.py: the signed rank; drifting.py:
trends and steps; codes.py: several codes of one source; sequential.py: when to stop; verdicts.py: the rule for "faster";
libraries.py: which libraries are needed."""

from harness.judging.statistics import libraries

libraries.require()  # before the others, which import them

from harness.judging.statistics.codes import OverCodes  # noqa: F401
from harness.judging.statistics.drifting import Drift, change_point, drift  # noqa: F401
from harness.judging.statistics.ranks import signed_rank  # noqa: F401
from harness.judging.statistics.samples import (  # noqa: F401
    CONFIDENCE, median, median_interval, range_coverage)
from harness.judging.statistics.sequential import MEASURE_ON, NOT_SLOWER, Decision, decide, evidence  # noqa: F401
from harness.judging.statistics.verdicts import (  # noqa: F401
    ALIKE, BEYOND, DIFFERENT, FASTER, LEAST_PAIRS, NOT_SETTLED, SLOWER, THRESHOLD, VERDICTS, WITHIN, Judgement,
    adjust_together, alike, benjamini_hochberg, claimed, judge, judge_invocations, keeps_clear, least_pairs, paired_log_ratio,
    verdicts_on, word_for)
