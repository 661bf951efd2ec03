"""Exploration of a graph: figures 9 and 10 of the bulk paper, and what irregular costs of nodes change.

The paper gives no times, only that the time about halves when the threads are doubled; that is drawn as the slope of
the ideal, and stated beside our own ratio in the table.
"""

from pictures import Picture, Table
from published import read_published, text_of
from sections import format_number
from speedup import (MARKERS, colour_map, colour_of, curves_of, grouped, mark_oversubscribed, threads_axis, varying_of)

PUBLISHED = {"fig9": ("lf_bulk", "LF_Queue"), "fig10": ("taskflow_unbounded", "TF_UB_Queue")}
COSTS = ["uniform", "exponential", "bimodal", "heavy"]
STYLES = ["-", "--", "-.", ":"]


def draw(run, _sections, summaries):
    curves = [curve for curve in curves_of(run, summaries) if curve.workload == "dag"]
    for tag, mine in grouped(curves, lambda curve: curve.tag).items():
        if tag in PUBLISHED or len({curve.params.get("nodes") for curve in mine}) > 1:
            yield from ((tag, made) for made in by_size(run, tag, mine))
        if len({curve.params.get("cost") for curve in mine}) > 1:
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
    import matplotlib.pyplot as pyplot
    names = varying_of(curves)
    colours = colour_map(run)
    sizes = sorted({int(curve.params.get("nodes", 0)) for curve in curves})
    figure, axes = pyplot.subplots(figsize=(6.4, 5))
    threads = sorted({point.threads for curve in curves for point in curve.points})
    for place, curve in enumerate(curves):
        xs = [point.threads for point in curve.points]
        ys = [point.seconds for point in curve.points]
        ends = [(point.seconds - point.interval[0], point.interval[1] - point.seconds) for point in curve.points]
        size = sizes.index(int(curve.params.get("nodes", 0)))
        axes.errorbar(xs, ys, yerr=list(zip(*ends)), color=colour_of(curve.deque, colours), lw=1.5, ms=5, capsize=2,
                      ls=STYLES[size % len(STYLES)], marker=MARKERS[place % len(MARKERS)],
                      label=curve_label(curve, names))
    for size in sizes:
        first = [curve.points[0] for curve in curves if int(curve.params.get("nodes", 0)) == size]
        start = min(first, key=lambda point: (point.threads, point.seconds))
        axes.plot(threads, [start.seconds * start.threads / number for number in threads], color="#8A8A8A", ls=":",
                  lw=1.1, zorder=1, label=slope_text(tag) if size == sizes[0] else None)
    threads_axis(axes, threads)
    note = mark_oversubscribed(axes, curves)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylabel("execution time (s)")
    axes.grid(color="#E5E5E5", lw=0.6)
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    stated = published_ratio(tag)
    yield Picture(f"{tag or 'dag'}-time", f"Exploration of a graph, time over threads ({tag or 'dag'})",
                  "Medians with 95 % intervals; both axes logarithmic, as in the paper. The paper states no time, only "
                  f"that it {'about halves' if stated else 'falls'} with each doubling of the threads, up to 128 on 64 "
                  f"cores: the slope of the dotted lines. Graphs here: {shapes_text(curves)}; of its own the paper says "
                  f"neither shape nor number of arcs. {note}", figure)
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
    import matplotlib.pyplot as pyplot
    colours = colour_map(run)
    threads = sorted({point.threads for curve in curves for point in curve.points})
    costs = [cost for cost in COSTS if any(curve.params.get("cost") == cost for curve in curves)]
    groups = grouped(curves, lambda curve: tuple(sorted((name, value) for name, value in curve.params.items()
                                                        if name not in ("cost", "walk"))))
    for place, (settings, some) in enumerate(groups.items()):
        deques = list(dict.fromkeys(curve.deque for curve in some))
        figure, panels = pyplot.subplots(1, len(threads), figsize=(1.6 + 3.1 * len(threads), 3.9), squeeze=False)
        for axes, number in zip(panels[0], threads):
            for offset, deque in enumerate(deques):
                xs, ys, ends = [], [], []
                for x, cost in enumerate(costs):
                    point = next((curve.at(number) for curve in some
                                  if curve.deque == deque and curve.params["cost"] == cost and curve.at(number)), None)
                    if point:
                        xs.append(x + (offset - (len(deques) - 1) / 2) * 0.7 / len(deques))
                        ys.append(point.seconds)
                        ends.append((point.seconds - point.interval[0], point.interval[1] - point.seconds))
                if xs:
                    title = next(curve.title for curve in some if curve.deque == deque)
                    axes.errorbar(xs, ys, yerr=list(zip(*ends)), ls="none", marker=MARKERS[offset % len(MARKERS)], ms=5,
                                  capsize=2, color=colour_of(deque, colours), label=title)
            axes.set_xticks(range(len(costs)), costs)
            axes.set_title(f"{number} thread{'s' if number > 1 else ''}", fontsize=9)
            axes.set_ylim(bottom=0)
            axes.grid(color="#E5E5E5", lw=0.6, axis="y")
        panels[0][0].set_ylabel("execution time (s)")
        figure.tight_layout()
        panels[0][0].legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.12), ncol=4)
        suffix = f"-{place + 1}" if place else ""
        mean = dict(settings)
        yield Picture(f"{tag or 'dag'}-costs{suffix}", "Exploration of a graph whose nodes cost differently much",
                      f"Every distribution has the same mean ({mean.get('mean', '?')} {mean.get('mean_unit', '')} a node) "
                      "and, for one seed, the same work for every deque. Medians with 95 % intervals. The paper expects "
                      "that irregular costs amplify the differences between deques, and measured equal ones only.",
                      figure)
        yield amplification(f"{tag or 'dag'}-amplification{suffix}", some, costs, threads)


def amplification(name, curves, costs, threads):
    """How far the deques lie apart, and whether irregular costs drive them further apart."""
    rows = []
    for number in threads:
        against, uniform_settled = None, False
        for cost in costs:
            times = {curve.title: curve.at(number) for curve in curves
                     if curve.params["cost"] == cost and curve.at(number)}
            if len(times) < 2:
                continue
            fastest, slowest = (pick(times, key=lambda title: times[title].seconds) for pick in (min, max))
            ratio = times[slowest].seconds / times[fastest].seconds
            settled = times[slowest].interval[0] > times[fastest].interval[1]
            if cost == "uniform":
                against, uniform_settled = ratio, settled
            both = settled and uniform_settled and cost != "uniform"
            rows.append([str(number), cost, f"{fastest}, {format_number(times[fastest].seconds)} s",
                         f"{slowest}, {format_number(times[slowest].seconds)} s", f"{ratio:.2f}",
                         "yes" if settled else "no",
                         f"{(ratio - 1) / (against - 1):.1f} times" if both else ""])
    return Table(name, "Do irregular costs amplify the differences?",
                 "The slowest deque over the fastest by the distribution of costs. Settled: their intervals do not meet. "
                 "Amplified: the difference over that at equal costs, where both are settled.",
                 ["threads", "cost", "fastest", "slowest", "slowest / fastest", "settled", "amplified"], rows, [0, 4, 6])
