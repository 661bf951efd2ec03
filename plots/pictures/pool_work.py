"""What the workers of the pool did in an application: how often they stole, what for, and how long they were idle."""

from collections import defaultdict

from pictures import Table
from sections import format_number, varying_parameters, words_for
from speedup import is_time_of_all

COUNTS = [("tasks", "tasks"), ("steals", "steals"), ("items_stolen", "items stolen"), ("steals_empty", "found empty"),
          ("steals_lost", "lost"), ("steals_busy", "turned away"), ("tasks_overflowed", "overflowed"),
          ("sleeps", "sleeps")]


def draw(run, _sections, summaries):
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    by_tag = defaultdict(list)
    for name, cell in run.cells.items():
        if value(by_cell[name], "worker", "tasks") is not None and cell["params"].get("threads", "").isdigit():
            for tag in cell["tags"] or [""]:
                by_tag[tag].append(name)
    for tag, names in by_tag.items():
        yield tag, table(run, f"{tag or 'pool'}-work", names, by_cell)


def value(summaries, role, metric):
    summary = summaries.get((role, metric))
    return None if summary is None or summary.status != "ok" else summary.median


def idle_percent(summaries, workload, threads):
    idle = value(summaries, "worker", "idle_time")
    time = next((value(summaries, role, metric) for role, metric in summaries if is_time_of_all(role, metric)),
                None)
    return f"{min(100.0, 100 * idle / (time * threads)):.1f} %" if idle is not None and time else ""


def table(run, name, names, by_cell):
    varying = [one for one in varying_parameters([run.cells[name] for name in names]) if one != "threads"
               and all(one in run.cells[name]["params"] for name in names)]
    rows = []
    for cell_name in names:
        cell, summaries = run.cells[cell_name], by_cell[cell_name]
        threads = int(cell["params"]["threads"])
        share = value(summaries, "worker", "share_on_processor")
        rows.append([cell["deque"], ", ".join([cell["workload"], *(words_for(one, cell["params"][one]) for one in varying
                                                                   if one in cell["params"])]), str(threads),
                     *("" if (count := value(summaries, "worker", metric)) is None else format_number(count)
                       for metric, _ in COUNTS), idle_percent(summaries, cell["workload"], threads),
                     "" if share is None else f"{100 * share:.0f} %"])
    return Table(name, "What the workers of the pool did",
                 "Sums over the workers, medians over invocations. Turned away: another thief was at that deque, which is "
                 "for one at a time. Idle: of the workers' time, without a task. On a processor: the workers' processor "
                 "time over the time that passed; below 100 % others had the processor, or the worker slept.",
                 ["deque", "cell", "threads", *(heading for _, heading in COUNTS), "idle", "on a processor"], rows,
                 list(range(2, 5 + len(COUNTS))))
