"""Statistics. Nothing here reads or prints. samples.py: medians and their intervals; ranks.py: the signed rank; drifting.py:
trends and steps; codes.py: several codes of one source; sequential.py: when to stop; verdicts.py: the rule for "faster";
libraries.py: which libraries are needed."""

from plots.statistics import libraries

libraries.require()  # before the others, which import them

from plots.statistics.codes import OverCodes  # noqa: F401
from plots.statistics.drifting import Drift, change_point, drift  # noqa: F401
from plots.statistics.ranks import signed_rank  # noqa: F401
from plots.statistics.samples import (  # noqa: F401
    CONFIDENCE, median, median_interval, range_coverage)
from plots.statistics.sequential import MEASURE_ON, NOT_SLOWER, Decision, decide, evidence  # noqa: F401
from plots.statistics.verdicts import (  # noqa: F401
    ALIKE, BEYOND, DIFFERENT, FASTER, LEAST_PAIRS, NOT_SETTLED, SLOWER, THRESHOLD, VERDICTS, WITHIN, Judgement,
    adjust_together, alike, benjamini_hochberg, claimed, judge, judge_invocations, keeps_clear, least_pairs, paired_log_ratio,
    verdicts_on, word_for)
