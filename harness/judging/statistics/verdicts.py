"""The rule for which side of a finished run is faster, as pure functions. Tables, findings and compare all use it. (While a cell is
still measured, sequential.py decides.)

Two sides are compared pair by pair: invocations of equal number, which ran near each other. A is called slower if

- there are at least six pairs,
- the median of their ratios lies beyond the threshold,
- the interval of their ratios lies above 1.

Faster is the same, inverted. They are not told apart, equal for all practical purposes, if the whole interval lies within the
threshold, the smallest difference that the suite is trusted to show (harness/trust/). Otherwise it is not settled.
"""

from dataclasses import dataclass

from harness.judging.statistics.intervals import least_pairs, paired_log_ratio

THRESHOLD = 0.02
# With fewer pairs no interval of the values covers 95 %.
LEAST_PAIRS = least_pairs()
VERDICTS = SLOWER, FASTER, ALIKE, NOT_SETTLED = "slower", "faster", "not told apart", "not settled"
DIFFERENT = SLOWER, FASTER
WITHIN, BEYOND = "within", "beyond"  # or NOT_SETTLED: what claimed() says


@dataclass
class Judgement:
    """ratio: of times, judged to reference, with its interval."""

    ratio: float
    low: float
    high: float
    pairs: int
    threshold: float = THRESHOLD

    @property
    def enough(self):
        """Are there enough pairs for a verdict?"""
        return self.pairs >= LEAST_PAIRS

    @property
    def verdict(self):
        if not self.enough:
            return NOT_SETTLED
        if alike(self.low, self.high, self.threshold):
            return ALIKE
        beyond = 1 + self.threshold
        if self.low > 1 and self.ratio > beyond:
            return SLOWER
        if self.high < 1 and self.ratio < 1 / beyond:
            return FASTER
        return NOT_SETTLED


def alike(low, high, threshold=THRESHOLD):
    """Does the whole interval of a ratio lie within the threshold of 1? This is the one rule for "not told apart"."""
    return 1 / (1 + threshold) <= low and high <= 1 + threshold


def judge(judged, reference, threshold=THRESHOLD):
    """The Judgement on two equally long sequences of positive times, pair by pair."""
    return Judgement(*paired_log_ratio(judged, reference), len(judged), threshold)


def claimed(judged, reference, within=None):
    """(verdict, Judgement): is the ratio of two equally long sequences of positive values where somebody claims it to be?

    within: claimed is a ratio no more than this share from 1, either way; None: one below 1.

    WITHIN    the whole interval lies within the band; if below 1 is claimed, judge() says faster
    BEYOND    the whole interval lies beyond the band (not below 1 by the threshold)

    So of a ratio at the very edge of the band either is wrong in at most one of twenty cases."""
    judgement = judge(judged, reference, THRESHOLD if within is None else within)
    if not judgement.enough:
        return NOT_SETTLED, judgement
    if judgement.verdict == (FASTER if within is None else ALIKE):
        return WITHIN, judgement
    if within is None:
        beyond = judgement.low > 1 / (1 + THRESHOLD)
    else:
        beyond = judgement.low > 1 + within or judgement.high < 1 / (1 + within)
    return BEYOND if beyond else NOT_SETTLED, judgement


def judge_invocations(judged, reference, threshold=THRESHOLD):
    """The Judgement on two {invocation: time}, for the invocations that both have. None if there are none, or a value is not
    positive."""
    shared = sorted(judged.keys() & reference.keys())
    if not shared or min(min(judged[i], reference[i]) for i in shared) <= 0:
        return None
    return judge([judged[i] for i in shared], [reference[i] for i in shared], threshold)


def verdicts_on(pairs):
    """The verdict on each two {invocation: value}; None if there are too few pairs."""
    judgements = [judge_invocations(*pair) for pair in pairs]
    return [one.verdict if one and one.enough else None for one in judgements]
