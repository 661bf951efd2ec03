"""The matrix as the page shows it, and as summary.md for terminals and pull requests."""

from plots.data.matrix import ALIKE, OPEN
from plots.data.words import NANOSECONDS, format_number
from plots.data.written import write_whole
from plots.pages.trust import remarks, when, where

# Ratios up to each of these share a colour; what is beyond has the last.
STEPS = [1.02, 1.1, 1.5, 3, 10]
TRAITS = [  # (name in an address, words, does a deque that says so of itself have it?)
    ("bounded", "bounded", lambda facts: facts.get("bound") == "fixed"),
    ("unbounded", "grows", lambda facts: facts.get("bound") in ("growable", "linked")),
    ("lifo", "LIFO owner", lambda facts: facts.get("owner_order") == "LIFO"),
    ("fifo", "FIFO owner", lambda facts: facts.get("owner_order") == "FIFO"),
    ("no_polling", "owner need not poll", lambda facts: "poll" not in natives(facts)),
    ("lock_free", "lock-free", lambda facts: all(facts.get(f"{what}_progress") in ("lock_free", "wait_free")
                                                 for what in ("push", "pop", "steal"))),
    ("wait_free_owner", "wait-free owner", lambda facts: all(facts.get(f"{what}_progress") == "wait_free"
                                                             for what in ("push", "pop"))),
    ("bulk_push", "bulk push", lambda facts: {"push_batch", "lists"} & natives(facts)),
    ("bulk_steal", "bulk steal", lambda facts: {"steal_batch", "steal_into", "lists"} & natives(facts)),
    ("many_thieves", "many thieves at a time", lambda facts: facts.get("thieves") == "many"),
    ("once", "each item once", lambda facts: facts.get("delivery") != "at_least_once"),
]


def natives(facts):
    return set(str(facts.get("native", "")).split(","))


def traits_of(facts):
    return [name for name, _, has in TRAITS if has(facts)]


def step_of(ratio):
    return next((place for place, end in enumerate(STEPS) if ratio <= end), len(STEPS))


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.1f}" if ratio < 99.95 else f"{ratio:.0f}"


def value_text(value, unit):
    """A value with a unit that keeps it short."""
    if value is None:
        return ""
    if unit in NANOSECONDS:
        nanoseconds = value * NANOSECONDS[unit]
        for name, size in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
            if nanoseconds >= size:
                return f"{format_number(nanoseconds / size)} {name}"
        return f"{format_number(nanoseconds)} ns"
    short = {"operations/s": "/s", "bytes": "B"}.get(unit, f" {unit}")
    for name, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{format_number(value / size)} {name}{short.strip()}"
    return f"{format_number(value)} {short.strip()}"


def interval_words(entry):
    """'1.23 ns [1.20, 1.31], 6 invocations, slower'"""
    summary = entry.summary
    unit = summary.unit
    interval = ("" if summary.low is None
                else f" [{value_text(summary.low, unit)}, {value_text(summary.high, unit)}]")
    plural = "" if summary.invocations == 1 else "s"
    emulated = ", emulated" if "emulated" in summary.flags else ""
    return f"{value_text(summary.median, unit)}{interval}, {summary.invocations} invocation{plural}, {entry.state}{emulated}"


def groups_of(matrix):
    """[(group, how many cases)] in order."""
    groups = []
    for case in matrix.cases:
        if groups and groups[-1][0] == case.group:
            groups[-1][1] += 1
        else:
            groups.append([case.group, 1])
    return groups


def settings_text(case):
    """What a case asks, for its heading's description."""
    told = " ".join(f"{name}={value}" for name, value in case.settings.items())
    return f"{case.kind.workload}, {case.kind.metric} ({case.unit}): {told}"


def as_data(matrix):
    """For the page's script: what the cells show, and what sorting needs."""
    return {"cases": [{"name": case.name, "title": case.title} for case in matrix.cases],
            "rows": [{"deque": row.deque, "title": row.title + row.marks, "ranked": row.ranked, "traits": traits_of(row.facts),
                      "ratios": [entry and float(format(entry.ratio, ".6g")) for case in matrix.cases
                                 for entry in [case.entries.get(row.deque)]],
                      "values": [entry and value_text(entry.summary.median, entry.summary.unit) for case in matrix.cases
                                 for entry in [case.entries.get(row.deque)]]} for row in matrix.rows]}


def summary_text(run, summaries, matrix):
    """Markdown: what, where, when, how far to trust it, and the matrix."""
    lines = [f"# {run.manifest.get('suite_title') or run.name}", "", f"{where(run)}; {when(run)}.", ""]
    lines += [f"- {remark.sign} {remark.what}: {remark.text}" for remark in remarks(run, summaries)]
    if not matrix.cases:
        return "\n".join([*lines, "", "This run has no case of the matrix."]) + "\n"
    headings = ["deque", *(escaped(case.title) for case in matrix.cases)]
    rows = [[escaped(row.deque + row.marks + ("" if row.ranked else " (reference)")),
             *(cell_text(case.entries.get(row.deque), case) for case in matrix.cases)] for row in matrix.rows]
    widths = [max(len(line[place]) for line in [headings, *rows]) for place in range(len(headings))]
    lines += ["", "Ratio to the best of each case (its value in brackets): above 1 is slower, or more. `?`: not settled; "
              "`=`: not told apart. References are not ranked.", "", line_of(headings, widths),
              line_of([("-" if place == 0 else "") + "-" * (width - 1) + (":" if place else "")
                       for place, width in enumerate(widths)], widths)]
    return "\n".join([*lines, *(line_of(row, widths) for row in rows)]) + "\n"


def cell_text(entry, case):
    if entry is None:
        return ""
    best = entry.ratio == 1 and entry.state != "not ranked"
    mark = {OPEN: " ?", ALIKE: " ="}.get(entry.state, "")
    return ratio_text(entry.ratio) + mark + (f" ({value_text(entry.summary.median, case.unit)})" if best else "")


def line_of(cells, widths):
    return "| " + " | ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                             for place, (cell, width) in enumerate(zip(cells, widths))) + " |"


def escaped(text):
    """A text in a cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def write_summary_text(run, summaries, matrix):
    """Writes RUN/summary.md; returns its path."""
    return write_whole(run.folder / "summary.md", summary_text(run, summaries, matrix))
