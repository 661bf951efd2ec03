#!/usr/bin/python3
"""compare.py: A against B, a verdict for each cell that both have.

    compare.py RUN --deque A --against B     two deques of one run
    compare.py RUN_A RUN_B                   the same deques in two runs (--deque names those to look at)

A is judged, B is the reference. The ratio is A's time by B's, or B's throughput by A's, so above 1 is slower; it is
the median of the ratios of invocation to invocation, with its bootstrap interval. A difference is called when the
whole interval lies beyond the threshold and Mann-Whitney U agrees; none, when the whole interval lies within it.
"""

import argparse
import sys
from dataclasses import dataclass

import sample_statistics as statistics_of
from run_folder import EXIT_FAILED, EXIT_USAGE, Problem, Run, differing_conditions, run_program, warn, worst_status
from sections import DAGGER_MEANS, NANOSECONDS, format_number, may_repeat, words_for
from summarize import invocation_statuses, summarize
from table import aligned, in_ascii

VERDICTS = ("slower", "faster", "no difference", "not settled")
# What says how the measurement went, not how fast a deque is.
NEVER_COMPARED = {"invocation_time", "timed_batch", "clock_overhead", "clock_resolution"}


@dataclass
class Comparison:
    """One cell of A beside its counterpart of B."""

    judged: object  # summaries
    reference: object
    what: str
    ratio: float
    low: float
    high: float
    p: float
    pairs: int
    verdict: str


def is_throughput(unit):
    return unit.endswith("/s")


def comparable_metric(summary):
    """Times and rates of a workload's threads; counts and sizes are neither faster nor slower."""
    return (summary.role != "process" and summary.metric not in NEVER_COMPARED
            and (summary.unit in NANOSECONDS or is_throughput(summary.unit)))


def drop_restated(summaries):
    """Without the metrics that say another one of the same cell again, by item."""
    present = {(summary.cell, summary.role, summary.metric) for summary in summaries}
    return [summary for summary in summaries
            if not (summary.metric.endswith("_per_item")
                    and (summary.cell, summary.role, summary.metric.removesuffix("_per_item")) in present)]


def select(summaries, deques, metric):
    """The rows to compare: of these deques (None: all), of this metric (None: every time and rate)."""
    chosen = [summary for summary in summaries if deques is None or summary.deque in deques]
    if metric:
        return [summary for summary in chosen if summary.metric == metric]
    return drop_restated([summary for summary in chosen if comparable_metric(summary)])


def same_question(a, b):
    """Were both asked the same? Settings that only one deque knows (its own mode) and the seed do not count."""
    shared = (a.params.keys() & b.params.keys()) - {"seed"}
    return ((a.workload, a.role, a.metric, a.unit) == (b.workload, b.role, b.metric, b.unit)
            and all(a.params[name] == b.params[name] for name in shared))


def pair_up(judged, reference, same_deque):
    """([(a, b)], [a without a counterpart])."""
    by_question = {}
    for b in reference:
        by_question.setdefault((b.workload, b.role, b.metric), []).append(b)
    pairs, alone = [], []
    for a in judged:
        found = [b for b in by_question.get((a.workload, a.role, a.metric), []) if same_question(a, b)
                 and (not same_deque or a.deque == b.deque and a.params.keys() == b.params.keys())]
        pairs += [(a, b) for b in found]
        if not found:
            alone.append(a)
    return pairs, alone


def compare(a, b, threshold, confidence):
    """The comparison of two summaries, or None when one has no positive values in invocations that both have."""
    shared = sorted(a.by_invocation.keys() & b.by_invocation.keys())
    ours, theirs = [a.by_invocation[i] for i in shared], [b.by_invocation[i] for i in shared]
    if not shared or min(ours + theirs) <= 0 or a.status != "ok" or b.status != "ok":
        return None
    slow, fast = (theirs, ours) if is_throughput(a.unit) else (ours, theirs)
    ratio, low, high = statistics_of.paired_log_ratio(slow, fast, confidence)
    p = statistics_of.mann_whitney(ours, theirs)[1]
    verdict = statistics_of.verdict(low, high, p, threshold, confidence)
    # Too few invocations that happen to agree prove as little as too few that do not.
    if len(shared) < statistics_of.least_pairs(confidence):
        verdict = "not settled"
    return Comparison(a, b, "", ratio, low, high, p, len(shared), verdict)


