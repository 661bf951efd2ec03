"""python3 -m plots.pages.table RUN: the numbers of the run's figures in the terminal, beside the papers'."""

import textwrap

from harness.judging.cells import grouped, interval_heading
from harness.judging.conditions import circumstances_of
from plots.data.published import text_of
from harness.judging.run_folder import run_of_arguments, run_program
from plots.data.sections import build_sections, missing_as_rows
from harness.judging.summaries import summarize
from harness.judging.text_table import aligned, show
from harness.judging.words import DAGGER_MEANS, NANOSECONDS, UNIT_TEXT, format_number
from plots.figures.drawing import made_of
from plots.figures.picture import Table
from harness.judging.summary import interval_note

NOTE_WIDTH = 100
X_HEADING = {"percent": "%"}


def interval_text(low, high):
    return f"[{format_number(low)}, {format_number(high)}]" if low is not None else ""


def panel_lines(figure, panel):
    """A row a point; the series' name stands at its first."""
    scale = NANOSECONDS[figure.unit]  # the papers' times are kept in ns
    companions = list(dict.fromkeys(heading for series in panel.series for point in series.points
                                    for heading in point.companions))
    unit = UNIT_TEXT.get(figure.unit, figure.unit)
    headings = ["deque", X_HEADING.get(figure.x, figure.x), unit, interval_heading(point.summary.invocations for series in panel.series for point in series.points),
                *(companion_heading(panel, heading) for heading in companions), "paper"]
    rows = []
    for series in panel.series:
        for place, point in enumerate(series.points):
            beside = panel.published_for(series, point.x)
            rows.append([series.name if place == 0 else "", point.x, format_number(point.median),
                         interval_text(point.low, point.high),
                         *(companion_text(point, heading) for heading in companions),
                         text_of(beside, scale)])
    lines = aligned(headings, rows, left={0, len(headings) - 1})
    for value in panel.published_alone():
        if value.is_time:
            lines.append(f"paper, not measured here: {value.series}" + (f" at {figure.x} {value.x}" if value.x else "")
                         + f": {value.text(scale)} {unit}")
    return lines


def companion_heading(panel, heading):
    units = {point.companions[heading].unit for series in panel.series for point in series.points
             if heading in point.companions}
    # Other units are in the heading.
    units = {unit for unit in units if unit in NANOSECONDS or unit.endswith("/s")}
    return f"{heading} ({'/'.join(sorted(units))})" if units else heading


def companion_text(point, heading):
    return format_number(point.companions[heading].median) if heading in point.companions else ""


def rows_beside(section, tables):
    """The rows of values that no figure's table has."""
    if not tables:
        return section.rows
    return [] if section.tag.endswith("-counted") else [row for row in section.rows if not row[0].startswith("contention")]


def generic_lines(section, rows):
    heading = interval_heading(summary.invocations for _, summary in rows)
    rows = [[section.marked(summary.deque) + "".join(f" {flag.upper() if flag == 'unsound' else f'({flag})'}"
                                     for flag in summary.flags),
             text, summary.role, summary.metric, format_number(summary.median),
             interval_text(summary.low, summary.high), summary.unit] for text, summary in rows]
    return aligned(["deque", "cell", "role", "metric", "median", heading, "unit"], rows, left={0, 1, 2, 3, 6})


def made_lines(made):
    """A figure's table: its title, its rows, and how to read it."""
    return [made.title, "", *aligned(made.headings, made.rows, set(range(len(made.headings))) - set(made.numeric)), "",
            *textwrap.wrap(made.caption, NOTE_WIDTH)]


def section_lines(section, tables=()):
    """All lines of a section, with what is missing. tables: (tag, its figures' tables), in place of all values."""
    lines = [section.title, "=" * len(section.title)]
    for panel in section.panels:
        if panel.title:
            lines += ["", panel.title]
        if panel.series:
            lines += ["", *panel_lines(section.figure, panel)]
    for _, made in tables:
        lines += ["", *made_lines(made)]
    rows = rows_beside(section, tables)
    if rows:
        lines += ["", *generic_lines(section, rows)]
    if len(rows) < len(section.rows):
        lines += ["", "All values of this section are in summary.csv."]
    if section.repeating and not section.is_empty:
        lines += ["", DAGGER_MEANS]
    if section.is_empty:
        lines += ["", "no values in this run"]
    if section.missing:
        lines += ["", "not measured:", *missing_lines(section)]
    return lines


def missing_lines(section):
    rows = [list(row) for row in missing_as_rows(section.missing)]
    return ["  " + line for line in aligned(["deque", "cell", "status"], rows, left={0, 1, 2})]


def tables_of(made):
    """{tag: the tables for the text}, of those that drawing.made_of yields."""
    return grouped([one for one in made if isinstance(one[1], Table) and one[1].in_text], lambda one: one[0])


def table_text(run, summaries, sections, conditions=()):
    """The whole table. conditions: sentences about the machine's state meanwhile."""
    tables = tables_of(made_of(run, sections, summaries))
    blocks = ["\n".join(section_lines(section, tables[section.tag])) for section in sections]
    note = interval_note([summary for summary in summaries if summary.role != "process"])
    blocks.append("\n".join(textwrap.fill(text, NOTE_WIDTH) for text in [f"Medians over invocations. {note}".strip(), *conditions]))
    return "\n\n".join(blocks)


def main():
    run, arguments = run_of_arguments(__doc__, ("--ascii", "ASCII only; the default where the terminal is not UTF-8"))
    summaries = summarize(run)
    show(table_text(run, summaries, build_sections(run, summaries), circumstances_of(run, summaries)), arguments.ascii)


if __name__ == "__main__":
    run_program(main)
