"""Functions from which figures are built: a metric on an axis (Of), cells into pictures, rows and lines, a table's columns.
Everything here makes a Picture, a Table or a part of one; nothing draws.

A figure is a function of (run, sections, summaries) that yields (section's tag, Picture or Table). DRAWN of a module in
pictures/ names them.
"""

import re
from dataclasses import dataclass, replace
from functools import partial

from harness.judging.cells import bars_are, grouped, notes_of, varying_parameters
from plots.data.published import read_published
from harness.judging.words import NANOSECONDS, format_number, words_for
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Table, bars_axis, rows_axis
from plots.figures.styles import BEHIND, GREY

COLUMNS = 5  # of small multiples


@dataclass(frozen=True)
class Of:
    """A metric of a cell, on an axis or in a column. unit: times are converted to it; scale: other values are multiplied."""

    role: str
    metric: str
    unit: str = ""
    scale: float = 1.0

    def summary(self, cell):
        return cell.value(self.role, self.metric)

    def __call__(self, cell):
        """(median, low, high); None without a value, or if a unit of time is set and the value is no time."""
        found = self.summary(cell)
        if found is None or self.unit and found.unit not in NANOSECONDS:
            return None
        return found.scaled(NANOSECONDS[found.unit] / NANOSECONDS[self.unit] if self.unit else self.scale)

    def median(self, cell):
        found = self(cell)
        return found and found[0]

    def text(self, cell):
        return format_number(self.median(cell))


TIME = Of("pool", "run_time", "ms")
thesis = partial(read_published, file="bwos_thesis.csv")  # thesis(figure): the BWoS thesis's values of it


def unit_of(nanoseconds, units=("s", "ms", "us")):
    """The largest unit in which this time is 1 or more, else the last."""
    return next((unit for unit in units if nanoseconds >= NANOSECONDS[unit]), units[-1])


# --- cells into pictures

def alike(cells, names):
    """Cells in groups that have these settings in common."""
    return list(grouped(cells, lambda cell: tuple(cell.params.get(name, "") for name in names)).values())


def named(stem, groups, names):
    """(name, settings, cells) for each group: the stem of its files and those of the settings (names) that differ."""
    settings = [{name: group[0].params.get(name, "") for name in names} for group in groups]
    for setting, group, name in zip(settings, groups, told_apart_by_settings(stem, settings)):
        yield name, setting, group


def told_apart_by_settings(stem, settings):
    varying = varying_parameters(settings)
    return ["-".join([stem, *(slug(f"{name}-{one[name]}") for name in varying if name in one)]) for one in settings]


def slug(text):
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def settings_of(cells):
    """The settings that take several values for at least one deque. A mode that only one deque has, with one value, is left out."""
    by_deque = grouped(cells, lambda cell: cell.deque).values()
    return [name for name in varying_parameters([cell.params for cell in cells])
            if any(len({cell.params.get(name) for cell in mine}) > 1 for mine in by_deque)]


def told_of(cells):
    """The settings that tell these cells, or curves, apart: those that vary; a deque's own mode only if it varies within a deque."""
    asked = settings_of(cells)
    return [name for name in varying_parameters([cell.params for cell in cells])
            if name in asked or all(name in cell.params for cell in cells)]


def in_words(setting, names=None):
    """'victims=random, warm caches'; settings without a value are left out."""
    return ", ".join(words_for(name, setting[name]) for name in (setting if names is None else names) if setting.get(name))


def caption(text, cells, measure=None):
    """The text, then sentences on the bars of this measure and on the cells' marks and flags."""
    told = [text, bars_are([measure.summary(cell) for cell in cells]) if measure else "", notes_of(cells)]
    return " ".join(filter(None, told))


# --- rows

def rows_frame(label, entries, names, title="", room=bars_axis, **more):
    """A frame of bars with these names of rows. entries: of row_layers(). room(label, layers): the axis."""
    layers = row_layers(entries, thickness=more.pop("thickness", 0.7))
    return Frame(layers, room(label, layers), rows_axis(names, more.pop("named", True)), title, "x", **more)


def row_layers(entries, kind="bars", thickness=0.7, texts=True):
    """Layers of entries (row, (median, low, high), look, label); those with the same label are one."""
    layers = {}
    for row, (middle, *ends), look, label in entries:
        mark = Mark(middle, row, *ends, text=format_number(middle) if texts else "")
        layers.setdefault(label or len(layers), Layer([], look, kind, label, thickness)).marks.append(mark)
    return list(layers.values())


def in_row(place, count, width=0.6):
    """Where the place-th of several stands within its row, as a distance from the middle."""
    return width * ((place + 0.5) / count - 0.5)


# --- lines

def line(points, look, label="", kind="curve"):
    """A layer through (x, (median, low, high)), by x."""
    return Layer([Mark(x, *value) for x, value in sorted(points, key=lambda point: point[0])], look, kind, label)


def in_frames(lines):
    """[(title, layers)] of [(deque, its title, variant, layer)]. Few lines share one frame without a title. Many lines get a frame
    for each deque: its own lines in colour, all others in grey behind them; the legend then names the variants."""
    layers = [layer for *_, layer in lines]
    if len(lines) <= LINES_MAX:
        return [("", layers)]
    frames = []
    for owner, title in dict((owner, title) for owner, title, *_ in lines).items():
        mine = [replace(layer, label="") for one, *_, layer in lines if one == owner]
        behind = [replace(layer, look=BEHIND, kind="line", label="") for one, *_, layer in lines if one != owner]
        for start in range(0, len(mine), LINES_MAX):
            frames.append((title, behind + mine[start:start + LINES_MAX]))
    variants = dict.fromkeys((variant, layer.look.dash) for *_, variant, layer in lines if variant)
    frames[0][1].extend(Layer([], Look(GREY, "", dash), "line", variant) for variant, dash in variants)
    return frames


def ends_of(layers):
    """All ends of intervals above 0."""
    return [end for layer in layers for mark in layer.marks for end in layer.interval(mark) if end > 0]


def threads_axis(threads, label="threads"):
    """A logarithmic axis with a tick for each number of threads."""
    return Axis(label, "log2", min(threads) / 1.15, max(threads) * 1.15, [(number, str(number)) for number in threads])


def oversubscribed(curves):
    """((left, right) of a grey ground under points with more threads than processors, its sentence), or (None, "")."""
    over = sorted({point.threads for curve in curves for point in curve.points if point.oversubscribed})
    fine = [point.threads for curve in curves for point in curve.points if not point.oversubscribed]
    if not over:
        return None, ""
    left = (over[0] * max([threads for threads in fine if threads < over[0]], default=over[0] / 2)) ** 0.5
    return (left, over[-1] * 1.15), (f"Grey ground: more threads than processors (from {over[0]} on); they say how the "
                                     "system shared out the processors.")


# --- tables

def table(name, title, caption, columns, items, in_text=False):
    """A row an item. columns: (heading, the value of an item: an Of, a function or a key); "#heading" is set flush right."""
    def say(what, item):
        text = what.text(item) if isinstance(what, Of) else what(item) if callable(what) else item[what]
        return "" if text is None else str(text)

    headings = [heading.removeprefix("#") for heading, _ in columns]
    return Table(name, title, caption, headings, [[say(what, item) for _, what in columns] for item in items],
                 [place for place, (heading, _) in enumerate(columns) if heading.startswith("#")], in_text)


def param(name):
    """A column with a setting."""
    return lambda cell: cell.params.get(name, "")
