"""Operations over what was swept, for sections that have no figure of their own (data/sections.py): push, steal and pop by
batch, proportion, size, capacity or block, or as bars where nothing was swept; and the longest push of a growing deque."""

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.sections import FIGURES, VARIANT_PARAMETERS, varying_parameters
from plots.data.words import NANOSECONDS, format_number, in_order, words_for
from plots.figures.multiples import COLUMNS, in_frames, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, bars_axis, rows_axis, ticks_of
from plots.figures.styles import EMULATED_DASHES, Looks, variants_of

# What is drawn of a workload, the first that a cell has: (metric, is it of one item).
METRICS = {"push": [("push_latency_per_item", True), ("push_latency", False)],
           "pop": [("pop_latency", True), ("drain_latency_per_item", True)],
           "steal": [("steal_latency_per_item", True), ("steal_latency", False)],
           "pair": [("pair_latency", False)], "growth": [("push_largest", False)]}
TITLES = {"growth": "The longest push while the deque grows"}
# What may lie along x, the first that has enough values.
SWEPT = ["block", "batch", "percent", "size", "capacity", "fill"]
LEAST_VALUES = 3
UNITS = {"percent": "stolen (% of the deque's items)", "batch": "items pushed together", "size": "items in the deque",
         "block": "items in a block", "capacity": "capacity (items)", "fill": "items pushed"}


def draw(run, sections, summaries):
    drawn = {section.tag for section in sections if section.figure}
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.workload in METRICS and value_of(cell)
             and cell.tag not in drawn and cell.tag not in FIGURES and "simulated" not in cell.flags
             and cell.params.get("placement") not in ("same-core", "same-socket", "cross-socket")]
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        swept = next((name for name in SWEPT if len(numbers(mine, name)) >= LEAST_VALUES), None)
        apart = [name for name in settings_of(mine) if name != swept and name not in VARIANT_PARAMETERS]
        groups = grouped(mine, lambda cell: tuple(cell.params.get(name, "") for name in apart))
        names = told_apart_by_settings(f"{tag or 'cells'}-{workload}", [dict(zip(apart, key)) for key in groups])
        for name, (key, some) in zip(names, groups.items()):
            text = ", ".join(words_for(one, value) for one, value in zip(apart, key) if value)
            title = TITLES.get(workload, f"Latency of {workload}") + (f" by {swept}" if swept else "") + (f", {text}" if text else "")
            if swept and len(numbers(some, swept)) > 1:
                yield tag, curves(name, title, some, swept, looks)
            elif len(some) > 1:
                yield tag, bars(name, title, some, looks)


def value_of(cell):
    """(summary, is it of one item), or None."""
    role = "thief" if cell.workload == "steal" else "owner"
    for metric, of_item in METRICS[cell.workload]:
        summary = cell.value(role, metric)
        if summary and summary.unit in NANOSECONDS:
            return summary, of_item
    return None


def settings_of(cells):
    """The settings that some deque has more than one value of: the same question put to several."""
    return [name for name in varying_parameters([cell.params for cell in cells])
            if any(len({cell.params.get(name) for cell in mine}) > 1
                   for mine in grouped(cells, lambda cell: cell.deque).values())]


def numbers(cells, name):
    """The values of a parameter, where the deque is not left to choose."""
    return sorted({float(cell.params[name]) for cell in cells
                   if cell.params.get(name, "0") != "0" and cell.params[name].replace(".", "", 1).isdigit()})


def variant_of(cell, cells):
    """What tells this cell from others of its deque."""
    names = [one for one in settings_of([one for one in cells if one.deque == cell.deque]) if one in VARIANT_PARAMETERS]
    return ", ".join(words_for(name, cell.params[name]) for name in names if name in cell.params)


def what_is_told(cells):
    unit = "ns an item" if all(value_of(cell)[1] for cell in cells) else "ns a call"
    return unit, bars_are([value_of(cell)[0] for cell in cells])


def curves(name, title, cells, swept, looks):
    cells = [cell for cell in cells if cell.params.get(swept, "0") != "0"]
    lines = grouped(cells, lambda cell: (cell.deque, variant_of(cell, cells)))
    xs = numbers(cells, swept)
    drawn = []
    for ((deque, variant), line), place in zip(lines.items(), variants_of(lines)):
        emulated = any("emulated" in cell.flags for cell in line)
        marks = [Mark(float(cell.params[swept]), *value_of(cell)[0].scaled(NANOSECONDS[value_of(cell)[0].unit]))
                 for cell in sorted(line, key=lambda cell: in_order(cell.params[swept]))]
        told = variant + (" (emulated)" if emulated else "")
        # The block of a line's first cell is not that of the others.
        name_of_line = line[0].title + line[0].marks if swept == "block" else line[0].label
        label = name_of_line + ("," * bool(variant) + " " + told if told else "")
        drawn.append((deque, line[0].title, told, Layer(marks, looks.of(deque, place, emulated), label=label)))
    parts = in_frames(drawn)
    columns = COLUMNS if len(parts) > 1 else 0
    unit, bars_text = what_is_told(cells)
    ends = [end for *_, layer in drawn for mark in layer.marks for end in layer.interval(mark) if end > 0]
    wide = max(ends) > 20 * min(ends)
    logarithmic = xs[-1] > 12 * xs[0]
    frames = []
    for place, (of_whom, layers) in enumerate(parts):
        x = Axis("" if columns else UNITS[swept], "log2" if logarithmic else "linear",
                 ticks=ticks_of(xs) if len(xs) < (5 if columns else 9) and (not columns or not logarithmic) else None)
        y = Axis("" if columns and place % columns else unit, "log" if wide else "linear",
                 min(ends) / 1.2 if wide else 0, max(ends) * 1.2)
        frames.append(Frame(layers, x, y, of_whom, "both"))
    dashed = " Dashed: emulated, the deque lacks this form." if any(
        layer.look.dash in EMULATED_DASHES for *_, layer in drawn) else ""
    return Picture(name, title, f"In {unit}, over {UNITS[swept]}. {bars_text}{dashed} {notes_of(cells)}"
                   + (" The same axes everywhere, all others in pale grey." if columns else ""), frames,
                   10 if columns else 5.8, 1.7 if columns else 3.4, columns)


def bars(name, title, cells, looks):
    rows = sorted(cells, key=lambda cell: value_of(cell)[0].median * NANOSECONDS[value_of(cell)[0].unit])
    layers = []
    for place, cell in enumerate(rows):
        summary = value_of(cell)[0]
        middle, low, high = summary.scaled(NANOSECONDS[summary.unit])
        layers.append(Layer([Mark(middle, place, low, high, text=format_number(middle))], looks.of(cell.deque), "bars"))
    labels = [cell.label + (f", {variant}" if (variant := variant_of(cell, cells)) else "")
              + (" (emulated)" if "emulated" in cell.flags else "") for cell in rows]
    unit, bars_text = what_is_told(cells)
    return Picture(name, title, f"In {unit}, the fastest first. {bars_text} {notes_of(cells)}",
                   [Frame(layers, bars_axis(unit, layers), rows_axis(labels), grid="x")], height=0.7 + 0.26 * len(rows))
