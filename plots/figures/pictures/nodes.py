"""How far the nodes that measured the same cells are from each other: a run of several (./run.sh paper --slurm
--repeat-nodes=N), whose rows say where each value was measured."""

from collections import defaultdict
from statistics import median, quantiles

from plots.data.words import NANOSECONDS, format_number
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Rule, Table, rows_axis
from plots.figures.styles import GREY, KINDS_OF_THINGS

TAG = "nodes"  # not a section of a suite: the report shows it after the matrix
ROWS_MAX = 40
LANES = 9  # heights at which the cells of a node lie, so that equal ones are seen


def draw(run, _sections, _summaries):
    cells = by_host(run)
    hosts = sorted({host for values in cells.values() for host in values})
    if len(hosts) < 2:
        return
    yield TAG, picture(cells, hosts)
    yield TAG, table(run, cells)


def by_host(run):
    """{cell: {host: what an invocation gave there, the median over invocations}} of cells that several measured, by the
    first time or rate that is none of the whole process, as the driver judges precision."""
    found = defaultdict(lambda: defaultdict(list))
    for (cell, _), rows in run.invocations.items():
        key, values = None, []
        for row in rows:
            if row["role"] == "process" or row["value"] is None or not (
                    row["unit"] in NANOSECONDS or row["unit"].endswith("/s")):
                continue
            key = key or (row["role"], row["metric"])
            if key == (row["role"], row["metric"]):
                values.append(row["value"])
        if values and rows[0]["host"]:
            found[cell][rows[0]["host"]].append(median(values))
    medians = {cell: {host: median(values) for host, values in hosts.items()} for cell, hosts in found.items()}
    return {cell: hosts for cell, hosts in medians.items() if len(hosts) > 1 and min(hosts.values()) > 0}


def spread_of(values):
    """By how many percent the highest of the hosts lies above the lowest."""
    return 100 * (max(values.values()) / min(values.values()) - 1)


def picture(cells, hosts):
    points, middles = [], []
    for place, host in enumerate(hosts):
        away = [100 * (values[host] / median(values.values()) - 1) for values in cells.values() if host in values]
        if not away:
            continue
        points += [Mark(value, place + 0.3 * ((number % LANES) / (LANES - 1) * 2 - 1)) for number, value in enumerate(away)]
        quarters = quantiles(away, n=4) if len(away) > 1 else [away[0]] * 3
        middles.append(Mark(quarters[1], place, quarters[0], quarters[2]))
    layers = [Layer(points, Look(GREY), "points", "a cell", size=0.45),
              Layer(middles, Look(KINDS_OF_THINGS["second"], "diamond"), "across", "median and quartiles of the cells")]
    reach = 1.1 * max(max(abs(mark.x) for mark in points), 0.5)
    spreads = [spread_of(values) for values in cells.values()]
    return Picture(
        "nodes", "The same cells on several nodes",
        f"How far a node's median lies from the median over the nodes, cell by cell ({len(cells)} cells). Right of 0 is more: "
        "a longer time, a higher rate. Up and down within a row tells cells apart and means nothing. Between the lowest node "
        f"and the highest lie {format_number(median(spreads))} % in the median cell, {format_number(max(spreads))} % in the "
        "worst. A difference between deques that is smaller than this may be another on the next node.",
        [Frame(layers, Axis("% from the median over nodes", low=-reach, high=reach), rows_axis(hosts), grid="x",
               rules=[Rule(0)])], 7.0, 1.0 + 0.42 * len(hosts))


def table(run, cells):
    worst = sorted(cells, key=lambda cell: (-spread_of(cells[cell]), cell))
    rows = []
    for cell in worst[:ROWS_MAX]:
        facts, values = run.cells[cell], cells[cell]
        lowest, highest = min(values, key=values.get), max(values, key=values.get)
        rows.append([facts["deque"], facts["workload"], ", ".join(f"{key}={value}" for key, value in facts["params"].items()),
                     str(len(values)), lowest, highest, format_number(spread_of(values))])
    return Table("nodes-table", "Where the nodes are furthest from each other",
                 "Highest over lowest of the nodes' medians, as percent above it."
                 + (f" The {ROWS_MAX} widest of {len(cells)} cells." if len(cells) > ROWS_MAX else ""),
                 ["deque", "workload", "settings", "nodes", "lowest", "highest", "spread (%)"], rows, [3, 6])