def compare_all(pairs, threshold, confidence):
    """([comparisons], [(a, b, what)] of pairs without values); what names the settings that vary."""
    varying = {workload: varying_settings([summary for pair in pairs for summary in pair
                                           if summary.workload == workload])
               for workload in {a.workload for a, _ in pairs}}
    comparisons, without = [], []
    for a, b in pairs:
        comparison = compare(a, b, threshold, confidence)
        what = describe(a, b, varying[a.workload])
        if comparison is None:
            without.append((a, b, what))
        else:
            comparison.what = what
            comparisons.append(comparison)
    return comparisons, without


def varying_settings(summaries):
    values = {}
    for summary in summaries:
        for name, value in summary.params.items():
            values.setdefault(name, set()).add(value)
    return sorted(name for name, some in values.items() if len(some) > 1)


def describe(a, b, varying):
    """The settings of a cell that vary, and those in which the two differ."""
    told = []
    for name in varying:
        ours, theirs = a.params.get(name), b.params.get(name)
        if ours is not None and theirs is not None and ours != theirs:
            told.append(f"{name}={ours}/{theirs}")
        elif ours is not None or theirs is not None:
            told.append(words_for(name, ours if ours is not None else theirs))
    return ", ".join([a.metric, *told])


def table_lines(comparisons):
    rows = [[c.judged.deque if c.judged.deque == c.reference.deque else f"{c.judged.deque} : {c.reference.deque}",
             c.what, format_number(c.judged.median), format_number(c.reference.median), c.judged.unit,
             f"{c.ratio:.3f}", f"[{c.low:.3f}, {c.high:.3f}]" if c.low is not None else "", f"{c.p:.2g}",
             str(c.pairs), c.verdict] for c in comparisons]
    return aligned(["deque", "cell", "A", "B", "unit", "A : B", "interval", "p", "pairs", "verdict"], rows,
                   left={0, 1, 4, 9})


def cells_that_ended(run, deque, *statuses):
    """The cells of that deque (None: of all) that ended so."""
    ended = invocation_statuses(run)
    return [cell for name, cell in run.cells.items() if deque in (None, cell["deque"])
            and worst_status(ended.get(name, {}).values()) in statuses]


def lost_by_judged(failed, reference, same_deque):
    """Of the failed cells those for which the reference has values: a crash must not pass for speed."""
    def answered(cell, b):
        shared = (cell["params"].keys() & b.params.keys()) - {"seed"}
        return (b.status == "ok" and b.median is not None and b.workload == cell["workload"]
                and (not same_deque or b.deque == cell["deque"])
                and all(cell["params"][name] == b.params[name] for name in shared))

    return [cell for cell in failed if any(answered(cell, b) for b in reference)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="one run, or two: A then B")
    parser.add_argument("--deque", metavar="A", help="the deque to judge")
    parser.add_argument("--against", metavar="B", help="the deque it is held against")
    parser.add_argument("--metric", metavar="NAME", help="compare this metric only, such as push_latency")
    parser.add_argument("--threshold", type=float, default=2.0, metavar="PERCENT",
                        help="differences below it are none (default: 2)")
    parser.add_argument("--confidence", type=float, default=95.0, metavar="PERCENT",
                        help="of the intervals and of Mann-Whitney U (default: 95)")
    parser.add_argument("--anyway", action="store_true",
                        help="compare runs even of different machines, kernels, compilers or flags")
    parser.add_argument("--gate", action="store_true", help="exit 1 when anything got slower, or failed in A alone")
    arguments = parser.parse_args()
    if len(arguments.runs) > 2:
        parser.error("one run or two")
    if len(arguments.runs) == 1 and not (arguments.deque and arguments.against):
        parser.error("within one run name both deques: --deque A --against B")
    if not 0 <= arguments.threshold <= 1000:
        parser.error("--threshold: 0 to 1000 per cent")
    if not 50 <= arguments.confidence < 100:
        parser.error("--confidence: 50 to below 100 per cent")
    return arguments


