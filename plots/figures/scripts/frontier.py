"""The owner's cost against a thief's. A line joins the deques that no other beats for both."""

from plots.data.matrix import frontiers
from plots.figures.figure import Figure, Point, Value
from plots.figures.styles import GREY, Look

TAG = "frontier"  # not a section of a suite: the report shows it after the matrix
AXES_MAX = 6


def draw(run, summaries):
    found = frontiers(run, summaries)
    shown = found if len(found) <= AXES_MAX else [found[place * (len(found) - 1) // (AXES_MAX - 1)] for place in range(AXES_MAX)]
    figure = Figure("frontier", "The owner's cost against a thief's",
                    "Further left is cheaper for the owner (a push and the pop after it), further down for a thief (a steal). The line "
                    "joins the frontier: deques that no other beats for both. Grey: by the medians another deque costs neither more.",
                    columns=1 if len(shown) == 1 else 2)
    for one in shown:
        axes = figure.axes("owner: push and pop (ns)", "thief: a steal", unit="ns", title=one.title, log="xy")
        best = sorted((point for point in one.points if point.state == "frontier"), key=lambda point: point.x[0])
        axes.guide("frontier", [(point.x[0], point.y[0]) for point in best])
        for point in one.points:
            if point.state == "frontier":
                axes.line(point.deque, [(point.x[0], Value(*point.y, point.count))], kind="points")
            else:
                axes.mark("not on it", "points", Look(GREY, "plus"), Point(point.x[0], Value(*point.y, point.count), text=point.deque))
    yield TAG, figure
