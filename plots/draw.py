"""python3 -m plots.draw RUN: summary.csv, summary.md, scorecard.csv, the figures, report.html, table.txt; on the terminal
one screen.

The parts alone: plots.pages.summary, plots.pages.scorecard, plots.pages.table. Exit 3 when matplotlib is missing; all but
the figures is made even so.
"""

import textwrap

from plots.data.matrix import build_matrix
from plots.data.run_folder import Problem, run_of_arguments, run_program, warn
from plots.data.sections import build_sections
from plots.data.summaries import summarize
from plots.data.written import write_whole
from plots.figures.drawing import draw_all, draw_for_paper
from plots.figures.for_paper import STYLES
from plots.pages.benchmark import write_benchmark
from plots.pages.findings import finding
from plots.pages.matrix import write_summary_text
from plots.pages.report import write_report
from plots.pages.scorecard import score, write_scorecard
from plots.pages.summary import write_summary
from plots.pages.table import show, table_text


def main():
    run, arguments = run_of_arguments(__doc__, ("--style", "the figures alone, for a paper or slides", list(STYLES)))
    summaries = summarize(run)
    sections = build_sections(run, summaries)
    if arguments.style:
        made = draw_for_paper(run, sections, summaries, arguments.style)
        print(f"{run.folder / f'figures-{arguments.style}'}: {sum(path.suffix == '.pdf' for path in made)} figures")
        return
    table = table_text(summaries, sections)
    scores = score(run, summaries)
    matrix = build_matrix(run, summaries)
    made = [write_summary(run, summaries), write_summary_text(run, summaries, matrix), write_scorecard(run, scores),
            write_benchmark(run), write_whole(run.folder / "table.txt", table + "\n")]
    problem = None
    try:
        made += draw_all(run, sections, summaries)
    except Problem as found:
        problem = found
    made.append(write_report(run, summaries, sections, scores, matrix))
    say_what_was_not_drawn(sections)
    show(table if len(table.splitlines()) <= SCREEN else one_screen(run, sections))
    print("\n" + "\n".join(files_text(made)))
    if problem:
        raise problem


SCREEN = 60  # lines of a table that is shown whole; of a longer one its sections, and where the whole is
WIDTH = 110


def one_screen(run, sections):
    """A line a section: what it found, in the words of findings.py, or how much of it there is."""
    lines = [f"{run.manifest.get('suite_title') or run.manifest.get('suite') or run.name}: "
             f"{len(run.cells)} cells, {len(run.invocations)} invocations", ""]
    for section in sections:
        panel = next((panel for panel in section.panels if panel.series), None)
        text = finding(section, panel) if panel else f"{len(section.rows)} values" if section.rows else "no value"
        missing = f"; {len(section.missing)} not measured" if section.missing else ""
        tag = f"{section.tag or '-':<18} "
        lines += [tag + textwrap.shorten(text.rstrip("."), WIDTH - len(tag + missing), placeholder=" ...") + missing]
    return "\n".join(lines)


def files_text(made):
    """What was made, but of the figures their number alone."""
    lines = [str(path) for path in made if path.parent.name != "figures"]
    pictures = [path for path in made if path.suffix == ".pdf"]
    if pictures:
        lines.append(f"{pictures[0].parent}: {len(pictures)} figures (pdf, svg; numbers .dat; gnuplot scripts .gp)")
    return lines


def say_what_was_not_drawn(sections):
    for section in sections:
        if section.figure and not any(panel.series for panel in section.panels):
            reasons = sorted({missing.status for missing in section.missing})
            warn(f"{section.title}: nothing to draw" + (f" ({', '.join(reasons)})" if reasons else ""))


if __name__ == "__main__":
    run_program(main)
