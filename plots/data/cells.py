"""A run's cells, each with all that was measured of it: for pictures and tables of one workload."""

from collections import defaultdict
from dataclasses import dataclass

from plots.data.summaries import metrics_by_cell, usable
from plots.data.words import DAGGER, declared_reference, marks_of
from plots.statistics import told_apart


@dataclass
class Cell:
    """One deque under one setting, in one section (tag)."""

    deque: str
    title: str
    workload: str
    params: dict
    metrics: dict  # {(role, metric): summary}
    tag: str
    reference: bool
    marks: str
    flags: set
    name: str

    def value(self, role, metric):
        """The summary, or None when there is no value."""
        return usable(self.metrics.get((role, metric)))

    @property
    def series(self):
        """Deque and block size: what one line of a figure is."""
        block = self.params.get("block", "0")
        return self.deque if block == "0" else f"{self.deque} ({block})"

    @property
    def label(self):
        block = self.params.get("block", "0")
        return self.title + (f", blocks of {block}" if block != "0" else "") + self.marks


def cells_of(run, summaries, workload=None):
    """The cells of a workload (None: of all), once for each section that they stand in."""
    by_cell = metrics_by_cell(summaries)
    cells = []
    for name, cell in run.cells.items():
        if workload in (None, cell["workload"]):
            facts, metrics = run.deque_facts(cell["deque"]), by_cell.get(name, {})
            flags = {flag for summary in metrics.values() for flag in summary.flags}
            cells += [Cell(cell["deque"], facts.get("title") or cell["deque"], cell["workload"], cell["params"], metrics,
                           tag, declared_reference(facts), marks_of(facts), flags, name) for tag in cell["tags"] or [""]]
    return cells


def grouped(things, key):
    """{key(thing): [things]} in the order they came."""
    groups = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return groups


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
    if any(cell.reference for cell in cells):
        notes.append("Grey: references.")
    return " ".join(notes)


def ranked(cells, role, metric):
    """[(cell, summary, settled)], the highest first. settled: the rule for verdicts tells it from the next one below, all
    of this order considered; None at the end and where invocations are too few."""
    rows = sorted(((cell, cell.value(role, metric)) for cell in cells if cell.value(role, metric)),
                  key=lambda row: -row[1].median)
    settled = told_apart([(above.by_invocation, below.by_invocation) for (_, above), (_, below) in zip(rows, rows[1:])])
    return [(cell, summary, apart) for (cell, summary), apart in zip(rows, [*settled, None])]
