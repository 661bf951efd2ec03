"""Speed-up and parallel efficiency of every application that was run with one thread and with more."""

from pictures import Picture, Table
from sections import format_number
from speedup import (MARKERS, colour_map, colour_of, curves_of, grouped, mark_oversubscribed, settings_of_all,
                     threads_axis)

LABELS_MOST = 14


def draw(run, _sections, summaries):
    curves = [curve for curve in curves_of(run, summaries) if curve.at(1) and len(curve.points) > 1]
    for (tag, workload), mine in grouped(curves, lambda curve: (curve.tag, curve.workload)).items():
        names = settings_of_all(mine)
        name = f"{tag or workload}-{workload}-speedup" if tag != workload else f"{workload}-speedup"
        panels = grouped(mine, lambda curve: tuple(curve.params.get(one, "") for one in names))
        for place, some in enumerate(panels.values()):
            suffix = f"-{place + 1}" if place else ""
            yield tag, picture(run, name + suffix, workload, some, some[0].text(names))
        yield tag, table(f"{name}-table", workload, mine, names)


def picture(run, name, workload, curves, text):
    import matplotlib.pyplot as pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.4, 3.8))
    colours = colour_map(run)
    threads = sorted({point.threads for curve in curves for point in curve.points})
    left.plot(threads, threads, color="#8A8A8A", ls=":", lw=1.2, label="ideal")
    right.axhline(1, color="#8A8A8A", ls=":", lw=1.2)
    for place, curve in enumerate(curves):
        ratios = [(point.threads, curve.speedup(point)) for point in curve.points]
        ratios = [(number, ratio) for number, ratio in ratios if ratio is not None]
        for axes, divided in ((left, False), (right, True)):
            scale = [number if divided else 1 for number, _ in ratios]
            middle = [ratio[0] / by for (_, ratio), by in zip(ratios, scale)]
            ends = [((ratio[0] - ratio[1]) / by, (ratio[2] - ratio[0]) / by) if ratio[1] is not None else (0, 0)
                    for (_, ratio), by in zip(ratios, scale)]
            axes.errorbar([number for number, _ in ratios], middle, yerr=list(zip(*ends)), lw=1.4, ms=4, capsize=2,
                          marker=MARKERS[place % len(MARKERS)], color=colour_of(curve.deque, colours),
                          label=curve.title if place < LABELS_MOST else None)
    for axes, label in ((left, "speed-up (times one thread)"), (right, "efficiency (speed-up / threads)")):
        threads_axis(axes, threads)
        note = mark_oversubscribed(axes, curves)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(color="#E5E5E5", lw=0.6)
    left.set_ylim(0, 1.1 * top_of(curves))
    figure.tight_layout()
    left.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.2), ncol=4)
    return Picture(name, f"Speed-up of {workload}" + (f", {text}" if text else ""),
                   "Time of one thread over time of many, invocation by invocation: medians with 95 % intervals. Both are "
                   f"of the same deque: a deque that is slow alone speeds up easily, so read the times too. {note}",
                   figure)


def top_of(curves):
    """The highest that has to be seen: the speed-ups, and the ideal as far as there are processors."""
    reached = [curve.speedup(point)[0] for curve in curves for point in curve.points if curve.speedup(point)]
    ideal = [point.threads for curve in curves for point in curve.points if not point.oversubscribed]
    return max([1.0, *reached, *ideal])


def table(name, workload, curves, names):
    rows = []
    for curve in curves:
        for point in curve.points:
            ratio = curve.speedup(point)
            told = "" if ratio is None else format_number(ratio[0])
            interval = "" if ratio is None or ratio[1] is None else f"{ratio[1]:.2f} to {ratio[2]:.2f}"
            rows.append([curve.title, curve.text(names), str(point.threads), format_number(point.seconds), told, interval,
                         "" if ratio is None else f"{100 * ratio[0] / point.threads:.0f} %",
                         "oversubscribed" if point.oversubscribed else ""])
    return Table(name, f"Speed-up of {workload}", "Medians over invocations; the interval is the speed-up's.",
                 ["deque", "setting", "threads", "time (s)", "speed-up", "interval", "efficiency", ""], rows,
                 [2, 3, 4, 5, 6])
