"""A bag of tasks by how it was distributed ("Work-Stealing from First Principles", first half): all on one worker, a fair
split by count, work stealing; a picture for each number of threads, a frame for each distribution of what a task costs."""

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.words import NANOSECONDS, format_number, threads_text
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Rule, rows_axis
from plots.figures.styles import Looks

COSTS = ["uniform", "exponential", "bimodal", "heavy"]
# (does nobody steal, who has the tasks at first, by the post's loop): words
ROWS = {(True, "one", False): "all on one worker", (True, "each", False): "a fair split by count",
        (False, "one", True): "stealing from one, the post's loop", (False, "each", True): "stealing after a split, its loop",
        (False, "one", False): "stealing from one, our pool", (False, "each", False): "stealing after a split, our pool"}
SETTING = ("tasks", "mean", "mean_unit", "threads")


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries, "bag") if cell.value("pool", "run_time") and row_of(cell) in ROWS]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        groups = {key: some for key, some in grouped(
            mine, lambda cell: tuple(cell.params.get(name, "") for name in SETTING)).items()
            if len({row_of(cell) for cell in some}) > 1 and any(row_of(cell)[0] for cell in some)}
        names = told_apart_by_settings(f"{tag or 'bag'}-distribution", [dict(zip(SETTING, key)) for key in groups])
        for name, (key, some) in zip(names, groups.items()):
            yield tag, picture(name, dict(zip(SETTING, key)), some, looks)


def row_of(cell):
    post = cell.params.get("idle") == "yield_each" and cell.params.get("victims") == "sequential"
    return cell.params.get("victims") == "none", cell.params.get("first"), post


def milliseconds(cell):
    summary = cell.value("pool", "run_time")
    return summary.scaled(NANOSECONDS[summary.unit] / NANOSECONDS["ms"])


def even_share(cells, threads):
    """What the work of one repetition takes one thread, over the threads, in ms; None where it was not told."""
    work = [cell.value("process", "work_of_all") for cell in cells]
    work = sorted(one.median for one in work if one)
    return 1e3 * work[len(work) // 2] / threads if work else None


def picture(name, setting, cells, looks):
    rows = [row for row in ROWS if any(row_of(cell) == row for cell in cells)]
    costs = [cost for cost in COSTS if any(cell.params.get("cost") == cost for cell in cells)]
    deques = list(grouped(cells, lambda cell: cell.series))
    frames = []
    for cost in costs:
        here = [cell for cell in cells if cell.params.get("cost") == cost]
        layers = []
        for place, series in enumerate(deques):
            marks = [Mark(milliseconds(cell)[0], rows.index(row_of(cell)) + 0.6 * ((place + 0.5) / len(deques) - 0.5),
                          *milliseconds(cell)[1:], text=format_number(milliseconds(cell)[0]))
                     for cell in here if cell.series == series]
            if marks:
                first = next(cell for cell in here if cell.series == series)
                layers.append(Layer(marks, looks.of(first.deque), "bars", first.label, 0.55 / len(deques)))
        highest = max(layer.interval(mark)[1] for layer in layers for mark in layer.marks)
        ideal = even_share(here, int(setting["threads"]))
        frames.append(Frame(layers, Axis("time (ms)", low=0, high=1.3 * highest),
                            rows_axis([ROWS[row] for row in rows], named=len(frames) % 2 == 0), f"cost={cost}", "x",
                            rules=[Rule(ideal)] if ideal else []))
    return Picture(name, f"A bag of {setting['tasks']} tasks, {threads_text(setting['threads'])}: who has them, and who may steal",
                   "Dotted: the work of all tasks shared out evenly, as one thread alone does it. "
                   f"{bars_are([cell.value('pool', 'run_time') for cell in cells])} {notes_of(cells)}", frames,
                   9, 0.7 + 0.45 * len(rows), 2 if len(frames) > 1 else 0)
