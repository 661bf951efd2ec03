"""Measure on or stop? A decision that may be asked for after every pair without raising false alarms.

A fixed test looked at again and again calls identical builds different sooner or later. Here the evidence is won by
betting. Of two builds that do not differ either is the slower one of a pair as often as the other, whatever the noise: the
logarithm of the ratio is symmetric about 0. Who starts with 1 and stakes, before each pair, a share of what he has on
"the first is slower" then expects to have no more after it, so he ever has c at any time at all in at most 1 of c cases,
and any rule for stopping is allowed. His stake may depend on the size of a logarithm, not on its sign. He stakes in several
ways at once, and what they win is averaged: some stake the more the larger it is, 1 + tanh(stake * log ratio / usual size
of one), with outliers of any size counted as if they were twice the usual; some stake on sizes about the usual one and
nearly nothing on larger ones. For on a busy machine most pairs lie close together, the others anywhere, and then a large
size says that the pair was disturbed, not which build is slower: a third to a half fewer pairs decide. It holds as well
for "slower by more than so much", with that subtracted from each logarithm.

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

from plots.statistics.codes import OverCodes
from plots.statistics.samples import CONFIDENCE, median
from plots.statistics.verdicts import ALIKE, FASTER, LEAST_PAIRS, SLOWER, THRESHOLD, alike

MEASURE_ON = "measure on"
NOT_SLOWER = "not slower"  # by the threshold; whether faster or alike is not asked
STAKES = (0.25, 1.0, 3.2)  # of those who stake the more the larger a logarithm is, in usual sizes
# Of those who stake most on one size: (that, in usual sizes; the part of what they have that they stake on it).
NARROW_STAKES = ((0.6, 0.6), (1.0, 0.6), (1.0, 0.9))
OUTLIER = 2.0  # usual sizes: what is larger counts as if it were so large, and ruins nobody
PASSES = 0.01  # how often a cell that is slower by the threshold exactly may be let through


@dataclass
class Decision:
    """ratio: the pairs' median; p: of no slowdown, holds at any time of stopping; verdict: slower, faster, not slower (by the
    threshold), not told apart, or measure on."""

    logs: tuple
    ratio: float
    p: float
    verdict: str
    codes: tuple = ()  # which code each pair was measured in; what they differ by is in the interval

    @property
    def pairs(self):
        return len(self.logs)

    # low to high covers the true ratio at all times at once, with CONFIDENCE; 0 or infinity where the pairs are too few.
    @functools.cached_property
    def low(self):
        return min(1 / _highest([-log for log in self.logs]), self._over_codes[0]) if self.pairs >= LEAST_PAIRS else 0.0

    @functools.cached_property
    def high(self):
        return max(_highest(self.logs), self._over_codes[1]) if self.pairs >= LEAST_PAIRS else math.inf

    @functools.cached_property
    def _over_codes(self):
        over = OverCodes(self.logs, self.codes)
        return tuple(map(math.exp, over.interval())) if over.counts else (self.ratio, self.ratio)


def evidence(logs, null=0.0):
    """What a gambler who began with 1 has now, whose stake is that the logarithms lie above null: 20 is reached in at
    most 1 of 20 cases where they do not, at whatever time. Pairs in the order in which they were measured."""
    moved = numpy.asarray(logs, dtype=float) - null
    usual = numpy.array(_medians_so_far(numpy.abs(moved).tolist()))
    # Nothing is told by sizes before there is one that is not 0.
    sizes = numpy.divide(moved, usual, out=numpy.zeros_like(moved), where=usual > 0)
    won = [float(numpy.log1p(staked).sum()) for staked in _staked(sizes)]
    most = max(won)
    return math.exp(min(700.0, most + math.log(sum(math.exp(one - most) for one in won) / len(won))))


def _staked(sizes):
    """For each way to stake: the part of what it has that it wins by each pair, below 0 what it loses."""
    kept = numpy.clip(sizes, -OUTLIER, OUTLIER)
    for stake in STAKES:
        yield numpy.tanh(stake * kept)
    for size, part in NARROW_STAKES:
        yield part * sizes / size * numpy.exp((1 - (sizes / size) ** 2) / 2)


def _medians_so_far(values):
    """Of the first, of the first two, and so on."""
    ordered, medians = [], []
    for value in values:
        bisect.insort(ordered, value)
        middle = len(ordered) // 2
        medians.append(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)
    return medians


def decide(logs, threshold=THRESHOLD, alpha=0.05, passes=PASSES, codes=()):
    """The Decision on the logarithms of the ratios of pairs so far; slower is what a gate asks, so that a cell is done as
    soon as it is not slower by the threshold. For many cells give each its part of alpha. Below six pairs it is always
    to measure on."""
    middle = median(logs)
    if len(logs) < LEAST_PAIRS:
        return Decision(tuple(logs), math.exp(middle), 1.0, MEASURE_ON, tuple(codes))
    turned, bound = [-log for log in logs], math.log1p(threshold)
    above, below = evidence(logs), evidence(turned)
    decision = Decision(tuple(logs), math.exp(middle), min(1.0, 1 / above), MEASURE_ON, tuple(codes))
    if middle > bound and above >= 1 / alpha:
        decision.verdict = SLOWER
    elif middle < -bound and below >= 1 / alpha:
        decision.verdict = FASTER
    elif middle < bound and evidence(turned, -bound) >= 1 / passes:
        decision.verdict = ALIKE if alike(decision.low, decision.high, threshold) else NOT_SLOWER
    return decision


def _highest(logs):
    """How large the true ratio may be: the least of which the bet on "below it" has won enough; infinity where it has not
    even far above the largest of the pairs."""
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
