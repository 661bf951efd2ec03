"""Speed-up and parallel efficiency of every application that was run with one thread and with more."""

from plots.data.cells import bars_are, grouped
from plots.data.speedup import curves_of, settings_of_all
from plots.data.words import format_number
from plots.figures.multiples import COLUMNS, in_frames, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Rule, Table
from plots.figures.styles import IDEAL, Looks, variants_of
from plots.figures.threads import oversubscribed, threads_axis


def draw(run, _sections, summaries):
    curves = [curve for curve in curves_of(run, summaries) if curve.at(1) and len(curve.points) > 1]
    for (tag, workload), mine in grouped(curves, lambda curve: (curve.tag, curve.workload)).items():
        names = settings_of_all(mine)
        name = f"{tag or workload}-{workload}-speedup" if tag != workload else f"{workload}-speedup"
        panels = grouped(mine, lambda curve: tuple(curve.params.get(one, "") for one in names))
        stems = told_apart_by_settings(name, [dict(zip(names, key)) for key in panels])
        for stem, some in zip(stems, panels.values()):
            yield tag, picture(Looks(run), stem, workload, some, some[0].text(names))
        yield tag, table(f"{name}-table", workload, mine, names)


def picture(looks, name, workload, curves, text):
    threads = sorted({point.threads for curve in curves for point in curve.points})
    ground, note = oversubscribed(curves)
    frames, columns = [], 0
    places = variants_of((curve.deque, tuple(curve.params.items())) for curve in curves)
    for label, divided in (("speed-up (times one thread)", False), ("efficiency (speed-up / threads)", True)):
        lines = []
        for curve, place in zip(curves, places):
            found = [(point.threads, curve.speedup(point)) for point in curve.points]
            marks = [Mark(number, *(None if end is None else end / (number if divided else 1) for end in ratio))
                     for number, ratio in found if ratio is not None]
            lines.append((curve.deque, curve.title, "", Layer(marks, looks.of(curve.deque, place), label=curve.title)))
        top = None if divided else 1.1 * top_of(curves)
        ideal = [] if divided else [Layer([Mark(number, number) for number in threads], IDEAL, "line", "ideal")]
        parts = in_frames(lines)
        columns = COLUMNS if len(parts) > 1 else 0
        frames += [Frame(ideal + layers, threads_axis(threads, "" if columns else "threads"),
                         Axis("" if columns and place % columns else "speed-up" if columns else label, low=0, high=top), title, "both", ground=ground,
                         rules=[Rule(1, upright=False)] if divided else []) for place, (title, layers) in enumerate(parts)]
        if columns:
            break  # a frame a deque; the table has the efficiency
    return Picture(name, f"Speed-up of {workload}" + (f", {text}" if text else ""),
                   "Time of one thread over time of many, invocation by invocation. Both are of the same deque: a deque "
                   f"that is slow alone speeds up easily, so read the times too. "
                   f"{bars_are([point.summary for curve in curves for point in curve.points])} {note}",
                   frames, 10 if columns else 8.4, 1.8 if columns else 3.6, columns)


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
