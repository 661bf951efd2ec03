"""python3 -m harness.judging.scorecard RUN: which of the papers' claims hold in this run.

A claim of results/published/claims.csv holds, does not hold, is not settled by this run's invocations, or cannot be asked of
it. claimed() decides (harness/judging/statistics/verdicts.py). A claim of several comparisons holds if all hold, and does not if one does
not. It is judged under each of its conditions that the run has cells for; the verdict is that of the first, and the
card says under which others it differs. docs/results.md explains how to read it.
"""

import functools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy

from harness.judging.claim_answers import Asked, NotThere
from harness.judging.claims import NOTHING, PAPERS, range_of, read_claims
from harness.judging.defaults import defaults_of
from harness.judging.run_folder import run_of_arguments, run_program
from harness.judging.summaries import metrics_by_cell, summarize, usable
from harness.judging.words import (counted, format_number, frequency_text, joined, sentence, thieves_text, threads_text, value_text,
                              words_for)
from harness.judging.files import write_rows
from harness.judging.text_table import show
from harness.judging.statistics import BEYOND, NOT_SETTLED, THRESHOLD, WITHIN, Judgement, claimed, median

HOLDS, FAILS, OPEN, UNASKED = VERDICTS = ("holds", "does not hold", "not settled", "cannot be asked here")
SIGNS = dict(zip(VERDICTS, "\N{CHECK MARK}\N{BALLOT X}?\N{EN DASH}"))
SAYS = {WITHIN: HOLDS, BEYOND: FAILS, NOT_SETTLED: OPEN}
COLUMNS = ("paper claim place quote stated verdict value low high unit invocations why there conditions remark cells "
           "formula").split()
# Conditions in words, to follow "with".
TOLD = {"threads": threads_text, "thieves": thieves_text, "frequency": lambda value: f"a frequency of {frequency_text(value)}",
        "item": "items of {} bytes".format, "node": "nodes of {} bytes".format, "block": "blocks of {}".format,
        "mean": "a mean cost of {}".format, "compute": "{} units of work a block".format,
        **{name: lambda value, name=name: f"{int(value):,} {name}" for name in "nodes directories files symlinks bytes".split()},
        "order": {"sequential": "nodes side by side", "shuffled": "nodes shuffled"},
        "owner": {"idle": "an idle owner", "busy": "a working owner"},
        "method": {"corrected": "our timing", "published": "the paper's timing"},
        "prelinked": {"0": "linking timed", "1": "batches linked before"},
        "push": {"single": "single pushes", "batch": "batch pushes"},
        "frequency_of": {"thief": "that of each thief", "all": "that of all thieves together"},
        "tree": {"counted": "entries only counted", "built": "the tree built in memory"}}


@dataclass
class Part:
    """One element of one comparison, judged."""

    comparison: object
    label: str  # which element of a list, or ""
    verdict: str
    judgement: Judgement

    @property
    def excess(self):
        """How far it is from the claim, in logarithms. The part with the largest is shown."""
        ratio = math.log(self.judgement.ratio)
        return ratio if self.comparison.within is None else abs(ratio) - math.log(1 + self.comparison.within)


@dataclass
class Answer:
    """The run's answer to a claim under one condition, with the numbers of the comparison that decided."""

    condition: tuple  # of (name, value)
    words: dict  # the same in words
    verdict: str
    says: str
    why: str
    value: float
    low: float
    high: float
    unit: str
    invocations: int


@dataclass
class Score:
    """A claim's verdict, and why. there: the paper's numbers beside ours. conditions: a sentence on other conditions."""

    claim: object
    verdict: str
    why: str
    there: str = ""
    conditions: str = ""
    answers: list = field(default_factory=list)  # that of the verdict first

    @property
    def turns(self):
        """Does it hold under one condition, and not under another?"""
        return {HOLDS, FAILS} <= {answer.verdict for answer in self.answers}

    def as_row(self):
        claim, numbers, unit, invocations = self.claim, ("", "", ""), "", ""
        if self.answers:
            first = self.answers[0]
            numbers = ("" if number is None else format(number, ".6g") for number in (first.value, first.low, first.high))
            unit, invocations = first.unit, first.invocations
        return [claim.paper, claim.name, claim.place, claim.quote, claim.stated, self.verdict, *numbers, unit, invocations,
                self.why, self.there, self.conditions, claim.remark, claim.cells, claim.formula]


def _with_interval(answer):
    unit = f" {answer.unit}" if answer.unit else ""
    interval = "" if answer.low is None else f" [{format_number(answer.low)}, {format_number(answer.high)}]"
    return format_number(answer.value) + unit + interval


