"""How a deque looks: a colour, a shape and a dash of its own, the same in every figure of every run.

LOOKS has the deques of this repository. Any two that stand in one figure of a suite are told apart by colour, and without colour
by shape or by lightness: hues are dark, middling or light (tests/plots/looks_test.py). Emulated series take the dashed twin of
their dash. Only a paper's values are hollow.
"""

import zlib
from dataclasses import replace
from itertools import product

from harness.judging.words import is_reference, is_unsound
from plots.figures.picture import Look

HUES = {"blue": "#0072B2", "orange": "#E69F00", "green": "#1A7F37", "sky": "#56B4E9", "wine": "#7A0F40", "olive": "#8F6E00",
        "pink": "#F29BC1", "brown": "#5C3A00", "purple": "#AA4499", "mint": "#5FC9A0", "indigo": "#332288"}
COLOURS = list(HUES.values())
UNSOUND = Look("#D55E00", hatched=True)
GREY = "#8A8A8A"        # references, ideals, bounds, rules
OTHER_HUES = {"vermilion": UNSOUND.colour, "grey": GREY, "silver": "#AAAAAA", "ash": "#555555",
              "stone": "#A39B8B", "slate": "#6B7480", "iron": "#3F4650"}
SHAPES = ["circle", "square", "triangle_up", "triangle_down", "diamond", "pentagon"]
THIN_SHAPES = ["cross", "star", "plus"]  # of references and unsound deques
# A deque's variants in a figure have the dashes from its own on.
OWN_DASHES = ["solid", "dotted", "dashdot", "dashdotdot"]
EMULATED_DASHES = ["dashed", "short dashed", "long dashed", "wide dashed"]
VARIANTS_MAX = len(OWN_DASHES)
LOOKS = """
    abp sky diamond solid
    adnan_sato purple triangle_down dashdot
    bwos_fifo brown triangle_up dotted
    bwos_lifo olive pentagon dashdot
    chase_lev wine triangle_down solid
    chase_lev_asymmetric mint square dashdot
    crossbeam pink triangle_up solid
    crossbeam_fifo wine diamond dashdot
    dynamic_abp indigo circle dashdot
    global blue square solid
    global_lifo wine square solid
    go_runq purple pentagon dotted
    hotspot pink diamond dashdot
    idempotent indigo pentagon dashdot
    jdk_fork_join orange triangle_down dotted
    lace mint circle solid
    lcws green triangle_down solid
    lf_bulk blue circle solid
    lf_bulk_many olive square dotted
    libfork sky square dashdotdot
    libvsync orange pentagon dashdotdot
    locked pink pentagon solid
    locked_fixed indigo square dashdot
    multiplicity green circle dashdot
    onetbb brown square dotted
    phanes purple diamond solid
    private wine triangle_up solid
    saturn mint triangle_down dashdot
    st3 sky circle dashdot
    stdexec green diamond dotted
    steal_half brown pentagon solid
    taskflow_bounded orange square solid
    taskflow_unbounded green triangle_up solid
    the wine circle dotted
    tokio mint diamond dotted
    toomanycooks blue triangle_down dashdotdot
    upstream/crossbeam_fifo indigo triangle_down dotted
    upstream/crossbeam_lifo olive diamond dashdot
    upstream/eigen_runqueue blue pentagon solid
    upstream/libfork_deque pink diamond dashdotdot
    upstream/libvsync_chase_lev brown triangle_up dashdot
    upstream/onetbb blue triangle_up dotted
    upstream/parlaylib_abp purple circle dashdotdot
    upstream/stdexec_bwos_lifo wine circle solid
    upstream/taskflow_bounded green square dashdot
    upstream/taskflow_unbounded sky pentagon dashdot
    upstream/toomanycooks indigo pentagon dotted
    volt orange triangle_down solid
    weir brown diamond solid
    worksteal purple triangle_up dashdot
    fence_free vermilion cross dotted
    as_published/abp vermilion star dotted
    as_published/bwos_fifo vermilion plus dotted
    as_published/bwos_lifo vermilion cross dashdot
    as_published/chase_lev vermilion star dashdot
    as_published/lf_queue vermilion plus dashdot
    as_published/phanes vermilion cross dashdotdot
    as_published/volt vermilion star dashdotdot
    as_published/worksteal vermilion plus dashdotdot
    array grey plus solid
    array_fifo stone cross solid
    array_modulo slate star solid
    phanes_packed iron plus dashdot
    tokio_padded iron star dashdotdot
    go_runq_padded ash cross dashdot
    empty silver star dotted
    fetch_add ash cross dashdotdot
"""
LOOKS = {deque: Look((HUES | OTHER_HUES)[hue], shape, dash, hatched=hue == "vermilion")
         for deque, hue, shape, dash in map(str.split, LOOKS.strip().splitlines())}

IDEAL = Look(GREY, "", "dotted", 1.2)
BEHIND = Look("#D4D4D4", "", width=0.9)  # other deques, unnamed
# Outcomes, levels of caches, states of a worker.
KINDS_OF_THINGS = {"good": "#009E73", "bad": "#D55E00", "neutral": "#C4C4C4", "first": "#56B4E9", "second": "#0072B2",
                   "third": "#D55E00", "fourth": "#CC79A7", "waiting": "#DDAA33"}


def lightness(colour):
    """The lightness of #RRGGBB, from 0 to 100, as the eye sees it (CIE 1976): it remains in a grey print."""
    red, green, blue = (((int(colour[i:i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5))
    return max(0.0, 116 * (0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3) - 16)


def apart_in_grey(one, other, least=12):
    """Can two colours be told apart in a grey print?"""
    return abs(lightness(one) - lightness(other)) >= least


def free_look(deque, facts, taken):
    """For a deque without a line in LOOKS: chosen by its name. If two such names collide, the run decides."""
    look, colours, shapes = Look(GREY), COLOURS, SHAPES
    if is_unsound(facts):
        look, colours, shapes = UNSOUND, [UNSOUND.colour], THIN_SHAPES + SHAPES
    elif is_reference(deque, facts):
        colours, shapes = [GREY, *(OTHER_HUES[hue] for hue in ("silver", "ash"))], THIN_SHAPES
    every = [replace(look, colour=colour, shape=shape, dash=dash)
             for dash, colour, shape in product(OWN_DASHES[1::2], colours, shapes)]
    first = zlib.crc32(deque.encode()) % len(every)
    return next((one for one in every[first:] + every[:first] if one not in taken), every[first])


class Looks:
    """The looks of a run's deques."""

    def __init__(self, run):
        self.deques = {cell["deque"]: run.deque_facts(cell["deque"]) for cell in run.cells.values()}
        self.table = dict(LOOKS)
        for deque in sorted(self.deques.keys() - LOOKS.keys()):
            self.table[deque] = free_look(deque, self.deques[deque], self.table.values())

    def of(self, deque, variant=0, emulated=False):
        """The deque's look. variant: its place among several settings of this deque in one figure; dashes tell these apart."""
        look = self.table[deque]
        dash = (OWN_DASHES.index(look.dash) + variant) % VARIANTS_MAX
        return replace(look, dash=(EMULATED_DASHES if emulated else OWN_DASHES)[dash])


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
