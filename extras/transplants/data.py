"""Another runtime with our deques in the place of its own: each deque against the host's own, pair by pair. The deques are called HOST/DEQUE, the host's own HOST/own."""

from dataclasses import dataclass

from harness.judging.cells import grouped
from extras.runtimes.data import Against, against, metric_of

OWN = "own"


@dataclass
class Row:
    """against: the host with this deque, compared with its own."""

    tag: str
    title: str
    host: str
    deque: str
    unit: str
    against: Against


def compare(run, summaries):
    """[Row] in the order of the suite; the verdicts count all of them together."""
    times = {(one.cell, one.metric): one for one in summaries if one.role == "pool"}
    rows = []
    for tag, title in run.section_titles():
        mine = [name for name, cell in run.cells.items() if tag in cell["tags"] and "/" in cell["deque"]]
        for host, cells in grouped(mine, lambda name: run.cells[name]["deque"].split("/")[0]).items():
            by_deque = {run.cells[name]["deque"].split("/")[1]: name for name in cells}
            own = metric_of(times, by_deque.get(OWN))
            for deque, name in by_deque.items():
                held = None if deque == OWN else against(run, name, metric_of(times, name), own)
                if held:
                    rows.append(Row(tag, title, host, deque, own.unit, held))
    return rows
