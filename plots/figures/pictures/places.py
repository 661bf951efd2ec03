"""The matrix of places: a cache line there and back between all pairs of cores, the floor under every steal, and the
latency of a steal by the thief's place."""

import re
from collections import defaultdict

from harness.judging.cells import bars_are, cells_of, grouped, interval_heading, varying_parameters
from harness.judging.summaries import usable
from harness.judging.words import format_number, sentence
from plots.figures.grammar import Of, row_layers, slug, table
from plots.figures.picture import Axis, Field, Frame, Picture, Rule, Text, log_axis, rows_axis
from plots.figures.styles import Looks

WORDS = {"same-core": "the core's sibling", "same-socket": "same socket", "cross-socket": "other socket"}
LACKS = {"same-core": "no core has a second processor (SMT)", "same-socket": "no socket has a second core",
         "cross-socket": "there is no second socket"}
# Each workload's metric of one steal by one thief.
STEALS = {"steal": Of("thief", "steal_latency"), "contention": Of("thief", "steal_time")}
MICROSECONDS = "\N{MICRO SIGN}s"
NUMBERS_UP_TO = 16  # cores; above, a number in each field could not be read
FLOOR = "a line there and back"  # two transfers; a steal waits for at least one
ACROSS = "#D55E00"  # what lies between sockets, and the floor
NO_PUBLISHED = "None of the papers states such times."


def draw(run, _sections, summaries):
    for tag, cells in grouped([cell for cell in cells_of(run, summaries) if cell.metrics], lambda cell: cell.tag).items():
        pingpong = next((cell.metrics for cell in cells if cell.workload == "pingpong"), None)
        stem = f"{tag}-" if tag else ""
        if pingpong and times_of_pairs(pingpong):
            yield tag, matrix_picture(f"{stem}matrix", pingpong)
        floors = {relation: usable(pingpong.get((relation, "ping_pong_time"))) if pingpong else None for relation in WORDS}
        for workload, time in STEALS.items():
            groups = same_question([cell for cell in cells if cell.workload == workload and cell.params.get("placement") in WORDS])
            for text, group in groups.items():
                name = f"{stem}{workload}-by-place" + (f"-{slug(text)}" if len(groups) > 1 else "")
                rows = rows_of(group, time)
                if any(map(time, group)):
                    yield tag, steals_picture(Looks(run), name, text, rows, time, floors)
                yield tag, steals_table(f"{name}-table", text, rows, time, floors, bool(pingpong))


# --- all pairs

def times_of_pairs(pingpong):
    """{(processor, processor): ns}, each pair once."""
    found = {re.fullmatch(r"(\d+)-(\d+)", role): summary.median for (role, metric), summary in pingpong.items()
             if metric == "ping_pong_time" and usable(summary)}
    return {(int(pair[1]), int(pair[2])): time for pair, time in found.items() if pair}


def cores_in_order(times, sockets):
    """({processor: its sibling's time}, processors that stand for a core, socket by socket). A processor that meets only one
    other, where most meet many, is a sibling."""
    partners = defaultdict(set)
    for a, b in times:
        partners[a].add(b)
        partners[b].add(a)
    most = max(map(len, partners.values()))
    cores = [one for one in partners if len(partners[one]) > 1 or most == 1]
    siblings = {a: time for (a, b), time in times.items() if a in cores and b not in cores}
    return siblings, sorted(cores, key=lambda one: (sockets.get(one, 0), one))


def matrix_picture(name, pingpong):
    times = times_of_pairs(pingpong)
    sockets = {int(role): int(summary.median) for (role, metric), summary in pingpong.items()
               if metric == "socket" and role.isdigit() and usable(summary)}
    siblings, cores = cores_in_order(times, sockets)
    both = times | {(b, a): time for (a, b), time in times.items()}
    field = [[siblings.get(a) if a == b else both.get((a, b)) for b in cores] for a in cores]
    known = [time for row in field for time in row if time is not None]
    middle = (0.9 * min(known) + max(known)) / 2
    missing = [LACKS[relation] for relation in WORDS if not usable(pingpong.get((relation, "ping_pong_time")))]
    frame = Frame([], processors_axis(cores), processors_axis(cores, down=True), sentence("; ".join(missing)), "",
                  field=Field(field, "ns there and back"))
    if len(cores) <= NUMBERS_UP_TO:
        frame.texts = [Text(column, row, format_number(time), "center", "#FFFFFF" if time < middle else "#000000")
                       for row, of_row in enumerate(field) for column, time in enumerate(of_row) if time is not None]
    for place in range(1, len(cores)):
        if sockets.get(cores[place]) != sockets.get(cores[place - 1]):
            frame.rules += [Rule(place - 0.5, upright, ACROSS, "solid") for upright in (True, False)]
    diagonal = "On the diagonal: the two processors of one core. " if siblings else ""
    size = min(7.5, 2.6 + 0.28 * len(cores))
    return Picture(name, "A cache line there and back, between all pairs of cores",
                   "Median over invocations of each pair's time, in ns, for a line that two threads write in turn: two transfers. A "
                   f"steal waits for at least one. {diagonal}"
                   + (f"On this machine {' and '.join(missing)}. " if missing else "") + NO_PUBLISHED, [frame], size + 0.9, size)


