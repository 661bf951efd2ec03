"""The owner's cost against a thief's. The Pareto set is marked: deques that no other beats for both. A frame for each
setting; the table has them all."""

import math

from plots.data.matrix import frontiers
from harness.judging.words import format_number, marks_of
from plots.figures.grammar import table
from plots.figures.picture import Frame, Layer, Look, Mark, Picture, Text, log_axis
from plots.figures.styles import GREY, Looks

SIZES = {"frontier": 1.8, "not settled": 1.3, "dominated": 0.8}
TAG = "frontier"  # not a section of a suite: the report shows it after the matrix
FRAMES_MAX = 6
# Sizes in inches that decide where a name fits: a frame's plot by frames side by side, a letter, a line, half a marker.
ROOM, LETTER, LINE, RADIUS = {1: (6.2, 2.7), 2: (2.9, 2.7)}, 0.062, 0.12, 0.06
ASIDE = 0.1  # from a place to the text beside it


def draw(run, _sections, summaries):
    found = frontiers(run, summaries)
    if not found:
        return
    looks = Looks(run)
    shown = found if len(found) <= FRAMES_MAX else [
        found[place * (len(found) - 1) // (FRAMES_MAX - 1)] for place in range(FRAMES_MAX)]
    columns = 1 if len(shown) == 1 else 2
    yield TAG, Picture(
        "frontier", "The owner's cost against a thief's",
        "Further left is cheaper for the owner (a push and the pop after it), further down for a thief (a steal). The line joins the "
        "frontier: deques that no other beats for both, with their names. Small: dominated; another deque costs neither more by "
        "the medians, and one of them less by the rule for verdicts. In between: not settled. References are left out.",
        [frame_of(run, one, looks, ROOM[columns]) for one in shown], 7.0, 3.2, columns)

    def end(axis, place):
        return lambda row: format_number(getattr(row[1], axis)[place])

    yield TAG, table("frontier-table", "The frontier in numbers", "Settings as above; a dominated deque with the one that beats it.",
                     [("setting", 0), ("deque", lambda row: row[1].deque),
                      *((f"#{heading}", end(axis, place)) for axis, who in (("x", "owner"), ("y", "thief"))
                        for place, heading in enumerate((f"{who} (ns)", "low", "high"))),
                      ("#invocations", lambda row: row[1].count), ("state", lambda row: row[1].state),
                      ("beaten by", lambda row: row[1].by)], [(one.title, point) for one in found for point in one.points])


def frame_of(run, frontier, looks, inches):
    best = [point for point in frontier.points if point.state == "frontier"]
    layers = [Layer([Mark(point.x[0], point.y[0]) for point in best], Look(GREY, "", "dotted", 1.4), "line", "frontier")]
    for point in frontier.points:
        facts = run.deque_facts(point.deque)
        layers.append(Layer([Mark(point.x[0], point.y[0], *point.y[1:])], looks.of(point.deque), "points",
                            (facts.get("title") or point.deque) + marks_of(facts), size=SIZES[point.state]))
    ends = [(min(values) / 1.5, max(values) * 1.5) for axis in "xy"
            for values in [[end for point in frontier.points for end in getattr(point, axis) if end]]]
    return Frame(layers, log_axis("owner: push and pop (ns)", *ends[0]), log_axis("thief: a steal (ns)", *ends[1]),
                 frontier.title, grid="both", texts=names_of(best, frontier.points, ends, inches))


def names_of(best, points, ends, inches):
    """The names of the frontier's deques, each beside its marker where it covers no marker and no other name."""
    scales = [size / math.log(high / low) for size, (low, high) in zip(inches, ends)]

    def place_of(point):
        return tuple(scale * math.log(getattr(point, axis)[0] / low) for scale, axis, (low, _) in zip(scales, "xy", ends))

    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in map(place_of, points)]
    texts = []
    for point in best:
        x, y = place_of(point)
        wide = LETTER * len(point.deque)
        starts = {"left": x + ASIDE, "right": x - ASIDE - wide, "center": x - wide / 2}
        tried = []
        for align, up in (("left", 0), ("right", 0), ("center", 1), ("center", -1), ("left", 0.7), ("left", -0.7), ("right", 0.7),
                          ("right", -0.7), ("center", 2), ("center", -2)):
            middle = y + up * (LINE / 2 + 1.5 * RADIUS)
            box = starts[align], middle - LINE / 2, starts[align] + wide, middle + LINE / 2
            outside = max(0, -box[0]) + max(0, box[2] - inches[0]) + max(0, -box[1]) + max(0, box[3] - inches[1])
            tried.append((sum(shared(box, other) for other in taken) + outside, len(tried), align, middle, box))
        _, _, align, middle, box = min(tried)
        taken.append(box)
        texts.append(Text(point.x[0], ends[1][0] * math.exp(middle / scales[1]), point.deque, align))
    return texts


def shared(one, other):
    """The area in which two boxes (left, bottom, right, top) overlap."""
    return max(0, min(one[2], other[2]) - max(one[0], other[0])) * max(0, min(one[3], other[3]) - max(one[1], other[1]))

