"""python3 -m extras.transplants.ratios RUN: a runtime with our deques against the same with its own, as a table."""

import argparse

from harness.judging.run_folder import EXIT_MISSING, PROGRAM, Run, run_program
from extras.runtimes.data import time_text
from harness.judging.summaries import summarize
from extras.transplants.data import compare
from harness.judging.text_table import markdown

HEADINGS = ["work", "its own", "deque", "with ours", "ratio", "with ours it is"]


def cells_of(row, before):
    first = before is None or (before.tag, before.host) != (row.tag, row.host)
    return [row.title if first else "", time_text(row.against.their_time, row.unit) if first else "", row.deque,
            time_text(row.against.time, row.unit), row.against.text, row.against.judged.verdict]


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/ that ./run.sh extras transplants made")
    run = Run(parser.parse_args().run)
    run.say_what_was_left_out()
    rows = compare(run, summarize(run))
    if not rows:
        print("nothing to compare: no section has both the host's own deque and another")
        return EXIT_MISSING
    print("\n".join(markdown(HEADINGS, [cells_of(row, before) for row, before in zip(rows, [None, *rows])])))
    return 0


if __name__ == "__main__":
    run_program(main)
