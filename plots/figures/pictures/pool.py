"""The pool and its tasks: the cost of an overflow queue, the tasks' first place, an idle worker's choice of victim and way of
waiting, the tasks' waiting times, and timelines of workers."""

from harness.judging import statistics
from harness.judging.cells import cells_of, grouped, interval_heading, notes_of, varying_parameters
from harness.judging.histograms import read_histograms
from harness.judging.words import NANOSECONDS, format_number, in_order, sentence, threads_text, words_for
from plots.figures.grammar import (
    COLUMNS, TIME, Of, alike, caption, in_frames, in_row, in_words, named, param, row_layers, rows_frame, settings_of,
    table)
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Rule, asinh_axis, rows_axis
from plots.figures.styles import KINDS_OF_THINGS, Looks, paler, variants_of


def worker(metric):
    return Of("worker", metric)


# --- the overflow queue behind a small ring (Volt's documentation: "negligible per task")

OVERFLOWED, OVERFLOW_COST = worker("tasks_overflowed"), worker("overflow_cost")


def overflow(run, _sections, summaries):
    """The cost by the pool's own count, and beside it the same bag in a ring that never overflows."""
    cells = [cell for cell in cells_of(run, summaries, "bag") if TIME(cell) and "room" in cell.params]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        pairs = []  # (a cell that overflows, one of the same settings with room for all)
        for some in alike_but(mine, "room"):
            roomy = [cell for cell in some if OVERFLOWED.median(cell) == 0]
            pairs += [(cell, roomy[-1]) for cell in some if OVERFLOWED.median(cell) and OVERFLOW_COST(cell) and roomy]
        if pairs:
            yield tag, overflow_picture(f"{tag or 'bag'}-overflow", pairs, Looks(run))


def alike_but(cells, name):
    """Cells of one deque in groups that differ in this setting alone."""
    return grouped(cells, lambda cell: (cell.deque, tuple(sorted(
        item for item in cell.params.items() if item[0] != name)))).values()


def overflow_picture(name, pairs, looks):
    small, roomy = pairs[0]
    told = [one for one in ("mean", "cost") if len({cell.params.get(one) for cell, _ in pairs}) > 1]

    def of_a_task(cell):
        return [end and end / int(cell.params["tasks"]) for end in Of("pool", "run_time", "ns")(cell)]

    def work_text(cell, what):
        if what != "mean":
            return words_for(what, cell.params[what])
        return "empty tasks" if cell.params["mean"] == "0" else f"{cell.params['mean']} {cell.params.get('mean_unit', 'ns')} each"

    costs = [(row, OVERFLOW_COST(cell), looks.of(cell.deque), "") for row, (cell, _) in enumerate(pairs)]
    times = [entry for row, pair in enumerate(pairs) for look in [looks.of(pair[0].deque)] for entry in (
        (row - 0.19, of_a_task(pair[0]), look, ""), (row + 0.19, of_a_task(pair[1]), paler(look), ""))]
    rows = [", ".join([cell.title, threads_text(cell.params["threads"]), *(work_text(cell, one) for one in told)]) for cell, _ in pairs]
    return Picture(name, f"A bag of {small.params['tasks']} tasks through a ring of {small.params['room']}: the cost of an overflow",
                   caption("Left: the workers' time for putting tasks into the overflow queue and taking them out, for each task "
                           "that went through it. Right: the time of the run over its tasks. A ring with room for all is written once "
                           "from end to end, so it may be slower if it does not fit into a cache.",
                           [cell for pair in pairs for cell in pair], TIME),
                   [rows_frame("ns a task that overflowed", costs, rows, "the overflow itself"),
                    rows_frame("ns a task of the bag", times, rows, f"the whole run, ring of {small.params['room']}; paler: of "
                               f"{roomy.params['room']}", named=False, thickness=0.36)], 9.5, 0.8 + 0.42 * len(pairs))


# --- where the tasks are at first ("Work-Stealing from First Principles", first half)

BAG_COSTS = ["uniform", "exponential", "bimodal", "heavy"]
# (no stealing?, where the tasks are at first, the post's loop?): words
ARRANGEMENTS = {(True, "one", False): "all on one worker", (True, "each", False): "a fair split by count",
                (False, "one", True): "stealing from one, the post's loop", (False, "each", True): "stealing after a split, its loop",
                (False, "one", False): "stealing from one, our pool", (False, "each", False): "stealing after a split, our pool"}
