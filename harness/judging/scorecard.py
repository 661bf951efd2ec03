"""Which of the papers' claims hold in a run.

A claim of results/published/claims.csv holds, does not hold, is not settled by this run's invocations, or cannot be asked of
it. claimed() decides (harness/judging/statistics/verdicts.py). A claim of several comparisons holds if all hold, and does not if one does
not. It is judged under each of its conditions that the run has cells for; the verdict is that of the first, and the
card says under which others it differs. docs/results.md explains how to read it.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy

from harness.judging.cells import grouped
from harness.judging.claims import NOTHING, PAPERS, List, NotThere, range_of, read_claims, under
from harness.judging.defaults import defaults_of
from harness.judging.run_folder import write_rows
from harness.judging.statistics import BEYOND, NOT_SETTLED, WITHIN, claimed, median
from harness.judging.summaries import metrics_by_cell, usable
from harness.judging.words import counted, format_number, sentence, value_text, words_for

HOLDS, FAILS, OPEN, UNASKED = VERDICTS = ("holds", "does not hold", "not settled", "cannot be asked here")
SIGNS = dict(zip(VERDICTS, "\N{CHECK MARK}\N{BALLOT X}?\N{EN DASH}"))
SAYS = {WITHIN: HOLDS, BEYOND: FAILS, NOT_SETTLED: OPEN}
COLUMNS = ("paper claim place quote stated verdict value low high unit invocations why there conditions remark cells "
           "formula").split()


@dataclass
class Answer:
    """The run's answer to a claim under one condition, with the numbers of the comparison that decided."""

    condition: tuple  # of (name, value), as the run has it
    words: dict  # {name: the same in words}
    verdict: str
    says: str
    why: str
    numbers: tuple  # value, low, high
    unit: str
    invocations: int
    there: str  # the paper's numbers beside ours


@dataclass
class Score:
    """A claim's verdict, and why. conditions: a sentence on other conditions."""

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
        claim, numbers = self.claim, ["", "", "", "", ""]
        if self.answers:
            first = self.answers[0]
            numbers = [*("" if number is None else format(number, ".6g") for number in first.numbers), first.unit, first.invocations]
        return [claim.paper, claim.name, claim.place, claim.quote, claim.stated, self.verdict, *numbers, self.why, self.there,
                self.conditions, claim.remark, claim.cells, claim.formula]


def score(run, summaries, claims=None):
    """A Score for every claim, in the order of the file."""
    by_cell = metrics_by_cell(summaries)
    cells = grouped(({**cell, "metrics": by_cell.get(name, {})} for name, cell in run.cells.items()),
                    lambda cell: (cell["workload"], cell["deque"]))
    return [scored(claim, cells) for claim in (read_claims() if claims is None else claims)]


def scored(claim, cells):
    answers, reasons = [], {}
    for condition in claim.conditions:
        try:
            chosen, found = under(claim, condition, cells, summary_of)
            if chosen not in [answer.condition for answer in answers]:
                answers.append(answer_of(claim, found, chosen, in_words(condition, chosen)))
        except NotThere as reason:
            reasons[condition] = reason
    if not answers:
        return Score(claim, UNASKED, f"{reasons[claim.conditions[0]]}.")
    return Score(claim, answers[0].verdict, answers[0].why, answers[0].there, other_conditions(claim, answers, reasons), answers)


# --- the values of a claim

def summary_of(query, found):
    """The summary that a query asks for; found: the cells that match it."""
    if len({tuple(sorted(cell["params"].items())) for cell in found}) > 1:
        raise NotThere(f"several cells answer to {query.text}")
    there = [cell["metrics"].get((query.role, query.metric)) for cell in found]
    summary = max(filter(usable, there), key=lambda some: some.invocations, default=None)
    if summary is None:
        statuses = {some.status for cell in found for some in cell["metrics"].values()} - {"ok"}
        raise NotThere(f"{query.text} has no {query.metric}" + (f" ({', '.join(sorted(statuses))})" if statuses else ""))
    if "oversubscribed" in summary.flags:
        raise NotThere(f"{query.text} had more threads than processors")
    return summary


def lists_of(claim, found):
    """{name: List} with a column for each invocation that all cells have; invocations of equal number ran near each other."""
    shared = sorted(set.intersection(*(set(summary.by_invocation) for some in found.values() for summary in some)))
    if not shared:
        raise NotThere("its cells have no invocation in common")
    return {name: List(claim.definitions[name].labels(), numpy.array([[max(summary.by_invocation[i], NOTHING) for i in shared]
                                                                     for summary in some])) for name, some in found.items()}


# --- the verdict

