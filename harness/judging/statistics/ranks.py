"""Wilcoxon's signed rank for pairs, exact for few of them. Unlike scipy's exact test it handles equal ranks."""

import math

import numpy
from scipy import stats

EXACT_UP_TO = 50  # values; with more, the normal approximation


def signed_rank(differences):
    """(W, p), two-sided: are the differences of pairs symmetric about 0? W is the smaller sum of ranks. Pairs without a
    difference are left out (Wilcoxon, Biometrics Bulletin 1, 1945). Up to 50 pairs p is exact, equal ranks included: each
    rank's sign is a coin, and all 2^n throws are counted."""
    moved = numpy.array([value for value in differences if value != 0], dtype=float)
    if not len(moved):
        return 0.0, 1.0
    ranks = stats.rankdata(numpy.abs(moved))
    above = float(ranks[moved > 0].sum())
    least = min(above, float(ranks.sum()) - above)
    if len(moved) <= EXACT_UP_TO:
        return least, min(1.0, 2 * _share_of_sums_up_to(least, ranks))
    # W is a whole number, so half a rank is taken off its distance from the mean. The sum of squares allows for equal ranks.
    apart = max(0.0, ranks.sum() / 2 - least - 0.5)
    return least, math.erfc(apart / math.sqrt(float((ranks ** 2).sum()) / 4) / math.sqrt(2))


def _share_of_sums_up_to(least, ranks):
    """The share of all choices of signs whose positive ranks sum to at most this."""
    doubled = numpy.rint(2 * ranks).astype(int)  # equal values share half ranks
    shares = numpy.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        shifted = numpy.zeros_like(shares)
        shifted[rank:] = shares[:len(shares) - rank]
        shares = (shares + shifted) / 2
    return float(shares[:round(2 * least) + 1].sum())
