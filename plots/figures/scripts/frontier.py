"""The owner's cost against a thief's. A line joins the deques that no other beats for both."""

from collections import defaultdict

from harness.judging.statistics import median, median_interval
from harness.judging.words import in_order
from plots.data.matrix import KINDS, cases_of, distinct_cells, in_words, is_ranked, own_settings, strangeness
from plots.figures.figure import Figure, Point, Value
from plots.figures.styles import GREY, Look

TAG = "frontier"  # not a section of a suite: the report shows it after the matrix
AXES_MAX = 6


def draw(run, summaries):
    found = [(title, costs) for title, costs in frontiers(run, summaries) if len(costs) > 1]
    shown = found if len(found) <= AXES_MAX else [found[place * (len(found) - 1) // (AXES_MAX - 1)] for place in range(AXES_MAX)]
    figure = Figure("frontier", "The owner's cost against a thief's",
                    "Further left is cheaper for the owner (a push and the pop after it), further down for a thief (a steal). The line "
                    "joins the frontier: deques that no other beats for both. Grey: by the medians another deque costs neither more.",
                    columns=1 if len(shown) == 1 else 2)
    for title, costs in shown:
        axes = figure.axes("owner: push and pop (ns)", "thief: a steal", unit="ns", title=title, log="xy")
        best = [deque for deque in costs if not is_beaten(deque, costs)]
        axes.guide("frontier", [(costs[deque][0], costs[deque][1].y) for deque in best])
        for deque, (owner, thief) in costs.items():
            if deque in best:
                axes.line(deque, [(owner, thief)], kind="points")
            else:
                axes.mark("not on it", "points", Look(GREY, "plus"), Point(owner, thief, text=deque))
    yield TAG, figure


def frontiers(run, summaries):
    """(title, costs): beside thieves, one for each number of thieves and frequency; and from the operations alone."""
    cells, own = distinct_cells(run, summaries), own_settings(run)
    beside = defaultdict(dict)
    for cell in sorted(cells, key=lambda cell: strangeness(cell, own | {"item", "capacity"}, cell.workload)):
        costs = [cell.value("owner", "push_time"), cell.value("owner", "pop_time"), cell.value("thief", "steal_time")]
        wanted = {"sample": "none", "case": "cycle", "steal": "one", "counters": "none"}
        if (cell.workload == "contention" and all(costs) and wanted.items() <= cell.params.items() and "oversubscribed" not in cell.flags
                and cell.params["thieves"] != "0"):
            beside[cell.params["thieves"], cell.params["frequency"]].setdefault(cell.deque, costs)
    for key in sorted(beside, key=lambda one: list(map(in_order, one))):
        yield f"{in_words('thieves', key[0])} at {in_words('frequency', key[1])}", costs_of(run, beside[key])
    found = {kind.name: cases_of(run, cells, kind, own) for kind in KINDS if kind.name in ("push", "pop", "steal")}
    if all(found.values()):
        push, pop, steal = (found[name][0] for name in ("push", "pop", "steal"))
        shared = push.entries.keys() & pop.entries.keys() & steal.entries.keys()
        yield f"alone: {push.title} and pop, {steal.title}", costs_of(run, {
            deque: [case.entries[deque].summary for case in (push, pop, steal)] for deque in push.entries if deque in shared})


def costs_of(run, found):
    """{deque: (the owner's median, a thief's Value)} of ranked deques whose costs are above 0, the cheapest owner first; found:
    {deque: [summaries of the owner..., of a thief]}."""
    costs = {}
    for deque, summaries in found.items():
        *owners, thief = (one.by_invocation for one in summaries)
        shared = set(thief).intersection(*owners)
        x, y = [sum(one[i] for one in owners) for i in shared], [thief[i] for i in shared]
        if shared and is_ranked(deque, run.deque_facts(deque)) and min(x + y) > 0:
            costs[deque] = median(x), Value(median(y), *(median_interval(y) or (None, None)), len(y))
    return dict(sorted(costs.items(), key=lambda one: one[1][0]))


def is_beaten(deque, costs):
    """Does another deque cost owner and thief no more, by the medians?"""
    owner, thief = costs[deque]
    return any(other != deque and its_owner <= owner and its_thief.y <= thief.y for other, (its_owner, its_thief) in costs.items())
