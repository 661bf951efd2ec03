"""The one rule for which side is faster, as pure functions. Tables, findings and compare all use it.

Two sides are compared pair by pair: invocations of equal number, which ran near each other. A is called slower if

- there are at least six pairs,
- the median of their ratios lies beyond the threshold, and its interval above 1,
- Wilcoxon's signed rank of the log ratios is below 5 %, over all cells of the comparison together.

Faster is the same, inverted. They are not told apart, equal for all practical purposes, if the whole interval lies within the
threshold, the smallest difference that the suite is trusted to show (harness/trust/). Otherwise it is not settled: the interval is wide,
or crosses the threshold.
"""

import math
from dataclasses import dataclass

import numpy
from scipy import stats

from harness.judging.statistics.codes import OverCodes
from harness.judging.statistics.ranks import signed_rank
from harness.judging.statistics.samples import CONFIDENCE, median, median_interval

THRESHOLD = 0.02
# With fewer pairs no signed rank is below 5 %, and no interval of the values covers 95 %.
LEAST_PAIRS = 6
VERDICTS = SLOWER, FASTER, ALIKE, NOT_SETTLED = "slower", "faster", "not told apart", "not settled"
DIFFERENT = SLOWER, FASTER
WITHIN, BEYOND = "within", "beyond"  # or NOT_SETTLED: what claimed() says


@dataclass
class Judgement:
    """ratio: of times, judged to reference, with its interval. p: of the signed rank. over_all: the same, adjusted for all cells of
    the comparison (adjust_together())."""

    ratio: float
    low: float
    high: float
    p: float
    pairs: int
    threshold: float = THRESHOLD
    confidence: float = CONFIDENCE
    over_all: float = None

    def __post_init__(self):
        if self.over_all is None:
            self.over_all = self.p

    @property
    def verdict(self):
        if self.pairs < least_pairs(self.confidence) or self.low is None:
            return NOT_SETTLED
        if alike(self.low, self.high, self.threshold):
            return ALIKE
        beyond = 1 + self.threshold
        if self.over_all < 1 - self.confidence:
            if self.low > 1 and self.ratio > beyond:
                return SLOWER
            if self.high < 1 and self.ratio < 1 / beyond:
                return FASTER
        return NOT_SETTLED

    @property
    def differs(self):
        return self.verdict in DIFFERENT


def alike(low, high, threshold=THRESHOLD):
    """Does the whole interval of a ratio lie within the threshold of 1? This is the one rule for "not told apart"."""
    return 1 / (1 + threshold) <= low and high <= 1 + threshold


def judge(judged, reference, threshold=THRESHOLD, confidence=CONFIDENCE):
    """The Judgement on two equally long sequences of positive times, pair by pair, as the only one of its comparison."""
    ratio, low, high = paired_log_ratio(judged, reference, confidence)
    p = signed_rank([math.log(a / b) for a, b in zip(judged, reference)])[1]
    return Judgement(ratio, low, high, p, len(judged), threshold, confidence)


def claimed(judged, reference, within=None, among=1):
    """(verdict, Judgement): is the ratio of two equally long sequences of positive values where somebody claims it to be?

    within: claimed is a ratio no more than this share from 1, either way; None: one below 1. among: how many such comparisons
    the claim consists of.

    WITHIN    the whole interval lies within the band; if below 1 is claimed, judge() says faster
    BEYOND    the whole interval lies beyond the band (not below 1 by the threshold), and so do the pairs by the signed rank and
              by Student's t, the latter at 5 % divided by `among`

    So either is wrong in at most one of twenty cases. If a claim needs all comparisons to be WITHIN, it is as safe as one of them.
    If one comparison BEYOND denies it, the division keeps it safe. The signed rank cannot be divided so: of six pairs it is never
    below 3 %."""
    judgement = judge(judged, reference, THRESHOLD if within is None else within)
    beyond = -math.log1p(THRESHOLD) if within is None else math.log1p(within)
    if judgement.pairs < LEAST_PAIRS:
        return NOT_SETTLED, judgement
    if judgement.verdict == (FASTER if within is None else ALIKE):
        return WITHIN, judgement
    over = within is None or judgement.ratio > 1
    nearest = math.log(judgement.low) if over else -math.log(judgement.high)
    distances = [(1 if over else -1) * math.log(a / b) - beyond for a, b in zip(judged, reference)]
    error = float(numpy.std(distances, ddof=1)) / math.sqrt(len(distances))
    reach = float(stats.t.ppf(1 - (1 - CONFIDENCE) / 2 / among, len(distances) - 1)) * error
    settled = nearest > beyond and signed_rank(distances)[1] < 1 - CONFIDENCE and numpy.mean(distances) > reach
    return BEYOND if settled else NOT_SETTLED, judgement


