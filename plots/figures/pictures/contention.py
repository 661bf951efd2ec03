"""An owner under thieves (BWoS thesis, chapter 5.2): throughput (figures 5.2 to 5.6, table 5.1), what became of attempts to
steal (figure 5.7, table 5.3), duels for the last item, and latencies of single operations (figures 5.8 and 5.9)."""

import math

from harness.judging.cells import grouped, notes_of, ranked
from plots.data.contention import THESIS, by_settings, contention_cells, frequency_text, number, setting_text
from harness.judging.histograms import read_histograms
from plots.data.published import BOUND_SIGNS
from harness.judging.words import format_number
from plots.figures.grammar import (
    COLUMNS, Of, caption, in_frames, line, named, param, rows_frame, table, thesis)
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, log_axis, rows_axis, ticks_of
from plots.figures.styles import BEHIND, KINDS_OF_THINGS, VARIANTS_MAX, Looks, paler, variants_of
from harness.judging.statistics import word_for

OTHERS = ("frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")
TOTAL, OWNER, STOLEN = (Of(role, f"{what}_operations", scale=1e-6)
                        for role, what in (("process", "total"), ("owner", "owner"), ("thief", "thief")))
PANELS = [(TOTAL, "all threads"), (OWNER, "owner"), (STOLEN, "thieves (stolen)")]
PUSH, POP = Of("owner", "push_time"), Of("owner", "pop_time")
FREQUENCY = ("frequency", lambda cell: frequency_text(cell.params["frequency"]))
DEQUE = ("deque", lambda cell: cell.label)


def tagged(cells):
    return grouped(cells, lambda cell: cell.tag).items()


# --- throughput

def throughput(run, _sections, summaries):
    """Total, owner and thieves over the frequency of steals. If one legend cannot name all deques, those of the thesis are in
    colour, and a second picture has a frame a deque. Many block sizes of one deque are drawn over the block size."""
    looks, setting = Looks(run), ("thieves", *OTHERS)
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("case") == "cycle" and cell.params.get("sample") == "none"]
    for tag, mine in tagged(cells):
        stem = tag or "contention"
        alone = {(cell.series, cell.params["item"]): cell for cell in mine
                 if cell.params["thieves"] == "0" and PUSH(cell) and POP(cell)}
        if alone:
            yield tag, owner_alone(f"{stem}-owner_alone", list(alone.values()), looks)
            yield tag, owner_alone_table(f"{stem}-owner_alone-table", list(alone.values()))
        groups = by_settings([cell for cell in mine if cell.params["thieves"] != "0"], setting).values()
        for suffix, _, some in named("", groups, setting):
            blocks = {deque: len({cell.series for cell in its}) for deque, its in grouped(some, lambda cell: cell.deque).items()}
            many, few = ([cell for cell in some if (blocks[cell.deque] > VARIANTS_MAX) == is_many] for is_many in (True, False))
            if many:
                yield tag, over_block(f"{stem}-throughput{suffix}-by-block", many, looks)
            if len({cell.params["frequency"] for cell in few}) > 1:
                yield from ((tag, made) for made in over_frequency(f"{stem}-throughput{suffix}", few, looks))
            made = [frequencies_table(f"{stem}-throughput{suffix}-table", some), order_table(f"{stem}-order{suffix}", some), relative_table(f"{stem}-order{suffix}-relative", some),
                    bwos_ratios(f"{stem}-ratios{suffix}", some)]
            yield from ((tag, one) for one in made if one)


def owner_alone(name, cells, looks):
    """Figure 5.2: push and pop without a thief, as bars."""
    cells.sort(key=lambda cell: PUSH.median(cell) + POP.median(cell))
    entries = [entry for row, cell in enumerate(cells) for entry in (
        (row - 0.19, PUSH(cell), looks.of(cell.deque), ""), (row + 0.19, POP(cell), paler(looks.of(cell.deque)), ""))]
    items = len({cell.params["item"] for cell in cells}) > 1
    labels = [cell.label + (f", {cell.params['item']}-byte" if items else "") for cell in cells]
    setting = setting_text(cells[0], ("thieves", "frequency", "item", "steal"))
    return Picture(name, "Mean time of push and pop without thieves", caption(f"Mean time of an operation, {setting}.", cells, PUSH),
                   [rows_frame("ns per operation; upper bar push, lower bar (paler) pop", entries, labels, thickness=0.36)],
                   height=0.8 + 0.3 * len(cells))


