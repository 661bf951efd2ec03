"""Medians and their intervals, as pure functions: the same input gives the same output, nothing is read or printed.

The unit of observation is the invocation (a fresh process), never the repetition inside one: repetitions share the
process's memory layout and so are not independent of each other.
"""

import functools

import numpy

SEED = 20250917
RESAMPLES = 9999
CONFIDENCE = 0.95


def median(values):
    """The median of a non-empty sequence."""
    return float(numpy.median(numpy.asarray(values, dtype=float)))


def quantile(values, share):
    """The value below which that share (0 to 1) of a non-empty sequence lies, between two of them by a straight line:
    type 7 of Hyndman and Fan (The American Statistician 50, 1996)."""
    return float(numpy.quantile(numpy.asarray(values, dtype=float), share))


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
    return quantile(medians, tail), quantile(medians, 1 - tail)


def range_coverage(count):
    """How often the range of so many independent values covers the median of what they are drawn from: 1 - 2^(1-n).

    Below six values no interval made of them reaches 95 %: the bootstrap then gives their range, and this is what
    it is worth.
    """
    return 1 - 2.0 ** (1 - count) if count >= 1 else 0.0
