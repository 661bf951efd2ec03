"""Exploration of a graph: figures 9 and 10 of the bulk paper, and what irregular costs of nodes change.

The paper gives no times, only that the time about halves when the threads are doubled; that is drawn as the slope of
the ideal, and stated beside our own ratio in the table.
"""

from plots.data.cells import bars_are, grouped
from plots.data.published import read_published, text_of
from plots.data.speedup import curves_of, varying_of
from plots.data.words import format_number, threads_text
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import in_frames, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Table
from plots.figures.styles import IDEAL, Looks, variants_of
from plots.figures.threads import oversubscribed, threads_axis
from plots.statistics import DIFFERENT, verdicts_on, word_for

PUBLISHED = {"fig9": ("lf_bulk", "LF_Queue"), "fig10": ("taskflow_unbounded", "TF_UB_Queue")}
LINKED = "LF_Queue's children of a node are linked as their links are made, and pushed in one step. "
COSTS = ["uniform", "exponential", "bimodal", "heavy"]


def draw(run, _sections, summaries):
    curves = [curve for curve in curves_of(run, summaries) if curve.workload == "dag"]
    for tag, mine in grouped(curves, lambda curve: curve.tag).items():
        irregular = len({curve.params.get("cost") for curve in mine}) > 1
        if tag in PUBLISHED or not irregular and len({curve.params.get("nodes") for curve in mine}) > 1:
            yield from ((tag, made) for made in by_size(run, tag, mine))
        if irregular:
            yield from ((tag, made) for made in by_cost(run, tag, mine))


def size_text(nodes):
    count = int(nodes)
    for unit, word in ((10 ** 6, "million "), (1000, "thousand ")):
        if count >= unit:
            return f"{count / unit:g} {word}nodes"
    return f"{count} nodes"


def curve_label(curve, names):
    told = [size_text(curve.params["nodes"])] if "nodes" in curve.params else []
    rest = curve.text([name for name in names if name not in ("nodes", "walk")])
    return ", ".join([curve.title, *told, *([rest] if rest else [])])


def by_size(run, tag, curves):
    """Execution time over threads, both logarithmic, a line a graph size; and how it changes with each doubling."""
    names, looks = varying_of(curves), Looks(run)
    sizes = sorted({int(curve.params.get("nodes", 0)) for curve in curves})
    threads = sorted({point.threads for curve in curves for point in curve.points})
    places = variants_of((curve.deque, tuple(sorted(curve.params.items()))) for curve in curves)
    layers = []
    for size in sizes:
        first = [curve.points[0] for curve in curves if int(curve.params.get("nodes", 0)) == size]
        start = min(first, key=lambda point: (point.threads, point.seconds))
        layers.append(Layer([Mark(number, start.seconds * start.threads / number) for number in threads], IDEAL, "line",
                            slope_text(tag)))
    lines = [(curve.deque, curve.title, size_text(curve.params.get("nodes", "0")),
              Layer([Mark(point.threads, point.seconds, *point.interval) for point in curve.points],
                    looks.of(curve.deque, place), label=curve_label(curve, names))) for curve, place in zip(curves, places)]
    ground, note = oversubscribed(curves)
    frames = [Frame(layers + some, threads_axis(threads), Axis("execution time (s)", "log"), title, "both", ground=ground)
              for title, some in in_frames(lines)]
    stated = published_ratio(tag)
    yield Picture(f"{tag or 'dag'}-time", f"Exploration of a graph, time over threads ({tag or 'dag'})",
                  f"{bars_are([point.summary for curve in curves for point in curve.points])} Both axes are logarithmic, "
                  "as in the paper. The paper states no time, only "
                  f"that it {'about halves' if stated else 'falls'} with each doubling of the threads, up to 128 on 64 "
                  f"cores: the slope of the grey lines. Graphs here: {shapes_text(curves)}; of its own the paper says "
                  f"neither shape nor number of arcs. {LINKED if any(curve.deque == 'lf_bulk' for curve in curves) else ''}{note}", frames, 6.4 if len(frames) == 1 else 10,
                  4.2 if len(frames) == 1 else 2.6, 0 if len(frames) == 1 else 3)
    yield doublings(tag, curves, names, stated)


def slope_text(tag):
    stated = published_ratio(tag)
    return "half the time with twice the threads: ideal" + (f", and what the paper states ({stated})" if stated else "")


def shapes_text(curves):
    words = []
    for curve in curves:
        params = curve.params
        if params.get("file", "none") != "none":
            words.append(f"file {params['file']}")
        else:
            words.append(f"shape {params.get('shape', '?')}, {params.get('degree', '?')} arcs a node{width_text(params)}")
    return "; ".join(dict.fromkeys(words))


def width_text(params):
    width, shape = params.get("width"), params.get("shape")
    if width is None or shape == "tree":
        return ""
    if shape == "layered":
        return f", layers of {width}"
    return ", leading anywhere" if width == "0" else f", leading at most {width} nodes on"


