"""Draws all that the modules of pictures/ find in a run, and keeps an index of it in RUN/figures for the report.

Beside each NAME.pdf and NAME.svg, drawn by matplotlib, lie NAME.csv, the numbers, and NAME.dat and NAME.gp, the same for
gnuplot and its script.
"""

import importlib
import json
import pkgutil
from dataclasses import asdict

from plots.data.foreign import index_of, plain_name
from plots.data.run_folder import Problem, read_text
from plots.data.written import write_rows
from plots.figures import pictures, with_gnuplot, with_matplotlib
from plots.figures.embedded import CSV_COLUMNS, as_data, counts_of, csv_rows
from plots.figures.for_paper import STYLES
from plots.figures.picture import Table

INDEX = "pictures.json"
NO_MATPLOTLIB = "matplotlib is not installed, or older than 3.6; the figures need it (Debian: apt-get install python3-matplotlib)"


def modules():
    for found in sorted(pkgutil.iter_modules(pictures.__path__), key=lambda module: module.name):
        yield importlib.import_module(f"{pictures.__name__}.{found.name}")


def draw_all(run, sections, summaries):
    """Draws into RUN/figures, from which an earlier drawing is removed; returns the paths. Without matplotlib all but
    what it draws is made, before the Problem."""
    folder = run.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("pdf", "svg", "dat", "gp", "csv"):
        for old in folder.glob(f"*.{kind}"):
            old.unlink()
    paths, index, missing, counts = [], [], None, counts_of(summaries)
    for module in modules():
        for tag, made in module.draw(run, sections, summaries):
            entry = {"tag": tag, "name": plain_name(made.name), "title": made.title, "caption": made.caption}
            if isinstance(made, Table):
                files = [save_table(made, folder)]
                entry |= {key: asdict(made)[key] for key in ("headings", "rows", "numeric")}
            else:
                files = [write_rows(folder / f"{made.name}.csv", CSV_COLUMNS, csv_rows(made, counts)),
                         *with_gnuplot.save(made, folder)]
                entry["picture"] = as_data(made, counts)
                try:
                    files = with_matplotlib.save(made, folder) + files
                except ImportError:
                    missing = Problem(NO_MATPLOTLIB)
            index.append(entry | {"files": [file.name for file in files]})
            paths += files
    (folder / INDEX).write_text(json.dumps(index, separators=(",", ":")) + "\n", encoding="utf-8")
    if missing:
        raise missing
    return [*paths, folder / INDEX]


def draw_for_paper(run, sections, summaries, name):
    """Draws the pictures alone, in a style of for_paper.STYLES, into RUN/figures-NAME; returns the paths."""
    style, folder, paths = STYLES[name], run.folder / f"figures-{name}", []
    folder.mkdir(parents=True, exist_ok=True)
    for module in modules():
        for _, made in module.draw(run, sections, summaries):
            if not isinstance(made, Table):
                picture = style.fitted(made)
                try:
                    paths += with_matplotlib.save(picture, folder, style) + with_gnuplot.save(picture, folder, style.size)
                except ImportError:
                    raise Problem(NO_MATPLOTLIB) from None
    return paths


def save_table(table, folder):
    return write_rows(folder / f"{table.name}.csv", table.headings, table.rows)


def read_index(folder):
    """What was drawn, in order: [{tag, name, title, caption, files, and of a table headings, rows, numeric, of a figure
    picture: its values}]."""
    path = folder / INDEX
    if not path.exists():
        return []
    try:
        return index_of(json.loads(read_text(path, "the figures' index")))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as problem:
        raise Problem(f"{path}: {problem}: draw the run again") from None
