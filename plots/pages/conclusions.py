"""python3 -m plots.pages.conclusions RUN: a run in five sentences. The report begins with them, and ./run.sh prints them last.

They say which deque was fastest and by how much, which of the papers' claims hold, which do not, what was measured, and what
disturbed it. A deque is the fastest of a case only if the rule for verdicts (harness/judging/statistics/verdicts.py) calls every other one
slower, over all cases together; a claim's verdict is the scorecard's. A terminal wraps the sentences.
"""

import re
import shutil
import sys
import textwrap
from collections import defaultdict

from harness.judging.conditions import conditions_of, distances_seen, named
from plots.data.matrix import BEST, build_matrix
from harness.judging.run_folder import run_of_arguments, run_program, worst_status
from harness.judging.summaries import invocation_statuses, summarize, usable
from harness.judging.words import counted, joined, sentence
from harness.judging.scorecard import FAILS, HOLDS, OPEN, UNASKED, by_paper, score
from harness.judging.text_table import show
from plots.pages.trust import load_of
from harness.judging.statistics import SLOWER, least_pairs

# How many of each are named; the rest are counted.
NAMED_DEQUES, NAMED_CASES, NAMED_CELLS, NAMED_CLAIMS = 4, 2, 2, 2
ENDED_SO = {"not run": "not run", "unsupported": "not supported by the deque", "denied": "not allowed by this machine",
            "busy": "without a quiet moment",
            "unproven": "left out without a verdict of the deque's checks", "timeout": "stopped at the time limit",
            "crashed": "crashed"}


def conclusions(run, summaries, matrix, scores):
    """The five sentences."""
    return [fastest(matrix), *claims(scores), measured(run, summaries), in_the_way(run, summaries)]


def measured(run, summaries):
    title = run.manifest.get("suite_title") or run.manifest.get("suite") or run.name
    ended = ends_of_cells(run, summaries)
    failed = {status: [cell for cell, end in ended.items() if end == status] for status in reversed(ENDED_SO)}
    told = [f"{len(cells)} {ENDED_SO[status]} ({joined(first_of(dict.fromkeys(named(run, cell) for cell in cells), NAMED_CELLS))})"
            for status, cells in failed.items() if cells]
    if (state := run.manifest.get("state")) not in (None, "finished"):
        told.append(f"the run is {state}, not finished")
    return (f"{title}: {counted(len(ended), 'cell')} in {counted(len(run.invocations), 'invocation')}; "
            + ("; ".join(told) if told else "all were measured") + (f"; threads {seen}" if (seen := distances_seen(run)) else "") + ".")


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


def fastest(matrix):
    cases = [case for case in matrix.cases if case.group != "memory" and len(ranked(case)) > 1]
    if not cases:
        return "No two deques were measured at the same task, so none is called the fastest."
    won = defaultdict(list)
    for case in cases:
        deque, lead, second = lead_of(case)
        if deque:
            won[deque].append((lead, case.title, second))
    few = sum(any(entry.summary.invocations < least_pairs() for entry in ranked(case).values()) for case in cases)
    why = (f" ({few} {'has' if few == 1 else 'have'} fewer than the {least_pairs()} invocations that a verdict takes)"
           if few else "")
    if not won:
        return f"In none of {counted(len(cases), 'case')} is one deque shown to be faster than all others{why}."
    told = []
    for deque, leads in sorted(won.items(), key=lambda one: (-len(one[1]), one[0])):
        best = sorted(leads, reverse=True)
        told.append(f"{deque} at " + joined(first_of([f"{title} ({lead:.3g} times as fast as {second})"
                                                      for lead, title, second in best], NAMED_CASES)))
    return (f"In {sum(map(len, won.values()))} of {counted(len(cases), 'case')} one deque is shown to be faster than all others{why}: "
            + "; ".join(first_of(told, NAMED_DEQUES)) + ".")


def ranked(case):
    return {deque: entry for deque, entry in case.entries.items() if entry.state != "not ranked"}


