"""What processor and kernel counted, per operation: a table for each section that asked for counters, in words where
this machine has none; and payloads of 4 against 8 bytes (BWoS thesis, table 5.2)."""

from collections import defaultdict

from plots.data.cells import cells_of, grouped
from plots.data.published import read_published
from plots.data.sections import varying_parameters
from plots.data.words import format_number, plain
from plots.figures.picture import Frame, Layer, Look, Mark, Picture, Table, bars_axis, rows_axis
from plots.figures.styles import KINDS_OF_THINGS

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
    asked = [cell for cell in cells_of(run, summaries) if cell.metrics and cell.params.get("counters", "none") != "none"]
    for tag, cells in grouped(asked, lambda cell: cell.tag).items():
        for make, what in ((counted_table, "counted"), (misses_picture, "misses"), (payload_table, "payload")):
            made = make(run, f"{tag or 'cells'}-{what}", cells)
            if made:
                yield tag, made


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


def columns_for(cells):
    """The columns that any of the cells has a row for; all hardware ones fold into one when none of them counted."""
    columns, missing = [], False
    for group in (HARDWARE, SIMULATED):
        found = {column: [summary for cell in cells for role in roles_of(cell.metrics)
                          for metric in (column[0], f"{column[0]}_per_operation")
                          for summary in [cell.metrics.get((role, metric))] if summary] for column in group}
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


def counted_table(run, name, cells):
    columns, missing = columns_for(cells)
    varying = [parameter for parameter in varying_parameters([cell.params for cell in cells]) if parameter not in SILENT]
    rows = []
    for cell in cells:
        text = ", ".join([cell.workload, *(f"{one}={cell.params[one]}" for one in varying if one in cell.params)])
        for role in roles_of(cell.metrics):
            values = values_of(cell.metrics, role, columns)
            if any(value is not None for value in values):
                rows.append([cell.deque, text, role,
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


def misses_picture(_run, name, cells):
    """Misses of the caches an operation, owner's and thieves' apart; None where nothing was counted."""
    levels = [("l1_data_misses", "L1", "first"), ("l2_misses", "L2", "second"), ("l3_misses", "L3", "third"),
              ("modified_lines_taken", "taken modified", "fourth")]
    bars = []
    for cell in cells:
        for role in roles_of(cell.metrics):
            found = [cell.metrics.get((role, f"{metric}_per_operation")) for metric, _, _ in levels]
            if any(summary is not None and summary.median is not None for summary in found):
                bars.append((f"{cell.deque}, {role}", found))
    if not bars or len(bars) > 60:
        return None
    layers = []
    for level, (_, label, kind) in enumerate(levels):
        marks = [Mark(found[level].median, place + (level - 1.5) * 0.2) for place, (_, found) in enumerate(bars)
                 if found[level] is not None and found[level].median is not None]
        if marks:
            layers.append(Layer(marks, Look(KINDS_OF_THINGS[kind]), "bars", label, 0.2))
    frame = Frame(layers, bars_axis("misses per operation", layers), rows_axis([text for text, _ in bars]), grid="x")
    return Picture(name, "Cache misses per operation", "Medians over invocations, owner's and thieves' apart. Taken "
                   "modified: lines that had to come from another core's cache, modified.", [frame],
                   height=0.8 + 0.45 * len(bars))


def payload_table(run, name, cells):
    """Table 5.2: items of 4 against 8 bytes, for each deque that has both."""
    metrics = [("l3_references", "cache_references", 1), ("l3_misses", "cache_misses", 1),
               (None, "cache_miss_rate", 100), ("instructions_per_cycle", "ipc", 1)]
    pairs = defaultdict(dict)
    for cell in cells:
        if cell.params.get("item") in ("4", "8"):
            rest = tuple(sorted((key, value) for key, value in cell.params.items() if key != "item"))
            pairs[cell.deque, rest][cell.params["item"]] = cell.metrics
    stated = {(value.x, value.metric): value for value in read_published("table5.2", THESIS_FILE)}
    rows = []
    for (deque, _), pair in pairs.items():
        if set(pair) != {"4", "8"}:
            continue
        for item in ("8", "4"):
            for metric, published, scale in metrics:
                value = stated.get((item, published)) if deque == "bwos_lifo" else None
                rows.append([deque, f"{item} bytes", published.replace("_", " "), of_payload(pair[item], metric, scale),
                             plain(value.value) if value else ""])
    if not rows:
        return None
    gain = stated["8/4", "ipc_gain"].value
    absent = all(row[3].startswith("(") or not row[3] for row in rows)
    return Table(name, "Payload of 4 against 8 bytes", (why_none(run) if absent else "") +
                 "Of the owner. The thesis's column is its table 5.2, of LIFO BWoS on its own machine. Its text finds the instructions "
                 f"per cycle {gain:g} % higher with 8 bytes; by its table {stated['8', 'ipc'].value:g} against "
                 f"{stated['4', 'ipc'].value:g} are {100 * (stated['8', 'ipc'].value / stated['4', 'ipc'].value - 1):.0f} %.",
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
