"""The matrix of places: a cache line there and back between all pairs of cores, the floor under every steal, and the
latency of a steal by where the thief sits."""

import re
import textwrap
from collections import defaultdict
from dataclasses import dataclass

from figures import colours_of
from pictures import Picture, Table
from sections import format_number

RELATIONS = ("same-core", "same-socket", "cross-socket")
WORDS = {"same-core": "the core's sibling", "same-socket": "same socket", "cross-socket": "other socket"}
LACKS = {"same-core": "no core has a second processor (SMT)", "same-socket": "no socket has a second core",
         "cross-socket": "there is no second socket"}
# How a workload calls the time of one steal by one thief.
STEAL_METRICS = {"steal": ("thief", "steal_latency"), "contention": ("thief", "steal_time")}
NUMBERS_UP_TO = 16  # cores; above, a number in each field could not be read
FLOOR = "a line there and back"  # two transfers; a steal has to wait for one at least
NO_PUBLISHED = "No paper of ours states such times; there is nothing to put beside them."


@dataclass
class Steal:
    """A cell whose thief stands in a relation to the owner."""

    deque: str
    label: str
    relation: str
    summary: object  # None: no value


def draw(run, _sections, summaries):
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
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
            for place, (text, group) in enumerate(alike(run, placed).items()):
                name = f"{stem}{workload}-by-place" + (f"-{place + 1}" if place else "")
                steals = steals_of(run, group, by_cell)
                if any(steal.summary for steal in steals):
                    yield tag, steals_picture(run, name, text, steals, pingpong)
                yield tag, steals_table(f"{name}-table", text, steals, pingpong)


def usable(summary):
    return summary if summary is not None and summary.median is not None and summary.status == "ok" else None


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
    import matplotlib.pyplot as pyplot
    times, sockets = times_of_pairs(pingpong), sockets_of(pingpong)
    siblings, cores = cores_in_order(times, sockets)
    both = times | {(b, a): time for (a, b), time in times.items()}
    field = [[siblings.get(a) if a == b else both.get((a, b)) for b in cores] for a in cores]
    size = min(7.5, 2.6 + 0.28 * len(cores))
    figure, axes = pyplot.subplots(figsize=(size + 0.9, size))
    known = [time for row in field for time in row if time is not None]
    image = axes.imshow([[float("nan") if time is None else time for time in row] for row in field], cmap="cividis",
                        vmin=min(known + [min(known) * 0.9]), vmax=max(known))
    axes.set_facecolor("#E4E4E4")
    mark_axes(axes, cores, sockets)
    if len(cores) <= NUMBERS_UP_TO:
        middle = (image.norm.vmin + image.norm.vmax) / 2
        for row, of_row in enumerate(field):
            for column, time in enumerate(of_row):
                if time is not None:
                    axes.text(column, row, format_number(time), ha="center", va="center", fontsize=7,
                              color="white" if time < middle else "black")
    figure.colorbar(image, ax=axes, shrink=0.8, label="ns there and back")
    diagonal = "On the diagonal: the two processors of one core. " if siblings else ""
    missing = [LACKS[relation] for relation in RELATIONS if not floor_of(pingpong, relation)]
    if missing:
        axes.set_title("\n".join(textwrap.wrap(sentence("; ".join(missing)), 44)), fontsize=8, color="#606060")
    return Picture(name, "A cache line there and back, between all pairs of cores",
                   "Median over invocations of each pair's time, in ns, for a line that two threads write in turn: two "
                   f"transfers; a steal has to wait for one at least. {diagonal}"
                   + (f"On this machine {' and '.join(missing)}. " if missing else "") + NO_PUBLISHED, figure)


def mark_axes(axes, cores, sockets):
    """Processor numbers, as many as fit, and lines between sockets."""
    step = max(1, -(-len(cores) // 32))
    places = range(0, len(cores), step)
    for axis, set_label in ((axes.xaxis, axes.set_xlabel), (axes.yaxis, axes.set_ylabel)):
        axis.set_ticks(list(places), [str(cores[place]) for place in places], fontsize=7)
        set_label("processor")
    axes.tick_params(axis="x", rotation=90 if len(cores) > 12 else 0)
    for place in range(1, len(cores)):
        if sockets.get(cores[place]) != sockets.get(cores[place - 1]):
            axes.axhline(place - 0.5, color="#D55E00", linewidth=1.2)
            axes.axvline(place - 0.5, color="#D55E00", linewidth=1.2)
    for spine in axes.spines.values():
        spine.set_visible(False)


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


def sentence(text):
    return text[:1].upper() + text[1:]


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
    import matplotlib.pyplot as pyplot
    labels = order_of_labels(steals)
    colours = colours_of({cell["deque"] for cell in run.cells.values()})
    figure, all_axes = pyplot.subplots(1, len(RELATIONS), sharey=True, sharex=True,
                                       figsize=(8.5, 1.5 + 0.24 * len(labels)))
    scale = 1e3 if max(steal.summary.median for steal in steals if steal.summary) >= 1e4 else 1.0
    for axes, relation in zip(all_axes, RELATIONS):
        axes.set_title(WORDS[relation], fontsize=9)
        found = [steal for steal in steals if steal.relation == relation and steal.summary]
        floor = floor_of(pingpong, relation)
        for steal in found:
            summary, place = steal.summary, labels.index(steal.label)
            low, high = (summary.median, summary.median) if summary.low is None else (summary.low, summary.high)
            axes.plot([low / scale, high / scale], [place, place], color="#606060", linewidth=1)
            axes.plot([summary.median / scale], [place], "o", markersize=5,
                      color=colours.get(steal.deque, "#8A8A8A"))
        if floor:
            axes.axvline(floor.median / 2 / scale, color="#D55E00", linewidth=1.2, linestyle="--")
        if not found:
            reason = textwrap.fill("not measured" if floor else f"not measured here: {LACKS[relation]}", 24)
            axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", va="center", fontsize=8, color="#606060")
        axes.grid(axis="x", color="#E4E4E4", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("ns a steal" if scale == 1.0 else "\N{MICRO SIGN}s a steal")
    all_axes[0].set_xscale("log")
    all_axes[0].set_yticks(range(len(labels)), labels, fontsize=8)
    all_axes[0].set_ylim(len(labels) - 0.5, -0.5)
    figure.tight_layout()
    words = missing_words(steals, pingpong)
    return Picture(name, "Latency of a steal by where the thief sits" + (f": {text}" if text else ""),
                   "Medians over invocations with 95 % intervals, logarithmic. Dashed line: half of a cache line's "
                   "way there and back between two cores that stand so, which is one transfer. "
                   + (sentence("; ".join(words)) + ". " if words else "") + NO_PUBLISHED, figure)


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
