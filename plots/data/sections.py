"""A run section by section: the common source of the table, the figures and the report.

A section is a tag of the suite. Where a figure is known for it, its cells become panels (one for each setting that
holds for all deques, such as the method), series (a deque in one variant) and points. All other cells become rows of a
generic table, so that a workload added later is shown without a line here.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from harness.judging.cells import varying_parameters
from harness.judging.headline import value_of
from plots.data.published import read_published
from harness.judging.run_folder import worst_status
from harness.judging.summaries import invocation_statuses, summarize
from harness.judging.words import (REFERENCES, DAGGER, NANOSECONDS, in_order, is_reference, may_repeat, words_for)

# Settings that make a variant of one deque. Other settings that vary hold for every deque.
VARIANT_PARAMETERS = ["push", "prelinked", "form", "walk", "seed"]
# Counted in every window, but shown only in tables of counters. Then: roles that are a processor or a pair of them.
KERNEL_METRICS = {"voluntary_context_switches", "involuntary_context_switches", "minor_page_faults",
                  "major_page_faults"}
PAIR_ROLE = re.compile(r"\d+(-\d+)?")

# Metrics that get a column beside the drawn one: {metric: heading}.
COMPANIONS = {"push_latency_per_item": "per item", "steal_latency_per_item": "per item",
              "share_counted": "share counted", "lost_attempts": "lost attempts",
              "owner_operations": "owner meanwhile"}


@dataclass(frozen=True)
class Figure:
    """A figure of operations: of each cell its value (judged.py).

    name: of its files; conditions: settings under which the paper's values are comparable; stated: the figure whose values
    the paper states, if it is not the tag; beside: settings whose values are frames of one picture.
    """

    tag: str
    name: str
    workload: str
    x: str
    unit: str
    labels: tuple  # of the axes
    caption: str
    logarithmic: bool = False
    conditions: dict = field(default_factory=dict)
    stated: str = ""
    beside: tuple = ()


STOLEN = ("stolen (% of the deque's items)", "steal latency (\N{MICRO SIGN}s)")
FIGURES = {figure.tag: figure for figure in [
    Figure("fig6", "fig6_push", "push", "batch", "ns",
           ("batch (items pushed together)", "push latency (ns)"),
           "Latency of pushing a batch, in ns per call", logarithmic=True),
    Figure("fig7", "fig7_steal", "steal", "percent", "us", STOLEN,
           "Latency of stealing a proportion of a deque, in \N{MICRO SIGN}s per steal",
           conditions={"size": "10000", "owner": "idle"}),
    Figure("fig7-layout", "fig7_layout", "steal", "percent", "us", STOLEN,
           "Figure 7 by how the nodes lie in memory and by what the owner does, in \N{MICRO SIGN}s per steal",
           conditions={"size": "10000", "owner": "idle"}, stated="fig7", beside=("owner", "node", "order")),
    Figure("fig8", "fig8_optimised_steal", "steal", "percent", "us", STOLEN,
           "Steal with and without the walk to the tail, in \N{MICRO SIGN}s per steal",
           conditions={"size": "10000", "owner": "idle"}),
    Figure("pop", "pop", "pop", "method", "ns",
           ("pop latency (ns per item)", ""), "Latency of taking one item, in ns", conditions={"take": "one"}),
]}


@dataclass
class Point:
    """One cell's median, in the unit of its figure."""

    x: str
    median: float
    low: float
    high: float
    summary: object
    companions: dict = field(default_factory=dict)  # {heading: summary}

    @property
    def span(self):
        return (self.median, self.median) if self.low is None else (self.low, self.high)


@dataclass
class Series:
    """One deque in one variant."""

    deque: str
    title: str
    variant: str
    params: dict
    points: list
    emulated: bool = False
    unsound: bool = False
    reference: bool = False
    facts: dict = field(default_factory=dict)  # the deque's description

    @property
    def repeats(self):
        return may_repeat(self.facts)

    @property
    def marks(self):
        return ((f" {DAGGER}" if self.repeats else "") + (" (emulated)" if self.emulated else "")
                + (" UNSOUND" if self.unsound else ""))

    @property
    def name(self):
        """By the deque's id, as one types it."""
        return self.deque + (f", {self.variant}" if self.variant else "") + self.marks

    @property
    def label(self):
        """By the deque's title, for figures."""
        return self.title + (f", {self.variant}" if self.variant else "") + self.marks

    @property
    def prose(self):
        """By the deque's title, within a sentence."""
        return self.title + (f" ({self.variant})" if self.variant else "")

    def xs(self):
        return [point.x for point in self.points]

    def at(self, x):
        return next((point for point in self.points if point.x == x), None)


