"""Operations a second of an owner under thieves (BWoS thesis, figures 5.2 to 5.6, table 5.1), and whose lead is settled.

One picture for each setting: total, owner and thieves over the frequency of steals. With more deques than fit into one
legend, those of the thesis are in colour and every deque has a panel of its own in a second picture.
"""

from contention_cells import (FOUR, THESIS, contention_cells, frequency_text, grouped, interval, notes_of, number,
                              ranked, setting_text, style_of)
from pictures import Picture, Table
from published import BOUND_SIGNS, read_published
from sections import format_number

THESIS_FILE = "bwos_thesis.csv"
SETTING = ("thieves", "item", "capacity", "steal", "percent", "pacing", "placement")
PANELS = [("process", "total_operations", "all threads"), ("owner", "owner_operations", "owner"),
          ("thief", "thief_operations", "thieves (stolen)")]
MANY = 10  # series: beyond, each gets a panel of its own


def draw(run, _sections, summaries):
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("case") == "cycle" and cell.params.get("sample") == "none"]
    for tag in dict.fromkeys(cell.tag for cell in cells):
        mine = [cell for cell in cells if cell.tag == tag]
        yield from ((tag, made) for made in owner_alone(tag, [c for c in mine if c.params["thieves"] == "0"]))
        thieves = [cell for cell in mine if cell.params["thieves"] != "0"]
        for place, group in enumerate(grouped(thieves, SETTING).values()):
            if len({cell.params["frequency"] for cell in group}) > 1:
                yield from ((tag, made) for made in over_frequency(name_of(tag, "throughput", place), group))
            yield from ((tag, made) for made in tables(name_of(tag, "order", place), group))


def name_of(tag, what, place=0):
    return f"{tag or 'contention'}-{what}" + (f"-{place + 1}" if place else "")


def owner_alone(tag, cells):
    """Figure 5.2: push and pop without a thief, as bars."""
    import matplotlib.pyplot as pyplot
    found = {}
    for cell in cells:
        if cell.value("owner", "push_time") and cell.value("owner", "pop_time"):
            found[cell.series, cell.params["item"]] = cell
    if not found:
        return
    rows = sorted(found.values(), key=lambda cell: cell.value("owner", "push_time").median
                  + cell.value("owner", "pop_time").median)
    figure, axes = pyplot.subplots(figsize=(7, 1.2 + 0.3 * len(rows)))
    items = {cell.params["item"] for cell in rows}
    for place, cell in enumerate(rows):
        colour = style_of(cell)[0]
        for offset, metric, alpha in ((-0.19, "push_time", 1.0), (0.19, "pop_time", 0.55)):
            summary = cell.value("owner", metric)
            axes.barh(place + offset, summary.median, 0.36, color=colour, alpha=alpha,
                      xerr=[[end] for end in interval(summary)], error_kw={"lw": 0.8})
            axes.annotate(format_number(summary.median), (summary.median + interval(summary)[1], place + offset),
                          xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(rows)), [cell.label + (f", {cell.params['item']}-byte" if len(items) > 1 else "")
                                       for cell in rows])
    axes.set_xlabel("ns per operation; upper bar push, lower bar (paler) pop")
    axes.invert_yaxis()
    axes.set_title("Owner without thieves")
    yield Picture(name_of(tag, "owner_alone"), "Mean time of push and pop without thieves",
                  f"Medians over invocations of the mean time of an operation, 95 % intervals; "
                  f"{setting_text(rows[0], ('thieves', 'frequency', 'item', 'steal'))}. {notes_of(rows)}", figure)


def over_frequency(name, cells):
    import matplotlib.pyplot as pyplot
    frequencies = sorted({cell.params["frequency"] for cell in cells}, key=number)
    lines = lines_of(cells)
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 4.2))
    for (role, metric, title), ax in zip(PANELS, axes):
        for line in lines.values():
            draw_line(ax, line, role, metric, frequencies)
        frequency_axis(ax, frequencies)
        ax.set_title(title)
        ax.set_ylim(0, top_of(lines, role, metric))
    axes[0].set_ylabel("million operations a second")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=4, fontsize=8, frameon=False)
    others = sum(1 for line in lines.values() if line[0].deque not in FOUR and not line[0].baseline)
    behind = f" {others} other deques in pale grey." if others and len(lines) > MANY else ""
    gone = " Yardsticks may lie above the picture." if any(line[0].baseline for line in lines.values()) else ""
    caption = (f"{setting_text(cells[0], ('frequency',))}. Throughput over the steals that each thief attempts a "
               f"second. Medians with 95 % intervals.{behind}{gone} {notes_of(cells)}")
    yield Picture(name, f"Throughput by steal frequency, {setting_text(cells[0], ('frequency', 'capacity', 'steal'))}",
                  caption, figure)
    if len(lines) > MANY:
        yield small_multiples(name, cells, lines, frequencies)


