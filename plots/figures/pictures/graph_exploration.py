"""Exploration of a graph: figures 9 and 10 of the bulk paper, and the effect of irregular costs of nodes.

The paper gives no times, only that the time about halves with twice the threads: drawn as the slope of the ideal, and stated
beside our own ratio in the table.
"""

from harness.judging.cells import bars_are, grouped, interval_heading
from plots.data.published import read_published, text_of
from plots.data.speedup import curves_of
from harness.judging.words import format_number, threads_text
from plots.figures.grammar import alike, in_frames, in_row, line, named, oversubscribed, table, threads_axis, told_of
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture
from plots.figures.styles import IDEAL, Looks, variants_of
from harness.judging.statistics import DIFFERENT, verdicts_on, word_for

PUBLISHED = {"fig9": ("lf_bulk", "LF_Queue"), "fig10": ("taskflow_unbounded", "TF_UB_Queue")}
COSTS = ["uniform", "exponential", "bimodal", "heavy"]


def draw(run, _sections, summaries):
    looks = Looks(run)
    curves = [curve for curve in curves_of(run, summaries) if curve.workload == "dag"]
    for tag, mine in grouped(curves, lambda curve: curve.tag).items():
        irregular = len({curve.params.get("cost") for curve in mine}) > 1
        if tag in PUBLISHED or not irregular and len({curve.params.get("nodes") for curve in mine}) > 1:
            yield tag, by_size(looks, tag, mine)
            yield tag, doublings(tag, mine)
        if irregular:
            yield from ((tag, made) for made in by_cost(looks, tag or "dag", mine))


def points_of(curves):
    return [point for curve in curves for point in curve.points]


def bars_text(curves):
    return bars_are([point.summary for point in points_of(curves)])


def timed(point):
    return point.seconds, *point.interval


def size_of(curve):
    return int(curve.params.get("nodes", 0))


def size_text(nodes):
    for unit, word in ((10 ** 6, "million "), (1000, "thousand ")):
        if nodes >= unit:
            return f"{nodes / unit:g} {word}nodes"
    return f"{nodes} nodes"


def curve_label(curve, names):
    told = [size_text(size_of(curve))] if "nodes" in curve.params else []
    rest = curve.text([name for name in names if name not in ("nodes", "walk")])
    return ", ".join([curve.title, *told, *([rest] if rest else [])])


def by_size(looks, tag, curves):
    """Execution time over threads, both logarithmic, a line a graph size."""
    names, stated = told_of(curves), published_ratio(tag)
    threads = sorted({point.threads for point in points_of(curves)})
    slope = "half the time with twice the threads: ideal" + (f", and what the paper states ({stated})" if stated else "")
    ideals = []
    for size in sorted(set(map(size_of, curves))):
        start = min((curve.points[0] for curve in curves if size_of(curve) == size), key=lambda point: (point.threads, point.seconds))
        ideals.append(Layer([Mark(number, start.seconds * start.threads / number) for number in threads], IDEAL, "line", slope))
    places = variants_of((curve.deque, tuple(sorted(curve.params.items()))) for curve in curves)
    parts = in_frames([(curve.deque, curve.title, size_text(size_of(curve)), line(
        [(point.threads, timed(point)) for point in curve.points], looks.of(curve.deque, place), curve_label(curve, names)))
        for curve, place in zip(curves, places)])
    ground, note = oversubscribed(curves)
    frames = [Frame(ideals + some, threads_axis(threads), Axis("execution time (s)", "log"), title, "both", ground=ground)
              for title, some in parts]
    linked = " LF_Queue links a node's children as it makes them, and pushes them in one step." if any(
        curve.deque == "lf_bulk" for curve in curves) else ""
    return Picture(f"{tag or 'dag'}-time", f"Exploration of a graph, time over threads ({tag or 'dag'})",
                   f"{bars_text(curves)} Both axes are logarithmic, as in the paper. The paper states no time, only that it "
                   f"{'about halves' if stated else 'falls'} with each doubling of the threads, up to 128 on 64 cores: the slope of "
                   f"the grey lines. Graphs here: {'; '.join(dict.fromkeys(map(shape_text, curves)))}. Of its own graphs the paper states "
                   f"neither shape nor number of arcs.{linked} {note}", frames, *((6.4, 4.2, 0) if len(frames) == 1 else (10, 2.6, 3)))


def shape_text(curve):
    params = curve.params
    if params.get("file", "none") != "none":
        return f"file {params['file']}"
    width, shape = params.get("width"), params.get("shape", "?")
    leading = ""
    if width is not None and shape != "tree":
        leading = (f", layers of {width}" if shape == "layered" else
                   ", leading anywhere" if width == "0" else f", leading at most {width} nodes on")
    return f"shape {shape}, {params.get('degree', '?')} arcs a node{leading}"


def published_ratio(tag):
    if tag not in PUBLISHED:
        return ""
    _, series = PUBLISHED[tag]
    return text_of([value for value in read_published(tag) if value.series == series and value.metric == "time_ratio"])


