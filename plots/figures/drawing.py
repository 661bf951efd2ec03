"""Draws a Figure with matplotlib, as SVG for the page or as PDF in the size of a publisher."""

import math
import textwrap

from harness.judging.run_folder import Problem
from harness.judging.words import format_number, plain
from plots.figures.layout import (
    is_faint, labels_of, names_at_the_end, places_of, scale_of, settled, shelves, size_of, ticks_of, title_of, x_limits, y_limits)
from plots.figures.styles import GREY

SHAPES = {"": "none", "circle": "o", "square": "s", "triangle_up": "^", "triangle_down": "v", "diamond": "D",
          "pentagon": "p", "plus": "+", "cross": "x", "star": (6, 2, 0)}
DASHES = {"solid": "-", "dotted": (0, (1.2, 1.6)), "dashdot": (0, (7, 1.6, 1.2, 1.6)),
          "dashdotdot": (0, (7, 1.6, 1.2, 1.6, 1.2, 1.6)), "dashed": (0, (5, 2)), "short dashed": (0, (2.6, 1.6)),
          "long dashed": (0, (10, 2.5)), "wide dashed": (0, (5, 5))}
FAINT, INK = "#B8B8B8", "#202020"
PAD = 3 / 72  # inches around a pair of axes with its names
# Letters stay letters: no Type 3 fonts in a PDF, text in an SVG. The same run gives the same bytes.
SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "stealbench", "font.size": 9, "font.family": "DejaVu Sans",
            "axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9, "axes.axisbelow": True,
            "legend.fontsize": 8, "figure.titlesize": 10, "xtick.labelsize": 8, "ytick.labelsize": 8, "text.parse_math": False,
            "hatch.linewidth": 0.5}
# --style: inches of a column and of both (acmart, IEEEtran, a slide of 16 by 9), points of letters, whether there is a title.
STYLES = {"acm": (3.335, 7.0, 8, False), "ieee": (3.487, 7.14, 8, False), "slides": (12.0, 12.0, 18, True)}


def load():
    """Loads matplotlib, once for all processes that draw. A Problem if it is missing or older than 3.6 (letters that stay letters)."""
    try:
        import matplotlib.backends.backend_pdf
        import matplotlib.backends.backend_svg  # noqa: F401
        if "text.parse_math" not in matplotlib.rcParams:
            raise ImportError
    except ImportError:
        raise Problem("matplotlib is not installed, or older than 3.6; the figures need it (Debian: apt-get install python3-matplotlib)"
                      ) from None


def save(figure, folder, style=None):
    """Draws it for the page or, in a style of STYLES, for a paper."""
    import matplotlib
    settings = dict(SETTINGS)
    if style:
        settings |= {name: STYLES[style][2] for name, value in SETTINGS.items() if name.endswith("size") and isinstance(value, int)}
    with matplotlib.rc_context(settings):
        drawn = draw(figure, style)
        drawn.savefig(folder / f"{figure.name}.{'pdf' if style else 'svg'}", bbox_inches=whole_box(drawn),
                      metadata={"CreationDate" if style else "Date": None})


