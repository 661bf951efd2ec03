"""How a deque looks: one colour and one shape for each, the same in every figure of a report.

The papers' deques have theirs in every run; others take what is left, in order of their names. Sixty pairs differ; the
colours stay apart for colour-blind eyes (after Okabe, Ito and after Tol) and on white as on black.
"""

from dataclasses import replace

from plots.data.words import is_reference, is_unsound
from plots.figures.picture import Look

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933", "#AA4499", "#44AA99", "#DDAA77", "#332288"]
SHAPES = ["circle", "square", "triangle_up", "triangle_down", "diamond", "pentagon"]
FIRST = ["lf_bulk", "taskflow_bounded", "taskflow_unbounded", "chase_lev", "abp", "bwos_lifo", "phanes", "bwos_fifo",
         "lace"]
REFERENCE_LOOKS = {"array": Look("#8A8A8A", "plus"), "empty": Look("#AAAAAA", "star"),
                   "fetch_add": Look("#555555", "cross"), "locked": Look("#6E6E6E", "square")}
OTHER_REFERENCE = Look("#8A8A8A", "star")
UNSOUND = Look("#D55E00", dash="dashdot", hatched=True)
UNSOUND_SHAPES = ["cross", "star", "plus"]

GREY = "#8A8A8A"        # what is no deque: ideals, bounds, rules
IDEAL = Look(GREY, "", "dotted", 1.2)
BEHIND = Look("#D4D4D4", "", width=0.9)  # other deques, unnamed
VARIANTS = ["solid", "dashdot", "dotted", "dashed"]
# What is no deque but has several kinds: outcomes, levels of caches, states of a worker.
KINDS_OF_THINGS = {"good": "#009E73", "bad": "#D55E00", "neutral": "#C4C4C4", "first": "#56B4E9", "second": "#0072B2",
                   "third": "#D55E00", "fourth": "#CC79A7", "waiting": "#DDAA33"}


class Looks:
    """The table of a run's deques."""

    def __init__(self, run):
        deques = {cell["deque"]: run.deque_facts(cell["deque"]) for cell in run.cells.values()}
        rest = [deque for deque in sorted(deques) if deque not in FIRST]
        unsound = [deque for deque in rest if is_unsound(deques[deque])]
        grey = [deque for deque in rest if is_reference(deque, deques[deque])]
        coloured = FIRST + [deque for deque in rest if deque not in unsound + grey]
        self.table = {deque: Look(COLOURS[i % len(COLOURS)], SHAPES[(i + i // len(COLOURS)) % len(SHAPES)])
                      for i, deque in enumerate(coloured)}
        self.table |= {deque: replace(UNSOUND, shape=UNSOUND_SHAPES[i % len(UNSOUND_SHAPES)])
                       for i, deque in enumerate(unsound)}
        self.table |= {deque: OTHER_REFERENCE for deque in grey} | REFERENCE_LOOKS

    def of(self, deque, variant=0, emulated=False):
        """The deque's look. variant: its place among several settings of this deque in one figure, told by the dash, as
        is what is emulated."""
        look = self.table[deque]
        if emulated and variant == 0 and not look.hatched:
            return replace(look, dash="dashed")
        return replace(look, dash=VARIANTS[variant % len(VARIANTS)]) if variant else look


def paler(look, part=0.55):
    """The same, mixed with white."""
    mixed = (round(255 - part * (255 - int(look.colour[i:i + 2], 16))) for i in (1, 3, 5))
    return replace(look, colour="#" + "".join(f"{value:02X}" for value in mixed))


def variants_of(keys):
    """[the place of each among those with the same deque], for (deque, setting) pairs."""
    seen, places = {}, []
    for deque, setting in keys:
        mine = seen.setdefault(deque, [])
        if setting not in mine:
            mine.append(setting)
        places.append(mine.index(setting))
    return places
