"""The contention workload's cells, as the figures and tables of chapter 5.2 of the BWoS thesis need them.

A cell is one deque under one setting. What the thesis compares are four deques; here any may be there, so those four
keep a colour and the others stay grey behind them, each named in a panel of its own where there are many.
"""

from collections import defaultdict
from dataclasses import dataclass

from figures import COLOURS
from sections import DAGGER, may_repeat

# The thesis's names for what we have under these ids.
THESIS = {"bwos_lifo": "LIFO_BWoS", "abp": "ABP", "chase_lev": "CL", "locked": "Locked"}
FOUR = dict(zip(["bwos_lifo", "abp", "chase_lev", "locked"], ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]))
GREY, YARDSTICK = "#C4C4C4", "#8A8A8A"


@dataclass
class Cell:
    deque: str
    title: str
    params: dict
    metrics: dict  # {(role, metric): summary}
    tag: str
    baseline: bool
    marks: str
    flags: set
    name: str

    def value(self, role, metric):
        """The summary, or None when there is no value."""
        summary = self.metrics.get((role, metric))
        return summary if summary is not None and summary.median is not None and summary.status == "ok" else None

    @property
    def series(self):
        """Deque and block size: what one line of a figure is."""
        block = self.params.get("block", "0")
        return self.deque if block == "0" else f"{self.deque} ({block})"

    @property
    def label(self):
        block = self.params.get("block", "0")
        return self.title + (f", blocks of {block}" if block != "0" else "") + self.marks


def contention_cells(run, summaries):
    """Every cell of the workload that has any value, once for each section that it stands in."""
    by_cell = defaultdict(dict)
    for summary in summaries:
        by_cell[summary.cell][summary.role, summary.metric] = summary
    cells = []
    for name, cell in run.cells.items():
        if cell["workload"] != "contention" or not by_cell.get(name):
            continue
        facts = run.deque_facts(cell["deque"])
        flags = {flag for summary in by_cell[name].values() for flag in summary.flags}
        for tag in cell["tags"] or [""]:
            cells.append(Cell(cell["deque"], facts.get("title") or cell["deque"], cell["params"], by_cell[name], tag,
                              str(facts.get("baseline", "0")) in ("1", "true"), marks_of(facts), flags, name))
    return cells


def marks_of(facts):
    """What has to be known of a deque wherever it is drawn."""
    marks = f" {DAGGER}" if may_repeat(facts) else ""
    return marks + (" UNSOUND" if str(facts.get("sound", "1")) in ("0", "false") else "")


def notes_of(cells):
    """What the marks and flags of these very cells mean, as sentences."""
    notes = []
    if any("oversubscribed" in cell.flags for cell in cells):
        some = "These cells had" if all("oversubscribed" in cell.flags for cell in cells) else "Hollow points had"
        notes.append(f"{some} more threads than processors: they say how the system shared them out, not what the "
                     "deques cost (flag oversubscribed).")
    if any(DAGGER in cell.marks for cell in cells):
        notes.append(f"{DAGGER}: may hand an item out more than once.")
    if any("UNSOUND" in cell.marks for cell in cells):
        notes.append("UNSOUND: this deque loses or doubles items; its speed is no achievement.")
    if any(cell.baseline for cell in cells):
        notes.append("Grey dashes: yardsticks.")
    return " ".join(notes)


def grouped(cells, names):
    """{(values of these parameters): cells}, in the order of numbers."""
    groups = defaultdict(list)
    for cell in cells:
        groups[tuple(cell.params.get(name, "") for name in names)].append(cell)
    return dict(sorted(groups.items(), key=lambda item: [number(value) for value in item[0]]))


def number(text):
    """A sort key and, for numbers, their value; `max` is beyond all."""
    try:
        return (0, float(text), "")
    except ValueError:
        return (1, 0.0, text)


def frequency_text(value):
    """1000000 as '1 MHz', max as 'max'."""
    kind, amount, _ = number(value)
    if kind:
        return value
    for unit, scale in (("MHz", 1e6), ("kHz", 1e3)):
        if amount >= scale:
            return f"{amount / scale:g} {unit}"
    return f"{amount:g} Hz" if amount else "0"


def setting_text(cell, leave_out=()):
    """'5 thieves, capacity 1024, 4-byte items': what a picture or a table was measured at."""
    params = cell.params
    thieves = params.get("thieves", "")
    parts = {"thieves": f"{thieves} {'thief' if thieves == '1' else 'thieves'}",
             "frequency": f"{frequency_text(params.get('frequency', ''))} each" if thieves != "0" else "",
             "capacity": f"capacity {params.get('capacity')}", "item": f"{params.get('item')}-byte items",
             "steal": "steals of one" if params.get("steal") == "one" else
             f"steals of {params.get('percent')} %" if params.get("steal") == "batch" else "",
             "pacing": "the thesis's pacing" if params.get("pacing") == "thesis" else ""}
    return ", ".join(text for name, text in parts.items() if name not in leave_out and text)


def style_of(cell):
    """(colour, line width, line style, order in depth)."""
    if cell.baseline:
        return YARDSTICK, 1.0, (0, (4, 3)), 2
    if cell.deque in FOUR:
        return FOUR[cell.deque], 1.8, "-" if cell.params.get("block", "0") in ("0", "64") else (0, (5, 1)), 4
    return GREY, 0.9, "-", 1


def colour_for(place):
    return COLOURS[place % len(COLOURS)]


def interval(summary):
    """(below, above) the median, for error bars."""
    if summary.low is None:
        return 0.0, 0.0
    return summary.median - summary.low, summary.high - summary.median


def ranked(cells, role, metric):
    """[(cell, summary, settled)], the highest first. settled: its interval keeps clear of the next one's below, so that
    the order of the two is not chance; None at the end and where intervals are missing."""
    rows = sorted(((cell, cell.value(role, metric)) for cell in cells if cell.value(role, metric)),
                  key=lambda row: -row[1].median)
    result = []
    for place, (cell, summary) in enumerate(rows):
        settled = None
        if place + 1 < len(rows):
            below = rows[place + 1][1]
            if summary.low is not None and below.high is not None:
                settled = summary.low > below.high
        result.append((cell, summary, settled))
    return result