BAG = ("tasks", "mean", "mean_unit", "threads")


def arrangement(cell):
    post = cell.params.get("idle") == "yield_each" and cell.params.get("victims") == "sequential"
    return cell.params.get("victims") == "none", cell.params.get("first"), post


def static_distribution(run, _sections, summaries):
    """All tasks on one worker, a fair split by count, work stealing: a picture for each number of threads."""
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries, "bag") if TIME(cell) and arrangement(cell) in ARRANGEMENTS]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        groups = [some for some in alike(mine, BAG) if len({arrangement(cell) for cell in some}) > 1
                  and any(arrangement(cell)[0] for cell in some)]
        for name, setting, some in named(f"{tag or 'bag'}-distribution", groups, BAG):
            yield tag, distribution_picture(name, setting, some, looks)


def distribution_picture(name, setting, cells, looks):
    """A frame for each distribution of what a task costs."""
    rows = [row for row in ARRANGEMENTS if any(arrangement(cell) == row for cell in cells)]
    deques, frames = list(grouped(cells, lambda cell: cell.series)), []
    for cost in BAG_COSTS:
        here = sorted((cell for cell in cells if cell.params.get("cost") == cost), key=lambda cell: deques.index(cell.series))
        if not here:
            continue
        layers = row_layers([(rows.index(arrangement(cell)) + in_row(deques.index(cell.series), len(deques)), TIME(cell),
                              looks.of(cell.deque), cell.label) for cell in here], thickness=0.55 / len(deques))
        highest = max(layer.interval(mark)[1] for layer in layers for mark in layer.marks)
        alone = sorted(filter(None, map(Of("process", "work_of_all").median, here)))
        ideal = 1e3 * alone[len(alone) // 2] / int(setting["threads"]) if alone else 0  # ms
        frames.append(Frame(layers, Axis("time (ms)", low=0, high=1.3 * highest),
                            rows_axis([ARRANGEMENTS[row] for row in rows], named=len(frames) % 2 == 0), f"cost={cost}", "x",
                            rules=[Rule(ideal)] if ideal else []))
    return Picture(name, f"A bag of {setting['tasks']} tasks, {threads_text(setting['threads'])}: who has them, and who may steal",
                   caption("Dotted: the work of all tasks, as one thread alone does it, shared out evenly.", cells, TIME), frames,
                   9, 0.7 + 0.45 * len(rows), 2 if len(frames) > 1 else 0)


# --- an idle worker's choice of victim (BWoS thesis, section 6.0.2), and how it waits (worksteal's loop)

# Settings that are compared: (values in order, the value that the others are compared with, words). A section needs LEAST values.
ASKED = {"victims": (["none", "sequential", "random", "probabilistic", "nearest"], "random", "whom to rob"),
         "idle": (["spin", "yield", "yield_each", "sleep", "wake_each"], "sleep", "what to do when there is nothing"),
         "steal": (["one", *map(str, range(1, 101)), "half"], "50", "how much to take")}
LEAST = 3
ALONG = ("victims", "idle", "pool", "block")  # a preset or a policy sets these as well
EXPLAINED = {
    "steal_time_median": "Time of a steal: from the start of a round of attempts to the item that it brought, with the choice of "
                         "the victim and the failed attempts before it.",
    "steals": "Failed: failed attempts (empty, lost, turned away) for each successful one.",
    "jain_work": "Balance: Jain's index of the time that workers were not idle, 1 if all are equal."}
CROWDED = ("With more workers than processors a worker yields its processor after every round without a steal. A policy "
           "whose rounds may miss (random) then waits for its processor, not for work.")
WIDE = 8  # failed steals


def victim_policies(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "1") not in ("", "1")
             and "victims" in cell.params and TIME(cell)]
    for asked, (values, reference, words) in ASKED.items():
        for (tag, workload), some in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
            apart = [name for name in varying_parameters([cell.params for cell in some])
                     if name not in ALONG and all(name in cell.params for cell in some)]
            apart += [name for name in ASKED if name != asked]
            apart = [name for name in dict.fromkeys(apart) if name != asked]
            groups = [mine for mine in alike(some, apart) if len({cell.params[asked] for cell in mine}) >= LEAST]
            told = varying_parameters([{name: mine[0].params.get(name, "") for name in apart} for mine in groups])
            for name, setting, mine in named(f"{tag or workload}-{workload}-{asked}", groups, apart):
                title = sentence(", ".join([workload, *(words_for(one, setting[one]) for one in apart if one in told)]) + f": {words}")
                deques = list(grouped(mine, lambda cell: cell.series))
                for start in range(0, len(deques), LINES_MAX):
                    part = [cell for cell in mine if cell.series in deques[start:start + LINES_MAX]]
                    yield tag, policies_picture(f"{name}-{start // LINES_MAX + 1}" if start else name, title, part, asked, values, looks)
                yield tag, policies_table(f"{name}-table", title, mine, asked, values, reference)


