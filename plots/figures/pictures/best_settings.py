"""Which size of block and which capacity suits a workload: of a sweep of one deque the best setting, and which others the
rule for verdicts does not tell from it; and the sweep itself, drawn. For sections that have at least three settings of
these of a deque."""

from dataclasses import dataclass

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.sections import varying_parameters
from plots.data.words import NANOSECONDS, format_number, words_for
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table, ticks_of
from plots.figures.styles import Looks, variants_of
from plots.statistics import DIFFERENT, LEAST_PAIRS, verdicts_on

SWEPT = ("block", "room", "capacity")
ALONG = {"block": "items in a block", "room": "room of the deque (items)", "capacity": "capacity (items)"}
LEAST_SETTINGS = 3
LEAST_DRAWN = 4  # values along a picture's axis
WIDE = 5         # times the least: a logarithmic axis
COLUMNS = 4
# What a workload is to be good at: (role, metric, is more better).
GOALS = [("pool", "run_time", False), ("process", "total_operations", True)]


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [(cell, goal) for cell in cells_of(run, summaries) for goal in [goal_of(cell)]
             if goal and any(name in cell.params for name in SWEPT)]
    for tag, mine in grouped(cells, lambda pair: pair[0].tag).items():
        sweeps = sweeps_of(mine)
        if not sweeps:
            continue
        for along in SWEPT:
            made = picture(f"{tag or 'cells'}-by-{along}", along, [one for one in sweeps if one.along == along], looks)
            if made:
                yield tag, made
        yield tag, table(f"{tag or 'cells'}-best-settings", [cell for cell, _ in mine], list(map(row_of, sweeps)))


def goal_of(cell):
    return next((goal for goal in GOALS if cell.value(*goal[:2])), None)


@dataclass
class Sweep:
    """One workload and deque under one setting of everything but what was swept. cells: the best first."""

    text: str
    goal: tuple
    swept: list
    cells: list

    @property
    def along(self):
        """What of it was given the most values."""
        return max(self.swept, key=lambda name: len(self.numbers(name)))

    def numbers(self, name):
        """The values of a setting; 0 is none, but a choice left to the pool or the deque."""
        return sorted({int(cell.params[name]) for cell in self.cells if cell.params[name] not in ("", "0")})

    def value(self, cell):
        return cell.value(*self.goal[:2])


def sweeps_of(pairs):
    """Of (cell, goal)s those that have enough settings."""
    found = []
    for workload, mine in grouped(pairs, lambda pair: pair[0].workload).items():
        told = told_of([cell for cell, _ in mine])
        for (_, goal, rest), sweep in grouped(mine, lambda pair: (pair[0].deque, pair[1], tuple(sorted(
                item for item in pair[0].params.items() if item[0] not in SWEPT)))).items():
            cells = sorted((cell for cell, _ in sweep), key=lambda cell, goal=goal: cell.value(*goal[:2]).median, reverse=goal[2])
            swept = [name for name in varying_parameters([cell.params for cell in cells]) if name in SWEPT]
            if len({setting_of(cell, swept) for cell in cells}) >= LEAST_SETTINGS:
                text = ", ".join([workload, *(words_for(name, value) for name, value in rest if name in told)])
                found.append(Sweep(text, goal, swept, cells))
    return found


def told_of(cells):
    """What tells the sweeps of a workload apart: of a deque's own mode, only what varies of that deque."""
    by_deque = grouped(cells, lambda cell: cell.deque).values()
    return [name for name in varying_parameters([cell.params for cell in cells]) if name not in SWEPT and (
        all(name in cell.params for cell in cells) or any(len({cell.params.get(name) for cell in mine}) > 1 for mine in by_deque))]


def drawn_of(cells):
    """The names of those of these cells, of one section, that the picture of a sweep shows."""
    pairs = [(cell, goal_of(cell)) for cell in cells if goal_of(cell) == GOALS[0] and any(name in cell.params for name in SWEPT)]
    return {cell.name for sweep in sweeps_of(pairs) if len(sweep.numbers(sweep.along)) >= LEAST_DRAWN for cell in sweep.cells}


def row_of(sweep):
    return [sweep.text, sweep.cells[0].title, *verdict_on(sweep.cells, sweep.goal, sweep.swept)]


