"""What it costs a task to go through the overflow queue behind a small ring (Volt's documentation: "negligible per task"):
the cost by the pool's own count, and beside it the same bag in a ring that never overflows."""

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.words import NANOSECONDS, format_number, threads_text, words_for
from plots.figures.picture import Frame, Layer, Mark, Picture, bars_axis, rows_axis
from plots.figures.styles import Looks, paler

TOLD = ("mean", "cost")


def draw(run, _sections, summaries):
    cells = [cell for cell in cells_of(run, summaries, "bag") if cell.value("pool", "run_time") and "room" in cell.params]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        pairs = pairs_of(mine)
        if pairs:
            yield tag, picture(f"{tag or 'bag'}-overflow", pairs, Looks(run))


def settings_but_room(cell):
    return cell.deque, tuple(sorted(item for item in cell.params.items() if item[0] != "room"))


def pairs_of(cells):
    """[(the cell that overflows, the one of the same settings that has room for all)]"""
    pairs = []
    for group in grouped(cells, settings_but_room).values():
        roomy = [cell for cell in group if overflowed(cell) == 0]
        pairs += [(cell, roomy[-1]) for cell in group if overflowed(cell) and cell.value("worker", "overflow_cost") and roomy]
    return pairs


def overflowed(cell):
    summary = cell.value("worker", "tasks_overflowed")
    return summary.median if summary else None


def of_a_task(cell):
    """(median, low, high) of the run's time over its tasks, in ns."""
    summary = cell.value("pool", "run_time")
    return summary.scaled(NANOSECONDS[summary.unit] / int(cell.params["tasks"]))


def row_text(cell, told):
    return ", ".join([cell.title, threads_text(cell.params["threads"]), *(work_text(cell, name) for name in told)])


def work_text(cell, name):
    if name != "mean":
        return words_for(name, cell.params[name])
    return "empty tasks" if cell.params["mean"] == "0" else f"{cell.params['mean']} {cell.params.get('mean_unit', 'ns')} each"


def picture(name, pairs, looks):
    told = [one for one in TOLD if len({small.params.get(one) for small, _ in pairs}) > 1]
    costs, times = [], []
    for place, (small, roomy) in enumerate(pairs):
        look = looks.of(small.deque)
        summary = small.value("worker", "overflow_cost")
        middle, *ends = summary.scaled(1)  # ns
        costs.append(Layer([Mark(middle, place, *ends, text=format_number(middle))], look, "bars"))
        for offset, cell, pale in ((-0.19, small, False), (0.19, roomy, True)):
            middle, *ends = of_a_task(cell)
            times.append(Layer([Mark(middle, place + offset, *ends, text=format_number(middle))],
                               paler(look) if pale else look, "bars", thickness=0.36))
    small, roomy = pairs[0]
    cells = [cell for pair in pairs for cell in pair]
    left = Frame(costs, bars_axis("ns a task that overflowed", costs), rows_axis([row_text(cell, told) for cell, _ in pairs]),
                 "the overflow itself", "x")
    right = Frame(times, bars_axis("ns a task of the bag", times), rows_axis(["" for _ in pairs], named=False),
                  f"the whole run, ring of {small.params['room']}; paler: of {roomy.params['room']}", "x")
    return Picture(name, f"A bag of {small.params['tasks']} tasks through a ring of {small.params['room']}: what an overflow costs",
                   "Left: what the workers spent on putting tasks into the overflow queue and taking them out again, for each task "
                   "that went through it. Right: the time of the run over its tasks; a ring that has room for all is written "
                   "once from end to end, so that it may be the slower one where it does not fit into a cache. "
                   f"{bars_are([cell.value('pool', 'run_time') for cell in cells])} {notes_of(cells)}", [left, right], 9.5,
                   0.8 + 0.42 * len(pairs))