def processors_axis(cores, down=False):
    """Processor numbers, as many as fit."""
    step = max(1, -(-len(cores) // 32))
    ends = (len(cores) - 0.5, -0.5) if down else (-0.5, len(cores) - 0.5)
    ticks = [(place, str(cores[place])) for place in range(0, len(cores), step)]
    return Axis("processor", low=ends[0], high=ends[1], ticks=ticks, steep=not down and len(cores) > 12)


# --- steals by place

def settings_text(params, names):
    return ", ".join(f"{name}={params[name]}" for name in names if name in params)


def same_question(cells):
    """{the settings that differ, as text: cells that may share a figure}. A deque's own mode and the place of memory stand in the
    labels of its rows instead."""
    common = set.intersection(*(set(cell.params) for cell in cells)) if cells else set()
    varying = [name for name in varying_parameters([cell.params for cell in cells])
               if name in common - {"placement", "memory", "seed"}]
    return grouped(cells, lambda cell: settings_text(cell.params, varying))


def rows_of(cells, time):
    """{label: {relation: cell}}, the fastest first, by the nearest place that was measured."""
    told = [name for name in varying_parameters([cell.params for cell in cells]) if name not in ("placement", "seed")
            and len({cell.params[name] for cell in cells if name in cell.params}) > 1]
    rows = defaultdict(dict)
    for cell in cells:
        rows[", ".join(filter(None, (cell.title, settings_text(cell.params, told))))][cell.params["placement"]] = cell

    def rank(label):
        return next(((place, time.median(rows[label][relation])) for place, relation in enumerate(WORDS)
                     if relation in rows[label] and time(rows[label][relation])), (len(WORDS), 0.0))

    return {label: rows[label] for label in sorted(rows, key=rank)}


def missing_words(rows, time, floors):
    """Why some places have no value, as a sentence."""
    words = []
    for relation in WORDS:
        asked = [row[relation] for row in rows.values() if relation in row]
        if asked and not any(map(time, asked)):
            why = "see the cells that are missing" if floors[relation] else LACKS[relation] + " on this machine"
            words.append(f"{WORDS[relation]}: not measured, {why}")
    return sentence("; ".join(words)) + ". " if words else ""


def steals_picture(looks, name, text, rows, time, floors):
    """A row a deque, a column a place, all on one axis; the floor is a line across a column."""
    cells = [cell for row in rows.values() for cell in row.values() if time(cell)]
    unit = "us" if max(map(time.median, cells)) >= 1e4 else "ns"
    time = Of(time.role, time.metric, unit)
    lines = {relation: floor.median / 2 / (1e3 if unit == "us" else 1) for relation, floor in floors.items() if floor}
    ends = [end or time.median(cell) for cell in cells for end in time(cell)[1:]] + [time.median(cell) for cell in cells]
    low, high = min([*lines.values(), *ends]), max([*lines.values(), *ends])
    frames = []
    for relation in WORDS:
        layers = row_layers([(place, time(row[relation]), looks.of(row[relation].deque), "") for place, row in enumerate(rows.values())
                             if relation in row and time(row[relation])], "across", texts=False)
        says = "" if layers else "not measured" if relation in lines else f"not measured here: {LACKS[relation]}"
        frames.append(Frame(layers, log_axis(f"{unit.replace('us', MICROSECONDS)} a steal", low / 1.2, high * 1.2),
                            rows_axis(list(rows), named=not frames), WORDS[relation], "x", says=says,
                            rules=[Rule(lines[relation], True, ACROSS, "solid")] if relation in lines else []))
    return Picture(name, "Latency of a steal by the thief's place" + (f": {text}" if text else ""),
                   f"{bars_are([time.summary(cell) for cell in cells])} Logarithmic. Red line: half of a cache line's time there and "
                   "back between two cores at that distance, which is one transfer. "
                   f"{missing_words(rows, time, floors)}{NO_PUBLISHED}", frames, 8.5, 0.9 + 0.24 * len(rows))


def value_text(summary):
    if not summary:
        return "(not measured)"
    interval = f" [{format_number(summary.low)}, {format_number(summary.high)}]" if summary.low is not None else ""
    return format_number(summary.median) + interval


def steals_table(name, text, rows, time, floors, has_floor):
    def at(relation):
        return lambda row: value_text(row[1][relation]) if relation in row[1] else ""

    counts = [one.invocations for row in rows.values() for cell in row.values() if (one := time.summary(cell))]
    lines = [(FLOOR, floors)] * has_floor + [(label, {relation: time.summary(cell) for relation, cell in row.items()})
                                             for label, row in rows.items()]
    return table(name, "Latency of a steal by the thief's place, in ns" + (f": {text}" if text else ""),
                 f"Medians over invocations with {interval_heading(counts)}s. {missing_words(rows, time, floors)}{NO_PUBLISHED}",
                 [("deque", 0), *((f"#{words}", at(relation)) for relation, words in WORDS.items())], lines)