def score(run, summaries, claims=None):
    """A Score for every claim, in the order of the file."""
    asked = _asking(run, summaries)
    return [_scored(claim, list(asked.answers(claim))) for claim in (read_claims() if claims is None else claims)]


def _asking(run, summaries):
    by_cell, cells = metrics_by_cell(summaries), defaultdict(list)
    for name, cell in run.cells.items():
        cells[cell["workload"], cell["deque"]].append({**cell, "name": name})
    return Asked(cells, functools.partial(_summary, by_cell))


def _summary(by_cell, query, cells):
    """The value that a query asks for, or NotThere."""
    if len({tuple(sorted(cell["params"].items())) for cell in cells}) > 1:
        raise NotThere(f"several cells answer to {query.text}")
    there = [by_cell.get(cell["name"], {}).get((query.role, query.metric)) for cell in cells]
    summary = max(filter(usable, there), key=lambda some: some.invocations, default=None)
    if summary is None:
        statuses = {some.status for cell in cells for some in by_cell.get(cell["name"], {}).values()} - {"ok"}
        raise NotThere(f"{query.text} has no {query.metric}" + (f" ({', '.join(sorted(statuses))})" if statuses else ""))
    if "oversubscribed" in summary.flags:
        raise NotThere(f"{query.text} had more threads than processors")
    return summary


def _scored(claim, asked):
    answers, there, reasons = [], "", {condition: reason for condition, _, _, reason in asked if reason}
    for condition, chosen, found, reason in asked:
        if reason or chosen in [answer.condition for answer in answers]:
            continue
        values = _values(found)
        if values:
            there = there or _there(claim, found, values)
            answers.append(_answer(claim, found, values, chosen, _words(condition, chosen)))
        else:
            reasons[condition] = "its cells have no invocation in common"
    if not answers:
        return Score(claim, UNASKED, f"{reasons[claim.conditions[0]]}.")
    return Score(claim, answers[0].verdict, answers[0].why, there, _sentence(claim, answers, reasons), answers)


def _values(found):
    """{name: a row an element, a column an invocation that all cells have}; invocations of equal number ran near each other."""
    shared = sorted(set.intersection(*(set(summary.by_invocation) for some in found.values() for summary in some)))
    return shared and {name: numpy.array([[max(summary.by_invocation[i], NOTHING) for i in shared] for summary in some])
                       for name, some in found.items()}


def _parts(claim, found, values):
    labels = {name: _labels(claim.definitions[name], some) for name, some in found.items()}
    width = next(iter(values.values()))[:1]  # a side that is a number must have as many columns
    pairs = [(comparison, _label(comparison, row, labels), *(side.tolist() for side in pair)) for comparison in claim.comparisons
             for row, pair in enumerate(zip(*numpy.broadcast_arrays(comparison.left.rows(values), comparison.right.rows(values),
                                                                    width)[:2]))]
    for comparison, label, left, right in pairs:
        verdict, judgement = claimed(left, right, comparison.within)
        yield Part(comparison, label, SAYS[verdict], judgement)


def _labels(definition, summaries):
    """The settings that distinguish each of these cells: 'batch=128'."""
    names = [name for name, values in definition.settings if len(values) > 1]
    return [", ".join([one.deque] * (len(definition.deques) > 1) + [f"{name}={one.params[name]}" for name in names])
            for one in summaries]


def _label(comparison, row, labels):
    some = max(comparison.left.labels(labels), comparison.right.labels(labels), key=lambda side: (len(side), side))
    return some[row if len(some) > 1 else 0]


def _answer(claim, found, values, condition, words):
    parts = list(_parts(claim, found, values))
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
    if comparison.within is not None:
        goal = f"within {100 * comparison.within:g} % of"
    unit = found[side.name][0].unit if side.name and subject == side.text else ""
    answer = Answer(condition, words, verdict, "", "", *(None if number is None else number * scale for number in numbers), unit,
                    judgement.pairs)
    answer.says = f"{subject}{f' at {part.label}' if part.label else ''} is {_with_interval(answer)}"
    answer.why = f"{answer.says}, and should be {goal} {scale:g}"
    if comparison.within is None and verdict == FAILS and judgement.ratio < 1:
        answer.why += f" by more than {100 * THRESHOLD:g} %"
    if verdict == OPEN:
        answer.why += f": that is not settled with {counted(judgement.pairs, 'invocation')}"
    elif verdict == HOLDS and len(parts) > 1:
        answer.why += f"; of {len(parts)} comparisons this holds the least clearly"
    answer.why += "."
    return answer