def owner_alone_table(name, cells):
    return table(name, "Mean time of push and pop without thieves", caption("Medians over invocations.", cells),
                 [DEQUE, ("#bytes an item", param("item")), ("#push (ns)", PUSH), ("#pop (ns)", POP)],
                 sorted(cells, key=lambda cell: (number(cell.params["item"]), PUSH.median(cell) + POP.median(cell))), in_text=True)


def frequencies_table(name, cells):
    """Figures 5.3 to 5.6 as numbers: a row a deque, a column a frequency, the fastest at the last one first."""
    frequencies = sorted({cell.params["frequency"] for cell in cells}, key=number)
    rows = [{cell.params["frequency"]: cell for cell in mine} for mine in grouped(cells, lambda cell: cell.series).values()]
    rows.sort(key=lambda row: [-(TOTAL.median(row[one]) or 0) if one in row else 0 for one in reversed(frequencies)])

    def at(frequency):
        return lambda row: TOTAL.text(row[frequency]) if frequency in row else ""

    return table(name, f"Million operations a second of all threads, {setting_text(cells[0], ('frequency',))}{crowded(cells)}",
                 caption(f"Medians over invocations. A column is a number of {attempted(cells)}.", cells),
                 [("deque", lambda row: next(iter(row.values())).label),
                  *((f"#{frequency_text(one)}", at(one)) for one in frequencies)], rows, in_text=True)


def crowded(cells):
    return ", more threads than processors" if any("oversubscribed" in cell.flags for cell in cells) else ""


def attempted(cells):
    whose = "all thieves together" if cells[0].params.get("frequency_of") == "all" else "each thief"
    return f"steals attempted a second by {whose}"


def over_block(name, cells, looks):
    """A line a deque and frequency, over the size of its blocks."""
    lines = grouped(sorted(cells, key=lambda cell: number(cell.params["frequency"])),
                    lambda cell: (cell.deque, cell.params["frequency"]))
    frames = []
    for measure, title in PANELS:
        layers = [line([(int(cell.params["block"]), measure(cell)) for cell in mine if measure(cell)], looks.of(deque, place),
                       f"{mine[0].title}, {frequency_text(frequency)}")
                  for ((deque, frequency), mine), place in zip(lines.items(), variants_of(lines))]
        frames.append(Frame(layers, Axis("items in a block", "log2", ticks=ticks_of(
            sorted({int(cell.params["block"]) for cell in cells}))), throughput_axis(frames), title))
    text = setting_text(cells[0], ("frequency",))
    return Picture(name, f"Throughput by block size, {text}{crowded(cells)}",
                   caption(f"{text}. One line for each deque and number of {attempted(cells)}.", cells, TOTAL), frames, 10)


def throughput_axis(frames, top=None):
    return Axis("" if frames else "million operations a second", low=0, high=top)