def lead_of(case):
    """(the fastest deque, how many times as fast as the next, the next); Nones if it is not settled."""
    (first, entry), *others = sorted(ranked(case).items(), key=lambda one: (one[1].ratio, one[1].state != BEST))
    if entry.state != BEST or any(other.state != SLOWER for _, other in others):
        return None, None, None
    return first, others[0][1].ratio, others[0][0]


def claims(scores):
    """Which claims hold and which do not, of papers with a claim that can be judged here."""
    papers = [some for _, some in by_paper(scores) if any(one.verdict != UNASKED for one in some)]
    found = {verdict: [one for some in papers for one in some if one.verdict == verdict]
             for verdict in (HOLDS, FAILS, OPEN, UNASKED)}
    asked = sum(len(some) for verdict, some in found.items() if verdict != UNASKED)
    if not asked:
        return ["No claim of a paper can be asked of this run."]
    turning = [one for some in papers for one in some if one.turns]
    rest = [numbered(turning, "turns round", "turn round", where_it_turns)] * bool(turning)
    rest += [f"{len(found[verdict])} {verdict}" for verdict in (OPEN, UNASKED) if found[verdict]]
    return [f"Of {counted(asked, 'claim')} of {counted(len(papers), 'paper')} that can be asked here, "
            f"{numbered(found[HOLDS], 'holds', 'hold')}.",
            "; ".join([sentence(numbered(found[FAILS], "does not", "do not")), *rest]) + "."]


def quoted(score):
    return f"\N{LEFT DOUBLE QUOTATION MARK}{score.claim.quote}\N{RIGHT DOUBLE QUOTATION MARK}"


def where_it_turns(score):
    """'"..." (slower at 1024 items: holds with batches linked before, not with linking timed)': the first condition of either."""
    words = [next(answer.words for answer in score.answers if answer.verdict == verdict) for verdict in (HOLDS, FAILS)]
    names = [name for name in {**words[0], **words[1]} if words[0].get(name) != words[1].get(name)]
    held, failed = (joined([some[name] for name in names if name in some] or ["all else as usual"]) for some in words)
    return f"{quoted(score)} ({score.claim.stated}: holds with {held}, not with {failed})"


def numbered(scores, of_one, of_several, words=quoted):
    """'2 hold: "...", "..."': different sentences; the claims beyond these are counted."""
    quotes = list(dict.fromkeys(words(one) for one in scores))
    told = f"{len(scores) or 'none'} {of_one if len(scores) == 1 else of_several}"
    return f"{told}: {joined(first_of(quotes, NAMED_CLAIMS))}" if quotes else told


def in_the_way(run, summaries):
    """Each fact up to its first bracket or semicolon."""
    value, processors, busy = load_of(run)
    found = [f"other programs used {value:.1f} of {counted(processors, 'processor')} when it began"] if busy else []
    found += conditions_of(run, summaries)
    gists = [re.split(r" \(|;", text.rstrip("."))[0] for text in found]
    if not gists:
        return "Nothing on the machine disturbed the run."
    return "The machine disturbed the run: " + "; ".join(text[:1].lower() + text[1:] for text in gists) + "."


def first_of(names, most):
    """All names, or the first ones and how many more there are."""
    names = list(names)
    return names if len(names) <= most else [*names[:most], f"{len(names) - most} more"]


def show_conclusions(sentences, run=None):
    """A line each, and where the run's report is; on a terminal wrapped at its width."""
    sentences = [*sentences, *([f"Open {run.folder / 'report.html'}"] if run else [])]
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        sentences = [textwrap.fill(sentence, width, break_long_words=False, break_on_hyphens=False) for sentence in sentences]
    show("\n".join(sentences))


def main():
    run, _ = run_of_arguments(__doc__)
    summaries = summarize(run)
    show_conclusions(conclusions(run, summaries, build_matrix(run, summaries), score(run, summaries)), run)


if __name__ == "__main__":
    run_program(main)
