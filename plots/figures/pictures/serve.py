"""Requests that arrive from outside the pool: sojourn times against load beside a queue of theory, the time of a wake-up, the
cost of waiting, a worker's way of waiting against its deque, the slot before the deque, and everything as a table."""

from plots import statistics
from plots.data.cells import cells_of, grouped
from plots.data.histograms import read_histograms
from plots.data.queueing import quantile, system_of
from plots.data.sections import varying_parameters
from plots.data.words import in_order, joined, sentence
from plots.figures.grammar import Of, alike, caption, in_row, in_words, line, named, param, row_layers, table
from plots.figures.picture import Axis, Frame, Layer, Mark, Picture, asinh_axis, rows_axis
from plots.figures.styles import IDEAL, KINDS_OF_THINGS, OWN_DASHES, SHAPES, Look, Looks

SOJOURN = {part: Of("request", f"sojourn_{part}", "us") for part in ("p50", "p99", "p99.9")}
PARTS = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
SERVICE = {part: Of("request", f"service_{part}", "us") for part in ("p50", "p99")}
WAKE = Of("request", "wake_up_p50", "us")
BUSY, SWITCHES = Of("pool", "processors_busy"), Of("pool", "switches_per_second")
PAID = Of("pool", "processor_time_per_request", "us")
CAPACITY, HIGHEST = Of("pool", "request_capacity", scale=1e-3), Of("pool", "highest_load")
LATE = Of("generator", "late_share")
IDLES = ["spin", "yield", "adaptive", "sleep", "wake_each"]
LOADS_LEAST = 3  # that make a line
FROM_DUE = "A request's time runs from its due time, not from its hand-over."


def load_of(cell):
    return float(cell.params["load"])


def load_axis(label="load (% of the capacity)", low=0.0, high=100.0):
    return Axis(label, low=low, high=high)


def asked(cells, but):
    """Settings that vary among these cells, without those in `but` and the modes that some deques have."""
    return [name for name in varying_parameters([cell.params for cell in cells])
            if name not in but and all(name in cell.params for cell in cells)]


def by_section(run, summaries, ours=False):
    """(section, its cells); ours: of the pool, whose settings other runtimes do not have."""
    return grouped([cell for cell in cells_of(run, summaries, "serve") if not ours or "idle" in cell.params],
                   lambda cell: cell.tag or "serve").items()


# --- sojourn against load

def sojourn(run, _sections, summaries):
    looks = Looks(run)
    for tag, cells in by_section(run, summaries):
        cells = [cell for cell in cells if load_of(cell) >= 5]
        names = asked(cells, ("load",))
        for name, setting, mine in named(f"{tag}-sojourn", alike(cells, names), names):
            if len({load_of(cell) for cell in mine}) >= LOADS_LEAST and any(SOJOURN["p99"](cell) for cell in mine):
                text = in_words(setting)
                yield tag, sojourn_picture(name, f"Sojourn time against load{', ' * bool(text)}{text}", mine, looks)


def sojourn_picture(name, title, cells, looks):
    frames, known = [], False
    for part, measure in SOJOURN.items():
        layers = [line([(load_of(cell), measure(cell)) for cell in mine if measure(cell)], looks.of(mine[0].deque), mine[0].label)
                  for mine in grouped(cells, lambda cell: cell.series).values()]
        ideal = theory(cells, PARTS[part])
        known = known or bool(ideal)
        layers.append(Layer(ideal, IDEAL, "line", "theory" if ideal else ""))
        frames.append(Frame(layers, load_axis("" if frames else "load (% of the capacity)"),
                            Axis("" if frames else "sojourn time (\N{MICRO SIGN}s)", "log"), f"{part[1:]} %", grid="both"))
    told = ["Quantiles of the sojourn time, one line a deque; load is a share of that deque's capacity.", FROM_DUE]
    if known:
        told.append("Dotted: M/M/c, whose workers share one queue and have the same capacity; it is a bound for every "
                    "deque." if cells[0].params["cost"] == "exponential" else "Dotted: M/D/1 of the same capacity.")
    return Picture(name, title, caption(" ".join(told), cells, SOJOURN["p99"]), frames, 10)


def theory(cells, part):
    """Marks of the queue of theory for these cells, at the median of their capacities; [] if there is none."""
    capacities = [CAPACITY.median(cell) for cell in cells if CAPACITY(cell)]
    if not capacities:
        return []
    capacity = statistics.median(capacities) * 1e-3  # a microsecond
    loads = sorted({load_of(cell) for cell in cells})
    steps = [loads[0] + (loads[-1] - loads[0]) * i / 40 for i in range(41)]
    found = [(load, system_of(cells[0].params, capacity * load / 100, capacity)) for load in steps if load < 100]
    return [Mark(load, quantile(system, part)) for load, system in found if system]


# --- how a worker waits

