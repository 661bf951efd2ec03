"""python3 -m trust.threads RUN: is any application slower with two threads than with one? A table of a run of threads.suite, and
RUN/threads.csv.

The rule for verdicts judges all rows of the table together; fewer than six invocations say nothing. The program only reports, and
fails if the question cannot be answered (exit 3). A shared queue or a lock may be slower with two threads. If another deque is
slower, its thieves cost more than they gain.
"""

import argparse
from collections import defaultdict

from plots.data.run_folder import PROGRAM, Problem, Run, run_program
from plots.statistics import LEAST_PAIRS, SLOWER, judge, median, adjust_together
from trust.trust import Row, tell, values_of

QUESTION = "two threads are not slower than one"


def run_times(run):
    """({(workload, deque, the other parameters): {threads: {invocation: seconds}}}, those keys that had no processor for the
    second thread)."""
    found, crowded = defaultdict(lambda: defaultdict(dict)), set()
    for (cell, invocation), rows in run.invocations.items():
        facts = run.cells[cell]
        params = dict(facts["params"])
        threads = int(params.pop("threads", 0))
        key = facts["workload"], facts["deque"], tuple(sorted(params.items()))
        if threads and any("oversubscribed" in row["flags"] for row in rows):
            crowded.add(key)
        if threads and (times := values_of(rows, "run_time")):
            found[key][threads][invocation] = median(times)
    return found, crowded


def row_of(workload, deque, judgement, one, two, crowded):
    """The Row of the seconds of each invocation by one thread and by two, and the judgement on them."""
    if crowded or judgement.pairs < LEAST_PAIRS:
        verdict = ""
    elif judgement.verdict == SLOWER:
        verdict = "SLOWER"
    else:
        verdict = "within" if judgement.high <= 1 + judgement.threshold else "not settled"
    return Row(QUESTION, workload, deque + (", on one processor" if crowded else ""), 1e3 * median(two), 1e3 * median(one), "ms",
               ratio=judgement.ratio, low=judgement.low, high=judgement.high,
               limit=f"not slower by {100 * judgement.threshold:g} %", verdict=verdict)


def two_threads(run):
    """A Row for each deque and application that was run both ways."""
    times, crowded = run_times(run)
    both = {}  # {key: (seconds by one thread, by two)}, each a list
    for key, by_threads in sorted(times.items()):
        if shared := sorted(by_threads[1].keys() & by_threads[2].keys()):
            both[key] = [[by_threads[threads][i] for i in shared] for threads in (1, 2)]
    if not both:
        raise Problem(f"{run.folder} has nothing by one thread and by two: was it a run of threads.suite?")
    judgements = {key: judge(two, one) for key, (one, two) in both.items()}
    adjust_together([judgements[key] for key in both if key not in crowded])
    return [row_of(*key[:2], judgements[key], *both[key], key in crowded) for key in both]


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a folder below results/ that threads.suite wrote")
    run = Run(parser.parse_args().run)
    tell(two_threads(run), run.folder / "threads.csv")


if __name__ == "__main__":
    run_program(main)
