"""python3 -m plots.draw RUN: summary.csv, summary.md, scorecard.csv, the figures, report.html, and the table on the
terminal.

The parts alone: plots.pages.summary, plots.pages.scorecard, plots.pages.table. Exit 3 when matplotlib is missing; all but
the figures is made even so.
"""

from plots.data.matrix import build_matrix
from plots.data.run_folder import Problem, run_of_arguments, run_program, warn
from plots.data.sections import build_sections
from plots.data.summaries import summarize
from plots.figures.drawing import draw_all
from plots.pages.matrix import write_summary_text
from plots.pages.report import write_report
from plots.pages.scorecard import score, write_scorecard
from plots.pages.summary import write_summary
from plots.pages.table import show, table_text


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    sections = build_sections(run, summaries)
    show(table_text(summaries, sections))
    scores = score(run, summaries)
    matrix = build_matrix(run, summaries)
    made = [write_summary(run, summaries), write_summary_text(run, summaries, matrix), write_scorecard(run, scores)]
    problem = None
    try:
        made += draw_all(run, sections, summaries)
    except Problem as found:
        problem = found
    made.append(write_report(run, summaries, sections, scores, matrix))
    say_what_was_not_drawn(sections)
    print("\n" + "\n".join(map(str, made)))
    if problem:
        raise problem


def say_what_was_not_drawn(sections):
    for section in sections:
        if section.figure and not any(panel.series for panel in section.panels):
            reasons = sorted({missing.status for missing in section.missing})
            warn(f"{section.title}: nothing to draw" + (f" ({', '.join(reasons)})" if reasons else ""))


if __name__ == "__main__":
    run_program(main)
