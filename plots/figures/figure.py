"""What a figure is, and all that its author needs: a Figure has Axes, and Axes have series of points.

A script in scripts/ chooses cells of a run, says what x is, what makes a line and what stands beside it (docs/tutorial_figure.md).
drawing.py and gnuplot.py draw it; its points are written to figures/NAME.csv as they are.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.judging.cells import intervals_are, grouped, notes_of, varying_parameters
from harness.judging.metrics import value_of
from harness.judging.summaries import usable
from harness.judging.words import NANOSECONDS, UNIT_TEXT, format_number, in_order, words_for
from plots.figures.styles import GREY, Look, look_of, paper_look

VARIANT_PARAMETERS = ["push", "prelinked", "form", "walk", "seed"]  # settings that make a variant of one deque


class Value(NamedTuple):
    """A median with its interval, and over how many invocations."""

    y: float
    low: float = None
    high: float = None
    invocations: int = None


@dataclass
class Point:
    """x: a number, or a text, which is a category. start: where a bar begins. text: written beside a bar."""

    x: object
    value: Value
    start: float = 0.0
    text: str = ""


@dataclass
class Series:
    name: str  # in the legend
    kind: str  # line; points (alone); bars (from 0); spans (from start); paper (hollow: what it states); guide (grey, without points)
    look: Look
    points: list
    deque: str = ""
    reference: bool = False


@dataclass
class Axes:
    """x, y: names of the axes; unit: of y. log: of "", "x", "y", "xy". rows: categories stand below each other, values go to the
    right. order: of the categories. limits: of y."""

    x: str
    y: str
    unit: str = ""
    title: str = ""
    log: str = ""
    rows: bool = False
    order: list = None
    limits: tuple = (None, None)
    upright: tuple = None  # (x of a line across, what it is)
    level: float = None    # of y, of a line across
    series: list = field(default_factory=list)

    def line(self, deque, points, name="", variant=0, emulated=False, reference=False, kind="line"):
        """points: (x, Value or number) pairs. variant: the place among several settings of this deque."""
        made = sorted((Point(x, as_value(value)) for x, value in points), key=lambda point: place_of(point.x))
        if made:
            self.series.append(Series(name or deque, kind, look_of(deque, variant, emulated), made, deque, reference))

    def bar(self, deque, x, value, name="", **how):
        """A bar of that deque in the category x. Bars of one name are one series."""
        self.mark(name or deque, "bars", look_of(deque), Point(x, as_value(value), **how), deque)

    def paper(self, name, deque, points, twin=0):
        """What a paper states, hollow. points: (x, y, its bound or other text). twin: tells two series of one deque apart."""
        for x, y, text in points:
            self.mark(name, "paper", paper_look(deque, twin), Point(x, Value(y), text=text), deque)

    def guide(self, name, points):
        if points:
            self.series.append(Series(name, "guide", Look(GREY, "", "dotted", 1.2), [Point(x, Value(y)) for x, y in points]))

    def mark(self, name, kind, look, point, deque=""):
        """Adds a point to the series of that name."""
        mine = next((one for one in self.series if (one.name, one.kind, one.look) == (name, kind, look)), None)
        if mine is None:
            self.series.append(mine := Series(name, kind, look, [], deque))
        mine.points.append(point)

    @property
    def label(self):
        return f"{self.y} ({UNIT_TEXT.get(self.unit, self.unit)})" if self.unit else self.y

    def categories(self):
        """The texts on the x axis in order; [] if x is a number."""
        found = dict.fromkeys(point.x for one in self.series for point in one.points)
        if all(isinstance(x, (int, float)) for x in found):
            return []
        return [x for x in dict.fromkeys(self.order) if x in found] if self.order else list(found)

    def xs(self):
        return sorted({point.x for one in self.series for point in one.points}) if not self.categories() else []


@dataclass
class Figure:
    """name: of its files. columns: of axes side by side; 0: all."""

    name: str
    title: str
    caption: str
    columns: int = 0
    parts: list = field(default_factory=list)

    def axes(self, x, y, **how):
        self.parts.append(Axes(x, y, **how))
        return self.parts[-1]

    def __bool__(self):
        return any(one.points for axes in self.parts for one in axes.series)


@dataclass
class Table:
    """Also written as figures/NAME.csv. rows: texts. in_text: stands in table.txt."""

    name: str
    title: str
    caption: str
    headings: list
    rows: list
    numeric: list = field(default_factory=list)  # columns that are set flush right
    in_text: bool = False


def as_value(value):
    return value if isinstance(value, Value) else Value(value)


def place_of(x):
    return in_order(x) if isinstance(x, str) else (0, x, "")


# --- what is measured

@dataclass(frozen=True)
class Measure:
    """A metric of a cell; without role and metric the cell's value, which is what the verdicts are on. unit: times are converted to it;
    scale: other values are multiplied."""

    role: str = ""
    metric: str = ""
    unit: str = ""
    scale: float = 1.0

    def summary(self, cell):
        return cell.value(self.role, self.metric) if self.role else usable(value_of(cell.metrics.values()))

    def __call__(self, cell):
        """Its Value; None if there is none, or if a unit of time is set and it is no time."""
        found = self.summary(cell)
        if found is None or self.unit and found.unit not in NANOSECONDS:
            return None
        return Value(*found.scaled(NANOSECONDS[found.unit] / NANOSECONDS[self.unit] if self.unit else self.scale), found.invocations)

    def median(self, cell):
        found = self(cell)
        return found and found.y

    def text(self, cell):
        return format_number(self.median(cell))


TIME = Measure("pool", "run_time", "ms")


def unit_of(nanoseconds, units=("s", "ms", "us")):
    """The largest unit in which this time is 1 or more, else the last."""
    return next((unit for unit in units if nanoseconds >= NANOSECONDS[unit]), units[-1])


# --- which cells, and what makes a line

def alike(cells, names):
    """Cells in groups that have these settings in common."""
    return list(grouped(cells, lambda cell: tuple(cell.params.get(name, "") for name in names)).values())


def settings_of(cells):
    """The settings that take several values for at least one deque. A mode that only one deque has, with one value, is left out."""
    by_deque = grouped(cells, lambda cell: cell.deque).values()
    return [name for name in varying_parameters([cell.params for cell in cells])
            if any(len({cell.params.get(name) for cell in mine}) > 1 for mine in by_deque)]


def named(stem, groups, names):
    """(name, settings, cells) for each group: the stem of its files, with those settings (names) that differ."""
    settings = [{name: group[0].params.get(name, "") for name in names} for group in groups]
    differing = varying_parameters(settings)
    for setting, group in zip(settings, groups):
        yield "-".join([stem, *(slug(f"{name}-{setting[name]}") for name in differing)]), setting, group


def slug(text):
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def in_words(setting, names=None):
    """'victims=random, warm caches'; settings without a value are left out."""
    return ", ".join(words_for(name, setting[name]) for name in (setting if names is None else names) if setting.get(name))


def lines_of(cells, x, apart=(), among=None):
    """[(cells of a line, what its settings say, its place among the lines of its deque)]. A line has one deque and one setting of all
    but x and what is drawn apart. among: cells that the words and places tell it from; these alone if None."""
    def key(cell):
        return cell.deque, tuple(sorted((name, value) for name, value in cell.params.items()
                                        if name != x and name not in apart and name != "seed"))

    chosen, seen = {cell.name for cell in cells}, {}
    for (deque, _), mine in grouped(among or cells, key).items():
        names = [name for name in settings_of([cell for cell in among or cells if cell.deque == deque]) if name != x and name not in apart]
        names.sort(key=lambda name: (VARIANT_PARAMETERS.index(name) if name in VARIANT_PARAMETERS else len(VARIANT_PARAMETERS), name))
        place = seen[deque] = seen.get(deque, -1) + 1
        mine = [cell for cell in mine if cell.name in chosen]
        if mine:
            yield mine, in_words(mine[0].params, names), place


def add_lines(axes, cells, x, measure, apart=(), of_x=None, among=None):
    """A line for each deque and setting of these cells. of_x(text): what stands on the axis; a number if it is None."""
    for mine, words, place in lines_of(cells, x, apart, among):
        points = [((of_x or number)(cell.params[x]), measure(cell)) for cell in mine if measure(cell)]
        if points:
            emulated = any("emulated" in cell.flags for cell in mine)
            name = mine[0].deque + mine[0].marks + (f", {words}" if words else "") + " (emulated)" * emulated
            axes.line(mine[0].deque, points, name, place, emulated, mine[0].reference)


def number(text):
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def caption(text, cells, measure=None):
    """The text, then sentences on the intervals of this measure and on the cells' marks and flags."""
    told = [text, intervals_are([measure.summary(cell) for cell in cells]) if measure else "", notes_of(cells)]
    return " ".join(filter(None, told))


# --- tables

def table(name, title, text, columns, items, in_text=False):
    """A row an item. columns: (heading, the value of an item: a Measure, a function or a key); "#heading" is set flush right."""
    def say(what, item):
        told = what.text(item) if isinstance(what, Measure) else what(item) if callable(what) else item[what]
        return "" if told is None else str(told)

    headings = [heading.removeprefix("#") for heading, _ in columns]
    return Table(name, title, text, headings, [[say(what, item) for _, what in columns] for item in items],
                 [place for place, (heading, _) in enumerate(columns) if heading.startswith("#")], in_text)


def param(name):
    """A column with a setting."""
    return lambda cell: cell.params.get(name, "")


def section_title(run, tag):
    return dict(run.section_titles()).get(tag, "")
