"""python3 -m harness.trust.trust RUN: how well the suite itself measures, by a run of trust.suite; a table, and RUN/trust.csv.

Seven questions:
- Does the suite measure a planted time like a handwritten loop (within 2 %, or 0.2 ns if that is more)?
- What does it add to a deque that does nothing (at most 0.5 ns an operation)?
- Does Chase-Lev cost the same in the suite as in a handwritten loop, over eight places of the loop in a cache line (ratio of
  medians 1.00 +- 0.05)?
- Does Google Benchmark find the same mean of the same kind of windows (the ratio's whole interval within 1.00 +- 0.03)? A mean has
  what no counter reports, so a machine on which 1 % of the windows are dropped settles nothing against it, nor does an interval that
  crosses the limit.
- What do PauseTiming and ResumeTiming charge?
- Does a thief that has its core make as many attempts a second as it was asked for (within 1 %)?
- Do the items of every run add up exactly?

It only reports. It fails when a question of the sections that were measured cannot be answered (exit 3).
"""

import argparse
from collections import defaultdict
from dataclasses import astuple, dataclass

from harness.judging.run_folder import PROGRAM, Problem, Run, run_program, write_rows
from harness.judging.statistics import median, paired_log_ratio

PLANTED_RELATIVE, PLANTED_ABSOLUTE = 0.02, 0.2
LEAST_OF_VARIANT = 3  # invocations: of fewer, a disturbed one may be the median
HARNESS_COST = 0.5
BY_HAND_RATIO = 0.05
GOOGLE_RATIO = 0.03
QUIET = 0.99  # of the windows counted, at least, on a machine that is not busy
FREQUENCY_RATIO = 0.01
METRICS = {"push": "push_latency", "pop": "pop_latency"}
METRICS_OF_METHODS = {**METRICS, "steal": "steal_latency_per_item"}
COLUMNS = "question workload what suite reference unit difference ratio low high limit verdict".split()


@dataclass
class Row:
    """One line of the table, in the order of COLUMNS; difference is the suite's less the reference's."""

    question: str
    workload: str
    what: str
    suite: float
    reference: float = None
    unit: str = "ns"
    difference: float = None
    ratio: float = None
    low: float = None
    high: float = None
    limit: str = ""
    verdict: str = ""

    def __post_init__(self):
        self.difference = self.suite - (self.reference or 0)


def within(condition):
    return "within" if condition else "OUTSIDE"


def settled(low, high, share):
    """Of a ratio's interval, which has to lie within 1 +- share."""
    if high < 1 - share or low > 1 + share:
        return "OUTSIDE"
    return "within" if 1 - share <= low and high <= 1 + share else "not settled"


def values_of(rows, metric):
    """The values of one invocation."""
    return [row["value"] for row in rows if row["metric"] == metric and row["value"] is not None]


def medians(run, deque, workload, method="corrected", metric=None):
    """([the median of each invocation of one cell, in their order], {variant of the loops: its median over these}). Variants of
    too few invocations are left out. A Problem where nothing was measured."""
    found, by_variant, metric = [], defaultdict(list), metric or METRICS_OF_METHODS[workload]
    for (cell, _), rows in sorted(run.invocations.items(), key=lambda item: item[0][1]):
        facts = run.cells[cell]
        if (facts["deque"], facts["workload"], facts["params"].get("method")) == (deque, workload, method):
            if values := values_of(rows, metric):
                found.append(median(values))
                by_variant[rows[0]["variant"]].append(found[-1])
    if not found:
        raise Problem(f"{run.folder} has no {metric} of {deque} (method={method}): was it a trust run?")
    return found, {name: median(some) for name, some in by_variant.items() if name and len(some) >= LEAST_OF_VARIANT}


def numbers_after(run, prefix):
    """The numbers n of deques PREFIXn in this run, ascending."""
    ends = {cell["deque"].removeprefix(prefix) for cell in run.cells.values() if cell["deque"].startswith(prefix)}
    return sorted(int(end) for end in ends if end.isdigit())


