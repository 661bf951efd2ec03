"""Owner and thieves, and the speed-up of a tree, over the number of threads of another machine: PREDICTED by
proof/simulate. Areas are the band over the ranges of the machine's numbers. Beyond saturation there is no level."""

from dataclasses import replace

from plots.data.cells import cells_of, grouped
from plots.data.contention import frequency_text
from plots.figures.grammar import COLUMNS, TIME, Of, in_frames, table, threads_axis
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, rows_axis
from plots.figures.styles import Looks, paler

LOWEST = 1 / 24  # of a speed-up: what is slower leaves the frame
SHOWN = [(Of("owner", "owner_operations", scale=1e-6), "owner's million operations a second", "million/s", "linear"),
         (Of("thief", "steal_time"), "time of a steal", "ns", "log"),
         (Of("thief", "steals_stolen"), "attempts that get an item", "percent", "linear")]


def threads_of(cell):
    return int(cell.params.get("threads", 0)) or int(cell.params.get("thieves", 0)) + 1


def banded(points, look, label):
    """The likely values as a curve, and their band behind it. points: (threads, (likely, low, high))"""
    marks = [Mark(x, likely, low, high) for x, (likely, low, high) in points]
    return [Layer(marks, paler(look), "band"), Layer([replace(mark, low=None, high=None) for mark in marks], look, label=label)]


def likely_of(cell, measure):
    """(by the likely numbers, lowest, highest of all sets)"""
    summary = measure.summary(cell)
    if not summary or not summary.by_invocation:
        return None
    factor = measure(cell)[0] / summary.median if summary.median else 1
    values = [value * factor for _, value in sorted(summary.by_invocation.items())]
    return values[0], min(values), max(values)


def edges(layers):
    """The ends of a band as thin lines, for bands that cover each other."""
    band, curve = layers
    look = replace(curve.look, shape="", width=0.8)
    return [Layer([Mark(mark.x, getattr(mark, end)) for mark in band.marks], look, "line") for end in ("low", "high")]


def pictures(name, title, text, lines, axis, y):
    """One frame where a legend can name all, else a frame a deque. lines: [(deque, title, layers of banded())]"""
    if not lines:
        return
    if len(lines) <= 8:
        bands, curves = zip(*(layers for *_, layers in lines))
        yield Picture(name, title, text, [Frame([*bands, *(edge for *_, layers in lines for edge in edges(layers)), *curves], axis, y)])
        return
    curves = [(deque, label, "", layers[1]) for deque, label, layers in lines]
    bands = {label: layers[0] for _, label, layers in lines}
    frames = [Frame([bands[one], *layers], replace(axis, label=""), replace(y, label=y.label if place % COLUMNS == 0 else ""), one)
              for place, (one, layers) in enumerate(in_frames(curves))]
    yield Picture(name, title, text, frames, 10, 1.7, columns=COLUMNS)


def contention(cells, looks, said):
    for frequency, some in grouped(cells, lambda cell: cell.params["frequency"]).items():
        ends = {deque: min((threads_of(cell) for cell in mine if "saturated" in cell.flags), default=None)
                for deque, mine in grouped(some, lambda cell: cell.deque).items()}
        axis = threads_axis({threads_of(cell) for cell in some})
        for measure, what, unit, scale in SHOWN:
            lines = []
            for deque, mine in grouped(some, lambda cell: cell.deque).items():
                points = sorted((threads_of(cell), likely_of(cell, measure)) for cell in mine
                                if "saturated" not in cell.flags and likely_of(cell, measure))
                label = mine[0].label + (f" (saturates near {points[-1][0]})" if ends[deque] and points else "")
                if points:
                    lines.append((deque, label, banded(points, looks.of(deque), label)))
            bands = [mark for *_, layers in lines for mark in layers[0].marks]
            top = max((mark.high for mark in bands), default=1)
            y = (Axis(unit, low=0, high=1.1 * top) if scale == "linear"
                 else Axis(unit, scale, 0.8 * min((mark.low for mark in bands), default=1), 1.2 * top))
            yield from pictures(f"predicted-{measure.metric}-{frequency}",
                                f"{what[0].upper()}{what[1:]} over threads, each thief at {frequency_text(frequency)}",
                                f"{said} A curve ends where thieves only wait for each other: there it says near how many threads, "
                                "and no level.", lines, axis, y)


