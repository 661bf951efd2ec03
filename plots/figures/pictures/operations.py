"""Figures 6 to 8 of the bulk paper and pop: each panel of a section, or a group of its series, beside what it states.

Settings that make several panels (the method, an idle or a busy owner) make several pictures.
"""

import math
import textwrap
from collections import Counter
from dataclasses import dataclass, replace

from plots.data.published import text_of
from plots.data.cells import GREY_MEANS, bars_are
from plots.data.words import DAGGER_MEANS, NANOSECONDS, format_number, in_order, sentence
from plots.figures.grammar import slug
from plots.figures.groups import groups_of
from plots.figures.picture import Arrow, Axis, Frame, Layer, Look, Mark, Picture, Rule, Text, rows_axis, ticks_of
from plots.figures.styles import BEHIND, GREY, Looks, variants_of

METHODS = {"corrected": "corrected method", "published": "published method (Pause/Resume)"}
LABEL_COLUMN = 21  # characters of a bar's name before it is wrapped
WIDTH = 5.8
TICKS_MAX = 12
WIDE = 30  # times the lowest value: beyond that groups of deques need a logarithmic axis


@dataclass
class Drawing:
    """One picture: a panel of a section, or a group of its series."""

    section: object
    panel: object
    name: str
    title: str
    group: str  # which series are named; "": all
    ranked: object  # the panel that its sentence speaks of: the first of several groups speaks of all deques


def draw(run, sections, _summaries):
    looks = Looks(run)
    drawings = drawings_of(sections)
    for drawing in drawings:
        if drawing.section.figure.x == "method":
            frames, height = bars(drawing, looks), 0.6 + 0.33 * len(drawing.panel.series)
        else:
            frames, height = [curves(drawing, drawings, looks)], 3.2
        yield drawing.section.tag, Picture(drawing.name, drawing.title, caption_of(drawing), frames,
                                           WIDTH if len(frames) == 1 else 1.5 * WIDTH, height)


def drawings_of(sections):
    """Every panel with something in it."""
    drawings = []
    for section in sections:
        for place, panel in enumerate([panel for panel in section.panels if panel.series]):
            settings = "".join(f"-{name}-{value}" for name, value in panel.settings.items())
            name = section.figure.name if place == 0 else slug(section.figure.name + settings)
            # Curves of many deques are drawn group by group; bars stand below each other, however many.
            groups = [("", panel)] if section.figure.x == "method" else groups_of(panel)
            for number, (group, part) in enumerate(groups):
                title = "\n".join(filter(None, (section.title, panel.title, sentence(group))))
                drawings.append(Drawing(section, part, f"{name}-{slug(group)}" if number else name, title, group,
                                        part if number else panel))
    return drawings


def points_of(panel):
    return [point for series in panel.series for point in series.points]


def caption_of(drawing):
    """What it shows, and what the marks of this panel mean."""
    panel, figure = drawing.panel, drawing.section.figure

    def some(trait):
        return any(getattr(series, trait) for series in panel.series)

    return " ".join(text for said, text in (
        (True, figure.caption + (f": {panel.title}" if panel.title else "") + "."),
        (drawing.group, f"In colour: {drawing.group}."),
        (True, bars_are([point.summary for point in points_of(panel)])),
        (panel.published, "Hollow points: values that the paper states, from its machine; no line is drawn through them."),
        (some("emulated"), "Dashed, emulated: the deque lacks this form and repeats single operations."),
        (some("unsound"), "UNSOUND: this deque loses or doubles items; its speed is no achievement."),
        (some("repeats"), f"{DAGGER_MEANS}."), (some("reference"), GREY_MEANS),
        (panel.behind, "Thin and light grey: all other deques, on the same axes.")) if said)


def remark(panel):
    """A legend's line that explains the dagger."""
    return [Layer([], Look("#FFFFFF", "", width=0), "line", DAGGER_MEANS)] if any(series.repeats for series in panel.series) else []


