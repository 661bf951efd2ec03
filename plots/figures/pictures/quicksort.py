"""Quicksort (BWoS thesis, section 5.3.1): mean times (figure 5.10), stolen tasks (5.11), switches (table 5.4)."""

from collections import defaultdict

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.published import read_published
from plots.data.runtimes import RUNTIMES
from plots.data.words import DAGGER, format_number, threads_text
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Frame, Layer, Mark, Picture, Table, bars_axis, counts_axis, rows_axis
from plots.figures.styles import Looks

THESIS_FILE = "bwos_thesis.csv"
# What the thesis calls a deque with these blocks.
THESIS_NAMES = {("chase_lev", "0"): "CL", ("abp", "0"): "ABP", ("locked_fixed", "0"): "Locked",
                ("bwos_lifo", "8"): "LIFO_BWoS_8", ("bwos_lifo", "16"): "LIFO_BWoS_16",
                ("bwos_lifo", "64"): "LIFO_BWoS_64"}
SWITCHES = "voluntary_context_switches"
# Where ours is, in which unit, and what the thesis calls it.
COLUMNS = [("pool", "run_time", 1e3, "mean_time"), ("worker", "items_stolen", 1, "tasks_stolen"),
           ("worker", SWITCHES, 1, SWITCHES)]
# What the thesis sorted; its number of threads no machine here has, so its column says it.
CONDITIONS = {"size": "10000000", "input": "random"}
THEIRS = "thesis, 16 threads"
SETTING = ("size", "cutoff", "input", "threads", "victims", "steal", "idle", "slot", "master", "room", "placement")


def draw(run, _sections, summaries):
    cells = [cell for cell in cells_of(run, summaries, "quicksort")
             if cell.value("pool", "run_time") and cell.deque not in RUNTIMES]
    groups = {key: some for key, some in grouped(
        cells, lambda cell: (cell.tag, *(cell.params.get(one, "") for one in SETTING))).items() if len(some) > 1}
    for tag in dict.fromkeys(tag for tag, *_ in groups):
        mine = [key for key in groups if key[0] == tag]
        names = told_apart_by_settings(f"{tag or 'quicksort'}-times", [dict(zip(SETTING, key[1:])) for key in mine])
        for key, stem in zip(mine, names):
            some = groups[key]
            some.sort(key=lambda cell: cell.value("pool", "run_time").median)
            yield tag, bars(Looks(run), stem, some)
            yield tag, numbers(f"{stem}-table", some)
            ratio = block_ratio(f"{stem}-blocks", some)
            if ratio:
                yield tag, ratio


def setting_text(cell):
    params = cell.params
    return (f"{int(params.get('size', '0')):,} numbers, {params.get('input', '')} order, cutoff {params.get('cutoff')}, "
            f"{threads_text(params.get('threads', '1'))}, steals of {params.get('steal')}"
            + (f", deques of {params['room']}" if params.get("room", "1024") != "1024" else ""))


def bars(looks, name, cells):
    columns = []
    for role, metric, scale in (("pool", "run_time", 1e3), ("worker", "items_stolen", 1)):
        layers = []
        for place, cell in enumerate(cells):
            found = cell.value(role, metric)
            if found:
                middle, *ends = found.scaled(scale)
                layers.append(Layer([Mark(middle, place, *(ends if role == "pool" else ()), text=format_number(middle))],
                                    looks.of(cell.deque), "bars"))
        columns.append(layers)
    labels = [cell.label for cell in cells]
    frames = [Frame(columns[0], bars_axis("time in ms", columns[0]), rows_axis(labels), grid="x")]
    alone = cells[0].params.get("threads") == "1"  # nobody to steal from
    if not alone:
        frames.append(Frame(columns[1], counts_axis("tasks stolen", columns[1]), rows_axis(labels, named=False), grid="x"))
    claims = " Its tasks then run behind a claim." if any(DAGGER in cell.marks for cell in cells) else ""
    return Picture(name, f"Quicksort, {setting_text(cells[0])}",
                   ("" if alone else "Left: ") + "times (the thesis's figure 5.10 shows means). "
                   + ("" if alone else "Right: its figure 5.11. ")
                   + f"{bars_are([cell.value('pool', 'run_time') for cell in cells])} {notes_of(cells)}{claims}", frames,
                   6 if alone else 9, 0.8 + 0.28 * len(cells))


def block_ratio(name, cells):
    """Figure 5.10's factor: LIFO BWoS by its blocks against blocks of 8, and what the thesis states of 64."""
    times = {cell.params["block"]: cell.value("pool", "run_time") for cell in cells
             if cell.deque == "bwos_lifo" and cell.params.get("block", "0") != "0"}
    if "8" not in times or len(times) < 2:
        return None
    alike = all(cells[0].params.get(name) == value for name, value in CONDITIONS.items())
    stated = next(value for value in read_published("fig5.10", THESIS_FILE) if value.metric == "time_ratio")
    rows = [[block, format_number(1e3 * times[block].median), f"{times[block].median / times['8'].median:.2f}",
             stated.text() if alike and stated.series == f"LIFO_BWoS_{block}/LIFO_BWoS_8" else ""]
            for block in sorted(times, key=int)]
    return Table(name, f"Quicksort on LIFO BWoS by size of block; {setting_text(cells[0])}",
                 "Ratios of medians of this run to blocks of 8. The thesis lays its factor (figure 5.10, 16 threads) to workers "
                 "that find nothing and give way; here a worker without work sleeps until there is something that it can take.",
                 ["items in a block", "time (ms)", "times blocks of 8", THEIRS], rows, [0, 1, 2, 3])


def numbers(name, cells):
    stated = defaultdict(dict)
    alike = all(cells[0].params.get(name) == value for name, value in CONDITIONS.items())
    for figure, column in (("table5.4", SWITCHES), ("fig5.10", "mean_time"),
                           ("fig5.11", "tasks_stolen")):
        for one in read_published(figure, THESIS_FILE) if alike else []:
            if one.metric == column:
                stated[one.series][column] = f"{one.value:,.7g}" + (f" {one.unit}" if one.unit == "ms" else "")
    rows = []
    for cell in cells:
        theirs = stated.get(THESIS_NAMES.get((cell.deque, cell.params.get("block", "0"))), {})
        row = [cell.label]
        for role, metric, scale, published in COLUMNS:
            found = cell.value(role, metric)
            row += [format_number(scale * found.median) if found else "", theirs.get(published, "")]
        rows.append(row)
    return Table(name, f"Quicksort: time, tasks stolen, voluntary context switches; {setting_text(cells[0])}",
                 "Medians over invocations; switches of all workers in one run. The thesis's values (figures 5.10 and "
                 "5.11, table 5.4) are from 16 threads of its own machine" + (
                     "." if alike else ", of other numbers than these, and so not set beside them."),
                 ["deque", "time (ms)", THEIRS, "stolen", THEIRS, "voluntary switches", THEIRS], rows,
                 list(range(1, 7)))
