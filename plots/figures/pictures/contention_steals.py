"""What became of attempts to steal (BWoS thesis, figure 5.7 and table 5.3), fairness between thieves, duels, growth."""

from plots.data.cells import bars_are, notes_of
from plots.data.contention import THESIS, by_settings, contention_cells, frequency_text, number, setting_text
from plots.data.published import read_published
from plots.data.words import format_number
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table, rows_axis
from plots.figures.styles import KINDS_OF_THINGS, Looks

THESIS_FILE = "bwos_thesis.csv"
OUTCOMES = [("steals_stolen", "stolen", "good"), ("steals_empty", "found empty", "neutral"),
            ("steals_lost", "lost race", "bad")]
SETTING = ("case", "thieves", "frequency", "frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")


def draw(run, _sections, summaries):
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("sample") == "none" and cell.params.get("thieves") != "0"
             or cell.params.get("case") == "growth"]
    for tag in dict.fromkeys(cell.tag for cell in cells):
        mine = [cell for cell in cells if cell.tag == tag]
        groups = chosen(list(by_settings([c for c in mine if c.params.get("case") == "cycle"], SETTING).values()))
        names = told_apart_by_settings(f"{tag or 'contention'}-outcomes", [
            {name: group[0].params.get(name, "") for name in SETTING} for group in groups])
        for name, group in zip(names, groups):
            yield from ((tag, made) for made in outcomes(name, group))
        for case, make in (("duel", duel_table), ("growth", growth_table)):
            some = [cell for cell in mine if cell.params.get("case") == case]
            if some:
                yield tag, make(f"{tag or 'contention'}-{case}", some)
        duels = [cell for cell in mine if cell.params.get("case") == "duel" and cell.value("owner", "items_won")]
        if duels:
            yield tag, duel_picture(f"{tag or 'contention'}-duel-won", duels, Looks(run))


def chosen(groups):
    """One for each number of thieves: at the highest frequency that is a number, or at max when there is no other."""
    best = {}
    for group in groups:
        params = group[0].params
        kind, amount, _ = number(params["frequency"])
        key = tuple(params.get(name, "") for name in SETTING if name != "frequency")
        rank = (kind == 0, amount)
        if key not in best or rank > best[key][0]:
            best[key] = (rank, group)
    return [group for _, group in best.values()]


def outcomes(name, cells):
    rows = [cell for cell in cells if all(cell.value("thief", metric) for metric, _, _ in OUTCOMES)]
    if not rows:
        return
    rows.sort(key=lambda cell: -cell.value("thief", "steals_stolen").median)
    layers, starts = [], [0.0] * len(rows)
    for metric, words, kind in OUTCOMES:
        ends = [start + cell.value("thief", metric).median for start, cell in zip(starts, rows)]
        layers.append(Layer([Mark(end, place, start=start) for place, (start, end) in enumerate(zip(starts, ends))],
                            Look(KINDS_OF_THINGS[kind]), "bars", words))
        starts = ends
    frame = Frame(layers, Axis("percent of the attempts", low=0, high=100), rows_axis([cell.label for cell in rows]),
                  grid="x")
    text = setting_text(rows[0])
    yield Picture(name, f"What became of attempts to steal, {text}",
                  f"Medians over invocations. {notes_of(rows)}", [frame], height=0.8 + 0.24 * len(rows))
    yield failures_table(f"{name}-failed", rows, text)


