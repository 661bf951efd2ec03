"""The matrix as the page shows it, and as summary.md for terminals and pull requests."""

from itertools import groupby

from harness.judging.statistics import ALIKE
from harness.judging.text_table import markdown
from harness.judging.words import counted, says_yes, value_text
from plots.data.matrix import OPEN, UNDER_THIEVES, UNRANKED
from plots.pages.trust import when, where

# Ratios up to each of these share a colour; larger ones have the last.
STEPS = [1.02, 1.1, 1.5, 3, 10]
TRAITS = [  # (name in the page's address, words, does a deque with these facts have it?)
    ("classic", "classic", lambda facts: says_yes(facts, "classic", "0")),
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
    return "<0.01" if ratio < 0.005 else f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.1f}" if ratio < 99.95 else f"{ratio:.0f}"


def has_thief(matrix):
    """Did a thief run beside an owner at work?"""
    return any(case.group == UNDER_THIEVES or case.kind.name == "steal-busy" for case in matrix.cases)


def cell_of(entry):
    """The ratio, or the value of the only deque of a case; marked if single operations stood in for the form that was asked."""
    text = ratio_text(entry.ratio) if entry.ratio else value_text(entry.summary.median, entry.summary.unit)
    return text + " e" * ("emulated" in entry.summary.flags)


def class_of(row, entry):
    """How the page shows a cell. Only what is ranked has a colour."""
    if not row.ranked or not entry.ratio or entry.state == UNRANKED:
        return ""
    return f"step-{step_of(entry.ratio)}" + {OPEN: " open", ALIKE: " alike"}.get(entry.state, "")


def interval_words(entry):
    """'1.23 ns [1.20, 1.31], 6 invocations, slower'"""
    summary = entry.summary
    unit = summary.unit
    interval = ("" if summary.low is None
                else f" [{value_text(summary.low, unit)}, {value_text(summary.high, unit)}]")
    emulated = ", emulated" if "emulated" in summary.flags else ""
    return f"{value_text(summary.median, unit)}{interval}, {counted(summary.invocations, 'invocation')}, {entry.state}{emulated}"


def groups_of(matrix):
    """[(group, how many cases)] in order."""
    return [(group, len(list(cases))) for group, cases in groupby(matrix.cases, lambda case: case.group)]


def settings_text(case):
    """The case in words: the tooltip of its heading."""
    told = " ".join(f"{name}={value}" for name, value in case.settings.items())
    return f"{case.kind.workload}, {case.kind.metric} ({case.unit}): {told}"


def summary_text(run, matrix, trust):
    """Markdown: what, where, when, how far to trust it, and the matrix."""
    lines = [f"# {run.manifest.get('suite_title') or run.name}", "", f"{where(run)}; {when(run)}.", ""]
    lines += [f"- {remark.sign} {remark.what}: {remark.text}" for remark in trust]
    if not matrix.cases:
        return "\n".join([*lines, "", "This run has no case of the matrix."]) + "\n"
    rows = [[row.deque + row.marks + ("" if row.ranked else " (reference)"),
             *(cell_text(case.entries.get(row.deque), case) for case in matrix.cases)] for row in matrix.rows]
    lines += ["", "Ratio to the best of each case (its value in brackets): above 1 is slower, or more. `?`: not settled; "
              "`=`: not told apart; `e`: emulated by single operations. References, and a deque alone in its case, are not ranked.",
              "", *markdown(["deque", *(case.title for case in matrix.cases)], rows)]
    return "\n".join(lines) + "\n"


def cell_text(entry, case):
    if entry is None:
        return ""
    best = entry.ratio == 1 and entry.state != UNRANKED
    return cell_of(entry) + {OPEN: " ?", ALIKE: " ="}.get(entry.state, "") + (
        f" ({value_text(entry.summary.median, case.unit)})" if best else "")
