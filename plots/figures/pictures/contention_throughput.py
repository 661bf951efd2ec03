"""Operations a second of an owner under thieves (BWoS thesis, figures 5.2 to 5.6, table 5.1), and whose lead is settled.

One picture for each setting: total, owner and thieves over the frequency of steals. With more deques than fit into one
legend, those of the thesis are in colour and every deque has a frame of its own in a second picture. Many block sizes of
one deque are drawn over the block size.
"""

from plots.data.cells import bars_are, grouped, notes_of, ranked
from plots.data.contention import THESIS, by_settings, contention_cells, frequency_text, number, setting_text
from plots.data.published import BOUND_SIGNS, read_published
from plots.data.words import format_number
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import COLUMNS, in_frames, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Table, bars_axis, rows_axis, ticks_of
from plots.figures.styles import BEHIND, VARIANTS_MAX, Looks, paler, variants_of
from plots.statistics import word_for

THESIS_FILE = "bwos_thesis.csv"
SETTING = ("thieves", "frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")
PANELS = [("process", "total_operations", "all threads"), ("owner", "owner_operations", "owner"),
          ("thief", "thief_operations", "thieves (stolen)")]


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("case") == "cycle" and cell.params.get("sample") == "none"]
    for tag in dict.fromkeys(cell.tag for cell in cells):
        mine = [cell for cell in cells if cell.tag == tag]
        yield from ((tag, made) for made in owner_alone(tag, [c for c in mine if c.params["thieves"] == "0"], looks))
        groups = by_settings([cell for cell in mine if cell.params["thieves"] != "0"], SETTING)
        names = told_apart_by_settings("", [dict(zip(SETTING, key)) for key in groups])
        for suffix, group in zip(names, groups.values()):
            yield from ((tag, made) for made in pictures(name_of(tag, "throughput") + suffix, group, looks))
            yield from ((tag, made) for made in tables(name_of(tag, "order") + suffix, group))
            ratios = bwos_ratios(name_of(tag, "ratios") + suffix, group)
            if ratios:
                yield tag, ratios


def name_of(tag, what):
    return f"{tag or 'contention'}-{what}"


def pictures(name, cells, looks):
    """Of one setting; a deque with more block sizes than it has dashes is drawn over these."""
    blocks = {deque: len({cell.series for cell in mine}) for deque, mine in grouped(cells, lambda cell: cell.deque).items()}
    many = [cell for cell in cells if blocks[cell.deque] > VARIANTS_MAX]
    few = [cell for cell in cells if blocks[cell.deque] <= VARIANTS_MAX]
    if many:
        yield over_block(f"{name}-by-block", many, looks)
    if len({cell.params["frequency"] for cell in few}) > 1:
        yield from over_frequency(name, few, looks)


def over_block(name, cells, looks):
    """A line a deque and frequency, over the size of its blocks."""
    lines = grouped(sorted(cells, key=lambda cell: number(cell.params["frequency"])),
                    lambda cell: (cell.deque, cell.params["frequency"]))
    blocks = sorted({int(cell.params["block"]) for cell in cells})
    frames = []
    for role, metric, title in PANELS:
        layers = []
        for ((deque, frequency), line), place in zip(lines.items(), variants_of(lines)):
            found = [(int(cell.params["block"]), cell.value(role, metric)) for cell in line if cell.value(role, metric)]
            marks = [Mark(block, *summary.scaled(1e-6)) for block, summary in sorted(found, key=lambda pair: pair[0])]
            layers.append(Layer(marks, looks.of(deque, place), label=f"{line[0].title}, {frequency_text(frequency)}"))
        frames.append(Frame(layers, Axis("items in a block", "log2", ticks=ticks_of(blocks)),
                            Axis("" if frames else "million operations a second", low=0), title))
    text = setting_text(cells[0], ("frequency",))
    return Picture(name, f"Throughput by block size, {text}{crowded(cells)}",
                   f"{text}. A line a deque and number of {attempted(cells)}. {bars(cells)} "
                   f"{notes_of(cells)}", frames, 10)


def crowded(cells):
    return ", more threads than processors" if any("oversubscribed" in cell.flags for cell in cells) else ""


def bars(cells):
    return bars_are([cell.value("process", "total_operations") for cell in cells])


