"""The pool and its tasks: the cost of an overflow queue (Volt's documentation: "negligible per task"), the tasks' first place (the
post "Work-Stealing from First Principles"), an idle worker's choice of victim and way of waiting."""

from harness.judging.cells import cells_of, grouped
from harness.judging.words import sentence, threads_text
from plots.figures.figure import TIME, Figure, Measure, Point, Value, alike, caption, in_words, named, settings_of
from plots.figures.styles import look_of

# (no stealing?, where the tasks are at first, the post's loop?): words
ARRANGEMENTS = {(True, "one", False): "all on one worker", (True, "each", False): "a fair split by count",
                (False, "one", True): "stealing from one, the post's loop", (False, "each", True): "stealing after a split, its loop",
                (False, "one", False): "stealing from one, our pool", (False, "each", False): "stealing after a split, our pool"}
BAG = ("tasks", "mean", "mean_unit", "threads", "cost")
# Settings that are compared: values in order, words. A section needs LEAST values.
ASKED = {"victims": (["none", "sequential", "random", "probabilistic", "nearest"], "whom to rob"),
         "idle": (["spin", "yield", "yield_each", "sleep", "wake_each"], "what to do when there is nothing"),
         "steal": (["one", *map(str, range(1, 101)), "half"], "how much to take")}
LEAST = 3
MEASURES = [(TIME, "time"), (Measure("worker", "steal_time_p50", "ns"), "a steal, median"),
            (Measure("worker", "attempts_empty"), "attempts that found nothing"),
            (Measure("worker", "jain_work"), "balance of time (Jain)")]


def draw(run, summaries):
    bags = [cell for cell in cells_of(run, summaries, "bag") if TIME(cell)]
    for tag, mine in grouped(bags, lambda cell: cell.tag).items():
        yield tag, overflow(f"{tag or 'bag'}-overflow", [cell for cell in mine if "room" in cell.params])
        groups = [some for some in alike([cell for cell in mine if arrangement(cell) in ARRANGEMENTS], BAG)
                  if len({arrangement(cell) for cell in some}) > 1]
        for name, setting, some in named(f"{tag or 'bag'}-distribution", groups, BAG):
            yield tag, distribution(name, setting, some)
    cells = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "1") not in ("", "1")
             and "victims" in cell.params and TIME(cell)]
    for asked, (values, words) in ASKED.items():
        for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
            apart = [name for name in settings_of(mine) if name not in (asked, "pool", "block")]
            groups = [some for some in alike(mine, apart) if len({cell.params[asked] for cell in some}) >= LEAST]
            for name, setting, some in named(f"{tag or workload}-{workload}-{asked}", groups, apart):
                yield tag, policies(name, f"{sentence(workload)}, {in_words(setting)}: {words}".replace(", :", ":"), some, asked, values)


def overflow(name, cells):
    """The cost of an overflow by the pool's own count, and the time of the bag in a small ring and in one with room for all."""
    overflowed, cost = Measure("worker", "tasks_overflowed"), Measure("worker", "overflow_cost")
    figure = Figure(name, "A bag of tasks through a ring: the cost of an overflow", caption(
        "Left: the time for putting tasks into the overflow queue and taking them out, for each that went through it. Right: the time of "
        "the run over its tasks.", cells, TIME))
    costs = figure.axes("deque", "an overflowed task", unit="ns", rows=True)
    times = figure.axes("deque", "a task of the bag", unit="ns", rows=True)
    for some in grouped(cells, lambda cell: (cell.deque, tuple(sorted(
            item for item in cell.params.items() if item[0] != "room")))).values():
        if not any(overflowed.median(cell) and cost(cell) for cell in some) or all(overflowed.median(cell) for cell in some):
            continue
        for cell in some:
            row = ", ".join([cell.label, threads_text(cell.params["threads"]), in_words(cell.params, [
                name for name in settings_of(cells) if name not in ("room", "threads")])]).rstrip(", ")
            if overflowed.median(cell):
                costs.bar(cell.deque, f"{row}, room={cell.params['room']}", cost(cell))
            time = Measure("pool", "run_time", "ns")(cell)
            times.bar(cell.deque, f"{row}, room={cell.params['room']}", Value(*(
                end and end / int(cell.params["tasks"]) for end in time[:3]), time.invocations))
    return figure


def arrangement(cell):
    post = cell.params.get("idle") == "yield_each" and cell.params.get("victims") == "sequential"
    return cell.params.get("victims") == "none", cell.params.get("first"), post


def distribution(name, setting, cells):
    """All tasks on one worker, a fair split by count, work stealing."""
    figure = Figure(name, f"A bag of {setting['tasks']} tasks, {threads_text(setting['threads'])}, cost={setting['cost']}: "
                    "who has them, and who may steal",
                    caption("Dotted: the work of all tasks, as one thread alone does it, shared out evenly.", cells, TIME))
    alone = sorted(filter(None, map(Measure("process", "work_of_all", scale=1e3).median, cells)))
    axes = figure.axes("who has the tasks", "time", unit="ms", rows=True, order=list(ARRANGEMENTS.values()),
                       level=alone[len(alone) // 2] / int(setting["threads"]) if alone else None)
    for cell in cells:
        axes.bar(cell.deque, ARRANGEMENTS[arrangement(cell)], TIME(cell), cell.label)
    return figure


def policies(name, title, cells, asked, values):
    figure = Figure(name, title, caption("A steal: from the start of a round of attempts to the item that it brought. Balance: 1 if all "
                                         "workers were busy alike.", cells, TIME), columns=2)
    rows = sorted({cell.params[asked] for cell in cells}, key=values.index)
    for measure, words in MEASURES:
        axes = figure.axes(asked, words, unit=measure.unit, rows=True, order=rows)
        for cell in cells:
            if measure(cell):
                axes.mark(cell.label, "points", look(cell), Point(cell.params[asked], measure(cell)), cell.deque)
    figure.parts = [axes for axes in figure.parts if axes.series]
    return figure


def look(cell):
    block = cell.params.get("block", "0")
    return look_of(cell.deque, int(block).bit_length() % 4 if block.isdigit() else 0)
