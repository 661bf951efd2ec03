"""Counts of processor and kernel, per operation: a table for each section that asked for counters, or a sentence if this machine
has none; and payloads of 4 against 8 bytes (BWoS thesis, table 5.2)."""

from collections import defaultdict
from itertools import cycle

from plots.data.cells import cells_of, grouped
from plots.data.defaults import defaults_of
from plots.data.sections import varying_parameters
from plots.data.words import format_number, in_order, plain
from plots.figures.grammar import alike, caption, in_row, in_words, row_layers, table, thesis
from plots.figures.picture import Frame, Look, Picture, bars_axis, rows_axis
from plots.figures.styles import COLOURS, SHAPES

# {metric: heading}; the values are per operation if there is a metric NAME_per_operation.
HARDWARE = {"instructions": "instructions", "cycles": "cycles", "instructions_per_cycle": "per cycle",
            "branch_misses": "branch misses", "l1_data_misses": "L1 misses", "l2_misses": "L2 misses",
            "l3_references": "L3 references", "l3_misses": "L3 misses", "tlb_misses": "TLB misses",
            "modified_lines_taken": "lines taken modified", "cache_references": "perf's cache-references",
            "cache_misses": "perf's cache-misses"}
KERNEL = {"voluntary_context_switches": "voluntary switches", "involuntary_context_switches": "involuntary switches",
          "minor_page_faults": "minor faults", "major_page_faults": "major faults"}
TOTALS = {*KERNEL, "instructions_per_cycle"}
SILENT = {"counters", "events", "seed"}  # settings that say nothing about the work itself
LEVELS = {"l1_data_misses": "misses of L1", "l2_misses": "misses of L2", "l3_misses": "misses of L3",
          "modified_lines_taken": "lines taken modified"}


def draw(run, _sections, summaries):
    asked = [cell for cell in cells_of(run, summaries) if cell.metrics and cell.params.get("counters", "none") != "none"]
    for tag, cells in grouped(asked, lambda cell: cell.tag).items():
        for make, what in ((counted_tables, "counted"), (misses_pictures, "misses"), (payload_tables, "payload")):
            stem = f"{tag or 'cells'}-{what}".replace("-counted-counted", "-counted")
            yield from ((tag, made) for made in make(run, stem, cells))


def counted(cell, role, metric):
    """The summary, per operation if there is one."""
    return metric not in TOTALS and cell.metrics.get((role, f"{metric}_per_operation")) or cell.metrics.get((role, metric))


def text_of(summary, scale=1):
    """If a value could not be measured, its status in brackets."""
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


def counted_tables(run, name, cells):
    rows = [(cell, role) for cell in cells for role in roles_of(cell)]

    def has(metric, wanted):
        return any(wanted(counted(cell, role, metric)) for cell, role in rows)

    def value(summary):
        return summary is not None and summary.median is not None

    metrics = {metric: heading for metric, heading in HARDWARE.items() if has(metric, value)} | KERNEL
    missing = not metrics.keys() & HARDWARE.keys() and any(has(metric, bool) for metric in HARDWARE)
    varying = [one for one in varying_parameters([cell.params for cell in cells]) if one not in SILENT]
    made = table(name, "What was counted", "",
                 [("deque", lambda row: row[0].deque),
                  ("cell", lambda row: ", ".join([row[0].workload, *(f"{one}={row[0].params[one]}" for one in varying
                                                                    if one in row[0].params)])), ("role", 1),
                  *((f"#{heading}", lambda row, metric=metric: text_of(counted(*row, metric)))
                    for metric, heading in metrics.items())],
                 [row for row in rows if any(counted(*row, metric) for metric in metrics)], in_text=True)
    made.caption = "".join([
        why_none(run) if missing else "",
        "* multiplexed: the counters took turns, the value is an estimate. " * any("*" in text for row in made.rows for text in row),
        "Per operation; but instructions per cycle, and what the kernel counts, are totals of the measured windows. "
        "Medians over invocations."])
    yield made