def cut_note(points, top):
    """What the axis says of intervals that end above its top, or ''."""
    cut = sum(point.span[1] > top for point in points)
    return f"\n{cut} interval{'s reach' if cut > 1 else ' reaches'} beyond the axis: see the table" if cut else ""


# --- curves

def curves(drawing, drawings, looks):
    """Series over x, and what the paper states as hollow points."""
    panel, figure = drawing.panel, drawing.section.figure
    low, high, end = value_range(drawing, drawings)
    logarithmic = figure.logarithmic or bool(drawing.group) and high > WIDE * low > 0
    top = (max(high * 2, end) if end < 20 * high else high * 20) if logarithmic else high * 1.15
    stated = [value for value in panel.published if value.metric in figure.metrics and value.x is not None]
    xs = sorted({*map(float, panel.xs()), *(float(value.x) for value in stated)})
    places = variants_of((series.deque, series.variant) for series in panel.series)
    mine = [looks.of(series.deque, place, series.emulated) for series, place in zip(panel.series, places)]
    layers = [Layer([Mark(float(point.x), point.median) for point in series.points], BEHIND, "line", "all other deques")
              for series in panel.behind]
    # The legend runs as the curves lie at their right end.
    for series, look in sorted(zip(panel.series, mine), key=lambda pair: -pair[0].points[-1].median):
        layers.append(Layer([Mark(float(point.x), point.median, *point.span) for point in series.points], look,
                            label=series.label))
    layers += papers_layers(panel, figure, stated, looks) + remark(panel)
    frame = Frame(layers, x_axis(figure, xs, cut_note(points_of(panel), top)),
                  Axis(figure.labels[1], "log" if logarithmic else "linear", low / 2 if logarithmic else 0, top))
    frame.texts, frame.arrows = bounds(stated, NANOSECONDS[figure.unit], lambda value: math.log(
        value / low) / max(math.log(high / low), 1e-9) if logarithmic else value / high)
    add_crossover(frame, panel, xs)
    return frame


def value_range(drawing, drawings):
    """(lowest, highest, highest end of an interval) over all panels that differ in the method or the group only: they share an
    axis. Intervals are no part of highest: one wild interval would squeeze all medians together."""
    def rest(settings):
        return {name: value for name, value in settings.items() if name != "method"}

    scale = NANOSECONDS[drawing.section.figure.unit]
    values, ends = [], []
    for other in drawings:
        if other.section is drawing.section and rest(other.panel.settings) == rest(drawing.panel.settings):
            values += [point.median for point in points_of(other.panel)]
            ends += [point.span[1] for point in points_of(other.panel)]
            values += [value.value / scale for value in other.panel.published
                       if value.metric in drawing.section.figure.metrics]
    return min(values), max(values), max(values + ends)


def x_axis(figure, xs, note):
    """Many small batches would fall together on the paper's linear axis; room on the right is for the papers' texts."""
    label = figure.labels[0] + note
    if figure.x == "batch" and len(xs) > 6:
        return Axis(label, "log2", xs[0] / 1.2, xs[-1] * 2.6, ticks_of(xs) if len(xs) <= TICKS_MAX else None)
    span = xs[-1] - xs[0]
    return Axis(label, "linear", xs[0] - (0.05 * span or 5), xs[-1] + (0.16 * span or 5),
                ticks_of(xs) if len(xs) <= TICKS_MAX else None)


