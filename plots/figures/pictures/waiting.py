"""How long tasks of the pool wait from push to start (cells with waits=1): by deque and setting, the median, the tail
and what starved; a table; and the distributions' tails."""

from plots.data.cells import cells_of, grouped, notes_of
from plots.data.histograms import read_histograms
from plots.data.sections import varying_parameters
from plots.data.words import format_number, in_order, sentence, words_for
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import COLUMNS, in_frames, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table, rows_axis
from plots.figures.styles import Looks, variants_of

MICROSECOND = 1e3  # ns
LEAST = 0.01       # us, the left end of an axis: below a read of the clock
FRAMES_MAX = 4     # side by side
TAILS_MAX = 8      # settings; of more the table has the tails
LONG = 3           # settings that vary; of more what is switched off is not told
QUANTILES = ["p50", "p90", "p99", "p99.9"]
UNITS = ["ns", "\N{MICRO SIGN}s", "ms", "s"]
TAILS = [(10.0 ** -power, f"{100 * 10.0 ** -power:g} %") for power in range(8)]
WHAT = "Waiting time of a task, from before its push until it is taken to be run."
STAMPED = "Every task was stamped, which costs two reads of the clock each: the times of such a run are not those of a plain one."


def draw(run, _sections, summaries):
    cells = [cell for cell in cells_of(run, summaries, stamped=True) if wait(cell, "p50")]
    if not cells:
        return
    histograms, looks = read_histograms(run), Looks(run)
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        stem = f"{tag or 'pool'}-{workload}-waits"
        apart = settings_of(mine)
        groups = grouped(mine, lambda cell: tuple(cell.params.get(name, "") for name in apart))
        texts = {key: text_of(apart, key) for key in groups}
        yield tag, rows_picture(stem, workload, groups, texts, run, looks)
        names = told_apart_by_settings(f"{stem}-tail", [dict(zip(apart, key)) for key in groups])
        for name, (key, some) in zip(names, groups.items()):
            found = [(cell, histograms[place]) for cell in some
                     for place in [(cell.name, "worker", "task_wait")] if place in histograms]
            if found and len(groups) <= TAILS_MAX:
                yield tag, tails(name, workload, texts[key], found, looks)
        yield tag, table(f"{stem}-table", workload, groups, texts, run)


def settings_of(cells):
    """What some deque has more than one value of: the same question put to several."""
    return [name for name in varying_parameters([cell.params for cell in cells])
            if name != "block" and any(len({cell.params.get(name) for cell in mine}) > 1
                                       for mine in grouped(cells, lambda cell: cell.deque).values())]


def text_of(names, values):
    """The setting in words."""
    return ", ".join(words_for(name, value) for name, value in zip(names, values)
                     if value and (len(names) <= LONG or value != "0"))


def wait(cell, what, of="task_wait"):
    return cell.value("worker", f"{of}_{what}")


def microseconds(cell, what):
    return max(LEAST, wait(cell, what).median / MICROSECOND)


def time_axis(low, high, every, label=""):
    """A logarithmic axis in us whose ticks name their units: each power of ten, or every third where that leaves two,
    and what lies between where one is left."""
    def ticks_by(steps):
        return [(step * 10.0 ** power, f"{step * 10 ** ((power + 3) % 3)} {UNITS[(power + 3) // 3]}") for power in range(-2, 10)
                for step in steps if (power + 3) % every == 0 and low <= step * 10.0 ** power <= high]

    ticks = ticks_by((1,))
    if len(ticks) < 2 and every > 1:
        return time_axis(low, high, 1, label)
    if len(ticks) < 2:
        ticks = ticks_by((1, 2, 5))
    return Axis(label, "log", low, high, ticks)


def ordered_text(run, cell):
    """The deque's title, and which end its owner takes from: that is the question."""
    order = run.deque_facts(cell.deque).get("owner_order", "")
    return cell.label + (f" ({order})" if order else "")


