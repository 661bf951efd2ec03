"""If there are more deques than one figure can name, it is drawn several times on the same axes: each time a group of deques
in colour, all others as thin grey lines behind them.

The groups are: the paper's queues, classic ones, order and bound, may return an item more than once, live originals, unsound.
They come from the deques' descriptions.
"""

from dataclasses import replace

from harness.judging.words import says_yes

LINES_MAX = 8  # lines that one figure names
A_GROUP = 7    # with several figures: leaves room for the floor
SMALL = 4      # groups smaller than this are joined
FLOOR = "array"

KINDS = ["the paper's queues", "classic", "LIFO, fixed", "LIFO, growing", "FIFO", "more than once", "live originals",
         "as published"]


def kind_of(series, panel):
    """The group that a series belongs to."""
    facts = series.facts
    if series.unsound:
        return "as published"
    if series.deque.startswith("upstream/"):
        return "live originals"
    if series.repeats:
        return "more than once"
    variants = [other.params for other in panel.series if other.deque == series.deque]
    if any(value.is_measured_by(series.deque, params) for value in panel.published for params in variants):
        return "the paper's queues"
    if says_yes(facts, "classic", "0"):
        return "classic"
    if facts.get("owner_order") == "FIFO":
        return "FIFO"
    return "LIFO, fixed" if facts.get("bound") == "fixed" else "LIFO, growing"


def groups_of(panel):
    """[(title, panel)]: the panel itself without a title if it is legible, else its groups. References fill the room that is
    left, the floor first."""
    ranked = [series for series in panel.series if not series.reference]
    references = sorted((series for series in panel.series if series.reference), key=lambda series: series.deque != FLOOR)
    if len(ranked) + len(references[:1]) <= LINES_MAX:
        shown = references[:LINES_MAX - len(ranked)]
        return [("", replace(panel, series=[one for one in panel.series if not one.reference or one in shown]))]
    kinds = {kind: [series for series in ranked if kind_of(series, panel) == kind] for kind in KINDS}
    groups = []
    for kind, members in joined({kind: members for kind, members in kinds.items() if members}):
        parts = -(-len(members) // A_GROUP)
        size = -(-len(members) // parts)
        for part in range(parts):
            title = kind + (f" ({part + 1} of {parts})" if parts > 1 else "")
            groups.append((title, members[part * size:(part + 1) * size]))
    return [(title, group_panel(panel, members, references[:LINES_MAX - len(members)], first=place == 0))
            for place, (title, members) in enumerate(groups)]


def joined(kinds):
    """[(kind, series)], small groups joined with the one before. Unsound deques stay alone."""
    groups = []
    for kind, members in kinds.items():
        fits = groups and len(groups[-1][1]) + len(members) <= A_GROUP
        if fits and min(len(members), len(groups[-1][1])) < SMALL and kind != "as published":
            groups[-1] = (f"{groups[-1][0]}; {kind}", groups[-1][1] + members)
        else:
            groups.append((kind, members))
    return groups


def group_panel(panel, members, references, first):
    """The panel with these series and references; all other sound series stand behind. A published value is shown beside the
    series that does the same, or in the first group if none does."""
    shown = [series for series in panel.series if series in references or series in members]
    behind = [series for series in panel.series
              if not series.reference and not series.unsound and series not in members]

    def belongs(value):
        measured = [series for series in panel.series if value.is_measured_by(series.deque, series.params)]
        return any(series in members for series in measured) or (first and not measured)

    return replace(panel, series=shown, behind=behind, published=[value for value in panel.published if belongs(value)])
