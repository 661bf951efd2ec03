"""Applications on the pool: times of those that have no figure of their own (fib, nqueens, uts, knapsack and later ones),
speed-up, and what the workers did."""

from itertools import combinations

from harness.judging.cells import bars_are, cells_of, grouped, interval_heading, varying_parameters
from plots.data.costs import COSTS, cost_text
from plots.data.speedup import curves_of, is_time_of_all
from harness.judging.words import format_number, threads_text, value_text, words_for
from plots.figures.grammar import (
    COLUMNS, TIME, Of, alike, caption, in_frames, in_row, in_words, line, named, oversubscribed, param, row_layers, settings_of,
    table, threads_axis, told_apart_by_settings, unit_of)
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Rule, bars_axis, rows_axis
from plots.figures.pictures.sweeps import drawn_of
from plots.figures.styles import IDEAL, Looks, apart_in_grey, variants_of

MICROSECONDS = "\N{MICRO SIGN}s"
DEQUE = ("deque", lambda cell: cell.deque)


# --- times

DRAWN_ELSEWHERE = {"bag", "dag", "duplicates", "quicksort", "walk"}
FRAMES_MAX = 4  # side by side


def times(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.workload not in DRAWN_ELSEWHERE
             and cell.params.get("threads", "").isdigit() and TIME(cell)]
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        swept = drawn_of(mine)
        mine = [cell for cell in mine if cell.name not in swept]
        if not mine:
            continue
        shared = set.intersection(*(set(cell.params) for cell in mine))  # a deque's own mode is no setting
        apart = [name for name in varying_parameters([cell.params for cell in mine]) if name in shared and name != "threads"]
        groups, stem = alike(mine, apart), f"{tag or workload}-{workload}-times"
        if len(groups) > FRAMES_MAX and len({cell.deque for cell in mine}) <= LINES_MAX:
            yield tag, times_by_setting(stem, f"Time of {workload} by setting", groups, apart, looks)
            continue
        for name, setting, some in named(stem, groups, apart):
            if len({cell.deque for cell in some}) > 1:
                text = in_words(setting)
                yield tag, times_by_deque(name, f"Time of {workload}" + (f", {text}" if text else ""), some, looks)


def times_by_deque(name, title, cells, looks):
    """A row a deque, in the order of the fewest threads."""
    first = {cell.series: cell for cell in reversed(sorted(cells, key=lambda cell: int(cell.params["threads"])))}
    order = sorted(first, key=lambda series: TIME.median(first[series]))
    labels = {cell.series: cell.label for cell in cells}
    time = in_unit(first.values())

    def layers_at(mine):
        return row_layers([(order.index(cell.series), time(cell), looks.of(cell.deque), "") for cell in mine])

    return by_threads(name, title, cells, time, [labels[one] for one in order], layers_at, 3.2, 0.8 + 0.26 * len(order))


def times_by_setting(name, title, groups, apart, looks):
    """More settings than deques: a row a setting, the deques in it."""
    first = sorted(apart, key=lambda one: one != "pool")  # a preset decides other settings
    told = distinguishing(first, [some[0].params for some in groups])
    rows = {cell.name: row for row, some in enumerate(groups) for cell in some}
    cells = [cell for some in groups for cell in some]
    deques = {cell.deque: cell.title for cell in cells}
    places, time = list(deques), in_unit(cells)
    # If two colours are alike in grey, shapes tell the deques apart.
    colours = [looks.of(deque).colour for deque in deques]
    kind = "bars" if all(apart_in_grey(*pair) for pair in combinations(colours, 2)) else "across"

    def layers_at(mine):
        entries = [(rows[cell.name] + in_row(places.index(cell.deque), len(deques), 0.8), time(cell), looks.of(cell.deque),
                    deques[cell.deque]) for cell in sorted(mine, key=lambda cell: places.index(cell.deque))]
        return row_layers(entries, kind, 0.9 * 0.8 / len(deques))

    return by_threads(name, title, cells, time, [in_words(some[0].params, told) for some in groups], layers_at, 4.6,
                      0.8 + (0.12 + 0.13 * len(deques)) * len(groups))


