"""Times of applications on the pool, a row a deque, for those that have no figure of their own: fib, nqueens, uts,
knapsack, and whatever comes later; but for sweeps of block and capacity (best_settings.py)."""

from plots.data.cells import bars_are, cells_of, grouped, notes_of
from plots.data.runtimes import RUNTIMES
from plots.data.sections import varying_parameters
from plots.data.words import NANOSECONDS, format_number, threads_text, words_for
from plots.figures.groups import LINES_MAX
from plots.figures.multiples import told_apart_by_settings
from plots.figures.picture import Frame, Layer, Mark, Picture, bars_axis, rows_axis
from plots.figures.pictures import best_settings
from plots.figures.styles import Looks

DRAWN_ELSEWHERE = {"bag", "dag", "duplicates", "quicksort", "walk"}
UNIT = {"s": "time in s", "ms": "time in ms", "us": "time in \N{MICRO SIGN}s"}
FRAMES_MAX = 4  # side by side


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.workload not in DRAWN_ELSEWHERE
             and cell.params.get("threads", "").isdigit() and time_of(cell)]
    beside_others = {cell.tag for cell in cells if cell.deque in RUNTIMES}  # runtimes.py draws those
    cells = [cell for cell in cells if cell.tag not in beside_others]
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        swept = best_settings.drawn_of(mine)
        mine = [cell for cell in mine if cell.name not in swept]
        if not mine:
            continue
        shared = set.intersection(*(set(cell.params) for cell in mine))  # a deque's own mode is no setting
        apart = [name for name in varying_parameters([cell.params for cell in mine]) if name in shared and name != "threads"]
        groups = grouped(mine, lambda cell: tuple(cell.params[name] for name in apart))
        if len(groups) > FRAMES_MAX and len({cell.deque for cell in mine}) <= LINES_MAX:
            yield tag, by_setting(f"{tag or workload}-{workload}-times", f"Time of {workload} by setting", groups, apart, looks)
            continue
        names = told_apart_by_settings(f"{tag or workload}-{workload}-times", [dict(zip(apart, key)) for key in groups])
        for name, (key, some) in zip(names, groups.items()):
            if len({cell.deque for cell in some}) > 1:
                text = ", ".join(words_for(one, value) for one, value in zip(apart, key))
                yield tag, picture(name, f"Time of {workload}" + (f", {text}" if text else ""), some, looks)


def telling(names, keys):
    """Of these settings those that tell the groups apart: none that others before it decide."""
    told = []
    for place, name in enumerate(names):
        before = [names.index(one) for one in told]
        decided = {}
        if any(decided.setdefault(tuple(key[one] for one in before), key[place]) != key[place] for key in keys):
            told.append(name)
    return told


def by_setting(name, title, groups, apart, looks):
    """More settings than deques: a row each, the deques in it, a frame for each number of threads."""
    first = [one for one in apart if one == "pool"] + [one for one in apart if one != "pool"]  # it decides others
    told = telling(first, [tuple(key[apart.index(one)] for one in first) for key in groups])
    rows = [", ".join(words_for(one, key[apart.index(one)]) for one in told) for key in groups]
    cells = [cell for some in groups.values() for cell in some]
    deques = list(grouped(cells, lambda cell: cell.deque))
    thick = 0.8 / len(deques)
    # Two deques may have one colour: then their shapes tell them apart.
    kind = "bars" if len({looks.of(deque).colour for deque in deques}) == len(deques) else "across"
    highest = max(nanoseconds(cell)[0] for cell in cells)
    unit = next(unit for unit in ("s", "ms", "us") if highest >= NANOSECONDS[unit] or unit == "us")
    frames = []
    for number in sorted({int(cell.params["threads"]) for cell in cells}):
        layers = []
        for place, deque in enumerate(deques):
            marks = []
            for row, some in enumerate(groups.values()):
                for cell in some:
                    if (cell.deque, int(cell.params["threads"])) == (deque, number):
                        middle, *ends = (None if value is None else value / NANOSECONDS[unit] for value in nanoseconds(cell))
                        marks.append(Mark(middle, row + thick * (place + 0.5) - 0.4, *ends, text=format_number(middle)))
            if marks:
                label = next(cell.title for cell in cells if cell.deque == deque)
                layers.append(Layer(marks, looks.of(deque), kind, label, 0.9 * thick))
        frames.append(Frame(layers, bars_axis(UNIT[unit], layers), rows_axis(rows, len(frames) % FRAMES_MAX == 0),
                            threads_text(number), "x"))
    columns = min(FRAMES_MAX, len(frames))
    return Picture(name, title, f"{bars_are([time_of(cell) for cell in cells])} {notes_of(cells)}", frames, 4.6 + 2.4 * columns,
                   0.8 + (0.12 + 0.13 * len(deques)) * len(rows), columns)


def time_of(cell):
    summary = cell.value("pool", "run_time")
    return summary if summary and summary.unit in NANOSECONDS else None


def nanoseconds(cell):
    return time_of(cell).scaled(NANOSECONDS[time_of(cell).unit])


def picture(name, title, cells, looks):
    """A frame for each number of threads; the rows are in the order of the fewest."""
    threads = sorted({int(cell.params["threads"]) for cell in cells})
    first = {cell.series: nanoseconds(cell)[0] for cell in reversed(sorted(cells, key=lambda cell: int(cell.params["threads"])))}
    order = sorted(first, key=first.get)
    labels = {cell.series: cell.label for cell in cells}
    unit = next(unit for unit in ("s", "ms", "us") if max(first.values()) >= NANOSECONDS[unit] or unit == "us")
    frames = []
    for number in threads:
        layers = []
        for cell in cells:
            if int(cell.params["threads"]) == number:
                middle, *ends = (None if value is None else value / NANOSECONDS[unit] for value in nanoseconds(cell))
                mark = Mark(middle, order.index(cell.series), *ends, text=format_number(middle))
                layers.append(Layer([mark], looks.of(cell.deque), "bars"))
        named = len(frames) % FRAMES_MAX == 0
        frames.append(Frame(layers, bars_axis(UNIT[unit], layers), rows_axis([labels[one] for one in order], named),
                            threads_text(number), "x"))
    columns = min(FRAMES_MAX, len(frames))
    return Picture(name, title, f"{bars_are([time_of(cell) for cell in cells])} {notes_of(cells)}", frames,
                   3.2 + 2.4 * columns, 0.8 + 0.26 * len(order), columns)
