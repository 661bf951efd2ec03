"""The search for files that are alike: figure 5.12 and table 5.5 of the BWoS thesis, ours beside theirs."""

from collections import defaultdict

from pictures import Picture, Table
from published import read_published, text_of
from sections import NANOSECONDS, format_number

PUBLISHED_FILE = "bwos_thesis.csv"
# The thesis's series, and what of ours does the same.
SERIES = [("CL", "chase_lev", {}), ("ABP", "abp", {}), ("Locked", "locked", {}),
          ("LIFO_BWoS_256", "bwos_lifo", {"block": "256"}), ("LIFO_BWoS_64", "bwos_lifo", {"block": "64"}),
          ("LIFO_BWoS_16", "bwos_lifo", {"block": "16"})]
# Columns of table 5.5: the thesis's metric, where ours is, words.
COLUMNS = [("mean_time", ("pool", "run_time"), "time (ms)"),
           ("tasks", ("worker", "tasks"), "tasks"),
           ("tasks_stolen", ("worker", "items_stolen"), "tasks stolen"),
           ("io_tasks_stolen", ("pool", "io_tasks_stolen"), "I/O tasks stolen"),
           ("voluntary_context_switches", ("worker", "voluntary_context_switches"), "voluntary switches"),
           ("involuntary_context_switches", ("worker", "involuntary_context_switches"), "involuntary switches")]
COLOURS = {"chase_lev": "#CC79A7", "abp": "#56B4E9", "locked": "#6E6E6E", "bwos_lifo": "#0072B2"}
OTHER_COLOUR = "#44AA99"
PANEL_DEQUES_MOST = 16


def draw(run, _sections, summaries):
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    groups = defaultdict(list)
    for name, cell in run.cells.items():
        if cell["workload"] != "duplicates" or not by_cell.get(name):
            continue
        rest = tuple(sorted((key, value) for key, value in cell["params"].items() if key in TELLS_APART))
        for tag in cell["tags"] or [""]:
            groups[tag, rest].append((cell, by_cell[name]))
    for (tag, rest), cells in sorted(groups.items()):
        settings = dict(rest)
        stem = "-".join([tag or "duplicates", settings["io"], f"compute{settings['compute']}",
                         f"{settings['threads']}threads"])
        rows = rows_of(run, cells)
        if len(rows) > 1:
            yield tag, picture(stem, rows, settings)
        yield tag, table(f"{stem}-table", rows, settings)


# Settings that make a table of their own.
TELLS_APART = ("io", "compute", "threads", "bytes", "directories", "files", "copies", "path", "hash_bits", "cache")


def rows_of(run, cells):
    """[(label, deque, metrics, the thesis's series or None)], the thesis's first and in its order."""
    rows = []
    for cell, metrics in cells:
        series = next((name for name, deque, settings in SERIES if cell["deque"] == deque and all(
            cell["params"].get(key) == value for key, value in settings.items())), None)
        title = run.deque_facts(cell["deque"]).get("title") or cell["deque"]
        block = cell["params"].get("block", "0")
        rows.append((title + (f" ({block})" if block != "0" else ""), cell["deque"], metrics, series))
    order = {name: place for place, (name, _, _) in enumerate(SERIES)}
    rows.sort(key=lambda row: (order.get(row[3], len(order)), row[0]))
    return rows


def usable(summary):
    return summary if summary is not None and summary.median is not None and summary.status == "ok" else None


def scale_of(summary):
    return NANOSECONDS[summary.unit] / NANOSECONDS["ms"] if summary.unit in NANOSECONDS else 1


def published(series, metric):
    return next((value for value in read_published("table5.5", PUBLISHED_FILE)
                 if value.series == series and value.metric == metric), None)


def picture(name, rows, settings):
    import matplotlib.pyplot as pyplot
    shown = rows[:PANEL_DEQUES_MOST]
    figure, panels = pyplot.subplots(2, 3, figsize=(9.6, 1.6 + 0.42 * len(shown)), sharey=True)
    for axes, (theirs, key, words) in zip(panels.flat, COLUMNS):
        for y, (_, deque, metrics, series) in enumerate(shown):
            draw_bar(axes, y, COLOURS.get(deque, OTHER_COLOUR), usable(metrics.get(key)),
                     published(series, theirs) if series else None)
        axes.set_title(words, fontsize=9)
        axes.grid(color="#E5E5E5", lw=0.6, axis="x")
        axes.set_axisbelow(True)
        if largest_ratio(axes) > 50:
            axes.set_xscale("symlog", linthresh=1)
        else:
            axes.xaxis.set_major_locator(pyplot.MaxNLocator(4))
    for axes in panels[:, 0]:
        axes.set_yticks(range(len(shown)), [label for label, *_ in shown], fontsize=8)
    panels[0][0].invert_yaxis()
    figure.tight_layout()
    left = len(rows) - len(shown)
    return Picture(name, f"Files that are alike, {settings_text(settings)}",
                   "Bars: ours, medians with 95 % intervals. Hollow diamonds: the thesis's means, on its own machine "
                   "(table 5.5; figure 5.12). A panel whose values lie far apart has a logarithmic axis. Ours makes every "
                   "read of a block a task, so that it has more tasks. "
                   + (f"The table has {left} deques more." if left else ""), figure)


def draw_bar(axes, y, colour, ours, theirs):
    if ours:
        scale = scale_of(ours)
        ends = [(0, 0)] if ours.low is None else [((ours.median - ours.low) * scale, (ours.high - ours.median) * scale)]
        axes.barh(y, ours.median * scale, color=colour, xerr=list(zip(*ends)), error_kw={"lw": 1, "capsize": 2})
    if theirs:
        axes.plot([theirs.value], [y], marker="D", mfc="white", mec="black", ms=5, ls="none")


def largest_ratio(axes):
    values = [patch.get_width() for patch in axes.patches] + [line.get_xdata()[0] for line in axes.lines
                                                              if len(line.get_xdata()) == 1]
    positive = [value for value in values if value > 0]
    return max(positive) / min(positive) if positive else 1


def settings_text(settings):
    reads = "io_uring" if settings["io"] == "uring" else settings["io"]
    compute = float(settings["compute"])
    added = f", {compute:g} \N{MICRO SIGN}s of computation a file" if compute else ""
    caches = ", cold caches" if settings.get("cache") == "cold" else ""
    threads = int(settings["threads"])
    return f"{reads}, {threads} thread{'s' if threads > 1 else ''}{added}{caches}"


def table(name, rows, settings):
    lines, stated = [], False
    for label, _, metrics, series in rows:
        line = [label]
        for theirs, key, _ in COLUMNS:
            ours = metrics.get(key)
            there = usable(ours)
            value = published(series, theirs) if series else None
            stated = stated or value is not None
            line += [format_number(there.median * scale_of(there)) if there else "" if ours is None else ours.status,
                     text_of([value]) if value else ""]
        lines.append(line)
    what = settings["path"] if settings.get("path", "generated") != "generated" else (
        f"a generated tree of {settings['directories']} directories and {settings['files']} files, "
        f"{int(settings['bytes']) / 2 ** 20:.0f} MiB")
    return Table(name, f"Files that are alike: table 5.5, {settings_text(settings)}",
                 f"Ours on {what}: medians over invocations. " +
                 ("The thesis's are means of 10 runs on its own machine, of 256 MiB in about 600 directories and 2500 "
                  "files; its tasks are fibers." if stated else ""),
                 ["deque", *(heading for _, _, words in COLUMNS for heading in (words, "thesis"))], lines,
                 list(range(1, 1 + 2 * len(COLUMNS))))
