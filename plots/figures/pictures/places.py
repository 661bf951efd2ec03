"""The matrix of places: a cache line there and back between all pairs of cores, the floor under every steal, and the
latency of a steal by where the thief sits."""

import re
from collections import defaultdict
from dataclasses import dataclass

from plots.data.cells import bars_are
from plots.data.summaries import metrics_by_cell, usable
from plots.data.words import format_number, sentence
from plots.figures.multiples import slug
from plots.figures.picture import Axis, Field, Frame, Layer, Mark, Picture, Rule, Table, Text, log_axis, rows_axis
from plots.figures.styles import Looks

RELATIONS = ("same-core", "same-socket", "cross-socket")
WORDS = {"same-core": "the core's sibling", "same-socket": "same socket", "cross-socket": "other socket"}
LACKS = {"same-core": "no core has a second processor (SMT)", "same-socket": "no socket has a second core",
         "cross-socket": "there is no second socket"}
# How a workload calls the time of one steal by one thief.
STEAL_METRICS = {"steal": ("thief", "steal_latency"), "contention": ("thief", "steal_time")}
NUMBERS_UP_TO = 16  # cores; above, a number in each field could not be read
FLOOR = "a line there and back"  # two transfers; a steal has to wait for one at least
ACROSS = "#D55E00"  # what lies between sockets, and the floor
NO_PUBLISHED = "No paper of ours states such times; there is nothing to put beside them."


@dataclass
class Steal:
    """A cell whose thief stands in a relation to the owner."""

    deque: str
    label: str
    relation: str
    summary: object  # None: no value


def draw(run, _sections, summaries):
    by_cell = metrics_by_cell(summaries)
    tags = dict.fromkeys(tag for cell in run.cells.values() for tag in cell["tags"] or [""])
    for tag in tags:
        names = [name for name, cell in run.cells.items() if tag in (cell["tags"] or [""]) and by_cell.get(name)]
        pingpong = next((by_cell[name] for name in names if run.cells[name]["workload"] == "pingpong"), None)
        stem = f"{tag}-" if tag else ""
        if pingpong and times_of_pairs(pingpong):
            yield tag, matrix_picture(f"{stem}matrix", pingpong)
        for workload in STEAL_METRICS:
            placed = [name for name in names if run.cells[name]["workload"] == workload
                      and run.cells[name]["params"].get("placement") in RELATIONS]
            groups = alike(run, placed)
            for text, group in groups.items():
                name = f"{stem}{workload}-by-place" + (f"-{slug(text)}" if len(groups) > 1 else "")
                steals = steals_of(run, group, by_cell)
                if any(steal.summary for steal in steals):
                    yield tag, steals_picture(run, name, text, steals, pingpong)
                yield tag, steals_table(f"{name}-table", text, steals, pingpong)


def floor_of(pingpong, relation):
    return usable(pingpong.get((relation, "ping_pong_time"))) if pingpong else None


# --- all pairs

def times_of_pairs(pingpong):
    """{(processor, processor): ns}, each pair once."""
    times = {}
    for (role, metric), summary in pingpong.items():
        pair = re.fullmatch(r"(\d+)-(\d+)", role)
        if pair and metric == "ping_pong_time" and usable(summary):
            times[int(pair[1]), int(pair[2])] = summary.median
    return times


def sockets_of(pingpong):
    return {int(role): int(summary.median) for (role, metric), summary in pingpong.items()
            if metric == "socket" and role.isdigit() and usable(summary)}


def cores_in_order(times, sockets):
    """({processor: its sibling's time}, processors that stand for a core, socket by socket). Processors that only meet
    one other, where most meet many, are siblings."""
    partners = defaultdict(set)
    for a, b in times:
        partners[a].add(b)
        partners[b].add(a)
    most = max(map(len, partners.values()))
    cores = [one for one in partners if len(partners[one]) > 1 or most == 1]
    siblings = {}
    for (a, b), time in times.items():
        if a in cores and b not in cores:
            siblings[a] = time
    return siblings, sorted(cores, key=lambda one: (sockets.get(one, 0), one))


def matrix_picture(name, pingpong):
    times, sockets = times_of_pairs(pingpong), sockets_of(pingpong)
    siblings, cores = cores_in_order(times, sockets)
    both = times | {(b, a): time for (a, b), time in times.items()}
    field = [[siblings.get(a) if a == b else both.get((a, b)) for b in cores] for a in cores]
    known = [time for row in field for time in row if time is not None]
    middle = (0.9 * min(known) + max(known)) / 2
    frame = Frame([], processors_axis(cores), processors_axis(cores, down=True), grid="",
                  field=Field(field, "ns there and back"))
    if len(cores) <= NUMBERS_UP_TO:
        frame.texts = [Text(column, row, format_number(time), "center", "#FFFFFF" if time < middle else "#000000")
                       for row, of_row in enumerate(field) for column, time in enumerate(of_row) if time is not None]
    for place in range(1, len(cores)):
        if sockets.get(cores[place]) != sockets.get(cores[place - 1]):
            frame.rules += [Rule(place - 0.5, upright, ACROSS, "solid") for upright in (True, False)]
    diagonal = "On the diagonal: the two processors of one core. " if siblings else ""
    missing = [LACKS[relation] for relation in RELATIONS if not floor_of(pingpong, relation)]
    frame.title = sentence("; ".join(missing))
    size = min(7.5, 2.6 + 0.28 * len(cores))
    return Picture(name, "A cache line there and back, between all pairs of cores",
                   "Median over invocations of each pair's time, in ns, for a line that two threads write in turn: two "
                   f"transfers; a steal has to wait for one at least. {diagonal}"
                   + (f"On this machine {' and '.join(missing)}. " if missing else "") + NO_PUBLISHED,
                   [frame], size + 0.9, size)


