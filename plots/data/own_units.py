"""A machine's own units of time, from a run's reference cells: its cycle, its uncontended atomic operation, its transfer of a
cache line. In these, runs of two machines can be compared."""

from dataclasses import dataclass

from plots import statistics as statistics_of
from plots.data.summaries import seen_distances, usable
from plots.data.words import NANOSECONDS, format_number
from plots.statistics.distances import classes_of

# Cycles of a dependent multiplication on x86-64, from Nehalem and Zen 2 on.
CYCLES_OF_MULTIPLICATION = 3
# The metrics from which a cycle is computed.
REFERENCES = ("processor_frequency", "dependent_multiplication")
# The push of fetch_add is one atomic addition to a line that its processor has already.
ATOMIC = {"batch": "1", "method": "corrected", "cache": "warm"}


@dataclass(frozen=True)
class Unit:
    """name: as in the page's address. nanoseconds: None if the run lacks the reference. told: how it was computed, or why not."""

    name: str
    words: str
    nanoseconds: float
    told: str

    @property
    def text(self):
        if self.nanoseconds is None:
            return f"{self.words} are no unit here: {self.told}"
        return f"{self.words}: {format_number(self.nanoseconds)} ns, {self.told}"


def own_units(run, summaries):
    """[Unit], including absent ones."""
    return [Unit("cycles", "cycles", *cycle(run, summaries)), Unit("atomics", "fetch-and-adds", *atomic(summaries)),
            Unit("lines", "line transfers", *line(run, summaries))]


def medians_of(summaries, metric):
    return [one.median for one in summaries if one.metric == metric and usable(one)]


def cycle(run, summaries):
    if hertz := medians_of(summaries, REFERENCES[0]):
        return 1e9 / statistics_of.median(hertz), "by the processor's frequency right after each measurement"
    times = medians_of(summaries, REFERENCES[1])
    if not times or "sse" not in (run.manifest.get("build") or {}).get("instructions", ""):
        return None, "the run has no processor's frequency, and no multiplications timed on x86-64"
    return (statistics_of.median(times) / CYCLES_OF_MULTIPLICATION,
            f"a multiplication that waits for the one before it divided by the {CYCLES_OF_MULTIPLICATION} that it takes on x86-64")


def atomic(summaries):
    times = [one.median for one in summaries if one.deque == "fetch_add" and one.metric == "push_latency" and usable(one)
             and all(one.params.get(name, value) == value for name, value in ATOMIC.items())]
    return (times[0], "uncontended, the push of fetch_add") if times else (None, "the run has no push of fetch_add, one at a time")


def line(run, summaries):
    if classes := classes_of(seen_distances(run)):
        most = max(classes, key=lambda one: one.count)
        return most.middle, f"one way between two threads' processors, as in {most.count} samples"
    trips = [one.median * NANOSECONDS[one.unit] for one in summaries if one.metric == "ping_pong_time" and usable(one)
             and one.role == "same-socket"]
    if trips:
        return trips[0] / 2, "half a round trip between two cores of a socket (pingpong)"
    return None, "the run has no distance between threads' processors and no pingpong"
