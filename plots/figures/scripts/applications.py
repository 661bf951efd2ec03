"""Applications on the pool: speed-up, exploration of a graph beside the bulk paper (figures 9 and 10), and what the workers did."""

from harness.judging.cells import cells_of, grouped
from plots.data.costs import COSTS, cost_text
from plots.data.published import read_published
from plots.data.speedup import curves_of, is_time_of_all
from harness.judging.words import format_number, value_text, words_for
from harness.judging.cells import varying_parameters
from plots.figures.figure import TIME, Figure, Measure, Value, alike, caption, in_words, named, param, settings_of, table
from plots.figures.styles import name_of

READ_TIMES = ("Time of one thread over time of many, invocation by invocation. A deque that is slow alone speeds up easily: read the "
              "times, too.")
COUNTS = [("tasks", "tasks"), ("steals", "steals"), ("items_stolen", "items stolen"), ("attempts_empty", "found empty"),
          ("attempts_lost", "lost"), ("attempts_busy", "turned away"), ("tasks_overflowed", "overflowed"),
          ("overflow_cost", "ns each"), ("sleeps", "sleeps")]


def draw(run, summaries):
    curves = [curve for curve in curves_of(run, summaries) if len(curve.points) > 1]
    for (tag, workload), mine in grouped(curves, lambda curve: (curve.tag, curve.workload)).items():
        names = settings_of(mine)
        stem = "-".join(dict.fromkeys([tag or workload, workload, "speedup"]))
        for name, setting, some in named(stem, alike(mine, names), names):
            if any(curve.at(1) for curve in some):
                yield tag, speedup(name, f"Speed-up of {workload}", in_words(setting), some)
        if workload == "dag" and len({curve.params.get("cost") for curve in mine}) == 1:
            yield tag, doublings(f"{tag or 'dag'}-doublings", mine, names, tag)
    irregular = [cell for cell in cells_of(run, summaries, "dag") if TIME(cell)]
    for tag, mine in grouped(irregular, lambda cell: cell.tag).items():
        if len({cell.params.get("cost") for cell in mine}) > 1:
            yield tag, by_cost(f"{tag or 'dag'}-costs", mine)
    pools = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "").isdigit() and (
        Measure("worker", "tasks")(cell) or Measure("pool", "processor_time")(cell))]  # a walk may have no pool
    for tag, mine in grouped(pools, lambda cell: cell.tag).items():
        yield tag, work(f"{tag or 'pool'}-work", mine)


def add(axes, curve, points, words, place):
    axes.line(curve.deque, points, ", ".join(filter(None, [curve.deque, words])), place)


def speedup(name, title, words, curves):
    figure = Figure(name, title + (f", {words}" if words else ""), READ_TIMES)
    times, efficient = figure.axes("threads", "speed-up", log="x"), figure.axes("threads", "speed-up / threads", log="x", level=1)
    threads = sorted({point.threads for curve in curves for point in curve.points if not point.oversubscribed})
    times.guide("ideal", [(number, number) for number in threads])
    for curve in curves:
        found = [(point, curve.speedup(point)) for point in curve.points if curve.speedup(point)]
        for axes, part in ((times, lambda point: 1), (efficient, lambda point: point.threads)):
            axes.line(curve.deque, [(point.threads, Value(*(end and end / part(point) for end in ratio), point.summary.invocations))
                                    for point, ratio in found], curve.title)
    return figure


