"""python3 -m runtimes.runtimes RUN: how long our pool takes against other runtimes on the same work, as a table that README.md quotes.

For each section of runtimes.suite and each other runtime, with the version that it told: the time of a call or a run,
ours, and the ratio of ours to theirs, invocation by invocation, which ran near each other: its median and 95 % bootstrap
interval.
Times are medians over those same invocations. Twice: for the section's first deque, which was chosen before anything was
measured, and for the one with the lowest median of all, which was chosen on these values, so that it flatters us where
several are close. Goals are for the latter, and settled from six invocations on. Exit 1 when one is missed, 3 when one is not
settled.
"""

import argparse
from dataclasses import dataclass

from plots.data.run_folder import EXIT_FAILED, EXIT_MISSING, Run, run_program
from plots.data.summaries import summarize
from plots.data.words import format_number
from plots.statistics import LEAST_PAIRS, judge_invocations, median

RUNTIMES = {"onetbb": "oneTBB", "openmp": "OpenMP", "openmp_llvm": "OpenMP", "taskflow": "Taskflow",
            "lace_runtime": "Lace", "rayon": "Rayon", "goroutines": "Go", "forkjoinpool": "Java's ForkJoinPool", "programs": ""}
# (section, runtime): (highest median, highest upper end) that we want; None: no goal for it.
GOALS = {**{(section, runtime): (0.3, None) for section in ("fib-1", "fib-2") for runtime in ("onetbb", "taskflow")},
         **{(section, "lace_runtime"): (1.5, None) for section in ("fib-1", "fib-2")},
         ("quicksort-2", "onetbb"): (1.0, 1.03), ("quicksort-2", "openmp"): (1.0, 1.03)}
WALK_GOAL = 1 / 1.2  # of the fastest of the programs
OUTCOMES = {True: "reached", False: "MISSED", None: "not settled"}
HEADINGS = ["work", "theirs", "", "first of ours", "", "ratio", "best of ours", "", "ratio"]
# What the first of ours costs besides time: of all threads, and of the whole process at most, its input included.
COSTS = [("pool", "processor_time"), ("process", "peak_memory")]
COST_HEADINGS = ["work", "theirs", "processor time", "peak memory", "first of ours", "processor time", "ratio", "peak memory", "ratio"]


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


@dataclass
class Against:
    """One of our deques against another runtime, over the invocations that both have."""

    deque: str
    time: float
    their_time: float
    ratio: float
    low: float
    high: float
    pairs: int
    judged: object = None  # statistics.Judgement, on the same

    @property
    def text(self):
        interval = "" if self.low is None else f" [{ratio_text(self.low)}, {ratio_text(self.high)}]"
        return ratio_text(self.ratio) + interval


@dataclass
class Row:
    tag: str
    title: str
    runtime: str  # its executable
    name: str  # what it calls itself, with its version
    unit: str
    first: Against  # None when it could not run
    best: Against
    costs: list  # Against, of the first of ours, for each of COSTS; None where not both told it


def metric_of(summaries, cell):
    """Time per call where the work is counted in calls, else the time of a run."""
    for name in ("time_per_call", "run_time"):
        found = summaries.get((cell, name))
        if found and found.median is not None and found.status == "ok":
            return found
    return None


def name_of(run, cell):
    """What the table calls the runtime of that cell: its title, which tells the version, of the programs the one that ran."""
    deque, params = cell["deque"], cell["params"]
    title = run.deque_facts(deque).get("title") or RUNTIMES[deque] or params.get("program", deque)
    if "program" in params:
        title = next((part for part in title.split(", ") if part.split(" ")[0] == params["program"]), params["program"])
    return title + (", its own sort" if params.get("algorithm") == "own" else "")


def against(run, cell, ours, theirs):
    """Ours against theirs, two summaries; None where no invocation has both, or one is missing."""
    if not ours or not theirs:
        return None
    both = sorted(set(ours.by_invocation) & set(theirs.by_invocation))
    if not both or ours.unit != theirs.unit:
        return None
    held = judge_invocations(ours.by_invocation, theirs.by_invocation)
    times = (median([summary.by_invocation[i] for i in both]) for summary in (ours, theirs))
    return held and Against(run.cells[cell]["deque"], *times, held.ratio, held.low, held.high, held.pairs, held)


