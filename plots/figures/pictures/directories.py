"""Directories: a walk in the four versions of Phanes's posts, and the search for duplicate files (BWoS thesis, figure 5.12
and table 5.5), each beside what was published.

The posts walked their own /home and C:\\ with 22 and 32 threads and built the tree in memory besides (tree=built); only ratios
between versions can be compared with ours, so the picture shows these.
"""

import statistics
from functools import partial

from harness.judging.cells import bars_are, cells_of, grouped, interval_heading
from plots.data.published import read_published, text_of
from harness.judging.words import NANOSECONDS, format_number, plain, threads_text
from plots.figures.grammar import TIME, Of, named, param, row_layers, rows_frame, table, thesis, told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Rule, bars_axis, rows_axis
from plots.figures.styles import COLOURS, Looks, paler

# Each version of the posts: a short name, its series there, and ours that do the same.
VERSIONS = [
    ("1: one thread, depth first", "one thread", "part1_single_thread_dfs", lambda cell: cell.params["version"] == "one_thread"),
    ("2: thread pool, one queue", "one queue", "part2_thread_pool", lambda cell: cell.params["version"] == "shared_queue"),
    ("3: work stealing, mutex", "stealing, mutex", "part3_work_stealing_mutex",
     lambda cell: cell.params["version"] == "pool" and cell.deque == "locked"),
    ("4: work stealing, lock-free", "stealing, lock-free", "part4_work_stealing_lock_free",
     lambda cell: cell.params["version"] == "pool" and cell.deque == "phanes"),
]
PLATFORMS = {"linux": "Linux, 22 threads", "windows": "Windows, 32 threads"}
TOLD_APART = ("version", "threads", "cache")  # what may differ between cells of one comparison
posts = partial(read_published, file="directory_walk_phanes.csv")


# --- the walk

def walk(run, _sections, summaries):
    groups = [cells for cells in grouped(
        [cell for cell in cells_of(run, summaries, "walk") if "version" in cell.params],
        lambda cell: (cell.tag, tuple(sorted(item for item in cell.params.items() if item[0] not in TOLD_APART)))).values()
        if sum(any(map(is_ours, cells)) for *_, is_ours in VERSIONS) > 1]
    settings = sorted({name for cells in groups for name in cells[0].params} - set(TOLD_APART))
    for name, _, cells in named("versions", groups, settings):
        tag = cells[0].tag
        stem, text = f"{tag or 'walk'}-{name}", tree_text(cells[0].params)
        rows = sorted((cell for cell in cells if version_of(cell) is not None),
                      key=lambda cell: (version_of(cell), cell.params["cache"] != "warm", threads_of(cell)))
        if any(is_warm(cell) and TIME(cell) for cell in rows):
            yield tag, walk_picture(Looks(run), stem, rows, text)
        yield tag, versions_table(f"{stem}-table", rows, text)
        yield tag, results_table(f"{stem}-results", rows, text)
    for tag, cells in grouped([cell for cells in groups for cell in cells], lambda cell: cell.tag).items():
        made = built_table(f"{tag or 'walk'}-built", cells)
        if made:
            yield tag, made


def version_of(cell):
    return next((place for place, (*_, is_ours) in enumerate(VERSIONS) if is_ours(cell)), None)


def title_of(cell):
    place = version_of(cell)
    return "work stealing" if place is None else VERSIONS[place][0]


def threads_of(cell):
    return int(cell.params["threads"])


def is_warm(cell):
    return cell.params["cache"] == "warm"


def crowded(cell):
    return "oversubscribed" in cell.flags


def tree_text(params):
    if params.get("path", "generated") != "generated":
        return f"the tree {params['path']}"
    return (f"a generated tree of {params.get('directories')} directories, {params.get('files')} files and "
            f"{params.get('symlinks')} symbolic links"
            + (", built in memory besides, as the posts do" if params.get("tree") == "built" else ""))