def in_unit(cells):
    """The time in the unit in which the longest of these reads well."""
    return Of("pool", "run_time", unit_of(max(Of("pool", "run_time", "ns").median(cell) for cell in cells)))


def by_threads(name, title, cells, time, rows, layers_at, width, height):
    """A frame for each number of threads."""
    frames = []
    for number, mine in sorted(grouped(cells, lambda cell: int(cell.params["threads"])).items()):
        layers = layers_at(mine)
        frames.append(Frame(layers, bars_axis(f"time in {time.unit.replace('us', MICROSECONDS)}", layers),
                            rows_axis(rows, len(frames) % FRAMES_MAX == 0), threads_text(number), "x"))
    columns = min(FRAMES_MAX, len(frames))
    return Picture(name, title, caption("", cells, TIME), frames, width + 2.4 * columns, height, columns)


def distinguishing(names, settings):
    """Of these names those that tell the settings apart; a name whose value follows from earlier ones is left out."""
    told = []
    for name in names:
        decided = {}
        if any(decided.setdefault(tuple(one[earlier] for earlier in told), one[name]) != one[name] for one in settings):
            told.append(name)
    return told


# --- speed-up

def speedups(run, _sections, summaries):
    """Speed-up and parallel efficiency of every application that was run with one thread and with more."""
    curves = [curve for curve in curves_of(run, summaries) if curve.at(1) and len(curve.points) > 1]
    looks = Looks(run)
    for (tag, workload), mine in grouped(curves, lambda curve: (curve.tag, curve.workload)).items():
        names = settings_of(mine)
        name = f"{tag or workload}-{workload}-speedup" if tag != workload else f"{workload}-speedup"
        panels = alike(mine, names)
        stems = told_apart_by_settings(name, [{one: some[0].params.get(one, "") for one in names} for some in panels])
        for stem, some in zip(stems, panels):
            yield tag, speedup_picture(looks, stem, workload, some, some[0].text(names))
        rows = [(curve, point, curve.speedup(point) or (None, None, None)) for curve in mine for point in curve.points]
        yield tag, table(f"{name}-table", f"Speed-up of {workload}", "Medians over invocations; the interval is the speed-up's.", [
            ("deque", lambda row: row[0].title), ("setting", lambda row, names=names: row[0].text(names)),
            ("#threads", lambda row: row[1].threads), ("#time (s)", lambda row: format_number(row[1].seconds)),
            ("#speed-up", lambda row: format_number(row[2][0])),
            (f"#{interval_heading(point.summary.invocations for _, point, _ in rows)}", lambda row: "" if row[2][1] is None else f"{row[2][1]:.2f} to {row[2][2]:.2f}"),
            ("#efficiency", lambda row: "" if row[2][0] is None else f"{100 * row[2][0] / row[1].threads:.0f} %"),
            ("", lambda row: "oversubscribed" * row[1].oversubscribed)], rows)


