"""Which deque? A table of deques by cases.

A case is a workload, a metric and one set of settings, the one that most deques of the run were
measured at. A deque appears with its defaults (its own block size, its own mode). The rule for verdicts compares each deque
with the best of its case, all cells of the matrix together. References and unsound deques are shown but not ranked.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from harness.judging.cells import cells_of
from harness.judging.defaults import defaults_of
from harness.judging.summaries import APART
from harness.judging.words import frequency_text, in_order, is_reference, is_unsound, marks_of, thieves_text, threads_text
from harness.judging.statistics import FASTER, LEAST_PAIRS, NOT_SETTLED, median, verdicts_on

UNDER_THIEVES = "owner under thieves"  # the group of cases in which a thief runs
# Settings that belong to a deque, beside its own mode: they do not distinguish cases.
OWN_SETTINGS = {"seed", "block", "push", "prelinked", "form"}
BEST, OPEN, UNRANKED = "best", NOT_SETTLED, "not ranked"  # the other states are verdicts


@dataclass(frozen=True)
class Kind:
    """Cases of one sort. by: the settings whose values make several cases; pick(values): which values. own: (setting, value): a
    deque measured with this setting appears with it, other deques without. The case exists only if some deque was measured both
    with and without it."""

    name: str
    title: str  # with the settings in by as {fields}
    group: str
    workload: str
    role: str
    metric: str
    by: tuple = ()
    pick: object = None
    settings: dict = field(default_factory=dict)
    higher: bool = False  # is more better?
    own: tuple = ()


@dataclass
class Case:
    """A column. name: as in the page's address; settings: the same for all deques."""

    name: str
    title: str
    group: str
    kind: Kind
    settings: dict
    unit: str
    entries: dict  # {deque: Entry}


@dataclass
class Entry:
    """A deque in a case. ratio: to the best, above 1 is worse."""

    summary: object
    ratio: float = None
    state: str = UNRANKED


@dataclass
class Row:
    deque: str
    facts: dict
    ranked: bool
    marks: str


@dataclass
class Matrix:
    cases: list
    rows: list  # ranked first, in the order of their typical ratio, those of few cases last

    @property
    def ranked(self):
        return [row for row in self.rows if row.ranked]


# Which of several values, in order, make a case. Each value is a tuple of the settings in Kind.by.


def ends(values):
    """The lowest and the highest."""
    return list(dict.fromkeys([values[0], values[-1]]))


