"""Whom an idle worker robs (BWoS thesis, section 6.0.2): time, time of a steal, failed steals and balance by policy and
deque, and each policy held against random victims. And what a worker does that finds nothing (worksteal's loop): time by
it. Of any application on the pool whose victims, or whose way of being idle, vary."""

from plots import statistics
from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.sections import varying_parameters
from plots.data.words import NANOSECONDS, format_number, words_for
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, Table, asinh_axis, rows_axis
from plots.figures.styles import Looks

POLICIES = ["none", "sequential", "random", "two_choices", "longest", "probabilistic", "rejection", "nearest", "affinity"]
WAYS = ["spin", "yield", "yield_each", "sleep"]
# What varies: its values in order, the one that the others are held against, the least number of them, words.
ASKED = {"victims": (POLICIES, "random", 3, "whom to rob"),
         "idle": (WAYS, "sleep", 3, "what to do when there is nothing")}
# What a preset or a policy brings with it is no other question.
ALONG = ("victims", "idle", "pool", "block")
FAILED = ("attempts_empty", "attempts_lost", "attempts_busy")
EXPLAINED = {
    "steal_time_median": "Time of a steal: from the start of a round of attempts to the item that it brought, the choice of "
                         "the victim and failed attempts before it included.",
    "steals": "Failed: attempts in vain (empty, lost, turned away) for each that brought something.",
    "jain_work": "Balance: Jain's index of the time that workers were not idle, 1 when all alike."}

WIDE = 8  # failed steals
CROWDED = ("With more workers than processors a worker gives its processor away after every round that brought nothing, so "
           "that a policy whose rounds may miss (random, two_choices, rejection) waits for its turn there, and not for work.")


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.params.get("threads", "1") not in ("", "1")
             and "victims" in cell.params and cell.value("pool", "run_time")]
    for asked, (values, reference, least, words) in ASKED.items():
        for (tag, workload), some in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
            apart = [name for name in varying_parameters([cell.params for cell in some])
                     if name not in ALONG and all(name in cell.params for cell in some)]
            apart += [name for name in ("victims", "idle") if name != asked]
            groups = {key: mine for key, mine in grouped(
                some, lambda cell: tuple(cell.params.get(name, "") for name in apart)).items()
                if len({cell.params[asked] for cell in mine}) >= least}
            settings = [dict(zip(apart, key)) for key in groups]
            told = varying_parameters(settings)
            names = told_apart_by_settings(f"{tag or workload}-{workload}-{asked}", settings)
            for name, setting, mine in zip(names, settings, groups.values()):
                text = ", ".join([workload, *(words_for(one, setting[one]) for one in apart if one in told)])
                for number, part in enumerate(parts_of(mine)):
                    yield tag, picture(f"{name}-{number + 1}" if number else name, f"{text}: {words}", part, asked, values,
                                       looks)
                yield tag, table(f"{name}-table", f"{text}: {words}", mine, asked, values, reference)


def parts_of(cells):
    """As many deques as one picture can name."""
    deques = list(grouped(cells, lambda cell: cell.series))
    return [[cell for cell in cells if cell.series in deques[start:start + LINES_MAX]]
            for start in range(0, len(deques), LINES_MAX)]


def milliseconds(cell):
    summary = cell.value("pool", "run_time")
    return summary.scaled(NANOSECONDS[summary.unit] / NANOSECONDS["ms"])


def processor_time(cell):
    summary = cell.value("pool", "processor_time")
    return summary and summary.scaled(NANOSECONDS[summary.unit] / NANOSECONDS["ms"])


def failed_a_steal(cell):
    steals = cell.value("worker", "steals")
    failed = [cell.value("worker", metric) for metric in FAILED]
    if not steals or steals.median <= 0 or any(one is None for one in failed):
        return None
    return sum(one.median for one in failed) / steals.median, None, None


def of_worker(metric):
    def value(cell):
        summary = cell.value("worker", metric)
        return summary and (summary.median, summary.low, summary.high)
    return value


MEASURES = [(milliseconds, "time (ms)", "log"), (of_worker("steal_time_median"), "time of a steal, median (ns)", "log"),
            (failed_a_steal, "failed steals for each that brings something", "asinh"),
            (of_worker("jain_work"), "balance (Jain)", "linear")]