def judge_invocations(judged, reference, threshold=THRESHOLD, confidence=CONFIDENCE, codes=None):
    """The Judgement on two {invocation: time}, for the invocations that both have. None if there are none, or a value is not
    positive. codes: {invocation: its code}; if codes occur more than once, the interval includes how they differ."""
    shared = sorted(judged.keys() & reference.keys())
    if not shared or min(min(judged[i], reference[i]) for i in shared) <= 0:
        return None
    judgement = judge([judged[i] for i in shared], [reference[i] for i in shared], threshold, confidence)
    over = OverCodes([math.log(judged[i] / reference[i]) for i in shared], [(codes or {}).get(i, "") for i in shared])
    if over.counts and len(shared) > len(over.groups):
        low, high = map(math.exp, over.interval(confidence))
        judgement.low, judgement.high = min(judgement.low, low), max(judgement.high, high)
    return judgement


def adjust_together(judgements):
    """Sets over_all, the p-value adjusted for all judgements of one comparison, and returns them. Of all cells then called
    different, one in twenty is expected to be a false alarm. Judgements with too few pairs are left out, so they do not weaken the
    others."""
    asked = [one for one in judgements if one.pairs >= least_pairs(one.confidence)]
    for one, adjusted in zip(asked, benjamini_hochberg([one.p for one in asked])):
        one.over_all = adjusted
    return judgements


def verdicts_on(pairs):
    """The verdict on each two {invocation: value} of one table; None if there are too few pairs."""
    judgements = [judge_invocations(*pair) for pair in pairs]
    adjust_together([one for one in judgements if one])
    return [one.verdict if one and one.pairs >= least_pairs(one.confidence) else None for one in judgements]


def word_for(verdict):
    """For tables: is the order of two neighbours settled by verdicts_on()? As a word."""
    return {None: "too few invocations", ALIKE: ALIKE, NOT_SETTLED: NOT_SETTLED}.get(verdict, "settled")


def keeps_clear(lower, upper):
    """Does the first interval (low, high) lie wholly below the second? For values without pairs, such as a paper's beside ours.
    None if one has no interval."""
    return None if lower[1] is None or upper[0] is None else lower[1] < upper[0]


def paired_log_ratio(judged, reference, confidence=CONFIDENCE):
    """(ratio, low, high) of judged to reference, element by element: the median of the ratios' logarithms and its
    interval, as ratios. low and high are None with one pair. Values must be positive."""
    if len(judged) != len(reference):
        raise ValueError(f"{len(judged)} values and {len(reference)} are no pairs")
    logs = [math.log(a / b) for a, b in zip(judged, reference)]
    interval = median_interval(logs, confidence)
    ratio = math.exp(median(logs))
    return (ratio, None, None) if interval is None else (ratio, math.exp(interval[0]), math.exp(interval[1]))


def benjamini_hochberg(ps):
    """The p-values, adjusted for each other: if those below q are called, the expected share of false calls is at most q
    (Benjamini, Hochberg: J. R. Statist. Soc. B 57, 1995)."""
    count = len(ps)
    if not count:
        return []
    order = numpy.argsort(ps)[::-1]
    falling = numpy.asarray(ps, dtype=float)[order] * count / numpy.arange(count, 0, -1)
    adjusted = numpy.empty(count)
    adjusted[order] = numpy.minimum.accumulate(numpy.minimum(falling, 1.0))
    return [float(value) for value in adjusted]


def least_pairs(confidence=CONFIDENCE, cells=1):
    """How many pairs a cell needs to be called different if it is the only one among so many. If all pairs agree, p is 2^(1-n)."""
    return max(LEAST_PAIRS, math.floor(math.log2(2 * cells / (1 - confidence))) + 1)
