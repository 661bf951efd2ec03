"""python3 -m harness.judging.summary RUN: samples.csv in, summary.csv out: one row for each cell, role and metric."""

from harness.judging import statistics as statistics_of
from harness.judging.run_folder import run_of_arguments, run_program
from harness.judging.summaries import COLUMNS, summarize
from harness.judging.files import write_rows


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


def interval_note(summaries):
    """A warning if the intervals of these rows rest on few invocations, or ''."""
    counts = [summary.invocations for summary in summaries if summary.invocations]
    fewest = min(counts, default=0)
    if not counts or fewest >= statistics_of.LEAST_PAIRS:
        return ""
    if fewest == 1:
        return "Some values come from one invocation: they have no interval."
    return (f"As few as {fewest} invocations: below 6 a range is shown, from the least to the most, which covers the true "
            f"median in {100 * statistics_of.range_coverage(fewest):.0f} % of cases with {fewest}, not in 95 %.")


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    path = write_summary(run, summaries)
    print(f"{path}: {len(summaries)} rows from {len(run.invocations)} invocations")
    note = interval_note([summary for summary in summaries if summary.role != "process"])
    if note:
        print(note)


if __name__ == "__main__":
    run_program(main)
