"""Figures 6 to 8 of the bulk paper and pop: each panel of a section, or a group of its series, with the paper's values.

Settings that make several panels (the method, an idle or a busy owner) make several pictures, or frames of one picture where
the figure says so (beside).
"""

import math
import textwrap
from collections import Counter
from dataclasses import dataclass, replace

from harness.judging.cells import GREY_MEANS, bars_are, grouped
from harness.judging.defaults import defaults_of
from plots.data.published import text_of
from harness.judging.words import DAGGER_MEANS, NANOSECONDS, counted, format_number, in_order, sentence
from plots.figures.grammar import in_words, slug
from plots.figures.groups import groups_of
from plots.figures.picture import Arrow, Axis, Frame, Layer, Look, Mark, Picture, Rule, Text, rows_axis, ticks_of
from plots.figures.styles import BEHIND, GREY, Looks, variants_of

METHODS = {"corrected": "corrected method", "published": "published method (Pause/Resume)"}
LABEL_COLUMN = 21  # characters of a bar's name before it is wrapped
WIDTH = 5.8
TICKS_MAX = 12
COLUMNS = 4  # of frames beside each other
LIE = {"sequential": "side by side", "shuffled": "shuffled"}
WIDE = 30  # times the lowest value: beyond that groups of deques need a logarithmic axis


@dataclass
class Drawing:
    """One picture: a panel of a section, several beside each other, or a group of a panel's series."""

    section: object
    panels: list
    name: str
    title: str
    group: str  # which series are named; "": all
    ranked: list  # the panels that its caption describes: the first of several groups describes all deques

    @property
    def panel(self):
        return self.panels[0]

    def beside(self, panel):
        """How a panel differs from those beside it, in words."""
        return in_words({name: panel.settings[name] for name in self.section.figure.beside if name in panel.settings})


def draw(run, sections, _summaries):
    looks = Looks(run)
    drawings = drawings_of(sections)
    for drawing in drawings:
        if drawing.section.figure.x == "method":
            frames, height = bars(drawing, looks), 0.6 + 0.33 * len(drawing.panel.series)
        else:
            frames, height = curves_of_panels(drawing, drawings, looks), 3.2
        yield drawing.section.tag, Picture(drawing.name, drawing.title, caption_of(drawing), frames,
                                           WIDTH * (1, 1.5, 2)[min(len(frames), 3) - 1], height, min(len(frames), COLUMNS))


def drawings_of(sections):
    """Every panel with something in it; those that stand beside each other together."""
    drawings = []
    for section in sections:
        beside = section.figure.beside if section.figure else ()
        pictures = grouped([panel for panel in section.panels if panel.series],
                           lambda panel: tuple(one for one in panel.settings.items() if one[0] not in beside))
        for place, (settings, panels) in enumerate(pictures.items()):
            of_name = "".join(f"-{name}-{value}" for name, value in settings)
            name = section.figure.name if place == 0 else slug(section.figure.name + of_name)
            # Curves of many deques are drawn group by group; bars stand below each other, however many.
            groups = [("", panels[0])] if beside or section.figure.x == "method" else groups_of(panels[0])
            for number, (group, part) in enumerate(groups):
                title = "\n".join(filter(None, (section.title, in_words(dict(settings)), sentence(group))))
                drawn = in_beside_order(panels, beside) if beside else [part]
                drawings.append(Drawing(section, drawn, f"{name}-{slug(group)}" if number else name, title, group,
                                        drawn if beside or number else panels))
    return drawings


def in_beside_order(panels, beside):
    """By the settings as the figure names them, each at its default first."""
    usual = defaults_of("steal")
    return sorted(panels, key=lambda panel: [(panel.settings[name] != usual[name], in_order(panel.settings[name]))
                                             for name in beside if name in panel.settings])


def points_of(panel):
    return [point for series in panel.series for point in series.points]


def caption_of(drawing):
    """The caption: what it shows, and what the marks of its panels mean."""
    panels, figure = drawing.panels, drawing.section.figure
    every = [series for panel in panels for series in panel.series]
    alone = f": {panels[0].title}" if len(panels) == 1 and panels[0].title else ""

    def some(trait):
        return any(getattr(series, trait) for series in every)

    return " ".join(text for said, text in (
        (True, figure.caption + alone + "."),
        (drawing.group, f"In colour: {drawing.group}."),
        (True, layout_of(every)),
        (True, bars_are([point.summary for series in every for point in series.points])),
        (any(panel.published for panel in panels),
         "Hollow points: values that the paper states, from its machine; no line is drawn through them."),
        (some("emulated"), "Dashed, emulated: the deque lacks this form and repeats single operations."),
        (some("unsound"), "UNSOUND: this deque loses or doubles items; its speed is no achievement."),
        (some("repeats"), f"{DAGGER_MEANS}."), (some("reference"), GREY_MEANS),
        (panels[0].behind, "Thin and light grey: all other deques, on the same axes.")) if said and text)


def layout_of(every):
    """The layout in memory of the lists' nodes, which decides how long a walk takes. '' if there is no list, or if their layouts
    differ."""
    layouts = {(series.params.get("node"), series.params.get("order")) for series in every if series.facts.get("bound") == "linked"}
    if len(layouts) != 1 or None in (layout := layouts.pop()):
        return ""
    node, order = layout
    return f"The nodes of a list have {node} bytes each and lie {LIE[order]} in memory."


