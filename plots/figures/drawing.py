"""Draws every figure of a run into RUN/figures, with an index for the report.

matplotlib makes NAME.pdf and NAME.svg. Beside them lie the numbers (NAME.csv), and data and script for gnuplot (NAME.dat,
NAME.gp).
"""

import importlib
import json
import multiprocessing
import os
import pkgutil
from concurrent.futures import ProcessPoolExecutor

from harness.judging.run_folder import Problem, read_text
from harness.judging.files import write_rows
from plots.figures import pictures, with_gnuplot, with_matplotlib
from plots.figures.for_paper import STYLES
from plots.figures.picture import SIDEWAYS, Table

INDEX = "pictures.json"
CSV_COLUMNS = ["frame", "series", "kind", "x", "y", "low", "high", "start", "invocations", "text"]
NO_MATPLOTLIB = "matplotlib is not installed, or older than 3.6; the figures need it (Debian: apt-get install python3-matplotlib)"


def made_of(run, sections, summaries):
    """(tag, Picture or Table) of every figure, in the order of the figures' names. A section's counted twin shows only counts,
    because counting disturbs its times."""
    for name, draw in figures():
        yield from ((tag, made) for tag, made in draw(run, sections, summaries)
                    if name == "counted" or not str(tag).endswith("-counted"))


def figures():
    """[(name, function)] of the modules in pictures/."""
    found = {}
    for place in pkgutil.iter_modules(pictures.__path__):
        module = importlib.import_module(f"{pictures.__name__}.{place.name}")
        found |= getattr(module, "DRAWN", None) or {place.name: module.draw}
    return sorted(found.items())


def draw_all(run, sections, summaries):
    """Draws into RUN/figures, after removing an earlier drawing; returns the paths. Without matplotlib it makes everything else
    before it raises the Problem."""
    folder = run.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("pdf", "svg", "dat", "gp", "csv"):
        for old in folder.glob(f"*.{kind}"):
            old.unlink()
    entries, index, paths, missing, counts = [], [], [], None, counts_of(summaries)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")) as drawing:
        for tag, made in made_of(run, sections, summaries):
            entry, drawn = {"tag": tag, "name": made.name, "title": made.title, "caption": made.caption}, None
            if isinstance(made, Table):
                files = [write_rows(folder / f"{made.name}.csv", made.headings, made.rows)]
                entry |= {"headings": made.headings, "rows": made.rows, "numeric": made.numeric}
            else:
                files = [write_rows(folder / f"{made.name}.csv", CSV_COLUMNS, csv_rows(made, counts)),
                         *with_gnuplot.save(made, folder)]
                drawn = drawing.submit(with_matplotlib.save, made, folder)
            entries.append((entry, files, drawn))
        for entry, files, drawn in entries:
            try:
                files = (drawn.result() if drawn else []) + files
            except ImportError:
                missing = Problem(NO_MATPLOTLIB)
            index.append(entry | {"files": [file.name for file in files]})
            paths += files
    (folder / INDEX).write_text(json.dumps(index, separators=(",", ":")) + "\n", encoding="utf-8")
    if missing:
        raise missing
    return [*paths, folder / INDEX]


def draw_for_paper(run, sections, summaries, name):
    """Draws only the pictures, in a style of for_paper.STYLES, into RUN/figures-NAME; returns the paths."""
    style, folder, paths = STYLES[name], run.folder / f"figures-{name}", []
    folder.mkdir(parents=True, exist_ok=True)
    for _, made in made_of(run, sections, summaries):
        if not isinstance(made, Table):
            picture = style.fitted(made)
            try:
                paths += with_matplotlib.save(picture, folder, style) + with_gnuplot.save(picture, folder, style.size)
            except ImportError:
                raise Problem(NO_MATPLOTLIB) from None
    return paths


def counts_of(summaries):
    """{shape of an interval: how many invocations are behind it}."""
    return {_shape(summary.median, summary.low, summary.high): summary.invocations
            for summary in summaries if summary.median and summary.low is not None}


def _shape(middle, low, high):
    """The ends of an interval over its middle: the same in every unit."""
    return round(low / middle, 7), round(high / middle, 7)


def count_of(layer, mark, counts):
    """The number of invocations behind a mark, found by its interval; None if no summary has this interval."""
    middle = mark.x if layer.kind in SIDEWAYS else mark.y
    return counts.get(_shape(middle, mark.low, mark.high)) if middle and mark.low is not None else None


def csv_rows(picture, counts):
    """A row a mark."""
    for number, frame in enumerate(picture.frames):
        for layer in frame.layers:
            for mark in layer.marks:
                yield [frame.title.replace("\n", " ") or number, layer.label, layer.kind,
                       *("" if value is None else format(value, ".10g")
                         for value in (mark.x, mark.y, mark.low, mark.high, mark.start)),
                       count_of(layer, mark, counts) or "", mark.text.replace("\n", " ")]


def read_index(folder):
    """The drawn figures, in order: [{tag, name, title, caption, files; of a table headings, rows, numeric}]."""
    path = folder / INDEX
    if not path.exists():
        return []
    try:
        return json.loads(read_text(path, "the figures' index"))
    except ValueError as problem:
        raise Problem(f"{path}: {problem}: draw the run again") from None
