"""Draws every figure of a run into RUN/figures.

The scripts in scripts/ make them. Of each there are NAME.csv (its points), NAME.dat and NAME.gp (for gnuplot), NAME.svg.
"""

import importlib
import multiprocessing
import os
import pkgutil
from concurrent.futures import ProcessPoolExecutor

from harness.judging.run_folder import Problem
from harness.judging.words import plain
from harness.judging.files import write_rows
from plots.figures import drawing, gnuplot, scripts
from plots.figures.figure import Table

CSV_COLUMNS = "frame deque series kind x_name x y_name y_unit y low high start invocations text".split()
NO_MATPLOTLIB = "matplotlib is not installed, or older than 3.6; the figures need it (Debian: apt-get install python3-matplotlib)"


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


def draw_all(run, made):
    """Draws into RUN/figures, after removing an earlier drawing. Without matplotlib it makes everything else before it raises the
    Problem."""
    folder = run.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("svg", "dat", "gp", "csv"):
        for old in folder.glob(f"*.{kind}"):
            old.unlink()
    pictures, missing = [], None
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")) as workers:
        for _, one in made:
            if isinstance(one, Table):
                write_rows(folder / f"{one.name}.csv", one.headings, one.rows)
            else:
                write_rows(folder / f"{one.name}.csv", CSV_COLUMNS, csv_rows(one))
                gnuplot.save(one, folder)
                pictures.append(workers.submit(drawing.save, one, folder))
        for drawn in pictures:
            try:
                drawn.result()
            except ImportError:
                missing = Problem(NO_MATPLOTLIB)
    if missing:
        raise missing


def draw_for_paper(run, made, style):
    """Draws only the pictures, as PDF in a style of drawing.STYLES, into RUN/figures-STYLE; returns how many."""
    folder, count = run.folder / f"figures-{style}", 0
    folder.mkdir(parents=True, exist_ok=True)
    for _, one in made:
        if not isinstance(one, Table):
            try:
                drawing.save(one, folder, style)
            except ImportError:
                raise Problem(NO_MATPLOTLIB) from None
            gnuplot.save(one, folder)
            count += 1
    return count
