"""More lines than one frame can name: small multiples, a frame for each deque, its own lines in colour before all the
others in grey. And the names of several pictures of one kind: told by what differs, not counted."""

import re
from dataclasses import replace

from plots.data.sections import varying_parameters
from plots.figures.groups import LINES_MAX
from plots.figures.styles import BEHIND

COLUMNS = 5


def in_frames(lines):
    """[(title, layers)] of [(owner, owner's title, layer)]: all layers in one, without a title, where they can be told
    apart; else a frame for each owner, in the order in which they came. A frame of its own needs no names but those of
    several lines of one owner."""
    layers = [layer for *_, layer in lines]
    if len(lines) <= LINES_MAX:
        return [("", layers)]
    frames = []
    for owner, title in dict((owner, title) for owner, title, _ in lines).items():
        mine = [layer for one, _, layer in lines if one == owner]
        behind = [replace(layer, look=BEHIND, kind="line", label="") for one, _, layer in lines if one != owner]
        if len(mine) == 1:
            mine = [replace(mine[0], label="")]
        for start in range(0, len(mine), LINES_MAX):
            frames.append((title, behind + mine[start:start + LINES_MAX]))
    return frames


def slug(text):
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def told_apart_by_settings(stem, settings):
    """The names of several pictures of one kind, one for each of these settings (dictionaries): `stem` and what differs
    among them."""
    names = varying_parameters(settings)
    return ["-".join([stem, *(slug(f"{name}-{one[name]}") for name in names if name in one)]) for one in settings]
