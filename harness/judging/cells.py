"""A run's cells, each with everything measured of it, for pictures and tables of one workload."""

from collections import defaultdict
from dataclasses import dataclass

from harness.judging.summaries import metrics_by_cell, usable
from harness.judging.words import DAGGER, is_reference, marks_of
from harness.judging.statistics import LEAST_PAIRS, range_coverage, verdicts_on


@dataclass
class Cell:
    """One deque under one setting, in one section (tag)."""

    deque: str
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
        """Deque and block size: one line of a figure."""
        block = self.params.get("block", "0")
        return self.deque if block == "0" else f"{self.deque} ({block})"

    @property
    def label(self):
        block = self.params.get("block", "0")
        return self.deque + (f", blocks of {block}" if block != "0" else "") + self.marks


def cells_of(run, summaries, workload=None, stamped=False):
    """The cells of a workload (None: of all), once for each section that they are in. Cells whose tasks were stamped (waits=1),
    which costs time, only if stamped is set."""
    by_cell = metrics_by_cell(summaries)
    cells = []
    for name, cell in run.cells.items():
        if workload in (None, cell["workload"]) and (stamped or cell["params"].get("waits") != "1"):
            facts, metrics = run.deque_facts(cell["deque"]), by_cell.get(name, {})
            flags = {flag for summary in metrics.values() for flag in summary.flags}
            cells += [Cell(cell["deque"], cell["workload"], cell["params"], metrics, tag, is_reference(cell["deque"], facts),
                           marks_of(facts), flags, name) for tag in cell["tags"] or [""]]
    return asked_once(cells)


# The block size that a deque chooses itself (block=0), if its capacity has room for enough blocks.
OWN_BLOCKS = {"bwos_lifo": "64", "bwos_fifo": "64", "dynamic_abp": "64"}
ROOM_FOR_OWN = 512


def asked_once(cells):
    """The same cells without duplicates: of a cell that names the deque's own block size and one that leaves it to the deque
    (block=0), the latter is kept."""
    def settings(cell):
        return cell.tag, cell.workload, cell.deque, tuple(sorted(item for item in cell.params.items() if item[0] != "block"))

    by_themselves = {settings(cell) for cell in cells if cell.params.get("block") == "0" and cell.metrics
                     and int(cell.params.get("capacity", "0")) >= ROOM_FOR_OWN}
    return [cell for cell in cells if cell.params.get("block") != OWN_BLOCKS.get(cell.deque, "")
            or settings(cell) not in by_themselves]


def grouped(things, key):
    """{key(thing): [things]} in the order they came."""
    groups = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return groups


def varying_parameters(params, absent_differs=True):
    """The names of the parameters whose values differ among these cells' params, sorted. absent_differs: parameters that only some
    of the cells have count, too."""
    values = defaultdict(set)
    for one in params:
        for name, value in one.items():
            values[name].add(value)
    return sorted(name for name, some in values.items() if len(some) > 1
                  or absent_differs and any(name not in one for one in params))


GREY_MEANS = "Grey: references, not ranked; array is push and pop without synchronisation."


def interval_heading(counts):
    """What a column of intervals over so many invocations is called."""
    return "95 % interval" if min(counts, default=0) >= LEAST_PAIRS else "range"


def intervals_are(summaries):
    """A sentence that explains the intervals of these medians, which depend on the number of invocations."""
    counts = [summary.invocations for summary in summaries if summary and summary.invocations]
    fewest, most = min(counts, default=0), max(counts, default=0)
    if most <= 1:
        return "One invocation: no interval."
    number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    if fewest >= LEAST_PAIRS:
        return f"Medians of {number} invocations with their 95 % intervals."
    covered = f"{100 * range_coverage(max(fewest, 2)):.0f}"
    return (f"Medians of {number} invocations. With fewer than {LEAST_PAIRS} the interval is their range, which covers the true "
            f"median in {covered} % of cases with {max(fewest, 2)}: nothing is settled.")


def notes_of(cells):
    """Sentences that explain the marks and flags of these cells."""
    notes = []
    if any("oversubscribed" in cell.flags for cell in cells):
        some = "These" if all("oversubscribed" in cell.flags for cell in cells) else "Some"
        notes.append(f"{some} had more threads than processors: they say how the system shared them out, not what the "
                     "deques cost (flag oversubscribed).")
    if any(DAGGER in cell.marks for cell in cells):
        notes.append(f"{DAGGER}: may hand an item out more than once.")
    if any("UNSOUND" in cell.marks for cell in cells):
        notes.append("UNSOUND: this deque loses or doubles items; its speed is no achievement.")
    if any(cell.reference for cell in cells):
        notes.append(GREY_MEANS)
    return " ".join(notes)


def ranked(cells, role, metric):
    """[(cell, summary, verdict)], the highest first. verdict: the rule's on this cell and the next one, all pairs of the order
    together; None at the end and if there are too few invocations."""
    rows = sorted(((cell, cell.value(role, metric)) for cell in cells if cell.value(role, metric)),
                  key=lambda row: -row[1].median)
    verdicts = verdicts_on([(above.by_invocation, below.by_invocation) for (_, above), (_, below) in zip(rows, rows[1:])])
    return [(cell, summary, verdict) for (cell, summary), verdict in zip(rows, [*verdicts, None])]
