"""Did a machine drift while it was measured? Finds a trend or a step in values that are ordered by time."""

import functools
import math
from dataclasses import dataclass

import numpy
from scipy import stats

from harness.judging.statistics.ranks import EXACT_UP_TO
from harness.judging.statistics.samples import median

SEED = 20250917
SHUFFLES = 9999


@dataclass
class Drift:
    """tau: Kendall's, of values and time. place: how many values precede the step. change: the median after the step divided by
    the median before it. p: twice the smaller one of step and trend, as these are two tests."""

    tau: float
    place: int
    change: float
    p: float


def drift(values):
    """The Drift of positive values in the order of time. None if there are fewer than two, or all are the same."""
    different = len(set(values))
    if different < 2:
        return None
    exact = len(values) == different and different <= EXACT_UP_TO
    tau, trend = map(float, stats.kendalltau(range(len(values)), values, method="exact" if exact else "asymptotic"))
    place, step = change_point(values)
    return Drift(tau, place, median(values[place:]) / median(values[:place]), min(1.0, 2 * min(trend, step)))


def change_point(values):
    """(place, p): the value before which the sequence most probably steps, and the probability of such a step by chance. Pettitt's
    test (Applied Statistics 28, 1979), against shuffled orders, because his formula is for long sequences."""
    steps = _steps(stats.rankdata(values)[numpy.newaxis])[0]
    place = int(steps.argmax())
    null = _largest_steps(len(values))
    return place + 1, (1 + int((null >= steps[place] - 1e-9).sum())) / (1 + len(null))


def _steps(ranks):
    """|U| of Pettitt for each row of ranks and each place: how far the ranks before it are from their expectation."""
    count = ranks.shape[1]
    before = numpy.arange(1, count)
    return numpy.abs(2 * numpy.cumsum(ranks, axis=1)[:, :-1] - before * (count + 1))


@functools.lru_cache(maxsize=64)
def _largest_steps(count):
    """The largest |U| of shuffled orders, which does not depend on the values."""
    shuffled = numpy.random.default_rng(SEED).permuted(
        numpy.tile(numpy.arange(1, count + 1), (min(SHUFFLES, math.ceil(2e6 / count)), 1)), axis=1)
    return _steps(shuffled).max(axis=1)
