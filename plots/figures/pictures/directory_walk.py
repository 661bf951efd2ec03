"""Walking a tree of directories in the four versions of Phanes's posts, beside what the posts measured.

The posts walked their own /home and C:\\ with 22 and 32 threads and built the tree in memory besides (tree=built); only
ratios between versions can be compared with ours, so the picture shows these.
"""

from plots.data.cells import bars_are, cells_of, grouped
from plots.data.published import read_published, text_of
from plots.data.summaries import usable
from plots.data.words import NANOSECONDS, format_number, threads_text
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Frame, Layer, Look, Mark, Picture, Rule, Table, bars_axis, rows_axis
from plots.figures.styles import COLOURS, Looks, paler

PUBLISHED_FILE = "directory_walk_phanes.csv"
# Each version of the posts: what it is, its series there, and what of ours does the same.
VERSIONS = [
    ("1: one thread, depth first", "part1_single_thread_dfs", lambda cell: cell.params["version"] == "one_thread"),
    ("2: thread pool, one queue", "part2_thread_pool", lambda cell: cell.params["version"] == "shared_queue"),
    ("3: work stealing, mutex", "part3_work_stealing_mutex",
     lambda cell: cell.params["version"] == "pool" and cell.deque == "locked"),
    ("4: work stealing, lock-free", "part4_work_stealing_lock_free",
     lambda cell: cell.params["version"] == "pool" and cell.deque == "phanes"),
]
PLATFORMS = {"linux": "Linux, 22 threads", "windows": "Windows, 32 threads"}
SHORT = ["one thread", "one queue", "stealing, mutex", "stealing, lock-free"]
# What may differ between cells of one comparison.
TOLD_APART = ("version", "threads", "cache")


def draw(run, _sections, summaries):
    groups = grouped([cell for cell in cells_of(run, summaries, "walk") if "version" in cell.params], lambda cell: (cell.tag, tuple(sorted(
        (key, value) for key, value in cell.params.items() if key not in TOLD_APART))))
    groups = {key: cells for key, cells in groups.items()
              if sum(any(map(is_ours, cells)) for _, _, is_ours in VERSIONS) > 1}
    names = told_apart_by_settings("versions", [dict(rest) for _, rest in groups])
    for name, ((tag, rest), cells) in zip(names, groups.items()):
        stem = f"{tag or 'walk'}-{name}"
        text = tree_text(dict(rest))
        rows = rows_of(cells)
        if any(row["cache"] == "warm" and row["time"] for row in rows):
            yield tag, picture(Looks(run), stem, rows, text)
        yield tag, versions_table(f"{stem}-table", rows, text)
        yield tag, results_table(f"{stem}-results", rows, text)
    for tag, cells in grouped([cell for cells in groups.values() for cell in cells], lambda cell: cell.tag).items():
        rows = built_rows(cells)
        if rows:
            yield tag, Table(f"{tag or 'walk'}-built", "What building the tree in memory costs a walk",
                             "The posts name it as the bottleneck that is left, and state no time of it. Medians of warm walks, with "
                             "and without a node with its name for every entry.",
                             ["version", "deque", "threads", "counted (ms)", "built (ms)", "ratio", ""], rows, [2, 3, 4, 5])


def built_rows(cells):
    """A row for each version, deque and number of threads of which both walks are there, the tree counted and built."""
    rows = []
    pairs = grouped([cell for cell in cells if cell.params["cache"] == "warm" and cell.value("pool", "run_time")],
                    lambda cell: (cell.deque, tuple(sorted(item for item in cell.params.items() if item[0] != "tree"))))
    for pair in pairs.values():
        times = {cell.params.get("tree"): milliseconds(cell.value("pool", "run_time"))[0] for cell in pair}
        cell = pair[0]
        if {"counted", "built"} <= set(times):
            version = next((title for title, _, is_ours in VERSIONS if is_ours(cell)), "work stealing")
            rows.append([version, cell.deque if cell.params["version"] == "pool" else "", cell.params["threads"],
                         format_number(times["counted"]), format_number(times["built"]), f"{times['built'] / times['counted']:.2f}",
                         "oversubscribed" if "oversubscribed" in cell.flags else ""])
    return sorted(rows, key=lambda row: (row[0], row[1], int(row[2])))


