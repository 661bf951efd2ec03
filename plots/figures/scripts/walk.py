"""A walk through directories in the four versions of Phanes's posts, beside the posts' numbers.

The posts walked their own /home and C:\\ with 22 and 32 threads and built the tree in memory besides (tree=built); only ratios
between versions can be compared with ours.
"""

from harness.judging.cells import cells_of, grouped
from plots.data.published import read_published, text_of
from harness.judging.words import threads_text
from plots.figures.figure import TIME, Figure, Measure, caption, named, table
from plots.figures.styles import COLOURS, Look
from plots.figures.figure import Point, Value

# Each version of the posts: words, its series there, and ours that do the same.
VERSIONS = [
    ("1: one thread", "part1_single_thread_dfs", lambda cell: cell.params["version"] == "one_thread"),
    ("2: one queue", "part2_thread_pool", lambda cell: cell.params["version"] == "shared_queue"),
    ("3: stealing, mutex", "part3_work_stealing_mutex", lambda cell: cell.params["version"] == "pool" and cell.deque == "locked"),
    ("4: stealing, lock-free", "part4_work_stealing_lock_free", lambda cell: cell.params["version"] == "pool" and cell.deque == "phanes")]
WORDS = [words for words, *_ in VERSIONS]
PLATFORMS = {"linux": "Linux, 22 threads", "windows": "Windows, 32 threads"}
TOLD_APART = ("version", "threads", "cache")  # what may differ between cells of one comparison
RESULTS = [("directories", "directories"), ("files", "files"), ("symlinks", "symbolic links")]


def draw(run, summaries):
    cells = [cell for cell in cells_of(run, summaries, "walk") if "version" in cell.params]
    groups = [some for some in grouped(cells, lambda cell: (cell.tag, tuple(sorted(
        item for item in cell.params.items() if item[0] not in TOLD_APART)))).values() if len(set(map(version_of, some)) - {None}) > 1]
    settings = sorted({name for some in groups for name in some[0].params} - set(TOLD_APART))
    for name, _, some in named("versions", groups, settings):
        rows = sorted((cell for cell in some if version_of(cell) is not None),
                      key=lambda cell: (version_of(cell), int(cell.params["threads"])))
        stem = f"{some[0].tag or 'walk'}-{name}"
        yield some[0].tag, picture(stem, rows)
        yield some[0].tag, results(f"{stem}-results", rows)


def version_of(cell):
    return next((place for place, (*_, is_ours) in enumerate(VERSIONS) if is_ours(cell)), None)


def tree_text(params):
    if params.get("path", "generated") != "generated":
        return f"the tree {params['path']}"
    return (f"a generated tree of {params.get('directories')} directories, {params.get('files')} files and "
            f"{params.get('symlinks')} symbolic links"
            + (", built in memory besides, as the posts do" if params.get("tree") == "built" else ""))


def stated(figure, metric, platform):
    """{series: value}"""
    return {value.series: value for value in read_published(figure, "directory_walk_phanes.csv")
            if (value.metric, value.x) == (metric, platform)}


def best_of(rows, place, cache="warm"):
    """The cell that stands for a version: the most threads that have processors of their own, else the fewest."""
    mine = [cell for cell in rows if version_of(cell) == place and cell.params["cache"] == cache and TIME(cell)]
    fitting = [cell for cell in mine if "oversubscribed" not in cell.flags]
    return max(fitting or mine, key=lambda cell: int(cell.params["threads"]) * (1 if fitting else -1), default=None)


def picture(name, rows):
    warm = [cell for cell in rows if cell.params["cache"] == "warm" and TIME(cell)]
    figure = Figure(name, f"Walking {tree_text(rows[0].params)}", caption(
        "Right: against one thread, ours at the most threads that have a processor each. Hollow: what the posts measured on other "
        "machines, trees and numbers of threads.", warm, TIME))
    axes = figure.axes("version", "time of a warm walk", unit="ms", rows=True)
    for cell in warm:
        axes.mark(cell.deque, "bars", Look(COLOURS[version_of(cell)]), Point(
            f"{WORDS[version_of(cell)]}, {threads_text(cell.params['threads'])}", TIME(cell)), cell.deque)
    axes = figure.axes("version", "times as fast as one thread", rows=True, order=WORDS, level=1)
    ours = {place: cell for place in range(len(VERSIONS)) if (cell := best_of(rows, place))}
    for place, cell in ours.items():
        if 0 in ours:
            axes.mark("ours", "bars", Look(COLOURS[0]), Point(WORDS[place], Value(TIME.median(ours[0]) / TIME.median(cell))))
    for number, (platform, words) in enumerate(PLATFORMS.items()):
        times = stated("versions", "warm_time", platform)
        first = times[VERSIONS[0][1]].value
        for words_of, series, _ in VERSIONS:
            if series in times:
                axes.mark(f"posts: {words}", "paper", Look(COLOURS[1 + number], ("diamond", "square")[number], hollow=True),
                          Point(words_of, Value(first / times[series].value), text=""))
    return figure


def results(name, rows):
    """The posts' tables, ours beside theirs: times by version, and what the lock-free version found."""
    def theirs(figure, metric, series=None):
        """Of each platform, as texts; series: of this version alone."""
        return [text_of([value for name, value in stated(figure, metric, platform).items() if series in (None, name)])
                for platform in PLATFORMS]

    warm, lines = best_of(rows, 3), []
    for place, (words, series, _) in enumerate(VERSIONS):
        for cache in ("warm", "cold"):
            lines.append([f"{words}: {cache} (ms)", TIME.text(cell) if (cell := best_of(rows, place, cache)) else "not run",
                          *theirs("versions", f"{cache}_time", series)])
    for metric, words in RESULTS:
        lines.append([words, Measure("pool", metric).text(warm) if warm else "", *theirs("results", metric)])
    lines.append(["entries a second, warm", Measure("pool", "entries_per_second").text(warm) if warm else "",
                  *theirs("versions", "warm_throughput", VERSIONS[3][1])])
    third, over = best_of(rows, 2), []
    for platform, said in zip(PLATFORMS, theirs("results", "speedup_over_part3")):  # by their text, and the quotient of their two times
        times = stated("versions", "warm_time", platform)
        over.append(f"{said}; by the table {times[VERSIONS[2][1]].value / times[VERSIONS[3][1]].value:.2f}")
    lines.append(["4 over 3", f"{TIME.median(third) / TIME.median(warm):.2f}" if third and warm else "", *over])
    return table(name, f"Versions of the walk, ours and the posts': {tree_text(rows[0].params)}",
                 "The posts' are of their own trees, with 22 and 32 threads.",
                 [("", 0), ("#ours", 1), *((f"#posts: {words}", 2 + place) for place, words in enumerate(PLATFORMS.values()))], lines)