@dataclass
class Panel:
    """Series that may share axes."""

    settings: dict
    series: list
    published: list
    behind: list = field(default_factory=list)  # series that are drawn in grey, without a name (groups.py)

    @property
    def title(self):
        return ", ".join(words_for(name, value) for name, value in self.settings.items())

    def xs(self):
        return sorted({x for series in self.series for x in series.xs()}, key=in_order)

    def published_for(self, series, x):
        """The published values that belong beside this point. Without an x they belong to the published method."""
        methods = {point.x for point in series.points}
        return [value for value in self.published if value.is_measured_by(series.deque, series.params)
                and (value.x == x or value.x is None and (x == "published" or "published" not in methods))]

    def published_alone(self):
        """The published values without a measured counterpart in this run."""
        beside = {value for series in self.series for point in series.points
                  for value in self.published_for(series, point.x)}
        return [value for value in self.published if value not in beside]


@dataclass
class Missing:
    """A cell, or a metric of it, that has no value: which, and why."""

    deque: str
    what: str
    status: str
    x: str = ""  # where it would be


def missing_as_rows(missing):
    """[(deque, what, status)]; entries that differ only in x are joined."""
    together = defaultdict(list)
    for one in missing:
        together[one.deque, one.what, one.status].append(one.x)
    return [(deque, ": ".join(text for text in [what, ", ".join(x for x in xs if x)] if text), status)
            for (deque, what, status), xs in together.items()]


@dataclass
class Section:
    tag: str
    title: str
    figure: Figure
    panels: list
    rows: list  # summaries of cells that belong to no figure, with their own text: [(text, summary)]
    missing: list
    repeating: frozenset = frozenset()  # its deques that may hand an item out more than once

    @property
    def is_empty(self):
        return not self.rows and not any(panel.series for panel in self.panels)

    def marked(self, deque):
        """The deque's id with the mark that it needs in a table."""
        return f"{deque} {DAGGER}" if deque in self.repeating else deque


def build_sections(run, summaries=None):
    """Every section of the run, in the order of the suite; cells without a tag come last. Sections that --only or a machine without
    counters left out are not part of this run."""
    summaries = summarize(run) if summaries is None else summaries
    by_cell = defaultdict(list)
    for summary in summaries:
        by_cell[summary.cell].append(summary)
    ended = invocation_statuses(run)
    sections = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        if not cells and (run.partial or tag in run.denied_sections()):
            continue
        sections.append(_section(run, tag, title, cells, by_cell, ended))
    untagged = [name for name, cell in run.cells.items() if not cell["tags"]]
    if untagged:
        sections.append(_section(run, "", "Cells of no figure", untagged, by_cell, ended))
    return sections


def _section(run, tag, title, cells, by_cell, ended):
    figure = FIGURES.get(tag)
    drawn = [cell for cell in cells if figure and run.cells[cell]["workload"] == figure.workload]
    rest = [cell for cell in cells if cell not in set(drawn)]
    panels, missing = _panels(run, figure, drawn, by_cell, ended) if drawn else ([], [])
    rows, more_missing = _generic_rows(run, rest, by_cell, ended)
    repeating = frozenset(deque for deque in {run.cells[cell]["deque"] for cell in cells}
                          if may_repeat(run.deque_facts(deque)))
    return Section(tag, title, figure, panels, rows, missing + more_missing, repeating)


def _split_parameters(run, figure, cells):
    """(settings that make panels, settings that make variants of a deque), of those that vary."""
    modes = {run.deque_facts(cell["deque"]).get("mode") for cell in cells}
    panel, variant = [], []
    for name in varying_parameters([cell["params"] for cell in cells]):
        values = defaultdict(set)
        for cell in cells:
            values[cell["deque"]].add(cell["params"].get(name))
        if name == figure.x:
            continue
        asked_of_all = all(name in cell["params"] for cell in cells) and any(len(v) > 1 for v in values.values())
        if asked_of_all and name not in VARIANT_PARAMETERS and name not in modes:
            panel.append(name)
        else:
            variant.append(name)
    rank = {name: place for place, name in enumerate(VARIANT_PARAMETERS)}
    return panel, sorted(variant, key=lambda name: (rank.get(name, len(rank)), name))