def compared(question, workload, what, suite, reference, limit="", holds=None):
    """The Row of two lists of medians. holds(suite's, reference's): are they within the limit? None: nothing is judged."""
    pairs, middles = min(len(suite), len(reference)), (median(suite), median(reference))
    ratio, low, high = paired_log_ratio(suite[:pairs], reference[:pairs])
    return Row(question, workload, what, *middles, ratio=ratio, low=low, high=high, limit=limit,
               verdict=within(holds(*middles)) if holds else "")


def planted(run):
    """The planted chain, by the suite and by hand: over all variants of the loops, and in the variant that is farthest off."""
    def holds(suite, reference):
        return abs(suite - reference) <= max(PLANTED_RELATIVE * reference, PLANTED_ABSOLUTE)

    question, limit, rows = "planted time", "2 % or 0.2 ns", []
    for steps in numbers_after(run, "planted_"):
        for workload in METRICS:
            by_hand, _ = medians(run, f"by_hand_{steps}", workload)
            suite, variants = medians(run, f"planted_{steps}", workload)
            reference = median(by_hand)
            rows.append(compared(question, workload, f"chain of {steps} steps", suite, by_hand, limit, holds))
            if variants:
                name = max(variants, key=lambda one: abs(variants[one] - reference))
                rows.append(Row(question, workload, f"the same in variant {name} of {len(variants)}", variants[name], reference,
                                ratio=variants[name] / reference, limit=limit, verdict=within(holds(variants[name], reference))))
    return rows


def harness_cost(run):
    """The time of an operation on a deque that does nothing: all of it is the harness's."""
    costs = {workload: median(medians(run, "empty", workload)[0]) for workload in METRICS}
    return [Row("harness cost", workload, "empty deque", cost, limit="0.5 ns", verdict=within(cost <= HARNESS_COST))
            for workload, cost in costs.items()]


def by_hand(run):
    """Chase-Lev in the suite and by hand: the medians over all places of the loop, then at each place."""
    question, rows, shifts = "Chase-Lev by hand", [], numbers_after(run, "chase_lev_shift_")
    for workload in METRICS:
        sides = [[medians(run, f"{name}chase_lev_shift_{shift}", workload)[0] for shift in shifts] for name in ("", "by_hand_")]
        rows.append(compared(question, workload, f"medians over {len(shifts)} alignments", *(list(map(median, side)) for side in sides),
                             "ratio 1.00 +- 0.05", lambda suite, hand: abs(suite / hand - 1) <= BY_HAND_RATIO))
        rows += [compared(question, workload, f"loop {shift} bytes further", *both) for shift, *both in zip(shifts, *sides)]
    return rows


def google(run):
    """The mean of windows by Google Benchmark, and by the corrected method, whose own value is their median. Judged by the ratio's
    whole interval."""
    found, deque = [], "chase_lev_shift_0"
    for workload in METRICS_OF_METHODS:
        counted = median(medians(run, deque, workload, metric="share_counted")[0])
        row = compared("Google Benchmark", workload, f"its mean and ours, {counted:.1%} counted", medians(run, deque, workload, "google")[0],
                       medians(run, deque, workload, metric="window_mean")[0], "ratio 1.00 +- 0.03")
        row.verdict = settled(row.low or row.ratio, row.high or row.ratio, GOOGLE_RATIO)
        if row.verdict == "OUTSIDE" and counted < QUIET:
            row.verdict = "not settled"
        found.append(row)
    return found


def pause_resume(run):
    """The time charged to an operation if each iteration has one, between PauseTiming and ResumeTiming."""
    return [compared("Pause/Resume", workload, "published method against corrected",
                     *(medians(run, "chase_lev_shift_0", workload, method)[0] for method in ("published", "corrected")))
            for workload in METRICS]