def processors_axis(cores, down=False):
    """Processor numbers, as many as fit."""
    step = max(1, -(-len(cores) // 32))
    ends = (len(cores) - 0.5, -0.5) if down else (-0.5, len(cores) - 0.5)
    ticks = [(place, str(cores[place])) for place in range(0, len(cores), step)]
    return Axis("processor", low=ends[0], high=ends[1], ticks=ticks, steep=not down and len(cores) > 12)


# --- steals by place

def alike(run, names):
    """{what sets them apart in words: names} for cells that may share a figure: the same question put to every deque,
    whose own mode, and where memory lies, are told in the labels."""
    params = [run.cells[name]["params"] for name in names]
    common = set.intersection(*map(set, params)) if params else set()
    varying = sorted(key for key in common - {"placement", "memory", "seed"} if len({one[key] for one in params}) > 1)
    groups = defaultdict(list)
    for name, one in zip(names, params):
        groups[", ".join(f"{key}={one[key]}" for key in varying)].append(name)
    return groups


def steals_of(run, placed, by_cell):
    """Cells placed in one of the three relations; what varies besides is told in the label."""
    told = [key for key in sorted({key for name in placed for key in run.cells[name]["params"]})
            if key not in ("placement", "seed")
            and len({run.cells[name]["params"][key] for name in placed if key in run.cells[name]["params"]}) > 1]
    steals = []
    for name in placed:
        cell = run.cells[name]
        params = cell["params"]
        facts = run.deque_facts(cell["deque"])
        label = ", ".join([facts.get("title") or cell["deque"],
                           *(f"{key}={params[key]}" for key in told if key in params)])
        summary = usable(by_cell[name].get(STEAL_METRICS[cell["workload"]]))
        steals.append(Steal(cell["deque"], label, params["placement"], summary))
    return steals


def missing_words(steals, pingpong):
    """Why some places have no value, in words."""
    words = []
    for relation in RELATIONS:
        asked = [steal for steal in steals if steal.relation == relation]
        if asked and not any(steal.summary for steal in asked):
            denied = pingpong is None or not floor_of(pingpong, relation)
            words.append(f"{WORDS[relation]}: not measured, " + (LACKS[relation] + " on this machine" if denied
                                                                  else "see the cells that are missing"))
    return words


def steals_picture(run, name, text, steals, pingpong):
    """A row a deque, a column a place, all on one axis; the floor is a line across a column."""
    labels, looks = order_of_labels(steals), Looks(run)
    measured = [steal.summary for steal in steals if steal.summary]
    scale, unit = (1e3, "\N{MICRO SIGN}s") if max(summary.median for summary in measured) >= 1e4 else (1.0, "ns")
    floors = [floor.median / 2 / scale for floor in (floor_of(pingpong, relation) for relation in RELATIONS) if floor]
    low = min(floors + [min(summary.median, summary.low or summary.median) / scale for summary in measured])
    high = max(floors + [max(summary.median, summary.high or summary.median) / scale for summary in measured])
    frames = []
    for relation in RELATIONS:
        found = [steal for steal in steals if steal.relation == relation and steal.summary]
        floor = floor_of(pingpong, relation)
        layers = []
        for steal in found:
            middle, *ends = steal.summary.scaled(1 / scale)
            mark = Mark(middle, labels.index(steal.label), *ends)
            layers.append(Layer([mark], looks.of(steal.deque), "across"))
        frames.append(Frame(layers, log_axis(f"{unit} a steal", low / 1.2, high * 1.2),
                            rows_axis(labels, named=not frames), WORDS[relation], "x",
                            rules=[Rule(floor.median / 2 / scale, True, ACROSS, "solid")] if floor else [],
                            says="" if found else "not measured" if floor else f"not measured here: {LACKS[relation]}"))
    words = missing_words(steals, pingpong)
    return Picture(name, "Latency of a steal by where the thief sits" + (f": {text}" if text else ""),
                   f"{bars_are(measured)} Logarithmic. Red line: half of a cache line's "
                   "way there and back between two cores that stand so, which is one transfer. "
                   + (sentence("; ".join(words)) + ". " if words else "") + NO_PUBLISHED, frames, 8.5,
                   0.9 + 0.24 * len(labels))


def order_of_labels(steals):
    """The fastest first, by the nearest place that was measured."""
    def rank(label):
        return next(((place, steal.summary.median) for place, relation in enumerate(RELATIONS) for steal in steals
                     if steal.label == label and steal.relation == relation and steal.summary), (len(RELATIONS), 0.0))

    return sorted(dict.fromkeys(steal.label for steal in steals), key=rank)


def value_text(summary):
    if not summary:
        return "(not measured)"
    interval = f" [{format_number(summary.low)}, {format_number(summary.high)}]" if summary.low is not None else ""
    return format_number(summary.median) + interval


def steals_table(name, text, steals, pingpong):
    rows = [[FLOOR, *(value_text(floor_of(pingpong, relation)) for relation in RELATIONS)]] if pingpong else []
    for label in order_of_labels(steals):
        found = {steal.relation: steal.summary for steal in steals if steal.label == label}
        rows.append([label, *(value_text(found[relation]) if relation in found else "" for relation in RELATIONS)])
    words = missing_words(steals, pingpong)
    return Table(name, "Latency of a steal by where the thief sits, in ns" + (f": {text}" if text else ""),
                 "Medians over invocations with 95 % intervals. "
                 + (sentence("; ".join(words)) + ". " if words else "") + NO_PUBLISHED,
                 ["deque", *(WORDS[relation] for relation in RELATIONS)], rows, [1, 2, 3])
