"""Distributions of single operations' latencies: violins (BWoS thesis, figures 5.8 and 5.9), percentile curves, table."""

import math

from plots.data.cells import notes_of
from plots.data.contention import THESIS, by_settings, contention_cells, frequency_text, setting_text
from plots.data.histograms import read_histograms
from plots.data.published import read_published
from plots.data.words import format_number
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table, log_axis, rows_axis
from plots.figures.styles import BEHIND, Looks, variants_of

THESIS_FILE = "bwos_thesis.csv"
OF_SAMPLE = {"steal": ("thief", "steal_latency"), "push": ("owner", "push_latency"), "pop": ("owner", "pop_latency")}
SETTING = ("sample", "thieves", "frequency", "frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")
CUT = 0.995  # violins end there; the curves show the rest
BINS = 90
WORDS = {"steal": "A steal that took something", "push": "A push", "pop": "A pop"}


def draw(run, _sections, summaries):
    cells = [cell for cell in contention_cells(run, summaries)
             if cell.params.get("sample") in OF_SAMPLE and cell.params.get("case") == "cycle"]
    if not cells:
        return
    histograms, looks = read_histograms(run), Looks(run)
    for tag in dict.fromkeys(cell.tag for cell in cells):
        groups = by_settings([cell for cell in cells if cell.tag == tag], SETTING)
        names = told_apart_by_settings(f"{tag or 'contention'}-latency", [dict(zip(SETTING, key)) for key in groups])
        for name, group in zip(names, groups.values()):
            yield from ((tag, made) for made in distribution(name, group, histograms, looks))


def distribution(name, cells, histograms, looks):
    role, metric = OF_SAMPLE[cells[0].params["sample"]]
    found = [(cell, histograms[cell.name, role, metric]) for cell in cells if (cell.name, role, metric) in histograms]
    found.sort(key=lambda pair: pair[1].quantile(0.5))
    what = WORDS[cells[0].params["sample"]]
    text = setting_text(cells[0])
    if found:
        cost = sampling_cost(cells)
        yield violins(name, found, what, text, cost, looks)
        yield curves(f"{name}-percentiles", found, what, text, cost, looks)
    yield percentiles(f"{name}-table", cells, role, metric, what, text)


def sampling_cost(cells):
    costs = [cell.value("process", "sampling_cost") for cell in cells]
    costs = [summary.median for summary in costs if summary]
    return f"Each latency contains one pair of clock reads, {format_number(sorted(costs)[len(costs) // 2])} ns here. " \
        if costs else ""


def densities(histogram, low, high):
    """The shape of a violin: at each place of a logarithmic axis the share of operations, 1 at the widest."""
    step = (math.log(high) - math.log(low)) / BINS
    weights = [0.0] * BINS
    for lower, upper, count in histogram.buckets:
        lower, upper = max(lower, low), min(max(upper, lower * 1.0001), high)
        if upper <= lower:
            continue
        first, last = ((math.log(end) - math.log(low)) / step for end in (lower, upper))
        width = last - first
        for place in range(int(first), min(int(last) + 1, BINS)):
            overlap = min(place + 1, last) - max(place, first)
            weights[place] += count * max(overlap, 0) / width
    smooth = [sum(weights[max(0, i + d)] * w for d, w in ((-2, 1), (-1, 2), (0, 3), (1, 2), (2, 1)) if i + d < BINS) / 9
              for i in range(BINS)]
    most = max(smooth) or 1.0
    places = [math.exp(math.log(low) + (i + 0.5) * step) for i in range(BINS)]
    return places, [value / most for value in smooth]


def violins(name, found, what, text, cost, looks):
    low = min(max(histogram.quantile(0.001), 1.0) for _, histogram in found) * 0.9
    high = max(histogram.quantile(CUT) for _, histogram in found) * 1.1
    params = found[0][0].params
    stated = {value.series: value for figure_name, frequency in (("fig5.8", "100000"), ("fig5.9", "20000"))
              for value in read_published(figure_name, THESIS_FILE)
              if (value.x, frequency) == (params["thieves"], params["frequency"])}
    shapes, middles, halves, published = [], [], [], []
    for place, (cell, histogram) in enumerate(found):
        shapes.append(Layer([Mark(x, place, place - 0.42 * height, place + 0.42 * height)
                             for x, height in zip(*densities(histogram, low, high))], looks.of(cell.deque), "band"))
        quarter, median, three = (histogram.quantile(part) for part in (0.25, 0.5, 0.75))
        halves.append(Mark(three, place, start=quarter))
        middles.append(Mark(median, place))
        value = stated.get(THESIS.get(cell.deque))
        if value and cell.params["sample"] == "steal":
            published.append(Mark(value.value, place))
    layers = [*shapes, Layer(halves, Look("#222222"), "bars", "the middle half", 0.06),
              Layer(middles, Look("#222222"), "points", "median")]
    if published:
        layers.append(Layer(published, Look("#222222", "diamond", hollow=True), "points", "the thesis's median", size=1.4))
    rows = rows_axis([f"{cell.label}\nmedian {format_number(histogram.quantile(0.5))} ns" for cell, histogram in found])
    frame = Frame(layers, log_axis("ns", low, high), rows, grid="x")
    caption = (f"{text}. {what}: how often each latency was seen (width, logarithmic axis), the middle half (line) and the "
               f"median (dot), up to the {100 * CUT:g}th percentile. {cost}"
               + ("Diamond: the median that the thesis states, from its machine. " if published else "")
               + notes_of([cell for cell, _ in found]))
    return Picture(name, f"{what}: latencies, {text}", caption, [frame], 8, 0.8 + 0.4 * len(found))


def curves(name, found, what, text, cost, looks):
    places = variants_of((cell.deque, cell.series) for cell, _ in found)
    layers = []
    for (cell, histogram), place in zip(found, places):
        named = cell.deque in THESIS or cell.reference or len(found) <= LINES_MAX
        layers.append(Layer([Mark(1 / part, value) for value, part in histogram.tail() if part > 0],
                            looks.of(cell.deque, place) if named else BEHIND, "line", cell.label if named else ""))
    layers.sort(key=lambda layer: bool(layer.label))
    top = max(histogram.count for _, histogram in found)
    ticks = [(2, "50 %"), (10, "90 %"), (100, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %"), (1e5, "99.999 %")]
    frame = Frame(layers, Axis("percentile", "log", ticks=[(x, label) for x, label in ticks if x <= top]),
                  Axis("ns", "log"), grid="both")
    return Picture(name, f"{what}: percentiles, {text}",
                   f"{text}. A point says: that part of the operations took at most so long. {cost}"
                   f"{notes_of([cell for cell, _ in found])}", [frame], height=4)


def percentiles(name, cells, role, metric, what, text):
    columns = ["p50", "p90", "p99", "p99.9", "maximum", "count"]
    rows = []
    for cell in cells:
        summaries = [cell.value(role, f"{metric}_{column}") for column in columns]
        cost = cell.value("process", "sampling_cost")
        rows.append([cell.label, *(format_number(summary.median) if summary else "not reported" for summary in summaries),
                     format_number(cost.median) if cost else ""])
    rows.sort(key=lambda row: (row[1] == "not reported", float(row[1]) if row[1] != "not reported" else 0))
    return Table(name, f"{what}: percentiles in ns, {text}",
                 f"Medians over invocations, each of which sampled every operation at "
                 f"{frequency_text(cells[0].params.get('frequency', ''))}. The sampling cost is contained in each latency. "
                 f"{notes_of(cells)}", ["deque", *columns, "sampling cost"], rows, list(range(1, 8)))
