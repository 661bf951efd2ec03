"""Timelines: who worked, searched, stole and slept when, in one run of a workload on the pool (timeline=1)."""

from plots.data.histograms import read_histograms
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, rows_axis
from plots.figures.styles import KINDS_OF_THINGS

STATES = (("timeline_work", "works", "second"), ("timeline_steal", "looks, and steals", "good"),
          ("timeline_search", "looks in vain", "waiting"), ("timeline_sleep", "sleeps", "neutral"))
PICTURES_MAX = 12  # of one section
SHOWN = ("threads", "victims", "steal", "tree", "size", "n", "input", "nodes", "master", "placement")


def draw(run, _sections, _summaries):
    """A picture a cell; of a section no more than PICTURES_MAX."""
    spans = {}
    for (cell, role, metric), histogram in read_histograms(run).items():
        if metric.startswith("timeline_") and role.startswith("worker"):
            spans.setdefault(cell, {}).setdefault(int(role[len("worker"):]), {})[metric] = histogram.buckets
    drawn = {}
    for cell_id, workers in spans.items():
        cell = run.cells[cell_id]
        for tag in cell["tags"] or [""]:
            if drawn.setdefault(tag, 0) < PICTURES_MAX:
                drawn[tag] += 1
                yield tag, picture(cell, workers, f"{tag or cell['workload']}-timeline-{drawn[tag]}")


def picture(cell, workers, name):
    end = max(upper for states in workers.values() for spans in states.values() for _, upper, _ in spans)
    scale, unit = next((scale, unit) for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "\N{MICRO SIGN}s"), (1, "ns"))
                       if end >= scale or scale == 1)
    rows = sorted(workers.items())
    layers = [Layer([Mark(upper / scale, place, start=lower / scale) for place, (_, states) in enumerate(rows)
                     for lower, upper, _ in states.get(metric, [])], Look(KINDS_OF_THINGS[kind]), "bars", label, 0.8)
              for metric, label, kind in STATES]
    frame = Frame(layers, Axis(f"time since the run began, {unit}", low=0, high=end / scale),
                  rows_axis([f"worker {number}" for number, _ in rows]), grid="")
    params = cell["params"]
    setting = ", ".join(f"{key}={params[key]}" for key in SHOWN if key in params)
    return Picture(name, f"{cell['workload']} on {cell['deque']}, worker by worker",
                   f"One run with {setting}: the first repetition of the first process. White was not recorded. "
                   + shares(workers, end), [frame], 8, 0.7 + 0.3 * len(workers))


def shares(workers, end):
    """Part of all workers' time in each state, as far as it was recorded."""
    texts = []
    for metric, label, _ in STATES:
        spent = sum(upper - lower for states in workers.values() for lower, upper, _ in states.get(metric, []))
        texts.append(f"{label} {100 * spent / (end * len(workers)):.1f} %")
    return "Of all workers' time: " + ", ".join(texts) + "."
