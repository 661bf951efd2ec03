"""What both drawing programs decide alike: which series are grey, where axes end, where names stand."""

from dataclasses import replace
from math import log

from harness.judging.words import plain
from plots.figures.figure import Axes, Point
from plots.figures.styles import CLASSIC

LINES_MAX = 10   # lines that colours tell apart; of more only the classic ones are coloured
TICKS_MAX = 9
FAR = 50         # times the median: bars are logarithmic then
MEASURED = ("line", "points")


def settled(figure):
    """The figure as it is drawn, without axes that have no value in this run."""
    return replace(figure, parts=[settled_axes(axes) for axes in figure.parts if any(one.points for one in axes.series)])


def settled_axes(axes):
    """One value of x is a bar a series."""
    lines = [one for one in axes.series if one.kind in MEASURED]
    if axes.rows or not lines or len({point.x for one in lines for point in one.points}) > 1:
        return axes
    x = lines[0].points[0].x
    made = Axes("", axes.y, axes.unit, ", ".join(filter(None, [axes.title, f"{axes.x}: {x}"])), rows=True)
    bars = sorted(lines, key=lambda one: one.points[0].value.y)
    made.series = [replace(one, kind="bars", points=[Point(one.name, one.points[0].value)]) for one in bars]
    for one in axes.series:
        beside = next((other.name for other in bars if other.deque == one.deque), one.name)
        points = [replace(point, x=beside) for point in one.points if point.x == x]
        if one.kind == "paper" and points:
            made.series.append(replace(one, points=points))
    return made


def is_faint(axes, series):
    """Is it one of too many lines, and not known to every reader?"""
    if axes.rows or series.kind not in MEASURED or series.deque in CLASSIC:
        return False
    return sum(one.kind in MEASURED for one in axes.series) > LINES_MAX


def scale_of(axes):
    """The logarithmic axes; bars whose values lie far apart are logarithmic, too."""
    values = sorted(point.value.y for one in axes.series if one.kind == "bars" for point in one.points)
    far = axes.rows and values and values[0] > 0 and values[-1] > FAR * values[len(values) // 2]
    return axes.log + "y" * bool(far and "y" not in axes.log)


def y_limits(axes):
    """Where the axis of values ends. An interval counts up to twice its lower end, and references only if there is nothing else: a
    disturbed point, or a loop that does nothing, would flatten all the others."""
    some = [one for one in axes.series if not one.reference] or axes.series
    points = [point for one in some for point in one.points]
    values = [point.value.y for point in points] + [axes.level] * (axes.level is not None)
    values += [min(point.value.high, 2 * point.value.low) for point in points if point.value.high and point.value.low]
    low, high = axes.limits
    if "y" in scale_of(axes):
        values = [value for value in values if value > 0] or [1]
        values += [point.value.low for point in points if point.value.low and point.value.low > 0]
        room = 1.6 if axes.rows else 1.35
        return low or min(values) / (2 if axes.rows else 1.3), high or max(values) * room
    top = max(values, default=0) or 1
    least = min(values + [0])
    return least * 1.15 if low is None else low, top * (1.3 if axes.rows else 1.1) if high is None else high


def x_limits(axes):
    categories = axes.categories()
    if categories:
        return -0.6, len(categories) - 0.4
    xs = axes.xs() + ([axes.upright[0]] if axes.upright else [])
    if "x" in axes.log:
        return min(xs) / 1.15, max(xs) * 1.15
    room = 0.05 * (max(xs) - min(xs)) or 1
    return min(xs) - room, max(xs) + room


def ticks_of(axes):
    """[(place, text)] of the x axis; None: the drawing program chooses."""
    if axes.categories():
        return list(enumerate(axes.categories()))
    xs = axes.xs()
    return [(x, plain(x)) for x in xs] if len(xs) <= TICKS_MAX and all(float(x).is_integer() for x in xs) else None


def title_of(axes):
    return ", ".join(filter(None, [axes.title, axes.upright[1] if axes.upright else ""]))


def places_of(axes):
    """A function that says where a point stands on the x axis."""
    places = {x: place for place, x in enumerate(axes.categories())}
    return lambda point: places.get(point.x, point.x)


def shelves(axes):
    """{name: how far its bars lie from the middle of a row}, and the thickness of a bar: bars of one row lie below each other."""
    bars = [one for one in axes.series if one.kind == "bars"]
    together = {}
    for one in bars:
        for x in dict.fromkeys(point.x for point in one.points):
            together.setdefault(x, []).append(one.name)
    most = max(map(len, together.values()), default=1)
    if most == 1:
        return {one.name: 0 for one in bars}, 0.7
    names = list(dict.fromkeys(one.name for one in bars))
    return {name: 0.8 * ((place + 0.5) / len(names) - 0.5) for place, name in enumerate(names)}, 0.74 / len(names)


def names_at_the_end(axes):
    """[(series, its last point, where its name stands)] of the grey lines, from 0 at the bottom to 1 at the top."""
    (low, high), logarithmic = y_limits(axes), "y" in scale_of(axes)

    def height(value):
        if logarithmic:
            return log(max(value, low) / low) / log(high / low)
        return (value - low) / (high - low)

    ends = sorted(((one, one.points[-1]) for one in axes.series if is_faint(axes, one)), key=lambda end: end[1].value.y)
    step = 0.1 / (size_of(axes)[1] - 0.5)  # of a line of small letters
    places = []
    for _, point in ends:  # upwards from the lowest, then down again from the top
        places.append(max(min(1.0, height(point.value.y)), places[-1] + step if places else -0.03))
    for place in range(len(places) - 1, -1, -1):
        places[place] = min(places[place], (places[place + 1] - step) if place + 1 < len(places) else 1.05)
    return [(*end, place) for end, place in zip(ends, places)]


def labels_of(figure):
    """The legend: {label: (series, its look)}. Bars whose rows have their names need none; nor do grey lines with names at their ends."""
    found = {}
    for axes in figure.parts:
        rows = set(axes.categories()) if axes.rows else set()
        alone = axes.rows and all(value == 0 for value in shelves(axes)[0].values())
        for one in axes.series:
            if one.name and not (is_faint(axes, one) or one.name in rows or one.kind == "bars" and alone and one.name == one.deque):
                found.setdefault(legend_text(one), one)
    return found


def legend_text(series):
    """A paper's series with few values says them, because bounds cannot be seen."""
    texts = list(dict.fromkeys(point.text for point in series.points if point.text)) if series.kind == "paper" else []
    return series.name + (f": {', '.join(texts)}" if 0 < len(texts) <= 2 else "")


def size_of(axes):
    """(width, height) in inches."""
    if axes.rows:
        bars = max(1, round(0.74 / shelves(axes)[1]))
        return 4.6, 0.7 + len(axes.categories()) * max(0.22, 0.12 * bars)
    names = sum(is_faint(axes, one) for one in axes.series)
    return 5.8, max(3.0, 0.4 + 0.115 * names)
