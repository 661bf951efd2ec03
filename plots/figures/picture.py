"""A figure as a value, for any drawing program (with_matplotlib.py, with_gnuplot.py).

A Picture has Frames, each with a pair of axes. A Frame has Layers, drawn one over the other. A Layer has Marks in one Look.
"""

import math
from dataclasses import dataclass, field

from harness.judging.words import plain

# How a layer draws its marks.
KINDS = {
    "curve": "a shape at each mark, joined, with intervals up and down",
    "points": "the same, not joined",
    "line": "the join alone",
    "across": "a shape at each mark, with intervals to the left and right: for rows",
    "bars": "lying boxes from start to x on row y, with intervals, and their text behind them",
    "band": "the area between low and high over x",
}
SIDEWAYS = {"across", "bars"}  # low and high belong to x, not to y


@dataclass(frozen=True)
class Look:
    colour: str
    shape: str = "circle"  # with_matplotlib.SHAPES; "": none
    dash: str = "solid"    # one of styles.OWN_DASHES; of emulated series alone styles.EMULATED_DASHES
    width: float = 1.6
    hollow: bool = False   # a paper's values alone
    hatched: bool = False  # bars


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    low: float = None
    high: float = None
    start: float = 0.0
    text: str = ""


@dataclass
class Layer:
    marks: list
    look: Look
    kind: str = "curve"
    label: str = ""  # in the legend, where each label stands once; "": none
    thickness: float = 0.7  # of bars, in rows
    size: float = 1.0  # of shapes

    def interval(self, mark):
        """(low, high) of a mark; its value twice if it has no interval."""
        value = mark.x if self.kind in SIDEWAYS else mark.y
        return (value if mark.low is None else mark.low, value if mark.high is None else mark.high)


@dataclass
class Axis:
    """low above high: reversed. ticks: [(place, text)]; None: the drawing program chooses."""

    label: str = ""
    scale: str = "linear"  # log, log2; asinh: logarithmic except near 0
    low: float = None
    high: float = None
    ticks: list = None
    steep: bool = False  # tick texts are turned
    hidden: bool = False  # tick texts stand only in a frame that is leftmost where it is drawn

    @property
    def shown(self):
        """The ticks as a picture of a fixed width has them."""
        return [(place, "" if self.hidden else text) for place, text in self.ticks]

    def fit(self, values):
        """Sets the ends and ticks of a logarithmic axis that were not given, from the values that it shows."""
        positive = [value for value in values if value > 0]
        if not positive:
            return
        low, high = min(positive), max(positive)
        room = 1.15 if high < 10 * low else 1.4
        self.low = low / room if self.low is None else self.low
        self.high = high * room if self.high is None else self.high
        self.ticks = doubling_ticks(self.low, self.high) if self.scale == "log2" else logarithmic_ticks(self.low, self.high)


@dataclass
class Text:
    """At a place of the axes. y None: at the top."""

    x: float
    y: float
    text: str
    align: str = "left"
    colour: str = "#303030"


@dataclass
class Rule:
    """A straight line across the frame."""

    at: float
    upright: bool = True
    colour: str = "#8A8A8A"
    dash: str = "dotted"


@dataclass
class Arrow:
    """A bound: from its place upwards (way 1) or downwards (-1), where the value lies."""

    x: float
    y: float
    way: int


@dataclass
class Field:
    """A matrix of values (None: no value), row 0 on top. label: of its scale."""

    rows: list
    label: str


@dataclass
class Frame:
    layers: list
    x: Axis
    y: Axis
    title: str = ""
    grid: str = "y"  # x, y, both or nothing
    rules: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    arrows: list = field(default_factory=list)
    ground: tuple = None  # (from, to): a grey ground between two places of x
    field: Field = None
    says: str = ""  # in the middle of an empty frame

    def __post_init__(self):
        """Says why a frame is empty, and gives logarithmic axes their ends."""
        if not (self.says or self.field or any(layer.marks for layer in self.layers)):
            self.says = "no value in this run"
        bars = [mark for layer in self.layers for mark in layer.marks if layer.kind == "bars"]
        if bars and not self.says and all(mark.x == 0 and not mark.text for mark in bars):
            self.says = "0 of all"
        for axis, sideways in ((self.x, True), (self.y, False)):
            if axis.scale in ("log", "log2") and axis.ticks is None:
                axis.fit(self.reach(sideways))

    def reach(self, sideways):
        """All values of the marks along x (sideways) or y, with the ends of intervals."""
        found = []
        for layer in self.layers:
            for mark in layer.marks:
                found.append(mark.x if sideways else mark.y)
                if sideways == (layer.kind in SIDEWAYS):
                    found += layer.interval(mark)
        return found


