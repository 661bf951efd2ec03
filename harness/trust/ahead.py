"""python3 -m harness.trust.ahead: our fastest deques beside the best of the originals, in turns, in one run.

    suite BUILD      the suite for the originals that BUILD (build) describes, on standard output
    judge RUN        the table, in Markdown

Each row names the original that is best in it. A ratio above 1 is slower than that one, as in fidelity.
"""

import argparse

from harness.judging import descriptions
from harness.judging.pairs import compare, is_throughput
from harness.judging.run_folder import PROGRAM, Problem, Run, run_program
from harness.judging.summaries import summarize, usable
from harness.judging.text_table import markdown, show
from harness.judging.words import format_number

OURS = ("weir", "bwos_lifo", "chase_lev")

# Title, (role, metric), and the cell. Sizes fit the originals whose capacity is a constant of the program: 1024.
ROWS = {
    "push": ("push", "owner:push_latency", "push batch=1 push=single capacity=1024"),
    "push128": ("push of 128 items", "owner:push_latency", "push batch=128 capacity=1024"),
    "pop": ("pop, 512 deep", "owner:pop_latency", "pop size=512 capacity=1024"),
    "pair": ("push and pop, 512 deep", "owner:pair_latency", "pair size=512 capacity=1024"),
    "steal": ("single steal by the owner's own thread", "thief:steal_latency_per_item",
              "steal size=512 percent=100 form=single capacity=1024"),
    "busy": ("single steal beside a busy owner", "thief:steal_latency_per_item",
             "steal size=512 percent=50 form=single capacity=1024 owner=busy"),
    "owner": ("owner that fills 512 and drains, a thief without pause", "owner:owner_operations",
              "contention thieves=1 frequency=max capacity=512"),
    "steals": ("the thief's steals in it", "thief:thief_operations", ""),
}


def print_suite(arguments):
    originals = sorted(deque for deque in descriptions.deques(arguments.build) if deque.startswith("upstream/"))
    if not originals:
        raise Problem("no original is built here; queues/upstream/README.md tells how")
    print("title Ahead: our fastest deques beside the originals\ninvocations 7\nrepetitions 3\nminimum_time 0.02\ntimeout 120")
    for tag, (title, _, cell) in ROWS.items():
        if cell:
            workload, _, settings = cell.partition(" ")
            print(f"\n[{tag}] {title}\n{workload} deque={','.join([*OURS, *originals])} {settings}")


def best_of(summaries):
    """The original that is best in a row; None: none has a value."""
    originals = [one for one in summaries if one.deque.startswith("upstream/")]
    return min(originals, key=lambda one: -one.median if is_throughput(one.unit) else one.median, default=None)


def shown(summary):
    return format_number(summary.median / 1e6 if is_throughput(summary.unit) else summary.median)


def beside(ours, best):
    """A deque's value, and its ratio to the best original's."""
    if not ours:
        return ""
    compared = best and compare(ours, best)
    value = shown(ours)
    return value if not compared else f"{value} ({compared.ratio:.2f})" if compared.low is None else (
        f"{value} ({compared.ratio:.2f} [{compared.low:.2f}, {compared.high:.2f}])")


def table(summaries):
    lines, tag = [], None
    for name, (title, value, cell) in ROWS.items():
        tag = name if cell else tag  # a row without a cell is another value of the cell before
        row = [one for one in summaries if tag in one.tags and f"{one.role}:{one.metric}" == value and usable(one)]
        best, by_id = best_of(row), {one.deque: one for one in row}
        if row:
            other = f"{best.deque.removeprefix('upstream/')} {shown(best)}" if best else ""
            unit = "million/s" if is_throughput(row[0].unit) else row[0].unit
            lines.append([f"{title}, {unit}", other, *(beside(by_id.get(deque), best) for deque in OURS)])
    return markdown(["", "best original", *OURS], lines)


def judge(arguments):
    lines = table(summarize(Run(arguments.run)))
    if len(lines) < 3:
        raise Problem("nothing could be compared")
    show("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("suite", help="print the suite").add_argument("build", help="its folder: build")
    verbs.add_parser("judge", help="print the table").add_argument("run", help="a folder below results/")
    arguments = parser.parse_args()
    return print_suite(arguments) if arguments.verb == "suite" else judge(arguments)


if __name__ == "__main__":
    run_program(main)
