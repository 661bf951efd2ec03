"""Quicksort (BWoS thesis, section 5.3.1): mean times (figure 5.10), stolen tasks (5.11), switches (table 5.4)."""

from collections import defaultdict

from contention_cells import FOUR, GREY, YARDSTICK, marks_of
from pictures import Picture, Table
from published import read_published
from sections import format_number

THESIS_FILE = "bwos_thesis.csv"
# What the thesis calls a deque with these blocks.
THESIS_NAMES = {("chase_lev", "0"): "CL", ("abp", "0"): "ABP", ("locked", "0"): "Locked",
                ("bwos_lifo", "8"): "LIFO_BWoS_8", ("bwos_lifo", "16"): "LIFO_BWoS_16",
                ("bwos_lifo", "64"): "LIFO_BWoS_64"}
SETTING = ("size", "cutoff", "input", "threads", "victims", "steal", "idle", "slot", "master", "room", "placement")


def draw(run, _sections, summaries):
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    groups = defaultdict(list)
    for name, cell in run.cells.items():
        if cell["workload"] == "quicksort" and by_cell.get(name):
            for tag in cell["tags"] or [""]:
                groups[tag, tuple(cell["params"].get(one, "") for one in SETTING)].append(name)
    places = defaultdict(int)
    for (tag, _), names in groups.items():
        names = [name for name in names if value(by_cell[name], "pool", "run_time")]
        if len(names) < 2:
            continue
        suffix = f"-{places[tag] + 1}" if places[tag] else ""
        places[tag] += 1
        stem = f"{tag or 'quicksort'}-times{suffix}"
        yield tag, bars(run, stem, names, by_cell)
        yield tag, numbers(run, f"{stem}-table", names, by_cell)


def value(summaries, role, metric):
    summary = summaries.get((role, metric))
    return summary if summary is not None and summary.median is not None and summary.status == "ok" else None


def label(run, cell):
    facts = run.deque_facts(cell["deque"])
    block = cell["params"].get("block", "0")
    return (facts.get("title") or cell["deque"]) + (f", blocks of {block}" if block != "0" else "") + marks_of(facts)


def colour(run, cell):
    facts = run.deque_facts(cell["deque"])
    if str(facts.get("baseline", "0")) in ("1", "true"):
        return YARDSTICK
    return FOUR.get(cell["deque"], GREY)


def setting_text(cell):
    params = cell["params"]
    return (f"{int(params.get('size', '0')):,} numbers, {params.get('input', '')} order, cutoff {params.get('cutoff')}, "
            f"{params.get('threads')} threads, steals of {params.get('steal')}")


def notes(run, names, by_cell):
    flags = {flag for name in names for summary in by_cell[name].values() for flag in summary.flags}
    words = []
    if "oversubscribed" in flags:
        words.append("More threads than processors (oversubscribed).")
    if any("\N{DAGGER}" in label(run, run.cells[name]) for name in names):
        words.append("\N{DAGGER}: may hand an item out more than once; tasks then run behind a claim.")
    return " ".join(words)


def bars(run, name, names, by_cell):
    import matplotlib.pyplot as pyplot
    ordered = sorted(names, key=lambda one: by_cell[one]["pool", "run_time"].median)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 1.4 + 0.28 * len(ordered)), sharey=True)
    for place, one in enumerate(ordered):
        cell, time = run.cells[one], by_cell[one]["pool", "run_time"]
        ends = [[0], [0]] if time.low is None else [[1e3 * (time.median - time.low)], [1e3 * (time.high - time.median)]]
        left.barh(place, 1e3 * time.median, 0.7, color=colour(run, cell), xerr=ends, error_kw={"lw": 0.8})
        left.annotate(format_number(1e3 * time.median), (1e3 * time.median + ends[1][0], place), xytext=(3, 0),
                      textcoords="offset points", va="center", fontsize=7)
        stolen = value(by_cell[one], "worker", "items_stolen")
        if stolen:
            right.barh(place, stolen.median, 0.7, color=colour(run, cell))
            right.annotate(format_number(stolen.median), (stolen.median, place), xytext=(3, 0),
                           textcoords="offset points", va="center", fontsize=7)
    left.set_yticks(range(len(ordered)), [label(run, run.cells[one]) for one in ordered], fontsize=8)
    left.invert_yaxis()
    left.set_xlabel("time in ms")
    right.set_xlabel("tasks stolen")
    figure.tight_layout()
    text = setting_text(run.cells[ordered[0]])
    return Picture(name, f"Quicksort, {text}", f"Left: medians over invocations with 95 % intervals (the thesis's figure "
                   f"5.10 shows means). Right: its figure 5.11. {notes(run, ordered, by_cell)}", figure)


def numbers(run, name, names, by_cell):
    stated = defaultdict(dict)
    for figure, column in (("table5.4", "voluntary_context_switches"), ("fig5.10", "mean_time"),
                           ("fig5.11", "tasks_stolen")):
        for one in read_published(figure, THESIS_FILE):
            if one.metric == column:
                stated[one.series][column] = f"{one.value:,.7g}" + (f" {one.unit}" if one.unit == "ms" else "")
    rows = []
    for one in sorted(names, key=lambda each: by_cell[each]["pool", "run_time"].median):
        cell = run.cells[one]
        theirs = stated.get(THESIS_NAMES.get((cell["deque"], cell["params"].get("block", "0"))), {})
        values = [value(by_cell[one], "pool", "run_time"), value(by_cell[one], "worker", "items_stolen"),
                  value(by_cell[one], "worker", "voluntary_context_switches")]
        ours = ["" if summary is None else format_number(summary.median * scale)
                for summary, scale in zip(values, (1e3, 1, 1))]
        rows.append([label(run, cell), ours[0], theirs.get("mean_time", ""), ours[1], theirs.get("tasks_stolen", ""),
                     ours[2], theirs.get("voluntary_context_switches", "")])
    return Table(name, f"Quicksort: time, tasks stolen, voluntary context switches; {setting_text(run.cells[names[0]])}",
                 "Medians over invocations; switches of all workers in one run. The thesis's values (figures 5.10 and "
                 "5.11, table 5.4) are from 16 threads of its own machine.",
                 ["deque", "time (ms)", "thesis", "stolen", "thesis", "voluntary switches", "thesis"], rows,
                 list(range(1, 7)))