def doublings(name, curves, names, tag):
    """Time over threads on logarithmic axes, as figures 9 and 10 have it, and the ratio to half the threads, which is all that the paper
    states in numbers."""
    figure = Figure(name, f"Exploration of a graph: what twice the threads bring ({tag})",
                    "The paper states no time, only that it about halves with each doubling, up to 128 threads on 64 cores. Of its graphs "
                    f"it tells neither shape nor number of arcs; ours: {'; '.join(dict.fromkeys(map(shape_of, curves)))}.")
    times = figure.axes("threads", "execution time", unit="s", log="xy")
    ratios = figure.axes("threads", "time over that with half the threads", log="x", level=1)
    seen = {}
    for curve in curves:
        place = seen[curve.deque] = seen.get(curve.deque, -1) + 1
        words = curve.text(names)
        add(times, curve, [(point.threads, Value(point.seconds, *point.interval, point.summary.invocations)) for point in curve.points],
            words, place)
        add(ratios, curve, [(point.threads, point.seconds / curve.at(point.threads // 2).seconds) for point in curve.points
                            if point.threads % 2 == 0 and curve.at(point.threads // 2)], words, place)
    stated = [value for value in read_published(tag) if value.metric == "time_ratio"]
    for value in stated:
        ratios.paper(f"paper: {name_of(value.deque)}, every doubling", value.deque, [
            (number, value.value, value.text()) for number in sorted({point.x for one in ratios.series for point in one.points}) or [2]])
    return figure


def shape_of(curve):
    params = curve.params
    return f"{params.get('shape', '?')} of {params.get('nodes', '?')} nodes, {params.get('degree', '?')} arcs a node"


def by_cost(name, cells):
    """The time by the distribution of the nodes' costs, of equal means: does irregular work drive the deques apart?"""
    apart = [one for one in settings_of(cells) if one != "cost"]
    groups = alike(cells, apart)[:12]
    figure = Figure(name, "Exploration of a graph whose nodes differ in cost", caption(
        "Every distribution has the same mean. The paper expects that irregular costs amplify the differences between deques.",
        cells, TIME), columns=min(3, len(groups)))
    for some in groups:
        axes = figure.axes("distribution of costs", "time", unit="ms", title=in_words(some[0].params, apart),
                           order=["uniform", "exponential", "bimodal", "heavy"])
        for mine in grouped(some, lambda cell: cell.deque).values():
            axes.line(mine[0].deque, [(cell.params["cost"], TIME(cell)) for cell in mine], mine[0].label)
    return figure


# --- what the workers did

def work(name, cells):
    """Steals, their results, the workers' idle time; processor time and memory of a run."""
    varying = [one for one in varying_parameters([cell.params for cell in cells])
               if one != "threads" and all(one in cell.params for cell in cells)]
    share = Measure("worker", "share_on_processor")
    costs = [(f"#{heading}", lambda cell, metric=metric: cost_text(cell.metrics.get(metric))) for heading, metric in COSTS]
    return table(name, "What the workers of the pool did, and what a run took",
                 "Sums over the workers, medians over invocations. Memory: the process's peak, with its input. Ns each: what the "
                 "overflow queue cost each task that went through it. Turned away: another thief was at a deque that takes one "
                 "at a time. Idle: the part of the workers' time without a task. On a processor: processor time over elapsed time.",
                 [("deque", lambda cell: cell.deque),
                  ("cell", lambda cell: ", ".join([cell.workload, *(words_for(one, cell.params[one]) for one in varying)])),
                  ("#threads", param("threads")),
                  ("#time", lambda cell: value_text(time_of(cell).median, time_of(cell).unit) if time_of(cell) else ""), *costs,
                  *((f"#{heading}", Measure("worker", metric)) for metric, heading in COUNTS), ("#idle", idle_percent),
                  ("#on a processor", lambda cell: f"{100 * share.median(cell):.0f} %" if share(cell) else "")], cells)


def time_of(cell):
    """The summary of the time of one run, or None."""
    return next((cell.value(role, metric) for role, metric in cell.metrics if is_time_of_all(role, metric)), None)


def idle_percent(cell):
    idle, time = Measure("worker", "idle_time").median(cell), time_of(cell) and time_of(cell).median
    return f"{format_number(min(100.0, 100 * idle / (time * int(cell.params['threads']))))} %" if idle is not None and time else ""
