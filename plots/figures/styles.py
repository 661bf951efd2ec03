"""How a deque looks: a colour, a shape and a dash of its own, the same in every figure of every run; the deques that every reader
knows; the papers' names.

Any two deques of LOOKS differ in colour, shape or dash, hues are dark, middling or light, so that they are told apart in grey, too.
Emulated series have the dashed twin of their dash. Only a paper's values are hollow.
"""

import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from harness.judging.run_folder import table_rows

# The group `classic` of --deque (.classic in a deque's traits). In colour where more deques stand in one picture than colours can tell
# apart; all others are grey there.
CLASSIC = ("abp bwos_fifo bwos_lifo chase_lev crossbeam go_runq jdk_fork_join lace lf_bulk taskflow_bounded taskflow_unbounded the "
           "tokio weir").split()
# A deque's name in its paper. Figures and tables of that paper say it once, in brackets behind our id.
IN_PAPER = {"lf_bulk": "LF_Queue", "taskflow_bounded": "TF_BD_Queue", "taskflow_unbounded": "TF_UB_Queue"}


@dataclass(frozen=True)
class Look:
    colour: str
    shape: str = "circle"
    dash: str = "solid"
    width: float = 1.6
    hollow: bool = False   # a paper's values alone
    hatched: bool = False  # bars of unsound deques


HUES = {"blue": "#0072B2", "orange": "#E69F00", "green": "#1A7F37", "sky": "#56B4E9", "wine": "#7A0F40", "olive": "#8F6E00",
        "pink": "#F29BC1", "brown": "#5C3A00", "purple": "#AA4499", "mint": "#5FC9A0", "indigo": "#332288"}
COLOURS = list(HUES.values())
UNSOUND = Look("#D55E00", dash="dotted", hatched=True)
GREY = "#8A8A8A"        # references, ideals, bounds, rules
OTHER_HUES = {"vermilion": UNSOUND.colour, "grey": GREY, "silver": "#AAAAAA", "ash": "#555555",
              "stone": "#A39B8B", "slate": "#6B7480", "iron": "#3F4650"}
SHAPES = ["circle", "square", "triangle_up", "triangle_down", "diamond", "pentagon"]
THIN_SHAPES = ["cross", "star", "plus"]  # of references and unsound deques
# A deque's variants in a figure have the dashes and shapes from its own on.
OWN_DASHES = ["solid", "dotted", "dashdot", "dashdotdot"]
EMULATED_DASHES = ["dashed", "short dashed", "long dashed", "wide dashed"]
LOOKS = {row["deque"]: Look((HUES | OTHER_HUES)[row["hue"]], row["shape"], row["dash"], hatched=row["hue"] == "vermilion")
         for row in table_rows(Path(__file__).with_name("looks.csv"), "deque hue shape dash".split())}

OUTCOMES = {"good": "#009E73", "bad": "#D55E00", "neutral": "#C4C4C4", "waiting": "#DDAA33", "work": "#0072B2", "dark": "#222222"}


def name_of(deque):
    """The id, with the paper's name for it."""
    return f"{deque} ({IN_PAPER[deque]})" if deque in IN_PAPER else deque


def look_of(deque, variant=0, emulated=False):
    """The deque's look. variant: its place among several settings of this deque in one figure; dashes and shapes tell these apart."""
    look = LOOKS.get(deque) or free_look(deque)
    dash = (OWN_DASHES.index(look.dash) + variant) % len(OWN_DASHES)
    shape = look.shape
    if variant and shape in SHAPES:
        shape = SHAPES[(SHAPES.index(shape) + variant) % len(SHAPES)]
    return replace(look, shape=shape, dash=(EMULATED_DASHES if emulated else OWN_DASHES)[dash])


def paper_look(deque, twin=0):
    return replace(look_of(deque, twin) if deque else Look(OUTCOMES["dark"], "diamond"), hollow=True)


def free_look(deque):
    """For a deque without a line in LOOKS: chosen by its name."""
    place = zlib.crc32(deque.encode())
    if deque.startswith(("as_published/", "as_shipped/")):
        return replace(UNSOUND, shape=THIN_SHAPES[place % len(THIN_SHAPES)])
    return Look(COLOURS[place % len(COLOURS)], SHAPES[place // 16 % len(SHAPES)], OWN_DASHES[place // 256 % len(OWN_DASHES)])


def lightness(colour):
    """The lightness of #RRGGBB, from 0 to 100, as the eye sees it (CIE 1976): it remains in a grey print."""
    red, green, blue = (((int(colour[i:i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5))
    return max(0.0, 116 * (0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3) - 16)
