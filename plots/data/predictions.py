"""What predicts what: how well each microbenchmark's order of deques agrees with each application's.

A microbenchmark is a workload of plots/data/judged.py (push, pop, pair, steal, contention) with one setting, an application any
other work on the pool, or on another runtime with our deques inside (taskflow/weir). Both give each deque a time; throughputs
are inverted. Everything here is about pairs of deques: which of the two is faster?
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy

from plots.data.cells import cells_of, grouped
from plots.data.judged import JUDGED, POOLED
from plots.data.sections import varying_parameters
from plots.data.words import is_unsound, words_for
from plots.statistics import CONFIDENCE, DIFFERENT, FASTER, SEED, adjust_together, judge_invocations, median

LEAST_DEQUES = 4  # with fewer there are at most three pairs, and no order to speak of
RESAMPLES = 400
SET_MAX = 3  # microbenchmarks in a set
SETS_OF_MAX = 40  # of how many sets are made: more take long, and the first by name are as good


@dataclass
class Measurement:
    """times: {deque: {invocation: a value that is smaller if the deque is faster}}."""

    name: str
    application: bool
    times: dict
    _apart: dict = None

    @property
    def deques(self):
        return list(self.times)

    def middles(self):
        return {deque: median(list(times.values())) for deque, times in self.times.items()}

    @property
    def told_apart(self):
        """{(A, B): is A the faster?} of the pairs that the rule for verdicts tells apart, over all pairs of this measurement."""
        if self._apart is None:
            pairs = {pair: judge_invocations(*(self.times[deque] for deque in pair)) for pair in combinations(self.deques, 2)}
            adjust_together([one for one in pairs.values() if one])
            self._apart = {pair: one.verdict == FASTER for pair, one in pairs.items() if one and one.verdict in DIFFERENT}
        return self._apart


@dataclass
class Agreement:
    """tau: Kendall's, from -1 (the reverse order) over 0 (says nothing) to 1, with its interval over deques and invocations.
    right, asked: of the pairs that both tell apart (asked), those in the right order; apart: pairs that the application tells
    apart."""

    micro: str
    application: str
    deques: int
    tau: float
    low: float
    high: float
    right: int
    asked: int
    apart: int


@dataclass
class Sets:
    """For each size the set chosen on all applications, and the mean tau on applications that were held out of the choice."""

    deques: list = field(default_factory=list)
    chosen: dict = field(default_factory=dict)  # {size: names}
    held_out: dict = field(default_factory=dict)  # {size: mean tau}
    all_of_them: float = None  # the mean tau of all microbenchmarks together

    @property
    def smallest(self):
        """The size of the smallest set that predicts held-out applications as well as all microbenchmarks together do; None: none."""
        return next((size for size, tau in sorted(self.held_out.items()) if tau >= self.all_of_them), None)


def measurements(run, summaries):
    """The run's Measurements with enough deques. References and unsound deques are left out."""
    cells = [cell for cell in cells_of(run, summaries)
             if not cell.reference and not is_unsound(run.deque_facts(cell.deque)) or "/" in cell.deque]
    found = {}
    for (tag, host, workload), mine in grouped(cells, lambda one: (one.tag, host_of(one.deque), one.workload)).items():
        shared = set.intersection(*(set(cell.params) for cell in mine)) - {"seed"}
        names = [name for name in varying_parameters([cell.params for cell in mine]) if name in shared]
        for setting, some in grouped(mine, lambda cell: tuple(cell.params[name] for name in names)).items():
            times = {}
            for cell in some:
                value = cell.value(*JUDGED.get(workload, POOLED))
                if value and min(value.by_invocation.values()) > 0:
                    turned = value.unit.endswith("/s")
                    times.setdefault(cell.deque.split("/")[-1], {i: 1 / one if turned else one for i, one in value.by_invocation.items()})
            words = [host, workload if tag.startswith(workload) else f"{tag} {workload}", *map(words_for, names, setting)]
            name = ", ".join(filter(None, words))
            if len(times) >= LEAST_DEQUES:
                found.setdefault(name, Measurement(name, workload not in JUDGED, times))
    return list(found.values())


