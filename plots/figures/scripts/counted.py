"""Counts of processor and kernel for each section that asked for counters: a figure of each event an operation, and a table; or a
sentence if this machine has none. And payloads of 4 against 8 bytes (BWoS thesis, table 5.2)."""

from collections import defaultdict
from dataclasses import replace

from harness.judging.cells import cells_of, grouped
from plots.data.published import read_published
from harness.judging.cells import varying_parameters
from harness.judging.words import format_number, frequency_text, in_order, plain, sentence
from plots.figures.figure import VARIANT_PARAMETERS, Figure, Measure, add_lines, alike, caption, in_words, number, settings_of, slug, table

EACH = "_per_operation"
TOTALS = {"instructions_per_cycle": "per cycle", "voluntary_context_switches": "voluntary switches",
          "involuntary_context_switches": "involuntary switches", "minor_page_faults": "minor faults", "major_page_faults": "major faults"}
SILENT = {"counters", "events", "seed"}  # settings that say nothing about the work itself
AXES_MAX = 12
ALONG = ("batch", "percent", "frequency", "threads", "placement")  # what a figure runs over: the first that has several values
# The comparisons of table 5.2, in its words and ours.
PAYLOAD = {"cache_references": "cache_references", "cache_misses": "cache_misses", "cache_miss_rate": None, "ipc": "instructions_per_cycle"}


def draw(run, summaries):
    asked = [cell for cell in cells_of(run, summaries) if cell.metrics and (
        cell.params.get("counters", "none"), cell.params.get("events", "default")) != ("none", "default")]
    for tag, cells in grouped(asked, lambda cell: cell.tag).items():
        stem, cells = (tag or "cells").removesuffix("-counted"), of_all_sets(cells)
        yield tag, counted_table(run, f"{stem}-counted", cells)
        for workload, some in grouped(cells, lambda cell: cell.workload).items():
            yield from ((tag, made) for made in events(f"{stem}-counted-{workload}", workload, some))
        yield tag, payload(run, f"{stem}-payload", cells)


def of_all_sets(cells):
    """Cells that differ only in what they counted are one."""
    alike = grouped(cells, lambda cell: (cell.workload, cell.deque, *sorted(one for one in cell.params.items() if one[0] not in SILENT)))
    return [replace(some[0], metrics={key: summary for cell in reversed(some) for key, summary in cell.metrics.items()},
                    params={name: value for name, value in some[0].params.items() if name not in SILENT}) for some in alike.values()]


def events_of(cells):
    """Each event that was counted, by its role."""
    return dict.fromkeys((role, metric.removesuffix(EACH)) for cell in cells for role, metric in cell.metrics
                         if metric.endswith(EACH) and cell.value(role, metric))


def words_of(event):
    """Our names in words, PAPI's as they are."""
    return event.replace("_", " ") if event.islower() else event


def text_of(summary):
    """If a value could not be measured, its status in brackets."""
    return "" if summary is None else f"({summary.status})" if summary.median is None else format_number(summary.median)


def why_none(run):
    """The manifest's words on why there are no hardware counters here."""
    counters = run.manifest.get("counters") or {}
    reasons = "; ".join(f"{name}: {counters[key]}" for name, key in (("PAPI", "papi"), ("kernel", "hardware")) if counters.get(key))
    return (f"This machine has no hardware counters for us ({reasons or 'no reason recorded'}): what they would say is left out, "
            "not zero. ")


