"""The search for duplicate files (BWoS thesis, figure 5.12 and table 5.5), beside the thesis's numbers."""

import statistics

from harness.judging.cells import cells_of, grouped
from plots.data.published import read_published
from harness.judging.words import NANOSECONDS, format_number, threads_text
from plots.figures.figure import Figure, Measure, alike, caption, named, table

# The thesis's series, and ours that do the same.
SERIES = [("CL", "chase_lev", {}), ("ABP", "abp", {}), ("Locked", "locked_fixed", {}),
          ("LIFO_BWoS_256", "bwos_lifo", {"block": "256"}), ("LIFO_BWoS_64", "bwos_lifo", {"block": "64"}),
          ("LIFO_BWoS_16", "bwos_lifo", {"block": "16"})]
TIME = Measure("pool", "run_time", "ms")
# Columns of table 5.5: the thesis's metric, ours, words.
MEASURES = [("mean_time", TIME, "time"), ("tasks", Measure("worker", "tasks"), "tasks"),
            ("tasks_stolen", Measure("worker", "items_stolen"), "tasks stolen"),
            ("io_tasks_stolen", Measure("pool", "io_tasks_stolen"), "I/O tasks stolen"),
            ("voluntary_context_switches", Measure("worker", "voluntary_context_switches"), "voluntary switches"),
            ("involuntary_context_switches", Measure("worker", "involuntary_context_switches"), "involuntary switches")]
SETTING = ("io", "compute", "threads", "task", "idle", "bytes", "directories", "files", "path", "cache", "room")
SEARCHED = {"bytes": str(256 << 20), "files": "2500", "path": "generated"}  # by the thesis


def draw(run, summaries):
    cells = [cell for cell in cells_of(run, summaries, "duplicates") if TIME(cell)]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        for name, _, some in named(f"{tag or 'duplicates'}-search", alike(mine, SETTING), SETTING):
            yield tag, picture(name, some)
            yield tag, deviations(f"{name}-deviation", some)


def series_of(cell):
    """The thesis's name for it, or None."""
    return next((name for name, deque, settings in SERIES if cell.deque == deque and all(
        cell.params.get(key) == value for key, value in settings.items())), None)


def stated_for(cell, metric):
    """The thesis's value, if ours searched the same files."""
    if any(cell.params.get(name, value) != value for name, value in SEARCHED.items()):
        return None
    return next((value for value in read_published("table5.5", "bwos_thesis.csv")
                 if (value.series, value.metric) == (series_of(cell), metric)), None)


def title_of(cell):
    params, compute = cell.params, float(cell.params["compute"])
    return "".join([f"Duplicate files, {threads_text(params['threads'])}",
                    f", {compute:g} \N{MICRO SIGN}s of computation a file" if compute else "",
                    ", a task a block" if params.get("task") == "block" else "", ", io_uring" if params.get("io") == "uring" else "",
                    ", EMPER's sleep" if params.get("idle") == "wake_each" else "",
                    ", cold caches" if params.get("cache") == "cold" else "",
                    f", room={params['room']}" if params.get("room", "1024") != "1024" else ""])


def picture(name, cells):
    cells.sort(key=lambda cell: (next((place for place, one in enumerate(SERIES) if one[0] == series_of(cell)), len(SERIES)), cell.label))
    told = ["Hollow: the thesis's means of 10 runs on its machine, of 256 MiB in 2500 files (table 5.5). Its text calls BWoS 40 to 45 % "
            "slower; by the table its times are 45 to 64 % above the others'."] * any(stated_for(cell, "mean_time") for cell in cells)
    figure = Figure(name, title_of(cells[0]), caption(" ".join(told), cells, TIME), columns=3)
    for metric, measure, words in MEASURES:
        axes = figure.axes("deque", words, unit=measure.unit, rows=True, order=[cell.label for cell in cells])
        for cell in (cell for cell in cells if measure(cell)):
            axes.bar(cell.deque, cell.label, measure(cell))
            if (value := stated_for(cell, metric)):
                axes.paper("the thesis", "", [(cell.label, value.value, "")])
    return figure


def deviations(name, cells):
    """Table 5.5's standard deviation, between invocations."""
    def ours(cell):
        found = TIME.summary(cell)
        values = list(found.by_invocation.values())
        return format_number(statistics.stdev(values) * NANOSECONDS[found.unit] / NANOSECONDS["ms"]) if len(values) > 1 else ""

    def theirs(cell):
        value = stated_for(cell, "stddev_time")
        return value.text() if value else ""

    return table(name, f"{title_of(cells[0])}: deviation of the time", "The standard deviation between runs.",
                 [("deque", lambda cell: cell.label), ("#time (ms)", TIME), ("#deviation (ms)", ours), ("#thesis", theirs)], cells)
