#!/usr/bin/python3
"""peers.py RUN: how long our pool takes against other runtimes on the same work, as a table that README.md quotes.

For each section of peers.suite and each peer, with the version that it told: the time of a call or a run, ours, and the
ratio of ours to theirs, invocation by invocation, which ran near each other: its median and 95 % bootstrap interval.
Times are medians over those same invocations. Twice: for the section's first deque, which was chosen before anything was
measured, and for the one with the lowest median of all, which was chosen on these values, so that it flatters us where
several are close. Goals are for the latter. Exit 1 when one is missed.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))
from run_folder import EXIT_FAILED, Run, run_program  # noqa: E402
from sample_statistics import median, paired_log_ratio  # noqa: E402
from sections import format_number  # noqa: E402
from summarize import summarize  # noqa: E402

PEERS = {"onetbb": "oneTBB", "openmp": "OpenMP", "openmp_llvm": "OpenMP", "taskflow": "Taskflow", "lace_runtime": "Lace",
         "programs": ""}
# (section, peer): (highest median, highest upper end) that we want; None: no goal for it.
GOALS = {**{(section, peer): (0.3, None) for section in ("fib-1", "fib-2") for peer in ("onetbb", "taskflow")},
         **{(section, "lace_runtime"): (1.5, None) for section in ("fib-1", "fib-2")},
         ("quicksort-2", "onetbb"): (1.0, 1.03), ("quicksort-2", "openmp"): (1.0, 1.03)}
WALK_GOAL = 1 / 1.2  # of the fastest of the programs
LEAST_INVOCATIONS = 6  # fewer have no 95 % interval
HEADINGS = ["work", "theirs", "", "first of ours", "", "ratio", "best of ours", "", "ratio"]


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


@dataclass
class Against:
    """One of our deques against a peer, over the invocations that both have."""

    deque: str
    time: float
    peer_time: float
    ratio: float
    low: float
    high: float

    @property
    def text(self):
        interval = "" if self.low is None else f" [{ratio_text(self.low)}, {ratio_text(self.high)}]"
        return ratio_text(self.ratio) + interval


@dataclass
class Row:
    tag: str
    title: str
    peer: str  # its executable
    name: str  # what it calls itself, with its version
    unit: str
    first: Against  # None when it could not run
    best: Against


def metric_of(summaries, cell):
    """Time per call where the work is counted in calls, else the time of a run."""
    for name in ("time_per_call", "run_time"):
        found = summaries.get((cell, name))
        if found and found.median is not None and found.status == "ok":
            return found
    return None


def name_of(run, cell):
    """What the table calls the peer of that cell: its title, which tells the version, of the programs the one that ran."""
    deque, params = cell["deque"], cell["params"]
    title = run.deque_facts(deque).get("title") or PEERS[deque] or params.get("program", deque)
    if "program" in params:
        title = next((part for part in title.split(", ") if part.split(" ")[0] == params["program"]), params["program"])
    return title + (", its own sort" if params.get("algorithm") == "own" else "")


def against(run, cell, ours, theirs):
    """Ours against theirs, two summaries; None where no invocation has both."""
    both = sorted(set(ours.by_invocation) & set(theirs.by_invocation))
    if not both or ours.unit != theirs.unit:
        return None
    judged, reference = ([summary.by_invocation[i] for i in both] for summary in (ours, theirs))
    return Against(run.cells[cell]["deque"], median(judged), median(reference), *paired_log_ratio(judged, reference))


def compare(run, summaries):
    """[Row] in the order of the suite."""
    by_name = {(summary.cell, summary.metric): summary for summary in summaries if summary.role == "pool"}
    rows = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        times = {name: metric_of(by_name, name) for name in cells}
        ours = [name for name in cells if run.cells[name]["deque"] not in PEERS]
        measured = [name for name in ours if times[name]]
        if not measured:
            continue
        best = min(measured, key=lambda name: times[name].median)
        for peer in [name for name in cells if run.cells[name]["deque"] in PEERS and times[name]]:
            held = against(run, best, times[best], times[peer])
            if held:
                first = against(run, ours[0], times[ours[0]], times[peer]) if times[ours[0]] else None
                cell = run.cells[peer]
                rows.append(Row(tag, title, cell["deque"], name_of(run, cell), times[peer].unit, first, held))
    return rows


def verdicts(rows):
    """[(row, goal as text, reached)] of those that have a goal."""
    found = []
    for row in rows:
        if (row.tag, row.peer) in GOALS:
            highest, end = GOALS[row.tag, row.peer]
            text = f"at most {highest:g}" + (f", interval to {end:g}" if end else "")
            high = row.best.high
            found.append((row, text, row.best.ratio <= highest and (end is None or high is not None and high <= end)))
    walks = [row for row in rows if row.tag.startswith("walk")]
    if walks:
        fastest = min(walks, key=lambda row: row.best.peer_time)
        found.append((fastest, f"at most {WALK_GOAL:.3f} of the fastest", fastest.best.ratio <= WALK_GOAL))
    return found


def time_text(seconds, unit):
    """1.53 ns, 12.3 ms."""
    return f"{format_number(seconds * 1000)} ms" if unit == "s" and seconds < 1 else f"{format_number(seconds)} {unit}"


def cells_of(row, before):
    """The row as texts; the title only where it changes."""
    first = [row.first.deque, time_text(row.first.time, row.unit), row.first.text] if row.first else ["", "", ""]
    return [row.title if before is None or before.tag != row.tag else "", row.name,
            time_text(row.best.peer_time, row.unit), *first,
            row.best.deque, time_text(row.best.time, row.unit), row.best.text]


def table(rows):
    """Markdown, in columns that a terminal shows as well."""
    lines = [cells_of(row, before) for row, before in zip(rows, [None, *rows])]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *lines)]
    ruled = [["-" * width for width in widths]]
    return "\n".join("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |"
                     for line in [HEADINGS, *ruled, *lines])


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
            f"{'the 95 % interval' if least >= LEAST_INVOCATIONS else 'the range of these few invocations'}:")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/ that ./run.sh peers made")
    run = Run(parser.parse_args().run)
    run.say_what_was_left_out()
    rows = compare(run, summarize(run))
    if not rows:
        print("no section has both ours and a peer: nothing to compare")
        return 0
    print(f"{where(run)}\n\n{table(rows)}\n")
    goals = verdicts(rows)
    for row, text, reached in goals:
        print(f"{'reached' if reached else 'MISSED'}: {row.title}, {row.best.deque} against {row.name}: {text}; "
              f"it is {row.best.text}")
    missed = sum(not reached for *_, reached in goals)
    print(f"{len(goals) - missed} of {len(goals)} goals reached")
    return EXIT_FAILED if missed else 0


if __name__ == "__main__":
    run_program(main)
