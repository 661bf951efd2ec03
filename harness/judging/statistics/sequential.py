"""Measure on or stop? This decision may be taken after every pair without more false alarms.

A fixed test that is repeated after every pair sooner or later calls identical builds different. Betting avoids that. If two
builds do not differ, each is the slower one of a pair equally often, whatever the noise: the logarithm of the ratio is
symmetric about 0. A gambler starts with 1 and, before each pair, stakes a share of it on "the first is slower". If the builds
do not differ, he expects to gain nothing. So he reaches c in at most 1 of c cases, no matter when measuring stops.

A stake may depend on the size of a logarithm but not on its sign. Several gamblers stake in different ways, and their wealth is
averaged. Some stake more on larger sizes: 1 + tanh(stake * log ratio / usual size), with outliers counted as twice the usual
size. Others stake on sizes near the usual one and nearly nothing on larger ones. On a busy machine most pairs lie close
together and the others far away, so a large size means a disturbed pair; these gamblers decide with a third to a half fewer pairs.

The same holds for "slower by more than so much": the logarithm of that ratio is subtracted from each logarithm.

- Ville: Etude critique de la notion de collectif, 1939 (at most 1 of c).
- de la Pena: A general class of exponential inequalities for martingales and ratios. Ann. Probab. 27, 1999 (symmetry).
- Ramdas, Ruf, Larsson, Koolen: Admissible anytime-valid sequential inference must rely on nonnegative martingales. 2020.
- Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting. J. R. Statist. Soc. B 86, 2024.
"""

import bisect
import functools
import math
from dataclasses import dataclass

import numpy

from harness.judging.statistics.intervals import CONFIDENCE, median
from harness.judging.statistics.verdicts import ALIKE, FASTER, LEAST_PAIRS, SLOWER, THRESHOLD, alike

MEASURE_ON = "measure on"
NOT_SLOWER = "not slower"  # by the threshold; it may be faster or alike
STAKES = (0.25, 1.0, 3.2)  # of the gamblers who stake more on larger sizes
# Gamblers who stake most on one size: (that size, in usual sizes; the share of their wealth that they stake on it).
NARROW_STAKES = ((0.6, 0.6), (1.0, 0.6), (1.0, 0.9))
OUTLIER = 2.0  # usual sizes; larger logarithms count as this, so that no outlier ruins a gambler
PASSES = 0.01  # how often a cell that is slower by exactly the threshold may pass


@dataclass
class Decision:
    """ratio: the pairs' median; verdict: slower, faster, not slower (by the threshold), not told apart, or measure on."""

    logs: tuple
    ratio: float
    verdict: str

    @property
    def pairs(self):
        return len(self.logs)

    # low to high covers the true ratio at all times together with CONFIDENCE; 0 or infinity if there are too few pairs.
    @functools.cached_property
    def low(self):
        return 1 / _highest([-log for log in self.logs]) if self.pairs >= LEAST_PAIRS else 0.0

    @functools.cached_property
    def high(self):
        return _highest(self.logs) if self.pairs >= LEAST_PAIRS else math.inf


def evidence(logs, null=0.0):
    """The gamblers' average wealth now. They began with 1 and bet that the logarithms lie above null. If the logarithms do not, the
    average ever reaches 20 in at most 1 of 20 cases. logs: in the order of measuring."""
    moved = numpy.asarray(logs, dtype=float) - null
    usual = numpy.array(_medians_so_far(numpy.abs(moved).tolist()))
    # While all sizes are 0, there is no usual size.
    sizes = numpy.divide(moved, usual, out=numpy.zeros_like(moved), where=usual > 0)
    won = [float(numpy.log1p(staked).sum()) for staked in _staked(sizes)]
    most = max(won)
    return math.exp(min(700.0, most + math.log(sum(math.exp(one - most) for one in won) / len(won))))


def _staked(sizes):
    """For each gambler: the share of his wealth that each pair wins; below 0 he loses."""
    kept = numpy.clip(sizes, -OUTLIER, OUTLIER)
    for stake in STAKES:
        yield numpy.tanh(stake * kept)
    for size, part in NARROW_STAKES:
        yield part * sizes / size * numpy.exp((1 - (sizes / size) ** 2) / 2)


def _medians_so_far(values):
    """The medians of the first value, of the first two, and so on."""
    ordered, medians = [], []
    for value in values:
        bisect.insort(ordered, value)
        middle = len(ordered) // 2
        medians.append(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)
    return medians


def decide(logs, threshold=THRESHOLD, alpha=0.05, passes=PASSES):
    """The Decision on the logarithms of the pairs' ratios so far. The CI job asks only for slower, so a cell is done as soon as it is
    not slower by the threshold. With many cells, give each its part of alpha. Below six pairs the verdict is to measure on."""
    middle = median(logs)
    if len(logs) < LEAST_PAIRS:
        return Decision(tuple(logs), math.exp(middle), MEASURE_ON)
    turned, bound = [-log for log in logs], math.log1p(threshold)
    above, below = evidence(logs), evidence(turned)
    decision = Decision(tuple(logs), math.exp(middle), MEASURE_ON)
    if middle > bound and above >= 1 / alpha:
        decision.verdict = SLOWER
    elif middle < -bound and below >= 1 / alpha:
        decision.verdict = FASTER
    elif middle < bound and evidence(turned, -bound) >= 1 / passes:
        decision.verdict = ALIKE if alike(decision.low, decision.high, threshold) else NOT_SLOWER
    return decision


def _highest(logs):
    """The upper bound of the true ratio: the smallest ratio for which the bet on "below it" has won enough; infinity if none has,
    not even far above the largest pair."""
    enough, turned = 2 / (1 - CONFIDENCE), [-log for log in logs]
    low, high = median(logs), max(logs)
    step = max(high - low, 1e-4)
    for _ in range(8):
        if evidence(turned, -high) >= enough:
            break
        high, step = high + step, 2 * step
    else:
        return math.inf
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if evidence(turned, -middle) >= enough else (middle, high)
    return math.exp(high)