def over_frequency(name, cells, looks):
    frequencies = sorted({cell.params["frequency"] for cell in cells}, key=number)
    lines = [sorted(mine, key=lambda cell: number(cell.params["frequency"]))
             for mine in grouped(cells, lambda cell: cell.series).values()
             if any(measure(cell) for cell in mine for measure, _ in PANELS)]
    if not lines:
        return
    crowd = len(lines) > LINES_MAX
    looks_of_lines = [looks.of(mine[0].deque, place) for mine, place in zip(
        lines, variants_of((mine[0].deque, mine[0].series) for mine in lines))]
    pale = [crowd and mine[0].deque not in THESIS and not mine[0].reference for mine in lines]

    def layer_of(mine, measure, look, behind=False):
        points = [(frequencies.index(cell.params["frequency"]), measure(cell)) for cell in mine if measure(cell)]
        return line(points, BEHIND, kind="line") if behind else line(points, look, mine[0].label)

    def frame(layers, label, y, title):
        return Frame(layers, Axis(label, ticks=list(enumerate(map(frequency_text, frequencies))),
                                  steep=len(frequencies) > 5 or not label), y, title)

    frames = []
    for measure, title in PANELS:
        layers = [layer_of(*one) for one in zip(lines, [measure] * len(lines), looks_of_lines, pale)]
        layers.sort(key=lambda layer: bool(layer.label))
        frames.append(frame(layers, attempted(cells), throughput_axis(frames, top_of(lines, measure)), title))
    text = f"{setting_text(cells[0], ('frequency',))}. Throughput over the {attempted(cells)}."
    if any(pale):
        text += f" {sum(pale)} other deques in pale grey."
    if any(mine[0].reference for mine in lines):
        text += " References may lie above the picture."
    yield Picture(name, f"Throughput by steal frequency, "
                        f"{setting_text(cells[0], ('frequency', 'capacity', 'steal'))}{crowded(cells)}",
                  caption(text + blocks_stated(cells), cells, TOTAL), frames, 10)
    if crowd:
        each = sorted(zip(lines, looks_of_lines), key=lambda pair: -max((TOTAL.median(cell) or 0.0 for cell in pair[0]), default=0.0))
        parts = in_frames([(mine[0].deque, mine[0].title, blocks_text(mine[0]), layer_of(mine, TOTAL, look)) for mine, look in each])
        yield Picture(f"{name}-each", "Every deque, the highest throughput first",
                      caption("The left frame of the figure above, one deque at a time.", cells),
                      [frame(layers, "", Axis("million/s" if place % COLUMNS == 0 else "", low=0, high=top_of(lines, TOTAL)), title)
                       for place, (title, layers) in enumerate(parts)], 10, 1.7, columns=COLUMNS)


def top_of(lines, measure):
    """The top of an axis, by all but the references. A reference that does nothing would flatten all others, so it may leave the
    picture."""
    def highest(wanted):
        return max((measure.median(cell) for mine in lines for cell in mine if wanted(cell) and measure(cell)), default=0.0)

    return 1.12 * (highest(lambda cell: not cell.reference) or highest(lambda cell: True)) or 1e-6


def blocks_text(cell):
    block = cell.params.get("block", "0")
    return f"blocks of {block}" if block != "0" else ""


def blocks_stated(cells):
    """A sentence on figures 5.3 and 5.4 of the thesis: their blocks hold less than the stated capacity."""
    if not any(cell.deque == "bwos_lifo" and cell.params["block"] == "64" and cell.params["item"] == "4" for cell in cells):
        return ""
    stated = next(value for value in thesis("setting") if value.metric == "blocks_of_64")
    return (f" The thesis states a capacity of {stated.x} for all, and {stated.value:g} blocks of 64 for BWoS, which hold "
            f"{64 * stated.value:g}; here all have {cells[0].params['capacity']}.")


def order_table(name, cells):
    places = []
    for group in by_settings(cells, ("frequency",)).values():
        order = ranked(group, "process", "total_operations")
        places += [(place, cell, "" if place == len(order) else word_for(verdict))
                   for place, (cell, _, verdict) in enumerate(order, 1)]
    return table(name, f"The order of the deques, {setting_text(cells[0], ('frequency',))}",
                 "Operations a second of all threads. The last column compares a deque with the one below it by the rule for "
                 "verdicts (docs/results.md): 'settled'; 'not told apart', equal for practical purposes; or 'not settled', the "
                 "order may be chance.",
                 [("frequency", lambda one: frequency_text(one[1].params["frequency"])), ("#place", 0),
                  ("deque", lambda one: one[1].label),
                  *((heading, lambda one, end=end: format_number(TOTAL(one[1])[end]))
                    for end, heading in enumerate(("#million/s", "#low", "#high"))), ("against the next", 2)], places)


