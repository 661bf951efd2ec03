"""Times without a figure of their own: latencies and applications over a setting that was swept, or a bar a deque."""

from harness.judging.cells import cells_of, grouped
from plots.figures.figure import (
    TIME, VARIANT_PARAMETERS, Figure, Measure, Point, add_lines, alike, caption, in_words, number, section_title, settings_of, unit_of)
from plots.figures.scripts.operations import FIGURES
from plots.figures.styles import look_of

LATENCIES = {"push": ("push_latency_per_item", "push_latency"), "pop": ("pop_latency", "drain_latency_per_item"),
             "steal": ("steal_latency_per_item", "steal_latency"), "pair": ("pair_latency",), "growth": ("push_largest",)}
TITLES = {"growth": "The longest push while the deque grows"}
# Settings for the x axis: the first that has enough values.
LEAST_VALUES = 3
ALONG = {"block": "items in a block", "batch": "items pushed together", "percent": "stolen (% of the deque's items)",
         "size": "items in the deque", "room": "room of the deque (items)", "capacity": "capacity (items)", "fill": "items pushed",
         "threads": "threads"}
DRAWN_ELSEWHERE = {"bag", "dag", "duplicates", "quicksort", "walk"}
PLACED = ("same-core", "same-socket", "cross-socket")  # places.py draws these
AXES_MAX = 12  # in one figure; more settings are rows


def draw(run, summaries):
    cells = [cell for cell in cells_of(run, summaries) if measure_of(cell) and cell.params.get("placement") not in PLACED
             and (cell.workload != getattr(FIGURES.get(cell.tag), "workload", "")) and cell.workload not in DRAWN_ELSEWHERE]
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        measure = measure_of(mine[0])
        if measure.role == "pool":
            measure = Measure("pool", "run_time", unit_of(max(TIME.median(cell) * 1e6 for cell in mine)))
        along = next((name for name in ALONG if len(values_of(mine, name)) >= LEAST_VALUES), None)
        apart = [name for name in settings_of(mine) if name != along and name not in VARIANT_PARAMETERS]
        groups = alike(mine, apart)
        if len({cell.deque for cell in mine}) == 1 and not along and len(groups) < 2:
            continue
        figure = Figure("-".join(dict.fromkeys([tag or "cells", workload])), TITLES.get(
            workload, f"{'Time' if measure.role == 'pool' else 'Latency'} of {workload}") + (f" by {along}" if along else "")
            + f" ({section_title(run, tag)})" * bool(tag), caption("Lower is better.", mine, measure), columns=min(3, len(groups)))
        if len(groups) > AXES_MAX and not along:
            by_setting(figure, mine, apart, measure)
        else:
            for some in groups[:AXES_MAX]:
                add_axes(figure, some, along, apart, measure)
        if len(groups) > AXES_MAX and along:
            figure.caption += f" {len(groups) - AXES_MAX} more settings are in summary.csv."
        yield tag, figure


def measure_of(cell):
    """What is drawn of a cell; None if it has no such value."""
    if cell.workload in LATENCIES:
        return next((one for metric in LATENCIES[cell.workload] for role in ("owner", "thief")
                     for one in [Measure(role, metric, "ns")] if one(cell)), None)
    return TIME if TIME(cell) and cell.params.get("threads", "").isdigit() else None


def values_of(cells, name):
    """The values of a setting; 0 leaves the choice to the deque."""
    return {cell.params[name] for cell in cells if cell.params.get(name, "0") != "0" and cell.params[name].replace(".", "", 1).isdigit()}


def y_of(measure):
    return measure.metric.replace("_", " ").replace(" per item", " an item")


def add_axes(figure, cells, along, apart, measure):
    """Lines over what was swept, or a bar a deque."""
    title = in_words(cells[0].params, apart)
    if along and len(values_of(cells, along)) > 1:
        values = [float(one) for one in values_of(cells, along)]
        ys = [measure(cell).y for cell in cells if measure(cell).y > 0] or [1]
        log = "x" * (max(values) > 12 * min(values)) + "y" * (max(ys) / min(ys) > 20)
        axes = figure.axes(ALONG[along], y_of(measure), unit=measure.unit, title=title, log=log)
        add_lines(axes, [cell for cell in cells if cell.params.get(along, "0") != "0"], along, measure, apart)
        return
    order = figure.parts[0].order if figure.parts and figure.parts[0].rows else None
    cells = sorted(cells, key=lambda cell: measure(cell).y)
    names = {cell.name: ", ".join(filter(None, [cell.label, in_words(cell.params, variants_of(cell, cells))])) for cell in cells}
    axes = figure.axes("deque", y_of(measure), unit=measure.unit, title=title, rows=True, order=order or list(names.values()))
    axes.order += [name for name in names.values() if name not in axes.order]
    for cell in cells:
        axes.bar(cell.deque, names[cell.name], measure(cell))


def variants_of(cell, cells):
    return [name for name in settings_of([one for one in cells if one.deque == cell.deque]) if name in VARIANT_PARAMETERS]


def by_setting(figure, cells, apart, measure):
    """More settings than axes: a row a setting, a point a deque, axes for each number of threads."""
    rows = [name for name in apart if name != "threads"]
    figure.columns = 2
    by_threads = grouped(cells, lambda cell: cell.params.get("threads", ""))
    for threads, mine in sorted(by_threads.items(), key=lambda item: number(item[0] or "0")):
        axes = figure.axes("setting", y_of(measure), unit=measure.unit, title=f"threads={threads}" * bool(threads), rows=True)
        for cell in mine:
            axes.mark(cell.deque, "points", look_of(cell.deque), Point(in_words(cell.params, rows), measure(cell)), cell.deque)
