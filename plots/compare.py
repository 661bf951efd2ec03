"""python3 -m plots.compare: A against B, a verdict for each cell that both have.

    python3 -m plots.compare RUN --deque A --against B     two deques of one run
    python3 -m plots.compare RUN_A RUN_B                   the same deques in two runs (--deque names those to look at)
    python3 -m plots.compare A.json B.json                 what two programs of Google Benchmark wrote

A is judged, B is the reference. The ratio is A's time by B's, or B's throughput by A's, so above 1 is slower; it is
the median of the ratios of invocation to invocation, with its bootstrap interval. A difference is called from six
invocations on, when the ratio lies beyond the threshold, its interval keeps clear of 1, and Wilcoxon's signed rank of
the pairs agrees, all cells considered together; none, when the whole interval lies within the threshold.
"""

import argparse

from plots import statistics as statistics_of
from plots.comparison.google_benchmark import GoogleBenchmark, is_google_benchmark
from plots.comparison.pairs import cells_that_ended, compare_all, lost_by_judged, pair_up, select
from plots.data.conditions import circumstances_of
from plots.data.run_folder import EXIT_FAILED, EXIT_USAGE, PROGRAM, Problem, Run, differing_conditions, run_program, warn
from plots.data.summaries import summarize
from plots.data.words import DAGGER_MEANS, format_number, may_repeat
from plots.pages.table import aligned, show


ONE_AFTER_THE_OTHER = ("A and B were measured one after the other, not in turns: a machine that changed meanwhile looks "
                       "like a deque that did")


def table_lines(comparisons):
    rows = [[c.judged.deque if c.judged.deque == c.reference.deque else f"{c.judged.deque} : {c.reference.deque}",
             c.what, format_number(c.judged.median), format_number(c.reference.median), c.judged.unit,
             f"{c.ratio:.3f}", f"[{c.low:.3f}, {c.high:.3f}]" if c.low is not None else "", f"{c.over_all:.2g}",
             str(c.pairs), c.verdict] for c in comparisons]
    return aligned(["deque", "cell", "A", "B", "unit", "A : B", "interval", "q", "pairs", "verdict"], rows,
                   left={0, 1, 4, 9})


def parse_arguments():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="one run, or two: A then B")
    parser.add_argument("--deque", metavar="A", help="the deque to judge")
    parser.add_argument("--against", metavar="B", help="the deque it is held against")
    parser.add_argument("--metric", metavar="NAME", help="compare this metric only, such as push_latency")
    parser.add_argument("--threshold", type=float, default=2.0, metavar="PERCENT",
                        help="differences below it are none (default: 2)")
    parser.add_argument("--confidence", type=float, default=95.0, metavar="PERCENT",
                        help="of the intervals, and of the calls over all cells (default: 95)")
    parser.add_argument("--anyway", action="store_true",
                        help="compare runs even of different machines, kernels, compilers or flags, and gate runs that "
                             "were not measured in turns")
    parser.add_argument("--gate", action="store_true", help="exit 1 when anything got slower, or failed in A alone")
    arguments = parser.parse_args()
    if len(arguments.runs) > 2:
        parser.error("one run or two")
    if len({is_google_benchmark(run) for run in arguments.runs}) > 1:
        parser.error("a run's folder and a file of Google Benchmark have no cell in common")
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
    if is_google_benchmark(arguments.runs[0]):
        run_a, run_b = map(GoogleBenchmark, (arguments.runs[0], arguments.runs[-1]))
        return report(arguments, (run_a, run_a.summaries, None), (run_b, run_b.summaries, None))
    run_a, run_b = Run(arguments.runs[0]), Run(arguments.runs[-1])
    deque_a, deque_b = arguments.deque, arguments.against or arguments.deque
    require_deque(run_a, deque_a)
    require_deque(run_b, deque_b)
    summaries_a, summaries_b = summarize(run_a), summarize(run_b)
    return report(arguments, (run_a, select(summaries_a, deque_a and {deque_a}, arguments.metric), deque_a),
                  (run_b, select(summaries_b, deque_b and {deque_b}, arguments.metric), deque_b),
                  [(run_a, summaries_a), (run_b, summaries_b)][:len(arguments.runs)])


def report(arguments, side_a, side_b, measured=()):
    """Prints the comparison of two sides, each a run, its rows, and the deque that was named; the exit code. measured:
    [(run, its summaries)] of what the driver measured, for what the machine did meanwhile."""
    (run_a, judged, deque_a), (run_b, reference, deque_b) = side_a, side_b
    require_same_conditions(run_a, run_b, arguments.anyway)
    same_deque = deque_a == deque_b
    pairs, alone = pair_up(judged, reference, same_deque)
    comparisons, without = compare_all(pairs, arguments.threshold / 100, arguments.confidence / 100)
    lost = lost_by_judged(cells_that_ended(run_a, deque_a, "crashed", "timeout"), reference, same_deque)
    unproven = lost_by_judged(cells_that_ended(run_a, deque_a, "unproven"), reference, same_deque)
    print_comparisons(arguments, comparisons, (run_a, deque_a), (run_b, deque_b))
    print_conditions(measured, comparisons)
    for a, b, what in without:
        warn(f"no values to compare: {a.deque} ({a.status}) against {b.deque} ({b.status}), {what}")
    if alone:
        warn(f"{len(alone)} rows of A have no counterpart in B")
    if lost:
        warn(f"{len(lost)} cells crashed or hung in A for which B has values")
    if unproven:
        warn(f"{len(unproven)} cells were not timed in A for want of a verdict on their deques; B has values")
    return outcome(arguments, comparisons, lost, unproven, not one_after_the_other(run_a, run_b))


