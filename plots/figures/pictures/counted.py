"""What processor and kernel counted, per operation: a table for each section that asked for counters, in words if this machine
has none; and payloads of 4 against 8 bytes (BWoS thesis, table 5.2)."""

from collections import defaultdict

from plots.data.cells import cells_of, grouped
from plots.data.sections import varying_parameters
from plots.data.words import format_number, plain
from plots.figures.grammar import row_layers, table, thesis
from plots.figures.picture import Frame, Look, Picture, bars_axis, rows_axis
from plots.figures.styles import KINDS_OF_THINGS

# {metric: heading}; the values are per operation where a metric NAME_per_operation is there.
HARDWARE = {"instructions": "instructions", "cycles": "cycles", "instructions_per_cycle": "per cycle",
            "branch_misses": "branch misses", "l1_data_misses": "L1 misses", "l2_misses": "L2 misses",
            "l3_references": "L3 references", "l3_misses": "L3 misses", "tlb_misses": "TLB misses",
            "modified_lines_taken": "lines taken modified"}
SIMULATED = {"instructions_simulated": "instructions, simulated", "data_references_simulated": "data references, simulated",
             "l1_data_misses_simulated": "L1 misses, simulated",
             "last_level_data_misses_simulated": "last-level misses, simulated"}
KERNEL = {"voluntary_context_switches": "voluntary switches", "involuntary_context_switches": "involuntary switches",
          "minor_page_faults": "minor faults", "major_page_faults": "major faults"}
TOTALS = {*KERNEL, "instructions_per_cycle"}
SILENT = {"counters", "events", "seed"}  # settings that tell nothing of the work itself
LEVELS = [("l1_data_misses", "L1", "first"), ("l2_misses", "L2", "second"), ("l3_misses", "L3", "third"),
          ("modified_lines_taken", "taken modified", "fourth")]
BARS_MAX = 60


def draw(run, _sections, summaries):
    asked = [cell for cell in cells_of(run, summaries) if cell.metrics and cell.params.get("counters", "none") != "none"]
    for tag, cells in grouped(asked, lambda cell: cell.tag).items():
        for make, what in ((counted_table, "counted"), (misses_picture, "misses"), (payload_table, "payload")):
            made = make(run, f"{tag or 'cells'}-{what}", cells)
            if made:
                yield tag, made


def counted(cell, role, metric):
    """The summary, per operation if there is one."""
    return metric not in TOTALS and cell.metrics.get((role, f"{metric}_per_operation")) or cell.metrics.get((role, metric))


def text_of(summary, scale=1):
    """A value that could not be had is its status, in brackets."""
    if summary is None:
        return ""
    mark = " *" if "multiplexed" in summary.flags else ""
    return f"({summary.status})" if summary.median is None else format_number(scale * summary.median) + mark


def roles_of(cell):
    return dict.fromkeys(role for role, _ in cell.metrics if role != "process")


def why_none(run):
    """The manifest's words on why there are no hardware counters here."""
    counters = run.manifest.get("counters") or {}
    reasons = "; ".join(f"{name}: {counters[key]}" for name, key in (("PAPI", "papi"), ("kernel", "hardware")) if counters.get(key))
    return (f"This machine has no hardware counters for us ({reasons or 'no reason recorded'}): what they would say is left out, "
            "not zero. ")


def counted_table(run, name, cells):
    rows = [(cell, role) for cell in cells for role in roles_of(cell)]

    def has(metric, wanted):
        return any(wanted(counted(cell, role, metric)) for cell, role in rows)

    def value(summary):
        return summary is not None and summary.median is not None

    metrics = {metric: heading for metric, heading in (HARDWARE | SIMULATED).items() if has(metric, value)} | KERNEL
    missing = not metrics.keys() & HARDWARE.keys() and any(has(metric, bool) for metric in HARDWARE)
    varying = [one for one in varying_parameters([cell.params for cell in cells]) if one not in SILENT]
    made = table(name, "What was counted", "",
                 [("deque", lambda row: row[0].deque),
                  ("cell", lambda row: ", ".join([row[0].workload, *(f"{one}={row[0].params[one]}" for one in varying
                                                                    if one in row[0].params)])), ("role", 1),
                  *((f"#{heading}", lambda row, metric=metric: text_of(counted(*row, metric)))
                    for metric, heading in metrics.items())],
                 [row for row in rows if any(counted(*row, metric) for metric in metrics)])
    made.caption = "".join([
        why_none(run) if missing else "",
        "* multiplexed: the counters took turns, the value is an estimate. " * any("*" in text for row in made.rows for text in row),
        "Simulated: from valgrind's model of a processor, for one thread; not this processor's. "
        * bool(metrics.keys() & SIMULATED.keys()),
        "Per operation, but for instructions per cycle and for what the kernel counts, which are totals of the measured windows. "
        "Medians over invocations."])
    return made


