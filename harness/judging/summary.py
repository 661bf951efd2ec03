"""python3 -m harness.judging.summary RUN: samples.csv in, summary.csv out: one row for each cell, role and metric."""

from harness.judging.cells import intervals_are
from harness.judging.run_folder import run_of_arguments, run_program, write_rows
from harness.judging.summaries import COLUMNS, summarize


def write_summary(run, summaries):
    """Writes RUN/summary.csv; returns its path."""
    return write_rows(run.folder / "summary.csv", COLUMNS, (summary.as_row() for summary in summaries))


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    path = write_summary(run, summaries)
    print(f"{path}: {len(summaries)} rows from {len(run.invocations)} invocations")
    print(intervals_are([summary for summary in summaries if summary.role != "process"]))


if __name__ == "__main__":
    run_program(main)
