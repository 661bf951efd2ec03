#!/usr/bin/python3
"""peers.py RUN: how long our pool takes against other runtimes on the same work, as ratios with intervals.

For each section of peers.suite and each peer: the ratio of our time to the peer's, invocation by invocation, which ran
near each other; its median and 95 % bootstrap interval. Ours is the deque with the lowest median; it was chosen on the
same values, so ratios near 1 flatter it a little. Exit 1 when a goal is missed.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))
from run_folder import EXIT_FAILED, Run, run_program  # noqa: E402
from sample_statistics import paired_log_ratio  # noqa: E402
from sections import format_number  # noqa: E402
from summarize import summarize  # noqa: E402

PEERS = {"onetbb": "oneTBB", "openmp": "OpenMP", "taskflow": "Taskflow", "lace_runtime": "Lace", "programs": ""}
# (section, peer): (highest median, highest upper end) that we want; None: no goal for it.
GOALS = {("fib-1", "oneTBB"): (0.3, None), ("fib-1", "Taskflow"): (0.3, None), ("fib-2", "oneTBB"): (0.3, None),
         ("fib-2", "Taskflow"): (0.3, None), ("quicksort-2", "oneTBB"): (1.0, 1.03),
         ("quicksort-2", "OpenMP"): (1.0, 1.03)}
WALK_GOAL = 1 / 1.2  # of the fastest of the programs


def metric_of(summaries, cell):
    """Time per call where the work is counted in calls (peers may have been asked for fewer), else the time of a run."""
    for name in ("time_per_call", "run_time"):
        found = summaries.get((cell, name))
        if found and found.median is not None and found.status == "ok":
            return found
    return None


def name_of(cell):
    """What the table calls the cell's deque or peer."""
    deque, params = cell["deque"], cell["params"]
    if deque not in PEERS:
        return deque
    name = PEERS[deque] or params.get("program", deque)
    return name + (", its own sort" if params.get("algorithm") == "own" else "")


def compare(run, summaries):
    """[(section, title, ours, peer, ratio, low, high, our time, the peer's time, unit)] in the order of the suite."""
    by_name = {(summary.cell, summary.metric): summary for summary in summaries if summary.role == "pool"}
    rows = []
    for tag, title in run.section_titles():
        cells = [name for name, cell in run.cells.items() if tag in cell["tags"]]
        times = {name: metric_of(by_name, name) for name in cells}
        ours = [name for name in cells if run.cells[name]["deque"] not in PEERS and times[name]]
        if not ours:
            continue
        best = min(ours, key=lambda name: times[name].median)
        for peer in [name for name in cells if run.cells[name]["deque"] in PEERS and times[name]]:
            both = sorted(set(times[best].by_invocation) & set(times[peer].by_invocation))
            if not both or times[best].unit != times[peer].unit:
                continue
            ratio, low, high = paired_log_ratio([times[best].by_invocation[i] for i in both],
                                                [times[peer].by_invocation[i] for i in both])
            rows.append((tag, title, run.cells[best]["deque"], name_of(run.cells[peer]), ratio, low, high,
                         times[best].median, times[peer].median, times[best].unit))
    return rows


def verdicts(rows):
    """{place of a row: (goal as text, reached)}."""
    found = {}
    for place, (tag, _, _, peer, ratio, _, high, *_) in enumerate(rows):
        if (tag, peer) in GOALS:
            median, end = GOALS[tag, peer]
            text = f"at most {median:g}" + (f", interval to {end:g}" if end else "")
            found[place] = (text, ratio <= median and (end is None or high is not None and high <= end))
    walks = [place for place, row in enumerate(rows) if row[0].startswith("walk")]
    if walks:
        fastest = min(walks, key=lambda place: rows[place][8])
        found[fastest] = (f"at most {WALK_GOAL:.3f} of the fastest", rows[fastest][4] <= WALK_GOAL)
    return found


def print_table(rows):
    goals = verdicts(rows)
    by_section = defaultdict(list)
    for place, row in enumerate(rows):
        by_section[row[1]].append((place, row))
    for title, members in by_section.items():
        print(f"\n{title}")
        for place, (_, _, ours, peer, ratio, low, high, our_time, peer_time, unit) in members:
            interval = f"[{low:.3f}, {high:.3f}]" if low is not None else "(one invocation: no interval)"
            goal = ""
            if place in goals:
                text, reached = goals[place]
                goal = f"   {'reached' if reached else 'MISSED'}: {text}"
            print(f"  {ours:20} {format_number(our_time):>8} {unit:2}  against {peer:22} {format_number(peer_time):>8} "
                  f"{unit:2}  ratio {ratio:.3f} {interval}{goal}")
    return [goals[place] for place in goals]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/ that ./run.sh peers made")
    run = Run(parser.parse_args().run)
    run.say_what_was_left_out()
    rows = compare(run, summarize(run))
    if not rows:
        print("no section has both ours and a peer: nothing to compare")
        return 0
    reached = print_table(rows)
    missed = sum(not fine for _, fine in reached)
    print(f"\n{len(reached) - missed} of {len(reached)} goals reached")
    return EXIT_FAILED if missed else 0


if __name__ == "__main__":
    run_program(main)
