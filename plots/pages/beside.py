"""python3 -m plots.pages.beside RUN [RUN...] [--output FILE]: runs of several machines or revisions side by side.

One page: each run and how far to trust it, the differences between them, and the matrix with a line a run: the value and its
ratio to the first run's. The runs were not measured in turns, so there is no verdict; the intervals of hatched cells overlap
(docs/results.md). With one RUN its own report is made again.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from plots.data.matrix import build_matrix
from harness.judging.run_folder import EXIT_USAGE, PROGRAM, Problem, Run, differing_conditions, run_program
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from harness.judging.files import write_whole
from plots.figures.making import made_of
from plots.pages import matrix as matrix_page
from plots.pages.report import files_of, table, templates, write_report
from plots.pages.trust import remarks, when, where
from harness.judging.statistics import keeps_clear
from harness.judging.statistics.distances import at_one_place

NAME = "beside.html"


@dataclass
class Side:
    """A run that was read. label: its name, or its folder if two have that name."""

    label: str
    run: object
    summaries: list
    matrix: object


@dataclass
class Value:
    """A deque in a case of one run. ratio: to the first run, above 1 is worse. apart: the intervals do not overlap."""

    text: str
    ratio: float = None
    apart: bool = False


def read_side(folder, label):
    run = Run(folder)
    run.say_what_was_left_out()
    summaries = summarize(run)
    return Side(label, run, summaries, build_matrix(run, summaries))


def labels_of(folders):
    """Names that tell the folders apart."""
    names = [Path(folder).resolve().name for folder in folders]
    return [name if names.count(name) == 1 else str(folder) for name, folder in zip(names, folders)]


def lines_of(sides):
    """(the cases of all runs, each once; rows of (deque, label, values))"""
    cases = {}
    for side in sides:
        for case in side.matrix.cases:
            cases.setdefault(question_of(case), case)
    deques = list(dict.fromkeys(row.deque for side in sides for row in side.matrix.rows if row.ranked))
    rows = []
    for deque in deques:
        for side in sides:
            mine = {question_of(case): case for case in side.matrix.cases}
            values = [value_of(sides[0], side, mine.get(question), deque, question) for question in cases]
            rows.append((deque, side.label, values))
    return list(cases.values()), rows


def question_of(case):
    """The identity of a case: equal in two runs if they can be compared."""
    return case.name, case.kind.workload, case.kind.metric, tuple(sorted(case.settings.items()))


def value_of(first, side, case, deque, question):
    entry = case.entries.get(deque) if case else None
    if entry is None:
        return None
    summary = entry.summary
    value = Value(matrix_page.value_text(summary.median, summary.unit))
    if side is first:
        return value
    other = next((one.entries.get(deque) for one in first.matrix.cases if question_of(one) == question), None)
    if other is None:
        return value
    if not at_one_place(other.summary.distance, summary.distance):
        value.text += f", threads {summary.distance_class or 'at no known distance'}: not compared"
        return value
    better_first = (other.summary, summary) if not case.kind.higher else (summary, other.summary)
    value.ratio = better_first[1].median / better_first[0].median
    low, high = sorted((summary, other.summary), key=lambda one: one.median)
    value.apart = bool(keeps_clear((low.low, low.high), (high.low, high.high)))
    return value


def beside_html(sides):
    cases, rows = lines_of(sides)
    heads = [{"label": side.label, "title": side.run.manifest.get("suite_title") or side.run.name, "where": where(side.run),
              "when": when(side.run), "commit": str(side.run.manifest.get("commit") or "")[:12],
              "trust": remarks(side.run, side.summaries), "files": list(files_of(side.run))} for side in sides]
    differing = [[what, sides[0].label, ours, side.label, theirs] for side in sides[1:]
                 for what, ours, theirs in differing_conditions(sides[0].run, side.run)]
    return templates().get_template("beside.html").render(
        name=" beside ".join(side.label for side in sides), heads=heads, cases=cases, rows=rows,
        differing=differing and table(["what", "run", "there", "other run", "there"], differing),
        page=matrix_page)


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Several runs side by side; one run: its report.")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a folder below results/")
    parser.add_argument("--output", metavar="FILE", help=f"file to write; default: {NAME} in the first run's folder")
    arguments = parser.parse_args()
    folders = arguments.runs
    if len({Path(folder).resolve() for folder in folders}) < len(folders):
        raise Problem("a run is named twice", EXIT_USAGE)
    if len(folders) == 1:
        run = Run(folders[0])
        summaries = summarize(run)
        print(write_report(run, summaries, build_sections(run, summaries), list(made_of(run, summaries))))
        return
    sides = [read_side(folder, label) for folder, label in zip(folders, labels_of(folders))]
    print(write_whole(Path(arguments.output) if arguments.output else sides[0].run.folder / NAME, beside_html(sides)))


if __name__ == "__main__":
    run_program(main)