def picture(name, along, sweeps, looks):
    """The times of these sweeps over what was given the most values: a frame a workload, a line a deque and setting of the
    rest; None where these are few. Operations a second are drawn elsewhere (contention_throughput.py)."""
    sweeps = [one for one in sweeps if one.goal == GOALS[0] and len(one.numbers(along)) >= LEAST_DRAWN]
    if not sweeps:
        return None
    frames = []
    for text, mine in grouped(sweeps, lambda one: one.text).items():
        parts = [mine] if sum(len(lines_of(one, along)) for one in mine) <= LINES_MAX else [[one] for one in mine]
        for part in parts:
            title = text if len(parts) == 1 else f"{text}, {part[0].cells[0].title}"
            frames.append(frame_of(title, along, part, looks, first=len(frames) % COLUMNS == 0))
    cells = [cell for one in sweeps for cell in one.cells]
    own = f" {along}=0, which leaves it to the pool or the deque, is in the table." if any(
        cell.params[along] == "0" for cell in cells) else ""
    return Picture(name, f"Time by {ALONG[along]}",
                   f"Cross: the best median of a deque; the table says which others the rule for verdicts does not tell from it.{own} "
                   f"{bars_are([cell.value(*GOALS[0][:2]) for cell in cells])} {notes_of(cells)}", frames,
                   10 if len(frames) > 1 else 5.8, 2.4, min(COLUMNS, len(frames)))


def lines_of(sweep, along):
    """{(deque, the other settings swept): its cells}"""
    rest = [name for name in sweep.swept if name != along]
    return grouped([cell for cell in sweep.cells if cell.params[along] not in ("", "0")],
                   lambda cell: (cell.deque, ", ".join(words_for(name, cell.params[name]) for name in rest)))


def frame_of(title, along, sweeps, looks, first):
    lines = [(key, one, cells) for one in sweeps for key, cells in sorted(
        lines_of(one, along).items(), key=lambda item: int(item[0][1].rpartition("=")[2] or 0))]
    layers, best = [], []
    for ((deque, rest), sweep, cells), place in zip(lines, variants_of(key for key, *_ in lines)):
        marks = [Mark(int(cell.params[along]), *milliseconds(sweep.value(cell)))
                 for cell in sorted(cells, key=lambda cell: int(cell.params[along]))]
        label = cells[0].title + cells[0].marks + (f", {rest}" if rest else "")
        layers.append(Layer(marks, looks.of(deque, place), label=label))
    for sweep in sweeps:
        mine = [cell for cells in lines_of(sweep, along).values() for cell in cells]
        cell = min(mine, key=lambda cell, sweep=sweep: sweep.value(cell).median)
        best.append(Mark(int(cell.params[along]), milliseconds(sweep.value(cell))[0]))
    layers.append(Layer(best, Look("#222222", "cross"), "points", "the best of a deque", size=1.6))
    ends = [end for layer in layers for mark in layer.marks for end in layer.interval(mark) if end > 0]
    wide = max(ends) > WIDE * min(ends)
    xs = sorted({mark.x for layer in layers for mark in layer.marks})
    y = Axis("time (ms)" if first else "", "log") if wide else Axis("time (ms)" if first else "", low=0, high=1.1 * max(ends))
    return Frame(layers, Axis(ALONG[along], "log2", ticks=ticks_of(xs[::1 if len(xs) < 6 else 2])), y, title, "both")


def milliseconds(summary):
    return summary.scaled(NANOSECONDS[summary.unit] / NANOSECONDS["ms"])


def setting_of(cell, swept):
    return ", ".join(f"{name}={cell.params[name]}" for name in swept)


def verdict_on(cells, goal, swept):
    """Of cells, the best first: its setting, its value, those not told from it, and the worst by how much."""
    values = [cell.value(*goal[:2]) for cell in cells]
    best, worst = values[0], values[-1]
    scale = NANOSECONDS[best.unit] / NANOSECONDS["ms"] if best.unit in NANOSECONDS else 1e-6
    unit = "ms" if best.unit in NANOSECONDS else "million/s"
    verdicts = verdicts_on([(best.by_invocation, other.by_invocation) for other in values[1:]])
    if None in verdicts:
        alike = f"not asked: fewer than {LEAST_PAIRS} invocations"
    else:
        alike = "; ".join(setting_of(cell, swept) for cell, verdict in zip(cells[1:], verdicts)
                          if verdict not in DIFFERENT) or "none"
    times = max(best.median, worst.median) / min(best.median, worst.median) if min(best.median, worst.median) else 0
    return [setting_of(cells[0], swept), f"{format_number(scale * best.median)} {unit}", alike,
            f"{setting_of(cells[-1], swept)}: {times:.2f} times"]


def table(name, cells, rows):
    return Table(name, "The best size of block and capacity, by workload",
                 "Of each sweep the setting with the best median; those that the rule for verdicts (docs/results.md), over the "
                 "whole sweep, does not tell from it are as good; and how much worse the worst is. block=0 is the pool's or the "
                 f"deque's own choice. {notes_of(cells)}",
                 ["workload", "deque", "best", "there", "not told from it", "the worst"], rows, [3])
