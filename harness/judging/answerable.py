"""Which claims of the papers planned cells can answer. Called by --dry-run: reads a line a cell from standard input, workload,
deque, settings and invocations, and prints a line a paper; nothing if there is no claim that the cells can answer."""

import sys
from collections import defaultdict

from harness.judging.claim_answers import Asked
from harness.judging.claims import PAPERS, read_claims
from harness.judging.run_folder import parse_params, run_program
from harness.judging.text_table import show
from harness.judging.statistics import LEAST_PAIRS

NAMED = 6  # claims that cannot be answered, named by their names


def planned_cells(lines):
    """Cells with enough invocations for a verdict, by workload and deque, as Query.matches takes them."""
    found = defaultdict(list)
    for line in lines:
        workload, deque, params, invocations = line.rstrip("\n").split("\t")
        if int(invocations) >= LEAST_PAIRS:
            found[workload, deque].append({"workload": workload, "deque": deque, "params": parse_params(params)})
    return found


def answerable(cells, claims=None):
    """[(claim, whether it can be asked under one of its conditions)]"""
    asked = Asked(cells, lambda query, found: found)
    return [(claim, not all(reason for *_, reason in asked.answers(claim))) for claim in (read_claims() if claims is None else claims)]


def answerable_text(judged):
    lines = []
    for paper, title in PAPERS.items():
        some = [(claim.name, answered) for claim, answered in judged if claim.paper == paper]
        lacking = [name for name, answered in some if not answered]
        more = [] if len(lacking) <= NAMED else [f"{len(lacking) - NAMED} more"]
        but = f"; not {', '.join(lacking[:NAMED] + more)}" if lacking and len(lacking) < len(some) else ""
        lines += [f"  {len(some) - len(lacking)} of {len(some)} of {title}{but}"] if some else []
    return "\n".join(["claims that this can answer (docs/results.md, the scorecard):", *lines])


def main():
    judged = answerable(planned_cells(sys.stdin))
    if any(answered for _, answered in judged):
        show(answerable_text(judged))


if __name__ == "__main__":
    run_program(main)