def owner_alone(tag, cells, looks):
    """Figure 5.2: push and pop without a thief, as bars."""
    found = {}
    for cell in cells:
        if cell.value("owner", "push_time") and cell.value("owner", "pop_time"):
            found[cell.series, cell.params["item"]] = cell
    if not found:
        return
    rows = sorted(found.values(), key=lambda cell: cell.value("owner", "push_time").median
                  + cell.value("owner", "pop_time").median)
    layers = []
    for place, cell in enumerate(rows):
        for offset, metric, pale in ((-0.19, "push_time", False), (0.19, "pop_time", True)):
            summary, look = cell.value("owner", metric), looks.of(cell.deque)
            mark = Mark(summary.median, place + offset, summary.low, summary.high, text=format_number(summary.median))
            layers.append(Layer([mark], paler(look) if pale else look, "bars", thickness=0.36))
    items = {cell.params["item"] for cell in rows}
    labels = [cell.label + (f", {cell.params['item']}-byte" if len(items) > 1 else "") for cell in rows]
    frame = Frame(layers, bars_axis("ns per operation; upper bar push, lower bar (paler) pop", layers), rows_axis(labels),
                  grid="x")
    yield Picture(name_of(tag, "owner_alone"), "Mean time of push and pop without thieves",
                  f"Mean time of an operation. {bars_are([cell.value('owner', 'push_time') for cell in rows])} "
                  f"{setting_text(rows[0], ('thieves', 'frequency', 'item', 'steal'))}. {notes_of(rows)}", [frame],
                  height=0.8 + 0.3 * len(rows))


def over_frequency(name, cells, looks):
    frequencies = sorted({cell.params["frequency"] for cell in cells}, key=number)
    lines = lines_of(cells)
    if not lines:
        return
    crowd = len(lines) > LINES_MAX
    looks_of_lines = looks_for(lines, looks)
    frames = []
    for role, metric, title in PANELS:
        layers = [layer_of(line, role, metric, frequencies,
                           BEHIND if crowd and line[0].deque not in THESIS and not line[0].reference else look)
                  for line, look in zip(lines.values(), looks_of_lines)]
        layers.sort(key=lambda layer: bool(layer.label))
        frames.append(Frame(layers, frequency_axis(frequencies, attempted(cells)),
                            Axis("" if frames else "million operations a second", low=0, high=top_of(lines, role, metric)),
                            title))
    others = sum(line[0].deque not in THESIS and not line[0].reference for line in lines.values())
    behind = f" {others} other deques in pale grey." if others and crowd else ""
    gone = " References may lie above the picture." if any(line[0].reference for line in lines.values()) else ""
    caption = (f"{setting_text(cells[0], ('frequency',))}. Throughput over the {attempted(cells)}. "
               f"{bars(cells)}{behind}{gone}{blocks_stated(cells)} {notes_of(cells)}")
    yield Picture(name, f"Throughput by steal frequency, "
                        f"{setting_text(cells[0], ('frequency', 'capacity', 'steal'))}{crowded(cells)}",
                  caption, frames, 10)
    if crowd:
        yield small_multiples(name, cells, lines, frequencies, looks_of_lines)


def blocks_stated(cells):
    """The thesis on its figures 5.3 and 5.4: blocks that do not make up the capacity that it states."""
    if not any(cell.deque == "bwos_lifo" and cell.params["block"] == "64" and cell.params["item"] == "4" for cell in cells):
        return ""
    stated = next(value for value in read_published("setting", THESIS_FILE) if value.metric == "blocks_of_64")
    return (f" The thesis states a capacity of {stated.x} for all, and {stated.value:g} blocks of 64 for BWoS, which hold "
            f"{64 * stated.value:g}; here all have {cells[0].params['capacity']}.")


def looks_for(lines, looks):
    """A look for each line: the blocks of one deque are its variants."""
    keys = [(line[0].deque, series) for series, line in lines.items()]
    return [looks.of(deque, place) for (deque, _), place in zip(keys, variants_of(keys))]


def top_of(lines, role, metric):
    """Of the axis: a reference that does nothing must not squeeze all others together; it may leave the picture."""
    def highest(wanted):
        return max((summary.median for line in lines.values() for cell in line if wanted(cell)
                    for summary in [cell.value(role, metric)] if summary), default=0.0)

    return (1.12 * (highest(lambda cell: not cell.reference) or highest(lambda cell: True)) or 1.0) / 1e6


