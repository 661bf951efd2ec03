"""Applications on the pool: speed-up, exploration of a graph beside the bulk paper (figures 9 and 10), and what the workers did."""

from harness.judging.cells import cells_of, grouped, varying_parameters
from harness.judging.statistics import paired_log_ratio
from harness.judging.words import format_number, value_text, words_for
from plots.data.published import read_published
from plots.figures.figure import TIME, Figure, Measure, Value, alike, caption, in_words, named, param, settings_of, table
from plots.figures.styles import name_of

READ_TIMES = ("Time of one thread over time of many, invocation by invocation. A deque that is slow alone speeds up easily: read the "
              "times, too.")
COSTS = [("processor time", ("pool", "processor_time")), ("memory", ("process", "peak_memory"))]
SECONDS = Measure("pool", "run_time", "s")
# Versions of a walk without a deque; they are measured under the deque empty.
WITHOUT_DEQUE = {"one_thread": "one thread", "shared_queue": "thread pool, one queue"}
COUNTS = [("tasks", "tasks"), ("steals", "steals"), ("items_stolen", "items stolen"), ("attempts_empty", "found empty"),
          ("attempts_lost", "lost"), ("attempts_busy", "turned away"), ("tasks_overflowed", "overflowed"),
          ("overflow_cost", "ns each"), ("sleeps", "sleeps")]


def draw(run, summaries):
    timed = [cell for cell in cells_of(run, summaries) if SECONDS(cell) and cell.params.get("threads", "").isdigit()]
    for (tag, workload), mine in grouped(timed, lambda cell: (cell.tag, cell.workload)).items():
        curves = [curve for curve in curves_of(mine) if len(curve) > 1]
        swept = [cell for curve in curves for cell in curve.values()]
        names = [name for name in settings_of(swept) if name != "threads"]
        stem = "-".join(dict.fromkeys([tag or workload, workload, "speedup"]))
        for name, setting, some in named(stem, alike(swept, names), names):
            yield tag, speedup(name, f"Speed-up of {workload}", in_words(setting), curves_of(some))
        if workload == "dag" and curves and len({cell.params.get("cost") for cell in swept}) == 1:
            yield tag, doublings(f"{tag or 'dag'}-doublings", curves, names, tag)
        costly = [cell for cell in mine if "cost" in cell.params]  # another runtime's program has none
        if workload == "dag" and len({cell.params["cost"] for cell in costly}) > 1:
            yield tag, by_cost(f"{tag or 'dag'}-costs", costly)
    pools = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "").isdigit() and (
        Measure("worker", "tasks")(cell) or Measure("pool", "processor_time")(cell))]  # a walk may have no pool
    for tag, mine in grouped(pools, lambda cell: cell.tag).items():
        yield tag, work(f"{tag or 'pool'}-work", mine)


def curves_of(cells):
    """[{threads: cell}] of each deque under each setting."""
    groups = grouped(cells, lambda cell: (cell.deque, tuple(one for one in sorted(cell.params.items()) if one[0] != "threads")))
    return [dict(sorted(((int(cell.params["threads"]), cell) for cell in some), key=lambda one: one[0])) for some in groups.values()]


def speedup(name, title, words, curves):
    figure = Figure(name, title + (f", {words}" if words else ""), READ_TIMES)
    times, efficient = figure.axes("threads", "speed-up", log="x"), figure.axes("threads", "speed-up / threads", log="x", level=1)
    fitting = {threads for curve in curves for threads, cell in curve.items() if "oversubscribed" not in cell.flags}
    times.guide("ideal", [(threads, threads) for threads in sorted(fitting)])
    for curve in curves:
        found = [(threads, ratio) for threads, cell in curve.items() if (ratio := over_one_thread(curve, cell))]
        first = next(iter(curve.values()))
        title = WITHOUT_DEQUE.get(first.params.get("version")) or first.deque
        times.line(first.deque, found, title)
        efficient.line(first.deque, [(threads, Value(*(end and end / threads for end in ratio[:3]), ratio.invocations))
                                     for threads, ratio in found], title)
    return figure if len(times.series) > bool(fitting) else Figure(name, title, "")


def over_one_thread(curve, cell):
    """How many times as fast as one thread, over the invocations that both have; None if there is none."""
    if 1 not in curve:
        return None
    alone, many = (SECONDS.summary(one).by_invocation for one in (curve[1], cell))
    shared = sorted(alone.keys() & many.keys())
    if not shared or min(min(alone[i], many[i]) for i in shared) <= 0:
        return None
    return Value(*paired_log_ratio([alone[i] for i in shared], [many[i] for i in shared]), len(many))


def doublings(name, curves, names, tag):
    """Time over threads on logarithmic axes, as figures 9 and 10 have it, and the ratio to half the threads, which is all that the paper
    states in numbers."""
    shapes = dict.fromkeys(shape_of(cell.params) for curve in curves for cell in curve.values())
    figure = Figure(name, f"Exploration of a graph: what twice the threads bring ({tag})",
                    "The paper states no time, only that it about halves with each doubling, up to 128 threads on 64 cores. Of its graphs "
                    f"it tells neither shape nor number of arcs; ours: {'; '.join(shapes)}.")
    times = figure.axes("threads", "execution time", unit="s", log="xy")
    ratios = figure.axes("threads", "time over that with half the threads", log="x", level=1)
    seen = {}
    for curve in curves:
        first, *_ = curve.values()
        place = seen[first.deque] = seen.get(first.deque, -1) + 1
        label = ", ".join(filter(None, [first.deque, in_words(first.params, names)]))
        seconds = {threads: SECONDS(cell) for threads, cell in curve.items()}
        times.line(first.deque, list(seconds.items()), label, place)
        ratios.line(first.deque, [(threads, seconds[threads].y / seconds[threads // 2].y) for threads in seconds
                                  if threads % 2 == 0 and threads // 2 in seconds], label, place)
    for value in read_published(tag):
        if value.metric == "time_ratio":
            ratios.paper(f"paper: {name_of(value.deque)}, every doubling", value.deque, [
                (threads, value.value, value.text()) for threads in ratios.xs() or [2]])
    return figure


def shape_of(params):
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
                  ("#time", lambda cell: value_text(TIME.median(cell), "ms") if TIME(cell) else ""), *costs,
                  *((f"#{heading}", Measure("worker", metric)) for metric, heading in COUNTS), ("#idle", idle_percent),
                  ("#on a processor", lambda cell: f"{100 * share.median(cell):.0f} %" if share(cell) else "")], cells)


def cost_text(summary):
    """The median with its unit; "denied" if the machine hides the value from this user."""
    if summary is None or summary.status not in ("ok", "denied"):
        return ""
    return value_text(summary.median, summary.unit) if summary.status == "ok" else summary.status


def idle_percent(cell):
    idle, time = Measure("worker", "idle_time", "s").median(cell), SECONDS.median(cell)
    return f"{format_number(min(100.0, 100 * idle / (time * int(cell.params['threads']))))} %" if idle is not None and time else ""
