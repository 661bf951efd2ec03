"""Tests by ranks, exact for few values: Wilcoxon's signed rank for pairs, Kendall's tau for two orders.

Only numpy is needed; the tests hold both against scipy and against published examples.
"""

import math

import numpy

EXACT_UP_TO = 50  # values; with more, the normal approximation


def ranks_of(values):
    """The ranks from 1, values that are the same share the mean of theirs."""
    values = numpy.asarray(values, dtype=float)
    ordered = numpy.sort(values)
    return (numpy.searchsorted(ordered, values, "left") + numpy.searchsorted(ordered, values, "right") + 1) / 2


def two_sided(z):
    return math.erfc(abs(z) / math.sqrt(2))


def signed_rank(differences):
    """(W, p), two-sided: are the differences of pairs symmetric about 0? W is the smaller sum of ranks. Pairs without a
    difference are left out (Wilcoxon, Biometrics Bulletin 1, 1945). Exact, equal ranks included, up to 50 pairs: each
    rank's sign is a coin, and all 2^n throws are counted."""
    moved = [value for value in differences if value != 0]
    if not moved:
        return 0.0, 1.0
    ranks = ranks_of(numpy.abs(moved))
    above = float(ranks[numpy.asarray(moved) > 0].sum())
    least = min(above, float(ranks.sum()) - above)
    if len(moved) <= EXACT_UP_TO:
        return least, min(1.0, 2 * _share_of_sums_up_to(least, ranks))
    # About the mean of W, half a rank nearer to it as W is a whole number; the sum of squares holds equal ranks too.
    apart = max(0.0, ranks.sum() / 2 - least - 0.5)
    return least, two_sided(apart / math.sqrt(float((ranks ** 2).sum()) / 4))


def _share_of_sums_up_to(least, ranks):
    """The share of all choices of signs whose positive ranks sum up to at most that."""
    doubled = numpy.rint(2 * ranks).astype(int)  # equal values share half ranks
    shares = numpy.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        shifted = numpy.zeros_like(shares)
        shifted[rank:] = shares[:len(shares) - rank]
        shares = (shares + shifted) / 2
    return float(shares[:round(2 * least) + 1].sum())


def kendall_tau(first, second):
    """(tau, p), two-sided: do two equally long sequences order the same things alike? tau-b, which equal values do not
    favour (Kendall, Biometrika 33, 1945); 1 is the same order, -1 the reverse. p is exact up to 50 values without
    equals. Both are None where one side's values are all the same."""
    if len(first) != len(second):
        raise ValueError("sequences of different lengths")
    signs = [numpy.sign(numpy.subtract.outer(*(numpy.asarray(side, dtype=float),) * 2)) for side in (first, second)]
    untied = [float(numpy.abs(sign).sum()) / 2 for sign in signs]
    if not all(untied):
        return None, None
    score = float((signs[0] * signs[1]).sum()) / 2
    tau = score / math.sqrt(untied[0] * untied[1])
    count, pairs = len(first), len(first) * (len(first) - 1) // 2
    if count <= EXACT_UP_TO and untied == [pairs, pairs]:
        shares = _shares_of_inversions(count)
        fewest = round((pairs - abs(score)) / 2)
        return tau, min(1.0, 2 * float(shares[:fewest + 1].sum()))
    return tau, two_sided(score / math.sqrt(_variance_of_score(count, *map(_groups_of, (first, second)))))


def _shares_of_inversions(count):
    """How often a random order of so many things has 0, 1, 2, ... pairs the wrong way round."""
    shares = numpy.ones(1)
    for more in range(2, count + 1):
        shares = numpy.convolve(shares, numpy.full(more, 1 / more))
    return shares


def _groups_of(values):
    """How many values are the same, for each value."""
    return numpy.unique(numpy.asarray(values, dtype=float), return_counts=True)[1]


def _variance_of_score(n, xs, ys):
    """Of the concordant less the discordant pairs, with groups of equal values (Kendall, Rank Correlation Methods, 4.9)."""
    def total(groups, *less):
        return float(math.prod(groups - k for k in (0, *less)).sum())

    variance = (n * (n - 1) * (2 * n + 5) - (xs * (xs - 1) * (2 * xs + 5)).sum() - (ys * (ys - 1) * (2 * ys + 5)).sum()) / 18
    variance += total(xs, 1) * total(ys, 1) / (2 * n * (n - 1))
    if n > 2:
        variance += total(xs, 1, 2) * total(ys, 1, 2) / (9 * n * (n - 1) * (n - 2))
    return variance
