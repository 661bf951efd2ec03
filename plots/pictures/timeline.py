"""Timelines: who worked, searched, stole and slept when, in one run of a workload on the pool (timeline=1)."""

from histograms import read_histograms
from pictures import Picture

STATES = (("timeline_work", "works", "#4477aa"), ("timeline_steal", "looks, and steals", "#228833"),
          ("timeline_search", "looks in vain", "#ddaa33"), ("timeline_sleep", "sleeps", "#cccccc"))
MOST = 12  # pictures of one section
SHOWN = ("threads", "victims", "steal", "tree", "size", "n", "input", "nodes", "master", "placement")


def draw(run, _sections, _summaries):
    """A picture a cell; of a section no more than MOST."""
    spans = {}
    for (cell, role, metric), histogram in read_histograms(run).items():
        if metric.startswith("timeline_") and role.startswith("worker"):
            spans.setdefault(cell, {}).setdefault(int(role[len("worker"):]), {})[metric] = histogram.buckets
    drawn = {}
    for cell_id, workers in spans.items():
        cell = run.cells[cell_id]
        for tag in cell["tags"] or [""]:
            if drawn.setdefault(tag, 0) < MOST:
                drawn[tag] += 1
                yield tag, picture(cell, workers, f"{tag or cell['workload']}-timeline-{drawn[tag]}")


def picture(cell, workers, name):
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8, 1 + 0.3 * len(workers)))
    axes = figure.add_subplot()
    end = max(upper for states in workers.values() for spans in states.values() for _, upper, _ in spans)
    scale, unit = next((scale, unit) for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "\N{MICRO SIGN}s"), (1, "ns"))
                       if end >= scale or scale == 1)
    for place, (_, states) in enumerate(sorted(workers.items())):
        for metric, _, colour in STATES:
            bars = [(lower / scale, (upper - lower) / scale) for lower, upper, _ in states.get(metric, [])]
            axes.broken_barh(bars, (place - 0.4, 0.8), facecolors=colour, linewidth=0, rasterized=True)
    axes.set_yticks(range(len(workers)), [f"worker {number}" for number in sorted(workers)])
    axes.invert_yaxis()
    axes.set_xlim(0, end / scale)
    axes.set_xlabel(f"time since the run began, {unit}")
    axes.legend(handles=legend_handles(), ncols=len(STATES), loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    params = cell["params"]
    setting = ", ".join(f"{key}={params[key]}" for key in SHOWN if key in params)
    return Picture(name, f"{cell['workload']} on {cell['deque']}, worker by worker",
                   f"One run with {setting}: the first repetition of the first process. White was not recorded. " + shares(workers, end), figure)


def legend_handles():
    from matplotlib.patches import Patch
    return [Patch(facecolor=colour, label=label) for _, label, colour in STATES]


def shares(workers, end):
    """Part of all workers' time in each state, as far as it was recorded."""
    texts = []
    for metric, label, _ in STATES:
        spent = sum(upper - lower for states in workers.values() for lower, upper, _ in states.get(metric, []))
        texts.append(f"{label} {100 * spent / (end * len(workers)):.1f} %")
    return "Of all workers' time: " + ", ".join(texts) + "."
