"""What processor and kernel counted, per operation: a table for each section that asked for counters, in words where
this machine has none; and payloads of 4 against 8 bytes (BWoS thesis, table 5.2)."""

from collections import defaultdict

from pictures import Picture, Table
from published import read_published
from sections import format_number, varying_parameters

THESIS_FILE = "bwos_thesis.csv"
# (metric, heading, is it per operation)
HARDWARE = [("instructions", "instructions", True), ("cycles", "cycles", True),
            ("instructions_per_cycle", "per cycle", False), ("branch_misses", "branch misses", True),
            ("l1_data_misses", "L1 misses", True), ("l2_misses", "L2 misses", True),
            ("l3_references", "L3 references", True), ("l3_misses", "L3 misses", True),
            ("tlb_misses", "TLB misses", True), ("modified_lines_taken", "lines taken modified", True)]
SIMULATED = [("instructions_simulated", "instructions, simulated", True),
             ("data_references_simulated", "data references, simulated", True),
             ("l1_data_misses_simulated", "L1 misses, simulated", True),
             ("last_level_data_misses_simulated", "last-level misses, simulated", True)]
KERNEL = [("voluntary_context_switches", "voluntary switches", False),
          ("involuntary_context_switches", "involuntary switches", False),
          ("minor_page_faults", "minor faults", False), ("major_page_faults", "major faults", False)]
# Settings that tell nothing of the work itself.
SILENT = {"counters", "events", "seed"}


def draw(run, _sections, summaries):
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    asked = {name: cell for name, cell in run.cells.items()
             if cell["params"].get("counters", "none") != "none" and by_cell.get(name)}
    for tag in dict.fromkeys(tag for cell in asked.values() for tag in cell["tags"] or [""]):
        names = [name for name, cell in asked.items() if tag in (cell["tags"] or [""])]
        stem = tag or "cells"
        yield tag, counted_table(run, f"{stem}-counted", names, by_cell)
        picture = misses_picture(run, f"{stem}-misses", names, by_cell)
        if picture:
            yield tag, picture
        payload = payload_table(run, f"{stem}-payload", names, by_cell)
        if payload:
            yield tag, payload


def values_of(summaries, role, columns):
    """[text or None] by column; a value that could not be had is its status, in brackets."""
    texts = []
    for metric, _, each in columns:
        summary = summaries.get((role, f"{metric}_per_operation" if each else metric)) or summaries.get((role, metric))
        if summary is None:
            texts.append(None)
        elif summary.median is None:
            texts.append(f"({summary.status})")
        else:
            mark = " *" if "multiplexed" in summary.flags else ""
            texts.append(format_number(summary.median) + mark)
    return texts


def columns_for(names, by_cell):
    """The columns that any of the cells has a row for; all hardware ones fold into one when none of them counted."""
    columns, missing = [], False
    for group in (HARDWARE, SIMULATED):
        found = {column: [summary for name in names for role in roles_of(by_cell[name])
                          for metric in (column[0], f"{column[0]}_per_operation")
                          for summary in [by_cell[name].get((role, metric))] if summary] for column in group}
        counted = [column for column in group if any(summary.median is not None for summary in found[column])]
        missing = missing or (group is HARDWARE and any(found.values()) and not counted)
        columns += counted
    return columns + KERNEL, missing


def roles_of(summaries):
    return [role for role in dict.fromkeys(role for role, _ in summaries) if role != "process"]


def why_none(run):
    """The manifest's words on why there are no hardware counters here."""
    counters = run.manifest.get("counters") or {}
    papi, kernel = counters.get("papi"), counters.get("hardware")
    reasons = "; ".join(f"{name}: {text}" for name, text in (("PAPI", papi), ("kernel", kernel)) if text)
    return f"This machine has no hardware counters for us ({reasons or 'no reason recorded'}): what they would say is " \
           "left out, not zero. "


