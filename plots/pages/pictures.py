"""Matplotlib's SVGs for use inside one page: small, with ids that do not meet, on no ground, in the page's own black.

A style that matplotlib repeats at every line becomes a class that all pictures of the page share; groups that say nothing
are opened, ids that nobody names are dropped, and digits that nobody sees.
"""

import re
import xml.etree.ElementTree as tree

from plots.data.foreign import SVG, XLINK, picture_of
from plots.data.run_folder import Problem, warn

NUMBER = re.compile(r"-?\d+\.\d+")
REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
ROUNDED = ("d", "x", "y", "width", "height", "viewBox", "transform", "points")
# In matplotlib's picture and on the page.
COLOURS = [(re.compile(r"\b(stroke|fill): #(?:000000|404040)\b"), r"\1: currentColor"),
           (re.compile("#e0e0e0"), "var(--grid)")]


def shorter_path(path):
    """A path without the spaces and repeated letters that SVG can do without."""
    path = re.sub(r"\s*([A-Za-z])\s*", r"\1", path)
    return re.sub(r"(?<=L)([^A-Za-z]+)((?:L[^A-Za-z]+)+)", lambda found: found[1] + found[2].replace("L", " "), path)


def rounded(text):
    return re.sub(r"\s+", " ", NUMBER.sub(lambda number: format(round(float(number[0]), 1), "g"), text)).strip()


class Pictures:
    """The pictures of one page."""

    def __init__(self):
        self.classes = {}  # {style: class}
        self.ids = 0

    @property
    def styles(self):
        """The style sheet of all that were embedded."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self.classes.items())

    def embedded(self, path, labelled_by):
        """The picture as markup; labelled_by: the id of its title."""
        try:
            top, left_out = picture_of(path)
        except ValueError as problem:
            raise Problem(f"{path}: {problem}: draw the run again") from None
        if left_out:
            warn(f"{path} was not drawn by this suite; left out of the page: {', '.join(sorted(left_out))}")
        named = dict.fromkeys(name for element in top.iter() for value in element.attrib.values()
                              for name in REFERENCE.findall(value))
        for name in named:
            self.ids += 1
            named[name] = f"i{self.ids}"
        self.clean(top, named)
        for first in top.iter(f"{SVG}path"):  # the ground
            first.set("style", re.sub("fill: ?#ffffff", "fill:none", first.get("style", "")))
            break
        for element in top.iter():
            self.shorten(element)
        classes = {f"#{element.get('id')}": element.get("class") for element in top.iter(f"{SVG}path") if element.get("id")}
        for element in top.iter(f"{SVG}use"):  # what it shows is styled already
            if element.get("class") and element.get("class") == classes.get(element.get(f"{XLINK}href")):
                del element.attrib["class"]
        top.attrib = {"viewBox": top.get("viewBox"), "role": "img", "aria-labelledby": labelled_by}
        return markup(top)

    def clean(self, element, named):
        """Ids short (named: old to new), groups without an attribute opened."""
        kept = []
        for child in element:
            if child.get("id") not in named:
                child.attrib.pop("id", None)
            for name, value in child.attrib.items():
                child.set(name, named[value] if name == "id" else
                          REFERENCE.sub(lambda found: found[0].replace(found[1], named[found[1]]), value))
            self.clean(child, named)
            if child.tag in (f"{SVG}g", f"{SVG}defs") and not child.attrib and (child.tag == f"{SVG}g" or not len(child)):
                kept += list(child)
            else:
                kept.append(child)
        for child in list(element):
            element.remove(child)
        element.extend(kept)
        if element.tag != f"{SVG}text":
            element.text = None
        element.tail = None

    def shorten(self, element):
        for name in ROUNDED:
            if element.get(name):
                element.set(name, rounded(element.get(name)))
        if element.get("d"):
            element.set("d", shorter_path(element.get("d")))
        if re.fullmatch(r"rotate\(-?0 [^)]*\)", element.get("transform", "")):
            del element.attrib["transform"]
        style = element.attrib.pop("style", "")
        if style:
            for what, ours in COLOURS:
                style = what.sub(ours, style)
            style = re.sub(r"\s*([:;,])\s*", r"\1", rounded(style)).rstrip(";")
            if "url(" in style:  # a hatch of this picture alone
                element.set("style", style)
            else:
                element.set("class", self.classes.setdefault(style, f"m{len(self.classes)}"))


def markup(top):
    """Without the prefixes of namespaces, which HTML does not know."""
    for element in top.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.attrib = {name.removeprefix(XLINK): value for name, value in element.attrib.items()}
    return tree.tostring(top, encoding="unicode").replace(" />", "/>")
