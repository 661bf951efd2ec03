"""Sentences about the machine's state during a run: displaced threads, frequency changes.

A sentence states the fact first, then the rest in brackets or after a semicolon: the end of a run quotes the fact alone
(plots/pages/conclusions.py).
"""

from harness.judging import statistics as statistics_of
from harness.judging.summaries import seen_distances
from harness.judging.statistics.distances import MOVED, classes_of, told

# A cell is displaced if in fewer windows than this share every thread was on its processor; on the pool, which has no windows,
# if its workers were on their processors or asleep for less of their time than that.
LEAST_COUNTED = 0.9
# The frequency has stepped if it is off its median by more than the first share, in more than the second share of invocations.
FREQUENCY_STEP, FREQUENCY_SHARE = 0.02, 0.1


def conditions_of(run, summaries, cells=None):
    """The sentences; cells: of these alone."""
    chosen = [summary for summary in summaries if cells is None or summary.cell in cells]
    return [text for text in (moved(run, chosen), displaced(run, chosen), workers_displaced(run, chosen), without(run, chosen),
                              frequency(chosen)) if text]


def named(run, cell):
    facts = run.cells[cell]
    return f"{facts['workload']} of {facts['deque']}"


def circumstances_of(run, summaries, cells=None):
    """The distances between threads, then the sentences of conditions_of()."""
    seen = distances_seen(run, cells)
    return ([f"Threads {seen}: how long a cache line took one way between their processors."] if seen else []) + conditions_of(
        run, summaries, cells)


def distances_seen(run, cells=None):
    """"near (28 ns) in 120 samples, far (107 ns) in 14, moving in 2, at no known distance in 5"; nothing of one thread. cells:
    of these alone."""
    flagged = {flag: {(*key, row["repetition"]) for key, rows in run.invocations.items() if cells is None or key[0] in cells
                      for row in rows if row["flags"] and flag in row["flags"].split("+")} for flag in (MOVED, "no_distance")}
    words = {MOVED: "moving", "no_distance": "at no known distance"}
    return ", ".join([seen for seen in [told(classes_of(seen_distances(run, cells)))] if seen]
                     + [f"{words[flag]} in {len(samples)}" for flag, samples in flagged.items() if samples])


def moved(run, summaries):
    """Invocations that tables leave out because the threads' processors were at another distance than in most."""
    left_out = {summary.cell: summary.elsewhere for summary in summaries if summary.elsewhere}
    if not left_out:
        return None
    worst = max(left_out, key=left_out.get)
    return (f"The host moved processors: in {len(left_out)} of {len({summary.cell for summary in summaries})} cells only the "
            f"invocations at one distance count (at worst {left_out[worst]} are left out, {named(run, worst)}).")


def medians_of(summaries, metric):
    return {summary.cell: summary.median for summary in summaries if summary.metric == metric and summary.median is not None}


def shares_awake(summaries):
    """{cell on the pool: the share of the workers' time that they were on their processors or asleep}"""
    asleep, awake = medians_of(summaries, "sleep_time"), medians_of(summaries, "processor_time")
    return {cell: share * (1 + asleep.get(cell, 0) / awake[cell])
            for cell, share in medians_of(summaries, "share_on_processor").items() if awake.get(cell)}


def looked_at(summaries):
    """The cells that record whether their threads were displaced."""
    return medians_of(summaries, "share_counted").keys() | shares_awake(summaries).keys()


def too_low(shares):
    """[(share, cell)] of the displaced ones, the worst first."""
    return sorted((share, cell) for cell, share in shares.items() if share < LEAST_COUNTED)


def displaced(run, summaries):
    shares = medians_of(summaries, "share_counted")
    low = too_low(shares)
    if not low:
        return None
    return (f"In {len(low)} of {len(shares)} cells threads were off their processors in more than {100 * (1 - LEAST_COUNTED):.0f} % "
            f"of the windows (at worst {100 * (1 - low[0][0]):.0f} %, {named(run, low[0][1])}); these windows do not count.")


def workers_displaced(run, summaries):
    shares = shares_awake(summaries)
    low = too_low(shares)
    if not low:
        return None
    crowded = {summary.cell for summary in summaries if "oversubscribed" in summary.flags}
    over = sum(cell in crowded for _, cell in low)
    return (f"In {len(low)} of {len(shares)} cells on the pool workers were off their processors, and not asleep, for more than "
            f"{100 * (1 - LEAST_COUNTED):.0f} % of their time (at worst {100 * (1 - low[0][0]):.0f} %, {named(run, low[0][1])}); "
            "others had the processor, or the workers waited for a file or a lock"
            + (f"; {over} of these cells had more threads than processors" if over else "") + "; these times count.")


def without(run, summaries):
    """Cells of which some invocations have no value, but most have: on a busy machine no window may count."""
    found = [summary for summary in summaries if summary.without]
    if not found:
        return None
    most = max(found, key=lambda summary: summary.without)
    cells = len({summary.cell for summary in found})
    return (f"In {cells} of {len({summary.cell for summary in summaries})} cells some invocations have no {most.metric}; the others "
            f"count (at worst {most.invocations} of {most.invocations + most.without}, {named(run, most.cell)}).")


def frequency(summaries):
    """Computed from the time of dependent multiplications, which always take the same number of cycles."""
    values = [value for summary in summaries if summary.metric == "dependent_multiplication"
              for value in summary.by_invocation.values()]
    if len(values) < statistics_of.LEAST_PAIRS:
        return None
    middle = statistics_of.median(values)
    off = [value for value in values if abs(value / middle - 1) > FREQUENCY_STEP]
    if len(off) <= FREQUENCY_SHARE * len(values):
        return None
    return (f"In {len(off)} of {len(values)} invocations the processor's frequency was more than {100 * FREQUENCY_STEP:g} % off "
            f"its median (from {middle / max(values):.2f} to {middle / min(values):.2f} times of it); trust ratios within the run, "
            "not times.")