def print_comparisons(arguments, comparisons, side_a, side_b):
    lines = [f"{letter}{role}: {run.folder}" + (f", {deque}" if deque else "")
             for letter, role, (run, deque) in [("A", " (judged)", side_a), ("B", " (against)", side_b)]]
    compared = {(side_a[0], c.judged.deque) for c in comparisons} | {(side_b[0], c.reference.deque) for c in comparisons}
    repeating = sorted({deque for run, deque in compared if may_repeat(run.deque_facts(deque))})
    if repeating:
        lines.append(f"{DAGGER_MEANS}: {', '.join(repeating)}")
    lines.append(f"A : B above 1 is slower; interval {arguments.confidence:g} %, bootstrap over pairs, seed "
                 f"{statistics_of.SEED}; below {arguments.threshold:g} % they are not told apart")
    lines.append("q: signed rank of the pairs, with the false alarms of all cells held down together\n")
    if comparisons:
        lines += [*table_lines(comparisons), ""]
    lines.append(", ".join(f"{sum(c.verdict == verdict for c in comparisons)} {verdict}"
                           for verdict in statistics_of.VERDICTS))
    drifted = drifting(comparisons, arguments.confidence / 100)
    if drifted:
        lines.append("drift: the ratio changed during the run: " + "; ".join(
            f"{c.judged.deque}, {c.what}: {found.change:.3f} times from pair {found.place + 1} on"
            for c, found in drifted))
    if one_after_the_other(side_a[0], side_b[0]):
        lines.append(ONE_AFTER_THE_OTHER)
    show("\n".join(lines))


def print_conditions(sides, comparisons):
    """What the machine did while these cells were measured; sides: [(run, its summaries)], of one run or of two."""
    cells = {summary.cell for c in comparisons for summary in (c.judged, c.reference)}
    for letter, (run, summaries) in zip("AB", sides):
        for text in circumstances_of(run, summaries, cells):
            show(text if len(sides) == 1 else f"{letter}: {text}")


def drifting(comparisons, confidence):
    """[(comparison, Drift)] of those whose ratio has a trend or a step in time, all considered together."""
    found = [(c, drift) for c in comparisons if c.pairs >= statistics_of.LEAST_PAIRS and (drift := c.drift())]
    worth = statistics_of.benjamini_hochberg([drift.p for _, drift in found])
    return [pair for pair, p in zip(found, worth) if p < 1 - confidence]


def one_after_the_other(run_a, run_b):
    """Did the one run end before the other began?"""
    spans = [(run.manifest.get("start"), run.manifest.get("end")) for run in (run_a, run_b)]
    return all(map(all, spans)) and (spans[0][1] <= spans[1][0] or spans[1][1] <= spans[0][0])


def outcome(arguments, comparisons, lost, unproven, in_turns):
    """The exit code, or a Problem where nothing can be said: a gate that could not judge has neither passed nor failed."""
    if arguments.gate and lost:
        return EXIT_FAILED
    if arguments.gate and not in_turns and not arguments.anyway:
        raise Problem(f"{ONE_AFTER_THE_OTHER}; --anyway judges them all the same")
    if arguments.gate and any(c.verdict == "slower" for c in comparisons):
        return EXIT_FAILED
    if not comparisons:
        raise Problem("nothing could be compared: A and B share no cell with values"
                      + (f" of {arguments.metric}" if arguments.metric else ""))
    if arguments.gate and unproven:
        raise Problem("not all could be judged; resume the run of A")
    message = too_few(comparisons, arguments.confidence / 100)
    if message and arguments.gate:
        raise Problem(message)
    if message:
        warn(message)
    return 0


def too_few(comparisons, confidence):
    """Why a cell that alone is slower would not be found; nothing when it would."""
    needed = statistics_of.least_pairs(confidence)
    if all(c.pairs < needed for c in comparisons):
        return f"no verdict is possible with fewer than {needed} invocations; run more"
    among = statistics_of.least_pairs(confidence, len(comparisons))
    few = sum(c.pairs < among for c in comparisons)
    return few and (f"one cell that differs among {len(comparisons)} is found with {among} invocations, {few} have fewer; "
                    "run more")


if __name__ == "__main__":
    run_program(main)