def lines_of(cells):
    """{series: its cells by frequency}; one without any value is none, and has no place in a legend."""
    lines = {}
    for cell in cells:
        lines.setdefault(cell.series, []).append(cell)
    lines = {series: line for series, line in lines.items()
             if any(cell.value(role, metric) for cell in line for role, metric, _ in PANELS)}
    return {series: sorted(line, key=lambda cell: number(cell.params["frequency"])) for series, line in lines.items()}


def layer_of(line, role, metric, frequencies, look):
    """A line over the frequencies; without a name where it stands behind the others."""
    found = [(cell, cell.value(role, metric)) for cell in line if cell.value(role, metric)]
    marks = [Mark(frequencies.index(cell.params["frequency"]), *summary.scaled(1e-6)) for cell, summary in found]
    if look is BEHIND:
        return Layer(marks, look, "line")
    return Layer(marks, look, label=line[0].label)


def attempted(cells):
    return f"steals attempted a second by {'all thieves together' if cells[0].params.get('frequency_of') == 'all' else 'each thief'}"


def frequency_axis(frequencies, label):
    return Axis(label, ticks=[(place, frequency_text(value)) for place, value in enumerate(frequencies)],
                steep=len(frequencies) > 5 or not label)


def small_multiples(name, cells, lines, frequencies, looks):
    """A frame for each deque, its own lines in colour before all the others in grey."""
    of_all = ("process", "total_operations")
    in_order = sorted(zip(lines.values(), looks), key=lambda pair: -best(pair[0]))
    frames = [Frame(layers, frequency_axis(frequencies, ""),
                    Axis("million/s" if place % COLUMNS == 0 else "", low=0, high=top_of(lines, *of_all)), title)
              for place, (title, layers) in enumerate(in_frames(
                  [(line[0].deque, line[0].title, blocks_text(line[0]), layer_of(line, *of_all, frequencies, look)) for line, look in in_order]))]
    return Picture(f"{name}-each", "Every deque, the highest throughput first",
                   f"The left frame of the figure above, a deque at a time. {notes_of(cells)}", frames, 10, 1.7,
                   columns=COLUMNS)


def blocks_text(cell):
    block = cell.params.get("block", "0")
    return f"blocks of {block}" if block != "0" else ""


def best(line):
    values = [cell.value("process", "total_operations") for cell in line]
    return max((summary.median for summary in values if summary), default=0.0)


def tables(name, cells):
    """Table 5.1 against the thesis's values, and the order of all deques with what is settled of it."""
    highest = max((cell.params["frequency"] for cell in cells if number(cell.params["frequency"])[0] == 0), key=number,
                  default=None)
    yield order_table(name, cells)
    there = [cell for cell in cells if cell.params["frequency"] == highest]
    base = next((cell for cell in there if cell.deque == "bwos_lifo"), None)
    if base is not None and len(there) > 1 and base.value("process", "total_operations"):
        yield relative_table(name, base, there, highest)


# What the thesis sets in figures 5.5 and 5.6: (against whom, its series, metric, from which frequency on it says so).
BWOS_OVER = [("abp", "LIFO_BWoS/ABP", "total_throughput_ratio", 1000),
             ("chase_lev", "LIFO_BWoS/CL", "total_throughput_ratio_high_frequency", 1000000)]
FIGURE_OF_THIEVES = {"1": "fig5.5", "5": "fig5.6"}