def look_of(values, value):
    """Looks for settings: a colour, shape and dash by their place."""
    place, colours = values.index(value), [KINDS_OF_THINGS[kind] for kind in ("second", "third", "good", "waiting", "fourth")]
    return Look(colours[place % len(colours)], SHAPES[place % len(SHAPES)], OWN_DASHES[place % len(OWN_DASHES)])


def variant_name(cells):
    """The setting that makes the lines of a picture: how a worker waits, or how long before it sleeps; None."""
    return next((name for name in ("idle", "patience") if len({cell.params.get(name) for cell in cells}) > 1), None)


def values_in(cells, name):
    found = {cell.params[name] for cell in cells}
    return [value for value in IDLES if value in found] if name == "idle" else sorted(found, key=in_order)


def waking(run, _sections, summaries):
    """The distribution of the time from hand-over to the first instruction, at the load with the longest one."""
    histograms = read_histograms(run)
    for tag, cells in by_section(run, summaries, ours=True):
        name = variant_name(cells)
        with_tail = [cell for cell in cells if (cell.name, "request", "wake_up") in histograms]
        if not name or not with_tail:
            continue
        deque = with_tail[0].deque
        frames, shown, values = [], [], values_in(cells, name)
        for load in sorted({load_of(cell) for cell in with_tail if cell.deque == deque}):
            layers = []
            for cell in with_tail:
                if cell.deque == deque and load_of(cell) == load:
                    points = [Mark(value / 1e3, left) for value, left in histograms[cell.name, "request", "wake_up"].tail() if left > 0]
                    layers.append(Layer(points, look_of(values, cell.params[name]), "line", f"{name}={cell.params[name]}"))
                    shown.append(cell)
            if any(layer.marks for layer in layers):
                frames.append(Frame(layers, Axis("\N{MICRO SIGN}s" if frames else "time to wake (\N{MICRO SIGN}s)", "log"),
                                    Axis("" if frames else "share that takes longer", "log", 1e-3, 1.05), f"load {load:g} %", grid="both"))
        if frames:
            yield tag, Picture(f"{tag}-wake_up", "From hand-over to an idle pool to the first instruction",
                               caption(f"Of requests that found nothing under way, all processes together; {shown[0].label}. A worker "
                                       "that sleeps is woken by the generator.", shown), frames, max(5, 2.8 * len(frames)))


def processor_time(run, _sections, summaries):
    """The cost of waiting: busy processors and context switches, over the load."""
    for tag, cells in by_section(run, summaries, ours=True):
        name = variant_name(cells)
        for deque, mine in grouped(cells, lambda cell: cell.deque).items():
            loads = sorted({load_of(cell) for cell in mine})
            if not name or len(loads) < LOADS_LEAST:
                continue
            values, frames = values_in(mine, name), []
            for measure, label in ((BUSY, "processors kept busy"), (SWITCHES, "context switches a second")):
                layers = [line([(loads.index(load_of(cell)), measure(cell)) for cell in mine if cell.params[name] == value and measure(cell)],
                               look_of(values, value), f"{name}={value}") for value in values]
                most = max((mark.y for layer in layers for mark in layer.marks), default=1)
                frames.append(Frame(layers, Axis("load (% of the capacity)", ticks=[(i, f"{load:g}") for i, load in enumerate(loads)]),
                                    asinh_axis(label, most, 2 * most) if measure is SWITCHES else Axis(label, low=0), grid="y"))
            yield tag, Picture(f"{tag}-processor_time-{deque}", f"The cost of waiting, {mine[0].title}",
                               caption("Processor time of the workers over elapsed time, and their context switches. At load 0 nothing "
                                       "arrives, so all cost there is the cost of waiting.", mine, BUSY), frames, 8.5)


def policy_against_deque(run, _sections, summaries):
    """Rows are ways of waiting, marks are deques: which of the two changes the result more?"""
    looks = Looks(run)
    for tag, cells in by_section(run, summaries, ours=True):
        for load, mine in grouped(cells, load_of).items():
            deques = list(dict.fromkeys(cell.series for cell in mine))
            rows = values_in(mine, "idle")
            if len(deques) < 2 or len(rows) < LOADS_LEAST or load == 0:
                continue
            frames, spreads = [], []
            for measure, label in ((SOJOURN["p50"], "sojourn p50 (\N{MICRO SIGN}s)"), (SOJOURN["p99"], "sojourn p99 (\N{MICRO SIGN}s)"),
                                   (PAID, "processor time a request (\N{MICRO SIGN}s)")):
                layers = []
                for place, deque in enumerate(deques):
                    its = [cell for cell in mine if cell.series == deque and measure(cell)]
                    layers += row_layers([(rows.index(cell.params["idle"]) + in_row(place, len(deques)), measure(cell), looks.of(cell.deque),
                                           cell.label) for cell in its], "across", texts=False)
                if layers:
                    frames.append(Frame(layers, Axis(label, "log"), rows_axis(rows, named=not frames), grid="both"))
                    spreads.append(spread_text(mine, measure, label.partition(" (")[0]))
            if frames:
                yield tag, Picture(f"{tag}-policy-{load:g}", f"How a worker waits, against its deque; load {load:g} %",
                                   caption(" ".join(filter(None, spreads)), mine, SOJOURN["p99"]), frames, 2.2 + 2.6 * len(frames),
                                   0.9 + (0.22 + 0.06 * len(deques)) * len(rows))