def _there(claim, found, values):
    """The paper's numbers beside ours: 'lf_queue: 40 us there, 14.6 us here (0.36 times)'."""
    return "; ".join(_beside(side, number, found, values) for side, number in claim.there)


def _beside(side, number, found, values):
    unit = found[side.name][0].unit if side.name else ""
    here = [median(row) for row in side.rows(values)]

    def text(value):
        return value_text(value, unit) if unit else format_number(value if value > NOTHING else 0)

    def span(values, told):
        low, high = told(min(values)), told(max(values))
        return low if low == high else f"{low} to {high}"

    return (f"{side.text}: {text(number)} there, {span(here, text)} here "
            f"({span([value / number for value in here], format_number)} times)")


def _word(name, value):
    """A setting in words, to follow "with": 'cold caches'."""
    told = TOLD.get(name, {})
    return told(value) if callable(told) else told.get(value) or words_for(name, value)


def _words(condition, chosen):
    """{name: word} of a condition as the run has it: {'threads': '2 threads (22 there)'}."""
    ends = [range_of(value) for _, value in condition]
    return {name: _word(name, value) + (f" ({end[1]} there)" if end and int(value) != end[1] else "")
            for (name, value), end in zip(chosen, ends)}


def _sentence(claim, answers, reasons):
    """'Holds with nodes side by side and an idle owner; does not hold with nodes shuffled (a : b is 1.9 [1.8, 2.0]).'"""
    first, *others = answers
    defaults = {name: default for one in claim.definitions.values() for name, default in defaults_of(one.workload).items()}
    names = list({name: None for answer in answers for name in answer.words})
    own, *theirs = ({name: answer.words.get(name) or _word(name, defaults[name]) for name in names} for answer in answers)
    told = defaultdict(list)
    for answer, words in zip(others, theirs):
        differing = joined([word for name, word in words.items() if word != own[name]])
        turned = {answer.verdict, first.verdict} == {HOLDS, FAILS}
        told[answer.verdict].append(f"with {differing}" + (f" ({answer.says})" if turned else ""))
    head = f"{first.verdict if others else 'asked'} with {joined(list(own.values()))}" if names else ""
    parts = [text for text in [", also ".join(filter(None, [head, ", ".join(told.pop(first.verdict, []))]))] if text]
    parts += [f"{verdict} {', '.join(some)}" for verdict, some in told.items()]
    if claim.conditions[0] in reasons:
        wanted = [_word(name, value.rpartition("..")[2]) for name, value in claim.conditions[0]]
        parts.append(f"with {joined(wanted)} it cannot be asked here")
    return f"{sentence('; '.join(parts))}." if parts else ""


def counts_text(scores):
    """'3 hold, 2 do not hold, 1 not settled, 4 cannot be asked here'"""
    counts = Counter(score.verdict for score in scores)
    words = dict(zip(VERDICTS, ("hold", "do not hold", "not settled", "cannot be asked here")))
    return ", ".join(f"{counts[verdict]} {words[verdict]}" for verdict in VERDICTS)


def turning_text(scores):
    """'; 3 of them turn round under another condition', or nothing."""
    turning = sum(score.turns for score in scores)
    return f"; {turning} of them turn{'s' * (turning == 1)} round under another condition" if turning else ""


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
        for score in asked:
            lines.append(f"  {score.verdict:<13}  {score.claim.name:<{width}}  {score.claim.stated}: {score.why}")
            lines += [f"{'':{width + 19}}{more}" for more in (score.there and f"{score.there}.", score.conditions) if more]
    return "\n".join([f"{len(scores)} claims: {counts_text(scores)}{turning_text(scores)}", *lines])


def write_scorecard(run, scores):
    """Writes RUN/scorecard.csv; returns its path."""
    return write_rows(run.folder / "scorecard.csv", COLUMNS, (score.as_row() for score in scores))


def table_of(scores):
    """(headings, rows) of some claims for the report."""
    return (["claim", "verdict", "why", "under other conditions", "there and here", "remark"],
            [[f"\N{LEFT DOUBLE QUOTATION MARK}{score.claim.quote}\N{RIGHT DOUBLE QUOTATION MARK} ({score.claim.place}): "
              f"{score.claim.stated}",
              f"{SIGNS[score.verdict]} {score.verdict}", score.why, score.conditions, score.there and f"{score.there}.", score.claim.remark]
             for score in scores])


def main():
    run, _ = run_of_arguments(__doc__)
    scores = score(run, summarize(run))
    path = write_scorecard(run, scores)
    show(scorecard_text(scores))
    print(f"\n{path}")


if __name__ == "__main__":
    run_program(main)
