"""Other runtimes on the same work (./run.sh runtimes): times, processor time and memory of ours and of theirs, and the
ratios with their intervals and verdicts."""

from plots.data import runtimes
from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.words import NANOSECONDS
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Table, rows_axis
from plots.figures.styles import Looks
from plots.statistics import LEAST_PAIRS, settle

MICROSECONDS = "\N{MICRO SIGN}s"
MEMORY = ("process", "peak_memory")
HEADINGS = ["runtime", "time", "ours / theirs", "ours is", "processor time", "ours / theirs", "peak memory", "ours / theirs"]


def draw(run, _sections, summaries):
    held = grouped(runtimes.compare(run, summaries), lambda row: row.tag)
    if not held:
        return
    settle([row.first.judged for rows in held.values() for row in rows if row.first])
    cells = grouped(cells_of(run, summaries), lambda cell: cell.tag)
    for tag, rows in held.items():
        yield tag, picture(run, tag, rows[0].title, cells[tag])
        yield tag, numbers(tag, rows)


def time_metric(cells):
    """What all of them have: the time of a call where the work is counted in calls."""
    return ("pool", "time_per_call" if all(cell.value("pool", "time_per_call") for cell in cells) else "run_time")


def label_of(run, cell):
    return runtimes.name_of(run, run.cells[cell.name]) if cell.deque in runtimes.RUNTIMES else f"{cell.label} (ours)"


def scale_of(values):
    """(factor, unit) for values in nanoseconds, so that the largest reads well."""
    unit = next(unit for unit in ("s", "ms", "us", "ns") if max(values) >= NANOSECONDS[unit] or unit == "ns")
    return 1 / NANOSECONDS[unit], unit


def frame(looks, cells, metric, title, named, labels):
    """A row a cell; times by logarithms, for the slowest takes some hundred times as long as the fastest."""
    found = [(place, cell, cell.value(*metric)) for place, cell in enumerate(cells) if cell.value(*metric)]
    factor, unit = 2**-20, "MiB"
    if metric != MEMORY and found:
        nanoseconds = NANOSECONDS[found[0][2].unit]
        factor, unit = scale_of([nanoseconds * summary.median for *_, summary in found])
        factor *= nanoseconds
    layers = []
    for place, cell, summary in found:
        middle, low, high = summary.scaled(factor)
        layers.append(Layer([Mark(middle, place, low, high)], looks.of(cell.deque), "across"))
    return Frame(layers, Axis(f"{title} in {unit.replace('us', MICROSECONDS)}", "log"), rows_axis(labels, named), grid="both")


def picture(run, tag, title, cells):
    time = time_metric(cells)
    cells = sorted((cell for cell in cells if cell.value(*time)), key=lambda cell: cell.value(*time).median)
    labels, looks = [label_of(run, cell) for cell in cells], Looks(run)
    frames = [frame(looks, cells, metric, words, metric == time, labels)
              for metric, words in ((time, "time"), (("pool", "processor_time"), "processor time"), (MEMORY, "peak memory"))]
    return Picture(f"{tag}-runtimes", f"Other runtimes: {title}",
                   "Left: time. Middle: processor time of one run, all threads of the process together, where it was told. "
                   "Right: the most memory that the process held, its input included. The quickest on top; by logarithms. "
                   f"{bars_are([cell.value(*time) for cell in cells])} {notes_of(cells)}", frames,
                   10.5, 1.0 + 0.28 * len(cells), 3)


def numbers(tag, rows):
    """The first of ours, which was chosen before anything was measured, against each of theirs."""
    lines = []
    for row in rows:
        if row.first:
            processor, memory = row.costs
            lines.append([row.name, runtimes.time_text(row.first.their_time, row.unit), row.first.text, row.first.judged.verdict,
                          *([runtimes.time_text(processor.their_time, "s"), processor.text] if processor else ["", ""]),
                          *([runtimes.memory_text(memory.their_time), memory.text] if memory else ["", ""])])
    ours = next((row.first for row in rows if row.first), None)
    said = (f"Ours is {ours.deque}, which was chosen beforehand, at {runtimes.time_text(ours.time, rows[0].unit)}. " if ours else "")
    return Table(f"{tag}-runtimes-ratios", f"Ours over theirs: {rows[0].title}",
                 f"{said}Ratios below 1: ours takes less. In brackets the 95 % interval over pairs of invocations (the range, "
                 f"where they are fewer than {LEAST_PAIRS}); verdicts by the one rule, over all comparisons of times in this run.",
                 HEADINGS, lines, [1, 2, 4, 5, 6, 7])