def failed_a_steal(cell):
    steals = worker("steals").median(cell)
    failed = [worker(f"attempts_{how}").median(cell) for how in ("empty", "lost", "busy")]
    return (sum(failed) / steals, None, None) if steals and steals > 0 and None not in failed else None


MEASURES = [(TIME, "time (ms)", "log"), (worker("steal_time_median"), "time of a steal, median (ns)", "log"),
            (failed_a_steal, "failed steals for each successful one", "asinh"),
            (worker("jain_work"), "balance (Jain)", "linear")]
# A worker that spins keeps its processor all the time.
MEASURES_OF = {"idle": [MEASURES[0], (Of("pool", "processor_time", "ms"), "processor time of all workers (ms)", "log"), *MEASURES[1:]],
               "steal": [MEASURES[0], (worker("steals"), "steals", "asinh"), (worker("items_stolen"), "items stolen", "asinh"),
                         MEASURES[3]]}


def policies_picture(name, title, cells, asked, values, looks):
    """A frame for each measure, a row for each value of the setting, a mark for each deque. The marks of a row lie a little below
    each other."""
    rows = [value for value in values if any(cell.params[asked] == value for cell in cells)]
    lines, frames = grouped(cells, lambda cell: cell.series), []
    for measure, label, scale in MEASURES_OF.get(asked, MEASURES):
        layers = []
        for place, mine in enumerate(lines.values()):
            entries = [(rows.index(cell.params[asked]) + in_row(place, len(lines)), measure(cell), looks.of(cell.deque), cell.label)
                       for cell in mine if measure(cell)]
            layers += row_layers(entries, "across", texts=False) or [Layer([], looks.of(mine[0].deque), "across", mine[0].label)]
        if any(layer.marks for layer in layers):
            top = 1.08 * max(layer.interval(mark)[1] for layer in layers for mark in layer.marks) or 1
            # Logarithmic if values reach far: else the axis's numbers would overlap at 0.
            axis = (Axis(label, scale) if scale == "log" else Axis(label, low=0, high=top) if scale == "linear" or top < WIDE
                    else asinh_axis(label, top, top))
            frames.append(Frame(layers, axis, rows_axis([in_percent(row) for row in rows], named=not frames), grid="both"))
    return Picture(name, title, caption(explained(cells), cells, TIME), frames, 2.2 + 2.6 * len(frames),
                   0.9 + (0.22 + 0.06 * len(lines)) * len(rows))


def in_percent(value):
    return f"{value} %" if value.isdigit() else value


def explained(cells):
    told = [text for metric, text in EXPLAINED.items() if any(worker(metric)(cell) for cell in cells)]
    if any("oversubscribed" in cell.flags for cell in cells) and len({cell.params["victims"] for cell in cells}) > 1:
        told.append(CROWDED)
    return " ".join(told)


