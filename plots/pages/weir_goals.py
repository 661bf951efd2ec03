"""python3 -m plots.pages.weir_goals RUN: what weir was built to reach, and whether this run of suites/weir.suite reaches it.

A line a goal: the best of all others with its deque, weir, the ratio of their costs (above 1: weir costs more) with its
interval, and the state of the goal. A goal is reached if the rule for verdicts, over all goals together, calls weir faster than
what is asked for, or not told apart from it. Each deque stands there at the best of its settings. References, unsound deques
and those that may hand an item out twice are never the best.
"""

from dataclasses import dataclass

from plots.data.cells import cells_of
from plots.data.weir_goals import DEQUE, GOALS, NEVER_SLOWER
from plots.data.run_folder import run_of_arguments, run_program
from plots.data.summaries import summarize
from plots.data.words import format_number, is_reference, is_unsound, may_repeat
from plots.pages.table import aligned, interval_text, show
from plots.statistics import ALIKE, FASTER, NOT_SETTLED, judge_invocations, settle

REACHED, MISSED, OPEN, ABSENT = "reached", "not reached", "not settled", "not measured"


@dataclass
class Line:
    """rival, own: summaries (no rival if a number is asked for). ratio: the judgement on their costs; asked: on what the goal
    allows."""

    title: str
    words: str
    unit: str = ""
    rival: object = None
    own: object = None
    ratio: object = None
    asked: object = None

    @property
    def state(self):
        if self.own is None or self.asked is None:
            return ABSENT
        return {FASTER: REACHED, ALIKE: REACHED, NOT_SETTLED: OPEN}.get(self.asked.verdict, MISSED)

    def as_row(self):
        if self.own is None or self.asked is None:
            return [self.title, self.words, "", "", "", "", "", "", ABSENT]
        rival = [format_number(self.rival.median), self.rival.deque] if self.rival else ["", ""]
        return [self.title, self.words, *rival, format_number(self.own.median), self.unit, f"{self.ratio.ratio:.3f}",
                interval_text(self.ratio.low, self.ratio.high), self.state]


def may_be_best(run, deque):
    facts = run.deque_facts(deque)
    return deque != DEQUE and not (is_reference(deque, facts) or is_unsound(facts) or may_repeat(facts))


def best_of(summaries, higher):
    return min(summaries, key=lambda one: -one.median if higher else one.median, default=None)


def costs(summary, higher):
    """{invocation: cost}; of rates the reciprocal."""
    return {i: 1 / value if higher else value for i, value in summary.by_invocation.items() if value > 0}


def line_of(run, goal, cells):
    line = Line(goal.title, goal.words)
    found = [summary for cell in cells if cell.tag == goal.section
             and all(cell.params.get(name) == value for name, value in goal.settings.items())
             for summary in [cell.value(goal.role, goal.metric)] if summary and summary.median > 0]
    line.own = best_of([one for one in found if one.deque == DEQUE], goal.higher)
    line.rival = best_of([one for one in found if (one.deque == goal.than if goal.than else may_be_best(run, one.deque))],
                         goal.higher)
    if line.own is None or (line.rival is None and goal.at_most is None):
        return line
    line.unit = line.own.unit
    own = costs(line.own, goal.higher)
    against = dict.fromkeys(own, goal.at_most) if goal.at_most is not None else costs(line.rival, goal.higher)
    line.ratio = judge_invocations(own, against)
    line.asked = judge_invocations(own, {i: value * goal.factor for i, value in against.items()})
    return line


def alone_or_two(cells, title, section):
    line = Line(title, "never slower")
    mine = {cell.params.get("threads"): cell.value("pool", "run_time") for cell in cells
            if cell.tag == section and cell.deque == DEQUE}
    if mine.get("1") and mine.get("2"):
        line.own, line.rival, line.unit = mine["2"], mine["1"], mine["2"].unit
        line.ratio = judge_invocations(mine["2"].by_invocation, mine["1"].by_invocation)
        line.asked = judge_invocations(mine["2"].by_invocation, mine["1"].by_invocation)
    return line


def unreachable(run):
    """How many items no thief can take, by the traits."""
    left = run.deque_facts(DEQUE).get("thieves_leave")
    if left is None:
        return ["items that no thief can reach", "at most 1", "", "", "", "", "", "", ABSENT]
    return ["items that no thief can reach", "at most 1", "", "", str(left), "items", "", "",
            REACHED if int(left) <= 1 else MISSED]


def goals_of(run, summaries):
    cells = cells_of(run, summaries)
    lines = [line_of(run, goal, cells) for goal in GOALS]
    lines += [alone_or_two(cells, title, section) for title, section in NEVER_SLOWER]
    settle([line.asked for line in lines if line.asked])
    return lines


def text_of(run, lines):
    headings = ["case", "goal", "best of all others", "which", DEQUE, "unit", "ratio", "95 % interval", "goal is"]
    rows = [line.as_row() for line in lines] + [unreachable(run)]
    reached = sum(row[-1] == REACHED for row in rows)
    table = aligned(headings, rows, left={0, 1, 3, 5, 8})
    return "\n".join([*table, "", f"{reached} of {len(rows)} goals reached"])


def main():
    run, arguments = run_of_arguments(__doc__, ("--ascii", "ASCII only; the default where the terminal is not UTF-8"))
    show(text_of(run, goals_of(run, summarize(run))), arguments.ascii)


if __name__ == "__main__":
    run_program(main)
