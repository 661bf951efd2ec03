"""Statistics. Nothing here reads or prints. intervals.py: medians and their intervals; verdicts.py: the rule for "faster" of a
finished run; sequential.py: the rule while measuring; distances.py: which samples may be compared; libraries.py: which libraries
are needed."""

from harness.judging.statistics import libraries

libraries.require()  # before the others, which import them

from harness.judging.statistics.intervals import (  # noqa: F401
    CONFIDENCE, least_pairs, median, median_interval, paired_log_ratio, range_coverage)
from harness.judging.statistics.sequential import MEASURE_ON, NOT_SLOWER, Decision, decide, evidence  # noqa: F401
from harness.judging.statistics.verdicts import (  # noqa: F401
    ALIKE, BEYOND, DIFFERENT, FASTER, LEAST_PAIRS, NOT_SETTLED, SLOWER, THRESHOLD, VERDICTS, WITHIN, Judgement, alike, claimed, judge,
    judge_invocations, keeps_clear, verdicts_on, word_for)
