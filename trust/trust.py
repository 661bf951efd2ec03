"""python3 -m trust.trust RUN: what a run of trust.suite says about the suite itself; a table, and RUN/trust.csv.

Six questions: does it measure a planted time as a hand-written loop does (within 2 %, or 0.2 ns where that is more);
what does it add to a deque that does nothing (at most 0.5 ns an operation); does Chase-Lev cost the same in it as in a
hand-written loop, over eight places of the loop in a cache line (ratio of medians 1.00 +- 0.05); what do PauseTiming
and ResumeTiming charge; does a thief that has its core make as many attempts a second as it was asked for (within 1 %);
do the items of every run add up, exactly. It reports; it fails only when a question cannot be answered (exit 3).
"""

import argparse
import csv
import os

from plots import statistics as statistics_of
from plots.data.run_folder import PROGRAM, Problem, Run, run_program

PLANTED_RELATIVE, PLANTED_ABSOLUTE = 0.02, 0.2
LEAST_OF_VARIANT = 3  # invocations: the median of fewer is easily one that the machine disturbed
HARNESS_COST = 0.5
BY_HAND_RATIO = 0.05
FREQUENCY_RATIO = 0.01
METRICS = {"push": "push_latency", "pop": "pop_latency"}
COLUMNS = "question workload what suite reference unit difference ratio low high limit verdict".split()


def medians(run, deque, workload, method="corrected"):
    """The medians of the invocations of one cell, in their order; a Problem when there are none."""
    found = {}
    for (cell, invocation), rows in run.invocations.items():
        facts = run.cells[cell]
        if (facts["deque"], facts["workload"], facts["params"].get("method")) != (deque, workload, method):
            continue
        values = [row["value"] for row in rows if row["metric"] == METRICS[workload] and row["value"] is not None]
        if values:
            found[invocation] = statistics_of.median(values)
    if not found:
        raise Problem(f"{run.folder} has no {METRICS[workload]} of {deque} (method={method}): was it a trust run?")
    return [found[invocation] for invocation in sorted(found)]


def medians_by_variant(run, deque, workload):
    """{variant: the median over the invocations of one cell that drew this code of the measured loops}, where there are
    enough of them."""
    found = {}
    for (cell, _), rows in run.invocations.items():
        facts = run.cells[cell]
        if (facts["deque"], facts["workload"]) == (deque, workload):
            values = [row["value"] for row in rows if row["metric"] == METRICS[workload] and row["value"] is not None]
            if values and rows[0]["variant"]:
                found.setdefault(rows[0]["variant"], []).append(statistics_of.median(values))
    return {variant: statistics_of.median(values) for variant, values in found.items() if len(values) >= LEAST_OF_VARIANT}


def names_with(run, prefix):
    """The numbers n of deques PREFIXn in this run, ascending."""
    return sorted(int(cell["deque"][len(prefix):]) for cell in
                  {cell["deque"]: cell for cell in run.cells.values()}.values()
                  if cell["deque"].startswith(prefix) and cell["deque"][len(prefix):].isdigit())


def compared(question, workload, what, suite, reference, limit, within):
    """One row: two lists of medians, what they may differ by, in words, and whether they stay within it."""
    pairs = min(len(suite), len(reference))
    ratio, low, high = statistics_of.paired_log_ratio(suite[:pairs], reference[:pairs])
    middle, other = statistics_of.median(suite), statistics_of.median(reference)
    return dict(question=question, workload=workload, what=what, suite=middle, reference=other, unit="ns",
                difference=middle - other, ratio=ratio, low=low, high=high, limit=limit,
                verdict="within" if within(middle, other) else "OUTSIDE")


def planted(run):
    """(a) the planted chain, by the suite and by hand: over all variants of the loops, and in the one that is farthest off."""
    def within(suite, by_hand):
        return abs(suite - by_hand) <= max(PLANTED_RELATIVE * by_hand, PLANTED_ABSOLUTE)
    rows = []
    for steps in names_with(run, "planted_"):
        for workload in METRICS:
            by_hand = medians(run, f"by_hand_{steps}", workload)
            rows.append(compared("planted time", workload, f"chain of {steps} steps", medians(run, f"planted_{steps}", workload),
                                 by_hand, "2 % or 0.2 ns", within))
            found, reference = medians_by_variant(run, f"planted_{steps}", workload), statistics_of.median(by_hand)
            if found:
                variant = max(found, key=lambda one: abs(found[one] - reference))
                rows.append(dict(question="planted time", workload=workload, suite=found[variant], reference=reference,
                                 what=f"the same in variant {variant} of {len(found)}", unit="ns", ratio=found[variant] / reference,
                                 difference=found[variant] - reference, limit="2 % or 0.2 ns",
                                 verdict="within" if within(found[variant], reference) else "OUTSIDE"))
    return rows


def harness_cost(run):
    """(b) what an operation on a deque that does nothing takes: all of it is the harness."""
    rows = []
    for workload in METRICS:
        cost = statistics_of.median(medians(run, "empty", workload))
        rows.append(dict(question="harness cost", workload=workload, what="empty deque", suite=cost, unit="ns",
                         difference=cost, limit="0.5 ns", verdict="within" if cost <= HARNESS_COST else "OUTSIDE"))
    return rows


