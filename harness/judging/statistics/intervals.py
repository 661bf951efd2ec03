"""Medians and their intervals, as pure functions.

The unit of observation is the invocation (a fresh process), never the repetition inside one: repetitions share the process's
memory layout and so are not independent.
"""

import functools
import math

CONFIDENCE = 0.95


def median(values):
    """The median of a non-empty sequence."""
    ordered = sorted(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


@functools.lru_cache(maxsize=1024)
def _left_out(count, confidence):
    """How many of the sorted values lie beyond either end of the interval."""
    orders, place = 1, 0  # of the 2^count ways in which values fall below or above the median: with at most `place` below it
    while orders / 2 ** count < (1 - confidence) / 2:
        place += 1
        orders += math.comb(count, place)
    return max(0, place - 1)


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


def least_pairs(confidence=CONFIDENCE):
    """The least number of values whose range covers the median with this confidence."""
    return math.floor(math.log2(2 / (1 - confidence))) + 1


def paired_log_ratio(judged, reference):
    """(ratio, low, high) of judged to reference, element by element: the median of the ratios' logarithms and its
    interval, as ratios. low and high are None with one pair. Values must be positive."""
    if len(judged) != len(reference):
        raise ValueError(f"{len(judged)} values and {len(reference)} are no pairs")
    logs = [math.log(a / b) for a, b in zip(judged, reference)]
    interval = median_interval(logs)
    ratio = math.exp(median(logs))
    return (ratio, None, None) if interval is None else (ratio, math.exp(interval[0]), math.exp(interval[1]))
