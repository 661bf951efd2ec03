"""The search for files that are alike: figure 5.12 and table 5.5 of the BWoS thesis, ours beside theirs."""

import statistics

from plots.data.cells import bars_are, cells_of, grouped
from plots.data.published import read_published, text_of
from plots.data.summaries import usable
from plots.data.words import NANOSECONDS, format_number, plain, threads_text
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table, rows_axis
from plots.figures.styles import Looks

PUBLISHED_FILE = "bwos_thesis.csv"
# The thesis's series, and what of ours does the same.
SERIES = [("CL", "chase_lev", {}), ("ABP", "abp", {}), ("Locked", "locked_fixed", {}),
          ("LIFO_BWoS_256", "bwos_lifo", {"block": "256"}), ("LIFO_BWoS_64", "bwos_lifo", {"block": "64"}),
          ("LIFO_BWoS_16", "bwos_lifo", {"block": "16"})]
# Columns of table 5.5: the thesis's metric, where ours is, words.
COLUMNS = [("mean_time", ("pool", "run_time"), "time (ms)"),
           ("tasks", ("worker", "tasks"), "tasks"),
           ("tasks_stolen", ("worker", "items_stolen"), "tasks stolen"),
           ("io_tasks_stolen", ("pool", "io_tasks_stolen"), "I/O tasks stolen"),
           ("voluntary_context_switches", ("worker", "voluntary_context_switches"), "voluntary switches"),
           ("involuntary_context_switches", ("worker", "involuntary_context_switches"), "involuntary switches")]
ROWS_MAX = 16
USUAL_ROOM = "1024"  # the pool's, and the thesis's


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries, "duplicates") if cell.metrics]
    for tag, mine in sorted(grouped(cells, lambda cell: cell.tag).items()):
        groups = sorted(grouped(mine, lambda cell: tuple(sorted(
            (key, value) for key, value in cell.params.items() if key in TELLS_APART))).items())
        suffixes = told_apart_by_settings("", [{key: value for key, value in settings if key not in IN_NAME}
                                               for settings, _ in groups])
        for (settings, some), suffix in zip(groups, suffixes):
            settings = dict(settings)
            stem = "-".join([tag or "duplicates", settings["io"], f"compute{settings['compute']}",
                             f"{settings['threads']}threads"]) + suffix
            rows = rows_of(some)
            if len(rows) > 1:
                yield tag, picture(looks, stem, rows, settings)
            yield tag, table(f"{stem}-table", rows, settings)


# Settings that make a table of their own.
TELLS_APART = ("io", "compute", "threads", "bytes", "directories", "files", "copies", "path", "hash_bits", "cache", "room")
IN_NAME = ("io", "compute", "threads")


def rows_of(cells):
    """[(label, deque, metrics, the thesis's series or None)], the thesis's first and in its order."""
    rows = []
    for cell in cells:
        series = next((name for name, deque, settings in SERIES if cell.deque == deque and all(
            cell.params.get(key) == value for key, value in settings.items())), None)
        block = cell.params.get("block", "0")
        rows.append((cell.title + (f" ({block})" if block != "0" else ""), cell.deque, cell.metrics, series))
    order = {name: place for place, (name, _, _) in enumerate(SERIES)}
    rows.sort(key=lambda row: (order.get(row[3], len(order)), row[0]))
    return rows


def scale_of(summary):
    return NANOSECONDS[summary.unit] / NANOSECONDS["ms"] if summary.unit in NANOSECONDS else 1


# What the thesis searched.
CONDITIONS = {"bytes": str(256 << 20), "files": "2500", "path": "generated"}


def published(series, metric, settings):
    """What the thesis states of one of its series (None: of none), where what was searched is what it searched."""
    if any(settings.get(name, value) != value for name, value in CONDITIONS.items()):
        return None
    return next((value for value in read_published("table5.5", PUBLISHED_FILE)
                 if value.series == series and value.metric == metric), None)


