"""python3 -m plots.pages.conclusions RUN: what was found, a sentence a fact. The report begins with it, and ./run.sh prints it last.

First the best deque of each kind of task and the next one, then the papers' claims, what was measured, what disturbed it. A lead is
settled only if the rule for verdicts (harness/judging/statistics/verdicts.py) calls every other deque slower.
"""

import re
from collections import defaultdict

from harness.judging.conditions import conditions_of, named
from harness.judging.run_folder import run_of_arguments, run_program, worst_status
from harness.judging.scorecard import FAILS, HOLDS, OPEN, score
from harness.judging.statistics import SLOWER
from harness.judging.summaries import invocation_statuses, summarize, usable
from harness.judging.text_table import show
from harness.judging.words import counted, joined, sentence, value_text
from plots.data.matrix import BEST, UNRANKED, build_matrix
from plots.pages.matrix import has_thief
from plots.pages.trust import load_of

ANSWERED = "owner fork uts steal pair pop push push-linked".split()  # the kinds of cases that get a sentence
NAMED = 2        # claims and cells that are named; the rest are counted
ENDED_SO = {"not run": "not run", "unsupported": "not supported by the deque", "busy": "without a quiet moment",
            "denied": "not allowed by this machine", "unproven": "left out without a verdict of the deque's checks",
            "refused": "with bad input", "timeout": "stopped at the time limit", "crashed": "crashed"}


def conclusions(run, summaries, matrix, scores):
    """The sentences. A smoke run says that it works."""
    if run.manifest.get("suite") == "smoke" and all(end == "ok" for end in ends_of_cells(run, summaries).values()):
        return [f"It works: {counted(len({cell['deque'] for cell in run.cells.values()}), 'deque')} in {counted(len(run.cells), 'cell')}, "
                "all measured, too briefly to rank them."]
    return [*answers(matrix), *claims(scores), measured(run, summaries), *disturbed(run, summaries)]


# --- which deque

def answers(matrix):
    """The best deque and the next: of each kind its last case."""
    last = {case.kind.name: case for case in matrix.cases}
    told = [text for name in ANSWERED if name in last for text in [answer(last[name])] if text] or [
        "No two deques were measured at the same task, so none is called the fastest."]
    if matrix.cases and not has_thief(matrix):
        told.append("No thief ran beside a working owner: these are costs of operations alone.")
    return told


def answer(case):
    """'push of 1024: lf_bulk takes 0.6 us, the next, weir, 1.9 us.'"""
    ranked = sorted(((entry.ratio, deque, entry) for deque, entry in case.entries.items() if entry.state != UNRANKED and entry.ratio),
                    key=lambda one: (one[0], one[2].state != BEST))
    if len(ranked) < 2:
        return ""
    (_, first, best), (ratio, second, next_best), *_ = ranked
    settled = best.state == BEST and all(entry.state == SLOWER for *_, entry in ranked[1:])
    does = "does" if case.kind.higher else "takes"
    return (f"{sentence(case.title)}: {first} {does} {value_text(best.summary.median, case.unit)}; the next, {second}, "
            f"{value_text(next_best.summary.median, case.unit)} ({ratio:.2f} times{'' if settled else ', not settled'}).")


# --- the papers

def claims(scores):
    """How many hold; which do not. Nothing if none can be asked."""
    found = {verdict: [one for one in scores if one.verdict == verdict] for verdict in (HOLDS, FAILS, OPEN)}
    if not any(found.values()):
        return []
    holds, fails, still = (len(found[verdict]) for verdict in (HOLDS, FAILS, OPEN))
    told = [f"The papers' claims that this run can answer: {holds} {'holds' if holds == 1 else 'hold'}, "
            f"{fails} {'does' if fails == 1 else 'do'} not, {still} {'is' if still == 1 else 'are'} not settled."]
    if found[FAILS]:
        told.append(f"Not so here: {joined(first_of(dict.fromkeys(f'{one.claim.name} ({one.claim.stated})' for one in found[FAILS])))}.")
    turning = sum(one.turns for one in scores)
    if turning:
        told.append(f"{turning} of them turn{'s' * (turning == 1)} round under other settings.")
    return told


# --- how it went

def measured(run, summaries):
    title = run.manifest.get("suite_title") or run.manifest.get("suite") or run.name
    ended = ends_of_cells(run, summaries)
    failed = {status: [cell for cell, end in ended.items() if end == status] for status in reversed(ENDED_SO)}
    told = [f"{len(cells)} {ENDED_SO[status]} ({joined(first_of(dict.fromkeys(named(run, cell) for cell in cells)))})"
            for status, cells in failed.items() if cells]
    if (state := run.manifest.get("state")) not in (None, "finished"):
        told.append(f"the run is {state}, not finished")
    return (f"{title}: {counted(len(ended), 'cell')} in {counted(len(run.invocations), 'invocation')}; "
            + ("; ".join(told) if told else "all were measured") + ".")


def ends_of_cells(run, summaries):
    """{cell: the worst status of its invocations, or "not run"}. If a cell has some values, the report says which it lacks."""
    ended, with_values, statuses = invocation_statuses(run), set(), defaultdict(set)
    for summary in summaries:
        if summary.role != "process" and usable(summary):
            with_values.add(summary.cell)
        statuses[summary.cell].add(summary.status)
    return {cell: "not run" if cell not in ended
            else worst_status([*ended[cell].values(), *(statuses[cell] if cell not in with_values else ())])
            for cell in run.cells}


def disturbed(run, summaries):
    """A sentence a disturbance, each up to its first bracket or semicolon."""
    value, processors, busy = load_of(run)
    told = [f"Busy machine: other programs used {value:.1f} of {counted(processors, 'processor')} when it began."] if busy else []
    return told + [re.split(r" \(|;", text.rstrip("."))[0] + "." for text in conditions_of(run, summaries)]


def first_of(names):
    """The first ones, and how many more there are."""
    names = list(names)
    return names if len(names) <= NAMED else [*names[:NAMED], f"{len(names) - NAMED} more"]


def show_conclusions(sentences, run):
    """A line each, and where the run's report is."""
    show("\n".join([*sentences, f"Open {run.folder / 'report.html'}"]))


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    show_conclusions(conclusions(run, summaries, build_matrix(run, summaries), score(run, summaries)), run)


if __name__ == "__main__":
    run_program(main)
