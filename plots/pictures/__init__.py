"""Figures drawn by matplotlib and tables of a chapter, one module each in this folder, found by looking.

A module has one function:

    def draw(run, sections, summaries):      yields (tag, Picture) and (tag, Table)

run: run_folder.Run; sections: sections.build_sections; summaries: summarize.summarize. The tag names the section of the
report it is shown under. A module that finds nothing of its own in the run yields nothing. What cannot be shown on this
machine (no counters, one socket) is said in the caption, in words.
"""

import importlib
import json
import os
import pkgutil
from dataclasses import asdict, dataclass, field

from run_folder import EXIT_NOT_WRITTEN, Problem, warn

INDEX = "pictures.json"
FORMATS = ("pdf", "svg")


@dataclass
class Picture:
    """name: of its files; figure: a matplotlib Figure; caption: what it shows and how to read it."""

    name: str
    title: str
    caption: str
    figure: object


@dataclass
class Table:
    """Also written as figures/NAME.csv. rows: texts, as they are to be read."""

    name: str
    title: str
    caption: str
    headings: list
    rows: list
    numeric: list = field(default_factory=list)  # columns that are set flush right


def modules():
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        yield importlib.import_module(f"{__name__}.{found.name}")


def draw_pictures(run, sections, summaries):
    """Draws all that the modules find in the run into RUN/figures; returns the paths. Without matplotlib it says so,
    and the tables are made all the same."""
    folder = run.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    forget(folder)
    paths, index = [], []
    for module in modules_that_can_run():
        for tag, made in module.draw(run, sections, summaries):
            files = save_table(made, folder) if isinstance(made, Table) else save_picture(made, folder)
            entry = {"tag": tag, "files": [file.name for file in files], "name": made.name, "title": made.title,
                     "caption": made.caption}
            if isinstance(made, Table):
                entry |= {key: asdict(made)[key] for key in ("headings", "rows", "numeric")}
            index.append(entry)
            paths += files
    (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return paths


def modules_that_can_run():
    try:
        import matplotlib
        matplotlib.use("Agg")
        matplotlib.rcParams.update({"svg.hashsalt": "stealbench", "svg.fonttype": "none", "font.size": 9,
                                    "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 100})
    except ImportError:
        warn("matplotlib is not installed; the figures that need it are left out (Debian: python3-matplotlib)")
        return []
    return modules()


def forget(folder):
    """Removes what an earlier drawing made."""
    for entry in read_index(folder):
        for name in entry["files"]:
            (folder / os.path.basename(name)).unlink(missing_ok=True)


def read_index(folder):
    """What was drawn, in order: [{tag, name, title, caption, files, and of a table headings, rows, numeric}]."""
    try:
        return json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return []


def save_picture(picture, folder):
    paths = [folder / f"{picture.name}.{kind}" for kind in FORMATS]
    try:
        for path in paths:
            picture.figure.savefig(path, bbox_inches="tight", metadata={"CreationDate": None} if path.suffix == ".pdf"
                                   else {"Date": None})
    except OSError as error:
        raise Problem(f"{picture.name} could not be written: {error}", EXIT_NOT_WRITTEN) from None
    finally:
        import matplotlib.pyplot as pyplot
        pyplot.close(picture.figure)
    return paths


def save_table(table, folder):
    import csv
    path = folder / f"{table.name}.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.headings)
        writer.writerows(table.rows)
    return [path]
