"""python3 -m extras.runtimes.judge RUN: how long our pool takes against other runtimes on the same work.

For each section of runtimes.suite and each other runtime, with its version: the time of a call or a run, ours, and the ratio of
ours to theirs, over pairs of invocations that ran near each other: its median and 95 % interval.
Times are medians over the same invocations. Each ratio is given twice: for the section's first deque, chosen before anything was
measured, and for the one with the lowest median, chosen on these values, so that it flatters us if several are close. Goals are
for the latter, and settled from six invocations on. Exit 1 if one is missed, 3 if one is not settled.
"""

import argparse

from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, PROGRAM, Run, run_program
from extras.runtimes.data import compare, memory_text, time_text
from harness.judging.summaries import summarize
from harness.judging.text_table import markdown
from harness.judging.statistics import LEAST_PAIRS

# (section, runtime): (highest median, highest upper end) that we want; None: no goal for it.
GOALS = {**{(section, runtime): (0.3, None) for section in ("fib-1", "fib-2") for runtime in ("onetbb_runtime", "taskflow")},
         **{(section, "lace_runtime"): (1.5, None) for section in ("fib-1", "fib-2")},
         ("quicksort-2", "onetbb_runtime"): (1.0, 1.03), ("quicksort-2", "openmp"): (1.0, 1.03)}
OUTCOMES = {True: "reached", False: "MISSED", None: "not settled"}
HEADINGS = ["work", "theirs", "", "first of ours", "", "ratio", "best of ours", "", "ratio"]
COST_HEADINGS = ["work", "theirs", "processor time", "peak memory", "first of ours", "processor time", "ratio", "peak memory", "ratio"]


def verdicts(rows):
    """[(row, goal as text, reached)] of those that have a goal; reached is None below six invocations."""
    def settled(row, reached):
        return reached if row.best.pairs >= LEAST_PAIRS else None

    found = []
    for row in rows:
        if (row.tag, row.runtime) in GOALS:
            highest, end = GOALS[row.tag, row.runtime]
            text = f"at most {highest:g}" + (f", interval to {end:g}" if end else "")
            high = row.best.high
            found.append((row, text, settled(row, row.best.ratio <= highest and (end is None or high <= end))))
    return found


def cells_of(row, before):
    """The row as texts; the title only where it changes."""
    first = [row.first.deque, time_text(row.first.time, row.unit), row.first.text] if row.first else ["", "", ""]
    return [row.title if before is None or before.tag != row.tag else "", row.name,
            time_text(row.best.their_time, row.unit), *first,
            row.best.deque, time_text(row.best.time, row.unit), row.best.text]


def cost_cells_of(row, before):
    """The same for its other costs."""
    processor, memory = row.costs
    deque = next((cost.deque for cost in row.costs if cost), "")
    theirs = [time_text(processor.their_time, "s") if processor else "", memory_text(memory.their_time) if memory else ""]
    return [row.title if before is None or before.tag != row.tag else "", row.name, *theirs, deque,
            *([time_text(processor.time, "s"), processor.text] if processor else ["", ""]),
            *([memory_text(memory.time), memory.text] if memory else ["", ""])]


def table(rows, headings=HEADINGS, cells=cells_of):
    return "\n".join(markdown(headings, [cells(row, before) for row, before in zip(rows, [None, *rows])]))


def where(run):
    """The sentence that goes with the table."""
    manifest, each = run.manifest, {}
    for cell, _ in run.invocations:
        each[cell] = each.get(cell, 0) + 1
    least, most = min(each.values()), max(each.values())
    build, machine = manifest.get("build") or {}, manifest.get("machine") or {}
    return (f"One run of {sum(each.values())} invocations, {least}{f' to {most}' if most > least else ''} a cell, "
            f"{machine.get('cpu', 'unknown processor')}, {build.get('version', 'unknown compiler')}, "
            f"{build.get('flags', '')}; ratios are ours over theirs, with "
            f"{'the 95 % interval' if least >= LEAST_PAIRS else 'the range of these few invocations'}:")


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/ that ./run.sh extras runtimes made")
    run = Run(parser.parse_args().run)
    run.say_what_was_left_out()
    summaries = summarize(run)
    rows = compare(run, summaries)
    if not rows:
        print("no section has both ours and another runtime: nothing to compare")
        return 0
    print(f"{where(run)}\n\n{table(rows)}\n")
    with_costs = [row for row in rows if any(row.costs)]
    if with_costs:
        print(f"Processor time of a run and the most memory that the process held:\n\n{table(with_costs, COST_HEADINGS, cost_cells_of)}\n")
    goals = verdicts(rows)
    for row, text, reached in goals:
        print(f"{OUTCOMES[reached]}: {row.title}, {row.best.deque} against {row.name}: {text}; "
              f"it is {row.best.text}")
    outcomes = [reached for *_, reached in goals]
    print(f"{outcomes.count(True)} of {len(goals)} goals reached")
    return EXIT_FAILED if False in outcomes else EXIT_MISSING if None in outcomes else 0


if __name__ == "__main__":
    run_program(main)
