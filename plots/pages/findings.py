"""One sentence on a panel of this run, computed from its numbers.

Sound deques are ranked, the mutex too; references (harness/judging/words.py) are not. A deque is called the fastest only if the rule
for verdicts distinguishes it from all others.
"""

import itertools
from collections import Counter

from harness.judging.words import UNIT_TEXT, format_number, joined
from harness.judging.statistics import ALIKE, DIFFERENT, LEAST_PAIRS, verdicts_on


def finding(section, panel):
    """The sentence for one panel."""
    ranked = [series for series in panel.series if series.points and not series.reference and not series.unsound]
    if not ranked:
        return "Only references or unsound deques were measured here, which are not ranked."
    if section.figure.x == "method":
        return methods_finding(section.figure, panel, ranked)
    return curves_finding(section.figure, ranked)


def leaders_text(panel):
    """The fastest deque by range: 'Taskflow (10 %), LF_Queue (20 to 60 %)'. 'not settled' where the rule does not distinguish
    the first from all others; '' if there are fewer than two deques."""
    ranked = [series for series in panel.series if series.points and not series.reference and not series.unsound]
    shared = [x for x in panel.xs() if sum(series.at(x) is not None for series in ranked) > 1]
    leaders = [(x, leaders_at(ranked, x)) for x in shared]
    names = [(x, some[0][0].prose if len(some) == 1 else "not settled") for x, some in leaders]
    parts = [(name, [x for x, _ in some]) for name, some in itertools.groupby(names, key=lambda one: one[1])]
    return ", ".join(f"{name} ({xs[0]}{f' to {xs[-1]}' if len(xs) > 1 else ''} %)" for name, xs in parts)


def completeness(summaries):
    """For a run without a missing cell: was everything measured? Missing values are counted by status."""
    lacking = Counter(summary.status for summary in summaries if summary.median is None and summary.status != "ok")
    if not lacking:
        return "Everything that the suite asked for was measured."
    counted = joined([f"{count} {status}" for status, count in sorted(lacking.items())])
    return (f"Every cell was run; {sum(lacking.values())} of what they report has no value "
            f"({counted}).")


def amount(figure, value):
    return f"{format_number(value)} {UNIT_TEXT.get(figure.unit, figure.unit)}"


def times(ratio):
    return f"\N{MULTIPLICATION SIGN}{format_number(ratio) if ratio >= 10 else format(ratio, '.2f')}"


def leaders_at(ranked, x):
    """[(series, verdict)]: the fastest at x (verdict None), then those that the rule does not call slower."""
    first, *others = sorted((series for series in ranked if series.at(x)), key=lambda series: series.at(x).median)
    verdicts = verdicts_on([(first.at(x).summary.by_invocation, series.at(x).summary.by_invocation) for series in others])
    return [(first, None), *((series, verdict) for series, verdict in zip(others, verdicts) if verdict not in DIFFERENT)]


def curves_finding(figure, ranked):
    shared = [x for x in ranked[0].xs() if all(series.at(x) for series in ranked)]
    if not shared:
        return "No two deques were measured at the same place, so none is ranked."
    place = PLACES.get(figure.x, lambda x: f"{figure.x} {x}")
    first, last = shared[0], shared[-1]
    if len(ranked) == 1:
        return alone_finding(figure, ranked[0], place, first, last)
    parts = [leader_text(figure, ranked, place, last)]
    if first != last:
        parts.insert(0, leader_text(figure, ranked, place, first))
        parts.append(growth_text(ranked, place, first, last))
    return "; ".join(parts) + "."


PLACES = {"batch": lambda x: f"a batch of {x}", "percent": lambda x: f"{x} %"}


def alone_finding(figure, series, place, first, last):
    text = f"{series.prose} takes {amount(figure, series.at(first).median)} at {place(first)}"
    if first != last:
        ratio = series.at(last).median / series.at(first).median
        text += f" and {amount(figure, series.at(last).median)} at {place(last)} ({times(ratio)})"
    return text + "; there was no other deque to compare it with."


def leader_text(figure, ranked, place, x):
    leaders = leaders_at(ranked, x)
    first = leaders[0][0]
    value = amount(figure, first.at(x).median)
    if any(series.at(x).summary.invocations < LEAST_PAIRS for series, _ in leaders):
        return (f"at {place(x)} {first.prose} comes first ({value}), which fewer than {LEAST_PAIRS} invocations do "
                "not settle")
    if len(leaders) == 1:
        return f"at {place(x)} {first.prose} is the fastest ({value})"
    alike = [series.prose for series, verdict in leaders[1:] if verdict == ALIKE]
    unsettled = [series.prose for series, verdict in leaders[1:] if verdict != ALIKE]
    if len(alike) + 1 == len(ranked):
        return f"at {place(x)} no deque is told apart from the fastest ({value})"
    if len(unsettled) + 1 == len(ranked):
        return f"at {place(x)} it is not settled which deque is the fastest ({value})"
    parts = [f"not told apart from {joined(alike)}"] if alike else []
    parts += [f"not settled against {joined(unsettled)}"] if unsettled else []
    return f"at {place(x)} {first.prose} comes first ({value}), {' and '.join(parts)}"


def growth_text(ranked, place, first, last):
    ratios = sorted((series.at(last).median / series.at(first).median, series.prose) for series in ranked)
    flattest = min(ratios, key=lambda entry: max(entry[0], 1 / entry[0]))
    steepest = max(ratios, key=lambda entry: max(entry[0], 1 / entry[0]))
    return (f"from {place(first)} to {place(last)} {flattest[1]} changes least ({times(flattest[0])}) and "
            f"{steepest[1]} most ({times(steepest[0])})")


def methods_finding(figure, panel, ranked):
    ordered = {method: sorted((series.at(method).median, series.prose) for series in ranked if series.at(method))
               for method in ("corrected", "published")}
    parts = [spread_text(figure, method, values) for method, values in ordered.items() if values]
    both = [series.at("published").median - series.at("corrected").median for series in panel.series
            if series.at("published") and series.at("corrected")]
    if both and min(both) > 0:
        parts.append(f"the published method adds {format_number(min(both))} to {amount(figure, max(both))} to every "
                     "deque, references included")
    return "; ".join(parts) + "."


def spread_text(figure, method, values):
    low, high = values[0], values[-1]
    if len(values) == 1:
        return f"by the {method} method a pop of {low[1]} takes {amount(figure, low[0])}"
    return (f"by the {method} method a pop takes from {amount(figure, low[0])} ({low[1]}) to "
            f"{amount(figure, high[0])} ({high[1]}), {times(high[0] / low[0])}")