def answer_of(claim, found, condition, words):
    """The worst of all comparisons, and of these the one that is furthest from the claim."""
    lists = lists_of(claim, found)
    parts = [part for comparison in claim.comparisons for part in parts_of(comparison, lists)]
    verdict = next((word for word in (FAILS, OPEN) if any(part[0] == word for part in parts)), HOLDS)
    _, judgement, comparison, label = max((part for part in parts if part[0] == verdict), key=excess)
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
    value, low, high = numbers = tuple(None if number is None else number * scale for number in numbers)
    interval = "" if low is None else f" [{format_number(low)}, {format_number(high)}]"
    says = f"{subject}{f' at {label}' if label else ''} is {' '.join(filter(None, [format_number(value), unit]))}{interval}"
    why = f"{says}, and should be {goal} {scale:g}"
    if verdict == OPEN:
        why += f": that is not settled with {counted(judgement.pairs, 'invocation')}"
    elif verdict == HOLDS and len(parts) > 1:
        why += f"; of {len(parts)} comparisons this holds the least clearly"
    return Answer(condition, words, verdict, says, f"{why}.", numbers, unit, judgement.pairs, beside(claim, found, lists))


def parts_of(comparison, lists):
    """(verdict, Judgement, comparison, label) of each element."""
    left, right = comparison.left.of(lists), comparison.right.of(lists)
    labels = max(left.labels, right.labels, key=lambda some: (len(some), some))
    width = next(iter(lists.values())).rows[:1]  # a side that is a number must have as many columns
    for row, pair in enumerate(zip(*numpy.broadcast_arrays(left.rows, right.rows, width)[:2])):
        verdict, judgement = claimed(*(side.tolist() for side in pair), comparison.within)
        yield SAYS[verdict], judgement, comparison, labels[row if len(labels) > 1 else 0]


def excess(part):
    """How far it is from the claim, in logarithms."""
    _, judgement, comparison, _ = part
    ratio = math.log(judgement.ratio)
    return ratio if comparison.within is None else abs(ratio) - math.log(1 + comparison.within)


def beside(claim, found, lists):
    """The paper's numbers beside ours: 'lf_queue: 40 us there, 14.6 us here (0.36 times)'."""
    told = []
    for side, number in claim.there:
        unit = found[side.name][0].unit if side.name else ""
        here = [median(row) for row in side.of(lists).rows]

        def text(value, unit=unit):
            return value_text(value, unit) if unit else format_number(value if value > NOTHING else 0)

        times = span([value / number for value in here], format_number)
        told.append(f"{side.text}: {text(number)} there, {span(here, text)} here ({times} times)")
    return "; ".join(told)


def span(values, told):
    low, high = told(min(values)), told(max(values))
    return low if low == high else f"{low} to {high}"


# --- in words

def in_words(condition, chosen):
    """{name: words} of a condition as the run has it: {'threads': 'threads=2 (22 there)'}."""
    ends = [range_of(value) for _, value in condition]
    return {name: words_for(name, value) + (f" ({end[1]} there)" if end and int(value) != end[1] else "")
            for (name, value), end in zip(chosen, ends)}


def other_conditions(claim, answers, reasons):
    """'Holds: owner idle, side by side; also: shuffled; does not hold: owner busy (a : b is 1.9 [1.8, 2.0]).'"""
    defaults = {name: default for one in claim.definitions.values() for name, default in defaults_of(one.workload).items()}
    names = list(dict.fromkeys(name for answer in answers for name in answer.words))
    own, *theirs = ([answer.words.get(name) or words_for(name, defaults[name]) for name in names] for answer in answers)
    first, told = answers[0], defaultdict(list)
    for answer, words in zip(answers[1:], theirs):
        differing = ", ".join(word for word, mine in zip(words, own) if word != mine)
        told[answer.verdict].append(differing + f" ({answer.says})" * ({answer.verdict, first.verdict} == {HOLDS, FAILS}))
    parts = [f"{first.verdict if told else 'asked'}: {', '.join(own)}"] if names else []
    parts += [f"{'also' if verdict == first.verdict else verdict}: {' or '.join(some)}" for verdict, some in told.items()]
    if claim.conditions[0] in reasons:
        wanted = [words_for(name, value.rpartition("..")[2]) for name, value in claim.conditions[0]]
        parts.append(f"cannot be asked here: {', '.join(wanted)}")
    return f"{sentence('; '.join(parts))}." if parts else ""


def counts_text(scores):
    """'3 hold, 2 do not hold, 1 not settled, 4 cannot be asked here; 3 of them turn round under another condition'"""
    counts, turning = Counter(score.verdict for score in scores), sum(score.turns for score in scores)
    words = zip(VERDICTS, ("hold", "do not hold", "not settled", "cannot be asked here"))
    return ", ".join(f"{counts[verdict]} {word}" for verdict, word in words) + (
        f"; {turning} of them turn{'s' * (turning == 1)} round under another condition" if turning else "")


def by_paper(scores):
    """[(title, [scores])] in the order of PAPERS."""
    found = grouped(scores, lambda score: score.claim.paper)
    return [(title, found[paper]) for paper, title in PAPERS.items() if paper in found]


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
