"""Draws any Picture with matplotlib, as PDF and SVG."""

import textwrap
from dataclasses import replace

from harness.judging.run_folder import EXIT_NOT_WRITTEN, Problem
from harness.judging.words import plain

FORMATS = ("pdf", "svg")
SHAPES = {"": "none", "circle": "o", "square": "s", "triangle_up": "^", "triangle_down": "v", "diamond": "D",
          "pentagon": "p", "plus": "+", "cross": "x", "star": (6, 2, 0)}
DASHES = {"solid": "-", "dotted": (0, (1.2, 1.6)), "dashdot": (0, (7, 1.6, 1.2, 1.6)),
          "dashdotdot": (0, (7, 1.6, 1.2, 1.6, 1.2, 1.6)), "dashed": (0, (5, 2)), "short dashed": (0, (2.6, 1.6)),
          "long dashed": (0, (10, 2.5)), "wide dashed": (0, (5, 5))}
SCALES = {"log": {"value": "log"}, "log2": {"value": "log", "base": 2}, "asinh": {"value": "asinh", "linear_width": 1}}
MEASURING_DPI = 300
INK = "#404040"  # of intervals
# Letters stay letters: no Type 3 fonts in a PDF, text in an SVG. The same run gives the same bytes.
SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "stealbench", "font.size": 9,
            "font.family": "DejaVu Sans", "axes.facecolor": "none", "axes.spines.top": False,
            "axes.spines.right": False, "axes.titlesize": 9, "axes.axisbelow": True, "legend.fontsize": 8,
            "figure.titlesize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9,
            "text.parse_math": False, "hatch.linewidth": 0.5}


def save(picture, folder, style=None):
    """Draws it in every format; returns the paths. style: for_paper.Style. An ImportError if matplotlib is missing or older than
    3.6 (layout engines, letters that stay letters)."""
    import matplotlib
    if "text.parse_math" not in matplotlib.rcParams:
        raise ImportError(f"matplotlib {matplotlib.__version__} is older than 3.6")
    paths = [folder / f"{picture.name}.{kind}" for kind in FORMATS]
    with matplotlib.rc_context(SETTINGS | (style.settings() if style else {})):
        figure = drawn(picture, titled=style is None or style.titled)
        box = "tight" if style is None else exactly_wide(figure, picture.width)
        for path in paths:
            try:
                figure.savefig(path, bbox_inches=box,
                               metadata={"CreationDate": None} if path.suffix == ".pdf" else {"Date": None})
            except OSError as error:
                raise Problem(f"{picture.name} could not be written: {error}", EXIT_NOT_WRITTEN) from None
            figure.set_layout_engine("none")  # the next format keeps this layout
    return paths


def exactly_wide(figure, width):
    """A box as wide as a column and as high as the drawing. Measured at small pixels: each line of a legend is rounded to whole
    ones, and a dozen lines would be cut off."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox
    figure.set_dpi(MEASURING_DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    drawn_box = figure.get_tightbbox(renderer)
    figure.set_layout_engine("none")  # keeps what was measured
    return Bbox([[0, drawn_box.y0 - 0.04], [width, drawn_box.y1 + 0.04]])


def size_of(name):
    """The size of letters now, in points."""
    import matplotlib
    return float(matplotlib.rcParams[name])


def small(size):
    """The size of letters beside marks; a style for papers has one size for all."""
    return size if size_of("figure.titlesize") == SETTINGS["figure.titlesize"] else size_of("font.size")


def thickness():
    """How much larger lines and shapes are, as letters are on slides."""
    return max(1.0, size_of("font.size") / SETTINGS["font.size"])


def letters(inches, an_inch):
    """How many letters fit. an_inch: letters of the page's size in an inch."""
    return int(inches * an_inch * min(1.0, SETTINGS["font.size"] / size_of("font.size")))


def drawn(picture, titled=True):
    from matplotlib.figure import Figure
    rows, columns = picture.shape
    figure = Figure(figsize=(picture.width, picture.height * rows), layout="constrained")
    every = figure.subplots(rows, columns, squeeze=False)
    for axes, frame in zip(every.flat, picture.frames):
        draw_frame(figure, axes, frame)
    for axes in every.flat[len(picture.frames):]:
        axes.set_visible(False)
    if titled:
        figure.suptitle("\n".join(line for part in picture.title.split("\n")
                                  for line in textwrap.wrap(part, letters(picture.width, 11))))
    size = size_of("legend.fontsize")
    legend = [(handle_of(layer), wrapped(label, int(13 * picture.width * 8 / size))) for label, layer in picture.labels().items()]
    if legend:
        figure.legend(*zip(*legend), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=picture.legend_columns(size),
                      frameon=False)
    return figure


def wrapped(text, most):
    """The text in lines no longer than that."""
    return "\n".join(part for line in text.split("\n") for part in textwrap.wrap(line, most) or [""])