def tree_text(params):
    if params.get("path", "generated") != "generated":
        return f"the tree {params['path']}"
    return (f"a generated tree of {params.get('directories')} directories, {params.get('files')} files and "
            f"{params.get('symlinks')} symbolic links"
            + (", built in memory besides, as the posts do" if params.get("tree") == "built" else ""))


def rows_of(cells):
    """One for each version, cache and number of threads of ours, in that order."""
    rows = []
    for place, (title, series, is_ours) in enumerate(VERSIONS):
        for cell in filter(is_ours, cells):
            time = cell.metrics.get(("pool", "run_time"))
            rows.append({"place": place, "title": title, "deque": cell.deque, "series": series,
                         "cache": cell.params["cache"], "threads": int(cell.params["threads"]), "time": usable(time),
                         "status": "" if time is None else time.status, "metrics": cell.metrics,
                         "oversubscribed": time is not None and "oversubscribed" in time.flags})
    rows.sort(key=lambda row: (row["place"], row["cache"] != "warm", row["threads"]))
    return rows


def milliseconds(summary):
    """(median, low, high)"""
    return summary.scaled(NANOSECONDS[summary.unit] / NANOSECONDS["ms"])


def ratio(base, row):
    """How many times as fast as the base this version is."""
    return milliseconds(base["time"])[0] / milliseconds(row["time"])[0]


def best_of(rows, place, cache="warm"):
    """The row of a version that stands for it: the most threads that have processors of their own, else the least."""
    mine = [row for row in rows if row["place"] == place and row["cache"] == cache and row["time"]]
    fitting = [row for row in mine if not row["oversubscribed"]]
    if fitting:
        return max(fitting, key=lambda row: row["threads"])
    return min(mine, key=lambda row: row["threads"], default=None)


def published_times(platform, metric="warm_time"):
    """{series: PublishedValue}"""
    return {value.series: value for value in read_published("versions", PUBLISHED_FILE)
            if value.metric == metric and value.x == platform}


def picture(looks, name, rows, text):
    warm = [row for row in rows if row["cache"] == "warm" and row["time"]]
    times = []
    for y, row in enumerate(warm):
        summary, look = row["time"], looks.of(row["deque"])
        middle, *ends = milliseconds(summary)
        times.append(Layer([Mark(middle, y, *ends, text=format_number(middle))],
                           paler(look) if row["oversubscribed"] else look, "bars"))
    ratios = [Layer([Mark(ratio, place + (shift - 1) * 0.27, text=f"{ratio:.2f}") for place, ratio in found.items()],
                    Look(COLOURS[shift], hollow=label.startswith("posts")), "bars", label, 0.24)
              for shift, (label, found) in enumerate(series_of_ratios(rows, best_of(rows, 0)))]
    left = Frame(times, bars_axis("time of a warm walk (ms)", times),
                 rows_axis([f"{row['title']}, {threads_text(row['threads'])}" for row in warm]), grid="x")
    right = Frame(ratios, bars_axis("times as fast as one thread", ratios), rows_axis(SHORT), grid="x", rules=[Rule(1)])
    return Picture(name, f"Walking a tree in four versions: {text}",
                   f"Left: ours, on {text}; pale where there are more threads than processors. "
                   f"{bars_are([row['time'] for row in warm])} "
                   "Right: against one thread, ours at the most threads that have a processor each, and hollow what the "
                   "posts measured on other machines, trees and numbers of threads.", [left, right], 9.5)


def series_of_ratios(rows, base):
    """[(label, {place: how many times as fast as version 1})]"""
    found = []
    if base:
        ours = {place: best_of(rows, place) for place in range(len(VERSIONS))}
        most = max(row["threads"] for row in ours.values() if row)
        found.append((f"ours, {threads_text(most)}",
                      {place: ratio(base, row) for place, row in ours.items() if row}))
    for platform, words in PLATFORMS.items():
        times = published_times(platform)
        first = times.get(VERSIONS[0][1])
        if first:
            found.append((f"posts: {words}", {place: first.value / times[series].value
                                              for place, (_, series, _) in enumerate(VERSIONS) if series in times}))
    return found


