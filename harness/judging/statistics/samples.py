"""Medians and their intervals, as pure functions.

The unit of observation is the invocation (a fresh process), never the repetition inside one: repetitions share the process's
memory layout and so are not independent.
"""

import functools

from scipy import stats

CONFIDENCE = 0.95


def median(values):
    """The median of a non-empty sequence."""
    ordered = sorted(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


@functools.lru_cache(maxsize=1024)
def _left_out(count, confidence):
    """How many of the sorted values lie beyond either end of the interval."""
    return max(0, int(stats.binom.ppf((1 - confidence) / 2, count, 0.5)) - 1)


def median_interval(values, confidence=CONFIDENCE):
    """(low, high), two of the values by rank: the innermost two that cover the median of the distribution with this confidence,
    whatever the distribution (H. A. David, H. N. Nagaraja: Order Statistics, 2003, section 7.1). harness/driver/execute/precision.c
    has the same. Where too few values are there, it is their range, which covers less. None with fewer than two values."""
    ordered = sorted(values)
    if len(ordered) < 2:
        return None
    place = _left_out(len(ordered), confidence)
    return float(ordered[place]), float(ordered[-1 - place])


def range_coverage(count):
    """How often the range of so many independent values covers the median of their distribution: 1 - 2^(1-n). With fewer
    than six values that is less than 95 %."""
    return 1 - 2.0 ** (1 - count) if count >= 1 else 0.0
