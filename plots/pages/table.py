"""python3 -m plots.pages.table RUN: the numbers of the run's figures in the terminal, beside the papers'."""

import textwrap

from harness.judging.cells import grouped, interval_heading, intervals_are
from harness.judging.conditions import circumstances_of
from harness.judging.run_folder import run_of_arguments, run_program
from harness.judging.summaries import summarize
from harness.judging.text_table import aligned, show
from harness.judging.words import DAGGER_MEANS, format_number, plain
from plots.data.sections import build_sections
from plots.figures.figure import Table
from plots.figures.layout import settled_axes
from plots.figures.making import made_of

NOTE_WIDTH = 100
COLUMNS_MAX = 9  # values of x; of more the first, the last and some in between


def interval_text(low, high):
    return f"[{format_number(low)}, {format_number(high)}]" if low is not None else ""


def pivot(axes):
    """(headings, rows, how many columns are flush left) of one pair of axes: a row a series and a column a value of x; of bars a row
    a bar with its interval, and the paper's value beside it."""
    axes = settled_axes(axes)
    if axes.rows:
        return bars_table(axes)
    xs = axes.categories() or axes.xs()
    if len(xs) > COLUMNS_MAX:
        xs = [xs[place * (len(xs) - 1) // (COLUMNS_MAX - 1)] for place in range(COLUMNS_MAX)]
    rows = []
    for one in axes.series:
        found = {point.x: point for point in one.points}
        if any(x in found for x in xs):
            rows.append([one.name, *((found[x].text if one.kind == "paper" and found[x].text else format_number(found[x].value.y))
                                     if x in found else "" for x in xs)])
    return [axes.label, *(x if isinstance(x, str) else plain(x) for x in xs)], rows, 1


def bars_table(axes):
    bars = [one for one in axes.series if one.kind not in ("paper", "guide")]
    stated = {(point.x): point.text or format_number(point.value.y) for one in axes.series if one.kind == "paper" for point in one.points}
    several = any(one.name != point.x for one in bars for point in one.points) and len({one.name for one in bars}) > 1
    rows = [[point.x, one.name if several else "", format_number(point.value.y), interval_text(*point.value[1:3]), stated.get(point.x, "")]
            for x in axes.categories() for one in bars for point in one.points if point.x == x]
    counts = [point.value.invocations or 0 for one in bars for point in one.points]
    return [axes.x or "deque", "series", axes.label, interval_heading(counts), "paper"], rows, 2


def figure_lines(figure):
    lines = [figure.title]
    for axes in figure.parts:
        headings, rows, left = pivot(axes)
        if rows:
            lines += ["", *([axes.title] if axes.title else []), *aligned(headings, rows, set(range(left)))]
    return lines


def table_lines(made):
    """A figure's table: its title, its rows, and how to read it."""
    return [made.title, "", *aligned(made.headings, made.rows, set(range(len(made.headings))) - set(made.numeric)), "",
            *textwrap.wrap(made.caption, NOTE_WIDTH)]


def generic_lines(section):
    rows = [[section.marked(summary.deque) + "".join(f" {flag.upper() if flag == 'unsound' else f'({flag})'}"
                                     for flag in summary.flags),
             text, summary.role, summary.metric, format_number(summary.median),
             interval_text(summary.low, summary.high), summary.unit] for text, summary in section.rows]
    heading = interval_heading(summary.invocations for _, summary in section.rows)
    return aligned(["deque", "cell", "role", "metric", "median", heading, "unit"], rows, left={0, 1, 2, 3, 6})


def section_lines(section, made=()):
    """All lines of a section, with what is missing. made: its figures and tables, in place of all values."""
    lines, shown = [section.title, "=" * len(section.title)], [one for one in made if not isinstance(one, Table) or one.in_text]
    for one in shown:
        lines += ["", *(table_lines if isinstance(one, Table) else figure_lines)(one)]
    if not shown and section.rows:
        lines += ["", *generic_lines(section)]
    if section.repeating and section.rows:
        lines += ["", DAGGER_MEANS]
    if not section.rows:
        lines += ["", "no values in this run"]
    if section.missing:
        missing = aligned(["deque", "cells", "why"], [list(one) for one in section.missing], {0, 1, 2})
        lines += ["", "not measured:", *(f"  {line}" for line in missing)]
    return lines


def table_text(summaries, sections, made, conditions=()):
    """made: what making.made_of yields. conditions: sentences for the end."""
    by_tag = grouped(made, lambda one: one[0])
    blocks = ["\n".join(section_lines(section, [one for _, one in by_tag[section.tag]])) for section in sections]
    note = intervals_are([summary for summary in summaries if summary.role != "process"])
    blocks.append("\n".join(textwrap.fill(text, NOTE_WIDTH) for text in [note, *conditions]))
    return "\n\n".join(blocks)


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    show(table_text(summaries, build_sections(run, summaries), list(made_of(run, summaries)), circumstances_of(run, summaries)))
    show(f"\nfigures and a report of it: ./run.sh report {run.folder}")


if __name__ == "__main__":
    run_program(main)
