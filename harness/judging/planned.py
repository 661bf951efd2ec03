"""Which of the papers' claims a plan can answer, and why not the others. Called by --dry-run: reads a line a cell from standard input
(workload, deque, settings, invocations, threads, processors) and prints a line a claim."""

import sys
from collections import Counter, defaultdict

from harness.judging.claims import PAPERS, NotThere, read_claims, under
from harness.judging.run_folder import parse_params, run_program
from harness.judging.statistics import LEAST_PAIRS
from harness.judging.text_table import show


def planned_cells(lines):
    """{(workload, deque): [cells]}, as Query.matches takes them."""
    found = defaultdict(list)
    for line in lines:
        workload, deque, params, *numbers = line.rstrip("\n").split("\t")
        invocations, threads, processors = map(int, numbers)
        found[workload, deque].append({"workload": workload, "deque": deque, "params": parse_params(params), "invocations": invocations,
                                       "crowded": threads > processors})
    return found


def _answer(query, cells):
    if all(cell["invocations"] < LEAST_PAIRS for cell in cells):
        raise NotThere(f"{query.text} has fewer than {LEAST_PAIRS} invocations")
    if all(cell["crowded"] for cell in cells):
        raise NotThere(f"{query.text} has more threads than processors")
    return cells


def planned(cells, claims=None):
    """[(claim, [its conditions that the cells answer], why not the first)]"""
    judged = []
    for claim in read_claims() if claims is None else claims:
        reasons = {}
        for condition in claim.conditions:
            try:
                under(claim, condition, cells, _answer)
            except NotThere as reason:
                reasons[condition] = str(reason)
        judged.append((claim, [one for one in claim.conditions if one not in reasons], reasons.get(claim.conditions[0])))
    return judged


def planned_text(judged):
    lines, of, there = [], Counter(), Counter()
    for claim, conditions, why in judged:
        of[claim.paper] += 1
        there[claim.paper] += bool(conditions)
        known = f"planned under {len(conditions)} of {len(claim.conditions)} conditions" if conditions else "not planned"
        lines.append("\t".join([claim.paper, claim.name, known] + [f"not its first: {why}" if conditions else why] * bool(why)))
    counts = ", ".join(f"{there[paper]} of {of[paper]} of {paper}" for paper in PAPERS if of[paper])
    return "\n".join([*lines, f"claims planned: {sum(there.values())} of {len(judged)} ({counts})"])


def main():
    judged = planned(planned_cells(sys.stdin))
    show(planned_text(judged) if any(conditions for _, conditions, _ in judged) else "no claim of the papers is planned")


if __name__ == "__main__":
    run_program(main)
