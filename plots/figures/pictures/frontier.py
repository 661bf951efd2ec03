"""What the owner pays against what a thief pays, and who is cheaper for both than nobody: the Pareto set, marked. Where
several settings were measured, a frame for each; the table has them all."""

from plots.data.matrix import frontiers
from plots.data.words import format_number, marks_of
from plots.figures.picture import Frame, Layer, Look, Mark, Picture, Table, Text, log_axis
from plots.figures.styles import GREY, Looks

SIZES = {"frontier": 1.8, "not settled": 1.3, "dominated": 0.8}
TAG = "frontier"  # not a section of a suite: the report shows it after the matrix
FRAMES_MAX = 6
HEADINGS = ["setting", "deque", "owner (ns)", "low", "high", "thief (ns)", "low", "high", "invocations", "state", "beaten by"]


def draw(run, _sections, summaries):
    found = frontiers(run, summaries)
    if not found:
        return
    looks = Looks(run)
    shown = found if len(found) <= FRAMES_MAX else [
        found[place * (len(found) - 1) // (FRAMES_MAX - 1)] for place in range(FRAMES_MAX)]
    columns = 1 if len(shown) == 1 else 2
    yield TAG, Picture(
        "frontier", "What the owner pays against what a thief pays",
        "Further left is cheaper for the owner (a push and the pop after it), further down for a thief (a steal). The line "
        "joins the frontier: deques that no other beats for both, with their names. Small: dominated, another is no dearer for either by the "
        "medians and settled to be cheaper for one. In between: not settled. References are left out.",
        [frame_of(run, one, looks) for one in shown], 7.0, 3.2, columns)
    yield TAG, Table("frontier-table", "The frontier in numbers",
                     "Settings as above; a dominated deque with the one that beats it.", HEADINGS,
                     [[one.title, point.deque, *map(format_number, (*point.x, *point.y)), str(point.count), point.state,
                       point.by] for one in found for point in one.points], list(range(2, 9)))


def frame_of(run, frontier, looks):
    best = [point for point in frontier.points if point.state == "frontier"]
    layers = [Layer([Mark(point.x[0], point.y[0]) for point in best], Look(GREY, "", "dotted", 1.4), "line", "frontier")]
    for point in frontier.points:
        facts = run.deque_facts(point.deque)
        layers.append(Layer([Mark(point.x[0], point.y[0], *point.y[1:])], looks.of(point.deque), "points",
                            (facts.get("title") or point.deque) + marks_of(facts), size=SIZES[point.state]))
    names = [Text(point.x[0], point.y[0], point.deque) for point in best]
    return Frame(layers, log_axis("owner: push and pop (ns)", *room([point.x for point in frontier.points])),
                 log_axis("thief: a steal (ns)", *room([point.y for point in frontier.points])), frontier.title,
                 grid="both", texts=names)


def room(values):
    """(from, to) of an axis with these (median, low, high) in it."""
    ends = [end for value in values for end in value if end]
    return min(ends) / 1.5, max(ends) * 1.5
