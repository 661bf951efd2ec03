"""python3 -m plots.pages.weir_goals RUN: weir's goals, and whether this run of suites/weir.suite reaches them.

A line a goal: the best of all other deques, weir, the ratio of their costs (above 1: weir costs more) with its
interval, and the state of the goal. A goal is reached if the whole interval lies below what it allows, but for the threshold of
verdicts, or if the rule for verdicts, over all goals together, calls weir faster. It is not reached if that rule calls weir slower.
Else the upper end of the interval says by how much it is missed at most. Each deque is shown at its best setting. References,
unsound deques and those that may return an item twice are never the best.
"""

import math
from dataclasses import dataclass, field

from plots.data.cells import cells_of
from plots.data.run_folder import run_of_arguments, run_program
from plots.data.summaries import summarize
from plots.data.words import format_number, is_reference, is_unsound, may_repeat
from plots.pages.table import aligned, interval_text, show
from plots.statistics import FASTER, LEAST_PAIRS, SLOWER, adjust_together, judge_invocations

DEQUE = "weir"
REACHED, MISSED, TOO_FEW, ABSENT = "reached", "not reached", "too few invocations", "not measured"


@dataclass(frozen=True)
class Goal:
    """factor: how much of the reference's cost is allowed; than: the deque that is the reference, "" for the best of all others
    that may be ranked; beside: the reference's settings, if they are not weir's; at_most: a number in the metric's unit instead."""

    title: str
    section: str
    role: str
    metric: str
    factor: float = 1.0
    settings: dict = field(default_factory=dict)
    than: str = ""
    beside: dict = None
    at_most: float = None

    @property
    def higher(self):
        """Is more better?"""
        return self.metric.endswith("_operations")

    @property
    def words(self):
        if self.beside:
            return "never slower"
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        who = self.than or "the best"
        return f"at most {self.factor:g} of {who}" if self.factor != 1 else f"at {'least' if self.higher else 'most'} {who}"


FREQUENCIES = [("0", "no thief"), ("1000", "1 kHz"), ("10000", "10 kHz"), ("100000", "100 kHz"), ("1000000", "1 MHz"),
               ("max", "no pause")]
BY_THREADS = [("tree search", "uts-2"), ("graph", "dag-2"), ("directories", "walk-2")]
GOALS = [
    Goal("push, single, warm", "push", "owner", "push_latency", 1.05),
    Goal("pop, single", "pop", "owner", "pop_latency", 1.1),
    Goal("pair, 512 deep", "pair", "owner", "pair_latency"),
    Goal("push of 1024 by copy", "push-1024", "owner", "push_latency", 1.05),
    Goal("push of 1024 by reserve and commit", "reserve-1024", "owner", "push_latency", than="lf_bulk"),
    Goal("steal, single, owner idle", "steal-idle", "thief", "steal_latency_per_item"),
    Goal("steal 60 % of 10,000, copied out", "steal-60", "thief", "steal_latency", 1.2, than="array"),
    Goal("steal half of 10,000 into the thief's deque", "steal-into", "thief", "steal_latency", at_most=100.0),
    *(Goal(f"owner's operations/s, {words}", "owner", "owner", "owner_operations", settings={"frequency": frequency})
      for frequency, words in FREQUENCIES),
    Goal("single steal at 1 MHz", "owner", "thief", "steal_time", settings={"frequency": "1000000"}),
    Goal("fib, a call, one thread", "fork", "pool", "time_per_call"),
    Goal("fib(32), two threads", "fork-2", "pool", "run_time"),
    Goal("12 queens, two threads", "nqueens-2", "pool", "run_time"),
    Goal("quicksort of 10 M, two threads", "quicksort-2", "pool", "run_time"),
    *(Goal(f"{words}, two threads", section, "pool", "run_time", settings={"threads": "2"}) for words, section in BY_THREADS),
    *(Goal(f"{words}: two threads against one", section, "pool", "run_time", settings={"threads": "2"}, than=DEQUE,
           beside={"threads": "1"}) for words, section in BY_THREADS),
]