@dataclass
class Picture:
    """name: of its files. caption: says what it shows and how to read it. Sizes in inches, without title and legend."""

    name: str
    title: str
    caption: str
    frames: list
    width: float = 7.0
    height: float = 3.6
    columns: int = 0  # 0: all frames side by side

    @property
    def shape(self):
        """(rows, columns)"""
        columns = self.columns or len(self.frames)
        return -(-len(self.frames) // columns), columns

    def labels(self):
        """The legend: {label: its first layer}."""
        found = {}
        for frame in self.frames:
            for layer in frame.layers:
                if layer.label:
                    found.setdefault(layer.label, layer)
        return found

    def legend_columns(self, size=8):
        """How many labels stand side by side, in letters of that size (points)."""
        longest = max(map(len, self.labels()), default=1)
        return max(1, min(4, len(self.labels()), int(self.width / ((0.5 + 0.068 * longest) * size / 8))))


@dataclass
class Table:
    """Also written as figures/NAME.csv. rows: texts. in_text: stands in table.txt, in place of all values of its section."""

    name: str
    title: str
    caption: str
    headings: list
    rows: list
    numeric: list = field(default_factory=list)  # columns that are set flush right
    in_text: bool = False


def rows_axis(labels, named=True):
    """An axis of rows, the first on top. named: with their labels."""
    return Axis(low=len(labels) - 0.4, high=-0.6, ticks=list(enumerate(labels)), hidden=not named)


def bars_axis(label, layers, room=1.3):
    """An axis from 0 with room for the texts behind the bars of these layers."""
    ends = [max(layer.interval(mark)[1], mark.x) for layer in layers for mark in layer.marks]
    return Axis(label, low=0, high=room * (max(ends, default=0) or 1))


FAR = 50  # times the median


def counts_axis(label, layers):
    """As bars_axis, but logarithmic away from 0 if the longest bar would hide the others."""
    values = sorted(mark.x for layer in layers for mark in layer.marks)
    if not values or values[-1] <= FAR * max(1, values[len(values) // 2]):
        return bars_axis(label, layers)
    return asinh_axis(label, values[-1], 20 * values[-1], every=2)


def asinh_axis(label, most, high, every=1):
    """An axis from 0, logarithmic except near 0, with ticks at 0 and at every so many powers of ten up to most."""
    return Axis(label, "asinh", 0, high, ticks_of([0, *(10 ** power for power in range(0, 10, every) if 10 ** power <= most)]))


def ticks_of(values):
    return [(value, plain(value)) for value in values]


def log_axis(label, low, high, most=None):
    """A logarithmic axis between these ends; most: how many ticks a small frame has room for."""
    ticks = logarithmic_ticks(low, high)
    return Axis(label, "log", low, high, ticks[::-(-len(ticks) // most) or 1] if most else ticks)


TICKS_MOST, TICKS_LEAST = 9, 3


def doubling_ticks(low, high):
    """The powers of two between two ends; if they are too many, each second one and so on."""
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return ticks_of(2.0 ** power for power in powers[::-(-len(powers) // TICKS_MOST) or 1])


def logarithmic_ticks(low, high):
    """Ticks between two ends: each power of ten, or every second one and so on if there are too many; 1, 2, 5 if there are few;
    steps as on a linear axis if the ends are near each other."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def within(values):
        return [value for value in values if low <= value <= high]

    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        found = within(step * 10.0 ** power for power in powers for step in steps)
        if len(found) > TICKS_MOST:
            return ticks_of(found[::-(-len(found) // TICKS_MOST)])
        if len(found) >= TICKS_LEAST + (len(steps) < 3):
            return ticks_of(found)
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    step *= next((times for times in (5, 2) if (high - low) / (times * step) >= TICKS_LEAST), 1)
    return ticks_of(round(value, 12) for value in within(step * place for place in range(
        math.floor(low / step), math.ceil(high / step) + 1)))