def relative_table(name, cells):
    """Table 5.1: each deque against the thesis's own, in percent, at the highest frequency."""
    highest = max((cell.params["frequency"] for cell in cells if number(cell.params["frequency"])[0] == 0), key=number,
                  default=None)
    there = [cell for cell in cells if cell.params["frequency"] == highest]
    base = next((cell for cell in there if cell.deque == "bwos_lifo"), None)
    if base is None or len(there) < 2 or not TOTAL(base):
        return None
    alike = all(base.params.get(name) == value for name, value in TABLE_CONDITIONS.items())
    stated = {(value.series, value.metric): value for value in thesis("table5.1")} if alike else {}

    def ratio(measure):
        return lambda cell: (f"{100 * (measure.median(cell) / measure.median(base) - 1):+.1f} %"
                             if measure(cell) and measure.median(base) else "")

    def theirs(metric):
        def text(cell):
            value = stated.get((THESIS.get(cell.deque), metric))
            return f"{BOUND_SIGNS.get(value.bound, '')}{value.value:+g} %" if value else ""
        return text

    def over(series):
        return f"{1 / (1 + stated[series, 'total_throughput'].value / 100):.3g}"

    return table(name, f"Throughput against {base.label} at {frequency_text(highest)}",
                 f"{setting_text(base)}. Ratio of medians of this run, less 1. " + (
                     "The thesis's columns are its table 5.1, from its own machine. It does not say whether its 1 MHz are each "
                     "thief's or all thieves' (docs/papers/bwos_thesis.md), so they stand beside both. Its text turns these losses "
                     f"round: BWoS outperforms ABP by 24, CL by 38, the mutex by 95 %; by the table it does {over('ABP')}, "
                     f"{over('CL')} and {over('Locked')} times as much." if alike else
                     "The thesis's table 5.1 is of 5 thieves at 1 MHz and items of 4 bytes, so it is not set beside this."),
                 [DEQUE, *(column for what, measure in (("total", TOTAL), ("steal", STOLEN), ("worker", OWNER))
                           for column in ((f"#{what} throughput", ratio(measure)), ("#thesis", theirs(f"{what}_throughput"))))],
                 sorted((cell for cell in there if cell is not base), key=lambda cell: (cell.deque not in THESIS, cell.label)),
                 in_text=alike)


# The settings at which table 5.1's values may stand beside ours.
TABLE_CONDITIONS = {"thieves": "5", "frequency": "1000000", "item": "4", "steal": "one"}
# Comparisons of figures 5.5 and 5.6: (other deque, the thesis's series, from this frequency on), and the number of thieves.
BWOS_OVER = [("abp", "LIFO_BWoS/ABP", 1000), ("chase_lev", "LIFO_BWoS/CL", 1000000)]
FIGURE_OF_THIEVES = {"1": "fig5.5", "5": "fig5.6"}


def bwos_ratios(name, cells):
    """LIFO BWoS over ABP and Chase-Lev by frequency, beside the two factors of the thesis (8-byte items, blocks of 256)."""
    params = cells[0].params
    figure = FIGURE_OF_THIEVES.get(params["thieves"])
    found = {(cell.deque, cell.params["frequency"]): TOTAL.median(cell) for cell in cells
             if cell.deque != "bwos_lifo" or cell.params.get("block") == "256"}
    stated = {value.series: value for value in thesis(figure)} if figure else {}
    if params["item"] != "8" or params["steal"] != "one" or not stated or not any(deque == "bwos_lifo" for deque, _ in found):
        return None

    def over(deque):
        def text(frequency):
            mine, other = found.get(("bwos_lifo", frequency)), found.get((deque, frequency))
            return f"{mine / other:.2f}" if mine is not None and other else ""
        return text

    def theirs(series, least):
        return lambda frequency: stated[series].text() if number(frequency)[0] == 0 and number(frequency)[1] >= least else ""

    return table(name, f"LIFO BWoS with blocks of 256 over ABP and Chase-Lev, {setting_text(cells[0], ('frequency',))}",
                 "Ratios of medians of this run: times as many operations of all threads. The thesis (figures 5.5 and 5.6, on its "
                 "own machine) states the ratio to ABP for all frequencies, that to Chase-Lev for its higher ones: here, for 1 MHz. "
                 f"{notes_of(cells)}",
                 [("frequency", frequency_text), *(column for title, (deque, *stated_by) in zip(("ABP", "Chase-Lev"), BWOS_OVER)
                                                   for column in ((f"#over {title}", over(deque)), ("#thesis", theirs(*stated_by))))],
                 sorted({frequency for deque, frequency in found if deque == "bwos_lifo"}, key=number), in_text=True)


# --- steals

OUTCOMES = [(Of("thief", f"steals_{what}"), label, KINDS_OF_THINGS[kind]) for what, label, kind in (
    ("stolen", "stolen", "good"), ("empty", "found empty", "neutral"), ("lost", "lost race", "bad"))]
