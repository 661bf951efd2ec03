"""What the workers of the pool did in an application: how often they stole, what for, how long they were idle; and what a
run took of processor time, energy and memory."""

from plots.data.cells import cells_of, grouped
from plots.data.costs import COSTS, cost_text
from plots.data.runtimes import RUNTIMES
from plots.data.sections import varying_parameters
from plots.data.speedup import is_time_of_all
from plots.data.words import format_number, value_text, words_for
from plots.figures.picture import Table

COUNTS = [("tasks", "tasks"), ("steals", "steals"), ("items_stolen", "items stolen"), ("attempts_empty", "found empty"),
          ("attempts_lost", "lost"), ("attempts_busy", "turned away"), ("tasks_overflowed", "overflowed"),
          ("overflow_cost", "ns each"), ("sleeps", "sleeps")]


def draw(run, _sections, summaries):
    cells = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "").isdigit() and (
        median(cell, "worker", "tasks") is not None
        or cell.deque not in RUNTIMES and median(cell, "pool", "processor_time") is not None)]  # without the pool: walk
    for tag, some in grouped(cells, lambda cell: cell.tag).items():
        yield tag, table(f"{tag or 'pool'}-work", some)


def median(cell, role, metric):
    summary = cell.value(role, metric)
    return summary and summary.median


def time_of(cell):
    """The summary of the time of one run, or None."""
    return next((cell.value(role, metric) for role, metric in cell.metrics if is_time_of_all(role, metric)), None)


def idle_percent(cell, threads):
    idle = median(cell, "worker", "idle_time")
    time = time_of(cell) and time_of(cell).median
    return f"{min(100.0, 100 * idle / (time * threads)):.1f} %" if idle is not None and time else ""


def table(name, cells):
    varying = [one for one in varying_parameters([cell.params for cell in cells])
               if one != "threads" and all(one in cell.params for cell in cells)]
    costs = [(heading, metric) for heading, metric in COSTS if any(cost_text(cell.metrics.get(metric)) for cell in cells)]
    rows = []
    for cell in cells:
        threads = int(cell.params["threads"])
        share = median(cell, "worker", "share_on_processor")
        rows.append([cell.deque, ", ".join([cell.workload, *(words_for(one, cell.params[one]) for one in varying)]),
                     str(threads), value_text(time_of(cell).median, time_of(cell).unit) if time_of(cell) else "",
                     *(cost_text(cell.metrics.get(metric)) for _, metric in costs), *(format_number(median(cell, "worker", metric)) for metric, _ in COUNTS),
                     idle_percent(cell, threads), "" if share is None else f"{100 * share:.0f} %"])
    return Table(name, "What the workers of the pool did, and what a run took",
                 "Sums over the workers, medians over invocations. Energy: of all processors during the run, whoever ran there; "
                 "it is no column where this machine tells none. Memory: the most that the process had, its input included. Ns each: what the overflow queue cost a task that went through "
                 "it. Turned away: another thief was at that deque, which is "
                 "for one at a time. Idle: of the workers' time, without a task. On a processor: the workers' processor "
                 "time over the time that passed; below 100 % others had the processor, or the worker slept.",
                 ["deque", "cell", "threads", "time", *(heading for heading, _ in costs), *(heading for _, heading in COUNTS),
                  "idle", "on a processor"], rows, list(range(2, 6 + len(costs) + len(COUNTS))))
