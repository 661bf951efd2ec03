"""A beside B: which cells are compared with each other, and the judgement on each pair."""

from dataclasses import dataclass, replace

from harness.judging.metrics import main_ones
from harness.judging.cells import grouped, varying_parameters
from harness.judging.run_folder import worst_status
from harness.judging.summaries import invocation_statuses
from harness.judging.words import words_for
from harness.judging.statistics import THRESHOLD, Judgement, judge_invocations
from harness.judging.statistics.distances import most_in_common


@dataclass
class Comparison(Judgement):
    """One cell of A beside its counterpart of B. Throughputs are inverted, so that above 1 A is slower."""

    judged: object = None  # summaries
    reference: object = None
    what: str = ""
    left_out: int = 0  # pairs of invocations that were not measured at this distance


def is_throughput(unit):
    return unit.endswith("/s")


def select(summaries, deques, metric):
    """The rows to compare: of these deques (None: all), of this metric (None: each cell's main values)."""
    chosen = [summary for summary in summaries if deques is None or summary.deque in deques]
    return [summary for summary in chosen if summary.metric == metric] if metric else main_ones(chosen)


def same_settings(params, others):
    """The seed, and settings that only one deque has (its mode), do not count."""
    return all(params[name] == others[name] for name in (params.keys() & others.keys()) - {"seed"})


def pair_up(judged, reference, same_deque):
    """([(a, b)], [a without a counterpart])."""
    by_question = {}
    for b in reference:
        by_question.setdefault((b.workload, b.role, b.metric, b.unit), []).append(b)
    pairs, alone = [], []
    for a in judged:
        found = [b for b in by_question.get((a.workload, a.role, a.metric, a.unit), []) if same_settings(a.params, b.params)
                 and (not same_deque or a.deque == b.deque and a.params.keys() == b.params.keys())]
        pairs += [(a, b) for b in found]
        if not found:
            alone.append(a)
    return pairs, alone


def compare(a, b, threshold=THRESHOLD):
    """The comparison of two summaries; None if they share no invocation with positive values."""
    if a.status != "ok" or b.status != "ok":
        return None
    here, there = at_one_distance(a, b)
    sides = here.by_invocation, there.by_invocation
    judgement = judge_invocations(*(sides[::-1] if is_throughput(a.unit) else sides), threshold)
    return judgement and Comparison(**vars(judgement), judged=here, reference=there,
                                    left_out=len(a.measured.keys() & b.measured.keys()) - judgement.pairs)


def at_one_distance(a, b):
    """The two summaries, made of the invocations at the distance at which they have most pairs; of none if no pair has one
    distance."""
    if not (a.measured and b.measured):
        return a, b
    sides = [{i: one.distances[i] for i in one.measured if i in one.distances} for one in (a, b)]
    most, keys = most_in_common(sides)
    chosen = [{i for i, distance in side.items() if keys and (distance is None if most is None else distance in most)}
              for side in sides]
    return [one if one.by_invocation.keys() == some else replace(one.standing_by(some), distance_class=most.name if most else "")
            for one, some in zip((a, b), chosen)]


def compare_all(pairs, threshold):
    """([comparisons], [(a, b, what)] of pairs without values); what names the settings that vary."""
    params = grouped((summary for pair in pairs for summary in pair), lambda summary: summary.workload)
    varying = {workload: varying_parameters([one.params for one in some], absent_differs=False) for workload, some in params.items()}
    comparisons, without = [], []
    for a, b in pairs:
        comparison = compare(a, b, threshold)
        what = describe(a, b, varying[a.workload])
        if comparison is None:
            without.append((a, b, what + no_common_distance(a, b)))
        else:
            left_out = f", {comparison.left_out} pairs at other distances left out" if comparison.left_out else ""
            place = comparison.judged.distance_class
            comparison.what = what + (f", threads {place}" if place else "") + left_out
            comparisons.append(comparison)
    return comparisons, without


def no_common_distance(a, b):
    """The end of a sentence that says why two with values are not compared; "" if they are, or lack values."""
    if a.status != "ok" or b.status != "ok" or not (a.by_invocation and b.by_invocation) or at_one_distance(a, b)[0].by_invocation:
        return ""
    return (f": no pair is left whose threads' processors were equally far apart ({a.distance_class or 'not known'}, "
            f"{b.distance_class or 'not known'}); measure again")


def describe(a, b, varying):
    """The settings of a cell that vary, and those that differ between the two."""
    told = []
    for name in varying:
        ours, theirs = a.params.get(name), b.params.get(name)
        if ours is not None and theirs is not None and ours != theirs:
            told.append(f"{name}={ours}/{theirs}")
        elif ours is not None or theirs is not None:
            told.append(words_for(name, ours if ours is not None else theirs))
    return ", ".join([a.metric, *told])


def cells_that_ended(run, deque, *statuses):
    """The cells of that deque (None: of all) that ended with one of these statuses."""
    ended = invocation_statuses(run)
    return [cell for name, cell in run.cells.items() if deque in (None, cell["deque"])
            and worst_status(ended.get(name, {}).values()) in statuses]


def lost_by_judged(failed, reference, same_deque):
    """The failed cells for which the reference has values: a crash must not count as fast."""
    def answered(cell, b):
        return (b.status == "ok" and b.median is not None and b.workload == cell["workload"]
                and (not same_deque or b.deque == cell["deque"]) and same_settings(cell["params"], b.params))

    return [cell for cell in failed if any(answered(cell, b) for b in reference)]
