"""Which size of block and which capacity suits a workload: of a sweep of one deque the best setting, and which others the
rule for verdicts does not tell from it. For sections that have at least three settings of these of a deque."""

from plots.data.cells import cells_of, grouped, notes_of
from plots.data.sections import varying_parameters
from plots.data.words import NANOSECONDS, format_number, words_for
from plots.figures.picture import Table
from plots.statistics import DIFFERENT, LEAST_PAIRS, verdicts_on

SWEPT = ("block", "room", "capacity")
LEAST_SETTINGS = 3
# What a workload is to be good at: (role, metric, is more better).
GOALS = [("pool", "run_time", False), ("process", "total_operations", True)]


def draw(run, _sections, summaries):
    cells = [(cell, goal) for cell in cells_of(run, summaries) for goal in [goal_of(cell)]
             if goal and any(name in cell.params for name in SWEPT)]
    for tag, mine in grouped(cells, lambda pair: pair[0].tag).items():
        rows = rows_of(mine)
        if rows:
            yield tag, table(f"{tag or 'cells'}-best-settings", [cell for cell, _ in mine], rows)


def goal_of(cell):
    return next((goal for goal in GOALS if cell.value(*goal[:2])), None)


def rows_of(pairs):
    """A row for each sweep: one workload and deque under one setting of everything else."""
    told = [name for name in varying_parameters([cell.params for cell, _ in pairs]) if name not in SWEPT]
    sweeps = grouped(pairs, lambda pair: (pair[0].workload, pair[0].deque, pair[1], tuple(sorted(
        item for item in pair[0].params.items() if item[0] not in SWEPT))))
    rows = []
    for (workload, _, goal, rest), sweep in sweeps.items():
        cells = [cell for cell, _ in sweep]
        swept = [name for name in varying_parameters([cell.params for cell in cells]) if name in SWEPT]
        if len({setting_of(cell, swept) for cell in cells}) < LEAST_SETTINGS:
            continue
        cells.sort(key=lambda cell: cell.value(*goal[:2]).median, reverse=goal[2])
        text = ", ".join([workload, *(words_for(name, value) for name, value in rest if name in told)])
        rows.append([text, cells[0].title, *verdict_on(cells, goal, swept)])
    return rows


def setting_of(cell, swept):
    return ", ".join(f"{name}={cell.params[name]}" for name in swept)


def verdict_on(cells, goal, swept):
    """Of cells, the best first: its setting, its value, those not told from it, and the worst by how much."""
    values = [cell.value(*goal[:2]) for cell in cells]
    best, worst = values[0], values[-1]
    scale = NANOSECONDS[best.unit] / NANOSECONDS["ms"] if best.unit in NANOSECONDS else 1e-6
    unit = "ms" if best.unit in NANOSECONDS else "million/s"
    verdicts = verdicts_on([(best.by_invocation, other.by_invocation) for other in values[1:]])
    if None in verdicts:
        alike = f"not asked: fewer than {LEAST_PAIRS} invocations"
    else:
        alike = "; ".join(setting_of(cell, swept) for cell, verdict in zip(cells[1:], verdicts)
                          if verdict not in DIFFERENT) or "none"
    times = max(best.median, worst.median) / min(best.median, worst.median) if min(best.median, worst.median) else 0
    return [setting_of(cells[0], swept), f"{format_number(scale * best.median)} {unit}", alike,
            f"{setting_of(cells[-1], swept)}: {times:.2f} times"]


def table(name, cells, rows):
    return Table(name, "The best size of block and capacity, by workload",
                 "Of each sweep the setting with the best median; those that the rule for verdicts (docs/results.md), over the "
                 "whole sweep, does not tell from it are as good; and how much worse the worst is. block=0 is the pool's or the "
                 f"deque's own choice. {notes_of(cells)}",
                 ["workload", "deque", "best", "there", "not told from it", "the worst"], rows, [3])