def papers_layers(panel, figure, stated, looks):
    """Hollow, in the look of the series that does the same; larger if several would cover each other or look the same, which
    their names say."""
    seen, layers, looks_seen = Counter(), [], Counter()
    for name in dict.fromkeys(value.series for value in stated):
        mine = [value for value in stated if value.series == name]
        beside = next((series.deque for series in panel.series
                       if any(value.is_measured_by(series.deque, series.params) for value in mine)), mine[0].deque)
        look = looks.of(beside) if beside in looks.table else Look(GREY, "pentagon")
        below, alike = max(seen[value.x, value.value] for value in mine), looks_seen[look]
        looks_seen[look] += 1
        seen.update((value.x, value.value) for value in mine)
        layers.append(Layer([Mark(float(value.x), value.value / NANOSECONDS[figure.unit]) for value in mine],
                            replace(look, hollow=True), "points", f"paper: {name}" + ", larger" * bool(alike),
                            size=1.5 + 0.7 * max(below, alike)))
    return layers


def bounds(stated, scale, height):
    """(texts, arrows): a text for the published values of each place unless the next one has the same, and an arrow for each
    bound. height(value): on the axis, from 0 to 1."""
    texts, right = [], []
    for x in sorted({value.x for value in stated}, key=in_order, reverse=True):
        here = [value for value in stated if value.x == x]
        said = [((group[0].value + group[-1].value) / 2 / scale, text_of(group, scale))
                for group in near_each_other(here, lambda value: height(value.value / scale))]
        texts += [Text(float(x), *one) for one in said if one not in right]
        right = said
    arrows = sorted({(float(value.x), value.value / scale, 1 if value.bound == ">" else -1)
                     for value in stated if value.bound in "<>"})
    return texts, [Arrow(*arrow) for arrow in arrows]


def near_each_other(values, height):
    """Values in groups whose texts would cover each other, the highest first."""
    groups = []
    for value in sorted(values, key=lambda value: -value.value):
        if groups and height(groups[-1][-1]) - height(value) < 0.06:
            groups[-1].append(value)
        else:
            groups.append([value])
    return groups


def add_crossover(frame, panel, xs):
    """Where the paper says that its deque becomes the faster one."""
    stated = [value for value in panel.published if value.metric == "LF_better_above"]
    if stated:
        at = stated[0].value
        frame.rules.append(Rule(at))
        frame.texts.append(Text(at, None, f"paper: LF_Queue faster\nabove {text_of(stated)} %",
                                "left" if 2 * at <= xs[0] + xs[-1] else "right"))


# --- bars

def bars(drawing, looks):
    """Pop: a row a deque, and a frame a method with an axis of its own, for what the published method adds would hide all
    else."""
    panel = drawing.panel
    names = ["\n".join(textwrap.wrap(series.label, LABEL_COLUMN)) for series in panel.series]
    frames = []
    for method in METHODS:
        found = [(row, series, point) for row, series in enumerate(panel.series) for point in series.points
                 if (point.x if point.x in METHODS else "corrected") == method]
        if found:
            frames.append(bars_of_method(panel, looks, method, found, rows_axis(names, named=not frames),
                                         drawing.section.figure.labels[0]))
    frames[0].layers += remark(panel)
    return frames


def bars_of_method(panel, looks, method, found, rows, label):
    stated = [(row, value) for row, series, point in found for value in panel.published_for(series, point.x)]
    highest = max([point.median for *_, point in found] + [value.value for _, value in stated])
    layers = [Layer([bar(point, row, 1.1 * highest)], looks.of(series.deque), "bars", thickness=0.6)
              for row, series, point in found]
    if stated:
        marks = [Mark(value.value, row) for row, value in stated]
        layers.append(Layer(marks, Look("#000000", "diamond", hollow=True), "points",
                            f"paper, by the published method: {text_of(panel.published)} ns", size=1.4))
    note = cut_note([point for *_, point in found], 1.1 * highest)
    return Frame(layers, Axis(label + note, low=0, high=1.75 * highest), rows, METHODS[method], "x")


def bar(point, y, end):
    """An interval may end beyond the plot."""
    text = format_number(point.median)
    if point.low is not None:
        text += f" [{format_number(point.low)}, {format_number(point.high)}]"
    return Mark(point.median, y, point.span[0], min(point.span[1], end), text=text)