def misses_picture(_run, name, cells):
    """Misses of the caches an operation, owner's and thieves' apart; None if nothing was counted."""
    bars = [(f"{cell.deque}, {role}", found) for cell in cells for role in roles_of(cell)
            for found in [[cell.value(role, f"{metric}_per_operation") for metric, *_ in LEVELS]] if any(found)]
    if not 0 < len(bars) <= BARS_MAX:
        return None
    layers = row_layers([(row + (level - 1.5) * 0.2, found[level].scaled(1)[:1], Look(KINDS_OF_THINGS[kind]), label)
                         for level, (_, label, kind) in enumerate(LEVELS) for row, (_, found) in enumerate(bars) if found[level]],
                        thickness=0.2, texts=False)
    return Picture(name, "Cache misses per operation", "Medians over invocations, owner's and thieves' apart. Taken modified: lines "
                   "that had to come from another core's cache, modified.",
                   [Frame(layers, bars_axis("misses per operation", layers), rows_axis([text for text, _ in bars]), grid="x")],
                   height=0.8 + 0.45 * len(bars))


# What table 5.2 compares, by its words and ours.
PAYLOAD = {"cache_references": "l3_references", "cache_misses": "l3_misses", "cache_miss_rate": None,
           "ipc": "instructions_per_cycle"}


def payload_table(run, name, cells):
    """Table 5.2: items of 4 against 8 bytes, for each deque that has both."""
    pairs = defaultdict(dict)
    for cell in cells:
        if cell.params.get("item") in ("4", "8"):
            pairs[cell.deque, tuple(sorted(one for one in cell.params.items() if one[0] != "item"))][cell.params["item"]] = cell
    rows = [(pair[item], metric) for pair in pairs.values() if len(pair) == 2 for item in "84" for metric in PAYLOAD]
    if not rows:
        return None
    stated = {(value.x, value.metric): value.value for value in thesis("table5.2")}
    eight, four = (stated[item, "ipc"] for item in "84")

    def theirs(row):
        cell, metric = row
        found = stated.get((cell.params["item"], metric)) if cell.deque == "bwos_lifo" else None
        return plain(found) if found else ""

    made = table(name, "Payload of 4 against 8 bytes",
                 "Of the owner. The thesis's column is its table 5.2, of LIFO BWoS on its own machine. Its text finds the instructions "
                 f"per cycle {stated['8/4', 'ipc_gain']:g} % higher with 8 bytes; by its table {eight:g} against {four:g} are "
                 f"{100 * (eight / four - 1):.0f} %.",
                 [("deque", lambda row: row[0].deque), ("payload", lambda row: f"{row[0].params['item']} bytes"),
                  ("what", lambda row: row[1].replace("_", " ")), ("#here", of_payload), ("#thesis", theirs)], rows)
    if all(row[3].startswith("(") or not row[3] for row in made.rows):
        made.caption = why_none(run) + made.caption
    return made


def of_payload(row):
    cell, metric = row
    if PAYLOAD[metric]:
        return text_of(cell.metrics.get(("owner", PAYLOAD[metric]))).removesuffix(" *")
    references, misses = (cell.metrics.get(("owner", one)) for one in ("l3_references", "l3_misses"))
    if references and misses and references.median and misses.median is not None:
        return format_number(100 * misses.median / references.median) + " %"
    return f"({(misses or references).status})" if misses or references else ""
