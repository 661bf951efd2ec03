"""Medians and their intervals, as pure functions.

The unit of observation is the invocation (a fresh process), never the repetition inside one: repetitions share the process's
memory layout and so are not independent.
"""

import functools

import numpy

SEED = 20250917
RESAMPLES = 9999
CONFIDENCE = 0.95


def median(values):
    """The median of a non-empty sequence."""
    ordered = sorted(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


@functools.lru_cache(maxsize=64)
def _resampled_middles(count, resamples, seed):
    """The places of the two middle values in each resample of this many sorted values: (lower, upper, how many resamples have
    these two), each pair once. The places do not depend on the values, so one draw serves every row with that many
    invocations: thousands of rows are summarised in a second."""
    places = numpy.sort(numpy.random.default_rng(seed).integers(0, count, (resamples, count)), axis=1)
    pairs, times = numpy.unique(places[:, [(count - 1) // 2, count // 2]], axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], times


def bootstrap_median_interval(values, confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED):
    """(low, high): the percentile bootstrap interval of the median; None with fewer than two values."""
    ordered = numpy.sort(numpy.asarray(values, dtype=float))
    if len(ordered) < 2:
        return None
    lower, upper, times = _resampled_middles(len(ordered), resamples, seed)
    medians = (ordered[lower] + ordered[upper]) / 2
    order = numpy.argsort(medians)
    medians, past = medians[order], numpy.cumsum(times[order])  # the resamples that have this median, or less
    tail = (1 - confidence) / 2

    def quantile_of_resamples(share):
        place = (resamples - 1) * share
        below, above = medians[numpy.searchsorted(past, [int(place), min(int(place) + 1, resamples - 1)], side="right")]
        return float(below + (above - below) * (place - int(place)))

    return quantile_of_resamples(tail), quantile_of_resamples(1 - tail)


def range_coverage(count):
    """How often the range of so many independent values covers the median of their distribution: 1 - 2^(1-n). The bootstrap
    interval of fewer than six values is their range, which covers less than 95 %."""
    return 1 - 2.0 ** (1 - count) if count >= 1 else 0.0
