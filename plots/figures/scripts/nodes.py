"""How far nodes that measured the same cells differ, in a run on several nodes (./run.sh paper --slurm --repeat-nodes=N): the
run's rows say where each value was measured."""

from collections import defaultdict
from statistics import median, quantiles

from harness.judging.words import NANOSECONDS, format_number
from plots.figures.figure import Figure, Point, Value
from plots.figures.styles import GREY, OUTCOMES, Look

TAG = "nodes"  # not a section of a suite: the report shows it after the matrix


def draw(run, _summaries):
    cells = by_host(run)
    hosts = sorted({host for values in cells.values() for host in values})
    if len(hosts) > 1:
        yield TAG, picture(cells, hosts)


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


def picture(cells, hosts):
    # By how many percent the highest of the hosts lies above the lowest.
    spreads = [100 * (max(values.values()) / min(values.values()) - 1) for values in cells.values()]
    figure = Figure("nodes", "The same cells on several nodes",
                    f"How far a node's median lies from the median over the nodes, cell by cell ({len(cells)} cells): right is more. The "
                    f"highest node lies above the lowest by {format_number(median(spreads))} % in the median cell, by "
                    f"{format_number(max(spreads))} % in the worst.")
    axes = figure.axes("node", "from the median over nodes", unit="%", rows=True, order=hosts, level=0)
    for host in hosts:
        away = [100 * (values[host] / median(values.values()) - 1) for values in cells.values() if host in values]
        for value in away:
            axes.mark("a cell", "points", Look(GREY, "plus"), Point(host, Value(value)))
        low, middle, high = quantiles(away, n=4) if len(away) > 1 else away * 3
        axes.mark("median and quartiles of the cells", "points", Look(OUTCOMES["work"], "diamond"), Point(host, Value(middle, low, high)))
    reach = 1.1 * max(0.5, *(abs(point.value.y) for one in axes.series for point in one.points))
    axes.limits = -reach, reach
    return figure
