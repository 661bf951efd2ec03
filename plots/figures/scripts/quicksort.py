"""Quicksort, as chapter 5.3 of the BWoS thesis has it: time (figure 5.10), stolen tasks (figure 5.11), switches (table 5.4)."""

from harness.judging.cells import cells_of, grouped
from plots.data.published import read_published
from harness.judging.words import threads_text, words_for
from plots.figures.figure import TIME, Figure, Measure, alike, caption, named, table

MEASURES = [("fig5.10", "mean_time", TIME, "time", "ms"),
            ("fig5.11", "tasks_stolen", Measure("worker", "items_stolen"), "tasks stolen", ""),
            ("table5.4", "voluntary_context_switches", Measure("worker", "voluntary_context_switches"), "voluntary switches", "")]
# The thesis's names for a deque with these blocks, and its input.
THESIS = {("chase_lev", "0"): "CL", ("abp", "0"): "ABP", ("locked_fixed", "0"): "Locked", ("bwos_lifo", "8"): "LIFO_BWoS_8",
          ("bwos_lifo", "16"): "LIFO_BWoS_16", ("bwos_lifo", "64"): "LIFO_BWoS_64"}
CONDITIONS = {"size": "10000000", "input": "random"}
SETTING = ("size", "cutoff", "input", "threads", "victims", "steal", "idle", "slot", "room", "placement")


def draw(run, summaries):
    cells = [cell for cell in cells_of(run, summaries, "quicksort") if TIME(cell)]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        groups = [some for some in alike(mine, SETTING) if len(some) > 1]
        for name, _, some in named(f"{tag or 'quicksort'}-times", groups, SETTING):
            some.sort(key=TIME.median)
            yield tag, bars(name, some)
            yield tag, blocks(f"{name}-blocks", {cell.params["block"]: cell for cell in some if cell.deque == "bwos_lifo"})


def title_of(cell):
    params = cell.params
    return (f"Quicksort, {int(params.get('size', '0')):,} numbers, {params.get('input', '')} order, cutoff {params.get('cutoff')}, "
            f"{threads_text(params.get('threads', '1'))}, steals of {params.get('steal')}"
            + (f", deques of {params['room']}" if params.get("room", "1024") != "1024" else "")
            + (", EMPER's sleep" if params.get("idle") == "wake_each" else "")
            + (f", {words_for('placement', params['placement'])}" if params.get("placement", "compact") != "compact" else ""))


def is_theirs(cell):
    return all(cell.params.get(name) == value for name, value in CONDITIONS.items())


def bars(name, cells):
    figure = Figure(name, title_of(cells[0]), caption(
        "Hollow: the thesis's values, of 16 threads on its machine." if is_theirs(cells[0]) else
        "The thesis's values are of other numbers than these, and so not set beside them.", cells, TIME))
    for source, metric, measure, words, unit in MEASURES[:1 if cells[0].params.get("threads") == "1" else None]:
        axes = figure.axes("deque", words, unit=unit, rows=True, order=[cell.label for cell in cells])
        stated = {one.series: one for one in read_published(source, "bwos_thesis.csv") if one.metric == metric and is_theirs(cells[0])}
        for cell in (cell for cell in cells if measure(cell)):
            axes.bar(cell.deque, cell.label, measure(cell))
            value = stated.get(THESIS.get((cell.deque, cell.params.get("block", "0"))))
            if value:
                axes.paper("the thesis", "", [(cell.label, value.value, "")])
    return figure


def blocks(name, cells):
    """Figure 5.10's factor: LIFO BWoS by its blocks against blocks of 8, and what the thesis states of 64."""
    stated = next(value for value in read_published("fig5.10", "bwos_thesis.csv") if value.metric == "time_ratio")
    small = cells.get("8")
    return table(name, f"{title_of(small)}: bwos_lifo by size of block" if small else "",
                 "Times of this run over that of blocks of 8. The thesis explains its factor (figure 5.10, 16 threads) by workers that "
                 "find nothing and yield.",
                 [("#items in a block", 0), ("#time (ms)", lambda row: TIME.text(row[1])),
                  ("#times blocks of 8", lambda row: f"{TIME.median(row[1]) / TIME.median(small):.2f}"),
                  ("#thesis, 16 threads", lambda row: stated.text() if is_theirs(row[1])
                   and stated.series == f"LIFO_BWoS_{row[0]}/LIFO_BWoS_8" else "")],
                 [(block, cells[block]) for block in sorted(cells, key=int) if block != "0"] if small and len(cells) > 1 else [])
