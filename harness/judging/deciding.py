"""Decides on a cell from its pairs so far. Pure functions.

The CI job measures pairs of a cell until the cell is shown not to be slower by the threshold, or looks slower. All cells of the
job share one alpha for that. A cell that looks slower must be confirmed: fresh processes, which draw other variants of the code,
are judged separately, and the cell is called slower only if they show it too. So two builds of the same speed raise an
alarm in at most alpha times alpha of all jobs, 1 of 400.

Fresh processes draw from the same few codes (variants) as the first ones. If two builds differ only in where their
code lies, some codes stay slower and some stay faster. So a slowdown must show in each code: with eight that differ only by where
they lie, all are slower in few cases (simulated: 3 of 150 cells where the codes' ratios spread by 4 %, none of 150 by 2 %).
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field

from harness.judging.statistics import (
    ALIKE, FASTER, LEAST_PAIRS, MEASURE_ON, SLOWER, THRESHOLD, decide, median, median_interval)

ALPHA = 0.05
# Verdicts that end a cell. "not confirmed": it looked slower, and fresh processes showed that it is not.
UNCONFIRMED = "not confirmed"
# Slower in some of its codes and faster in others; more pairs would not change that.
BY_CODE = "differs by code"
# Verdicts without pairs, and the verdict on a cell whose time ran out.
IDENTICAL, FAILED, UNMEASURED, UNDECIDED = "identical", "failed", "not measured", "undecided"
SPEAKS = {BY_CODE: "slower in some variants of its code and not in others, so the source is not the cause",
          UNCONFIRMED: "looked slower at first, but fresh processes are not", FAILED: "crashed or hung, and the base does not",
          UNMEASURED: "not measured here", UNDECIDED: "not decided within the budget"}


@dataclass
class Watched:
    """A cell of one deque. logs: of the ratios head : base in the order of measuring, above 0 if the head is slower;
    alarm_at: the number of pairs when it looked slower."""

    deque: str
    tag: str
    title: str = ""
    cells: int = 1  # of the job, which share alpha
    threshold: float = THRESHOLD
    verdict: str = ""  # "": still measured
    why: str = ""
    alarm_at: int = None
    asked: int = LEAST_PAIRS
    logs: list = field(default_factory=list)
    codes: list = field(default_factory=list)  # the variant that each pair was measured in; "": there is one
    sides: tuple = ((), ())  # the values of base and head, pair by pair
    unit: str = ""
    across: int = 0  # pairs left out and measured again because the processors moved between their sides
    left_out: int = 0  # these, and pairs with a side that gave no value
    distances: list = field(default_factory=list)  # of the threads' processors in each pair that counts, in ns
    judged: tuple = None  # the role and metric; None: the cell's value (harness/judging/metrics.py)

    @property
    def name(self):
        return f"{self.deque} {self.tag}"

    @property
    def decision(self):
        """Of all pairs, for the ratio and its interval; None with fewer than two."""
        return decide(self.logs, self.threshold) if len(self.logs) > 1 else None

    def see(self, logs, codes=()):
        """Takes all pairs so far, and their codes; sets the verdict, or the number of pairs to measure next."""
        self.logs, self.codes = list(logs), list(codes)
        if self.alarm_at is None and len(logs) >= LEAST_PAIRS:
            first = decide(self.logs, self.threshold, ALPHA / self.cells).verdict
            if first == SLOWER:
                self.alarm_at = len(logs)
            elif first != MEASURE_ON:
                self.verdict = first
        elif self.alarm_at is not None and len(logs) >= self.alarm_at + LEAST_PAIRS:
            fresh = decide(self.logs[self.alarm_at:], self.threshold, ALPHA).verdict
            if fresh == SLOWER:
                self.verdict = self._in_each_code(SLOWER)
            elif fresh != MEASURE_ON:
                self.verdict = UNCONFIRMED
        self.asked = len(logs) if self.verdict else next_look(len(logs), self.alarm_at or 0)

    def _in_each_code(self, found):
        """The verdict on what all pairs show, slower or faster: that, if each code shows it, too; BY_CODE, if in one of at least six
        pairs the opposite is shown; else "", to measure on."""
        by_code = defaultdict(list)
        for log, code in zip(self.logs, self.codes or [""] * len(self.logs)):
            by_code[code].append(log if found == SLOWER else -log)
        if all(median(logs) > 0 for logs in by_code.values()):
            return found
        return BY_CODE if any(len(logs) >= LEAST_PAIRS and median_interval(logs)[1] < 0 for logs in by_code.values()) else ""


class WatchedEitherWay(Watched):
    """A cell of compare: measured until it is slower, faster or not told apart. In at most ALPHA of comparisons, whenever they
    end, any cell that does not differ is called different."""

    def see(self, logs, codes=()):
        self.logs, self.codes = list(logs), list(codes)
        if len(logs) >= LEAST_PAIRS:
            found = decide(self.logs, self.threshold, ALPHA / (2 * self.cells)).verdict
            self.verdict = self._in_each_code(found) if found in (SLOWER, FASTER) else found if found == ALIKE else ""
        self.asked = len(logs) if self.verdict else next_look(len(logs))

    def see_again(self, logs, codes=()):
        """Looks at these pairs as often as they were looked at while they were measured."""
        while not self.verdict and self.asked <= len(logs):
            self.see(logs[:self.asked], codes[:self.asked])
        self.logs = self.logs or list(logs)


def next_look(pairs, since=0):
    """The number of pairs to ask for next: an even number more, so that base and head go first equally often; a tenth of the
    present ones, so that looks are few."""
    seen = pairs - since
    if seen < LEAST_PAIRS:
        return since + LEAST_PAIRS + since % 2
    return pairs + max(2, 2 * round(seen / 20))


def log_ratios(base, head, throughput=False):
    """{invocation: log(head : base)} of two {invocation: value}, for the invocations that both have; inverted for throughputs."""
    turned = -1 if throughput else 1
    return {i: turned * math.log(head[i] / base[i]) for i in sorted(base.keys() & head.keys()) if base[i] > 0 and head[i] > 0}


def exit_code(cells, counts=0):
    """1 if anything became slower, failed, or costs more by count; 3 if something is undecided or nothing could be judged; else 0.
    counts: the exit code of the exact counts, None if they were not asked for."""
    verdicts = {cell.verdict for cell in cells}
    if counts == 1 or verdicts & {SLOWER, FAILED}:
        return 1
    judged = verdicts - {UNMEASURED, UNDECIDED}
    if UNDECIDED in verdicts or counts not in (0, None) or (cells and not judged and counts is None):
        return 3
    return 0
