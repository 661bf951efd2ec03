"""python3 -m plots.draw RUN: summary.csv, summary.md, scorecard.csv, the figures, report.html, table.txt. Prints the table if it
fits a screen, and what was found. --to writes the report as a folder for a static host.

Single parts: harness.judging.summaries, plots.pages.table, plots.pages.conclusions. Exit 3 if matplotlib is missing; everything but
the pictures is still made.
"""

import gc
from pathlib import Path

from harness.judging.run_folder import run_of_arguments, run_program, warn, write_whole
from harness.judging.scorecard import score, write_scorecard
from harness.judging.summaries import summarize, write_summary, write_wide
from harness.judging.text_table import show
from plots.data.matrix import build_matrix
from plots.data.sections import build_sections
from plots.figures.drawing import STYLES
from plots.figures.figure import Table
from plots.figures.making import draw_all, made_of
from plots.pages.conclusions import conclusions, show_conclusions
from plots.pages.matrix import summary_text
from plots.pages.report import publish, report_html
from plots.pages.table import table_text
from plots.pages.trust import remarks

SCREEN = 60  # lines; a longer table is only in table.txt and the report


def main():
    gc.disable()  # a run's samples are many objects, and none of them goes, but looking for garbage would take a fifth of the time
    run, arguments = run_of_arguments(__doc__, ("--style", "only the figures, for a paper or slides", list(STYLES)),
                                      ("--wide", "also wide.csv: summary.csv with a column for each parameter"),
                                      ("--to", "write the report as a folder for a static host", None))
    summaries = summarize(run)
    if arguments.wide:
        print(write_wide(run, summaries))
    made = list(made_of(run, summaries))
    problem = draw_all(run, made, arguments.style)
    if not arguments.style:
        draw_page(run, summaries, made)
    if problem:
        raise problem
    if arguments.style:
        print(f"{run.folder / f'figures-{arguments.style}'}: {sum(not isinstance(one, Table) for _, one in made)} figures")
    if arguments.to:
        print(f"{arguments.to}: {publish(run, Path(arguments.to))} files, no dead link; its first page is index.html")


def draw_page(run, summaries, made):
    """All but the figures."""
    sections, matrix, scores = build_sections(run, summaries), build_matrix(run, summaries), score(run, summaries)
    table, trust = table_text(summaries, sections, made), remarks(run, summaries)
    write_summary(run, summaries)
    write_whole(run.folder / "summary.md", summary_text(run, matrix, trust))
    write_scorecard(run, scores)
    write_whole(run.folder / "table.txt", table + "\n")
    write_whole(run.folder / "report.html", report_html(run, summaries, sections, made, scores, matrix, trust))
    for section in sections:
        if section.missing and not section.rows:
            warn(f"{section.title}: nothing to draw ({', '.join(sorted({why for *_, why in section.missing}))})")
    if len(table.splitlines()) <= SCREEN:
        show(table + "\n")
    show_conclusions(conclusions(run, summaries, matrix, scores), run)


if __name__ == "__main__":
    run_program(main)
