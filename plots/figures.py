"""The run's figures, as PDF and SVG in RUN/figures/.

For each figure that has a gnuplot script it writes the numbers to RUN/figures/data/ and lets the script draw them. A
figure whose settings make several panels (the method, an idle or a busy owner) becomes several files.
"""

import math
import re
import shutil
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path

from groups import groups_of
from published import text_of
from run_folder import EXIT_NOT_WRITTEN, Problem
from sections import DAGGER_MEANS, NANOSECONDS, format_number, in_order

SCRIPTS = Path(__file__).resolve().parent
FORMATS = ("pdf", "svg")

# Colours that stay apart for colour-blind eyes (after Okabe, Ito and after Tol) and on white as on black. The bulk
# paper's deques keep theirs in every run; others take what is left, in order of their names.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933", "#AA4499", "#44AA99", "#DDAA77"]
COLOUR_FIRST = ["lf_bulk", "taskflow_bounded", "taskflow_unbounded", "chase_lev", "abp"]
UNSOUND_COLOUR = "#D55E00"
BASELINE_COLOURS = {"array": "#8A8A8A", "empty": "#AAAAAA", "fetch_add": "#555555", "locked": "#6E6E6E"}
BASELINE_COLOUR = "#8A8A8A"

# gnuplot's point types, filled and their hollow counterparts. Hollow is for published values alone.
FILLED = [7, 5, 9, 11, 13]
HOLLOW = {7: 6, 5: 4, 9: 8, 11: 10, 13: 12}
HOLLOW_ALONE = 14
STROKES = [1, 3]
UNSOUND_POINT = 2
SOLID, DASHED, UNSOUND_DASH = 1, 2, 4


@dataclass
class Style:
    colour: str
    point: int
    dash: int


@dataclass
class Drawing:
    """One file to draw: a panel of a section, or a group of its series."""

    section: object
    panel: object
    name: str
    title: str
    whole: object  # the panel with all its series
    group: str = ""  # which of them are named; "": all
    first: bool = True  # of its panel's groups


def slug(text):
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def drawings_of(sections):
    """Every panel with something in it, with the name of its files."""
    drawings = []
    for section in sections:
        filled = [panel for panel in section.panels if panel.series]
        for place, panel in enumerate(filled):
            stem = Path(section.figure.script).stem
            settings = "".join(f"-{name}-{value}" for name, value in panel.settings.items())
            name = stem if place == 0 else slug(stem + settings)
            title = section.title + (f"\n{panel.title}" if panel.title else "")
            for number, (group, part) in enumerate(groups_for(section, panel)):
                told = title + (f"\n{sentence(group)}" if group else "")
                drawings.append(Drawing(section, part, name if number == 0 else f"{name}-{slug(group)}", told, panel,
                                        group, number == 0))
    return drawings


def groups_for(section, panel):
    """Curves of many deques are drawn group by group; bars stand below each other, however many."""
    return [("", panel)] if section.figure.x == "method" else groups_of(panel)


def sentence(text):
    return text[:1].upper() + text[1:]


def colours_of(deques):
    """{deque: colour}, the same for every figure of a run. Those that take turns never take one of the first."""
    rest = sorted(deque for deque in deques if deque not in COLOUR_FIRST and deque not in BASELINE_COLOURS)
    left = COLOURS[len(COLOUR_FIRST):]
    return dict(zip(COLOUR_FIRST, COLOURS)) | {deque: left[place % len(left)] for place, deque in enumerate(rest)}


def style_of(series, colours, place):
    """Colour by deque, shape by place in the figure, dash by what has to be known about the series."""
    dash = UNSOUND_DASH if series.unsound else DASHED if series.emulated else SOLID
    if series.unsound:
        return Style(UNSOUND_COLOUR, UNSOUND_POINT, dash)
    if series.baseline:
        return Style(BASELINE_COLOURS.get(series.deque, BASELINE_COLOUR), STROKES[place % len(STROKES)], dash)
    return Style(colours[series.deque], FILLED[place % len(FILLED)], dash)


def apart(panel, colours):
    """The same colours, but for deques of this panel that would share one: the later takes one that nobody has."""
    taken, mine = set(), dict(colours)
    for deque in dict.fromkeys(series.deque for series in panel.series if not series.baseline and not series.unsound):
        if mine[deque] in taken:
            mine[deque] = next((colour for colour in reversed(COLOURS) if colour not in taken), mine[deque])
        taken.add(mine[deque])
    return mine