def host_of(deque):
    """The runtime that the deque was put into: "taskflow" of taskflow/weir."""
    return deque.rpartition("/")[0]


def signs(values):
    """For each pair of deques: which has the larger of these values? -1, 0 or 1; values along the last axis."""
    return numpy.sign(values[..., :, None] - values[..., None, :])


def taus(a, b):
    """Kendall's tau-b of values along the last axis: equal values are no pair."""
    a, b = signs(a), signs(b)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        return (a * b).sum((-1, -2)) / numpy.sqrt((a != 0).sum((-1, -2)) * (b != 0).sum((-1, -2)))


def resampled(measurement, deques, choose, random):
    """An array of resamples by deques: each the median of its invocations drawn anew."""
    drawn = []
    for deque in deques:
        values = numpy.array(list(measurement.times[deque].values()))
        drawn.append(numpy.median(values[random.integers(len(values), size=(len(choose), len(values)))], axis=1))
    return numpy.take_along_axis(numpy.array(drawn).T, choose, axis=1)


def agreement(micro, application):
    """The Agreement over the deques that both have; None: too few."""
    deques = [deque for deque in micro.deques if deque in application.times]
    if len(deques) < LEAST_DEQUES:
        return None
    random = numpy.random.default_rng(SEED)
    middles = [numpy.array([one.middles()[deque] for deque in deques]) for one in (micro, application)]
    tau = float(taus(*middles))
    choose = random.integers(len(deques), size=(RESAMPLES, len(deques)))  # a deque drawn twice equals itself: no pair
    several = taus(*(resampled(one, deques, choose, random) for one in (micro, application)))
    low, high = numpy.nanquantile(several, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    apart = {pair: faster for pair, faster in ordered(application.told_apart).items() if set(pair) <= set(deques)}
    both = [faster == ordered(micro.told_apart)[pair] for pair, faster in apart.items() if pair in ordered(micro.told_apart)]
    return Agreement(micro.name, application.name, len(deques), tau, float(low), float(high), sum(both), len(both), len(apart))


def ordered(pairs):
    """The same pairs, each in the order of names."""
    return {tuple(sorted(pair)): faster == (pair[0] < pair[1]) for pair, faster in pairs.items()}


def agreements(found):
    """[Agreement] of each microbenchmark with each application."""
    micros, applications = ([one for one in found if one.application == is_one] for is_one in (False, True))
    return [held for micro in micros for application in applications if (held := agreement(micro, application))]


def sets_of(found):
    """The Sets over the deques that every measurement has. A set predicts by the mean of its ranks: nothing is fitted, but the set
    itself is chosen, so each application is predicted by the set that is best on the others."""
    micros, applications = ([one for one in found if one.application == is_one] for is_one in (False, True))
    micros = micros[:SETS_OF_MAX]
    deques = sorted(set.intersection(*(set(one.times) for one in [*micros, *applications]))) if micros and applications else []
    sets = Sets(deques)
    if len(deques) < LEAST_DEQUES or len(applications) < 2:
        return sets

    def values(one):
        return numpy.array([one.middles()[deque] for deque in deques])

    ranks = numpy.array([values(one).argsort().argsort() for one in micros], dtype=float)
    truth = [values(one) for one in applications]
    sets.all_of_them = float(numpy.mean([taus(ranks.mean(0), one) for one in truth]))
    for size in range(1, min(SET_MAX, len(micros)) + 1):
        choices = list(combinations(range(len(micros)), size))
        predicted = ranks[numpy.array(choices)].mean(1)
        tau = numpy.nan_to_num(numpy.array([taus(predicted, one[None]) for one in truth]))  # applications by choices
        sets.chosen[size] = [micros[place].name for place in choices[int(tau.mean(0).argmax())]]
        sets.held_out[size] = float(numpy.mean([tau[place, numpy.delete(tau, place, 0).mean(0).argmax()] for place in range(len(truth))]))
    return sets