def counted_table(run, name, cells):
    rows = [(cell, role) for cell in cells for role in dict.fromkeys(role for role, _ in cell.metrics if role != "process")]
    metrics = {f"{event}{EACH}": words_of(event) for _, event in events_of(cells)}
    missing = not metrics
    metrics |= {metric: heading for metric, heading in TOTALS.items() if any(cell.value(role, metric) for cell, role in rows)}
    varying = [one for one in varying_parameters([cell.params for cell in cells])]
    return table(name, "What was counted",
                 (why_none(run) if missing else "") + "An operation; but instructions per cycle, and what the kernel counts, are of all "
                 "that was counted. Medians over invocations.",
                 [("deque", lambda row: row[0].deque),
                  ("cell", lambda row: ", ".join([row[0].workload, *(f"{one}={row[0].params[one]}" for one in varying
                                                                    if one in row[0].params)])), ("role", 1),
                  *((f"#{heading}", lambda row, metric=metric: text_of(row[0].metrics.get((row[1], metric))))
                    for metric, heading in metrics.items())],
                 [row for row in rows if any((row[1], metric) in row[0].metrics for metric in metrics)] or rows[:1], in_text=True)


def events(stem, workload, cells):
    """A figure for each event and role."""
    varying = settings_of(cells)
    along = next((name for name in ALONG if name in varying), next(iter(varying), "deque"))
    apart = [name for name in varying if name not in (along, *VARIANT_PARAMETERS)]
    for role, event in events_of(cells):
        each = Measure(role, f"{event}{EACH}")
        shown = [cell for cell in cells if along in cell.params and each(cell) and each(cell).y > 0]
        texts = sorted({cell.params[along] for cell in shown}, key=in_order)
        of_x = frequency_text if along == "frequency" else number if all(text.isdigit() for text in texts) else str
        groups = alike(shown, apart)[:AXES_MAX]
        figure = Figure(slug(f"{stem}-{event}-{role}"), f"{sentence(words_of(event))} an operation: {workload}, {role}", caption(
            "Of a batch each item is an operation. A count of 0 has no place on this axis; the table has it.", shown, each),
            columns=min(3, len(groups)))
        for some in groups:
            axes = figure.axes(along, f"{words_of(event)} an operation", log="y", title=in_words(some[0].params, apart),
                               order=list(map(of_x, texts)))
            add_lines(axes, some, along, each, apart, of_x)
        yield figure


def payload(run, name, cells):
    """Table 5.2: items of 4 against 8 bytes, for each deque that has both."""
    pairs = defaultdict(dict)
    for cell in cells:
        if cell.params.get("item") in ("4", "8"):
            pairs[cell.deque, tuple(sorted(one for one in cell.params.items() if one[0] != "item"))][cell.params["item"]] = cell
    rows = [(pair[item], metric) for pair in pairs.values() if len(pair) == 2 for item in "84" for metric in PAYLOAD]
    stated = {(value.x, value.metric): value.value for value in read_published("table5.2", "bwos_thesis.csv")}
    eight, four = (stated[item, "ipc"] for item in "84")

    def theirs(row):
        cell, metric = row
        found = stated.get((cell.params["item"], metric)) if cell.deque == "bwos_lifo" else None
        return plain(found) if found else ""

    text = ("Of the owner. The thesis's column is its table 5.2, of LIFO BWoS on its own machine. Its text finds the instructions "
            f"per cycle {stated['8/4', 'ipc_gain']:g} % higher with 8 bytes; by its table {eight:g} against {four:g} are "
            f"{100 * (eight / four - 1):.0f} %.")
    made = table(name, "Payload of 4 against 8 bytes", text,
                 [("deque", lambda row: row[0].deque), ("payload", lambda row: f"{row[0].params['item']} bytes"),
                  ("what", lambda row: row[1].replace("_", " ")), ("#here", of_payload), ("#thesis", theirs)], rows, in_text=True)
    if all(row[3].startswith("(") or not row[3] for row in made.rows):
        made.caption = why_none(run) + made.caption
    return made


def of_payload(row):
    cell, metric = row
    if PAYLOAD[metric]:
        return text_of(cell.metrics.get(("owner", PAYLOAD[metric])))
    references, misses = (cell.metrics.get(("owner", one)) for one in ("cache_references", "cache_misses"))
    if references and misses and references.median and misses.median is not None:
        return format_number(100 * misses.median / references.median) + " %"
    return f"({(misses or references).status})" if misses or references else ""