def counted_table(run, name, names, by_cell):
    columns, missing = columns_for(names, by_cell)
    varying = [parameter for parameter in varying_parameters([run.cells[one] for one in names])
               if parameter not in SILENT]
    rows = []
    for one in names:
        cell = run.cells[one]
        text = ", ".join(f"{parameter}={cell['params'][parameter]}" for parameter in varying
                         if parameter in cell["params"])
        for role in roles_of(by_cell[one]):
            values = values_of(by_cell[one], role, columns)
            if any(value is not None for value in values):
                rows.append([cell["deque"], cell["workload"] + (f", {text}" if text else ""), role,
                             *(value or "" for value in values)])
    notes = (why_none(run) if missing else "") + (
        "* multiplexed: the counters took turns, the value is an estimate. " if any(
            "*" in value for row in rows for value in row) else "") + (
        "Simulated: from valgrind's model of a processor, for one thread; not this processor's. " if any(
            column in SIMULATED for column in columns) else "")
    return Table(name, "What was counted", f"{notes}Per operation, but for instructions per cycle and for what the "
                 "kernel counts, which are totals of the measured windows. Medians over invocations.",
                 ["deque", "cell", "role", *(heading for _, heading, _ in columns)], rows,
                 list(range(3, 3 + len(columns))))


def misses_picture(run, name, names, by_cell):
    """Misses of the caches an operation, owner's and thieves' apart; None where nothing was counted."""
    levels = [("l1_data_misses", "L1", "#56B4E9"), ("l2_misses", "L2", "#0072B2"), ("l3_misses", "L3", "#D55E00"),
              ("modified_lines_taken", "taken modified", "#CC79A7")]
    bars = []
    for one in names:
        for role in roles_of(by_cell[one]):
            found = [by_cell[one].get((role, f"{metric}_per_operation")) for metric, _, _ in levels]
            if any(summary is not None and summary.median is not None for summary in found):
                bars.append((f"{run.cells[one]['deque']}, {role}", found))
    if not bars or len(bars) > 60:
        return None
    import matplotlib.pyplot as pyplot
    figure, axes = pyplot.subplots(figsize=(7.5, 1.2 + 0.45 * len(bars)))
    for place, (_, found) in enumerate(bars):
        for offset, (summary, (_, label, colour)) in enumerate(zip(found, levels)):
            if summary is not None and summary.median is not None:
                axes.barh(place + (offset - 1.5) * 0.2, summary.median, 0.2, color=colour,
                          label=label if place == 0 else None)
    axes.set_yticks(range(len(bars)), [text for text, _ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("misses per operation")
    axes.legend(fontsize=8, frameon=False)
    return Picture(name, "Cache misses per operation", "Medians over invocations, owner's and thieves' apart. Taken "
                   "modified: lines that had to come from another core's cache, modified.", figure)


def payload_table(run, name, names, by_cell):
    """Table 5.2: items of 4 against 8 bytes, for each deque that has both."""
    metrics = [("l3_references", "cache_references", 1), ("l3_misses", "cache_misses", 1),
               (None, "cache_miss_rate", 100), ("instructions_per_cycle", "ipc", 1)]
    pairs = defaultdict(dict)
    for one in names:
        cell = run.cells[one]
        if cell["params"].get("item") in ("4", "8"):
            rest = tuple(sorted((key, value) for key, value in cell["params"].items() if key != "item"))
            pairs[cell["deque"], rest][cell["params"]["item"]] = by_cell[one]
    stated = {(value.x, value.metric): value for value in read_published("table5.2", THESIS_FILE)}
    rows = []
    for (deque, _), pair in pairs.items():
        if set(pair) != {"4", "8"}:
            continue
        for item in ("8", "4"):
            for metric, published, scale in metrics:
                value = stated.get((item, published))
                rows.append([deque, f"{item} bytes", published.replace("_", " "), of_payload(pair[item], metric, scale),
                             f"{value.value:g}" if value else ""])
    if not rows:
        return None
    absent = all(row[3].startswith("(") or not row[3] for row in rows)
    return Table(name, "Payload of 4 against 8 bytes", (why_none(run) if absent else "") +
                 "Of the owner. The thesis's column is its table 5.2, of LIFO BWoS on its own machine.",
                 ["deque", "payload", "what", "here", "thesis"], rows, [3, 4])


def of_payload(summaries, metric, scale):
    def one(of):
        return summaries.get(("owner", of))

    if metric is None:
        references, misses = one("l3_references"), one("l3_misses")
        if references and misses and references.median and misses.median is not None:
            return format_number(scale * misses.median / references.median) + " %"
        return f"({(misses or references).status})" if misses or references else ""
    summary = one(metric)
    if summary is None:
        return ""
    return f"({summary.status})" if summary.median is None else format_number(scale * summary.median)