def styles_of(panel, colours):
    """A style for each series; the place that chooses the shape counts yardsticks and deques apart."""
    colours = apart(panel, colours)
    styles, places = [], {True: 0, False: 0}
    for series in panel.series:
        styles.append(style_of(series, colours, places[series.baseline]))
        places[series.baseline] += not series.unsound
    return styles


def quoted(text):
    """A string for gnuplot."""
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def array_lines(name, values):
    """A gnuplot array; one empty element where there are no values, since gnuplot has no empty arrays."""
    texts = [quoted(value) if isinstance(value, str) else repr(value) for value in values] or ['""']
    return [f"{name}_count = {len(values)}", f"array {name}[{len(texts)}] = [{', '.join(texts)}]"]


def value_range(drawing, drawings):
    """(lowest, highest, highest end of an interval) over all panels that differ in the method or the group only, so
    that they share an axis. One wild interval must not squeeze all medians together, so it is no part of highest."""
    def rest(settings):
        return {name: value for name, value in settings.items() if name != "method"}

    scale = NANOSECONDS[drawing.section.figure.unit]
    values, ends = [], []
    for other in drawings:
        if other.section is drawing.section and rest(other.panel.settings) == rest(drawing.panel.settings):
            points = [point for series in other.panel.series for point in series.points]
            values += [point.median for point in points]
            ends += [point.span[1] for point in points]
            values += [value.value / scale for value in other.panel.published
                       if value.metric in drawing.section.figure.metrics]
    return min(values), max(values), max(values + ends)


WIDE = 30  # times the lowest value: beyond that groups of deques need a logarithmic axis


def is_logarithmic(drawing, drawings):
    low, high, _ = value_range(drawing, drawings)
    return drawing.section.figure.logarithmic or bool(drawing.group) and high > WIDE * low > 0


def remarks_on(panel):
    """Lines of the legend that explain marks."""
    return [DAGGER_MEANS] if any(series.repeats for series in panel.series) else []


def cut_note(drawing, top):
    """What the figure says of intervals that end above its top, or ''."""
    cut = sum(point.span[1] > top for series in drawing.panel.series for point in series.points)
    return f"{cut} interval{'s reach' if cut > 1 else ' reaches'} beyond the axis: see the table" if cut else ""


def write_points(path, header, rows):
    path.write_text("\n".join([f"# {header}", *("\t".join(row) for row in rows)]) + "\n", encoding="utf-8")


TITLE_COLUMNS = 56  # what fits above a figure


def title_settings(drawing):
    lines = [part for line in drawing.title.splitlines() for part in textwrap.wrap(line, TITLE_COLUMNS)]
    title = "\n".join(lines)
    return [f"title_text = {quoted(title)}", f"title_lines = {len(lines)}"]


def number(value):
    return format(value, ".10g")


def write_curves(drawing, drawings, colours, data):
    """The data of a figure with curves, a file a series, and what gnuplot has to know about them."""
    panel, figure = drawing.panel, drawing.section.figure
    files = []
    for place, series in enumerate(panel.series, 1):
        path = data / f"{drawing.name}-{place:02d}-{slug(series.name)}.dat"
        rows = [[point.x, number(point.median), *(number(end) for end in point.span)] for point in series.points]
        write_points(path, f"{series.name}: {figure.x}, median in {figure.unit}, low, high", rows)
        files.append(str(path))
    behind = []
    for place, series in enumerate(panel.behind, 1):
        path = data / f"{drawing.name}-behind-{place:02d}-{slug(series.name)}.dat"
        write_points(path, f"{series.name}: {figure.x}, median in {figure.unit}",
                     [[point.x, number(point.median)] for point in series.points])
        behind.append(str(path))
    styles = styles_of(panel, colours)
    low, high, end = value_range(drawing, drawings)
    logarithmic = is_logarithmic(drawing, drawings)
    top = (max(high * 2, end) if end < 20 * high else high * 20) if logarithmic else high * 1.15
    stated = [value.x for value in panel.published if value.metric in figure.metrics and value.x is not None]
    xs = sorted({*panel.xs(), *stated}, key=in_order)
    # The legend runs as the curves lie at their right end.
    order = sorted(range(len(files)), key=lambda i: -panel.series[i].points[-1].median)
    lines = [*title_settings(drawing), f"y_low = {low!r}", f"y_top = {top!r}", f"y_logarithmic = {int(logarithmic)}",
             f"note = {quoted(cut_note(drawing, top))}",
             *array_lines("behind", behind), *array_lines("remark", remarks_on(panel)),
             *array_lines("series", [files[i] for i in order]),
             *array_lines("label", [panel.series[i].label for i in order]),
             *array_lines("colour", [styles[i].colour for i in order]),
             *array_lines("shape", [styles[i].point for i in order]),
             *array_lines("dash", [styles[i].dash for i in order]),
             *array_lines("tick", [float(x) for x in xs])]
    return lines + published_lines(drawing, drawings, styles, colours, data)


