"""python3 -m plots.pages.scorecard RUN: which of the papers' claims hold in this run.

A claim of results/published/claims.csv holds, does not hold, is not settled by this run's invocations, or cannot be asked of
it. The verdict is judge()'s (plots/statistics/verdicts.py): for A < B, A must be "faster"; for A ~ B within N %, they must be
"not told apart" at that threshold, all claims considered together. A claim of several comparisons holds if all do.
docs/results.md explains how to read it.
"""

import math
from collections import Counter
from dataclasses import dataclass

import numpy

from plots.data.claims import PAPERS, read_claims
from plots.data.run_folder import run_of_arguments, run_program
from plots.data.summaries import metrics_by_cell, summarize, usable
from plots.data.words import format_number
from plots.data.written import write_rows
from plots.pages.table import show
from plots.statistics import ALIKE, FASTER, NOT_SETTLED, THRESHOLD, judge, settle

HOLDS, FAILS, OPEN, UNASKED = VERDICTS = ("holds", "does not hold", "not settled", "cannot be asked here")
SIGNS = dict(zip(VERDICTS, "\N{CHECK MARK}\N{BALLOT X}?\N{EN DASH}"))
COLUMNS = "paper claim place quote stated verdict value low high unit invocations why remark cells formula".split()
# Verdicts need ratios: a count of 0 becomes this.
NOTHING = 1e-9


class NotThere(Exception):
    """The run cannot be asked; says which cell is missing, or why its values do not count."""


@dataclass
class Score:
    claim: object
    verdict: str
    why: str
    value: float = None
    low: float = None
    high: float = None
    unit: str = ""
    invocations: int = 0

    def as_row(self):
        claim = self.claim
        return [claim.paper, claim.name, claim.place, claim.quote, claim.stated, self.verdict,
                *("" if number is None else format(number, ".6g") for number in (self.value, self.low, self.high)),
                self.unit, self.invocations or "", self.why, claim.remark, claim.cells, claim.formula]

    @property
    def value_text(self):
        if self.value is None:
            return ""
        unit = f" {self.unit}" if self.unit else ""
        interval = "" if self.low is None else f" [{format_number(self.low)}, {format_number(self.high)}]"
        return format_number(self.value) + unit + interval


@dataclass
class Part:
    """One element of one comparison, judged."""

    comparison: object
    element: str  # which of a list, or ""
    judgement: object

    @property
    def verdict(self):
        wanted = FASTER if self.comparison.within is None else ALIKE
        return {wanted: HOLDS, NOT_SETTLED: OPEN}.get(self.judgement.verdict, FAILS)

    @property
    def excess(self):
        """How far it is from the claim, in logarithms. The part with the largest is shown."""
        ratio = math.log(self.judgement.ratio)
        return ratio if self.comparison.within is None else abs(ratio) - math.log(1 + self.comparison.within)


def score(run, summaries, claims=None):
    """A Score for every claim, in the order of the file."""
    by_cell = metrics_by_cell(summaries)
    asked = [(claim, *_asked(run, by_cell, claim)) for claim in (read_claims() if claims is None else claims)]
    settle([part.judgement for _, _, parts in asked for part in parts])
    return [_told(claim, found, parts) if parts else Score(claim, UNASKED, found) for claim, found, parts in asked]


def _asked(run, by_cell, claim):
    """({name: [summaries]}, [Part]), or (why the run cannot be asked, [])."""
    try:
        found = {name: [_summary(run, by_cell, query) for query in queries] for name, queries in claim.queries.items()}
        shared = _shared_invocations(found)
    except NotThere as reason:
        return f"{reason}.", []
    values = {name: numpy.array([[max(summary.by_invocation[i], NOTHING) for i in shared] for summary in some])
              for name, some in found.items()}
    return found, [part for comparison in claim.comparisons for part in _parts(claim, comparison, values)]


def _summary(run, by_cell, query):
    """The value that a query asks for, or NotThere."""
    cells = [(name, cell) for name, cell in run.cells.items() if query.matches(cell)]
    if not cells:
        raise NotThere(f"no cell {query.text} in this run")
    if len({tuple(sorted(cell["params"].items())) for _, cell in cells}) > 1:
        raise NotThere(f"several cells answer to {query.text}")
    there = [by_cell.get(name, {}).get((query.role, query.metric)) for name, _ in cells]
    summary = max(filter(usable, there), key=lambda some: some.invocations, default=None)
    if summary is None:
        statuses = {some.status for name, _ in cells for some in by_cell.get(name, {}).values()} - {"ok"}
        raise NotThere(f"{query.text} has no {query.metric}" + (f" ({', '.join(sorted(statuses))})" if statuses else ""))
    if "oversubscribed" in summary.flags:
        raise NotThere(f"{query.text} had more threads than processors")
    return summary