def failures_table(name, cells, text):
    """Table 5.3: failed steals by reason, the thesis's beside ours; and how fair the deque is between thieves."""
    alike = cells[0].params.get("thieves") == "2" and cells[0].params.get("steal") == "one"
    stated = {}
    for value in read_published("table5.3", THESIS_FILE) if alike else []:
        stated[value.series, value.metric] = value
    rows = []
    for cell in cells:
        empty, lost = (cell.value("thief", metric).median for metric in ("steals_empty", "steals_lost"))
        failed = empty + lost
        theirs = [stated.get((THESIS.get(cell.deque), metric))
                  for metric in ("failed_steals_empty", "failed_steals_lost_race")]
        fairness, turns = (cell.value("thief", metric) for metric in ("fairness", "turns_refused"))
        reached = cell.value("thief", "frequency_ratio")
        rows.append([cell.label,
                     *(f"{100 * part / failed:.1f} %" if failed else "" for part in (empty, lost)),
                     *(f"{value.value:g} %" if value else "" for value in theirs),
                     *(format_number(summary.median) if summary else "" for summary in (fairness, reached)),
                     f"{turns.median:.1f} %" if turns and turns.median else ""])
    return Table(name, f"Failed steals by reason, {text}",
                 "Empty and lost in percent of the failed attempts" + (
                     ", the thesis's table 5.3 (two thieves as here; it does not say at which frequency; its own machine) "
                     f"beside them; its text has {in_text('empty')} and {in_text('lost_race')} % of LIFO BWoS's instead" if alike
                     else "") + ". Fairness: Jain's index of the thieves' shares, 1 when all are equal. Frequency: attempts "
                 "a second over those asked for. Turns refused: of a deque for one thief at a time, attempts that "
                 "another thief's turn kept out (they count as lost).",
                 ["deque", "empty", "lost race", "empty (thesis)", "lost race (thesis)", "fairness", "frequency",
                  "turns refused"], rows, list(range(1, 8)))


def in_text(reason):
    """What the thesis's text says of LIFO BWoS, where its table says otherwise."""
    return next(f"{value.value:g}" for value in read_published("table5.3", THESIS_FILE)
                if value.metric == f"failed_steals_{reason}_in_text")


def duel_picture(name, cells, looks):
    """Who gets the last item: a row a deque, a frame for each number of thieves and frequency."""
    won = {cell.series: cell.value("owner", "items_won").median for cell in reversed(cells)}
    order = sorted(won, key=won.get, reverse=True)
    labels = {cell.series: cell.label for cell in cells}
    frames = []
    for group in by_settings(cells, ("thieves", "frequency")).values():
        layers = []
        for cell in group:
            middle, low, high = cell.value("owner", "items_won").scaled(1)
            layers.append(Layer([Mark(middle, order.index(cell.series), low, high, text=format_number(middle))],
                                looks.of(cell.deque), "bars"))
        thieves, frequency = (group[0].params[name] for name in ("thieves", "frequency"))
        frames.append(Frame(layers, Axis("% that the owner got", low=0, high=125, ticks=[(at, str(at)) for at in (0, 50, 100)]),
                            rows_axis([labels[series] for series in order], named=len(frames) % 3 == 0),
                            f"{thieves} thie{'f' if thieves == '1' else 'ves'}, {frequency_text(frequency)}", "x"))
    return Picture(name, "Duels for the last item: how many the owner wins",
                   f"The owner pushes one item and pops it, thieves try for it. "
                   f"{bars_are([cell.value('owner', 'items_won') for cell in cells])} {notes_of(cells)}", frames,
                   3.0 + 2.2 * min(3, len(frames)), 0.8 + 0.26 * len(order), min(3, len(frames)))


def duel_table(name, cells):
    rows = []
    for cell in sorted(cells, key=lambda cell: (number(cell.params["thieves"]), cell.label)):
        values = [cell.value(role, metric) for role, metric in
                  (("owner", "items_won"), ("process", "total_operations"), ("thief", "steals_lost"),
                   ("thief", "fairness"))]
        rows.append([cell.params["thieves"], frequency_text(cell.params["frequency"]), cell.label,
                     *("" if summary is None else format_number(summary.median / scale)
                       for summary, scale in zip(values, (1, 1e6, 1, 1)))])
    return Table(name, "Duels for the last item",
                 f"The owner pushes one item and pops it, thieves try for it. {notes_of(cells)}",
                 ["thieves", "frequency", "deque", "owner got %", "million operations/s", "lost %", "fairness"], rows,
                 [0, 3, 4, 5, 6])


def growth_table(name, cells):
    rows = []
    for cell in sorted(cells, key=lambda cell: (number(cell.params["thieves"]), cell.label)):
        largest, mean = cell.value("owner", "push_latency_maximum"), cell.value("owner", "push_time")
        rows.append([cell.params["thieves"], cell.label, cell.params.get("first", ""), cell.params.get("capacity", ""),
                     *("" if summary is None else format_number(summary.median) for summary in (mean, largest))])
    return Table(name, "The largest single push while a deque grows", notes_of(cells) or "Medians over invocations.",
                 ["thieves", "deque", "first room", "grown to", "mean push (ns)", "largest push (ns)"], rows,
                 [0, 2, 3, 4, 5])