def compare(run, summaries):
    """[Row] in the order of the suite."""
    by_name = {(summary.cell, summary.metric): summary for summary in summaries if summary.role == "pool"}
    costs = {(summary.cell, summary.role, summary.metric): summary for summary in summaries if summary.status == "ok"}
    rows = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        times = {name: metric_of(by_name, name) for name in cells}
        ours = [name for name in cells if run.cells[name]["deque"] not in RUNTIMES]
        measured = [name for name in ours if times[name]]
        if not measured:
            continue
        best = min(measured, key=lambda name: times[name].median)
        for other in [name for name in cells if run.cells[name]["deque"] in RUNTIMES and times[name]]:
            held = against(run, best, times[best], times[other])
            if held:
                first = against(run, ours[0], times[ours[0]], times[other])
                besides = [against(run, ours[0], costs.get((ours[0], *cost)), costs.get((other, *cost))) for cost in COSTS]
                cell = run.cells[other]
                rows.append(Row(tag, title, cell["deque"], name_of(run, cell), times[other].unit, first, held, besides))
    return rows


def verdicts(rows):
    """[(row, goal as text, reached)] of those that have a goal; reached is None below six invocations."""
    def settled(row, reached):
        return reached if row.best.pairs >= LEAST_PAIRS else None

    found = []
    for row in rows:
        if (row.tag, row.runtime) in GOALS:
            highest, end = GOALS[row.tag, row.runtime]
            text = f"at most {highest:g}" + (f", interval to {end:g}" if end else "")
            high = row.best.high
            found.append((row, text, settled(row, row.best.ratio <= highest and (end is None or high <= end))))
    walks = [row for row in rows if row.tag.startswith("walk") and row.runtime == "programs"]
    if walks:
        fastest = min(walks, key=lambda row: row.best.their_time)
        found.append((fastest, f"at most {WALK_GOAL:.3f} of the fastest", settled(fastest, fastest.best.ratio <= WALK_GOAL)))
    return found


def time_text(seconds, unit):
    """1.53 ns, 12.3 ms."""
    return f"{format_number(seconds * 1000)} ms" if unit == "s" and seconds < 1 else f"{format_number(seconds)} {unit}"


def cells_of(row, before):
    """The row as texts; the title only where it changes."""
    first = [row.first.deque, time_text(row.first.time, row.unit), row.first.text] if row.first else ["", "", ""]
    return [row.title if before is None or before.tag != row.tag else "", row.name,
            time_text(row.best.their_time, row.unit), *first,
            row.best.deque, time_text(row.best.time, row.unit), row.best.text]


def memory_text(size):
    return f"{format_number(size / 2**20)} MiB"


def cost_cells_of(row, before):
    """The same of what it costs besides."""
    processor, memory = row.costs
    deque = next((cost.deque for cost in row.costs if cost), "")
    theirs = [time_text(processor.their_time, "s") if processor else "", memory_text(memory.their_time) if memory else ""]
    return [row.title if before is None or before.tag != row.tag else "", row.name, *theirs, deque,
            *([time_text(processor.time, "s"), processor.text] if processor else ["", ""]),
            *([memory_text(memory.time), memory.text] if memory else ["", ""])]


def table(rows, headings=HEADINGS, cells=cells_of):
    """Markdown, in columns that a terminal shows as well."""
    lines = [cells(row, before) for row, before in zip(rows, [None, *rows])]
    widths = [max(map(len, column)) for column in zip(headings, *lines)]
    ruled = [["-" * width for width in widths]]
    return "\n".join("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |"
                     for line in [headings, *ruled, *lines])


def where(run):
    """The sentence that goes with the table."""
    manifest, each = run.manifest, {}
    for cell, _ in run.invocations:
        each[cell] = each.get(cell, 0) + 1
    least, most = min(each.values()), max(each.values())
    build, machine = manifest.get("build") or {}, manifest.get("machine") or {}
    return (f"One run of {sum(each.values())} invocations, {least}{f' to {most}' if most > least else ''} a cell, "
            f"{machine.get('cpu', 'unknown processor')}, {build.get('version', 'unknown compiler')}, "
            f"{build.get('flags', '')}; ratios are ours over theirs, with "
            f"{'the 95 % interval' if least >= LEAST_PAIRS else 'the range of these few invocations'}:")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/ that ./run.sh runtimes made")
    run = Run(parser.parse_args().run)
    run.say_what_was_left_out()
    rows = compare(run, summarize(run))
    if not rows:
        print("no section has both ours and another runtime: nothing to compare")
        return 0
    print(f"{where(run)}\n\n{table(rows)}\n")
    with_costs = [row for row in rows if any(row.costs)]
    if with_costs:
        print(f"Processor time of a run and the most memory that the process held:\n\n{table(with_costs, COST_HEADINGS, cost_cells_of)}\n")
    goals = verdicts(rows)
    for row, text, reached in goals:
        print(f"{OUTCOMES[reached]}: {row.title}, {row.best.deque} against {row.name}: {text}; "
              f"it is {row.best.text}")
    outcomes = [reached for *_, reached in goals]
    print(f"{outcomes.count(True)} of {len(goals)} goals reached")
    return EXIT_FAILED if False in outcomes else EXIT_MISSING if None in outcomes else 0


if __name__ == "__main__":
    run_program(main)
