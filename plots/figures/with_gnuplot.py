"""Writes any Picture as data (NAME.dat) and a gnuplot script (NAME.gp), for a paper.

`gnuplot NAME.gp` beside the data makes NAME-gnuplot.pdf. What a paper changes (size, font, terminal) stands in the first lines
of the script.
"""

import textwrap

from plots.figures.picture import SIDEWAYS

HEAD = """\
# {title}
# Made by gnuplot 5.4 or later from {name}.dat beside this script: gnuplot {name}.gp
set terminal pdfcairo size {width:.2f}in, {height:.2f}in noenhanced font "DejaVu Sans,{size:g}"
set output {output}
set encoding utf8
data = {data}
set multiplot layout {rows}, {columns} title {heading} noenhanced margins {margins} spacing {spacing}
"""
FRAME = """
reset
set border 3
set tics nomirror out scale 0.6
set errorbars small
set style textbox opaque noborder margins 0.4, 0.2
unset key
set title {title} noenhanced
{settings}
plot {clauses}
"""
LEGEND = """
reset
unset border
unset tics
set margins screen 0, screen 1, screen 0, screen {top:.4f}
set key center center horizontal Left reverse noenhanced samplen 2 font ",8" maxcols {columns}
plot [0:1] [0:1] NaN notitle, \\
     {entries}
"""
SHAPES = {"": 0, "plus": 1, "cross": 2, "star": 3, "square": 5, "circle": 7, "triangle_up": 9, "triangle_down": 11,
          "diamond": 13, "pentagon": 15}  # filled; hollow is one less
DASHES = {"solid": "solid", "dotted": "(3,4)", "dashdot": "(18,4,3,4)", "dashdotdot": "(18,4,3,4,3,4)",
          "dashed": "(12,5)", "short dashed": "(6,4)", "long dashed": "(24,6)", "wide dashed": "(12,12)"}
LINE = 0.19  # inches of a line of text
COLUMNS = "x y low high start text"


def save(picture, folder, size=9):
    """Writes both files; returns their paths. size: of letters, in points."""
    data, script = folder / f"{picture.name}.dat", folder / f"{picture.name}.gp"
    data.write_text(data_text(picture), encoding="utf-8")
    script.write_text(script_text(picture, size), encoding="utf-8")
    return [data, script]


def data_text(picture):
    """A block for each layer or matrix; gnuplot counts them from 0 (index)."""
    blocks = []
    for frame in picture.frames:
        if frame.field:
            rows = [f"{x}\t{y}\t{number(value)}" for y, row in enumerate(frame.field.rows) for x, value in enumerate(row)]
            blocks.append(f"# {one_line(frame.field.label)}: column row value\n" + "\n".join(rows))
        for layer in filter(drawable, frame.layers):
            told = ", ".join(part for part in (frame.title, layer.label) if part)
            rows = ["\t".join([*(number(value) for value in (mark.x, mark.y, *layer.interval(mark), mark.start)),
                               quoted(mark.text)]) for mark in layer.marks]
            blocks.append(f"# {one_line(told or layer.kind)}: {COLUMNS}\n" + "\n".join(rows))
    return "\n\n\n".join(blocks) + "\n"