def picture(looks, name, rows, settings):
    shown = rows[:ROWS_MAX]
    frames = []
    for theirs, key, words in COLUMNS:
        layers, stated = [], []
        for y, (_, deque, metrics, series) in enumerate(shown):
            ours, value = usable(metrics.get(key)), published(series, theirs, settings)
            if ours:
                middle, low, high = ours.scaled(scale_of(ours))
                layers.append(Layer([Mark(middle, y, low, high)], looks.of(deque), "bars"))
            if value:
                stated.append(Mark(value.value, y))
        if stated:
            layers.append(Layer(stated, Look("#000000", "diamond", hollow=True), "points", "the thesis"))
        labels = [label for label, *_ in shown]
        frames.append(Frame(layers, amounts_axis(layers), rows_axis(labels, named=len(frames) % 3 == 0), words, "x"))
    left = len(rows) - len(shown)
    return Picture(name, f"Files that are alike, {settings_text(settings)}",
                   bars_are([usable(metrics.get(("pool", "run_time"))) for *_, metrics, _ in shown])
                   + (" Hollow diamonds: the thesis's means, on its own machine (table 5.5; figure 5.12)." if any(
                       layer.look.hollow for frame in frames for layer in frame.layers) else "") + " A frame whose values lie far apart has a logarithmic axis. Ours makes every "
                   "read of a block a task, so that it has more tasks. "
                   + (f"The table has {left} deques more." if left else ""), frames, 9.6,
                   1.0 + 0.22 * len(shown), columns=3)


def amounts_axis(layers):
    """From 0; logarithmic beyond 1 where values lie far apart."""
    ends = [end for layer in layers for mark in layer.marks for end in (mark.x, mark.high) if end]
    positive = [mark.x for layer in layers for mark in layer.marks if mark.x > 0]
    top = 1.05 * max(ends, default=1)
    if not positive or max(positive) <= 50 * min(positive):
        return Axis(low=0, high=top)
    powers = [10 ** power for power in range(0, 16, 1 if top < 1e5 else 2) if 10 ** power < top]
    return Axis(scale="asinh", low=0, high=1.4 * top, ticks=[(0, "0"), *((power, plain(power)) for power in powers)])


def settings_text(settings):
    reads = "io_uring" if settings["io"] == "uring" else settings["io"]
    compute = float(settings["compute"])
    added = f", {compute:g} \N{MICRO SIGN}s of computation a file" if compute else ""
    caches = ", cold caches" if settings.get("cache") == "cold" else ""
    room = f", room={settings['room']}" if settings.get("room", USUAL_ROOM) != USUAL_ROOM else ""
    return f"{reads}, {threads_text(settings['threads'])}{added}{caches}{room}"


def table(name, rows, settings):
    lines, stated = [], False
    for label, _, metrics, series in rows:
        line = [label]
        for theirs, key, _ in COLUMNS:
            ours = metrics.get(key)
            there = usable(ours)
            value = published(series, theirs, settings)
            stated = stated or value is not None
            line += [format_number(there.median * scale_of(there)) if there else "" if ours is None else ours.status,
                     text_of([value]) if value else ""]
            if theirs == "mean_time":
                spread = published(series, "stddev_time", settings)
                line += [deviation(there), text_of([spread]) if spread else ""]
        lines.append(line)
    what = settings["path"] if settings.get("path", "generated") != "generated" else (
        f"a generated tree of {settings['directories']} directories and {settings['files']} files, "
        f"{int(settings['bytes']) / 2 ** 20:.0f} MiB")
    return Table(name, f"Files that are alike: table 5.5, {settings_text(settings)}",
                 f"Ours on {what}: medians over invocations, and the standard deviation of these. " + polling(settings) +
                 ("The thesis's are means of 10 runs on its own machine, of 256 MiB in about 600 directories and 2500 "
                  "files, with the standard deviation of these; its tasks are fibers. The text calls BWoS 40 to 45 % slower; by the "
                  "table its times are 45 to 64 % above the others'." if stated else ""),
                 ["deque", *(heading for words in HEADINGS for heading in (words, "thesis"))], lines,
                 list(range(1, 1 + 2 * len(HEADINGS))))


def polling(settings):
    """What of the voluntary switches is our pool's way of waiting for reads."""
    return ("With io_uring a worker without work looks for completed reads each 200 \N{MICRO SIGN}s, and each such sleep is a "
            "voluntary switch, so that they grow with the time. " if settings["io"] == "uring" else "")


HEADINGS = [COLUMNS[0][2], "deviation (ms)", *(words for *_, words in COLUMNS[1:])]


def deviation(summary):
    """Standard deviation of the invocations, in ms."""
    values = list(summary.by_invocation.values()) if summary else []
    return format_number(statistics.stdev(values) * scale_of(summary)) if len(values) > 1 else ""
