"""python3 -m harness.judging.summary RUN: samples.csv in, summary.csv out: one row for each cell, role and metric."""

from harness.judging.cells import intervals_are
from harness.judging.run_folder import run_of_arguments, run_program, write_rows
from harness.judging.summaries import COLUMNS, summarize


def write_summary(run, summaries):
    """Writes RUN/summary.csv; returns its path."""
    return write_rows(run.folder / "summary.csv", COLUMNS, (summary.as_row() for summary in summaries))


def write_wide(run, summaries):
    """Writes RUN/wide.csv, the same with a column for each parameter in place of params; returns its path."""
    names = sorted({name for summary in summaries for name in summary.params})
    packed = COLUMNS.index("params")
    rows = ([*row[:packed], *(summary.params.get(name, "") for name in names), *row[packed + 1:]]
            for summary in summaries for row in [summary.as_row()])
    return write_rows(run.folder / "wide.csv", [*COLUMNS[:packed], *(f"param_{name}" for name in names), *COLUMNS[packed + 1:]], rows)


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    path = write_summary(run, summaries)
    print(f"{path}: {len(summaries)} rows from {len(run.invocations)} invocations")
    print(intervals_are([summary for summary in summaries if summary.role != "process"]))


if __name__ == "__main__":
    run_program(main)
