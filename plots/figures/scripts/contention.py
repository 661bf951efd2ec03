"""An owner under thieves (BWoS thesis, chapter 5.2): throughput (figures 5.2 to 5.6, table 5.1), what became of attempts to steal
(figure 5.7, table 5.3), duels for the last item."""

from harness.judging.cells import cells_of, grouped
from harness.judging.words import frequency_text, thieves_text
from harness.judging.words import in_order as number  # a sort key; `max` is beyond all numbers
from plots.data.published import BOUND_SIGNS, read_published
from plots.figures.figure import Figure, Measure, Point, Value, add_lines, caption, named, table
from plots.figures.styles import OUTCOMES, Look

# The thesis's names for what we have under these ids.
THESIS = {"bwos_lifo": "LIFO_BWoS", "abp": "ABP", "chase_lev": "CL", "locked_fixed": "Locked"}
OTHERS = ("frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")
TOTAL, OWNER, STOLEN = (Measure(role, f"{what}_operations", scale=1e-6)
                        for role, what in (("process", "total"), ("owner", "owner"), ("thief", "thief")))
WHOSE = [(TOTAL, "all threads"), (OWNER, "owner"), (STOLEN, "thieves (stolen)")]
RESULTS = [(Measure("thief", f"steals_{what}"), words, OUTCOMES[kind]) for what, words, kind in (
    ("stolen", "stolen", "good"), ("empty", "found empty", "neutral"), ("lost", "lost race", "bad"))]
WON = Measure("owner", "items_won")
BLOCKS_LEAST = 5  # sizes of block of one deque, from which on they are the x axis
DEQUE = ("deque", lambda cell: cell.label)


def thesis(figure):
    return read_published(figure, "bwos_thesis.csv")


def draw(run, summaries):
    cells = [cell for cell in cells_of(run, summaries, "contention") if cell.metrics and cell.params.get("sample") == "none"]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        stem = tag or "contention"
        cycles = [cell for cell in mine if cell.params.get("case") == "cycle"]
        alone = [cell for cell in cycles if cell.params["thieves"] == "0"]
        robbed = [cell for cell in cycles if cell.params["thieves"] != "0"]
        made = [owner_alone(f"{stem}-owner_alone", alone)] if alone else []
        setting = ("thieves", *OTHERS)
        for name, _, some in named(f"{stem}-throughput", list(by_settings(robbed, setting).values()), setting):
            made += [throughput(name, some), *beside_the_thesis(name, some)]
            outcome = [cell for cell in highest(some) if all(measure(cell) for measure, *_ in RESULTS)]
            if outcome:
                name = name.replace("-throughput", "-outcomes")
                made += [outcomes(name, outcome), failures(f"{name}-failed", outcome)]
        duels = [cell for cell in mine if cell.params.get("case") == "duel" and WON(cell)]
        if duels:
            made.append(duel(f"{stem}-duel", duels))
        yield from ((tag, one) for one in made)


def by_settings(cells, names):
    """{(values of these parameters): cells}, in the order of numbers."""
    groups = grouped(cells, lambda cell: tuple(cell.params.get(name, "") for name in names))
    return dict(sorted(groups.items(), key=lambda item: [number(value) for value in item[0]]))


def of_whom(params):
    """Whose frequency it is."""
    return "of all thieves together" if params.get("frequency_of") == "all" else "each"


def setting_text(cell, leave_out=()):
    """'5 thieves, capacity 1024, 4-byte items': the settings of a picture or a table."""
    params = cell.params
    thieves = params.get("thieves", "")
    parts = {"thieves": thieves_text(thieves),
             "frequency": f"{frequency_text(params.get('frequency', ''))} {of_whom(params)}" if thieves != "0" else "",
             "frequency_of": f"frequencies {of_whom(params)}" if "frequency" in leave_out and thieves not in "01" else "",
             "capacity": f"capacity {params.get('capacity')}", "item": f"{params.get('item')}-byte items",
             "steal": "steals of one" if params.get("steal") == "one" else
             f"steals of {params.get('percent')} %" if params.get("steal") == "batch" else "",
             "pacing": "the thesis's pacing" if params.get("pacing") == "thesis" else "",
             "placement": placement if (placement := params.get("placement", "")) not in ("compact", "none") else ""}
    return ", ".join(text for name, text in parts.items() if name not in leave_out and text)


def owner_alone(name, cells):
    """Figure 5.2: push and pop without a thief."""
    push, pop = Measure("owner", "push_time"), Measure("owner", "pop_time")
    cells = sorted({(cell.series, cell.params["item"]): cell for cell in cells if push(cell) and pop(cell)}.values(),
                   key=lambda cell: push.median(cell) + pop.median(cell))
    figure = Figure(name, "Mean time of push and pop without thieves", caption("", cells, push))
    several = len({cell.params["item"] for cell in cells}) > 1
    for measure, what in ((push, "push"), (pop, "pop")):
        axes = figure.axes("deque", what, unit="ns", rows=True)
        for cell in cells:
            axes.bar(cell.deque, cell.label + (f", {cell.params['item']}-byte" if several else ""), measure(cell))
    return figure


