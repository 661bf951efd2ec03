"""python3 -m plots.draw RUN: summary.csv, summary.md, scorecard.csv, the figures, report.html, table.txt. Prints the table if it
fits a screen, and the five sentences.

Single parts: harness.judging.summary, harness.judging.scorecard, plots.pages.table, plots.pages.conclusions. Exit 3 if matplotlib is
missing; everything but the figures is still made.
"""

from plots.data.matrix import build_matrix
from harness.judging.run_folder import Problem, run_of_arguments, run_program, warn
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from harness.judging.text_table import show
from harness.judging.files import write_whole
from plots.figures.drawing import draw_all, draw_for_paper
from plots.figures.for_paper import STYLES
from plots.pages.benchmark import write_benchmark
from plots.pages.conclusions import conclusions, show_conclusions
from plots.pages.matrix import write_summary_text
from plots.pages.report import write_report
from harness.judging.scorecard import score, write_scorecard
from harness.judging.summary import write_summary
from plots.pages.table import table_text


def main():
    run, arguments = run_of_arguments(__doc__, ("--style", "only the figures, for a paper or slides", list(STYLES)))
    summaries = summarize(run)
    sections = build_sections(run, summaries)
    if arguments.style:
        made = draw_for_paper(run, sections, summaries, arguments.style)
        print(f"{run.folder / f'figures-{arguments.style}'}: {sum(path.suffix == '.pdf' for path in made)} figures")
        return
    table = table_text(run, summaries, sections)
    scores = score(run, summaries)
    matrix = build_matrix(run, summaries)
    write_summary(run, summaries)
    write_summary_text(run, summaries, matrix)
    write_scorecard(run, scores)
    write_benchmark(run)
    write_whole(run.folder / "table.txt", table + "\n")
    problem = None
    try:
        draw_all(run, sections, summaries)
    except Problem as found:
        problem = found
    write_report(run, summaries, sections, scores, matrix)
    say_what_was_not_drawn(sections)
    if len(table.splitlines()) <= SCREEN:
        show(table + "\n")
    show_conclusions(conclusions(run, summaries, matrix, scores), run)
    if problem:
        raise problem


SCREEN = 60  # lines; a longer table is only in table.txt and the report


def say_what_was_not_drawn(sections):
    for section in sections:
        if section.figure and not any(panel.series for panel in section.panels):
            reasons = sorted({missing.status for missing in section.missing})
            warn(f"{section.title}: nothing to draw" + (f" ({', '.join(reasons)})" if reasons else ""))


if __name__ == "__main__":
    run_program(main)
