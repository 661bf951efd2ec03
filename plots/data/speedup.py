"""How the time of an application falls with the number of threads: speed-up of any workload.

An application is a workload with a parameter `threads` that reports a time of the whole (is_time_of_all). A series is
one deque under one setting of everything but the threads. Speed-up is the time of one thread over that of many,
invocation by invocation (those of equal number ran near each other), with an interval.
"""

from collections import defaultdict
from dataclasses import dataclass

from harness.judging import statistics as statistics_of
from harness.judging.cells import is_stamped
from harness.judging.words import NANOSECONDS, words_for

SECONDS = 1e9  # nanoseconds
# Versions of a walk without a deque; they are measured under the deque empty.
WITHOUT_DEQUE = {"one_thread": "one thread", "shared_queue": "thread pool, one queue"}


def is_time_of_all(role, metric):
    """Is this the time of one run of the whole application?"""
    return (role, metric) == ("pool", "run_time")


@dataclass
class Point:
    threads: int
    summary: object
    scale: float  # of the summary's unit, in seconds
    oversubscribed: bool

    @property
    def seconds(self):
        return self.summary.median * self.scale

    @property
    def interval(self):
        if self.summary.low is None:
            return self.seconds, self.seconds
        return self.summary.low * self.scale, self.summary.high * self.scale


@dataclass
class Curve:
    """One deque under one setting, over the threads."""

    tag: str
    workload: str
    deque: str
    title: str
    params: dict  # without the threads
    points: list  # by threads

    def at(self, threads):
        return next((point for point in self.points if point.threads == threads), None)

    def text(self, names):
        """The settings of these names, in words."""
        return ", ".join(words_for(name, self.params[name]) for name in names if name in self.params)

    def speedup(self, point):
        """(ratio, low, high) of one thread's time to this point's; None without one thread's or a shared invocation.
        low and high are None with one invocation."""
        one = self.at(1)
        if one is None:
            return None
        alone, many = one.summary.by_invocation, point.summary.by_invocation
        shared = sorted(set(alone) & set(many))
        if not shared or any(many[i] <= 0 or alone[i] <= 0 for i in shared):
            return None
        return statistics_of.paired_log_ratio([alone[i] for i in shared], [many[i] for i in shared])


def curves_of(run, summaries):
    """Every series of every application in the run, once for each section it stands in."""
    found = defaultdict(list)
    for summary in summaries:
        cell = run.cells[summary.cell]
        if (not is_time_of_all(summary.role, summary.metric) or summary.median is None
                or summary.status != "ok" or summary.unit not in NANOSECONDS
                or not cell["params"].get("threads", "").isdigit() or is_stamped(cell["params"])):
            continue
        rest = tuple(sorted((name, value) for name, value in cell["params"].items() if name != "threads"))
        point = Point(int(cell["params"]["threads"]), summary, NANOSECONDS[summary.unit] / SECONDS,
                      "oversubscribed" in summary.flags)
        for tag in cell["tags"] or [""]:
            found[tag, summary.workload, summary.deque, rest].append(point)
    curves = []
    for (tag, workload, deque, rest), points in found.items():
        title = WITHOUT_DEQUE.get(dict(rest).get("version")) or deque
        curves.append(Curve(tag, workload, deque, title, dict(rest), sorted(points, key=lambda p: p.threads)))
    return curves
