"""Our pool beside other people's runtimes on the same work: times and costs, and ours over theirs."""

from extras.runtimes.data import RUNTIMES, compare, memory_text, name_of, time_text
from harness.judging.cells import cells_of, grouped
from harness.judging.statistics import LEAST_PAIRS
from plots.figures.figure import Figure, Measure, caption, table, unit_of


def draw(run, summaries):
    cells = grouped(cells_of(run, summaries), lambda cell: cell.tag)
    for tag, rows in grouped(compare(run, summaries), lambda row: row.tag).items():
        yield tag, runtimes_picture(run, tag, rows[0].title, cells[tag])
        yield tag, runtimes_table(tag, rows)


def runtimes_picture(run, tag, title, cells):
    """A row a cell; times are logarithmic, because the slowest takes some hundred times as long as the fastest."""
    metric = "time_per_call" if all(cell.value("pool", "time_per_call") for cell in cells) else "run_time"
    time = Measure("pool", metric, "ns")
    cells = sorted(filter(time, cells), key=time.median)
    labels = {cell.name: name_of(run, run.cells[cell.name]) if cell.deque in RUNTIMES else f"{cell.label} (ours)" for cell in cells}
    figure = Figure(f"{tag}-runtimes", f"Other runtimes: {title}", caption(
        "Processor time: of one run, of all threads of the process, if reported. Peak memory: with its input.", cells, time))
    for measure, words in ((time, "time"), (Measure("pool", "processor_time", "ns"), "processor time"),
                           (Measure("process", "peak_memory", scale=2**-20), "peak memory")):
        unit = "MiB"
        if measure.unit:
            unit = unit_of(max((measure.median(cell) for cell in cells if measure(cell)), default=0), ("s", "ms", "us", "ns"))
            measure = Measure(measure.role, measure.metric, unit)
        axes = figure.axes("runtime", words, unit=unit, rows=True, log="y", order=list(labels.values()))
        for cell in (cell for cell in cells if measure(cell)):
            axes.bar(cell.deque, labels[cell.name], measure(cell))
    return figure


def runtimes_table(tag, rows):
    """The first of ours, chosen before anything was measured, against each of theirs."""
    ours = next((row.first for row in rows if row.first), None)
    said = f"Ours is {ours.deque}, chosen beforehand, at {time_text(ours.time, rows[0].unit)}. " if ours else ""

    def cost(place, text):
        return lambda row: text(row.costs[place]) if row.costs[place] else ""

    return table(f"{tag}-runtimes-ratios", f"Ours over theirs: {rows[0].title}",
                 f"{said}Ratios below 1: ours takes less. In brackets the 95 % interval over pairs of invocations (the range, if "
                 f"there are fewer than {LEAST_PAIRS}). Verdicts are by the one rule, over all comparisons of times in this run.",
                 [("runtime", lambda row: row.name), ("#time", lambda row: time_text(row.first.their_time, row.unit)),
                  ("#ours / theirs", lambda row: row.first.text), ("ours is", lambda row: row.first.judged.verdict),
                  ("#processor time", cost(0, lambda one: time_text(one.their_time, "s"))),
                  ("#ours / theirs", cost(0, lambda one: one.text)),
                  ("#peak memory", cost(1, lambda one: memory_text(one.their_time))),
                  ("#ours / theirs", cost(1, lambda one: one.text))], [row for row in rows if row.first])
