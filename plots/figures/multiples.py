"""More lines than one frame can name: small multiples, a frame for each deque, its own lines in colour before all the
others in grey. And the names of several pictures of one kind: told by what differs, not counted."""

import re
from dataclasses import replace

from plots.data.sections import varying_parameters
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Layer, Look
from plots.figures.styles import BEHIND, GREY

COLUMNS = 5


def in_frames(lines):
    """[(title, layers)] of [(owner, owner's title, variant, layer)]: all layers in one, without a title, where they can
    be told apart; else a frame for each owner, in the order in which they came, whose legend names variants alone."""
    layers = [layer for *_, layer in lines]
    if len(lines) <= LINES_MAX:
        return [("", layers)]
    frames = []
    for owner, title in dict((owner, title) for owner, title, *_ in lines).items():
        mine = [replace(layer, label="") for one, *_, layer in lines if one == owner]
        behind = [replace(layer, look=BEHIND, kind="line", label="") for one, *_, layer in lines if one != owner]
        for start in range(0, len(mine), LINES_MAX):
            frames.append((title, behind + mine[start:start + LINES_MAX]))
    variants = dict.fromkeys((variant, layer.look.dash) for *_, variant, layer in lines if variant)
    frames[0][1].extend(Layer([], Look(GREY, "", dash), "line", variant) for variant, dash in variants)
    return frames


def slug(text):
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def told_apart_by_settings(stem, settings):
    """The names of several pictures of one kind, one for each of these settings (dictionaries): `stem` and what differs
    among them."""
    names = varying_parameters(settings)
    return ["-".join([stem, *(slug(f"{name}-{one[name]}") for name in names if name in one)]) for one in settings]