def by_hand(run):
    """(c) Chase-Lev in the suite and by hand: at each place of the loop, and the medians over all places."""
    rows = []
    shifts = names_with(run, "chase_lev_shift_")
    for workload in METRICS:
        suite = {shift: medians(run, f"chase_lev_shift_{shift}", workload) for shift in shifts}
        hand = {shift: medians(run, f"by_hand_chase_lev_shift_{shift}", workload) for shift in shifts}
        over_shifts = [[statistics_of.median(side[shift]) for shift in shifts] for side in (suite, hand)]
        rows.append(compared("Chase-Lev by hand", workload, f"medians over {len(shifts)} alignments", *over_shifts,
                             "ratio 1.00 +- 0.05", lambda a, b: abs(a / b - 1) <= BY_HAND_RATIO))
        for shift in shifts:
            rows.append(dict(compared("Chase-Lev by hand", workload, f"loop {shift} bytes further", suite[shift],
                                      hand[shift], "", lambda a, b: True), verdict=""))
    return rows


def pause_resume(run):
    """(d) what one operation an iteration under PauseTiming and ResumeTiming is charged."""
    return [dict(compared("Pause/Resume", workload, "published method against corrected",
                          medians(run, "chase_lev_shift_0", workload, "published"),
                          medians(run, "chase_lev_shift_0", workload, "corrected"), "", lambda a, b: True), verdict="")
            for workload in METRICS]


def contention_rows(run):
    """{(deque, frequency, pacing): [the rows of each invocation]}."""
    found = {}
    for (cell, invocation), rows in sorted(run.invocations.items()):
        facts = run.cells[cell]
        if facts["workload"] == "contention":
            key = facts["deque"], int(facts["params"]["frequency"]), facts["params"]["pacing"]
            found.setdefault(key, []).append(rows)
    if not found:
        raise Problem(f"{run.folder} has no contention: was it a trust run?")
    return found


def values_of(rows, metric):
    """What one invocation measured."""
    return [row["value"] for row in rows if row["metric"] == metric and row["value"] is not None]


def frequency(run):
    """(e) attempts a second of a thief in the time in which it had its core; by the thesis's formula, for comparison."""
    rows = []
    for (deque, asked, pacing), invocations in sorted(contention_rows(run).items(), key=lambda item: item[0][::-1]):
        shared = any("oversubscribed" in row["flags"] for one in invocations for row in one)
        ratios = [statistics_of.median(found) for found in (values_of(one, "frequency_ratio") for one in invocations)
                  if found]
        if not ratios:
            raise Problem(f"{run.folder} has no frequency_ratio of {deque} at {asked} Hz: the thief never had its core")
        ratio = statistics_of.median(ratios)
        judged = pacing == "deadline" and not shared
        verdict = ("within" if abs(ratio - 1) <= FREQUENCY_RATIO else "OUTSIDE") if judged else ""
        rows.append(dict(question="steal frequency", workload="steal", limit="1 %", unit="Hz", suite=ratio * asked,
                         what=f"{deque}, {pacing}" + (", no core of its own" if shared else ""), reference=asked,
                         difference=(ratio - 1) * asked, ratio=ratio, verdict=verdict))
    return rows


def conservation(run):
    """(f) what was pushed and what came out, over all runs of a deque. (A run in which they differ fails its cell.)"""
    sums = {}
    for (deque, _, _), invocations in contention_rows(run).items():
        for rows in invocations:
            for pushed, *out in zip(*(values_of(rows, f"items_{kind}") for kind in ("pushed", "popped", "stolen", "left"))):
                total = sums.setdefault(deque, [0, 0, 0, 0])
                total[0], total[1] = total[0] + pushed, total[1] + sum(out)
                total[2], total[3] = total[2] + 1, total[3] + (pushed != sum(out))
    return [dict(question="items add up", workload="all", what=f"{deque}: {runs} runs", suite=pushed, reference=came,
                 unit="items", difference=came - pushed, limit="exactly", verdict="OUTSIDE" if wrong else "within")
            for deque, (pushed, came, runs, wrong) in sorted(sums.items())]


def print_table(rows):
    """The rows under each other, by question."""
    question = None
    for row in rows:
        if row["question"] != question:
            question = row["question"]
            print(f"\n{question}" + (f" (limit: {row['limit']})" if row["limit"] else ""))
        unit = row["unit"]
        reference = f"{row['reference']:10.3f} {unit}" if "reference" in row else " " * 13
        ratio = f"ratio {row['ratio']:.3f}" if "ratio" in row else ""
        if row.get("low") is not None:
            ratio += f" [{row['low']:.3f}, {row['high']:.3f}]"
        print(f"  {row['workload']:10} {row['what']:36} {row['suite']:10.3f} {unit} {reference} "
              f"difference {row['difference']:+9.3f} {unit}  {ratio:30} {row['verdict']}".rstrip())
    judged = [row for row in rows if row["verdict"]]
    outside = sum(row["verdict"] != "within" for row in judged)
    print(f"\n{len(judged) - outside} of {len(judged)} within their limits")


def write_csv(rows, path):
    """Written whole or not at all."""
    temporary = path.with_suffix(".csv.new")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a folder below results/ that trust.suite wrote")
    run = Run(parser.parse_args().run)
    rows = planted(run) + harness_cost(run) + by_hand(run) + pause_resume(run) + frequency(run) + conservation(run)
    print_table(rows)
    write_csv(rows, run.folder / "trust.csv")
    print(f"as data: {run.folder / 'trust.csv'}")


if __name__ == "__main__":
    run_program(main)