def speedup_picture(looks, name, workload, curves, text):
    threads = sorted({point.threads for curve in curves for point in curve.points})
    reached = [curve.speedup(point)[0] for curve in curves for point in curve.points if curve.speedup(point)]
    # The ideal is shown as far as there are processors.
    top = 1.1 * max([1.0, *reached, *(point.threads for curve in curves for point in curve.points if not point.oversubscribed)])
    ground, note = oversubscribed(curves)
    places = variants_of((curve.deque, tuple(curve.params.items())) for curve in curves)

    def lines(divided):
        for curve, place in zip(curves, places):
            points = [(point.threads, [end and end / (point.threads if divided else 1) for end in curve.speedup(point)])
                      for point in curve.points if curve.speedup(point)]
            yield curve.deque, curve.title, "", line(points, looks.of(curve.deque, place), curve.title)

    def frame(layers, title, label, x_label="threads", **more):
        return Frame(layers, threads_axis(threads, x_label), Axis(label, low=0, high=more.pop("top", None)), title, "both",
                     ground=ground, **more)

    def ideal():
        return Layer([Mark(number, number) for number in threads], IDEAL, "line", "ideal")

    parts = in_frames(list(lines(False)))
    if len(parts) > 1:  # a frame a deque; the table has the efficiency
        frames = [frame([ideal(), *layers], title, "" if place % COLUMNS else "speed-up", "", top=top)
                  for place, (title, layers) in enumerate(parts)]
        sizes = 10, 1.8, COLUMNS
    else:
        efficiencies = [layer for *_, layer in lines(True)]
        frames = [frame([ideal(), *parts[0][1]], "", "speed-up (times one thread)", top=top),
                  frame(efficiencies, "", "efficiency (speed-up / threads)", rules=[Rule(1, upright=False)])]
        sizes = 8.4, 3.6, 0
    return Picture(name, f"Speed-up of {workload}" + (f", {text}" if text else ""),
                   "Time of one thread over time of many, invocation by invocation, of the same deque. A deque that is slow alone "
                   "speeds up easily, so read the times too. "
                   f"{bars_are([point.summary for curve in curves for point in curve.points])} {note}", frames, *sizes)


# --- what the workers did

COUNTS = [("tasks", "tasks"), ("steals", "steals"), ("items_stolen", "items stolen"), ("attempts_empty", "found empty"),
          ("attempts_lost", "lost"), ("attempts_busy", "turned away"), ("tasks_overflowed", "overflowed"),
          ("overflow_cost", "ns each"), ("sleeps", "sleeps")]
TASKS, IDLE, SHARE = Of("worker", "tasks"), Of("worker", "idle_time"), Of("worker", "share_on_processor")


def work(run, _sections, summaries):
    """Steals, their results, the workers' idle time; processor time and memory of a run."""
    cells = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "").isdigit() and (
        TASKS(cell) or Of("pool", "processor_time")(cell))]  # a walk may have no pool
    for tag, some in grouped(cells, lambda cell: cell.tag).items():
        yield tag, work_table(f"{tag or 'pool'}-work", some)


def time_of(cell):
    """The summary of the time of one run, or None."""
    return next((cell.value(role, metric) for role, metric in cell.metrics if is_time_of_all(role, metric)), None)


def idle_percent(cell):
    idle, time = IDLE.median(cell), time_of(cell) and time_of(cell).median
    return f"{min(100.0, 100 * idle / (time * int(cell.params['threads']))):.1f} %" if idle is not None and time else ""


def work_table(name, cells):
    varying = [one for one in varying_parameters([cell.params for cell in cells])
               if one != "threads" and all(one in cell.params for cell in cells)]
    costs = [(f"#{heading}", lambda cell, metric=metric: cost_text(cell.metrics.get(metric))) for heading, metric in COSTS]
    return table(name, "What the workers of the pool did, and what a run took",
                 "Sums over the workers, medians over invocations. Memory: the process's peak, with its input. Ns each: what the "
                 "overflow queue cost each task that went through it. Turned away: another thief was at a deque that takes one "
                 "at a time. Idle: the part of the workers' time without a task. On a processor: the workers' processor time over elapsed "
                 "time; below 100 % other programs had the processor, or the worker slept.",
                 [DEQUE, ("cell", lambda cell: ", ".join([cell.workload, *(words_for(one, cell.params[one]) for one in varying)])),
                  ("#threads", param("threads")),
                  ("#time", lambda cell: value_text(time_of(cell).median, time_of(cell).unit) if time_of(cell) else ""), *costs,
                  *((f"#{heading}", Of("worker", metric)) for metric, heading in COUNTS), ("#idle", idle_percent),
                  ("#on a processor", lambda cell: f"{100 * SHARE.median(cell):.0f} %" if SHARE(cell) else "")], cells)


DRAWN = {"application_times": times, "scaling": speedups, "pool_work": work}