def draw(figure, style=None):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    figure = settled(figure)
    parts = figure.parts
    columns = figure.columns or len(parts)
    rows = [parts[start:start + columns] for start in range(0, len(parts), columns)]
    heights = [max(size_of(axes)[1] for axes in row) for row in rows]
    width = size_of(parts[0])[0] * min(columns, {1: 1, 2: 1.6}.get(columns, 2.1))
    if style:
        column, both, _, _ = STYLES[style]
        width = both if columns > 1 else column
    whole = Figure(figsize=(width, sum(heights)))
    grid = whole.subplots(len(rows), columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    for place, (axes, part) in enumerate(zip(grid.flat, parts)):
        first = parts[place - place % columns]
        draw_axes(axes, part, width / columns, named=part is first or part.categories() != first.categories())
    for axes in grid.flat[len(parts):]:
        axes.set_visible(False)
    if style is None or STYLES[style][3]:
        whole.suptitle(textwrap.fill(figure.title, max(20, int(11 * width))))
    legend = labels_of(figure)
    if legend:
        longest = max(map(len, legend))
        whole.legend([handle_of(one) for one in legend.values()], list(legend), loc="upper center", bbox_to_anchor=(0.5, 0), frameon=False,
                     ncol=max(1, min(4, len(legend), int(width / (0.5 + 0.07 * longest)))))
    FigureCanvasAgg(whole)  # measures letters
    lay_out(whole, grid, heights)
    return whole


def lay_out(whole, grid, heights):
    """Makes the columns equally wide and the rows as high as the heights are to each other, with room for numbers and names around
    them. They are looked at once, and the figure is not looked at again to cut it out: matplotlib's own ways take thrice as long."""
    import numpy
    renderer, (width, height) = whole.canvas.get_renderer(), whole.get_size_inches()
    around = numpy.full((*grid.shape, 4), PAD)  # left, bottom, right, top
    for place, axes in numpy.ndenumerate(grid):
        if axes.get_visible():
            around[place] += abs(axes.get_tightbbox(renderer, for_layout_only=True).extents - axes.bbox.extents) / whole.dpi
    (left, right), (bottom, top) = (around[..., ends].max(along).T for ends, along in (((0, 2), 0), ((1, 3), 1)))
    title = whole._suptitle
    if title:
        title.set_y(1 - PAD / height)
        height -= 2 * PAD + title.get_window_extent(renderer).height / whole.dpi
    wide = (width - left.sum() - right.sum()) / len(left)
    high = (height - bottom.sum() - top.sum()) / sum(heights) * numpy.array(heights)
    for (row, column), axes in numpy.ndenumerate(grid):
        x = left[:column + 1].sum() + right[:column].sum() + column * wide
        y = height - top[:row + 1].sum() - bottom[:row].sum() - high[:row + 1].sum()
        axes.set_position([x / width, y / whole.get_figheight(), wide / width, high[row] / whole.get_figheight()])


def whole_box(whole):
    """What is written: the figure, and the legend below it, in inches."""
    from matplotlib.transforms import Bbox
    width, height = whole.get_size_inches()
    boxes = [Bbox([(PAD, PAD), (width - PAD, height - PAD)])]
    boxes += [Bbox(legend.get_tightbbox(whole.canvas.get_renderer()).get_points() / whole.dpi) for legend in whole.legends]
    return Bbox.union(boxes).padded(0.1)


def draw_axes(axes, part, width, named):
    set_scales(axes, part, width, named)
    draw_bars(axes, part)
    for depth, one in enumerate(sorted(part.series, key=lambda one: not is_faint(part, one))):
        draw_series(axes, part, one, 2 + 0.01 * depth)
    log = scale_of(part)
    for one, point, height in names_at_the_end(part):
        end = value_at(1.015, x_limits(part), "x" in log), value_at(height, y_limits(part), "y" in log)
        # a line, which is drawn ten times as fast as an arrow
        axes.plot([places_of(part)(point), end[0]], [point.value.y, end[1]], color=FAINT, lw=0.4, clip_on=False, in_layout=False, zorder=1)
        axes.text(1.02, height, one.name, transform=axes.transAxes, fontsize=6, va="center", color="#505050")
    if part.upright:
        axes.axvline(part.upright[0], color=GREY, ls=":", lw=1.1, zorder=1)
    if part.level is not None:
        (axes.axvline if part.rows else axes.axhline)(part.level, color=GREY, ls=":", lw=1.1, zorder=1)


def value_at(share, ends, logarithmic):
    """The value at this share of an axis."""
    low, high = ends
    return low * (high / low) ** share if logarithmic else low + share * (high - low)


def set_scales(axes, part, width, named):
    """Scales, ends, ticks and names of both axes. named: rows have their names; they stand at the left of equal rows."""
    log = scale_of(part)
    across, upward = (axes.yaxis, axes.xaxis) if part.rows else (axes.xaxis, axes.yaxis)  # of x, of y
    if "y" in log:
        (axes.set_xscale if part.rows else axes.set_yscale)("log")
    if "x" in log:
        axes.set_xscale("log")
    (axes.set_xlim if part.rows else axes.set_ylim)(*y_limits(part))
    (axes.set_ylim if part.rows else axes.set_xlim)(*(x_limits(part)[::-1] if part.rows else x_limits(part)))
    ticks = ticks_of(part)
    if ticks is not None:
        texts = [text if named or not part.rows else "" for _, text in ticks]
        across.set_ticks([place for place, _ in ticks], texts)
        across.set_ticks([], minor=True)
        if not part.rows and sum(len(text) + 2 for text in texts) > 11 * width:
            axes.tick_params(axis="x", rotation=40)
    else:
        plain_ticks(across, "x" in log, x_limits(part))
    plain_ticks(upward, "y" in log, y_limits(part))
    upward.grid(True, color="#E0E0E0", lw=0.6)
    axes.set_title(textwrap.fill(title_of(part), max(16, int(12 * width))))
    (axes.set_ylabel if part.rows else axes.set_xlabel)("" if part.rows and part.categories() else textwrap.fill(part.x, int(12 * width)))
    (axes.set_xlabel if part.rows else axes.set_ylabel)(part.label)


def plain_ticks(axis, logarithmic, ends):
    """Numbers without exponents; on a short logarithmic axis also at 2, 3 and 5. On a long one the marks between the numbers are one
    line, because matplotlib takes as long for one of its ticks."""
    axis.set_major_formatter(lambda value, _: plain(value))
    if logarithmic and ends[1] < 30 * ends[0]:
        axis.set_minor_formatter(lambda value, _: plain(value) if f"{value:e}"[0] in "235" else "")
    elif logarithmic:
        places = [place for place in axis.get_minorticklocs() if ends[0] <= place <= ends[1]]
        axis.set_ticks([], minor=True)
        how = {"ls": "none", "ms": 2, "mew": 0.6, "color": "black", "clip_on": False, "in_layout": False, "zorder": 0.5}
        if axis.axis_name == "x":
            axis.axes.plot(places, [0] * len(places), marker=3, transform=axis.axes.get_xaxis_transform(), **how)
        else:
            axis.axes.plot([0] * len(places), places, marker=0, transform=axis.axes.get_yaxis_transform(), **how)


def draw_series(axes, part, one, depth):
    look, faint = one.look, is_faint(part, one)
    xs, values = list(map(places_of(part), one.points)), [point.value for point in one.points]
    ys = [value.y for value in values]
    if one.kind == "spans":
        for row in sorted(set(xs)):
            spans = [(point.start, point.value.y - point.start) for place, point in zip(xs, one.points) if place == row]
            axes.broken_barh(spans, (row - 0.35, 0.7), color=look.colour, lw=0, zorder=2)  # below all points, as bars are
    if one.kind in ("bars", "spans"):
        return
    if part.rows:
        xs, ys = ys, xs
    bars = {} if faint else intervals(values, "xerr" if part.rows else "yerr")
    colour = FAINT if faint else INK if part.rows and one.kind == "paper" else look.colour
    how = {"color": colour, "lw": 0.8 if faint else look.width, "zorder": depth, "mfc": "none" if look.hollow else colour, "mec": colour,
           "ls": DASHES[look.dash] if one.kind in ("line", "guide") and not part.rows else "none",
           "marker": "none" if faint or one.kind == "guide" else SHAPES[look.shape], "ms": 7 if one.kind == "paper" else 4.5}
    if bars:
        axes.errorbar(xs, ys, **bars, elinewidth=1, capsize=1.5, **how)
    else:
        axes.plot(xs, ys, **how)
    for point, x, y in zip(one.points, xs, ys):
        if one.kind == "paper" and point.text[:1] in ("<", ">"):  # a bound: the value lies that way
            away = 14 if point.text[0] == ">" else -14
            axes.annotate("", (x, y), (away, 0) if part.rows else (0, away), textcoords="offset points", zorder=depth,
                          arrowprops={"arrowstyle": "<|-", "color": GREY, "lw": 1.1, "shrinkB": 4})


def intervals(values, name):
    """{"xerr" or "yerr": how far below and above}; {} if no value has an interval."""
    if all(value.low is None for value in values):
        return {}
    below = [math.nan if value.low is None else max(0, value.y - value.low) for value in values]
    above = [math.nan if value.high is None else max(0, value.high - value.y) for value in values]
    return {name: [below, above]}


def draw_bars(axes, part):
    """All at once, because matplotlib takes nearly as long for one."""
    (shelf, thickness), (low, high), x_of = shelves(part), y_limits(part), places_of(part)
    bars = [(one.look, x_of(point) + shelf[one.name], point) for one in part.series if one.kind == "bars" for point in one.points]
    if not bars:
        return
    looks, rows, points = zip(*bars)
    starts = [max(point.start, low) if "y" in scale_of(part) else point.start for point in points]
    values = [point.value for point in points]
    axes.barh(rows, [value.y - start for value, start in zip(values, starts)], thickness, left=starts, zorder=2, lw=0,
              color=[look.colour for look in looks], hatch=["////" if look.hatched else "" for look in looks],
              edgecolor=["white" if look.hatched else "none" for look in looks],
              error_kw={"lw": 1, "capsize": 1.5, "ecolor": INK}, **intervals(values, "xerr"))
    for row, point in zip(rows, points):
        if thickness > 0.2 or point.text:
            end = min(max(filter(None, (point.value.high, point.value.y)), default=0), high)
            axes.annotate(point.text or format_number(point.value.y), (end, row), (3, 0), textcoords="offset points", va="center",
                          fontsize=7)


def handle_of(one):
    """The legend's symbol of a series."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    look = one.look
    if one.kind in ("bars", "spans"):
        return Patch(facecolor=look.colour)
    return Line2D([], [], color=look.colour, ls=DASHES[look.dash] if one.kind in ("line", "guide") else "none", lw=look.width, ms=4.5,
                  marker="none" if one.kind == "guide" else SHAPES[look.shape], mfc="none" if look.hollow else look.colour)
