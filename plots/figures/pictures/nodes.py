"""How far nodes that measured the same cells differ, in a run on several nodes (./run.sh paper --slurm --repeat-nodes=N): the
run's rows say where each value was measured."""

from collections import defaultdict
from statistics import median, quantiles

from harness.judging.words import NANOSECONDS, format_number
from plots.figures.grammar import table
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Rule, rows_axis
from plots.figures.styles import GREY, KINDS_OF_THINGS

TAG = "nodes"  # not a section of a suite: the report shows it after the matrix
ROWS_MAX = 40
LANES = 9  # heights at which the cells of a node lie, so that equal ones do not cover each other


def draw(run, _sections, _summaries):
    cells = by_host(run)
    hosts = sorted({host for values in cells.values() for host in values})
    if len(hosts) > 1:
        yield TAG, picture(cells, hosts)
        yield TAG, spread_table(run, cells)


def by_host(run):
    """{cell: {host: median over invocations}} of cells that several hosts measured, by the first time or rate that is not the
    whole process's, as the driver judges precision."""
    found = defaultdict(lambda: defaultdict(list))
    for (cell, _), rows in run.invocations.items():
        rows = [row for row in rows if row["role"] != "process" and row["value"] is not None
                and (row["unit"] in NANOSECONDS or row["unit"].endswith("/s"))]
        if rows and rows[0]["host"]:
            found[cell][rows[0]["host"]].append(median(row["value"] for row in rows if (row["role"], row["metric"])
                                                       == (rows[0]["role"], rows[0]["metric"])))
    medians = {cell: {host: median(values) for host, values in hosts.items()} for cell, hosts in found.items()}
    return {cell: hosts for cell, hosts in medians.items() if len(hosts) > 1 and min(hosts.values()) > 0}


def spread_of(values):
    """By how many percent the highest of the hosts lies above the lowest."""
    return 100 * (max(values.values()) / min(values.values()) - 1)


def picture(cells, hosts):
    points, middles = [], []
    for place, host in enumerate(hosts):
        away = [100 * (values[host] / median(values.values()) - 1) for values in cells.values() if host in values]
        points += [Mark(value, place + 0.3 * ((number % LANES) / (LANES - 1) * 2 - 1)) for number, value in enumerate(away)]
        low, middle, high = quantiles(away, n=4) if len(away) > 1 else away * 3
        middles.append(Mark(middle, place, low, high))
    reach = 1.1 * max(max(abs(mark.x) for mark in points), 0.5)
    spreads = list(map(spread_of, cells.values()))
    return Picture(
        "nodes", "The same cells on several nodes",
        f"How far a node's median lies from the median over the nodes, cell by cell ({len(cells)} cells). Right of 0 is more: a "
        "longer time, a higher rate. Up and down within a row only separates cells. The highest node lies above the lowest by "
        f"{format_number(median(spreads))} % in the median cell, by {format_number(max(spreads))} % in the worst. A smaller "
        "difference between deques may be another on the next node.",
        [Frame([Layer(points, Look(GREY), "points", "a cell", size=0.45),
                Layer(middles, Look(KINDS_OF_THINGS["second"], "diamond"), "across", "median and quartiles of the cells")],
               Axis("% from the median over nodes", low=-reach, high=reach), rows_axis(hosts), grid="x", rules=[Rule(0)])],
        7.0, 1.0 + 0.42 * len(hosts))


def spread_table(run, cells):
    worst = sorted(cells, key=lambda cell: (-spread_of(cells[cell]), cell))
    return table("nodes-table", "Where the nodes are furthest from each other",
                 "Highest over lowest of the nodes' medians, as percent above it."
                 + (f" The {ROWS_MAX} widest of {len(cells)} cells." if len(cells) > ROWS_MAX else ""),
                 [("deque", lambda cell: run.cells[cell]["deque"]), ("workload", lambda cell: run.cells[cell]["workload"]),
                  ("settings", lambda cell: ", ".join(map("=".join, run.cells[cell]["params"].items()))),
                  ("#nodes", lambda cell: len(cells[cell])), ("lowest", lambda cell: min(cells[cell], key=cells[cell].get)),
                  ("highest", lambda cell: max(cells[cell], key=cells[cell].get)),
                  ("#spread (%)", lambda cell: format_number(spread_of(cells[cell])))], worst[:ROWS_MAX])