def handle_of(layer):
    """The legend's symbol of a layer."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    look = layer.look
    if layer.kind in ("bars", "band"):
        return Patch(facecolor="none" if look.hollow else look.colour, edgecolor=look.colour)
    # All symbols of a legend have one size.
    return Line2D([], [], color=look.colour, ls=DASHES[look.dash] if layer.kind in ("curve", "line") else "none",
                  lw=thickness() * look.width, **shape_of(replace(layer, size=1)))


def shape_of(layer):
    look = layer.look
    return {"marker": "none" if layer.kind == "line" else SHAPES[look.shape], "ms": 4.5 * layer.size * thickness(),
            "mfc": "none" if look.hollow else look.colour, "mec": look.colour}


def draw_frame(figure, axes, frame):
    width = figure.get_figwidth() / axes.get_gridspec().ncols
    for axis, name in ((frame.x, "x"), (frame.y, "y")):
        set_axis(axes, axis, name, width)
    axes.set_xlabel(wrapped(frame.x.label, letters(width, 12)))
    if frame.x.ticks is None and frame.x.scale == "linear":
        axes.xaxis.get_major_locator().set_params(nbins=max(3, int(1.6 * width / thickness())))
    if frame.grid:
        axes.grid(axis=frame.grid, color="#E0E0E0", lw=0.6)
    if frame.field:
        draw_field(figure, axes, frame.field)
    for depth, layer in enumerate(frame.layers):
        draw_layer(axes, layer, 2 + 0.01 * depth)
    if frame.ground:
        axes.axvspan(*frame.ground, color="#EFEFEF", zorder=0, lw=0)
    for rule in frame.rules:
        line = axes.axvline if rule.upright else axes.axhline
        line(rule.at, color=rule.colour, ls=DASHES[rule.dash], lw=1.1, zorder=1)
    for arrow in frame.arrows:
        axes.annotate("", (arrow.x, arrow.y), (0, 18 * arrow.way), textcoords="offset points", zorder=4,
                      arrowprops={"arrowstyle": "<|-", "color": "#8A8A8A", "lw": 1.1})
    for text in frame.texts:
        draw_text(axes, text)
    # Last: an end that is not given comes from the marks.
    axes.set_xlim(frame.x.low, frame.x.high)
    axes.set_ylim(frame.y.low, frame.y.high)
    axes.set_title("\n".join(textwrap.wrap(frame.title, letters(width, 12))))
    if frame.says:
        axes.text(0.5, 0.5, textwrap.fill(frame.says, 24), transform=axes.transAxes, ha="center", va="center", fontsize=small(8),
                  color="#606060")


def set_axis(axes, axis, name, width):
    if axis.scale != "linear":
        getattr(axes, f"set_{name}scale")(**SCALES[axis.scale])
    of_axis = getattr(axes, f"{name}axis")
    if axis.ticks is not None:
        of_axis.set_ticks([place for place, _ in axis.ticks], [text for _, text in axis.shown])
        of_axis.set_ticks([], minor=True)
        # A slide's letters may not fit.
        full = name == "x" and sum(len(text) + 1 for _, text in axis.shown) > letters(width, 9) and thickness() > 1
        axes.tick_params(axis=name, rotation=45 if axis.steep or full else 0, labelsize=small(8 if len(axis.ticks) < 8 else 7))
        if axis.steep:
            for label in of_axis.get_ticklabels():
                label.set(ha="right", rotation_mode="anchor")
    else:
        of_axis.set_major_formatter(lambda value, _: plain(value))
    getattr(axes, f"set_{name}label")(axis.label)


def draw_text(axes, text):
    top = text.y is None
    offset = {"left": 7, "right": -7, "center": 0}[text.align] * thickness()
    axes.annotate(text.text, (text.x, 0.98 if top else text.y), (offset, 0), textcoords="offset points",
                  xycoords=axes.get_xaxis_transform() if top else "data", ha=text.align, va="top" if top else "center",
                  fontsize=small(7.5), color=text.colour, zorder=5,
                  bbox=None if text.align == "center" else {"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.75})


def draw_field(figure, axes, field):
    known = [value for row in field.rows for value in row if value is not None]
    image = axes.imshow([[float("nan") if value is None else value for value in row] for row in field.rows],
                        cmap="cividis", vmin=min(0.9 * min(known), min(known)), vmax=max(known),
                        aspect="equal" if len(field.rows) == len(field.rows[0]) else "auto")
    axes.set_facecolor("#E4E4E4")
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.8, label=field.label)


def draw_layer(axes, layer, depth):
    look, marks = layer.look, layer.marks
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    if layer.kind == "bars":
        draw_bars(axes, layer, depth)
    elif layer.kind == "band":
        axes.fill_between(xs, *zip(*map(layer.interval, marks)), color=look.colour, lw=0,
                          zorder=depth)
    else:
        axes.errorbar(xs, ys, **intervals(layer), color=look.colour, ecolor=look.colour, lw=thickness() * look.width,
                      elinewidth=thickness(), capsize=1.5, ls=DASHES[look.dash] if layer.kind in ("curve", "line") else "none",
                      zorder=depth, **shape_of(layer))


def intervals(layer):
    """{"xerr" or "yerr": distances}; {} if no mark has an interval."""
    if layer.kind == "line" or all(mark.low is None for mark in layer.marks):
        return {}
    name = "x" if layer.kind in ("across", "bars") else "y"
    distances = [(max(0, getattr(mark, name) - low), max(0, high - getattr(mark, name)))
                 for mark in layer.marks for low, high in [layer.interval(mark)]]
    return {f"{name}err": list(zip(*distances))}


def draw_bars(axes, layer, depth):
    look = layer.look
    axes.barh([mark.y for mark in layer.marks], [mark.x - mark.start for mark in layer.marks], layer.thickness,
              left=[mark.start for mark in layer.marks], color="none" if look.hollow else look.colour,
              edgecolor=look.colour if look.hollow else "white" if look.hatched else "none",
              hatch="////" if look.hatched else None, lw=1.2 if look.hollow else 0, zorder=depth,
              error_kw={"lw": 1, "capsize": 1.5, "ecolor": INK, "zorder": depth}, rasterized=len(layer.marks) > 500,
              **intervals(layer))
    for mark in layer.marks:
        if mark.text:
            axes.annotate(mark.text, (layer.interval(mark)[1], mark.y), (3, 0), textcoords="offset points", va="center",
                          fontsize=small(7))
