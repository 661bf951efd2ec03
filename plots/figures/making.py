"""Draws every figure of a run into RUN/figures.

The scripts in scripts/ make them. Of each there are NAME.csv (its points), NAME.dat and NAME.gp (for gnuplot), NAME.svg.
"""

import importlib
import multiprocessing
import os
import pkgutil
from concurrent.futures import ProcessPoolExecutor

from harness.judging.run_folder import Problem, write_rows
from harness.judging.words import plain
from plots.figures import drawing, gnuplot, scripts
from plots.figures.figure import Table

CSV_COLUMNS = "frame deque series kind x_name x y_name y_unit y low high start invocations text".split()


def made_of(run, summaries):
    """(tag, Figure or Table) of every script, by the scripts' names. A section's counted twin shows only counts, because counting
    disturbs its times."""
    for place in sorted(pkgutil.iter_modules(scripts.__path__), key=lambda place: place.name):
        draw = importlib.import_module(f"{scripts.__name__}.{place.name}").draw
        for tag, made in draw(run, summaries):
            if (place.name == "counted" or not str(tag).endswith("-counted")) and (made if not isinstance(made, Table) else made.rows):
                yield tag, made


def csv_rows(figure):
    """A row a point."""
    return [[axes.title, one.deque, one.name, one.kind, axes.x, point.x if isinstance(point.x, str) else plain(point.x), axes.y, axes.unit,
             *("" if value is None else format(value, ".10g") for value in (*point.value[:3], point.start or None)),
             point.value.invocations or "", point.text] for axes in figure.parts for one in axes.series for point in one.points]


def draw_all(run, made, style=None):
    """Draws into RUN/figures, after removing an earlier drawing; in a style of drawing.STYLES into RUN/figures-STYLE. Returns
    the Problem if there is no matplotlib: everything else is made."""
    folder, problem = run.folder / ("figures" + f"-{style}" * bool(style)), None
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        if old.suffix in (".svg", ".pdf", ".dat", ".gp", ".csv"):
            old.unlink()
    try:
        drawing.load()
    except Problem as found:
        problem = found
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")) as workers:
        pictures = []
        for _, one in made:
            if isinstance(one, Table):
                write_rows(folder / f"{one.name}.csv", one.headings, one.rows)
            else:
                write_rows(folder / f"{one.name}.csv", CSV_COLUMNS, csv_rows(one))
                gnuplot.save(one, folder)
                if not problem:
                    pictures.append(workers.submit(drawing.save, one, folder, style))
        for drawn in pictures:
            drawn.result()
    return problem
