"""Measure on or stop? A decision that may be asked for after every pair without raising false alarms.

A fixed test looked at again and again calls identical builds different sooner or later. Here the evidence is a
likelihood ratio of the paired log ratios: of a mean other than 0, spread normally over effects of about one standard
deviation, to a mean of 0, the standard deviation unknown in both. Under identical builds it exceeds 1 / alpha at any
time at all in at most alpha of all cases, so any rule for stopping is allowed. It is the mixture sequential
probability ratio test, for a variance that is not known:

- Robbins: Statistical methods related to the law of the iterated logarithm. Ann. Math. Statist. 41, 1970.
- Lai: On confidence sequences. Ann. Statist. 4, 1976.
- Johari, Koomen, Pekelis, Walsh: Always valid inference. Operations Research 70, 2022.
- Wang, Ramdas: Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance. 2024.
"""

import math
from dataclasses import dataclass

import numpy

from plots.statistics.verdicts import LEAST_PAIRS, THRESHOLD

MEASURE_ON = "measure on"


@dataclass
class Decision:
    """ratio: geometric mean of the pairs, low to high: covers the true one at all times at once, with confidence
    1 - alpha; p: holds at any time of stopping; verdict: slower, faster, no difference, or measure on."""

    ratio: float
    low: float
    high: float
    p: float
    pairs: int
    verdict: str


def evidence(logs):
    """The likelihood ratio for a mean of the logarithms other than 0; 1 says nothing. At least two, not all the same."""
    n = len(logs)
    return math.exp(_log_evidence(_effect(logs, 0.0), n))


def decide(logs, threshold=THRESHOLD, alpha=0.05):
    """The Decision on the logarithms of the ratios of pairs so far. For many cells give each its part of alpha, or put
    the p of all through benjamini_hochberg. Below six pairs it is always to measure on."""
    n, middle = len(logs), float(numpy.mean(logs))
    if n < LEAST_PAIRS:
        return Decision(math.exp(middle), 0.0, math.inf, 1.0, n, MEASURE_ON)
    radius = _radius(logs, alpha)
    p = min(1.0, math.exp(-_log_evidence(_effect(logs, 0.0), n)))
    bound = math.log1p(threshold)
    if abs(middle) - radius > 0 and abs(middle) > bound:
        verdict = "slower" if middle > 0 else "faster"
    else:
        verdict = "no difference" if abs(middle) + radius <= bound else MEASURE_ON
    return Decision(math.exp(middle), math.exp(min(700.0, middle - radius)), math.exp(min(700.0, middle + radius)), p, n,
                    verdict)


def _effect(logs, mean):
    """t^2 / (n - 1) of these values against that mean."""
    n, spread = len(logs), float(numpy.std(logs, ddof=1))
    if spread == 0:
        return math.inf if float(numpy.mean(logs)) != mean else 0.0
    return n * ((float(numpy.mean(logs)) - mean) / spread) ** 2 / (n - 1)


def _log_evidence(effect, n):
    """log of sqrt(1 / (1 + n)) * ((1 + e) / (1 + e / (1 + n)))^(n/2): effects ~ N(0, 1) under the alternative."""
    grown = math.log1p(n) if math.isinf(effect) else math.log1p(effect) - math.log1p(effect / (1 + n))
    return (n * grown - math.log1p(n)) / 2


def _radius(logs, alpha):
    """How far from their mean a true mean must lie before the evidence against it reaches 1 / alpha."""
    n = len(logs)
    grown = math.exp((math.log1p(n) - 2 * math.log(alpha)) / n)
    if grown >= 1 + n:
        return math.inf
    effect = (grown - 1) / (1 - grown / (1 + n))
    return math.sqrt(effect * (n - 1) / n) * float(numpy.std(logs, ddof=1))