def throughput(name, cells):
    """Figures 5.3 to 5.6: over the frequency of steals; over the size of blocks if a deque has many."""
    sizes = grouped(cells, lambda cell: cell.deque)
    many = any(len({cell.params["block"] for cell in mine}) >= BLOCKS_LEAST for mine in sizes.values())
    whose = "all thieves together" if cells[0].params.get("frequency_of") == "all" else "each thief"
    along, text = ("block", "items in a block") if many else ("frequency", f"steals attempted a second by {whose}")
    figure = Figure(name, f"Operations by {'size of block' if many else 'frequency of steals'}, {setting_text(cells[0], ('frequency',))}",
                    caption("Of all threads, of the owner, and the stolen items of the thieves." + blocks_stated(cells), cells, TOTAL))
    frequencies = list(map(frequency_text, sorted({cell.params["frequency"] for cell in cells}, key=number)))
    for measure, title in WHOSE:
        axes = figure.axes(text, "million operations a second", title=title, order=None if many else frequencies)
        if many:
            add_lines(axes, [cell for cell in cells if cell.params["block"] != "0"], "block", measure)
        else:
            add_lines(axes, cells, "frequency", measure, of_x=frequency_text)
    return figure


def blocks_stated(cells):
    """A sentence on figures 5.3 and 5.4 of the thesis: their blocks hold less than the stated capacity."""
    if not any(cell.deque == "bwos_lifo" and cell.params["block"] == "64" and cell.params["item"] == "4" for cell in cells):
        return ""
    stated = next(value for value in thesis("setting") if value.metric == "blocks_of_64")
    return (f" The thesis states a capacity of {stated.x} for all, and {stated.value:g} blocks of 64 for BWoS, which hold "
            f"{64 * stated.value:g}; here all have {cells[0].params['capacity']}.")


def highest(cells):
    """The cells of the highest frequency that is a number; of max if there is none."""
    frequencies = {cell.params["frequency"] for cell in cells}
    best = max(frequencies - {"max"} or frequencies, key=number)
    return [cell for cell in cells if cell.params["frequency"] == best]


# --- beside the thesis's numbers

# The settings at which table 5.1's values may stand beside ours.
TABLE_CONDITIONS = {"thieves": "5", "frequency": "1000000", "item": "4", "steal": "one"}
# Figures 5.5 and 5.6: LIFO BWoS with blocks of 256 over another deque, from this frequency on.
BWOS_OVER = {"abp": ("LIFO_BWoS/ABP", 1000), "chase_lev": ("LIFO_BWoS/CL", 1000000)}
FIGURE_OF_THIEVES = {"1": "fig5.5", "5": "fig5.6"}


def beside_the_thesis(name, cells):
    """Tables of what it states: table 5.1 (each deque against its own), and the factors of figures 5.5 and 5.6."""
    there = highest(cells)
    base = next((cell for cell in there if cell.deque == "bwos_lifo" and TOTAL(cell)), None)
    if base and all(base.params.get(one) == value for one, value in TABLE_CONDITIONS.items()):
        yield relative(f"{name}-relative", [cell for cell in there if cell is not base], base)
    params, figure = cells[0].params, FIGURE_OF_THIEVES.get(cells[0].params["thieves"])
    ours = {cell.params["frequency"]: cell for cell in cells if cell.deque == "bwos_lifo" and cell.params.get("block") == "256"}
    if figure and ours and params["item"] == "8" and params["steal"] == "one":
        yield factors(f"{name}-factors", cells, ours, {value.series: value for value in thesis(figure)})


def relative(name, cells, base):
    stated = {(value.series, value.metric): value for value in thesis("table5.1")}

    def ours(measure):
        return lambda cell: f"{100 * (measure.median(cell) / measure.median(base) - 1):+.1f} %" if measure(cell) and measure(base) else ""

    def theirs(metric):
        def text(cell):
            value = stated.get((THESIS.get(cell.deque), metric))
            return f"{BOUND_SIGNS.get(value.bound, '')}{value.value:+g} %" if value else ""
        return text

    def over(series):
        return f"{1 / (1 + stated[series, 'total_throughput'].value / 100):.3g}"

    return table(name, f"Operations against {base.label}, {setting_text(base)}",
                 f"Ratio of medians, less 1. Beside it table 5.1 of the thesis, from its machine. It does not say "
                 "whether its 1 MHz are each thief's or all thieves' (docs/papers/bwos_thesis.md). Its text turns the losses round: BWoS "
                 f"outperforms ABP by 24, CL by 38, the mutex by 95 %; by the table it does {over('ABP')}, {over('CL')} and "
                 f"{over('Locked')} times as much.",
                 [DEQUE, *(column for what, measure in (("total", TOTAL), ("steal", STOLEN), ("worker", OWNER))
                           for column in ((f"#{what} throughput", ours(measure)), ("#thesis", theirs(f"{what}_throughput"))))],
                 sorted(cells, key=lambda cell: (cell.deque not in THESIS, cell.label)), in_text=True)


