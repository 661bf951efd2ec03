"""python3 -m plots.predicted RUN: the figures of a prediction (proof/simulate) and its summary.csv, and nothing that judges: no
scorecard, no findings, no order of deques."""

from plots.data.run_folder import EXIT_USAGE, Problem, run_of_arguments, run_program
from plots.data.summaries import summarize
from plots.figures.drawing import draw_all
from plots.pages.summary import write_summary


def main():
    run, _ = run_of_arguments(__doc__)
    if not run.manifest.get("predicted"):
        raise Problem(f"{run.folder} was measured, not predicted: ./run.sh report draws it", EXIT_USAGE)
    summaries = summarize(run)
    write_summary(run, summaries)
    draw_all(run, [], summaries)


if __name__ == "__main__":
    run_program(main)
