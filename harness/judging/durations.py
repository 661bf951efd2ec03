"""Writes what the sections of a run took into suites/durations.csv, from which the driver estimates runs of the same suite on
machines that have not made one: python3 -m harness.judging.durations RUN."""

from statistics import mean

from harness.judging.defaults import ROOT
from harness.judging.files import write_rows
from harness.judging.run_folder import run_of_arguments, run_program, table_rows

FILE = ROOT / "suites" / "durations.csv"
COLUMNS = ["suite", "section", "workload", "seconds"]


def rows_of(run):
    """A row of each section and workload: the mean seconds of an invocation. A cell belongs to its first section."""
    seconds = {}
    for (cell, _), rows in run.invocations.items():
        planned, took = run.cells[cell], rows[-1]["value"]
        if took is not None:
            seconds.setdefault((planned["tags"][0], planned["workload"]), []).append(took)
    return [[run.manifest["suite"], section, workload, f"{mean(values):.2g}"]
            for (section, workload), values in seconds.items()]


def main():
    run, _ = run_of_arguments(__doc__)
    new = rows_of(run)
    kept = [list(row.values()) for row in table_rows(FILE, COLUMNS) if row["suite"] != run.manifest["suite"]]
    write_rows(FILE, COLUMNS, kept + new)


if __name__ == "__main__":
    run_program(main)