def factors(name, cells, ours, stated):
    found = {(cell.deque, cell.params["frequency"]): TOTAL.median(cell) for cell in cells}

    def over(deque):
        def text(frequency):
            mine, other = TOTAL.median(ours[frequency]), found.get((deque, frequency))
            return f"{mine / other:.2f}" if mine is not None and other else ""
        return text

    def theirs(series, least):
        return lambda frequency: stated[series].text() if number(frequency)[0] == 0 and number(frequency)[1] >= least else ""

    return table(name, f"bwos_lifo with blocks of 256 over abp and chase_lev, {setting_text(cells[0], ('frequency',))}",
                 "Ratios of medians: times as many operations of all threads. The thesis states the ratio to ABP for all frequencies, that "
                 "to Chase-Lev for its higher ones: here, for 1 MHz.",
                 [("frequency", frequency_text), *(column for deque, by in BWOS_OVER.items()
                                                   for column in ((f"#over {deque}", over(deque)), ("#thesis", theirs(*by))))],
                 sorted(ours, key=number), in_text=True)


# --- steals

def outcomes(name, cells):
    """Figure 5.7."""
    cells.sort(key=lambda cell: -RESULTS[0][0].median(cell))
    figure = Figure(name, f"What became of attempts to steal, {setting_text(cells[0])}", caption("Medians over invocations.", cells))
    axes = figure.axes("deque", "share of the attempts", unit="%", rows=True, limits=(0, 100))
    for cell in cells:
        start = 0.0
        for measure, words, colour in RESULTS:
            end = start + measure.median(cell)
            axes.mark(words, "spans", Look(colour), Point(cell.label, Value(end), start), cell.deque)
            start = end
    return figure


def failures(name, cells):
    """Table 5.3: failed steals by reason, the thesis's beside ours; and how fair the deque is between thieves."""
    _, (empty, *_), (lost, *_) = RESULTS
    alike = cells[0].params.get("thieves") == "2" and cells[0].params.get("steal") == "one"
    stated = {(value.series, value.metric): value.value for value in thesis("table5.3")} if alike else {}

    def share(measure):
        def text(cell):
            failed = empty.median(cell) + lost.median(cell)
            return f"{100 * measure.median(cell) / failed:.1f} %" if failed else ""
        return text

    def theirs(reason):
        def text(cell):
            value = stated.get((THESIS.get(cell.deque), f"failed_steals_{reason}"))
            return "" if value is None else f"{value:g} %"
        return text

    def in_text(reason):  # of LIFO BWoS; the table has other values
        return next(f"{value:g}" for (_, metric), value in stated.items() if metric == f"failed_steals_{reason}_in_text")

    return table(name, f"Failed steals by reason, {setting_text(cells[0])}",
                 "In percent of the failed attempts." + (
                     f" Beside it the thesis's table 5.3 (two thieves, no frequency told). Its text has {in_text('empty')} and "
                     f"{in_text('lost_race')} % of LIFO BWoS's instead." if alike else "")
                 + " Fairness: Jain's index of the thieves' shares. Frequency: attempts over those asked for.",
                 [DEQUE, ("#empty", share(empty)), ("#lost race", share(lost)), ("#empty (thesis)", theirs("empty")),
                  ("#lost race (thesis)", theirs("lost_race")), ("#fairness", Measure("thief", "fairness")),
                  ("#frequency", Measure("thief", "frequency_ratio")), ("#turns refused", Measure("thief", "turns_refused"))],
                 cells, in_text=alike)


def duel(name, cells):
    """Who gets the last item."""
    figure = Figure(name, "Duels for the last item: how many the owner wins",
                    caption("The owner pushes one item and pops it, thieves try for it.", cells, WON), columns=3)
    order = [cell.label for cell in sorted(cells, key=WON.median, reverse=True)]
    for (thieves, frequency), some in by_settings(cells, ("thieves", "frequency")).items():
        axes = figure.axes("deque", "duels that the owner won", unit="%", rows=True, limits=(0, 125), order=order,
                           title=f"{thieves} thie{'f' if thieves == '1' else 'ves'}, {frequency_text(frequency)}")
        for cell in some:
            axes.bar(cell.deque, cell.label, WON(cell))
    return figure