def doublings(tag, curves):
    """How the time changes with each doubling of the threads."""
    names, stated = told_of(curves), published_ratio(tag)
    rows = [(curve, point, curve.at(point.threads // 2) if point.threads % 2 == 0 else None)
            for curve in curves for point in curve.points]
    return table(f"{tag or 'dag'}-doublings", "The effect of doubling the threads on the time",
                 "Time over that with half as many threads: 0.5 is ideal. The paper's column is the only number it gives.",
                 [("series", lambda row: curve_label(row[0], names)), ("#threads", lambda row: row[1].threads),
                  ("#time (s)", lambda row: format_number(row[1].seconds)),
                  (f"#{interval_heading(point.summary.invocations for _, point, _ in rows)}", lambda row: " to ".join(map(format_number, row[1].interval))),
                  ("#ratio to half the threads", lambda row: format_number(row[1].seconds / row[2].seconds) if row[2] else ""),
                  ("#paper", lambda row: stated if row[2] and PUBLISHED.get(tag, ("", ""))[0] == row[0].deque else ""),
                  ("", lambda row: "oversubscribed" * row[1].oversubscribed)], rows)


def by_cost(looks, stem, curves):
    """The time of each deque by the distribution of the cost of a node: a panel for each number of threads."""
    threads = sorted({point.threads for point in points_of(curves)})
    costs = [cost for cost in COSTS if any(curve.params.get("cost") == cost for curve in curves)]
    shared = sorted(set.intersection(*(set(curve.params) for curve in curves)) - {"cost"})  # a deque's own mode is no setting
    for suffix, setting, some in named("", alike(curves, shared), shared):
        mean = f"{setting.get('mean', '?')} {setting.get('mean_unit', '')}"
        deques = list(dict.fromkeys(curve.deque for curve in some))
        size = -(-len(deques) // -(-len(deques) // LINES_MAX))  # about as many deques in each row of frames
        frames = [cost_frame([curve for curve in some if curve.deque in deques[start:start + size]], costs, number, looks, not place)
                  for start in range(0, len(deques), size) for place, number in enumerate(threads)]
        yield Picture(f"{stem}-costs{suffix}", "Exploration of a graph whose nodes differ in cost, "
                      f"{size_text(int(setting.get('nodes', 0)))}, {mean} each on average",
                      f"Every distribution has the same mean ({mean} a node) and, for one seed, the same work for every deque. "
                      f"{bars_text(some)} The paper expects that irregular costs amplify the differences between deques, and "
                      "measured equal ones only.", frames, 1.6 + 3.1 * len(threads), columns=len(threads))
        yield amplification(f"{stem}-amplification{suffix}", some, costs, threads)


def cost_frame(curves, costs, number, looks, first):
    """The times of these deques at that number of threads. first: in its row, which names the axis."""
    deques = {curve.deque: curve.title for curve in curves}
    layers = [line([(costs.index(curve.params["cost"]) + in_row(place, len(deques), 0.7), timed(curve.at(number)))
                    for curve in curves if curve.deque == deque and curve.at(number)], looks.of(deque), title, "points")
              for place, (deque, title) in enumerate(deques.items())]
    return Frame(layers, Axis(low=-0.5, high=len(costs) - 0.5, ticks=list(enumerate(costs))),
                 Axis("execution time (s)" if first else "", low=0), threads_text(number))


def amplification(name, curves, costs, threads):
    """How far the deques lie apart, and whether irregular costs drive them further apart."""
    found = {}  # {(threads, cost): (fastest, slowest)}, each (title, point)
    for number in threads:
        for cost in costs:
            times = sorted(((curve.title, curve.at(number)) for curve in curves
                            if curve.params["cost"] == cost and curve.at(number)), key=lambda time: time[1].seconds)
            if len(times) > 1:
                found[number, cost] = times[0], times[-1]
    verdicts = dict(zip(found, verdicts_on([[point.summary.by_invocation for _, point in ends] for ends in found.values()])))

    def slowdown(key):
        (_, fastest), (_, slowest) = found[key]
        return slowest.seconds / fastest.seconds

    def end(place):
        return lambda key: f"{found[key][place][0]}, {format_number(found[key][place][1].seconds)} s"

    def amplified(key):
        number, cost = key
        if cost == "uniform" or any(verdicts.get((number, one)) not in DIFFERENT for one in (cost, "uniform")):
            return ""
        return f"{(slowdown(key) - 1) / (slowdown((number, 'uniform')) - 1):.1f} times"

    return table(name, "Do irregular costs amplify the differences?",
                 "The slowest deque over the fastest by the distribution of costs, and the verdict of the rule on the two. "
                 "Amplified: the difference over that at equal costs, if both are settled.",
                 [("#threads", 0), ("cost", 1), ("fastest", end(0)), ("slowest", end(1)),
                  ("#slowest / fastest", lambda key: f"{slowdown(key):.2f}"), ("verdict", lambda key: word_for(verdicts[key])),
                  ("#amplified", amplified)], list(found))