_, (EMPTY, *_), (LOST, *_) = OUTCOMES
WON, FAIRNESS = Of("owner", "items_won"), Of("thief", "fairness")


def steals(run, _sections, summaries):
    looks, setting = Looks(run), ("case", "thieves", "frequency", *OTHERS)
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("sample") == "none" and cell.params.get("thieves") != "0"]
    for tag, mine in tagged(cells):
        stem = tag or "contention"
        cases = grouped(sorted(mine, key=lambda cell: (number(cell.params["thieves"]), cell.label)),
                        lambda cell: cell.params.get("case"))
        cycles = by_settings([cell for cell in mine if cell.params.get("case") == "cycle"], setting).values()
        for name, _, group in named(f"{stem}-outcomes", chosen(cycles, setting), setting):
            rows = [cell for cell in group if all(measure(cell) for measure, *_ in OUTCOMES)]
            if rows:
                yield tag, outcomes(name, rows)
                yield tag, failures_table(f"{name}-failed", rows)
        if "duel" in cases:
            yield tag, table(f"{stem}-duel", "Duels for the last item",
                             caption("The owner pushes one item and pops it, thieves try for it.", cases["duel"]),
                             [("#thieves", param("thieves")), FREQUENCY, DEQUE, ("#owner got %", WON),
                              ("#million operations/s", TOTAL), ("#lost %", LOST), ("#fairness", FAIRNESS)], cases["duel"], in_text=True)
        duels = [cell for cell in mine if cell.params.get("case") == "duel" and WON(cell)]
        if duels:
            yield tag, duel_picture(f"{stem}-duel-won", duels, looks)


def chosen(groups, setting):
    """Of groups that differ only in the frequency, the one with the highest number, or with max if there is no other."""
    best = {}
    for group in groups:
        params = group[0].params
        kind, amount, _ = number(params["frequency"])
        key = tuple(params.get(name, "") for name in setting if name != "frequency")
        if key not in best or (kind == 0, amount) > best[key][0]:
            best[key] = (kind == 0, amount), group
    return [group for _, group in best.values()]


def outcomes(name, rows):
    rows.sort(key=lambda cell: -OUTCOMES[0][0].median(cell))
    layers, starts = [], [0.0] * len(rows)
    for measure, words, colour in OUTCOMES:
        ends = [start + measure.median(cell) for start, cell in zip(starts, rows)]
        layers.append(Layer([Mark(end, row, start=start) for row, (start, end) in enumerate(zip(starts, ends))], Look(colour),
                            "bars", words))
        starts = ends
    return Picture(name, f"What became of attempts to steal, {setting_text(rows[0])}", caption("Medians over invocations.", rows),
                   [Frame(layers, Axis("percent of the attempts", low=0, high=100), rows_axis([cell.label for cell in rows]),
                          grid="x")], height=0.8 + 0.24 * len(rows))


def failures_table(name, cells):
    """Table 5.3: failed steals by reason, the thesis's beside ours; and how fair the deque is between thieves."""
    alike = cells[0].params.get("thieves") == "2" and cells[0].params.get("steal") == "one"
    stated = {(value.series, value.metric): value.value for value in thesis("table5.3")} if alike else {}

    def share(measure):
        def text(cell):
            failed = EMPTY.median(cell) + LOST.median(cell)
            return f"{100 * measure.median(cell) / failed:.1f} %" if failed else ""
        return text

    def theirs(reason):
        def text(cell):
            value = stated.get((THESIS.get(cell.deque), f"failed_steals_{reason}"))
            return "" if value is None else f"{value:g} %"
        return text

    def refused(cell):
        turns = Of("thief", "turns_refused").median(cell)
        return f"{turns:.1f} %" if turns else ""

    def in_text(reason):  # of LIFO BWoS; the table has other values
        return next(f"{value:g}" for (_, metric), value in stated.items() if metric == f"failed_steals_{reason}_in_text")

    return table(name, f"Failed steals by reason, {setting_text(cells[0])}",
                 "Empty and lost in percent of the failed attempts" + (
                     ", beside the thesis's table 5.3 (two thieves as here; it does not say at which frequency; its own machine). "
                     f"Its text has {in_text('empty')} and {in_text('lost_race')} % of LIFO BWoS's instead" if alike else "")
                 + ". Fairness: Jain's index of the thieves' shares, 1 when all are equal. Frequency: attempts a second over those "
                 "asked for. Turns refused: of a deque for one thief at a time, attempts that another thief's turn kept out (they "
                 "count as lost).",
                 [DEQUE, ("#empty", share(EMPTY)), ("#lost race", share(LOST)), ("#empty (thesis)", theirs("empty")),
                  ("#lost race (thesis)", theirs("lost_race")), ("#fairness", FAIRNESS),
                  ("#frequency", Of("thief", "frequency_ratio")), ("#turns refused", refused)], cells, in_text=alike)