def contention_rows(run):
    """{(deque, frequency, pacing): [the rows of each invocation]}."""
    found = defaultdict(list)
    for (cell, _), rows in sorted(run.invocations.items()):
        facts = run.cells[cell]
        if facts["workload"] == "contention":
            found[facts["deque"], int(facts["params"]["frequency"]), facts["params"]["pacing"]].append(rows)
    if not found:
        raise Problem(f"{run.folder} has no contention: was it a trust run?")
    return found


def frequency(run):
    """Attempts a second of a thief in the time in which it had its core. By the thesis's formula too, which is not judged."""
    found = []
    for (deque, asked, pacing), invocations in sorted(contention_rows(run).items(), key=lambda item: item[0][::-1]):
        shared = any("oversubscribed" in row["flags"] for rows in invocations for row in rows)
        ratios = [median(some) for some in (values_of(rows, "frequency_ratio") for rows in invocations) if some]
        if not ratios:
            raise Problem(f"{run.folder} has no frequency_ratio of {deque} at {asked} Hz: the thief never had its core")
        ratio, judged = median(ratios), pacing == "deadline" and not shared
        found.append(Row("steal frequency", "steal", f"{deque}, {pacing}" + (", no core of its own" if shared else ""), ratio * asked,
                         asked, "Hz", ratio=ratio, limit="1 %", verdict=within(abs(ratio - 1) <= FREQUENCY_RATIO) if judged else ""))
    return found


def conservation(run):
    """Items pushed and items that came out, over all runs of a deque. (A run in which they differ fails its cell.)"""
    runs = defaultdict(list)  # {deque: [(items pushed, items that came out)]}
    for (deque, _, _), invocations in contention_rows(run).items():
        for rows in invocations:
            counts = zip(*(values_of(rows, f"items_{kind}") for kind in ("pushed", "popped", "stolen", "left")))
            runs[deque] += [(pushed, sum(out)) for pushed, *out in counts]
    return [Row("items add up", "all", f"{deque}: {len(some)} runs", *map(sum, zip(*some)), "items", limit="exactly",
                verdict=within(all(pushed == out for pushed, out in some))) for deque, some in sorted(runs.items()) if some]


def print_table(rows):
    """The rows under each other, by question."""
    question = None
    for row in rows:
        if row.question != question:
            question = row.question
            print(f"\n{question}" + (f" (limit: {row.limit})" if row.limit else ""))
        reference = " " * 13 if row.reference is None else f"{row.reference:10.3f} {row.unit}"
        ratio = "" if row.ratio is None else f"ratio {row.ratio:.3f}"
        if row.low is not None:
            ratio += f" [{row.low:.3f}, {row.high:.3f}]"
        print(f"  {row.workload:10} {row.what:36} {row.suite:10.3f} {row.unit} {reference} "
              f"difference {row.difference:+9.3f} {row.unit}  {ratio:30} {row.verdict}".rstrip())
    judged = [row for row in rows if row.verdict]
    print(f"\n{sum(row.verdict == 'within' for row in judged)} of {len(judged)} within their limits, "
          f"{sum(row.verdict == 'not settled' for row in judged)} not settled")


def tell(rows, path):
    """Prints the rows and writes them as data."""
    print_table(rows)
    write_rows(path, COLUMNS, [["" if value is None else f"{value:.6g}" if isinstance(value, float) else value for value in astuple(row)]
                               for row in rows])
    print(f"as data: {path}")


# The sections of trust.suite, by the beginnings of their tags, and what they answer.
QUESTIONS = (("planted_", planted), ("harness_cost", harness_cost), ("shift_", by_hand), ("google", google), ("google", pause_resume),
             ("frequency", frequency), ("frequency", conservation))


def answers(run):
    """The rows of all questions; of a part of the suite (--only), of its questions."""
    tags = {tag for cell in run.cells.values() for tag in cell["tags"]}
    return [row for section, question in QUESTIONS if any(tag.startswith(section) for tag in tags) for row in question(run)]


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a folder below results/ that trust.suite wrote")
    run = Run(parser.parse_args().run)
    tell(answers(run), run.folder / "trust.csv")


if __name__ == "__main__":
    run_program(main)