def misses_pictures(_run, name, cells):
    """Misses of the caches an operation, a picture for each workload."""
    for workload, some in grouped(cells, lambda cell: cell.workload).items():
        levels = [level for level in LEVELS if any(misses(cell, role, level) for cell in some for role in roles_of(cell))]
        if levels:
            yield misses_picture(name if len({cell.workload for cell in cells}) == 1 else f"{name}-{workload}", workload, some, levels)


def misses(cell, role, level):
    return cell.value(role, f"{level}_per_operation")


def most_compared(cells):
    """(settings, cells): cells that differ only in deque, block and place, at the settings that most deques and places have; if
    several are equal, at the defaults and the largest numbers."""
    names = [one for one in varying_parameters([cell.params for cell in cells], absent_differs=False)
             if one not in SILENT | {"placement", "block"} and all(one in cell.params for cell in cells)]
    defaults = defaults_of(cells[0].workload)

    def worth(some):
        params = some[0].params
        return len(some), [in_order(params[one]) if params[one].isdigit() else (0, float(params[one] == defaults.get(one)))
                           for one in names]

    best = max(alike(cells, names), key=worth)
    return {one: best[0].params[one] for one in names}, best


def misses_picture(name, workload, cells, levels):
    """A frame for each level of the caches, a row for each deque, in it a mark for each role and place of the threads."""
    settings, cells = most_compared(cells)
    rows = list(dict.fromkeys(cell.label for cell in cells))
    series = dict.fromkeys((cell.params.get("placement", ""), role) for cell in cells for role in roles_of(cell)
                           if any(misses(cell, role, level) for level in levels))
    looks = {key: Look(colour, shape) for key, colour, shape in zip(series, cycle(COLOURS), cycle(SHAPES))}
    frames = []
    for level in levels:
        entries = [(rows.index(cell.label) + in_row(list(looks).index(key), len(looks)), found.scaled(1), looks[key], ", ".join(key))
                   for key in looks for cell in cells if cell.params.get("placement", "") == key[0]
                   for found in [misses(cell, key[1], level)] if found]
        layers = row_layers(entries, "across", texts=False)
        frames.append(Frame(layers, bars_axis(f"{LEVELS[level]}", layers), rows_axis(rows, not frames), grid="both"))
    asked = in_words(settings)
    return Picture(name, f"Cache misses per operation: {workload}" + (f", {asked}" if asked else ""),
                   caption("By level of the caches and by place of the threads. "
                           + "Taken modified: they had to come from another core's cache. " * ("modified_lines_taken" in levels)
                           + "The table has all settings.", cells),
                   frames, 3 + 2.2 * len(frames), 1.0 + (0.16 + 0.09 * len(looks)) * len(rows))


# The comparisons of table 5.2, in its words and ours.
PAYLOAD = {"cache_references": "cache_references", "cache_misses": "cache_misses", "cache_miss_rate": None,
           "ipc": "instructions_per_cycle"}


def payload_tables(run, name, cells):
    """Table 5.2: items of 4 against 8 bytes, for each deque that has both."""
    pairs = defaultdict(dict)
    for cell in cells:
        if cell.params.get("item") in ("4", "8"):
            pairs[cell.deque, tuple(sorted(one for one in cell.params.items() if one[0] != "item"))][cell.params["item"]] = cell
    rows = [(pair[item], metric) for pair in pairs.values() if len(pair) == 2 for item in "84" for metric in PAYLOAD]
    if not rows:
        return
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
                  ("what", lambda row: row[1].replace("_", " ")), ("#here", of_payload), ("#thesis", theirs)], rows, in_text=True)
    if all(row[3].startswith("(") or not row[3] for row in made.rows):
        made.caption = why_none(run) + made.caption
    yield made


def of_payload(row):
    cell, metric = row
    if PAYLOAD[metric]:
        return text_of(cell.metrics.get(("owner", PAYLOAD[metric]))).removesuffix(" *")
    references, misses = (cell.metrics.get(("owner", one)) for one in ("cache_references", "cache_misses"))
    if references and misses and references.median and misses.median is not None:
        return format_number(100 * misses.median / references.median) + " %"
    return f"({(misses or references).status})" if misses or references else ""