def spread_text(cells, measure, what):
    """By what factor medians differ among policies on one deque, and among deques under one policy, at most."""
    def factor(key):
        found = [[measure.median(cell) for cell in some if measure.median(cell)] for some in grouped(cells, key).values()]
        return max((max(some) / min(some) for some in found if len(some) > 1), default=None)

    by_policy, by_deque = factor(lambda cell: cell.series), factor(lambda cell: cell.params["idle"])
    if not by_policy or not by_deque:
        return ""
    return f"{sentence(what)}: policies differ by up to {by_policy:.3g} times on one deque, deques by {by_deque:.3g} times under one policy."


# --- the slot before the deque

SLOTS = {"0": "no slot", "1": "a slot out of thieves' reach", "aged": "a slot that may be stolen after a while", "stealable": "a slot that may be stolen"}


def slot(run, _sections, summaries):
    for tag, cells in by_section(run, summaries, ours=True):
        values = [value for value in SLOTS if any(cell.params.get("slot") == value for cell in cells)]
        if "stealable" not in values or len(values) < 2:
            continue
        settings = ["request", "after", *asked(cells, ("slot", "request", "after"))]
        groups = list(grouped(cells, lambda cell, settings=settings: (cell.title, *(cell.params[name] for name in settings))).values())
        rows = [", ".join([mine[0].title, mine[0].params["request"], f"after {mine[0].params['after']} %"]) for mine in groups]
        frames = []
        for measure, label in ((SERVICE["p50"], "a request, p50 (\N{MICRO SIGN}s)"), (SERVICE["p99"], "p99 (\N{MICRO SIGN}s)"),
                               (PAID, "processor time a request (\N{MICRO SIGN}s)"), (CAPACITY, "capacity (thousand requests a second)")):
            entries = [(row + in_row(values.index(cell.params["slot"]), len(values)), measure(cell), look_of(values, cell.params["slot"]),
                        SLOTS[cell.params["slot"]]) for row, mine in enumerate(groups) for cell in mine if measure(cell)]
            layers = row_layers(entries, "across", texts=False)
            if layers:
                frames.append(Frame(layers, Axis(label, "log"), rows_axis(rows, named=not frames), grid="both"))
        if frames:
            yield tag, Picture(f"{tag}-slot", "The slot before the deque: who may take the task woken last?",
                               caption("A request: from its first instruction to its last. after: work that a task does after it has woken others, relative to a part's work. If there is none, "
                                       "the woken task is best left in the slot; otherwise it waits there, out of thieves' reach.",
                                       cells, SERVICE["p50"]), frames, 3.2 + 2.3 * len(frames), 0.9 + 0.42 * len(rows))


# --- everything

def everything(run, _sections, summaries):
    for tag, cells in by_section(run, summaries):
        told = [name for name in asked(cells, ()) if name != "load"]
        columns = [("deque", lambda cell: cell.label), *((name, param(name)) for name in told), ("#load (%)", param("load")),
                   ("#capacity (k/s)", CAPACITY), *((f"#{part} (\N{MICRO SIGN}s)", measure) for part, measure in SOJOURN.items()),
                   ("#service p50 (\N{MICRO SIGN}s)", SERVICE["p50"]), ("#wake-up (\N{MICRO SIGN}s)", WAKE), ("#busy", BUSY), ("#a request (\N{MICRO SIGN}s)", PAID), ("#late (%)", LATE)]
        if any(HIGHEST(cell) for cell in cells):
            columns.append(("#highest load (%)", HIGHEST))
        yield tag, table(f"{tag}-serve", "Requests under an open load", caption(
            f"{FROM_DUE} Capacity: thousand requests a second if all come at once. p50 to p99.9: of the sojourn time. Service: first to last instruction. Wake-up: median of "
            "requests that found the pool idle. Busy: processors that the workers kept busy. A request: their processor time over the "
            f"requests. Late: requests that the generator handed over too late{'; ' + joined(told) + ' vary' if told else ''}.", cells),
            columns, sorted(cells, key=lambda cell: ([in_order(cell.params[name]) for name in told], load_of(cell))), in_text=True)


DRAWN = {"sojourn": sojourn, "waking": waking, "processor_time": processor_time, "policy_against_deque": policy_against_deque,
         "slot": slot, "everything": everything}