def published_lines(drawing, drawings, styles, deque_colours, data):
    """The published points of a figure with curves: hollow, in the colour of the series that does the same."""
    panel, figure = drawing.panel, drawing.section.figure
    scale = NANOSECONDS[figure.unit]
    values = [value for value in panel.published if value.metric in figure.metrics and value.x is not None]
    places = sorted({(in_order(value.x), value.value) for value in values})
    lines, stacked = [], {place: 0 for place in places}
    files, labels, colours, shapes = [], [], [], []
    for name in dict.fromkeys(value.series for value in values):
        mine = [value for value in values if value.series == name]
        beside = [style for series, style in zip(panel.series, styles)
                  if any(value.is_measured_by(series.deque, series.params) for value in mine)]
        path = data / f"{drawing.name}-paper-{slug(name)}.dat"
        rows = []
        for value in mine:
            place = (in_order(value.x), value.value)
            rows.append([value.x, number(value.value / scale), f"{1.2 + 0.6 * stacked[place]:.1f}"])
            stacked[place] += 1
        write_points(path, f"{name} as published: {figure.x}, {figure.unit}, size of the point", rows)
        files.append(str(path))
        labels.append(f"paper: {name}")
        colours.append(beside[0].colour if beside else deque_colours.get(mine[0].deque, BASELINE_COLOUR))
        shapes.append(HOLLOW.get(beside[0].point, HOLLOW_ALONE) if beside else HOLLOW_ALONE)
    lines += array_lines("paper", files) + array_lines("paper_label", labels)
    lines += array_lines("paper_colour", colours) + array_lines("paper_shape", shapes)
    return lines + bound_lines(values, drawing, drawings) + crossover_lines(panel)


def bound_lines(values, drawing, drawings):
    """A text for the published values of each place and, for each bound, which way its arrow points."""
    scale = NANOSECONDS[drawing.section.figure.unit]
    low, high, _ = value_range(drawing, drawings)
    logarithmic = is_logarithmic(drawing, drawings)

    def height(value):  # on the axis, from 0 to 1
        if logarithmic:
            return math.log(value.value / scale / low) / max(math.log(high / low), 1e-9)
        return value.value / scale / high

    texts, xs, ys = [], [], []
    for x in sorted({value.x for value in values}, key=in_order):
        for group in near_each_other([value for value in values if value.x == x], height):
            texts.append(text_of(group, scale))
            xs.append(float(x))
            ys.append((group[0].value + group[-1].value) / 2 / scale)
    bounds = sorted({(float(value.x), value.value / scale, 1 if value.bound == ">" else -1)
                     for value in values if value.bound in "<>"})
    lines = array_lines("stated", texts) + array_lines("stated_x", xs) + array_lines("stated_y", ys)
    for name, column in zip(("bound_x", "bound_y", "bound_way"), zip(*bounds) if bounds else ((), (), ())):
        lines += array_lines(name, column)
    return lines


def near_each_other(values, height):
    """Values in groups whose texts would cover each other, the highest first."""
    groups = []
    for value in sorted(values, key=lambda value: -value.value):
        if groups and height(groups[-1][-1]) - height(value) < 0.06:
            groups[-1].append(value)
        else:
            groups.append([value])
    return groups


