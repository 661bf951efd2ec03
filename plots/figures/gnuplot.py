"""Writes a Figure's points (NAME.dat) and a gnuplot script that draws them (NAME.gp), for whoever wants to change the picture.

`gnuplot NAME.gp` makes NAME-gnuplot.pdf. What one changes first stands at the top of the script: size, font, the ends of axes, the
places of names. The numbers behind these names count the axes.
"""

from plots.figures.layout import (
    is_faint, labels_of, names_at_the_end, places_of, scale_of, settled, shelves, size_of, ticks_of, title_of, x_limits, y_limits)

SHAPES = {"": 0, "plus": 1, "cross": 2, "star": 3, "square": 5, "circle": 7, "triangle_up": 9, "triangle_down": 11,
          "diamond": 13, "pentagon": 15}  # filled; hollow is one less
DASHES = {"solid": "solid", "dotted": "(3,4)", "dashdot": "(18,4,3,4)", "dashdotdot": "(18,4,3,4,3,4)",
          "dashed": "(12,5)", "short dashed": "(6,4)", "long dashed": "(24,6)", "wide dashed": "(12,12)"}
COLUMNS = "x y low high start text"


def save(figure, folder):
    """Writes both files; returns their paths."""
    figure = settled(figure)
    data, script = folder / f"{figure.name}.dat", folder / f"{figure.name}.gp"
    data.write_text(data_text(figure.parts), encoding="utf-8")
    script.write_text(script_text(figure), encoding="utf-8")
    return [data, script]


def data_text(parts):
    """A block a series; gnuplot counts them from 0 (index)."""
    blocks = []
    for axes in parts:
        (shelf, _), x_of = shelves(axes), places_of(axes)
        for one in axes.series:
            told = ", ".join(filter(None, (axes.title, one.name, one.kind)))
            rows = []
            for point in one.points:
                low, high = (point.value.y if end is None else end for end in point.value[1:3])
                place = x_of(point) + (shelf.get(one.name, 0) if one.kind == "bars" else 0)
                rows.append("\t".join([*map(number, (place, point.value.y, low, high, point.start)), quoted(point.text)]))
            blocks.append(f"# {one_line(told)}: {COLUMNS}\n" + "\n".join(rows))
    return "\n\n\n".join(blocks) + "\n"


