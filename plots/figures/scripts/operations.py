"""Figures 6 to 8 of the bulk paper, and pop: the paper's queues first, beside its numbers; then all deques."""

from dataclasses import dataclass, field

from harness.judging.cells import cells_of
from harness.judging.defaults import defaults_of
from plots.data.published import read_published, text_of
from harness.judging.words import NANOSECONDS, format_number, in_order
from plots.figures.figure import (
    VARIANT_PARAMETERS, Figure, Measure, add_lines, alike, caption, in_words, number, section_title, settings_of, slug)
from plots.figures.styles import name_of

LOOPS = ("empty", "fetch_add")  # without a deque: told in the caption
HOLLOW = "Hollow: what the paper states, from its machine; an arrow is a bound."


@dataclass(frozen=True)
class Of:
    """What a figure of operations shows. conditions: under which the paper's values are comparable. beside: settings whose values are
    axes of one figure."""

    name: str
    workload: str
    x: str
    x_name: str
    y: str
    unit: str
    caption: str
    stated: str = ""
    conditions: dict = field(default_factory=dict)
    beside: tuple = ()


STOLEN = ("percent", "stolen (% of the deque's items)", "steal latency", "us")
SIZE = {"size": "10000", "owner": "idle"}
FIGURES = {
    "fig6": Of("fig6_push", "push", "batch", "batch (items pushed together)", "push latency", "ns",
               "The time of pushing a batch.", "fig6"),
    "fig7": Of("fig7_steal", "steal", *STOLEN, "The time of stealing a part of a deque.", "fig7", SIZE),
    "fig7-layout": Of("fig7_layout", "steal", *STOLEN, "Figure 7 by how the nodes lie in memory and by what the owner does.", "fig7",
                      SIZE, ("owner", "node", "order")),
    "fig8": Of("fig8_optimised_steal", "steal", *STOLEN, "A steal with and without the walk to the tail.", "fig8", SIZE),
    "pop": Of("pop", "pop", "method", "", "pop latency", "ns", "The time of taking one item.", "pop", {"take": "one"})}


def draw(run, summaries):
    for tag, of in FIGURES.items():
        measure = Measure(unit=of.unit)
        cells = [cell for cell in cells_of(run, summaries, of.workload) if cell.tag == tag and measure(cell)]
        modes = {run.deque_facts(cell.deque).get("mode") for cell in cells}
        apart = [name for name in settings_of(cells) if name not in (of.x, *VARIANT_PARAMETERS, *modes)
                 and all(name in cell.params for cell in cells)]
        groups = alike(cells, [name for name in apart if name not in of.beside])
        groups.sort(key=lambda some: [some[0].params[name] != defaults_of(of.workload).get(name) for name in apart])
        for place, some in enumerate(groups):
            setting = {name: some[0].params[name] for name in apart if name not in of.beside}
            name = slug("-".join([of.name, *(f"{one}-{value}" for one, value in setting.items())])) if place else of.name
            told = in_words(setting)
            figure = Figure(name, section_title(run, tag) + (f": {told}" if told else ""), "")
            (methods if of.x == "method" else curves)(figure, of, some, apart, measure)
            yield tag, figure


def stated_for(of, cells):
    """The paper's values that may stand beside these cells."""
    if not all(cells[0].params.get(name, value) == value for name, value in of.conditions.items()):
        return []
    return read_published(of.stated)


def curves(figure, of, cells, apart, measure):
    """The paper's queues on linear axes, then all deques on logarithmic ones. If the settings beside vary: axes for each."""
    stated, loops = stated_for(of, cells), [cell for cell in cells if cell.deque in LOOPS]
    measured = [cell for cell in cells if cell not in loops]
    beside = [name for name in apart if name in of.beside]
    usual = defaults_of(of.workload)
    if beside:
        figure.columns = 2
        for some in sorted(alike(measured, beside), key=lambda some: [
                (some[0].params[name] != usual[name], in_order(some[0].params[name])) for name in beside]):
            axes = figure.axes(of.x_name, of.y, unit=of.unit, title=in_words(some[0].params, beside), log="y")
            add_lines(axes, some, of.x, measure, apart)
            add_stated(axes, of, stated_for(of, some))
    else:
        figure.columns = 1
        papers = [cell for cell in measured if any(value.is_measured_by(cell.deque, cell.params) for value in stated)]
        if papers:
            axes = figure.axes(of.x_name, of.y, unit=of.unit, title="the paper's queues")
            add_lines(axes, papers, of.x, measure, apart, among=measured)
            add_stated(axes, of, stated)
        if len(papers) < len(measured) or not papers:
            axes = figure.axes(of.x_name, of.y, unit=of.unit, title="all deques" if papers else "",
                               log="xy" if of.x == "batch" and len({cell.params["batch"] for cell in cells}) > 2 else "y")
            add_lines(axes, measured, of.x, measure, apart)
    told = [of.caption] + [HOLLOW] * any(one.kind == "paper" for axes in figure.parts for one in axes.series)
    for deque in sorted({cell.deque for cell in loops}):
        values = sorted(measure(cell).y for cell in loops if cell.deque == deque)
        ends = " to ".join(dict.fromkeys(map(format_number, (values[0], values[-1]))))
        told.append(f"{deque}, a loop without a deque, takes {ends} {of.unit}.")
    figure.caption = caption(" ".join(told), measured or cells, measure)


def add_stated(axes, of, stated):
    """The paper's points, and where it says that its lines cross."""
    seen = {}
    for name in dict.fromkeys(value.series for value in stated if value.unit in NANOSECONDS and value.x is not None):
        mine = [value for value in stated if value.series == name]
        deque = mine[0].deque or ""
        twin = seen[deque] = seen.get(deque, -1) + 1
        axes.paper(f"paper: {name_of(deque)}" + (", optimised" if "optimized" in name else ""), deque,
                   [(number(value.x), value.value / NANOSECONDS[of.unit], value.text(NANOSECONDS[of.unit])) for value in mine], twin)
    crossing = next((value for value in stated if value.metric == "LF_better_above"), None)
    if crossing:
        axes.upright = crossing.value, f"dotted: where the paper's lines cross, {crossing.text()} %"


def methods(figure, of, cells, _apart, measure):
    """Pop: a row a deque, axes for each method, because the published one adds so much that it hides all differences."""
    cells = sorted(cells, key=lambda cell: measure(cell).y)
    stated = stated_for(of, cells)
    order = list(dict.fromkeys(cell.label for method in ("corrected", "published") for cell in cells if cell.params["method"] == method))
    for method in ("corrected", "published"):
        mine = [cell for cell in cells if cell.params["method"] == method]
        axes = figure.axes("deque", of.y, unit=of.unit, rows=True, order=order, title=f"{method} method") if mine else None
        for cell in mine:
            axes.bar(cell.deque, cell.label, measure(cell))
            beside = [value for value in stated if value.is_measured_by(cell.deque, cell.params)]
            if method == "published":
                axes.paper("paper, all its queues", "", [(cell.label, value.value, text_of(stated)) for value in beside])
    figure.caption = caption(of.caption + f" The paper's method stops the clock for every item. {HOLLOW}", cells, measure)