def script_text(picture, size=9):
    rows, columns = picture.shape
    heading = "\n".join(textwrap.fill(line, int(11 * picture.width)) for line in picture.title.split("\n"))
    legend = LINE * -(-len(picture.labels()) // picture.legend_columns())
    height = picture.height * rows + LINE * (1 + heading.count("\n")) + legend
    titles = [textwrap.fill(frame.title, max(12, min(44, int(11 * picture.width / columns)))) for frame in picture.frames]
    title_room = 0.1 + LINE * max(bool(title) + title.count("\n") for title in titles)
    label_room = max(map(x_room, picture.frames))
    left, between = (max(map(y_room, some), default=0.2) / picture.width for some in (
        picture.frames[::columns], [frame for place, frame in enumerate(picture.frames) if place % columns]))
    right = 0.85 if any(frame.field for frame in picture.frames) else 0.97  # the colours' scale stands there
    margins = (left, right, (legend + label_room) / height, 1 - (LINE * (1.4 + heading.count("\n")) + title_room) / height)
    parts = [HEAD.format(size=size, title=one_line(picture.title), name=picture.name, output=quoted(f"{picture.name}-gnuplot.pdf"),
                         data=quoted(f"{picture.name}.dat"), width=picture.width, height=height, rows=rows, columns=columns,
                         heading=quoted(heading), margins=", ".join(f"{one:.4f}" for one in margins),
                         spacing=f"{between:.4f}, {(label_room + title_room) / height:.4f}")]
    block = 0
    for frame, title in zip(picture.frames, titles):
        settings = [*axis_lines(frame.x, "x"), *axis_lines(frame.y, "y"), *grid_lines(frame), *furniture(frame)]
        clauses = []
        if frame.field:
            clauses.append(f"data index {block} using 1:2:3 with image notitle")
            block += 1
        for layer in filter(drawable, frame.layers):
            clauses += layer_clauses(layer, f"data index {block}")
            block += 1
        parts.append(FRAME.format(title=quoted(title), settings="\n".join(settings),
                                  clauses=", \\\n     ".join(clauses or ["NaN notitle"])))
    if legend:
        entries = [f"keyentry with {key_style(layer)} title {quoted(label)}" for label, layer in picture.labels().items()]
        parts.append(LEGEND.format(top=legend / height, columns=picture.legend_columns(),
                                   entries=", \\\n     ".join(entries)))
    return "".join(parts) + "unset multiplot\n"


def x_room(frame):
    """The room for labels and ticks below a frame, in inches."""
    return 0.35 + LINE * (bool(frame.x.label) + frame.x.label.count("\n")) + 0.35 * frame.x.steep


def y_room(frame):
    """The same at its left."""
    longest = max((len(line) for _, text in frame.y.shown for line in text.split("\n")), default=0) if frame.y.ticks else 5
    return 0.2 + 0.08 * max(longest, 1) + 0.2 * bool(frame.y.label)


def axis_lines(axis, name):
    lines = [f"set {name}label {quoted(axis.label)} noenhanced"]
    if axis.scale in ("log", "log2"):
        lines.append(f"set logscale {name}" + (" 2" if axis.scale == "log2" else ""))
        lines.append(f'set format {name} "%g"')
    elif axis.scale == "asinh":
        lines.append(f"set nonlinear {name} via asinh({name}) inverse sinh({name})")
    if axis.ticks is not None:
        ticks = ", ".join(f"{quoted(text).replace(chr(37), chr(37) * 2)} {number(place)}" for place, text in axis.shown)
        lines.append(f"set {name}tics {'rotate by 45 right ' if axis.steep else ''}({ticks}) noenhanced")
    if axis.low is not None or axis.high is not None:
        lines.append(f"set {name}range [{number(axis.low, '*')}:{number(axis.high, '*')}]")
    return lines


def grid_lines(frame):
    names = {"x": "xtics", "y": "ytics", "both": "xtics ytics"}.get(frame.grid)
    return [f'set grid {names} lw 0.6 lc rgb "#C8C8C8" dt 1'] if names else []


def furniture(frame):
    """Texts, rules, arrows and the ground of a frame."""
    lines = []
    if frame.field:
        lines += ['set palette defined (0 "#00224E", 0.5 "#7C7B78", 1 "#FEE838")',
                  f"set cblabel {quoted(frame.field.label)}"]
    if frame.ground:
        left, right = map(number, frame.ground)
        lines.append(f"set object rect from first {left}, graph 0 to first {right}, graph 1 "
                     'behind fc rgb "#EFEFEF" fs solid noborder')
    for text in frame.texts:
        place = f"first {number(text.x)}, " + ("graph 0.96" if text.y is None else f"first {number(text.y)}")
        shift = {"left": "offset 0.8, 0", "right": "offset -0.8, 0", "center": ""}[text.align]
        boxed = "" if text.align == "center" else "boxed "
        lines.append(f'set label {quoted(text.text)} at {place} {text.align} {shift} noenhanced {boxed}front '
                     f'tc rgb "{text.colour}"')
    for rule in frame.rules:
        ends = [f"first {number(rule.at)}, graph {end}" if rule.upright else f"graph {end}, first {number(rule.at)}"
                for end in (0, 1)]
        lines.append(f'set arrow from {ends[0]} to {ends[1]} nohead back dt {DASHES[rule.dash]} lc rgb "{rule.colour}"')
    for arrow in frame.arrows:
        place = f"first {number(arrow.x)}, first {number(arrow.y)}"
        lines.append(f"set arrow from {place} rto graph 0, graph {0.07 * arrow.way:g} "
                     'head filled size screen 0.012, 20 lc rgb "#8A8A8A" front')
    if frame.says:
        lines.append(f"set label {quoted(textwrap.fill(frame.says, 24))} at graph 0.5, graph 0.5 center noenhanced")
    return lines


def drawable(layer):
    return bool(layer.marks)


def layer_clauses(layer, data):
    """The clauses of `plot` for a layer."""
    if layer.kind == "bars":
        half = layer.thickness / 2
        clauses = [f"{data} using (0):2:5:1:($2-{half:g}):($2+{half:g}) with boxxyerror {filled(layer.look)} notitle"]
        if any(mark.low is not None for mark in layer.marks):
            clauses.append(f'{data} using 1:2:3:4 with xerrorbars pt -1 lc rgb "#404040" notitle')
        if any(mark.text for mark in layer.marks):
            clauses.append(f"{data} using 4:2:6 with labels left offset 0.6, 0 noenhanced notitle")
        return clauses
    if layer.kind == "band":
        return [f'{data} using 1:3:4 with filledcurves lc rgb "{layer.look.colour}" notitle']
    if layer.kind == "line" or all(mark.low is None for mark in layer.marks):
        return [f"{data} using 1:2 with {key_style(layer)} notitle"]
    style = "yerrorlines" if layer.kind == "curve" else "xerrorbars" if layer.kind in SIDEWAYS else "yerrorbars"
    return [f"{data} using 1:2:3:4 with {style} {stroke(layer)} notitle"]


def key_style(layer):
    """The style of a layer's marks, as in the legend: without intervals."""
    if layer.kind in ("bars", "band"):
        return f"boxes {filled(layer.look)}"
    if layer.kind == "line":
        return f'lines lc rgb "{layer.look.colour}" lw {layer.look.width:g} dt {DASHES[layer.look.dash]}'
    return f"{'linespoints' if layer.kind == 'curve' else 'points'} {stroke(layer)}"


def filled(look):
    if look.hollow:
        return f'fs empty border lc rgb "{look.colour}" lc rgb "{look.colour}"'
    return f'fs {"pattern 4" if look.hatched else "solid 1.0 noborder"} lc rgb "{look.colour}"'


def stroke(layer):
    look = layer.look
    point = SHAPES[look.shape] - (look.hollow and SHAPES[look.shape] > 3)
    return f'lc rgb "{look.colour}" lw {look.width:g} dt {DASHES[look.dash]} pt {point} ps {0.7 * layer.size:g}'


def number(value, absent="NaN"):
    return absent if value is None else format(value, ".10g")


def one_line(text):
    """For a comment. gnuplot runs commands in backquotes, even there."""
    return " ".join(text.replace("`", "'").split())


def quoted(text):
    """A string for gnuplot, in a script and in data."""
    return '"' + text.replace("`", "'").replace("\\", "\\\\").replace('"', "'").replace("\n", "\\n") + '"'