def policies_table(name, title, cells, asked, values, reference):
    beside = {cell.series: cell for cell in cells if cell.params[asked] == reference}
    held = {cell.name: statistics.judge_invocations(*(TIME.summary(one).by_invocation for one in (cell, beside[cell.series])))
            for cell in cells if cell.series in beside and cell is not beside[cell.series]}

    def judged(text):
        return lambda cell: text(held[cell.name]) if held.get(cell.name) else ""

    return table(name, title,
                 f"{explained(cells)} The ratio is of times, against {asked}={reference} of the same deque, invocation by "
                 f"invocation; below 1 is faster. {notes_of(cells)}",
                 [("deque", lambda cell: cell.label), (asked, param(asked)), ("#time (ms)", TIME),
                  ("#ratio", judged(lambda one: f"{one.ratio:.3f}")),
                  (interval_heading(one.pairs for one in held.values() if one), judged(lambda one: "" if one.low is None else f"[{one.low:.3f}, {one.high:.3f}]")),
                  ("verdict", judged(lambda one: one.verdict)), ("#a steal, median (ns)", worker("steal_time_median")),
                  ("#99 % (ns)", worker("steal_time_p99")), ("#steals", worker("steals")),
                  ("#failed a steal", lambda cell: format_number(failed_a_steal(cell)[0]) if failed_a_steal(cell) else ""),
                  ("#balance of tasks", worker("jain_tasks")), ("#balance of time", worker("jain_work"))],
                 sorted(cells, key=lambda cell: (cell.series, values.index(cell.params[asked]))))


# --- how long tasks wait from push to start (cells with waits=1)

SHORTEST = 0.01    # us, the left end of an axis: below a read of the clock
FRAMES_MAX = 4     # side by side
TAILS_MAX = 8      # settings; of more the table has the tails
LONG = 3           # settings that vary; with more of them, those that are switched off are left out of titles
UNITS = ["ns", "\N{MICRO SIGN}s", "ms", "s"]
TAILS = [(10.0 ** -power, f"{100 * 10.0 ** -power:g} %") for power in range(8)]
WHAT = "Waiting time of a task, from before its push until it is taken to be run."
STAMPED = "Every task was timed, which costs two reads of the clock each, so the times of this run are longer than usual."
QUANTILES = {"p50": "p50", "p90": "p90", "p99": "p99", "p99.9": "p99.9", "maximum": "longest"}


def wait(what, moved=False):
    return Of("worker", f"task_wait_{'moved_' if moved else ''}{what}", "us")


def waited(cell, what):
    return max(SHORTEST, wait(what).median(cell))


def waiting(run, _sections, summaries):
    cells = [cell for cell in cells_of(run, summaries, stamped=True) if wait("p50")(cell)]
    if not cells:
        return
    histograms, looks = read_histograms(run), Looks(run)
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        stem = f"{tag or 'pool'}-{workload}-waits"
        apart = [name for name in settings_of(mine) if name != "block"]
        groups = [(name, in_words({one: value for one, value in setting.items() if len(apart) <= LONG or value != "0"}),
                   [setting[one] for one in apart], some)
                  for name, setting, some in named(f"{stem}-tail", alike(mine, apart), apart)]
        yield tag, waits_picture(stem, workload, groups, run, looks)
        for name, text, _, some in groups:
            found = [(cell, histograms[cell.name, "worker", "task_wait"]) for cell in some
                     if (cell.name, "worker", "task_wait") in histograms]
            if found and len(groups) <= TAILS_MAX:
                yield tag, tails(name, workload, text, found, looks)
        yield tag, waits_table(f"{stem}-table", workload, groups, run)


def time_axis(low, high, every, label=""):
    """A logarithmic axis in us whose ticks name their units: at each power of ten; at every third if that leaves at least two; with
    ticks in between if there is only one."""
    def ticks_by(steps, every):
        return [(step * 10.0 ** power, f"{step * 10 ** ((power + 3) % 3)} {UNITS[(power + 3) // 3]}") for power in range(-2, 10)
                for step in steps if (power + 3) % every == 0 and low <= step * 10.0 ** power <= high]

    for steps, of in (((1,), every), ((1,), 1), ((1, 2, 5), 1)):
        ticks = ticks_by(steps, of)
        if len(ticks) > 1:
            break
    return Axis(label, "log", low, high, ticks)


def owner_order(run, cell):
    """Says which end the deque's owner takes from."""
    return run.deque_facts(cell.deque).get("owner_order", "")


