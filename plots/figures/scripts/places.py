"""Steals by the thief's place, over the time that a cache line takes between there and the owner."""

from harness.judging.cells import cells_of, grouped
from harness.judging.statistics import median
from harness.judging.summaries import seen_distances
from harness.judging.words import sentence
from plots.figures.figure import Figure, Measure, alike, caption, in_words, named, settings_of

WORDS = {"same-core": "the core's sibling", "same-socket": "same socket", "cross-socket": "other socket"}
STEALS = {"steal": Measure("thief", "steal_latency", "ns"), "contention": Measure("thief", "steal_time", "ns")}


def draw(run, summaries):
    for tag, cells in grouped([cell for cell in cells_of(run, summaries) if cell.metrics], lambda cell: cell.tag).items():
        for workload, time in STEALS.items():
            placed = [cell for cell in cells if cell.workload == workload and cell.params.get("placement") in WORDS and time(cell)]
            apart = [name for name in settings_of(placed) if name != "placement"]
            for name, _, some in named(f"{tag + '-' if tag else ''}{workload}-by-place", alike(placed, apart), apart):
                yield tag, steals(name, some, apart, time, run)


def steals(name, cells, apart, time, run):
    words = in_words(cells[0].params, apart)
    figure = Figure(name, "Latency of a steal by the thief's place" + (f": {words}" if words else ""), caption(
        "Dotted: one transfer of a cache line between the processors of owner and thief, probed beside the steals. None of the papers "
        "states such times.", cells, time))
    cells.sort(key=lambda cell: (list(WORDS).index(cell.params["placement"]), time(cell).y))
    order = list(dict.fromkeys(cell.label for cell in cells))
    for place, title in WORDS.items():
        mine = [cell for cell in cells if cell.params["placement"] == place]
        if not mine:
            figure.caption += sentence(f" {title}: not measured.")
            continue
        floor = seen_distances(run, {cell.name for cell in mine})
        axes = figure.axes("deque", "a steal", unit="ns", title=title, rows=True, log="y", order=order,
                           level=median(floor) if floor else None)
        for cell in mine:
            axes.bar(cell.deque, cell.label, time(cell))
    return figure