def _panels(run, figure, names, by_cell, ended):
    cells = [run.cells[name] for name in names]
    panel_names, variant_names = _split_parameters(run, figure, cells)
    grouped, missing = defaultdict(list), []
    for name in names:
        cell = run.cells[name]
        summaries = {summary.metric: summary for summary in by_cell.get(name, [])}
        summary = value_of(by_cell.get(name, []))
        settings = tuple((key, cell["params"][key]) for key in panel_names)
        if summary is None or summary.median is None or summary.status != "ok" or summary.unit not in NANOSECONDS:
            what = [words_for(key, cell["params"][key]) for key in [*panel_names, *variant_names]
                    if key in cell["params"]]
            missing.append(Missing(cell["deque"], ", ".join([*what, figure.x]),
                                   _why_missing(summary, by_cell.get(name, []), ended.get(name)),
                                   cell["params"].get(figure.x, "")))
            grouped.setdefault(settings, [])
            continue
        grouped[settings].append((cell, summary, summaries))
    panels = [_panel(run, figure, dict(settings), rows, variant_names) for settings, rows in grouped.items()]
    # The corrected method comes first.
    panels.sort(key=lambda panel: panel.settings.get("method") == "published")
    return panels, missing


def _why_missing(summary, summaries, ended):
    """summary: of the wanted metric, if there is any; summaries: all of the cell."""
    if not ended:
        return "not run"
    status = worst_status([*ended.values(), *([summary.status] if summary else [])])
    if status != "ok":
        return status
    if summary is not None and summary.median is not None:
        return f"in {summary.unit}, no unit of time"
    # One row of the cell says that the deque cannot serve a setting, or that this machine does not have it.
    return next((told for told in ("unsupported", "denied", "busy") if any(other.status == told for other in summaries)),
                "not reported")


def _panel(run, figure, settings, rows, variant_names):
    by_series = defaultdict(list)
    for cell, summary, summaries in rows:
        variant = tuple((name, cell["params"].get(name)) for name in variant_names)
        by_series[cell["deque"], variant].append((cell, summary, summaries))
    usual = {name: Counter(dict(variant)[name] for _, variant in by_series).most_common(1)[0][0]
             for name in variant_names} if by_series else {}
    every = defaultdict(set)
    for deque, variant in by_series:
        for name, value in variant:
            every[deque, name].add(value)
    series = []
    for (deque, variant), members in by_series.items():
        told = [words_for(name, value) for name, value in variant if value is not None
                and (len(every[deque, name]) > 1 or value != usual[name] and usual[name] is not None)]
        series.append(_one_series(run, figure, deque, ", ".join(told), members))
    comparable = all(cell["params"].get(name, value) == value
                     for cell, _, _ in rows for name, value in figure.conditions.items())
    published = read_published(figure.stated or figure.tag) if comparable and rows else []
    return Panel(settings, series, published)


def _one_series(run, figure, deque, variant, members):
    facts = run.deque_facts(deque)
    points, flags = [], set()
    for cell, summary, summaries in members:
        scale = NANOSECONDS[summary.unit] / NANOSECONDS[figure.unit]
        companions = {COMPANIONS[metric]: other for metric, other in summaries.items()
                      if metric in COMPANIONS and other.median is not None}
        low, high = (None, None) if summary.low is None else (summary.low * scale, summary.high * scale)
        points.append(Point(cell["params"].get(figure.x, ""), summary.median * scale, low, high, summary, companions))
        flags.update(summary.flags)
    points.sort(key=lambda point: in_order(point.x))
    title = facts.get("title") or deque
    if deque in REFERENCES and REFERENCES[deque] not in title:
        title += f" ({REFERENCES[deque]})"
    return Series(deque, title, variant, members[0][0]["params"], points, emulated="emulated" in flags,
                  unsound="unsound" in flags, reference=is_reference(deque, facts), facts=facts)


def _generic_rows(run, names, by_cell, ended):
    """[(what the cell is, summary)] of each metric that a workload's threads reported."""
    rows, missing = [], []
    for workload in dict.fromkeys(run.cells[name]["workload"] for name in names):
        mine = [name for name in names if run.cells[name]["workload"] == workload]
        varying = varying_parameters([run.cells[name]["params"] for name in mine])
        for name in mine:
            params = run.cells[name]["params"]
            text = ", ".join([workload, *(f"{key}={params[key]}" for key in varying if key in params)])
            found = [summary for summary in by_cell.get(name, []) if summary.role != "process"
                     and summary.metric not in KERNEL_METRICS and not PAIR_ROLE.fullmatch(summary.role)]
            # The pool's own counts beside an application's are a table (figures/pictures/applications.py).
            if any(summary.role == "pool" for summary in found):
                found = [summary for summary in found if summary.role != "worker"]
            shown = [summary for summary in found if summary.median is not None and summary.status == "ok"]
            rows.extend((text, summary) for summary in shown)
            if not shown:
                worst = max(found, key=lambda summary: summary.status != "ok", default=None)
                missing.append(Missing(run.cells[name]["deque"], text,
                                       _why_missing(worst, by_cell.get(name, []), ended.get(name))))
    return rows, missing