def published_ratio(tag):
    if tag not in PUBLISHED:
        return ""
    _, series = PUBLISHED[tag]
    return text_of([value for value in read_published(tag) if value.series == series and value.metric == "time_ratio"])


def doublings(tag, curves, names, stated):
    rows = []
    for curve in curves:
        for point in curve.points:
            half = curve.at(point.threads // 2) if point.threads % 2 == 0 else None
            theirs = PUBLISHED.get(tag, ("", ""))[0] == curve.deque and half
            rows.append([curve_label(curve, names), str(point.threads), format_number(point.seconds),
                         f"{format_number(point.interval[0])} to {format_number(point.interval[1])}",
                         format_number(point.seconds / half.seconds) if half else "", stated if theirs else "",
                         "oversubscribed" if point.oversubscribed else ""])
    return Table(f"{tag or 'dag'}-doublings", "What doubling the threads does to the time",
                 "Time over that with half as many threads: 0.5 is ideal. The paper's column is the only number it gives.",
                 ["series", "threads", "time (s)", "interval", "ratio to half the threads", "paper", ""], rows,
                 [1, 2, 3, 4, 5])


def by_cost(run, tag, curves):
    """One panel a number of threads: the time of each deque by the distribution of the cost of a node."""
    looks = Looks(run)
    threads = sorted({point.threads for curve in curves for point in curve.points})
    costs = [cost for cost in COSTS if any(curve.params.get("cost") == cost for curve in curves)]
    shared = set.intersection(*(set(curve.params) for curve in curves)) - {"cost"}  # a deque's own mode is no setting
    groups = grouped(curves, lambda curve: tuple((name, curve.params[name]) for name in sorted(shared)))
    names = told_apart_by_settings("", list(map(dict, groups)))
    for suffix, (settings, some) in zip(names, groups.items()):
        mean = dict(settings)
        frames = [cost_frame([curve for curve in some if curve.deque in deques], costs, number, looks, first=not place)
                  for deques in parts_of(list(dict.fromkeys(curve.deque for curve in some)))
                  for place, number in enumerate(threads)]
        yield Picture(f"{tag or 'dag'}-costs{suffix}", "Exploration of a graph whose nodes cost differently much, "
                      f"{size_text(mean.get('nodes', '0'))}, {mean.get('mean', '?')} {mean.get('mean_unit', '')} each in the mean",
                      f"Every distribution has the same mean ({mean.get('mean', '?')} {mean.get('mean_unit', '')} a node) "
                      "and, for one seed, the same work for every deque. "
                      f"{bars_are([point.summary for curve in some for point in curve.points])} The paper expects that "
                      "irregular costs amplify the differences between deques, and measured equal ones only.",
                      frames, 1.6 + 3.1 * len(threads), columns=len(threads))
        yield amplification(f"{tag or 'dag'}-amplification{suffix}", some, costs, threads)


def parts_of(deques):
    """As many in each part as a frame can name, about equally many."""
    size = -(-len(deques) // -(-len(deques) // LINES_MAX))
    return [deques[start:start + size] for start in range(0, len(deques), size)]


def cost_frame(curves, costs, number, looks, first):
    """The times of these deques at that number of threads; first: in its row, which names the axis."""
    layers, deques = [], {curve.deque: curve.title for curve in curves}
    for offset, (deque, title) in enumerate(deques.items()):
        found = [(costs.index(curve.params["cost"]), curve.at(number)) for curve in curves
                 if curve.deque == deque and curve.at(number)]
        marks = [Mark(x + (offset - (len(deques) - 1) / 2) * 0.7 / len(deques), point.seconds, *point.interval)
                 for x, point in sorted(found, key=lambda pair: pair[0])]
        layers.append(Layer(marks, looks.of(deque), "points", title))
    return Frame(layers, Axis(low=-0.5, high=len(costs) - 0.5, ticks=list(enumerate(costs))),
                 Axis("execution time (s)" if first else "", low=0), threads_text(number))


def slowdown(ends):
    """The slowest by the fastest."""
    (_, fastest), (_, slowest) = ends
    return slowest.seconds / fastest.seconds


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
    rows = []
    for (number, cost), ends in found.items():
        both = cost != "uniform" and all(verdicts.get((number, one)) in DIFFERENT for one in (cost, "uniform"))
        rows.append([str(number), cost, *(f"{title}, {format_number(point.seconds)} s" for title, point in ends),
                     f"{slowdown(ends):.2f}", word_for(verdicts[number, cost]),
                     f"{(slowdown(ends) - 1) / (slowdown(found[number, 'uniform']) - 1):.1f} times" if both else ""])
    return Table(name, "Do irregular costs amplify the differences?",
                 "The slowest deque over the fastest by the distribution of costs, and the verdict of the rule on the two. "
                 "Amplified: the difference over that at equal costs, where both are settled.",
                 ["threads", "cost", "fastest", "slowest", "slowest / fastest", "verdict", "amplified"], rows, [0, 4, 6])
