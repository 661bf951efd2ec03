"""The golden run: made-up samples for every figure, table and part of a page. Each value is a prime that occurs only once,
times a factor that makes it plausible in its unit. So any mix-up (of outcome, quantile, unit, role, the sides of a
comparison, a bound and its value) yields a number that golden_test.py does not expect."""

import math
from pathlib import Path

import numpy
from tests.plots.run_of_suite import SuiteRun, lines_of

# Every figure, in each of its layouts, has something to draw in these.
SECTIONS = """fig6 fig7 fig8 pop forms block growth 5.2-places fig9 irregular walk 5.3-duplicates 5.2-fig2 5.2-fig3 5.2-fig5
              5.2-fig7 5.2-fig8 5.2-block 5.2-table2 5.2-owner 5.2-duel 5.2-growth 5.3-quicksort 5.3-tuning uts policies idle static
              volt waits timeline fig7-counted 5.3-quicksort-counted""".split()
INVOCATIONS = 7
# The factor by unit: times of some ms, rates of some hundred millions, shares below 1.
IN_UNIT = {"ns": 1e-2, "s": 1e-7, "percent": 1e-5, "ratio": 1e-7, "operations/s": 100.0, "1/s": 100.0, "bytes": 1024.0}


def primes(below):
    sieve = numpy.ones(below, dtype=bool)
    sieve[:2] = False
    for number in range(2, math.isqrt(below) + 1):
        sieve[number * number::number] &= not sieve[number]
    return numpy.flatnonzero(sieve)


class GoldenRun(SuiteRun):
    product = 6

    def __init__(self, folder, **settings):
        drawn = primes(8_000_000)
        self.primes = iter(numpy.random.default_rng(26).permutation(drawn[drawn > 10000]).tolist())
        super().__init__(folder, "paper", **{"invocations": INVOCATIONS, "noise": 0, **settings})
        for place, facts in enumerate(self.deques.values()):
            facts["title"] = f"<{place:03}>"  # none is part of another

    @staticmethod
    def lines_of(suite):
        title, sections = lines_of(suite)
        return title, [one for one in sections if one[0] in SECTIONS]

    def sampled(self, metric, value, unit, params):
        if metric == "socket" or metric == "tasks_overflowed" and int(params.get("room", "0")) > 1024:
            return [value if metric == "socket" else 0.0]  # which is no amount; and what a ring with room for all has
        repetitions = 3 if metric in ("push_latency", "run_time", "owner_operations") else 1
        return [next(self.primes) * IN_UNIT.get(unit, 1.0) for _ in range(repetitions)]

    def histogram(self, name, role, metric, median):
        super().histogram(name, role, metric, next(self.primes) * 1e-4)

    def write(self):
        """Every second invocation is another node's."""
        self.rows = [[*row, "", f"node{row[6] % 2}"] for row in self.rows]
        return super().write()


def golden_run(folder, **settings):
    return GoldenRun(Path(folder), **settings).write()
