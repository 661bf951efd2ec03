#!/usr/bin/python3
"""threads.py RUN: what a run of threads.suite says: is any application slower by two threads than by one; a table, and
RUN/threads.csv.

By compare's rule: slower is what the whole interval of the ratio says beyond 2 %, and Mann-Whitney U with it. It
reports; it fails only when the question cannot be answered (exit 3). A queue that all workers share, or a lock, may
well be slower by two; a deque that is not a yardstick and is slower has thieves that cost more than they bring.
"""

import argparse

import trust
from trust import Problem, Run, run_program, statistics_of

THRESHOLD = 0.02
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


def judged(workload, deque, one, two, crowded):
    """One row: the seconds of each invocation by one thread and by two, in their order."""
    ratio, low, high = statistics_of.paired_log_ratio(two, one)
    p = statistics_of.mann_whitney(two, one)[1]
    says = statistics_of.verdict(low, high, p, THRESHOLD)
    suite, reference = 1e3 * statistics_of.median(two), 1e3 * statistics_of.median(one)
    return dict(question=QUESTION, workload=workload, what=deque + (", on one processor" if crowded else ""), suite=suite,
                reference=reference, unit="ms", difference=suite - reference, ratio=ratio, low=low, high=high,
                limit="not slower by 2 %",
                verdict="" if crowded else "SLOWER" if says == "slower" else "within")


def two_threads(run):
    """A row for each deque and application that was run both ways."""
    times, crowded = run_times(run)
    rows = []
    for key in sorted(times):
        one, two = (times[key].get(threads, {}) for threads in (1, 2))
        shared = sorted(one.keys() & two.keys())
        if shared:
            rows.append(judged(*key[:2], [one[i] for i in shared], [two[i] for i in shared], key in crowded))
    if not rows:
        raise Problem(f"{run.folder} has nothing by one thread and by two: was it a run of threads.suite?")
    return rows


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
