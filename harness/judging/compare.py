"""./run.sh compare A B: a verdict for each main cell that both have. A is judged, B is the reference.

    python3 -m harness.judging.compare A B                           two deques that are built, measured in turns until each cell is decided
    python3 -m harness.judging.compare A all                         A and each other sound deque, pair by pair
    python3 -m harness.judging.compare REVISION REVISION             each deque that differs, in both builds
    python3 -m harness.judging.compare RUN --deque A --against B     two deques of one run
    python3 -m harness.judging.compare RUN_A RUN_B                   the same deques in two runs (--deque names those to look at)

The ratio is A's time divided by B's, or B's throughput by A's, so above 1 is slower. Cells that are measured until they are
decided are judged by the CI job's sequential rule, either way (harness/judging/deciding.py). All else is judged by the rule for a given
number of pairs (harness/judging/statistics/verdicts.py). docs/results.md explains both.
"""

import argparse
import math

from harness.judging import statistics as statistics_of
from harness.judging.bench import Suite, id_of
from harness.judging.in_turns import SUITE, UNTIL_DECIDED, decided_cells, found_run, measure_in_turns, sides_of
from harness.judging.pairs import cells_that_ended, compare_all, lost_by_judged, pair_up, select
from harness.judging.conditions import circumstances_of
from harness.judging.run_folder import EXIT_FAILED, EXIT_USAGE, PROGRAM, Problem, Run, differing_conditions, run_program, warn
from harness.judging.summaries import summarize
from harness.judging.words import DAGGER_MEANS, may_repeat, value_text
from harness.judging.ci import seconds
from harness.judging.ci_report import slowdown
from harness.judging.text_table import aligned, show

ONE_AFTER_THE_OTHER = ("A and B were measured one after the other, not in turns: a machine that changed meanwhile looks "
                       "like a deque that did")
HEADINGS = ["deque", "cell", "A", "B", "A : B", "interval", "pairs", "verdict"]


def table_lines(rows):
    """rows: of HEADINGS' texts. If the deques are the same in all rows, they are named above the table."""
    one = len({row[0] for row in rows}) == 1
    return aligned(HEADINGS, [["" if one else row[0], *row[1:]] for row in rows], left={0, 1, 7})


def row_of(c):
    return [c.judged.deque if c.judged.deque == c.reference.deque else f"{c.judged.deque} : {c.reference.deque}", c.what,
            value_text(c.judged.median, c.judged.unit), value_text(c.reference.median, c.reference.unit), f"{c.ratio:.3f}",
            "" if c.low is None else f"[{c.low:.3f}, {c.high:.3f}]", str(c.pairs), c.verdict]