def waits_picture(name, workload, groups, run, looks):
    """Median, 99th and 99.9th percentile, the longest: a row a deque and a frame a setting; with more settings than deques a
    frame a deque and a row a setting."""
    first = {}
    for cell in (cell for *_, some in groups for cell in some):
        first.setdefault(cell.series, cell)
    order = sorted(first, key=lambda series: wait("p99").median(first[series]))
    labels = [first[one].label + (f" ({owner_order(run, first[one])})" if owner_order(run, first[one]) else "") for one in order]
    turned = len(groups) > max(len(order), FRAMES_MAX)
    if turned:
        groups = sorted(groups, key=lambda group: list(map(in_order, group[2])))
    placed = [((order.index(cell.series), place) if turned else (place, order.index(cell.series)), cell)
              for place, (*_, some) in enumerate(groups) for cell in some]
    titles, rows = [text for _, text, *_ in groups], labels
    if turned:
        titles, rows = rows, titles
    cells = [cell for _, cell in placed]
    low, high = min(waited(cell, "p50") for cell in cells) / 1.5, max(waited(cell, "maximum") for cell in cells) * 2
    columns, frames = min(FRAMES_MAX, len(titles)), []
    for number, title in enumerate(titles):
        here = [(row, cell) for (frame, row), cell in placed if frame == number]
        layers = [Layer([Mark(waited(cell, "p99.9"), row, start=waited(cell, "p50"))], looks.of(cell.deque), "bars", thickness=0.3)
                  for row, cell in here]
        layers += [Layer([Mark(waited(cell, what), row) for row, cell in here], Look("#222222", shape), "points", label, size=1.1)
                   for what, shape, label in (("p50", "circle", "median"), ("p99", "triangle_up", "99th percentile"),
                                              ("maximum", "cross", "the longest"))]
        layers.append(Layer([], Look("#8A8A8A", "square"), "bars", "median to 99.9th percentile"))
        frames.append(Frame(layers, time_axis(low, high, 3 if columns > 2 else 1), rows_axis(rows, number % columns == 0), title, "x"))
    sorted_by = "" if turned else f"; the lowest 99th percentile of {'the first frame' if len(frames) > 1 else 'all'} on top"
    return Picture(name, f"Waiting time of tasks in {workload}",
                   caption(f"{WHAT} Medians over invocations{sorted_by}. LIFO and FIFO: which end the deque's owner takes from. "
                           f"{STAMPED}", cells), frames, 3.4 + 2.6 * columns, 0.9 + 0.24 * len(rows), columns)


def tails(name, workload, text, found, looks):
    """The share of tasks that waited longer, over the time: down to the single task."""
    found.sort(key=lambda pair: pair[1].quantile(0.99))
    lines = []
    for (cell, histogram), place in zip(found, variants_of((cell.deque, cell.series) for cell, _ in found)):
        shares = [1.0, *(part for _, part in histogram.tail())]  # that waited at least as long as each bucket's lower end
        marks = [Mark(max(SHORTEST, lower / NANOSECONDS["us"]), part) for (lower, *_), part in zip(histogram.buckets, shares)]
        block = cell.params.get("block", "0")
        lines.append((cell.deque, cell.title, f"blocks of {block}" if block != "0" else "",
                      Layer(marks, looks.of(cell.deque, place), "line", cell.label)))
    parts = in_frames(lines)
    columns = COLUMNS if len(parts) > 1 else 0
    most = max(histogram.count for _, histogram in found)
    ends = [mark.x for *_, layer in lines for mark in layer.marks]
    ticks = [(part, label) for part, label in TAILS if part * most >= 0.5][::2 if columns else 1]
    frames = [Frame(layers, time_axis(min(ends) / 1.4, max(ends) * 1.4, 3 if columns else 1),
                    Axis("" if columns and number % columns else "tasks that waited so long", "log", 0.5 / most, 1.4, ticks),
                    title, "both") for number, (title, layers) in enumerate(parts)]
    return Picture(name, f"Waiting time of tasks in {workload}: the tail" + (f", {text}" if text else ""),
                   caption(f"{WHAT} A point is the share of the tasks, of all invocations together, that waited at least so long; a "
                           "line ends with the longest waits.", [cell for cell, _ in found]),
                   frames, 10 if columns else 6.4, 1.7 if columns else 3.8, columns)