def beyond(points, top):
    """The axis's note on points and intervals that end above its top, or ''."""
    above = sum(point.median > top for point in points)
    cut = sum(point.span[1] > top >= point.median for point in points)
    told = [f"{counted(above, 'point')} above the axis: {'its value is' if above == 1 else 'their values are'} at the edge"] * bool(above)
    told += [f"{counted(cut, 'interval')} reach{'es' if cut == 1 else ''} beyond the axis: see the table"] * bool(cut)
    return "".join(f"\n{text}" for text in told)


def at_the_edge(panel, looks_of_series, top):
    """A text at the upper edge for each point above it, in its series' colour."""
    return [Text(float(point.x), None, f"{format_number(point.median)} \N{UPWARDS ARROW}", "center", look.colour)
            for series, look in zip(panel.series, looks_of_series) for point in series.points if point.median > top]


def remark(panel):
    """A legend's line that explains the dagger."""
    return [Layer([], Look("#FFFFFF", "", width=0), "line", DAGGER_MEANS)] if any(series.repeats for series in panel.series) else []


# --- curves

def curves_of_panels(drawing, drawings, looks):
    """A frame a panel. Frames share an axis where the first setting beside (the owner's) is the same; so do a panel's groups."""
    figure, frames = drawing.section.figure, []
    group = [panel for other in drawings if other.section is drawing.section
             and other.panel.settings == drawing.panel.settings for panel in other.panels]
    for place, panel in enumerate(drawing.panels):
        alike = [other for other in group if all(other.settings.get(name) == panel.settings.get(name) for name in figure.beside[:1])]
        frame = curves(panel, drawing, value_range(alike, figure), looks)
        frame.title = drawing.beside(panel)
        frame.y.label = "" if place % COLUMNS else frame.y.label
        add_crossover(frame, panel, "paper: {}" if len(drawing.panels) > 1 else "paper: LF_Queue faster\nabove {}")
        frames.append(frame)
    return frames


def curves(panel, drawing, ends, looks):
    """Series over x, and the paper's values as hollow points."""
    figure, (low, high) = drawing.section.figure, ends
    logarithmic = figure.logarithmic or bool(drawing.group) and high > WIDE * low > 0
    top = high * (2 if logarithmic else 1.15)
    stated = [value for value in panel.published if value.is_time and value.x is not None]
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
    frame = Frame(layers, x_axis(figure, xs, beyond(points_of(panel), top)),
                  Axis(figure.labels[1], "log" if logarithmic else "linear", low / 2 if logarithmic else 0, top))
    frame.texts, frame.arrows = bounds(stated, NANOSECONDS[figure.unit], lambda value: math.log(
        value / low) / max(math.log(high / low), 1e-9) if logarithmic else value / high)
    frame.texts += at_the_edge(panel, mine, top)
    return frame


def value_range(panels, figure):
    """(lowest, highest) of the medians, the intervals and the paper's values of these panels. An interval counts up to twice its
    lower end: a disturbed point would otherwise flatten all the others."""
    scale = NANOSECONDS[figure.unit]
    points = [point for panel in panels for point in points_of(panel)]
    stated = [value.value / scale for panel in panels for value in panel.published if value.is_time]
    highs = [min(point.span[1], 2 * point.span[0]) for point in points]
    return min([point.median for point in points] + stated), max(highs + stated)


def x_axis(figure, xs, note):
    """Many small batches would fall together on the paper's linear axis; room on the right is for the papers' texts."""
    label = figure.labels[0] + note
    if figure.x == "batch" and len(xs) > 6:
        return Axis(label, "log2", xs[0] / 1.2, xs[-1] * 2.6, ticks_of(xs) if len(xs) <= TICKS_MAX else None)
    span = xs[-1] - xs[0]
    return Axis(label, "linear", xs[0] - (0.05 * span or 5), xs[-1] + (0.16 * span or 5),
                ticks_of(xs) if len(xs) <= TICKS_MAX else None)


def papers_layers(panel, figure, stated, looks):
    """Hollow, in the look of the series that does the same. If several would cover each other or look the same, they are larger and
    named."""
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


def add_crossover(frame, panel, text):
    """Where the paper says that its deque becomes the faster one."""
    for value in [value for value in panel.published if value.metric == "LF_better_above"][:1]:
        frame.rules.append(Rule(value.value))
        frame.texts.append(Text(value.value, None, text.format(f"{value.text()} %"),
                                "left" if 2 * value.value <= frame.x.low + frame.x.high else "right"))


# --- bars

def bars(drawing, looks):
    """Pop: a row a deque, a frame a method. Each frame has its own axis, because the published method adds so much that a common axis
    would hide all differences."""
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
    note = beyond([point for *_, point in found], 1.1 * highest)
    return Frame(layers, Axis(label + note, low=0, high=1.9 * highest), rows, METHODS[method], "x")


def bar(point, y, end):
    """An interval may end beyond the plot."""
    text = format_number(point.median)
    if point.low is not None:
        text += f" [{format_number(point.low)}, {format_number(point.high)}]"
    return Mark(point.median, y, point.span[0], min(point.span[1], end), text=text)