def top_of(lines, role, metric):
    """Of the axis: a yardstick that does nothing must not squeeze all others together; it may leave the picture."""
    def highest(wanted):
        return max((summary.median for line in lines.values() for cell in line if wanted(cell)
                    for summary in [cell.value(role, metric)] if summary), default=0.0)

    return (1.12 * (highest(lambda cell: not cell.baseline) or highest(lambda cell: True)) or 1.0) / 1e6


def lines_of(cells):
    lines = {}
    for cell in cells:
        lines.setdefault(cell.series, []).append(cell)
    return {series: sorted(line, key=lambda cell: number(cell.params["frequency"])) for series, line in lines.items()}


def draw_line(ax, line, role, metric, frequencies, emphasised=False):
    points = [(frequencies.index(cell.params["frequency"]), cell.value(role, metric), cell) for cell in line
              if cell.value(role, metric)]
    if not points:
        return
    colour, width, dash, depth = style_of(line[0])
    named = emphasised or line[0].deque in FOUR or line[0].baseline or colour != "#C4C4C4"
    if emphasised and not line[0].baseline:
        colour, width, depth = FOUR.get(line[0].deque, "#0072B2"), 1.8, 5
    ends = list(zip(*(interval(summary) for _, summary, _ in points)))
    hollow = all("oversubscribed" in cell.flags for _, _, cell in points)
    ax.errorbar([x for x, _, _ in points], [summary.median / 1e6 for _, summary, _ in points],
                yerr=[[value / 1e6 for value in end] for end in ends], color=colour, lw=width, ls=dash, zorder=depth,
                marker="o", ms=3.5 if named else 2, mfc="white" if hollow else colour, elinewidth=0.8,
                label=line[0].label if named else None)


def frequency_axis(ax, frequencies, small=False):
    ax.set_xticks(range(len(frequencies)), [frequency_text(value) for value in frequencies],
                  rotation=45 if small or len(frequencies) > 5 else 0, fontsize=6 if small else 8)
    if not small:
        ax.set_xlabel("steals attempted a second by each thief")


def small_multiples(name, cells, lines, frequencies):
    """A panel for each deque, its own line in colour before all the others in grey."""
    import matplotlib.pyplot as pyplot
    columns = 5
    ordered = sorted(lines.values(), key=lambda line: -best(line))
    rows = -(-len(ordered) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(11, 1.7 * rows + 0.6), sharex=True, sharey=True,
                                   squeeze=False)
    everything = {series: [(frequencies.index(c.params["frequency"]), c.value("process", "total_operations").median / 1e6)
                           for c in line if c.value("process", "total_operations")] for series, line in lines.items()}
    for ax, line in zip(axes.flat, ordered):
        for points in everything.values():
            ax.plot(*zip(*points), color="#DDDDDD", lw=0.6, zorder=0) if points else None
        draw_line(ax, line, "process", "total_operations", frequencies, emphasised=True)
        ax.set_title(line[0].label, fontsize=7)
        ax.tick_params(labelsize=6)
        frequency_axis(ax, frequencies, small=True)
    for ax in list(axes.flat)[len(ordered):]:
        ax.set_visible(False)
    axes[0][0].set_ylim(0, top_of(lines, "process", "total_operations"))
    figure.supylabel("million operations a second, all threads", fontsize=8)
    figure.tight_layout()
    return Picture(f"{name}-each", "Every deque, the highest throughput first",
                   f"The left panel of the figure above, a deque at a time. {notes_of(cells)}", figure)


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


def order_table(name, cells):
    rows = []
    for group in grouped(cells, ("frequency",)).values():
        places = ranked(group, "process", "total_operations")
        for place, (cell, summary, settled) in enumerate(places, 1):
            if place == len(places):
                word = ""
            else:
                word = {True: "settled", False: "not settled", None: "no interval"}[settled]
            rows.append([frequency_text(cell.params["frequency"]), str(place), cell.label,
                         *(format_number(value / 1e6) if value is not None else ""
                           for value in (summary.median, summary.low, summary.high)), word])
    text = setting_text(cells[0], ("frequency",))
    return Table(name, f"The order of the deques, {text}",
                 "Operations a second of all threads. The last column tells a deque from the one below it: 'settled' "
                 "when their 95 % intervals keep clear of each other, 'not settled' when the order may be chance.",
                 ["frequency", "place", "deque", "million/s", "low", "high", "against the next"], rows, [1, 3, 4, 5])


def relative_table(name, base, cells, frequency):
    """Table 5.1: each deque against the thesis's own, in percent."""
    metrics = [("total_throughput", "process", "total_operations"), ("steal_throughput", "thief", "thief_operations"),
               ("worker_throughput", "owner", "owner_operations")]
    stated = {(value.series, value.metric): value for value in read_published("table5.1", THESIS_FILE)}
    rows = []
    for cell in sorted(cells, key=lambda cell: (cell.deque not in FOUR, cell.label)):
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
                 f"{setting_text(base)}. Ratio of medians of this run, less 1. The thesis's column is its table 5.1: 5 "
                 "thieves, 1 MHz, 4-byte items, its own machine.", headings, rows, list(range(1, len(headings))))