def crossover_lines(panel):
    """Where the paper says that its deque becomes the faster one."""
    stated = [value for value in panel.published if value.metric == "LF_better_above"]
    text = f"paper: LF_Queue faster\nabove {text_of(stated)} %" if stated else ""
    return [*array_lines("crossover", [value.value for value in stated[:1]]), f"crossover_text = {quoted(text)}"]


METHODS = ("corrected", "published")
LABEL_COLUMN = 21  # characters of a bar's name before it is wrapped


def write_bars(drawing, _drawings, _colours, data):
    """The data of the pop figure: a file for each kind of bar, a row for each deque, top to bottom."""
    panel = drawing.panel
    kinds = {}
    names, stated = [], []
    for row, series in enumerate(panel.series):
        names.append("\n".join(textwrap.wrap(series.label, LABEL_COLUMN)))
        for point in series.points:
            method = point.x if point.x in METHODS else METHODS[0]
            kind = "unsound" if series.unsound else "baseline" if series.baseline else "deque"
            text = format_number(point.median)
            if point.low is not None:
                text += f" [{format_number(point.low)}, {format_number(point.high)}]"
            kinds.setdefault((method, kind), []).append(
                [str(row), number(point.median), *(number(end) for end in point.span), quoted(text)])
            stated += [[str(row), str(METHODS.index(method)), number(value.value)]
                       for value in panel.published_for(series, point.x)]
    lines = [*title_settings(drawing), *array_lines("deque", names), *array_lines("remark", remarks_on(panel))]
    highest = max([point.median for series in panel.series for point in series.points]
                  + [float(value) for _, _, value in stated])
    lines += [f"x_high = {highest!r}", f"note = {quoted(cut_note(drawing, 1.1 * highest))}",
              f"methods = {len({method for method, _ in kinds})}"]
    files, methods, of_kinds = [], [], []
    for (method, kind), rows in sorted(kinds.items()):
        path = data / f"{drawing.name}-{method}-{kind}.dat"
        write_points(path, f"{kind}, {method} method: row, median in ns, low, high, text", rows)
        files.append(str(path))
        methods.append(METHODS.index(method))
        of_kinds.append(kind)
    lines += array_lines("bars", files) + array_lines("bars_method", methods) + array_lines("bars_kind", of_kinds)
    path = data / f"{drawing.name}-paper.dat"
    write_points(path, "as published: row, method (0 corrected, 1 published), ns", stated)
    told = {kind for kind in kinds if kind[1] != "baseline"}
    paper_label = f"paper, by the published method: {text_of(panel.published)} ns" if stated else ""
    return [*lines, f"legend_count = {len(told) + bool(stated)}", f"paper_label = {quoted(paper_label)}",
            *array_lines("paper", [str(path)] if stated else [])]


def draw(drawing, drawings, colours, folder):
    """Writes the data of one drawing and lets gnuplot draw it in every format; returns the paths."""
    data = folder / "data"
    write = write_bars if drawing.section.figure.x == "method" else write_curves
    settings = data / f"{drawing.name}.settings"
    settings.write_text("\n".join(write(drawing, drawings, colours, data)) + "\n", encoding="utf-8")
    paths = []
    for kind in FORMATS:
        path = folder / f"{drawing.name}.{kind}"
        variables = "; ".join(f"{name} = {quoted(value)}" for name, value in [
            ("settings", settings), ("format", kind), ("picture", path), ("scripts", SCRIPTS)])
        done = subprocess.run(["gnuplot", "-e", variables, str(SCRIPTS / drawing.section.figure.script)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not path.exists():
            raise Problem(f"gnuplot could not draw {path}: {done.stderr.strip()}", EXIT_NOT_WRITTEN)
        paths.append(path)
    return paths


def draw_all(run, sections):
    """Draws every figure of the run; returns [(drawing, [paths])]. Pictures of an earlier drawing are removed."""
    drawings = drawings_of(sections)
    if not drawings:
        return []
    if not shutil.which("gnuplot"):
        raise Problem("gnuplot is not installed; the figures need it (Debian: apt-get install gnuplot-nox)")
    folder = run.folder / "figures"
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob("*.pdf"), *folder.glob("*.svg"), *(folder / "data").glob("*")]:
        old.unlink()
    colours = colours_of({cell["deque"] for cell in run.cells.values()})
    return [(drawing, draw(drawing, drawings, colours, folder)) for drawing in drawings]