def best_of(rows, place, cache="warm"):
    """The cell that stands for a version: the most threads that have processors of their own, else the fewest."""
    mine = [cell for cell in rows if version_of(cell) == place and cell.params["cache"] == cache and TIME(cell)]
    fitting = [cell for cell in mine if not crowded(cell)]
    return max(fitting, key=threads_of) if fitting else min(mine, key=threads_of, default=None)


def ratio(base, cell):
    """How many times as fast as the base."""
    return TIME.median(base) / TIME.median(cell)


def stated(platform, figure="versions", metric="warm_time"):
    """{series: PublishedValue}"""
    return {value.series: value for value in posts(figure) if value.metric == metric and value.x == platform}


def ratios_of_posts(platform):
    times = {place: found[series].value for found in [stated(platform)]
             for place, (_, _, series, _) in enumerate(VERSIONS) if series in found}
    return {place: times[0] / time for place, time in times.items()} if 0 in times else {}


def walk_picture(looks, name, rows, text):
    warm = [cell for cell in rows if is_warm(cell) and TIME(cell)]
    times = [(row, TIME(cell), paler(looks.of(cell.deque)) if crowded(cell) else looks.of(cell.deque), "")
             for row, cell in enumerate(warm)]
    ours = {place: cell for place in range(len(VERSIONS)) if (cell := best_of(rows, place))}
    found = [(f"posts: {words}", ratios_of_posts(platform)) for platform, words in PLATFORMS.items()]
    if 0 in ours:
        found.insert(0, (f"ours, {threads_text(max(map(threads_of, ours.values())))}",
                         {place: ratio(ours[0], cell) for place, cell in ours.items()}))
    ratios = [Layer([Mark(ratio, place + (shift - 1) * 0.27, text=f"{ratio:.2f}") for place, ratio in values.items()],
                    Look(COLOURS[shift], hollow=label.startswith("posts")), "bars", label, 0.24)
              for shift, (label, values) in enumerate((label, values) for label, values in found if values)]
    return Picture(name, f"Walking a tree in four versions: {text}",
                   f"Left: ours, on {text}; pale: more threads than processors. {bars_are([TIME.summary(cell) for cell in warm])} "
                   "Right: against one thread, ours at the most threads that have a processor each; hollow: what the posts measured "
                   "on other machines, trees and numbers of threads.",
                   [rows_frame("time of a warm walk (ms)", times,
                               [f"{title_of(cell)}, {threads_text(threads_of(cell))}" for cell in warm]),
                    Frame(ratios, bars_axis("times as fast as one thread", ratios), rows_axis([short for _, short, *_ in VERSIONS]),
                          grid="x", rules=[Rule(1)])], 9.5)


def versions_table(name, rows, text):
    """The posts' table of versions, ours beside theirs."""
    base = best_of(rows, 0)

    def time(cell):
        found = cell.metrics.get(("pool", "run_time"))
        return TIME.text(cell) or found and found.status or "not reported"

    def interval(cell):
        _, low, high = TIME(cell) or (None, None, None)
        return f"{format_number(low)} to {format_number(high)}" if low is not None else ""

    def theirs(platform):
        def text(cell):
            value = stated(platform, metric=f"{cell.params['cache']}_time").get(VERSIONS[version_of(cell)][2])
            return text_of([value]) if value else ""
        return text

    def theirs_ratio(platform):
        ratios = ratios_of_posts(platform)
        return lambda cell: f"{ratios[version_of(cell)]:.2f}" if is_warm(cell) and version_of(cell) in ratios else ""

    return table(name, "Versions of the walk, ours and the posts'",
                 f"Ours on {text}. The posts' times are of their own trees (Linux: 596,587 directories, 1,985,366 files, "
                 "7918 symbolic links) with 22 and 32 threads; ratios are to one thread.",
                 [("version", title_of), ("caches", param("cache")), ("#threads", param("threads")), ("#time (ms)", time),
                  (f"#{interval_heading(TIME.summary(cell).invocations for cell in rows if TIME.summary(cell))}", interval),
                  ("#ratio", lambda cell: f"{ratio(base, cell):.2f}" if TIME(cell) and base and is_warm(cell) else ""),
                  ("#posts: Linux (ms)", theirs("linux")), ("#posts: Windows (ms)", theirs("windows")),
                  ("#ratio: Linux", theirs_ratio("linux")), ("#ratio: Windows", theirs_ratio("windows")),
                  ("", lambda cell: "oversubscribed" * crowded(cell))], rows)


