"""A run's sections as the suite names them: the values of their cells, and what has none."""

import re
from collections import defaultdict
from dataclasses import dataclass

from harness.judging.cells import varying_parameters
from harness.judging.run_folder import worst_status
from harness.judging.summaries import invocation_statuses, summarize
from harness.judging.words import DAGGER, in_order, may_repeat

# Counted in every window, but shown only in tables of counters. Then: roles that are a processor or a pair of them.
KERNEL_METRICS = {"voluntary_context_switches", "involuntary_context_switches", "minor_page_faults",
                  "major_page_faults"}
PAIR_ROLE = re.compile(r"\d+(-\d+)?")


@dataclass
class Section:
    tag: str
    title: str
    rows: list  # [(text of the cell, summary)] of each metric that a workload's threads reported
    missing: list  # [(deque, which cells, why)] without a value
    repeating: frozenset = frozenset()  # its deques that may hand an item out more than once

    def marked(self, deque):
        """The deque's id with the mark that it needs in a table."""
        return f"{deque} {DAGGER}" if deque in self.repeating else deque


def build_sections(run, summaries=None):
    """Every section of the run, in the order of the suite; cells without a tag come last. Sections that --only or a machine without
    counters left out are not part of this run."""
    summaries = summarize(run) if summaries is None else summaries
    by_cell, ended = defaultdict(list), invocation_statuses(run)
    for summary in summaries:
        by_cell[summary.cell].append(summary)
    sections = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        if cells or not (run.partial or tag in run.denied_sections()):
            sections.append(_section(run, tag, title, cells, by_cell, ended))
    untagged = [name for name, cell in run.cells.items() if not cell["tags"]]
    if untagged:
        sections.append(_section(run, "", "Cells of no figure", untagged, by_cell, ended))
    return sections


def _section(run, tag, title, cells, by_cell, ended):
    rows, missing = [], []
    for workload in dict.fromkeys(run.cells[name]["workload"] for name in cells):
        mine, lacking = [name for name in cells if run.cells[name]["workload"] == workload], defaultdict(list)
        varying = varying_parameters([run.cells[name]["params"] for name in mine])
        for name in mine:
            cell = run.cells[name]
            found = _reported(by_cell.get(name, []))
            shown = [summary for summary in found if summary.median is not None and summary.status == "ok"]
            text = ", ".join([workload, *(f"{key}={cell['params'][key]}" for key in varying if key in cell["params"])])
            rows += [(text, summary) for summary in shown]
            if not shown:
                lacking[cell["deque"], _why(by_cell.get(name, []), ended.get(name))].append(cell["params"])
        missing += [(deque, _which(workload, params, varying), why) for (deque, why), params in lacking.items()]
    repeating = frozenset(deque for deque in {run.cells[cell]["deque"] for cell in cells} if may_repeat(run.deque_facts(deque)))
    return Section(tag, title, rows, missing, repeating)


def _reported(summaries):
    """What a reader of the section wants: not what the process as a whole, the kernel or a single pair of processors reported. The
    pool's own counts beside an application's time are a table (scripts/applications.py)."""
    found = [one for one in summaries if one.role != "process" and one.metric not in KERNEL_METRICS and not PAIR_ROLE.fullmatch(one.role)]
    return [one for one in found if one.role != "worker"] if any(one.role == "pool" for one in found) else found


def _which(workload, params, varying):
    """'steal, owner=busy, percent=10 20 30': the settings of these cells, of those that vary in their section."""
    values = {name: sorted({one[name] for one in params if name in one}, key=in_order) for name in varying}
    return ", ".join([workload, *(f"{name}={' '.join(some)}" for name, some in values.items() if some)])


def _why(summaries, ended):
    if not ended:
        return "not run"
    found = worst_status([*ended.values(), *(one.status for one in _reported(summaries))])
    if found != "ok":
        return found
    # One row of the cell says that the deque cannot serve a setting, or that this machine does not have it.
    return next((told for told in ("unsupported", "denied", "busy") if any(other.status == told for other in summaries)), "not reported")