# Beside these, of what is asked: a worker that waits by turning round has its processor all the time.
BESIDE = {"idle": [(processor_time, "processor time of all workers (ms)", "log")]}


def picture(name, title, cells, asked, values, looks):
    """A frame a measure, a row a value of what is asked, a mark a deque; the deques of a row a little below each other."""
    rows = [value for value in values if any(cell.params[asked] == value for cell in cells)]
    lines = grouped(cells, lambda cell: cell.series)
    frames = []
    for measure, label, scale in [*MEASURES[:1], *BESIDE.get(asked, []), *MEASURES[1:]]:
        layers = []
        for place, mine in enumerate(lines.values()):
            below = 0.6 * ((place + 0.5) / len(lines) - 0.5)
            marks = [Mark(found[0], rows.index(cell.params[asked]) + below, *found[1:])
                     for cell in mine if (found := measure(cell)) and found[0] is not None]
            layers.append(Layer(marks, looks.of(mine[0].deque), "across", label=mine[0].label))
        if any(layer.marks for layer in layers):
            axis = Axis(label, scale) if scale == "log" else from_zero(label, scale, top_of(layers))
            frames.append(Frame(layers, axis, rows_axis(rows, named=not frames), grid="both"))
    return Picture(name, title[:1].upper() + title[1:],
                   f"{explained(cells)} {bars_are([cell.value('pool', 'run_time') for cell in cells])} {notes_of(cells)}", frames,
                   2.2 + 2.6 * len(frames), 0.9 + (0.22 + 0.06 * len(lines)) * len(rows))


def from_zero(label, scale, top):
    """Logarithmic but for what is near 0 only where values reach far: else its numbers lie on each other at 0."""
    if scale == "linear" or top < WIDE:
        return Axis(label, low=0, high=top)
    return asinh_axis(label, top, top)


def explained(cells):
    """What is shown of these cells, as sentences."""
    told = [text for metric, text in EXPLAINED.items() if any(cell.value("worker", metric) for cell in cells)]
    if any("oversubscribed" in cell.flags for cell in cells) and len({cell.params["victims"] for cell in cells}) > 1:
        told.append(CROWDED)
    return " ".join(told)


def top_of(layers):
    return 1.08 * max(layer.interval(mark)[1] for layer in layers for mark in layer.marks) or 1


def table(name, title, cells, asked, values, reference):
    held = held_against(cells, asked, reference)
    statistics.settle([judgement for judgement in held.values() if judgement])
    rows = []
    for cell in sorted(cells, key=lambda cell: (cell.series, values.index(cell.params[asked]))):
        judgement, failed = held.get(cell.name), failed_a_steal(cell)
        rows.append([cell.label, cell.params[asked], format_number(milliseconds(cell)[0]),
                     f"{judgement.ratio:.3f}" if judgement else "",
                     f"[{judgement.low:.3f}, {judgement.high:.3f}]" if judgement and judgement.low is not None else "",
                     judgement.verdict if judgement else "",
                     *(format_number(cell.value("worker", metric) and cell.value("worker", metric).median)
                       for metric in ("steal_time_median", "steal_time_p99", "steals")),
                     format_number(failed[0]) if failed else "",
                     *(format_number(cell.value("worker", metric) and cell.value("worker", metric).median)
                       for metric in ("jain_tasks", "jain_work"))])
    return Table(name, title[:1].upper() + title[1:],
                 f"{explained(cells)} The ratio is of times, against {asked}={reference} of the same deque, invocation by "
                 f"invocation; below 1 is faster. {notes_of(cells)}",
                 ["deque", asked, "time (ms)", "ratio", "95 % interval", "verdict", "a steal, median (ns)", "99 % (ns)",
                  "steals", "failed a steal", "balance of tasks", "balance of time"], rows, [2, 3, 6, 7, 8, 9, 10, 11])


def held_against(cells, asked, reference):
    """{cell's name: its Judgement against the same deque's cell of the reference}."""
    beside = {cell.series: cell for cell in cells if cell.params[asked] == reference}
    return {cell.name: statistics.judge_invocations(cell.value("pool", "run_time").by_invocation,
                                                    beside[cell.series].value("pool", "run_time").by_invocation)
            for cell in cells if cell.series in beside and cell is not beside[cell.series]}