def results_table(name, rows, text):
    """The posts' table of results of the lock-free version: entries found, cold and warm times, entries a second."""
    warm, cold, third = best_of(rows, 3), best_of(rows, 3, "cold"), best_of(rows, 2)

    def ours(metric, cell=warm):
        return f"{found.median:.0f}" if cell and (found := cell.value("pool", metric)) else ""

    def theirs(figure, metric):
        """Of each platform, by the series of the lock-free version; results have one series."""
        found = [list(stated(platform, figure, metric).items()) for platform in PLATFORMS]
        return [text_of([value for series, value in some if figure == "results" or series == VERSIONS[3][2]]) for some in found]

    lines = [[words, ours(metric), *theirs("results", metric)]
             for metric, words in (("directories", "directories"), ("files", "files"), ("symlinks", "symbolic links"))]
    not_cold = next((status for cell in rows if not is_warm(cell) for summary in [cell.metrics.get(("pool", "run_time"))]
                     if summary for status in [summary.status] if status != "ok"), "not run")
    lines += [["cold (ms)", TIME.text(cold) if cold else not_cold, *theirs("versions", "cold_time")],
              ["warm (ms)", TIME.text(warm) if warm else "", *theirs("versions", "warm_time")],
              ["entries a second, warm", ours("entries_per_second"), *theirs("versions", "warm_throughput")]]
    # The posts' factor by their text, and the quotient of their two times if it differs.
    over = []
    for platform, said in zip(PLATFORMS, theirs("results", "speedup_over_part3")):
        ratios = ratios_of_posts(platform)
        divided = f"{ratios[3] / ratios[2]:.2f}"
        over.append(f"{said}; by the table {divided}" if divided not in said else said)
    lines.append(["times as fast as version 3", f"{ratio(third, warm):.2f}" if warm and third else "", *over])
    threads = f", {threads_text(threads_of(warm))}" if warm else ""
    return table(name, f"The lock-free walk{threads}, and the posts'",
                 f"Ours on {text}. The posts' factors over version 3 are those of their text, and by their table of versions.",
                 [("", 0), ("#ours", 1), *((f"#posts: {words}", 2 + place) for place, words in enumerate(PLATFORMS.values()))], lines)


def built_table(name, cells):
    """A row for each version, deque and number of threads that walked both, the tree counted and built."""
    rows = []
    for pair in grouped([cell for cell in cells if is_warm(cell) and TIME(cell)], lambda cell: (cell.deque, tuple(sorted(
            item for item in cell.params.items() if item[0] != "tree")))).values():
        times = {cell.params.get("tree"): TIME.median(cell) for cell in pair}
        if {"counted", "built"} <= set(times):
            rows.append((pair[0], times["counted"], times["built"]))
    return rows and table(
        name, "What building the tree in memory costs a walk",
        "The posts name it as the remaining bottleneck, and state no time. Medians of warm walks, with and without a node "
        "with its name for every entry.",
        [("version", lambda row: title_of(row[0])), ("deque", lambda row: deque_of(row[0])),
         ("#threads", lambda row: threads_of(row[0])), ("#counted (ms)", lambda row: format_number(row[1])),
         ("#built (ms)", lambda row: format_number(row[2])), ("#ratio", lambda row: f"{row[2] / row[1]:.2f}"),
         ("", lambda row: "oversubscribed" * crowded(row[0]))],
        sorted(rows, key=lambda row: (title_of(row[0]), deque_of(row[0]), threads_of(row[0]))))


def deque_of(cell):
    return cell.deque if cell.params["version"] == "pool" else ""


# --- duplicate files