def require_deque(run, deque):
    known = sorted({cell["deque"] for cell in run.cells.values()})
    if deque and deque not in known:
        raise Problem(f"{run.folder} has no deque {deque}; it has {', '.join(known)}", EXIT_USAGE)


def require_same_conditions(run_a, run_b, anyway):
    for what, ours, theirs in differing_conditions(run_a, run_b):
        text = f"A and B were measured with another {what}: {ours!r} and {theirs!r}"
        if not anyway:
            raise Problem(f"{text}; --anyway compares them all the same", EXIT_USAGE)
        warn(text)


def main():
    arguments = parse_arguments()
    run_a, run_b = Run(arguments.runs[0]), Run(arguments.runs[-1])
    require_same_conditions(run_a, run_b, arguments.anyway)
    deque_a, deque_b = arguments.deque, arguments.against or arguments.deque
    require_deque(run_a, deque_a)
    require_deque(run_b, deque_b)
    judged = select(summarize(run_a), deque_a and {deque_a}, arguments.metric)
    reference = select(summarize(run_b), deque_b and {deque_b}, arguments.metric)
    same_deque = deque_a == deque_b
    pairs, alone = pair_up(judged, reference, same_deque)
    comparisons, without = compare_all(pairs, arguments.threshold / 100, arguments.confidence / 100)
    lost = lost_by_judged(cells_that_ended(run_a, deque_a, "crashed", "timeout"), reference, same_deque)
    unproven = lost_by_judged(cells_that_ended(run_a, deque_a, "unproven"), reference, same_deque)
    print_comparisons(arguments, comparisons, (run_a, deque_a), (run_b, deque_b))
    for a, b, what in without:
        warn(f"no values to compare: {a.deque} ({a.status}) against {b.deque} ({b.status}), {what}")
    if alone:
        warn(f"{len(alone)} rows of A have no counterpart in B")
    if lost:
        warn(f"{len(lost)} cells crashed or hung in A for which B has values")
    if unproven:
        warn(f"{len(unproven)} cells were not timed in A for want of a verdict on their deques; B has values")
    return outcome(arguments, comparisons, lost, unproven)


def print_comparisons(arguments, comparisons, side_a, side_b):
    lines = [f"{letter}{role}: {run.folder}" + (f", {deque}" if deque else "")
             for letter, role, (run, deque) in [("A", " (judged)", side_a), ("B", " (reference)", side_b)]]
    compared = {(side_a[0], c.judged.deque) for c in comparisons} | {(side_b[0], c.reference.deque) for c in comparisons}
    repeating = sorted({deque for run, deque in compared if may_repeat(run.deque_facts(deque))})
    if repeating:
        lines.append(f"{DAGGER_MEANS}: {', '.join(repeating)}")
    lines.append(f"A : B above 1 is slower; interval {arguments.confidence:g} %, bootstrap over pairs, seed "
                 f"{statistics_of.SEED}; below {arguments.threshold:g} % no difference is called\n")
    if comparisons:
        lines += [*table_lines(comparisons), ""]
    lines.append(", ".join(f"{sum(c.verdict == verdict for c in comparisons)} {verdict}" for verdict in VERDICTS))
    text = "\n".join(lines)
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(text if utf8 else in_ascii(text), flush=True)


def outcome(arguments, comparisons, lost, unproven):
    """The exit code, or a Problem where nothing can be said: a gate that could not judge has not passed."""
    if arguments.gate and (lost or any(c.verdict == "slower" for c in comparisons)):
        return EXIT_FAILED
    if not comparisons:
        raise Problem("nothing could be compared: A and B share no cell with values"
                      + (f" of {arguments.metric}" if arguments.metric else ""))
    if arguments.gate and unproven:
        raise Problem("not all could be judged; resume the run of A")
    needed = statistics_of.least_pairs(arguments.confidence / 100)
    if all(c.pairs < needed for c in comparisons):
        message = f"no verdict is possible with fewer than {needed} invocations; run more"
        if arguments.gate:
            raise Problem(message)
        warn(message)
    return 0


if __name__ == "__main__":
    run_program(main)
