"""Our pool beside other people's runtimes on the same work: times and costs, and ours over theirs."""

from extras.runtimes.data import RUNTIMES, compare, memory_text, name_of, time_text
from harness.judging.cells import cells_of, grouped
from plots.figures.grammar import Of, caption, row_layers, table, unit_of
from plots.figures.picture import Axis, Frame, Picture, rows_axis
from plots.figures.styles import Looks
from harness.judging.statistics import LEAST_PAIRS

MICROSECONDS = "\N{MICRO SIGN}s"


def draw(run, _sections, summaries):
    held = grouped(compare(run, summaries), lambda row: row.tag)
    cells = grouped(cells_of(run, summaries), lambda cell: cell.tag)
    for tag, rows in held.items():
        yield tag, runtimes_picture(run, tag, rows[0].title, cells[tag])
        yield tag, runtimes_table(tag, rows)


def runtimes_picture(run, tag, title, cells):
    """A row a cell; times are logarithmic, because the slowest takes some hundred times as long as the fastest."""
    time = Of("pool", "time_per_call" if all(cell.value("pool", "time_per_call") for cell in cells) else "run_time", "ns")
    cells, looks = sorted(filter(time, cells), key=lambda cell: time.summary(cell).median), Looks(run)
    labels = [name_of(run, run.cells[cell.name]) if cell.deque in RUNTIMES else f"{cell.label} (ours)" for cell in cells]
    frames = []
    for measure, words in ((time, "time"), (Of("pool", "processor_time", "ns"), "processor time"),
                           (Of("process", "peak_memory", scale=2**-20), "peak memory")):
        unit = "MiB"
        if measure.unit:
            unit = unit_of(max((measure.median(cell) for cell in cells if measure(cell)), default=0), ("s", "ms", "us", "ns"))
            measure = Of(measure.role, measure.metric, unit)
        layers = row_layers([(row, measure(cell), looks.of(cell.deque), "") for row, cell in enumerate(cells) if measure(cell)],
                            "across", texts=False)
        frames.append(Frame(layers, Axis(f"{words} in {unit.replace('us', MICROSECONDS)}", "log"), rows_axis(labels, not frames),
                            grid="both"))
    return Picture(f"{tag}-runtimes", f"Other runtimes: {title}",
                   caption("Left: time. Middle: processor time of one run, of all threads of the process, if reported. Right: the "
                           "most memory that the process held, with its input. The fastest on top; logarithmic.", cells, time),
                   frames, 10.5, 1.0 + 0.28 * len(cells), 3)


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