def _shared_invocations(found):
    """The numbers of the invocations that all cells have; equal numbers ran near each other."""
    shared = sorted(set.intersection(*(set(summary.by_invocation) for some in found.values() for summary in some)))
    if not shared:
        raise NotThere("its cells have no invocation in common")
    return shared


def _parts(claim, comparison, values):
    invocations = next(iter(values.values()))[:1]  # a side that is a number has to be as wide
    left, right, _ = numpy.broadcast_arrays(comparison.left.rows(values), comparison.right.rows(values), invocations)
    threshold = THRESHOLD if comparison.within is None else comparison.within
    for row, pair in enumerate(zip(left, right)):
        judgement = judge(*(side.tolist() for side in pair), threshold=threshold)
        yield Part(comparison, _element(claim, comparison, row), judgement)


def _element(claim, comparison, row):
    """What distinguishes this element of a list: 'batch=128'."""
    for name in comparison.left.names() + comparison.right.names():
        queries = claim.queries[name]
        if len(queries) > 1:
            said = [(query.deque, *map("=".join, query.settings)) for query in queries]
            return ", ".join(word for place, word in enumerate(said[row]) if len({words[place] for words in said}) > 1)
    return ""


def _told(claim, found, parts):
    """The Score of a claim that could be asked, with the part that decided."""
    verdict = next((word for word in (FAILS, OPEN) if any(part.verdict == word for part in parts)), HOLDS)
    part = max((part for part in parts if part.verdict == verdict), key=lambda part: part.excess)
    comparison, judgement = part.comparison, part.judgement
    numbers, side, goal, scale = (judgement.ratio, judgement.low, judgement.high), comparison.left, "below", 1
    subject = f"{comparison.left.text} : {comparison.right.text}"
    if comparison.right.constant is not None:
        subject, scale = side.text, comparison.right.constant
    elif comparison.left.constant is not None:
        side, goal, scale = comparison.right, "above", comparison.left.constant
        subject = side.text
        numbers = tuple(None if number is None else 1 / number for number in (numbers[0], numbers[2], numbers[1]))
    unit = found[side.name][0].unit if side.name and subject == side.text else ""
    result = Score(claim, verdict, "", *(None if number is None else number * scale for number in numbers), unit,
                   judgement.pairs)
    if comparison.within is not None:
        goal = f"within {100 * comparison.within:g} % of"
    place = f" at {part.element}" if part.element else ""
    result.why = f"{subject}{place} is {result.value_text}, and is to be {goal} {scale:g}"
    if verdict == OPEN:
        result.why += f": that is not settled with {judgement.pairs} invocation{'' if judgement.pairs == 1 else 's'}"
    elif verdict == HOLDS and len(parts) > 1:
        result.why += f"; of {len(parts)} comparisons this holds the least clearly"
    result.why += "."
    return result


def counts_text(scores):
    """'3 hold, 2 do not hold, 1 not settled, 4 cannot be asked here'"""
    counts = Counter(score.verdict for score in scores)
    words = dict(zip(VERDICTS, ("hold", "do not hold", "not settled", "cannot be asked here")))
    return ", ".join(f"{counts[verdict]} {words[verdict]}" for verdict in VERDICTS)


def by_paper(scores):
    """[(title, [scores])] in the order of PAPERS."""
    groups = [(title, [score for score in scores if score.claim.paper == paper]) for paper, title in PAPERS.items()]
    return [(title, some) for title, some in groups if some]


def scorecard_text(scores):
    """A paragraph a paper, a line a claim; claims that cannot be asked are only counted."""
    lines = []
    for title, some in by_paper(scores):
        lines += ["", title, f"  {counts_text(some)}"]
        asked = [score for score in some if score.verdict != UNASKED]
        width = max((len(score.claim.name) for score in asked), default=0)
        lines += [f"  {score.verdict:<13}  {score.claim.name:<{width}}  {score.claim.stated}: {score.why}"
                  for score in asked]
    return "\n".join([f"{len(scores)} claims: {counts_text(scores)}", *lines])


def write_scorecard(run, scores):
    """Writes RUN/scorecard.csv; returns its path."""
    return write_rows(run.folder / "scorecard.csv", COLUMNS, (score.as_row() for score in scores))


def table_of(scores):
    """(headings, rows) of some claims for the report."""
    return (["claim", "paper", "verdict", "here", "why"],
            [[f"\N{LEFT DOUBLE QUOTATION MARK}{score.claim.quote}\N{RIGHT DOUBLE QUOTATION MARK} ({score.claim.place})",
              score.claim.stated, f"{SIGNS[score.verdict]} {score.verdict}", score.value_text,
              " ".join(filter(None, (score.why, score.claim.remark)))] for score in scores])


def main():
    run, _ = run_of_arguments(__doc__)
    scores = score(run, summarize(run))
    path = write_scorecard(run, scores)
    show(scorecard_text(scores))
    print(f"\n{path}")


if __name__ == "__main__":
    run_program(main)