def duel_picture(name, cells, looks):
    """Who gets the last item: a row a deque, a frame for each number of thieves and frequency."""
    first = {cell.series: cell for cell in reversed(cells)}
    order = sorted(first, key=lambda series: WON.median(first[series]), reverse=True)
    labels = {cell.series: cell.label for cell in cells}
    frames = []
    for group in by_settings(cells, ("thieves", "frequency")).values():
        thieves, frequency = (group[0].params[name] for name in ("thieves", "frequency"))
        frames.append(rows_frame(
            "% that the owner got", [(order.index(cell.series), WON(cell), looks.of(cell.deque), "") for cell in group],
            [labels[series] for series in order], f"{thieves} thie{'f' if thieves == '1' else 'ves'}, {frequency_text(frequency)}",
            lambda label, _: Axis(label, low=0, high=125, ticks=ticks_of((0, 50, 100))), named=len(frames) % 3 == 0))
    return Picture(name, "Duels for the last item: how many the owner wins",
                   caption("The owner pushes one item and pops it, thieves try for it.", cells, WON), frames,
                   3.0 + 2.2 * min(3, len(frames)), 0.8 + 0.26 * len(order), min(3, len(frames)))


# --- latencies of single operations

OF_SAMPLE = {"steal": ("thief", "A successful steal"), "push": ("owner", "A push"), "pop": ("owner", "A pop")}
CUT = 0.995  # violins end there; the curves show the rest
BINS = 90
COST = Of("process", "sampling_cost")
PERCENTILES = [(2, "50 %"), (10, "90 %"), (100, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %"), (1e5, "99.999 %")]


def latencies(run, _sections, summaries):
    setting = ("sample", "thieves", "frequency", *OTHERS)
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("sample") in OF_SAMPLE and cell.params.get("case") == "cycle"]
    if not cells:
        return
    histograms, looks = read_histograms(run), Looks(run)
    for tag, mine in tagged(cells):
        for name, asked, group in named(f"{tag or 'contention'}-latency", by_settings(mine, setting).values(), setting):
            role, what = OF_SAMPLE[asked["sample"]]
            metric, text = f"{asked['sample']}_latency", setting_text(group[0])
            found = [(cell, histograms[cell.name, role, metric]) for cell in group if (cell.name, role, metric) in histograms]
            found.sort(key=lambda pair: pair[1].quantile(0.5))
            if found:
                yield tag, violins(name, found, what, text, looks)
                yield tag, percentile_curves(f"{name}-percentiles", found, what, text, looks)
            columns = [(f"#{column}", Of(role, f"{metric}_{column}")) for column in ("p50", "p90", "p99", "p99.9", "maximum", "count")]
            first = columns[0][1]
            yield tag, table(f"{name}-table", f"{what}: percentiles in ns, {text}",
                             caption("Medians over invocations, each of which sampled every operation at "
                                     f"{frequency_text(asked['frequency'])}. Each latency contains the sampling cost.", group),
                             [DEQUE, *((heading, lambda cell, of=of: of.text(cell) or "not reported") for heading, of in columns),
                              ("#sampling cost", COST), ("#p50 (thesis)", medians_stated(asked))],
                             sorted(group, key=lambda cell: (not first(cell), float(first.text(cell) or 0))), in_text=True)


def medians_stated(params):
    """The thesis's median of a cell's steals at these settings, as text; '' if it states none."""
    stated = {value.series: value for figure, frequency in (("fig5.8", "100000"), ("fig5.9", "20000"))
              for value in thesis(figure) if ("steal", value.x, frequency) == tuple(params[name] for name in ("sample", "thieves", "frequency"))}
    return lambda cell: stated[THESIS[cell.deque]].text() if THESIS.get(cell.deque) in stated else ""


def sampling_cost(found):
    costs = sorted(COST.median(cell) for cell, _ in found if COST(cell))
    return f" Each latency contains one pair of clock reads, {format_number(costs[len(costs) // 2])} ns here." if costs else ""


def densities(histogram, low, high):
    """The shape of a violin: at each place of a logarithmic axis the share of operations, 1 at the widest."""
    step = (math.log(high) - math.log(low)) / BINS
    weights = [0.0] * BINS
    for lower, upper, count in histogram.buckets:
        lower, upper = max(lower, low), min(max(upper, lower * 1.0001), high)
        if upper <= lower:
            continue
        first, last = ((math.log(end) - math.log(low)) / step for end in (lower, upper))
        for place in range(int(first), min(int(last) + 1, BINS)):
            overlap = min(place + 1, last) - max(place, first)
            weights[place] += count * max(overlap, 0) / (last - first)
    smooth = [sum(weights[max(0, i + d)] * w for d, w in ((-2, 1), (-1, 2), (0, 3), (1, 2), (2, 1)) if i + d < BINS) / 9
              for i in range(BINS)]
    most = max(smooth) or 1.0
    return [(math.exp(math.log(low) + (i + 0.5) * step), value / most) for i, value in enumerate(smooth)]


def violins(name, found, what, text, looks):
    low = min(max(histogram.quantile(0.001), 1.0) for _, histogram in found) * 0.9
    high = max(histogram.quantile(CUT) for _, histogram in found) * 1.1
    params = found[0][0].params
    stated = medians_stated(params)
    shapes, middles, halves, published = [], [], [], []
    for row, (cell, histogram) in enumerate(found):
        shapes.append(Layer([Mark(x, row, row - 0.42 * height, row + 0.42 * height)
                             for x, height in densities(histogram, low, high)], paler(looks.of(cell.deque)), "band"))
        quarter, median, three = (histogram.quantile(part) for part in (0.25, 0.5, 0.75))
        halves.append(Mark(three, row, start=quarter))
        middles.append(Mark(median, row))
        if stated(cell):
            published.append(Mark(float(stated(cell)), row))
    layers = [*shapes, Layer(halves, Look("#222222"), "bars", "the middle half", 0.06),
              Layer(middles, Look("#222222"), "points", "median")]
    if published:
        layers.append(Layer(published, Look("#222222", "diamond", hollow=True), "points", "the thesis's median", size=1.4))
    rows = rows_axis([f"{cell.label}\nmedian {format_number(histogram.quantile(0.5))} ns" for cell, histogram in found])
    told = (f"{text}. {what}: how often each latency occurred (width, logarithmic axis), the middle half (line) and the "
            f"median (dot), up to the {100 * CUT:g}th percentile.{sampling_cost(found)}"
            + (" Diamond: the median that the thesis states, from its machine." if published else ""))
    return Picture(name, f"{what}: latencies, {text}", caption(told, [cell for cell, _ in found]),
                   [Frame(layers, log_axis("ns", low, high), rows, grid="x")], 8, 0.8 + 0.4 * len(found))


def percentile_curves(name, found, what, text, looks):
    layers = []
    for (cell, histogram), place in zip(found, variants_of((cell.deque, cell.series) for cell, _ in found)):
        shown = cell.deque in THESIS or cell.reference or len(found) <= LINES_MAX
        layers.append(Layer([Mark(1 / part, value) for value, part in histogram.tail() if part > 0],
                            looks.of(cell.deque, place) if shown else BEHIND, "line", cell.label if shown else ""))
    layers.sort(key=lambda layer: bool(layer.label))
    top = max(histogram.count for _, histogram in found)
    return Picture(name, f"{what}: percentiles, {text}",
                   caption(f"{text}. A point is the share of operations that took at most so long.{sampling_cost(found)}",
                           [cell for cell, _ in found]),
                   [Frame(layers, Axis("percentile", "log", ticks=[(x, label) for x, label in PERCENTILES if x <= top]),
                          Axis("ns", "log"), grid="both")], height=4)


DRAWN = {"contention_throughput": throughput, "contention_steals": steals, "latency_distributions": latencies}