def spread(values):
    """The lowest, the one in the middle and the highest."""
    return list(dict.fromkeys([values[0], values[(len(values) - 1) // 2], values[-1]]))


def last(values):
    return values[-1:]


def busy_pairs(values):
    """Of (thieves, frequency): the fewest thieves at their lowest and highest frequency, the most at the highest."""
    some = [value for value in values if "0" not in value]
    fewest = [value for value in some if value[0] == some[0][0]]
    return list(dict.fromkeys([*fewest[:1], *fewest[-1:], *some[-1:]]))


APPLICATIONS = {"quicksort": "quicksort", "uts": "tree search", "dag": "graph",
                "walk": "directories", "duplicates": "duplicates", "nqueens": "queens"}
MEASURED_SO = {"method": "corrected", "cache": "warm", "order": "sequential", "counters": "none"}
KINDS = [
    Kind("owner", "owner beside {thieves} at {frequency}", UNDER_THIEVES, "contention", "owner",
         "owner_operations", ("thieves", "frequency"), busy_pairs, {"sample": "none", "counters": "none"}, higher=True),
    *(Kind(f"{what}-{quantile}", f"{what} {quantile}, {{thieves}} at {{frequency}}", "single operations", "contention", role,
           f"{what}_latency_{quantile}", ("thieves", "frequency"), busy_pairs)
      for what, role in (("push", "owner"), ("pop", "owner"), ("steal", "thief")) for quantile in ("p50", "p99.9")),
    Kind("fork", "fork, {threads}", "fork and join", "fib", "pool", "time_per_call", ("threads",), ends),
    *(Kind(workload, f"{title}, {{threads}}", "applications", workload, "pool", "run_time", ("threads",), last)
      for workload, title in APPLICATIONS.items()),
    Kind("steal-busy", "steal {percent} %, owner busy", "steal", "steal", "thief", "steal_latency", ("percent",), last,
         {**MEASURED_SO, "owner": "busy"}),
    Kind("steal", "steal {percent} %", "steal", "steal", "thief", "steal_latency", ("percent",), spread,
         {**MEASURED_SO, "owner": "idle"}),
    Kind("pair", "push and pop", "owner alone", "pair", "owner", "pair_latency", settings=MEASURED_SO),
    Kind("pop", "pop", "owner alone", "pop", "owner", "pop_latency", settings={**MEASURED_SO, "take": "one"}),
    Kind("push", "push of {batch}", "owner alone", "push", "owner", "push_latency", ("batch",), ends, MEASURED_SO),
    Kind("push-linked", "push of {batch}, linked before", "owner alone", "push", "owner", "push_latency", ("batch",), last, MEASURED_SO,
         own=("prelinked", "1")),
]
# Peak memory is that of the first of these that the run has.
MEMORY = [("owner", 0), ("fork", 0), ("pop", 0), ("push", -1)]


def own_settings(run):
    """The settings that belong to deques: those above, and the modes that they name."""
    facts = [run.deque_facts(cell["deque"]) for cell in run.cells.values()]
    return OWN_SETTINGS | {one.get("mode") for one in facts if one.get("mode")}


def distinct_cells(run, summaries):
    """Each cell once, whatever sections it stands in."""
    return list({cell.name: cell for cell in cells_of(run, summaries)}.values())


def strangeness(cell, own, workload):
    """How many settings of a cell are not at their defaults: of the deque's own (own is a set), or of all (None)."""
    usual = defaults_of(workload, cell.deque)
    return sum(cell.params[name] != usual[name] for name in cell.params
               if name in usual and (own is None or name in own))


def is_ranked(deque, facts):
    return not is_reference(deque, facts) and not is_unsound(facts)


def cases_of(run, cells, kind, own):
    """The cases of a kind that this run has, the values that make them in order."""
    asked = defaultdict(list)
    for cell in cells:
        summary = cell.value(kind.role, kind.metric)
        if (cell.workload == kind.workload and summary and summary.median > 0 and "oversubscribed" not in cell.flags
                and all(cell.params.get(name, value) == value for name, value in kind.settings.items())
                and all(name in cell.params for name in kind.by)):
            asked[tuple(cell.params[name] for name in kind.by)].append((cell, summary))
    ways = {(cell.deque, is_own(kind, cell)) for some in asked.values() for cell, _ in some}
    if not asked or kind.own and not any((deque, not so) in ways for deque, so in ways):
        return []
    # Settings at which only a few deques were measured make no case.
    most = max(len({cell.deque for cell, _ in some}) for some in asked.values())
    values = sorted((value for value, some in asked.items() if 2 * len({cell.deque for cell, _ in some}) >= most),
                    key=lambda value: [in_order(one) for one in value])
    made = [case_of(run, kind, value, asked[value], own) for value in (kind.pick(values) if kind.by else values)]
    return [case for case in made if case]


def is_own(kind, cell):
    return bool(kind.own) and cell.params.get(kind.own[0]) == kind.own[1]


def case_of(run, kind, value, found, own):
    """The case at one value, or None where no ranked deque was measured."""
    questions = defaultdict(list)
    for cell, summary in found:
        questions[tuple((name, it) for name, it in sorted(cell.params.items()) if name not in own)].append((cell, summary))

    def worth(question):
        some = questions[question]
        return (len({cell.deque for cell, _ in some if is_ranked(cell.deque, run.deque_facts(cell.deque))}),
                -strangeness(some[0][0], None, kind.workload))

    best = max(questions, key=worth)
    if not worth(best)[0]:
        return None
    entries = {}
    for cell, summary in sorted(questions[best], key=lambda one: (not is_own(kind, one[0]), strangeness(one[0], own, kind.workload))):
        entries.setdefault(cell.deque, Entry(summary))
    words = dict(zip(kind.by, value))
    name = "-".join([kind.name, *value])
    return Case(name, kind.title.format(**{by: in_words(by, it) for by, it in words.items()}), kind.group, kind,
                dict(best), next(iter(entries.values())).summary.unit, entries)


def in_words(name, value):
    if (name, value) == ("frequency", "max"):
        return "full speed"
    said = {"threads": threads_text, "thieves": thieves_text, "frequency": frequency_text}.get(name)
    return said(value) if said else value


def memory_case(run, cases, by_cell):
    """Peak memory of the process in the cells of another case."""
    for name, place in MEMORY:
        mine = [case for case in cases if case.kind.name == name]
        if not mine:
            continue
        other = mine[place]
        entries = {deque: Entry(summary) for deque, entry in other.entries.items()
                   for summary in [by_cell.get(entry.summary.cell)] if summary}
        if any(is_ranked(deque, run.deque_facts(deque)) for deque in entries):
            kind = Kind("memory", "", "memory", other.kind.workload, "process", "peak_memory")
            return [Case("memory", f"peak memory ({other.title})", "memory", kind, other.settings, "bytes", entries)]
    return []


def rank(run, cases):
    """Ratios and states of all entries, settled together. A case of one ranked deque is no rank."""
    asked = []  # (entry, (the invocations of its slower side, those of the faster one))
    for case in cases:
        ranked = {deque: entry for deque, entry in case.entries.items() if is_ranked(deque, run.deque_facts(deque))}
        ranked = {deque: entry for deque, entry in ranked.items() if APART not in entry.summary.flags} or ranked
        if len(ranked) < 2:
            continue
        turned = -1 if case.kind.higher else 1
        best = min(ranked.values(), key=lambda entry: turned * entry.summary.median)
        for deque, entry in case.entries.items():
            sides = (entry.summary, best.summary)[::turned]
            entry.ratio = sides[0].median / sides[1].median
            if entry is best:
                # Too few invocations: no deque is known to be the best.
                entry.state = BEST if entry.summary.invocations >= LEAST_PAIRS else OPEN
            elif deque in ranked:
                asked.append((entry, tuple(side.by_invocation for side in sides)))
    for (entry, _), verdict in zip(asked, verdicts_on([pair for _, pair in asked])):
        # If the rule calls a deque faster than the one with the smallest median, pairs and medians disagree: not settled.
        entry.state = OPEN if verdict in (FASTER, None) else verdict


def build_matrix(run, summaries):
    """The Matrix of a run; without cases where it has none of them."""
    cells = distinct_cells(run, summaries)
    own = own_settings(run)
    cases = [case for kind in KINDS for case in cases_of(run, cells, kind, own)]
    memory = {cell.name: cell.value("process", "peak_memory") for cell in cells}
    for case in cases:
        linked = [other for other in cases if other.kind.name == "push-linked" and other.settings["batch"] == case.settings.get("batch")]
        case.title += ", linking timed" * (case.kind.name == "push" and bool(linked))
    cases += memory_case(run, cases, memory)
    rank(run, cases)
    deques = list(dict.fromkeys(deque for case in cases for deque in case.entries))
    rows = [Row(deque, facts, is_ranked(deque, facts), marks_of(facts)) for deque in deques for facts in [run.deque_facts(deque)]]

    met = {row.deque: [case.entries[row.deque].ratio for case in cases if row.deque in case.entries and case.entries[row.deque].ratio]
           for row in rows}
    most = max((len(met[row.deque]) for row in rows if row.ranked), default=0)
    # A deque with few cases could come first by one lucky case.
    rows.sort(key=lambda row: (not row.ranked, 2 * len(met[row.deque]) < most, median(met[row.deque] or [1]), row.deque))
    return Matrix(cases, rows)
