"""A cache line there and back between all pairs of cores, which is the floor under every steal; and steals by the thief's place."""

import re

from harness.judging.cells import cells_of, grouped
from harness.judging.summaries import usable
from harness.judging.words import sentence
from plots.figures.figure import Figure, Measure, Point, Value, alike, caption, in_words, named, settings_of
from plots.figures.styles import COLOURS, Look

WORDS = {"same-core": "the core's sibling", "same-socket": "same socket", "cross-socket": "other socket"}
LACKS = {"same-core": "no core has a second processor (SMT)", "same-socket": "no socket has a second core",
         "cross-socket": "there is no second socket"}
STEALS = {"steal": Measure("thief", "steal_latency", "ns"), "contention": Measure("thief", "steal_time", "ns")}
LOOKS = {words: Look(colour, shape) for words, colour, shape in zip(WORDS.values(), COLOURS, ("diamond", "circle", "square"))}


def draw(run, summaries):
    for tag, cells in grouped([cell for cell in cells_of(run, summaries) if cell.metrics], lambda cell: cell.tag).items():
        stem = f"{tag}-" if tag else ""
        found = next((cell.metrics for cell in cells if cell.workload == "pingpong"), {})
        missing = [LACKS[place] for place in WORDS if found and not usable(found.get((place, "ping_pong_time")))]
        lacks = f" On this machine {' and '.join(missing)}." if missing else ""
        if found:
            yield tag, pairs(f"{stem}pairs", found, lacks)
        for workload, time in STEALS.items():
            placed = [cell for cell in cells if cell.workload == workload and cell.params.get("placement") in WORDS and time(cell)]
            apart = [name for name in settings_of(placed) if name != "placement"]
            for name, _, some in named(f"{stem}{workload}-by-place", alike(placed, apart), apart):
                yield tag, steals(name, some, apart, time, found, lacks)


def pairs(name, metrics, lacks):
    """A point a pair, over both of its processors."""
    sockets = {role: summary.median for (role, metric), summary in metrics.items() if metric == "socket" and usable(summary)}
    figure = Figure(name, "A cache line there and back, between all pairs of cores",
                    "Of a line that two threads write in turn: two transfers. A steal waits for at least one. Each pair stands at both of "
                    f"its processors. None of the papers states such times.{lacks}")
    axes = figure.axes("processor", "there and back", unit="ns")
    for (role, metric), summary in metrics.items():
        match = re.fullmatch(r"(\d+)-(\d+)", role)
        if match and metric == "ping_pong_time" and usable(summary):
            words = "same socket" if sockets.get(match[1]) == sockets.get(match[2]) else "other socket"
            for processor in match.groups():
                axes.mark(words, "points", LOOKS[words], Point(int(processor), Value(*summary.scaled(1), summary.invocations), text=role))
    return figure


def steals(name, cells, apart, time, found, lacks):
    words = in_words(cells[0].params, apart)
    figure = Figure(name, "Latency of a steal by the thief's place" + (f": {words}" if words else ""), caption(
        "Dotted: one transfer of a cache line between two cores at that distance, half of its time there and back. None of the papers "
        f"states such times.{lacks}", cells, time))
    cells.sort(key=lambda cell: (list(WORDS).index(cell.params["placement"]), time(cell).y))
    order = list(dict.fromkeys(cell.label for cell in cells))
    for place, title in WORDS.items():
        floor = usable(found.get((place, "ping_pong_time")))
        mine = [cell for cell in cells if cell.params["placement"] == place]
        if not mine:
            figure.caption += sentence(f" {title}: not measured.") if place in WORDS else ""
            continue
        axes = figure.axes("deque", "a steal", unit="ns", title=title, rows=True, log="y", order=order,
                           level=floor.median / 2 if floor else None)
        for cell in mine:
            axes.bar(cell.deque, cell.label, time(cell))
    return figure