def speedups(cells, looks, said):
    for workload, some in grouped(cells, lambda cell: cell.workload).items():
        least = min(threads_of(cell) for cell in some)
        alone = {}
        for cell in some:
            if threads_of(cell) == least and TIME.summary(cell):
                for way, value in TIME.summary(cell).by_invocation.items():
                    alone[way] = min(value, alone.get(way, value))
        lines = []
        for deque, mine in grouped(some, lambda cell: cell.deque).items():
            points = []
            for cell in sorted(mine, key=threads_of):
                ways = TIME.summary(cell).by_invocation if TIME.summary(cell) else {}
                ratios = [alone[way] / value for way, value in sorted(ways.items()) if way in alone]
                if ratios:
                    points.append((threads_of(cell), (ratios[0], min(ratios), max(ratios))))
            if points:
                lines.append((deque, mine[0].label, banded(points, looks.of(deque), mine[0].label)))
        bands = [mark for *_, layers in lines for mark in layers[0].marks]
        low, top = max(LOWEST, min((mark.low for mark in bands), default=1)), max((mark.high for mark in bands), default=1)
        yield from pictures(f"predicted-speedup-{workload}", f"Speed-up of {workload} over threads, against the fastest deque with {least} thread"
                            + "s" * (least > 1), said, lines, threads_axis({threads_of(cell) for cell in some}),
                            Axis("times as fast", "log2", low / 1.3, 1.3 * top))


def beside_published(rows, said):
    """The papers' points and the predictions: a row a statement, by its ratio to the paper's number; and the numbers."""
    known = [(f"{machine}, {where}: {what}", number, predicted) for machine, where, what, number, predicted, _ in rows
             if predicted and number and min(predicted) > 0]
    papers = [Mark(1, place) for place in range(len(known))]
    ours = [Mark(likely / number, place, low / number, high / number) for place, (_, number, (likely, low, high)) in enumerate(known)]
    layers = [Layer(papers, Look("#000000", hollow=True), "across", "the paper"), Layer(ours, Look("#0072B2", "square"), "across", "predicted, with its band")]
    if known:
        yield Picture("predicted-published", "The papers' numbers at their own numbers of threads",
                      f"Each row is divided by the paper's number. {said}",
                      [Frame(layers, Axis("times the paper's number", "log"), rows_axis([what for what, *_ in known]), grid="x")],
                      11, 1.5 + 0.24 * len(known))
    yield table("predicted-published-numbers", "The papers' numbers beside predictions, in numbers", said,
                [("machine", 0), ("paper", 1), ("what", 2), ("#published", lambda row: f"{row[3]:.3g}"),
                 ("#predicted", lambda row: f"{row[4][0]:.3g}" if row[4] else ""),
                 ("#band", lambda row: f"[{row[4][1]:.3g}, {row[4][2]:.3g}]" if row[4] else ""), ("remark", 5)], rows)


def machines_of(about, tag):
    """Which machines a figure's numbers are predicted for: the papers' are several."""
    return " and ".join(dict.fromkeys(row[0] for row in about["beside"])) if tag == "published" else about["machine"]


def draw(run, _sections, summaries):
    about = run.manifest.get("predicted")
    if not about:
        return
    def said_of(tag):
        return (f"Curves: the likely numbers of {machines_of(about, tag)}; areas: the band over {len(about['sets'])} sets of numbers "
                f"({', '.join(about['sets'])}). {about['foot']} Held against measurements: {about['held_against']}")

    said = said_of("")
    looks, cells = Looks(run), cells_of(run, summaries)
    made = [("contention", one) for one in contention([cell for cell in cells if cell.workload == "contention"
                                                       and threads_of(cell) > 1], looks, said)]
    for workload, some in grouped([cell for cell in cells if cell.params.get("threads")], lambda cell: cell.workload).items():
        made += [(workload, one) for one in speedups(some, looks, said)]
    if about.get("beside"):
        made += [("published", one) for one in beside_published(about["beside"], said_of("published"))]
    yield from made
