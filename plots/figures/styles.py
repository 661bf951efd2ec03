"""How a deque looks: one colour and one shape for each, the same in every figure of a report.

Every deque of FIRST has its own in every run; others take what is left, in order of their names. There are sixty pairs. The
colours can be told apart by colour-blind readers (after Okabe, Ito and after Tol), on white and on black. Only emulated series
are dashed, and only a paper's values are hollow.
"""

from dataclasses import replace

from plots.data.words import is_reference, is_unsound
from plots.figures.picture import Look

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933", "#AA4499", "#44AA99", "#DDAA77", "#332288"]
SHAPES = ["circle", "square", "triangle_up", "triangle_down", "diamond", "pentagon"]
FIRST = ["lf_bulk", "taskflow_bounded", "taskflow_unbounded", "chase_lev", "abp", "bwos_lifo", "phanes", "bwos_fifo",
         "lace", "locked", "lf_bulk_many", "tokio", "go_runq", "steal_half", "st3", "dynamic_abp", "the", "idempotent",
         "multiplicity", "private", "volt", "worksteal", "hotspot", "adnan_sato", "global"]
REFERENCE_LOOKS = {"array": Look("#8A8A8A", "plus"), "empty": Look("#AAAAAA", "star"),
                   "fetch_add": Look("#555555", "cross")}
OTHER_REFERENCE = Look("#8A8A8A", "star")
UNSOUND = Look("#D55E00", hatched=True)
UNSOUND_SHAPES = ["cross", "star", "plus"]

GREY = "#8A8A8A"        # ideals, bounds, rules
IDEAL = Look(GREY, "", "dotted", 1.2)
BEHIND = Look("#D4D4D4", "", width=0.9)  # other deques, unnamed
# One for each variant of a deque in a figure.
OWN_DASHES = ["solid", "dotted", "dashdot", "dashdotdot"]
EMULATED_DASHES = ["dashed", "short dashed", "long dashed", "wide dashed"]
VARIANTS_MAX = len(OWN_DASHES)
# Outcomes, levels of caches, states of a worker.
KINDS_OF_THINGS = {"good": "#009E73", "bad": "#D55E00", "neutral": "#C4C4C4", "first": "#56B4E9", "second": "#0072B2",
                   "third": "#D55E00", "fourth": "#CC79A7", "waiting": "#DDAA33"}


class Looks:
    """The looks of a run's deques."""

    def __init__(self, run):
        self.deques = deques = {cell["deque"]: run.deque_facts(cell["deque"]) for cell in run.cells.values()}
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
        """The deque's look. variant: its place among several settings of this deque in one figure; dashes tell these apart."""
        return replace(self.table[deque], dash=(EMULATED_DASHES if emulated else OWN_DASHES)[variant % VARIANTS_MAX])

    def embedded(self):
        """{deque: {"colour", "shape"}} of the run's deques, for other drawing programs."""
        return {deque: {"colour": self.table[deque].colour, "shape": self.table[deque].shape}
                for deque in sorted(self.deques)}


def paler(look, part=0.55):
    """The same look mixed with white."""
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