# The thesis's series, and ours that do the same.
SERIES = [("CL", "chase_lev", {}), ("ABP", "abp", {}), ("Locked", "locked_fixed", {}),
          ("LIFO_BWoS_256", "bwos_lifo", {"block": "256"}), ("LIFO_BWoS_64", "bwos_lifo", {"block": "64"}),
          ("LIFO_BWoS_16", "bwos_lifo", {"block": "16"})]
# Columns of table 5.5: the thesis's metric, ours, words.
MEASURES = [("mean_time", Of("pool", "run_time"), "time (ms)"), ("tasks", Of("worker", "tasks"), "tasks"),
            ("tasks_stolen", Of("worker", "items_stolen"), "tasks stolen"),
            ("io_tasks_stolen", Of("pool", "io_tasks_stolen"), "I/O tasks stolen"),
            ("voluntary_context_switches", Of("worker", "voluntary_context_switches"), "voluntary switches"),
            ("involuntary_context_switches", Of("worker", "involuntary_context_switches"), "involuntary switches")]
ROWS_MAX = 16
USUAL_ROOM = "1024"  # the pool's, and the thesis's
# Settings that make a table of their own; the first three stand in its name in any case.
IN_NAME = ("io", "compute", "threads")
SETTING = (*IN_NAME, "task", "idle", "bytes", "directories", "files", "path", "cache", "room")
SEARCHED = {"bytes": str(256 << 20), "files": "2500", "path": "generated"}  # by the thesis


def duplicates(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries, "duplicates") if cell.metrics]
    for tag, mine in sorted(grouped(cells, lambda cell: cell.tag).items()):
        groups = sorted(grouped(mine, lambda cell: tuple(sorted(
            (key, value) for key, value in cell.params.items() if key in SETTING))).items())
        suffixes = told_apart_by_settings("", [{key: value for key, value in settings if key not in IN_NAME} for settings, _ in groups])
        for (key, some), suffix in zip(groups, suffixes):
            setting = dict(key)
            stem = "-".join([tag or "duplicates", *filter(None, [setting.get("io")]), f"compute{setting['compute']}",
                             f"{setting['threads']}threads"]) + suffix
            some.sort(key=lambda cell: (next((place for place, one in enumerate(SERIES) if one[0] == series_of(cell)), len(SERIES)),
                                        label_of(cell)))
            if len(some) > 1:
                yield tag, duplicates_picture(looks, stem, some, setting)
            yield tag, duplicates_table(f"{stem}-table", some, setting)


def series_of(cell):
    """The thesis's name for it, or None."""
    return next((name for name, deque, settings in SERIES if cell.deque == deque and all(
        cell.params.get(key) == value for key, value in settings.items())), None)


def label_of(cell):
    block = cell.params.get("block", "0")
    return cell.title + (f" ({block})" if block != "0" else "")


def in_ms(measure, cell):
    """(median, low, high), times in ms."""
    found = measure.summary(cell)
    return found and found.scaled(NANOSECONDS[found.unit] / NANOSECONDS["ms"] if found.unit in NANOSECONDS else 1)


def published(cell, metric, setting):
    """The thesis's value, if ours searched the same files."""
    series = series_of(cell)
    if series is None or any(setting.get(name, value) != value for name, value in SEARCHED.items()):
        return None
    return next((value for value in thesis("table5.5") if value.series == series and value.metric == metric), None)


def duplicates_picture(looks, name, cells, setting):
    shown, frames = cells[:ROWS_MAX], []
    for metric, measure, words in MEASURES:
        layers = row_layers([(row, in_ms(measure, cell), looks.of(cell.deque), "") for row, cell in enumerate(shown)
                             if in_ms(measure, cell)], texts=False)
        theirs = [Mark(value.value, row) for row, cell in enumerate(shown) for value in [published(cell, metric, setting)] if value]
        if theirs:
            layers.append(Layer(theirs, Look("#000000", "diamond", hollow=True), "points", "the thesis"))
        frames.append(Frame(layers, amounts_axis(layers), rows_axis([label_of(cell) for cell in shown], len(frames) % 3 == 0),
                            words, "x"))
    told = [bars_are([MEASURES[0][1].summary(cell) for cell in shown]),
            "Hollow diamonds: the thesis's means, on its own machine (table 5.5; figure 5.12)." if any(
                layer.look.hollow for frame in frames for layer in frame.layers) else "",
            "A frame whose values lie far apart has a logarithmic axis.",
            "Every block that is read is a task here, so that there are more tasks." if setting["task"] == "block" else "",
            f"The table has {len(cells) - len(shown)} deques more." if len(cells) > len(shown) else ""]
    return Picture(name, f"Duplicate files, {search_text(setting)}", " ".join(filter(None, told)), frames, 9.6,
                   1.0 + 0.22 * len(shown), columns=3)


