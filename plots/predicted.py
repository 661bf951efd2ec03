"""python3 -m plots.predicted RUN: the figures of a prediction (proof/simulate), its summary.csv and its page, and nothing that judges:
no scorecard, no findings, no order of deques."""

from plots.data.run_folder import EXIT_USAGE, Problem, run_of_arguments, run_program
from plots.data.summaries import summarize
from plots.data.written import write_whole
from plots.figures.drawing import draw_all, read_index
from plots.figures.pictures.predicted import machines_of
from plots.pages.report import entries_of, templates
from plots.pages.summary import write_summary


def draw_predicted(run):
    summaries = summarize(run)
    write_summary(run, summaries)
    try:
        draw_all(run, [], summaries)
    finally:  # without matplotlib there are tables
        index = read_index(run.folder / "figures")
        tags = dict.fromkeys(made["tag"] for made in index)
        about = run.manifest.get("predicted") or {}
        write_whole(run.folder / "report.html", templates().get_template("predicted.html").render(
            name=run.name, about=about, machines=machines_of(about, "published" if about.get("beside") else ""),
            command=run.manifest.get("command") or [],
            entries=[entry for tag in tags for entry in entries_of(run, tag, index, {})]))


def main():
    run, _ = run_of_arguments(__doc__, predictions=True)
    if not run.predicted:
        raise Problem(f"{run.folder} was measured, not predicted: ./run.sh report draws it", EXIT_USAGE)
    draw_predicted(run)


if __name__ == "__main__":
    run_program(main)