def rows_picture(name, workload, groups, texts, run, looks):
    """A row a deque and a frame a setting, or with more settings than deques a frame a deque: median, 99th and 99.9th
    percentile, the longest."""
    first = {}
    for some in groups.values():
        for cell in some:
            first.setdefault(cell.series, cell)
    order = sorted(first, key=lambda series: wait(first[series], "p99").median)
    labels = [ordered_text(run, first[series]) for series in order]
    turned = len(groups) > max(len(order), FRAMES_MAX)
    keys = sorted(groups, key=lambda key: list(map(in_order, key))) if turned else list(groups)
    placed = [((order.index(cell.series), place) if turned else (place, order.index(cell.series)), cell)
              for place, key in enumerate(keys) for cell in groups[key]]
    titles, rows = [texts[key] for key in keys], labels
    if turned:
        titles, rows = rows, titles
    cells = [cell for _, cell in placed]
    low = min(microseconds(cell, "p50") for cell in cells) / 1.5
    high = max(microseconds(cell, "maximum") for cell in cells) * 2
    columns = min(FRAMES_MAX, len(titles))
    frames = []
    for number, title in enumerate(titles):
        layers, marks = [], {"p50": [], "p99": [], "maximum": []}
        for row, cell in ((row, cell) for (frame, row), cell in placed if frame == number):
            layers.append(Layer([Mark(microseconds(cell, "p99.9"), row, start=microseconds(cell, "p50"))],
                                looks.of(cell.deque), "bars", thickness=0.3))
            for what, found in marks.items():
                found.append(Mark(microseconds(cell, what), row))
        layers += [Layer(marks[what], Look("#222222", shape), "points", label, size=1.1)
                   for what, shape, label in (("p50", "circle", "median"), ("p99", "triangle_up", "99th percentile"),
                                              ("maximum", "cross", "the longest"))]
        layers.append(Layer([], Look("#8A8A8A", "square"), "bars", "median to 99.9th percentile"))
        frames.append(Frame(layers, time_axis(low, high, 3 if columns > 2 else 1), rows_axis(rows, number % columns == 0),
                            title, "x"))
    sorted_by = "" if turned else (f"; the lowest 99th percentile of {'the first frame' if len(frames) > 1 else 'all'} on top")
    return Picture(name, f"Waiting time of tasks in {workload}",
                   f"{WHAT} Medians over invocations{sorted_by}. LIFO and FIFO: which end the deque's owner takes from. "
                   f"{STAMPED} {notes_of(cells)}", frames, 3.4 + 2.6 * columns, 0.9 + 0.24 * len(rows), columns)


def tails(name, workload, text, found, looks):
    """The share of tasks that waited longer, over the time: down to the single task."""
    found.sort(key=lambda pair: pair[1].quantile(0.99))
    places = variants_of((cell.deque, cell.series) for cell, _ in found)
    lines = []
    for (cell, histogram), place in zip(found, places):
        marks = [Mark(max(LEAST, value / MICROSECOND), part) for value, part in at_least(histogram)]
        block = cell.params.get("block", "0")
        lines.append((cell.deque, cell.title, f"blocks of {block}" if block != "0" else "", Layer(marks, looks.of(cell.deque, place), "line", cell.label)))
    parts = in_frames(lines) if len(lines) > LINES_MAX else [("", [layer for *_, layer in lines])]
    columns = COLUMNS if len(parts) > 1 else 0
    most = max(histogram.count for _, histogram in found)
    ends = [mark.x for *_, layer in lines for mark in layer.marks]
    ticks = [(part, label) for part, label in TAILS if part * most >= 0.5][::2 if columns else 1]
    frames = [Frame(layers, time_axis(min(ends) / 1.4, max(ends) * 1.4, 3 if columns else 1),
                    Axis("" if columns and number % columns else "tasks that waited so long", "log", 0.5 / most, 1.4, ticks),
                    title, "both") for number, (title, layers) in enumerate(parts)]
    return Picture(name, f"Waiting time of tasks in {workload}: the tail" + (f", {text}" if text else ""),
                   f"{WHAT} A point says which share of the tasks, of all invocations together, waited at least "
                   f"so long; a line ends with the longest waits. "
                   f"{notes_of([cell for cell, _ in found])}", frames, 10 if columns else 6.4, 1.7 if columns else 3.8, columns)


def at_least(histogram):
    """[(value, part of all that took at least as long)]."""
    points, before = [], 0
    for lower, _, count in histogram.buckets:
        points.append((lower, 1 - before / histogram.count))
        before += count
    return points


def table(name, workload, groups, texts, run):
    rows = []
    for key, some in groups.items():
        for cell in sorted(some, key=lambda cell: wait(cell, "p99").median):
            row = [texts[key], cell.deque, run.deque_facts(cell.deque).get("owner_order", "")]
            row += [format_number(microseconds(cell, what)) for what in (*QUANTILES, "maximum")]
            longest, starved = wait(cell, "maximum_of_run"), cell.value("worker", "tasks_starved")
            count, moved = wait(cell, "count"), wait(cell, "count", "task_wait_moved")
            row += ["" if longest is None else f"{100 * longest.median:.1f} %",
                    "" if starved is None else f"{format_number(starved.median)} %",
                    f"{format_number(100 * moved.median / count.median)} %" if moved and count and count.median else ""]
            row += ["" if one is None else format_number(one.median / MICROSECOND)
                    for one in (wait(cell, what, "task_wait_moved") for what in ("p50", "p99"))]
            rows.append(row)
    return Table(name, sentence(f"waiting time of tasks in {workload}, in \N{MICRO SIGN}s"),
                 f"{WHAT} Medians over invocations. Of the run: the longest wait as a part of the run's time. Starved: tasks "
                 "that waited for more than half of the run. Moved: tasks that another worker began than the one that had "
                 f"pushed them. {STAMPED} {notes_of([cell for some in groups.values() for cell in some])}",
                 ["setting", "deque", "order", *QUANTILES, "longest", "of the run", "starved", "moved", "moved p50", "moved p99"],
                 rows, list(range(3, 13)))
