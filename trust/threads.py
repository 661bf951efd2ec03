"""python3 -m trust.threads RUN: what a run of threads.suite says: is any application slower by two threads than
by one; a table, and RUN/threads.csv.

By compare's rule for verdicts, over all rows of the table; fewer than six invocations say nothing. It reports; it
fails only when the question cannot be answered (exit 3). A queue that all workers share, or a lock, may well be slower by
two; a deque that is not a reference and is slower has thieves that cost more than they bring.
"""

import argparse

from trust import trust
from trust.trust import PROGRAM, Problem, Run, run_program, statistics_of

QUESTION = "two threads are not slower than one"


def run_times(run):
    """{(workload, deque, the other parameters): {threads: {invocation: seconds}}}, and which of them had no processor
    for the second thread."""
    found, crowded = {}, set()
    for (cell, invocation), rows in run.invocations.items():
        facts = run.cells[cell]
        params = dict(facts["params"])
        if "threads" not in params:
            continue
        threads = int(params.pop("threads"))
        key = facts["workload"], facts["deque"], tuple(sorted(params.items()))
        times = [row["value"] for row in rows if row["metric"] == "run_time" and row["value"] is not None]
        if any("oversubscribed" in row["flags"] for row in rows):
            crowded.add(key)
        if times:
            found.setdefault(key, {}).setdefault(threads, {})[invocation] = statistics_of.median(times)
    return found, crowded


def row_of(workload, deque, judgement, one, two, crowded):
    """One row: the seconds of each invocation by one thread and by two, and the judgement on them."""
    suite, reference = 1e3 * statistics_of.median(two), 1e3 * statistics_of.median(one)
    return dict(question=QUESTION, workload=workload, what=deque + (", on one processor" if crowded else ""), suite=suite,
                reference=reference, unit="ms", difference=suite - reference, ratio=judgement.ratio, low=judgement.low,
                high=judgement.high, limit=f"not slower by {100 * judgement.threshold:g} %",
                verdict="" if crowded or judgement.pairs < statistics_of.LEAST_PAIRS else verdict_on(judgement))


def verdict_on(judgement):
    """SLOWER by the rule; within when the interval leaves no room for it."""
    if judgement.verdict == "slower":
        return "SLOWER"
    return "within" if judgement.high <= 1 + judgement.threshold else "not settled"


def two_threads(run):
    """A row for each deque and application that was run both ways."""
    times, crowded = run_times(run)
    both = {}  # {key: (seconds by one thread, by two)}, each a list
    for key in sorted(times):
        one, two = (times[key].get(threads, {}) for threads in (1, 2))
        if shared := sorted(one.keys() & two.keys()):
            both[key] = [one[i] for i in shared], [two[i] for i in shared]
    if not both:
        raise Problem(f"{run.folder} has nothing by one thread and by two: was it a run of threads.suite?")
    judgements = {key: statistics_of.judge(two, one) for key, (one, two) in both.items()}
    statistics_of.settle([judgements[key] for key in both if key not in crowded])
    return [row_of(*key[:2], judgements[key], *both[key], key in crowded) for key in both]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a folder below results/ that threads.suite wrote")
    run = Run(parser.parse_args().run)
    rows = two_threads(run)
    trust.print_table(rows)
    trust.write_csv(rows, run.folder / "threads.csv")
    print(f"as data: {run.folder / 'threads.csv'}")


if __name__ == "__main__":
    run_program(main)
