"""What weir was built to reach (suites/weir.suite): of each section which value, beside whom, and how near.

A goal is reached by the one rule of verdicts (plots/statistics): the value asked for, allowed for by its factor, is the
reference, and weir has to be faster than it, or not told apart from it.
"""

from dataclasses import dataclass, field

DEQUE = "weir"


@dataclass(frozen=True)
class Goal:
    """One line of the table. factor: how much of the reference's cost is allowed; than: the deque that is the reference, ""
    for the best of all others that may be ranked; at_most: a number in the metric's unit in its place."""

    title: str
    section: str
    role: str
    metric: str
    factor: float = 1.0
    settings: dict = field(default_factory=dict)
    than: str = ""
    at_most: float = None
    higher: bool = False  # is more better?

    @property
    def words(self):
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        who = self.than or "the best"
        return f"at most {self.factor:g} of {who}" if self.factor != 1 else f"at least {who}" if self.higher else f"at most {who}"


FREQUENCIES = [("0", "no thief"), ("1000", "1 kHz"), ("10000", "10 kHz"), ("100000", "100 kHz"), ("1000000", "1 MHz"),
               ("max", "no pause")]
GOALS = [
    Goal("push, single, warm", "push", "owner", "push_latency", 1.05),
    Goal("pop, single", "pop", "owner", "pop_latency", 1.1),
    Goal("pair, 512 deep", "pair", "owner", "pair_latency"),
    Goal("push of 1024 by copy", "push-1024", "owner", "push_latency", 1.05),
    Goal("push of 1024 by reserve and commit", "reserve-1024", "owner", "push_latency", than="lf_bulk"),
    Goal("steal, single, owner idle", "steal-idle", "thief", "steal_latency_per_item"),
    Goal("steal 60 % of 10,000, copied out", "steal-60", "thief", "steal_latency", 1.2, than="array"),
    Goal("steal half of 10,000 into the thief's deque", "steal-into", "thief", "steal_latency", at_most=100.0),
    *(Goal(f"owner's operations/s, {words}", "owner", "owner", "owner_operations", settings={"frequency": frequency},
           higher=True) for frequency, words in FREQUENCIES),
    Goal("single steal at 1 MHz", "owner", "thief", "steal_time", settings={"frequency": "1000000"}),
    Goal("fib, a call, one thread", "fork", "pool", "time_per_call"),
    Goal("fib(32), two threads", "fork-2", "pool", "run_time"),
    Goal("12 queens, two threads", "nqueens-2", "pool", "run_time"),
    Goal("quicksort of 10 M, two threads", "quicksort-2", "pool", "run_time"),
    *(Goal(f"{words}, two threads", f"{section}-2", "pool", "run_time", settings={"threads": "2"})
      for section, words in [("uts", "tree search"), ("dag", "graph"), ("walk", "directories")]),
]
# Two threads against one, of weir itself: (title, section).
NEVER_SLOWER = [("tree search: two threads against one", "uts-2"), ("graph: two threads against one", "dag-2"),
                ("directories: two threads against one", "walk-2")]
