"""How much codes of the same source differ. A code is a variant of a measured loop or a layout of an executable.

Two sources are compared in several codes of each. The ratio differs a little from code to code, and more pairs do not change
that. So the codes are the sample: the source is slower if it is slower over the codes, by Student's t of the codes' medians.
"""

import math
from collections import defaultdict

import numpy
from scipy import stats

from harness.judging.statistics.samples import CONFIDENCE, median

LEAST_CODES = 4
LEAST_EACH = 6  # pairs of a code before codes may be said to differ
NORMAL_MEDIAN = 1.2533 * 1.4826  # standard error of a median by the median deviation, of normal values


class OverCodes:
    """logs: of the ratios, in the order of measuring; codes: which code each was measured in."""

    def __init__(self, logs, codes):
        by_code = defaultdict(list)
        for log, code in zip(logs, codes):
            by_code[code].append(log)
        self.groups = list(by_code.values())
        self.middles = [median(group) for group in self.groups]

    @property
    def counts(self):
        """Are there enough codes to estimate how they differ?"""
        return len(self.groups) >= LEAST_CODES

    def _mean_and_error(self):
        return float(numpy.mean(self.middles)), float(numpy.std(self.middles, ddof=1)) / math.sqrt(len(self.middles))

    def interval(self, confidence=CONFIDENCE):
        """(low, high) of the mean logarithm over all possible codes."""
        mean, error = self._mean_and_error()
        reach = float(stats.t.ppf((1 + confidence) / 2, len(self.middles) - 1)) * error
        return mean - reach, mean + reach

    def slower(self, alpha):
        """Is the mean over all codes above 0? Wrongly so in a share alpha of cases."""
        mean, error = self._mean_and_error()
        return mean > float(stats.t.ppf(1 - alpha, len(self.middles) - 1)) * error

    @property
    def is_known(self):
        """Are the codes' medians known much more precisely than they differ? Then more pairs change nothing."""
        if min(map(len, self.groups)) < LEAST_EACH:
            return False
        errors = [NORMAL_MEDIAN * median([abs(log - middle) for log in group]) / math.sqrt(len(group))
                  for group, middle in zip(self.groups, self.middles)]
        return 2 * math.sqrt(sum(error ** 2 for error in errors) / len(errors)) < float(numpy.std(self.middles, ddof=1))