def versions_table(name, rows, text):
    """The posts' table of versions, ours beside theirs."""
    base = best_of(rows, 0)
    lines = []
    for row in rows:
        time = row["time"]
        middle, low, high = map(format_number, milliseconds(time)) if time else (row["status"] or "not reported", "", "")
        metric = f"{row['cache']}_time"
        theirs = {platform: published_times(platform, metric).get(row["series"]) for platform in PLATFORMS}
        lines.append([row["title"], row["cache"], str(row["threads"]),
                      middle, f"{low} to {high}" if low else "",
                      f"{ratio(base, row):.2f}" if time and base and row["cache"] == "warm" else "",
                      *(text_of([value]) if value else "" for value in theirs.values()),
                      *(theirs_ratio(platform, row) for platform in PLATFORMS),
                      "oversubscribed" if row["oversubscribed"] else ""])
    return Table(name, "Versions of the walk, ours and the posts'",
                 f"Ours on {text}. The posts' times are of their own trees (Linux: 596,587 directories, 1,985,366 files, "
                 "7918 symbolic links) with 22 and 32 threads; ratios are to one thread.",
                 ["version", "caches", "threads", "time (ms)", "interval", "ratio", "posts: Linux (ms)",
                  "posts: Windows (ms)", "ratio: Linux", "ratio: Windows", ""], lines, [2, 3, 4, 5, 6, 7, 8, 9])


def theirs_ratio(platform, row):
    times = published_times(platform)
    first, mine = times.get(VERSIONS[0][1]), times.get(row["series"])
    return f"{first.value / mine.value:.2f}" if first and mine and row["cache"] == "warm" else ""


def results_table(name, rows, text):
    """The posts' table of results of the lock-free version: what was found, cold and warm, entries a second."""
    warm, cold = best_of(rows, 3), best_of(rows, 3, "cold")
    lines = []
    for metric, words in (("directories", "directories"), ("files", "files"), ("symlinks", "symbolic links")):
        summary = usable(warm["metrics"].get(("pool", metric))) if warm else None
        lines.append([words, f"{summary.median:.0f}" if summary else "", *(stated(platform, metric) for platform in PLATFORMS)])
    theirs = {platform: {value.metric: value for value in read_published("versions", PUBLISHED_FILE)
                         if value.series == VERSIONS[3][1] and value.x == platform} for platform in PLATFORMS}
    for row, metric, words in ((cold, "cold_time", "cold (ms)"), (warm, "warm_time", "warm (ms)")):
        ours = format_number(milliseconds(row["time"])[0]) if row else cold_status(rows, metric)
        lines.append([words, ours, *(text_of([values[metric]]) if metric in values else ""
                                     for values in theirs.values())])
    rate = usable(warm["metrics"].get(("pool", "entries_per_second"))) if warm else None
    lines.append(["entries a second, warm", f"{rate.median:.0f}" if rate else "",
                  *(text_of([values["warm_throughput"]]) if "warm_throughput" in values else ""
                    for values in theirs.values())])
    third = best_of(rows, 2)
    lines.append(["times as fast as version 3", f"{ratio(third, warm):.2f}" if warm and third else "",
                  *(over_part3(platform) for platform in PLATFORMS)])
    threads = f", {threads_text(warm['threads'])}" if warm else ""
    return Table(name, f"The lock-free walk{threads}, and the posts'",
                 f"Ours on {text}. The posts' factors over version 3 are those of their text, and by their table of versions.",
                 ["", "ours", f"posts: {PLATFORMS['linux']}", f"posts: {PLATFORMS['windows']}"], lines, [1, 2, 3])


def stated(platform, metric):
    """What the posts' results have, as a text."""
    found = [value for value in read_published("results", PUBLISHED_FILE) if (value.x, value.metric) == (platform, metric)]
    return text_of(found) if found else ""


def over_part3(platform):
    """The posts' factor by their text, and the quotient of their two times where that is another."""
    times = published_times(platform)
    said, divided = stated(platform, "speedup_over_part3"), f"{times[VERSIONS[2][1]].value / times[VERSIONS[3][1]].value:.2f}"
    return f"{said}; by the table {divided}" if divided not in said else said


def cold_status(rows, metric):
    """Why there is no cold time."""
    if metric != "cold_time":
        return ""
    return next((row["status"] for row in rows if row["cache"] == "cold" and row["status"] not in ("", "ok")), "not run")