def bwos_ratios(name, cells):
    """LIFO BWoS over ABP and Chase-Lev by frequency, and the two factors that the thesis states of it with items of 8 bytes
    and blocks of 256."""
    params = cells[0].params
    figure = FIGURE_OF_THIEVES.get(params["thieves"])
    found = {(cell.deque, cell.params["frequency"]): cell.value("process", "total_operations") for cell in cells
             if cell.deque != "bwos_lifo" or cell.params.get("block") == "256"}
    stated = {value.series: value for value in read_published(figure, THESIS_FILE)} if figure else {}
    if params["item"] != "8" or params["steal"] != "one" or not stated or not any(deque == "bwos_lifo" for deque, _ in found):
        return None
    rows = []
    for frequency in sorted({frequency for _, frequency in found}, key=number):
        row, mine = [frequency_text(frequency)], found.get(("bwos_lifo", frequency))
        for deque, series, _, least in BWOS_OVER:
            other, (kind, hertz, _) = found.get((deque, frequency)), number(frequency)
            row += [f"{mine.median / other.median:.2f}" if mine and other and other.median else "",
                    stated[series].text() if kind == 0 and hertz >= least else ""]
        rows.append(row)
    return Table(name, f"LIFO BWoS with blocks of 256 over ABP and Chase-Lev, {setting_text(cells[0], ('frequency',))}",
                 f"Ratios of medians of this run: times as many operations of all threads. The thesis (figures 5.5 and 5.6, on its "
                 f"own machine) states the one of ABP of all frequencies, that of Chase-Lev of its higher ones: here, of 1 MHz. "
                 f"{notes_of(cells)}", ["frequency", "over ABP", "thesis", "over Chase-Lev", "thesis"], rows, [1, 2, 3, 4])


# Where table 5.1's values may stand beside ours.
TABLE_CONDITIONS = {"thieves": "5", "frequency": "1000000", "item": "4", "steal": "one"}


def order_table(name, cells):
    rows = []
    for group in by_settings(cells, ("frequency",)).values():
        places = ranked(group, "process", "total_operations")
        for place, (cell, summary, verdict) in enumerate(places, 1):
            word = "" if place == len(places) else word_for(verdict)
            rows.append([frequency_text(cell.params["frequency"]), str(place), cell.label,
                         *map(format_number, summary.scaled(1e-6)), word])
    text = setting_text(cells[0], ("frequency",))
    return Table(name, f"The order of the deques, {text}",
                 "Operations a second of all threads. The last column tells a deque from the one below it: 'settled' "
                 "by the rule for verdicts (docs/results.md), 'not told apart' when they are equal for practical purposes, "
                 "'not settled' when the order may be chance.",
                 ["frequency", "place", "deque", "million/s", "low", "high", "against the next"], rows, [1, 3, 4, 5])


def relative_table(name, base, cells, frequency):
    """Table 5.1: each deque against the thesis's own, in percent."""
    metrics = [("total_throughput", "process", "total_operations"), ("steal_throughput", "thief", "thief_operations"),
               ("worker_throughput", "owner", "owner_operations")]
    alike = all(base.params.get(name) == value for name, value in TABLE_CONDITIONS.items())
    stated = {(value.series, value.metric): value for value in read_published("table5.1", THESIS_FILE)} if alike else {}

    def over(series):
        return f"{1 / (1 + stated[series, 'total_throughput'].value / 100):.3g}"

    rows = []
    for cell in sorted(cells, key=lambda cell: (cell.deque not in THESIS, cell.label)):
        if cell is base:
            continue
        row = [cell.label]
        for published, role, metric in metrics:
            ours, theirs = cell.value(role, metric), base.value(role, metric)
            row.append(f"{100 * (ours.median / theirs.median - 1):+.1f} %" if ours and theirs and theirs.median else "")
            value = stated.get((THESIS.get(cell.deque), published))
            row.append(f"{BOUND_SIGNS.get(value.bound, '')}{value.value:+g} %" if value else "")
        rows.append(row)
    headings = ["deque", *(text for name_, _, _ in metrics for text in (name_.replace("_", " "), "thesis"))]
    return Table(f"{name}-relative", f"Throughput against {base.label} at {frequency_text(frequency)}",
                 f"{setting_text(base)}. Ratio of medians of this run, less 1. " + (
                     "The thesis's columns are its table 5.1, from its own machine; whether its 1 MHz are each thief's or all "
                     "thieves' is not said (docs/papers/bwos_thesis.md), so they stand beside both. Its text turns these losses round: BWoS "
                     f"outperforms ABP by 24, CL by 38, the mutex by 95 %; by the table it does {over('ABP')}, {over('CL')} "
                     f"and {over('Locked')} times as much." if alike else
                     "The thesis's table 5.1 is of 5 thieves at 1 MHz and items of 4 bytes, so it is not set beside this."),
                 headings, rows, list(range(1, len(headings))))