def amounts_axis(layers):
    """From 0; logarithmic beyond 1 if values lie far apart."""
    ends = [end for layer in layers for mark in layer.marks for end in (mark.x, mark.high) if end]
    positive = [mark.x for layer in layers for mark in layer.marks if mark.x > 0]
    top = 1.05 * max(ends, default=1)
    if not positive or max(positive) <= 50 * min(positive):
        return Axis(low=0, high=top)
    powers = [10 ** power for power in range(0, 16, 1 if top < 1e5 else 2) if 10 ** power < top]
    return Axis(scale="asinh", low=0, high=1.4 * top, ticks=[(0, "0"), *((power, plain(power)) for power in powers)])


def search_text(setting):
    reads = {"uring": "io_uring, ", "pread": "pread, "}.get(setting.get("io"), "")  # of older runs
    compute = float(setting["compute"])
    return "".join([f"{reads}{threads_text(setting['threads'])}",
                    f", {compute:g} \N{MICRO SIGN}s of computation a file" if compute else "",
                    ", a task a block" if setting["task"] == "block" else "",
                    ", EMPER's sleep" if setting.get("idle") == "wake_each" else "",
                    ", cold caches" if setting.get("cache") == "cold" else "",
                    f", room={setting['room']}" if setting.get("room", USUAL_ROOM) != USUAL_ROOM else ""])


def duplicates_table(name, cells, setting):
    def ours(measure):
        def text(cell):
            found = cell.metrics.get((measure.role, measure.metric))
            return format_number(in_ms(measure, cell)[0]) if measure(cell) else "" if found is None else found.status
        return text

    def theirs(metric):
        return lambda cell: text_of(list(filter(None, [published(cell, metric, setting)])))

    def deviation(cell):
        """Of the invocations, in ms."""
        found = MEASURES[0][1].summary(cell)
        values = list(found.by_invocation.values()) if found else []
        return format_number(statistics.stdev(values) * NANOSECONDS[found.unit] / NANOSECONDS["ms"]) if len(values) > 1 else ""

    columns = [column for metric, measure, words in MEASURES
               for column in ((f"#{words}", ours(measure)), ("#thesis", theirs(metric)))]
    columns[2:2] = [("#deviation (ms)", deviation), ("#thesis", theirs("stddev_time"))]
    what = setting["path"] if setting.get("path", "generated") != "generated" else (
        f"a generated tree of {setting['directories']} directories and {setting['files']} files, "
        f"{int(setting['bytes']) / 2 ** 20:.0f} MiB")
    polling = ("With io_uring an idle worker looks for completed reads every 200 \N{MICRO SIGN}s; each such sleep is a "
               "voluntary switch, so switches grow with the time. " if setting.get("io") == "uring" else "")
    about_theirs = ("The thesis's are means of 10 runs on its own machine, of 256 MiB in about 600 directories and 2500 files, with "
                    "the standard deviation of these; its tasks are fibers. The text calls BWoS 40 to 45 % slower; by the table its "
                    "times are 45 to 64 % above the others'." if any(
                        published(cell, metric, setting) for cell in cells for metric, *_ in MEASURES) else "")
    return table(name, f"Duplicate files: table 5.5, {search_text(setting)}",
                 f"Ours on {what}: medians over invocations, and the standard deviation of these. {polling}{about_theirs}".strip(),
                 [("deque", label_of), *columns], cells)


DRAWN = {"directory_walk": walk, "duplicates": duplicates}
