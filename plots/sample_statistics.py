"""Statistics as pure functions: the same input gives the same output, nothing is read or printed.

The unit of observation is the invocation (a fresh process), never the repetition inside one: repetitions share the
process's memory layout and so are not independent of each other.
"""

import functools
import math

import numpy

SEED = 20250917
RESAMPLES = 9999
CONFIDENCE = 0.95


def median(values):
    """The median of a non-empty sequence."""
    return float(numpy.median(numpy.asarray(values, dtype=float)))


@functools.lru_cache(maxsize=64)
def _resampled_middles(count, resamples, seed):
    """For each resample of count sorted values the places of its two middle values.

    They do not depend on the values, so one draw serves every row with that many invocations.
    """
    places = numpy.sort(numpy.random.default_rng(seed).integers(0, count, (resamples, count)), axis=1)
    return places[:, (count - 1) // 2], places[:, count // 2]


def bootstrap_median_interval(values, confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED):
    """(low, high): the percentile bootstrap interval of the median; None with fewer than two values."""
    ordered = numpy.sort(numpy.asarray(values, dtype=float))
    if len(ordered) < 2:
        return None
    lower, upper = _resampled_middles(len(ordered), resamples, seed)
    medians = (ordered[lower] + ordered[upper]) / 2
    tail = (1 - confidence) / 2
    low, high = numpy.quantile(medians, (tail, 1 - tail))
    return float(low), float(high)


def range_coverage(count):
    """How often the range of so many independent values covers the median of what they are drawn from: 1 - 2^(1-n).

    Below six values no interval made of them reaches 95 %: the bootstrap then gives their range, and this is what
    it is worth.
    """
    return 1 - 2.0 ** (1 - count) if count >= 1 else 0.0


def paired_log_ratio(judged, reference, confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED):
    """(ratio, low, high) of judged to reference, element by element: the median of the logarithms of the ratios and
    its bootstrap interval, as ratios. low and high are None with one pair. Values must be positive."""
    logs = [math.log(a / b) for a, b in zip(judged, reference, strict=True)]
    interval = bootstrap_median_interval(logs, confidence, resamples, seed)
    ratio = math.exp(median(logs))
    return (ratio, None, None) if interval is None else (ratio, math.exp(interval[0]), math.exp(interval[1]))


def mann_whitney(judged, reference):
    """(U, p), two-sided: could both have been drawn from one distribution? p is 1 when all values are the same."""
    if len(set(judged) | set(reference)) == 1:
        return len(judged) * len(reference) / 2, 1.0
    from scipy import stats  # only comparisons need it, and loading it takes longer than drawing a table

    result = stats.mannwhitneyu(judged, reference, alternative="two-sided")
    return float(result.statistic), float(result.pvalue)


def least_pairs(confidence=CONFIDENCE):
    """How many invocations each side needs before Mann-Whitney U can reach that confidence at all."""
    count = 1
    while 2 / math.comb(2 * count, count) > 1 - confidence:
        count += 1
    return count


def verdict(low, high, p, threshold, confidence=CONFIDENCE):
    """What a ratio of times judged/reference with interval low..high says.

    'slower' and 'faster' need the whole interval beyond the threshold and Mann-Whitney's agreement; 'no difference'
    needs the whole interval within it; all else is 'not settled'.
    """
    if low is None or high is None:
        return "not settled"
    if 1 / (1 + threshold) <= low and high <= 1 + threshold:
        return "no difference"
    if p < 1 - confidence and low > 1 + threshold:
        return "slower"
    if p < 1 - confidence and high < 1 / (1 + threshold):
        return "faster"
    return "not settled"