def script_text(figure):
    parts = figure.parts
    columns = figure.columns or len(parts)
    rows = -(-len(parts) // columns)
    width, height = size_of(parts[0])[0] * min(columns, 2), sum(
        max(size_of(axes)[1] for axes in parts[start:start + columns]) for start in range(0, len(parts), columns))
    lines = [f"# {one_line(figure.title)}",
             f"# Made by gnuplot 5.4 or later from {figure.name}.dat beside this script: gnuplot {figure.name}.gp",
             f"width = {width:.2f}; height = {height:.2f}  # inches", 'font = "DejaVu Sans,9"']
    for place, axes in enumerate(parts, 1):
        (x_low, x_high), (y_low, y_high) = x_limits(axes), y_limits(axes)
        lines.append(f"x{place}_low = {number(x_low)}; x{place}_high = {number(x_high)}; "
                     f"y{place}_low = {number(y_low)}; y{place}_high = {number(y_high)}")
        lines += [f"name{place}_{at} = {height:.3f}  # the height of {one_line(one.name)}"
                  for at, (one, _, height) in enumerate(names_at_the_end(axes), 1)]
    lines += ["set terminal pdfcairo size width in, height in noenhanced font font", f"set output {quoted(figure.name + '-gnuplot.pdf')}",
              "set encoding utf8", f"data = {quoted(figure.name + '.dat')}",
              f"set multiplot layout {rows}, {columns} title {quoted(figure.title)} noenhanced"]
    block, named = 0, labels_of(figure)
    for place, axes in enumerate(parts, 1):
        lines += axes_lines(axes, place)
        clauses = []
        for one in axes.series:
            title = next((text for text, known in named.items() if known is one), "")
            clauses += clauses_of(axes, one, f"data index {block}", f"title {quoted(title)}" if title else "notitle")
            block += 1
        lines.append("plot " + ", \\\n     ".join(clauses))
    return "\n".join([*lines, "unset multiplot"]) + "\n"


def axes_lines(axes, place):
    """What one pair of axes sets."""
    log, ticks = scale_of(axes), ticks_of(axes)
    across, upward = ("y", "x") if axes.rows else ("x", "y")
    lines = ["", "reset", "set border 3", "set tics nomirror out scale 0.6", "set errorbars small",
             "set key bottom center outside horizontal Left reverse noenhanced samplen 2 font \",8\"",
             f"set title {quoted(title_of(axes))} noenhanced", f"set {upward}label {quoted(axes.label)} noenhanced",
             f"set {across}label {quoted('' if axes.rows else axes.x)} noenhanced", f'set grid {upward}tics lw 0.6 lc rgb "#C8C8C8" dt 1']
    ends = f"x{place}_high:x{place}_low" if axes.rows else f"x{place}_low:x{place}_high"
    lines += [f"set {across}range [{ends}]", f"set {upward}range [y{place}_low:y{place}_high]"]
    lines += [f"set logscale {upward}", f'set format {upward} "%g"'] if "y" in log else []
    lines += ["set logscale x"] if "x" in log else []
    if ticks is not None:
        told = ", ".join(f"{quoted(text).replace('%', '%%')} {number(at)}" for at, text in ticks)
        lines.append(f"set {across}tics ({told}) noenhanced")
    names = names_at_the_end(axes)
    lines += [f"set rmargin {max(len(one.name) for one, *_ in names) * 0.8 + 2:.0f}"] if names else []
    lines += [f"set label {quoted(one.name)} at graph 1.02, graph name{place}_{at} left noenhanced font \",6\" tc rgb \"#505050\""
              for at, (one, *_) in enumerate(names, 1)]
    if axes.upright:
        at = number(axes.upright[0])
        lines.append(f'set arrow from first {at}, graph 0 to first {at}, graph 1 nohead back dt (3,4) lc rgb "#8A8A8A"')
    if axes.level is not None:
        ends = [f"first {number(axes.level)}, graph {end}" if axes.rows else f"graph {end}, first {number(axes.level)}" for end in (0, 1)]
        lines.append(f'set arrow from {ends[0]} to {ends[1]} nohead back dt (3,4) lc rgb "#8A8A8A"')
    return lines


def clauses_of(axes, one, data, title):
    """The clauses of `plot` for a series."""
    look, has_interval = one.look, any(point.value.low is not None for point in one.points)
    if one.kind in ("bars", "spans"):
        half = (0.7 if one.kind == "spans" else shelves(axes)[1]) / 2
        made = [f"{data} using (0):1:5:2:($1-{half:g}):($1+{half:g}) with boxxyerror "
                f'fs {"pattern 4" if look.hatched else "solid 1.0 noborder"} lc rgb "{look.colour}" {title}']
        return made + [f'{data} using 2:1:3:4 with xerrorbars pt -1 lc rgb "#404040" notitle'] * has_interval
    colour, width = ("#B8B8B8", 0.8) if is_faint(axes, one) else (look.colour, look.width)
    line = f'lc rgb "{colour}" lw {width:g} dt {DASHES[look.dash]}'
    if one.kind == "guide" or is_faint(axes, one):
        return [f"{data} using 1:2 with lines {line} {title}"]
    point = f"{line} pt {SHAPES[look.shape] - (look.hollow and SHAPES[look.shape] > 3)} ps {1 if one.kind == 'paper' else 0.7}"
    joined = one.kind == "line" and not axes.rows
    if not has_interval:
        return [f"{data} using {'2:1' if axes.rows else '1:2'} with {'linespoints' if joined else 'points'} {point} {title}"]
    using, style = ("2:1:3:4", "xerrorbars") if axes.rows else ("1:2:3:4", "yerrorlines" if joined else "yerrorbars")
    return [f"{data} using {using} with {style} {point} {title}"]


def number(value):
    return format(value, ".10g")


def one_line(text):
    """For a comment. gnuplot runs commands in backquotes, even there."""
    return " ".join(text.replace("`", "'").split())


def quoted(text):
    """A string for gnuplot, in a script and in data."""
    return '"' + text.replace("`", "'").replace("\\", "\\\\").replace('"', "'").replace("\n", "\\n") + '"'
