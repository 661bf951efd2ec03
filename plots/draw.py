#!/usr/bin/python3
"""draw.py RUN: everything that is made of a run: summary.csv, the figures, report.html, and the table on the terminal.

The parts alone: summarize.py, report.py, table.py. Exit 3 when gnuplot is missing; all but the figures is made even so.
"""

import argparse

from figures import draw_all
from pictures import draw_pictures
from report import write_report
from run_folder import Problem, Run, run_program, warn
from sections import build_sections
from summarize import summarize, write_summary
from table import print_table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/")
    arguments = parser.parse_args()
    run = Run(arguments.run)
    run.say_what_was_left_out()
    summaries = summarize(run)
    sections = build_sections(run, summaries)
    print_table(summaries, sections)
    made = [write_summary(run, summaries)]
    problem = None
    try:
        made += [path for _, paths in draw_all(run, sections) for path in paths]
    except Problem as found:
        problem = found
    made += draw_pictures(run, sections, summaries)
    made.append(write_report(run, summaries, sections))
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