def waits_table(name, workload, groups, run):
    rows = [(text, cell) for _, text, _, some in groups for cell in sorted(some, key=wait("p99").median)]

    def percent(value):
        return "" if value is None else f"{value} %"

    def moved_share(cell):
        moved, count = (Of("worker", f"task_wait_{what}count").median(cell) for what in ("moved_", ""))
        return percent(format_number(100 * moved / count)) if moved is not None and count else ""

    def of_run(cell):
        longest = worker("task_wait_maximum_of_run").median(cell)
        return "" if longest is None else percent(f"{100 * longest:.1f}")

    def starved(cell):
        return percent(worker("tasks_starved").text(cell) or None)

    return table(name, sentence(f"waiting time of tasks in {workload}, in \N{MICRO SIGN}s"),
                 f"{WHAT} Medians over invocations. Of the run: the longest wait as a share of the run's time. Starved: tasks that "
                 "waited for more than half of the run. Moved: tasks begun by another worker than the one that pushed them. "
                 f"{STAMPED} {notes_of([cell for _, cell in rows])}",
                 [("setting", 0), ("deque", lambda row: row[1].deque), ("order", lambda row: owner_order(run, row[1])),
                  *((f"#{heading}", lambda row, what=what: format_number(waited(row[1], what))) for what, heading in QUANTILES.items()),
                  *((f"#{heading}", lambda row, say=say: say(row[1])) for heading, say in (
                      ("of the run", of_run), ("starved", starved), ("moved", moved_share),
                      ("moved p50", wait("p50", moved=True).text), ("moved p99", wait("p99", moved=True).text)))], rows)


# --- timelines: who worked, searched, stole and slept when, in one run (timeline=1)

STATES = (("timeline_work", "works", "second"), ("timeline_steal", "looks, and steals", "good"),
          ("timeline_search", "looks in vain", "waiting"), ("timeline_sleep", "sleeps", "neutral"))
PICTURES_MAX = 12  # of one section
SHOWN = ("threads", "victims", "steal", "tree", "size", "n", "input", "nodes", "master", "placement")


def timeline(run, _sections, _summaries):
    spans = {}
    for (cell, role, metric), histogram in read_histograms(run).items():
        if metric.startswith("timeline_") and role.startswith("worker"):
            spans.setdefault(cell, {}).setdefault(int(role[len("worker"):]), {})[metric] = histogram.buckets
    drawn = {}
    for cell_id, workers in spans.items():
        cell = run.cells[cell_id]
        for tag in cell["tags"] or [""]:
            if drawn.setdefault(tag, 0) < PICTURES_MAX:
                drawn[tag] += 1
                yield tag, timeline_picture(cell, workers, f"{tag or cell['workload']}-timeline-{drawn[tag]}")


def timeline_picture(cell, workers, name):
    end = max(upper for states in workers.values() for spans in states.values() for _, upper, _ in spans)
    scale, unit = next((scale, unit) for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "\N{MICRO SIGN}s"), (1, "ns"))
                       if end >= scale or scale == 1)
    rows, layers, shares = sorted(workers.items()), [], []
    for metric, label, kind in STATES:
        spans = [(row, lower, upper) for row, (_, states) in enumerate(rows) for lower, upper, _ in states.get(metric, [])]
        layers.append(Layer([Mark(upper / scale, row, start=lower / scale) for row, lower, upper in spans],
                            Look(KINDS_OF_THINGS[kind]), "bars", label, 0.8))
        shares.append(f"{label} {100 * sum(upper - lower for _, lower, upper in spans) / (end * len(rows)):.1f} %")
    setting = ", ".join(f"{key}={cell['params'][key]}" for key in SHOWN if key in cell["params"])
    return Picture(name, f"{cell['workload']} on {cell['deque']}, worker by worker",
                   f"One run with {setting}: the first repetition of the first process. White was not recorded. "
                   f"Of all workers' time: {', '.join(shares)}.",
                   [Frame(layers, Axis(f"time since the run began, {unit}", low=0, high=end / scale),
                          rows_axis([f"worker {number}" for number, _ in rows]), grid="")], 8, 0.7 + 0.3 * len(rows))


DRAWN = {"overflow": overflow, "static_distribution": static_distribution, "victim_policies": victim_policies, "waiting": waiting,
         "timeline": timeline}