@dataclass
class Line:
    """rival, own: summaries (no rival if a number is asked for). ratio: the judgement on their costs; asked: on what the goal
    allows."""

    goal: Goal
    rival: object = None
    own: object = None
    ratio: object = None
    asked: object = None

    @property
    def state(self):
        if not self.asked:
            return ABSENT
        if self.asked.pairs < LEAST_PAIRS:
            return TOO_FEW
        if self.asked.verdict == FASTER or self.asked.high <= 1 + self.asked.threshold:
            return REACHED
        return MISSED if self.asked.verdict == SLOWER else f"missed by at most {math.ceil(100 * (self.asked.high - 1))} %"

    def as_row(self):
        if not self.asked:
            return [self.goal.title, self.goal.words, "", "", "", "", "", "", ABSENT]
        rival = [format_number(self.rival.median), self.rival.deque] if self.rival else ["", ""]
        return [self.goal.title, self.goal.words, *rival, format_number(self.own.median), self.own.unit, f"{self.ratio.ratio:.3f}",
                interval_text(self.ratio.low, self.ratio.high), self.state]


def may_be_best(run, deque):
    facts = run.deque_facts(deque)
    return deque != DEQUE and not (is_reference(deque, facts) or is_unsound(facts) or may_repeat(facts))


def line_of(run, goal, cells):
    def best(settings, is_asked):
        found = [summary for cell in cells if cell.tag == goal.section and is_asked(cell.deque)
                 and all(cell.params.get(name) == value for name, value in settings.items())
                 for summary in [cell.value(goal.role, goal.metric)] if summary and summary.median > 0]
        return min(found, key=lambda one: -one.median if goal.higher else one.median, default=None)

    def costs(summary):
        """{invocation: cost}; of rates the reciprocal."""
        return {i: 1 / value if goal.higher else value for i, value in summary.by_invocation.items() if value > 0}

    own = best(goal.settings, lambda deque: deque == DEQUE)
    rival = best(goal.beside or goal.settings, lambda deque: deque == goal.than if goal.than else may_be_best(run, deque))
    line = Line(goal, None if goal.at_most else rival, own)
    if own and (rival or goal.at_most):
        against = dict.fromkeys(costs(own), goal.at_most) if goal.at_most else costs(rival)
        line.ratio = judge_invocations(costs(own), against)
        line.asked = judge_invocations(costs(own), {i: value * goal.factor for i, value in against.items()})
    return line


def unreachable(run):
    """How many items no thief can reach, by the traits."""
    left = run.deque_facts(DEQUE).get("thieves_leave")
    told = ["", "", ABSENT] if left is None else [str(left), "items", REACHED if int(left) <= 1 else MISSED]
    return ["items that no thief can reach", "at most 1", "", "", *told[:2], "", "", told[2]]


def goals_of(run, summaries):
    cells = cells_of(run, summaries)
    lines = [line_of(run, goal, cells) for goal in GOALS]
    adjust_together([line.asked for line in lines if line.asked])
    return lines


def text_of(run, lines):
    headings = ["case", "goal", "best of all others", "which", DEQUE, "unit", "ratio", "95 % interval", "goal is"]
    rows = [line.as_row() for line in lines] + [unreachable(run)]
    reached = sum(row[-1] == REACHED for row in rows)
    return "\n".join([*aligned(headings, rows, left={0, 1, 3, 5, 8}), "", f"{reached} of {len(rows)} goals reached"])


def main():
    run, arguments = run_of_arguments(__doc__, ("--ascii", "ASCII only; the default where the terminal is not UTF-8"))
    show(text_of(run, goals_of(run, summarize(run))), arguments.ascii)


if __name__ == "__main__":
    run_program(main)