def parse_arguments():
    """(arguments, options that are the driver's)."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="A B", help="two deques, runs or revisions; or one run")
    parser.add_argument("--deque", metavar="A", help="the deque to judge; of revisions: these")
    parser.add_argument("--against", metavar="B", help="the deque to compare it with")
    parser.add_argument("--metric", metavar="NAME", help="compare this metric only, such as push_latency or idle_time")
    parser.add_argument("--threshold", type=float, default=2.0, metavar="PERCENT",
                        help="smaller differences count as none (default: 2)")
    parser.add_argument("--anyway", action="store_true",
                        help="compare runs even of different machines, kernels, compilers or flags, and judge runs that "
                             "were not measured in turns")
    parser.add_argument("--exit-code", action="store_true", help="exit 1 when anything got slower, or failed in A alone")
    measuring = parser.add_argument_group("what is measured", "Others of the driver's options (--repetitions, ...) are passed on.")
    measuring.add_argument("--budget", type=seconds, default=300.0, metavar="TIME",
                           help="stop measuring after this time; undecided cells are not settled (default: 5m)")
    measuring.add_argument("--invocations", type=int, metavar="N",
                           help="measure this number of pairs of each cell, and use the rule for a fixed number")
    measuring.add_argument("--only", metavar="CELL,CELL", help=f"of the cells of {SUITE}")
    measuring.add_argument("--unsound", action="store_true", help="time deques that fail their checks, too")
    measuring.add_argument("--name", metavar="NAME", help="name of the run below results/")
    arguments, passed = parser.parse_known_args()
    if unknown := next((word for word in passed if not word.startswith("--")), None):
        parser.error(f"{unknown}: A and B, no more" if len(arguments.runs) > 1 else f"what is {unknown}?")
    if len(arguments.runs) > 2:
        parser.error("one run or two")
    if arguments.invocations is not None and arguments.invocations < 1:
        parser.error("--invocations: from 1")
    if not 0 <= arguments.threshold <= 1000:
        parser.error("--threshold: 0 to 1000 per cent")
    found = [found_run(word) for word in arguments.runs]
    if len(found) == 1 or any(found):
        arguments.runs = [one or word for one, word in zip(found, arguments.runs)]
        if passed:
            parser.error(f"{passed[0]}: nothing is measured, these are runs")
        if len(arguments.runs) == 1 and not (arguments.deque and arguments.against):
            parser.error("within one run name both deques: --deque A --against B")
        return arguments, None
    return arguments, passed


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
    arguments, passed = parse_arguments()
    if passed is not None:
        code = 0
        suite = Suite(SUITE, arguments.only and arguments.only.split(","))
        asked = sides_of(arguments.runs, suite, arguments.deque)
        for sides in asked:
            run, ended = measure_in_turns(arguments, suite, sides, passed, len(asked) > 1)
            try:
                code = max(code, ended, judge_run(arguments, run, id_of(sides.judged), id_of(sides.reference)))
            except Problem as problem:  # a crash is the worse news
                if ended <= problem.code:
                    raise
                warn(problem)
                code = max(code, ended)
        return code
    if len(arguments.runs) == 1:
        return judge_run(arguments, Run(arguments.runs[0]), arguments.deque, arguments.against)
    return judge_sides(arguments, Run(arguments.runs[0]), Run(arguments.runs[1]), arguments.deque, arguments.deque)


def judge_run(arguments, run, deque_a, deque_b):
    require_deque(run, deque_a)
    require_deque(run, deque_b)
    if run.manifest.get("suite_title") == UNTIL_DECIDED and not arguments.metric:
        return report_decided(arguments, run, deque_a, deque_b)
    return judge_sides(arguments, run, run, deque_a, deque_b)


def judge_sides(arguments, run_a, run_b, deque_a, deque_b):
    require_deque(run_a, deque_a)
    require_deque(run_b, deque_b)
    summaries_a = summarize(run_a)
    summaries_b = summaries_a if run_a is run_b else summarize(run_b)
    return report(arguments, (run_a, select(summaries_a, deque_a and {deque_a}, arguments.metric), deque_a),
                  (run_b, select(summaries_b, deque_b and {deque_b}, arguments.metric), deque_b),
                  [(run_a, summaries_a), (run_b, summaries_b)][:1 if run_a is run_b else 2])


def report_decided(arguments, run, deque_a, deque_b):
    """Prints the result of a run that was measured until its cells were decided; the exit code."""
    cells = decided_cells(run, deque_a, deque_b, arguments.threshold / 100)
    told = [cell for cell in cells if cell.logs]
    if not told:
        raise Problem(f"nothing could be compared: {cells[0].why if cells else 'no cell was measured'}")
    rows = [[f"{deque_a} : {deque_b}", cell.title, *(value_text(statistics_of.median(side), cell.unit) for side in cell.sides[::-1]),
             *(slowdown(cell.decision) if cell.decision else (f"{math.exp(cell.logs[0]):.3f}", "")), str(len(cell.logs)), cell.verdict]
            for cell in told]
    summaries = summarize(run)
    lines = [*sides_lines(run, deque_a, run, deque_b, (deque_a, deque_b)),
             f"A : B above 1 is slower; below {arguments.threshold:g} % they are not told apart. Intervals and verdicts hold whenever "
             "measuring stops;", "of all cells that do not differ, any is called different in at most 1 of 20 comparisons\n",
             *table_lines(rows), "", tally(told)]
    show("\n".join(lines))
    for text in circumstances_of(run, summaries, {name for name, cell in run.cells.items() if cell["deque"] in (deque_a, deque_b)}):
        show(text)
    for cell in cells:
        if not cell.logs:
            warn(f"no values to compare: {cell.title} ({cell.why})")
    lost = cells_that_ended(run, deque_a, "crashed", "timeout")
    if lost:
        warn(f"{len(lost)} cells crashed or hung in A")
    if arguments.exit_code and (lost or any(cell.verdict == statistics_of.SLOWER for cell in told)):
        return EXIT_FAILED
    if arguments.exit_code and any(cell.verdict == statistics_of.NOT_SETTLED for cell in told):
        raise Problem("not all cells are decided; give it more time by --budget")
    return 0


def sides_lines(run_a, deque_a, run_b, deque_b, compared):
    """The names of A and B, and the deques among them that may return an item twice."""
    lines = [f"{letter}{role}: {run.folder}" + (f", {deque}" if deque else "")
             for letter, role, run, deque in [("A", " (judged)", run_a, deque_a), ("B", " (against)", run_b, deque_b)]]
    repeating = sorted({deque for deque in compared for run in (run_a, run_b) if may_repeat(run.deque_facts(deque))})
    return lines + ([f"{DAGGER_MEANS}: {', '.join(repeating)}"] if repeating else [])


def tally(cells):
    """How many of each verdict; verdicts that only measuring in turns has are named only if they occur."""
    verdicts = [one.verdict for one in cells]
    return ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys([*statistics_of.VERDICTS, *verdicts]))


def report(arguments, side_a, side_b, measured):
    """Prints the comparison of two sides, each a run, its rows, and the deque that was named; the exit code. measured:
    [(run, its summaries)] of what the driver measured, for what the machine did meanwhile."""
    (run_a, judged, deque_a), (run_b, reference, deque_b) = side_a, side_b
    require_same_conditions(run_a, run_b, arguments.anyway)
    same_deque = deque_a == deque_b
    pairs, alone = pair_up(judged, reference, same_deque)
    comparisons, without = compare_all(pairs, arguments.threshold / 100)
    lost = lost_by_judged(cells_that_ended(run_a, deque_a, "crashed", "timeout"), reference, same_deque)
    unproven = lost_by_judged(cells_that_ended(run_a, deque_a, "unproven"), reference, same_deque)
    print_comparisons(arguments, comparisons, (run_a, deque_a), (run_b, deque_b))
    cells = {summary.cell for c in comparisons for summary in (c.judged, c.reference)}
    for letter, (run, summaries) in zip("AB", measured):
        for text in circumstances_of(run, summaries, cells):
            show(text if len(measured) == 1 else f"{letter}: {text}")
    for a, b, what in without:
        warn(f"no values to compare: {a.deque} ({a.status}) against {b.deque} ({b.status}), {what}")
    if alone:
        warn(f"{len(alone)} rows of A have no counterpart in B")
    if lost:
        warn(f"{len(lost)} cells crashed or hung in A for which B has values")
    if unproven:
        warn(f"{len(unproven)} cells were not timed in A, because a check of their deques gave no verdict; B has values")
    return outcome(arguments, comparisons, lost, unproven, not one_after_the_other(run_a, run_b))


def print_comparisons(arguments, comparisons, side_a, side_b):
    lines = sides_lines(*side_a, *side_b, {one.deque for c in comparisons for one in (c.judged, c.reference)})
    needed = statistics_of.LEAST_PAIRS
    few = f", their range of fewer than {needed}" if any(one.pairs < needed for one in comparisons) else ""
    lines.append(f"A : B above 1 is slower; interval 95 % over pairs{few}; "
                 f"below {arguments.threshold:g} % they are not told apart\n")
    if comparisons:
        lines += [*table_lines([row_of(c) for c in comparisons]), ""]
    lines.append(tally(comparisons))
    if one_after_the_other(side_a[0], side_b[0]):
        lines.append(ONE_AFTER_THE_OTHER)
    show("\n".join(lines))


def one_after_the_other(run_a, run_b):
    """Did the one run end before the other began?"""
    spans = [(run.manifest.get("start"), run.manifest.get("end")) for run in (run_a, run_b)]
    return run_a is not run_b and all(map(all, spans)) and (spans[0][1] <= spans[1][0] or spans[1][1] <= spans[0][0])


def outcome(arguments, comparisons, lost, unproven, in_turns):
    """The exit code, or a Problem if nothing could be judged: then nothing has passed or failed."""
    if arguments.exit_code and lost:
        return EXIT_FAILED
    if arguments.exit_code and not in_turns and not arguments.anyway:
        raise Problem(f"{ONE_AFTER_THE_OTHER}; --anyway judges them all the same")
    if arguments.exit_code and any(c.verdict == "slower" for c in comparisons):
        return EXIT_FAILED
    if not comparisons:
        raise Problem("nothing could be compared: A and B share no cell with values"
                      + (f" of {arguments.metric}" if arguments.metric else ""))
    if arguments.exit_code and unproven:
        raise Problem("not all could be judged; resume the run of A")
    few = sum(c.pairs < statistics_of.LEAST_PAIRS for c in comparisons)
    if few:
        message = f"no verdict on {few} of {len(comparisons)} cells: it takes {statistics_of.LEAST_PAIRS} invocations; run more"
        if arguments.exit_code:
            raise Problem(message)
        warn(message)
    return 0


if __name__ == "__main__":
    run_program(main)
