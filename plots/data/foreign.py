"""A run's folder may be somebody else's. What is read of it is checked here: names that become names of files, links that
lead out of the folder, sizes, and pictures that are put into a page. What is refused is a ValueError that says why."""

import functools
import lzma
import re
import xml.etree.ElementTree as tree
from pathlib import Path

LARGEST_TEXT, LARGEST_PICTURE = 2 << 30, 16 << 20  # bytes

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
# What matplotlib makes our pictures of, but for metadata and styles, which a page has no use for.
ELEMENTS = {f"{SVG}{name}" for name in "svg g defs path use text clipPath rect image pattern".split()}
PLACED = {name: r"[-+.,\w\s()]*" for name in "d height patternUnits points transform version viewBox width x y".split()}
ATTRIBUTES = PLACED | {"id": r"[\w.-]+", "clip-path": r"url\(#[\w.-]+\)"}
STYLE = r"\s*|[^:{}<>@\\/()]+:(?:[^:{}<>@\\/()]|url\(#[\w.-]+\))*"  # between two semicolons
# A link leads to a part of the picture, or is the points of an image themselves.
LINKS = {f"{SVG}use": r"#[\w.-]+", f"{SVG}image": r"data:image/png;base64,[\w+/=\s]*"}
DEEPEST = 100
COLOUR = re.compile("(?:#[0-9A-Fa-f]{6})?")


def plain_name(text, folders=False):
    """The text, where it can be a file's name and no more: letters, digits, _ . and -. folders: parts of a path, such as the
    ids of deques are."""
    if not isinstance(text, str) or not _is_plain(text, folders):
        raise ValueError(f"{text!r} is no plain name")
    return text


@functools.lru_cache(maxsize=None)
def _is_plain(text, folders):
    parts = text.split("/") if folders else [text]
    return all(len(part) < 200 and re.fullmatch(r"[\w-][\w.+-]*", part, re.ASCII) for part in parts)


def stays_inside(folder):
    """No link of the folder leads out of it: what is drawn is written there, and what is published read."""
    inside = Path(folder).resolve()
    for path in [*folder.glob("*"), *folder.glob("figures*/*"), *folder.glob("site/**/*")]:
        if path.is_symlink() and inside not in path.resolve().parents:
            raise ValueError(f"{path} is a link that leads out of the run's folder")


def text_within(path, largest=LARGEST_TEXT):
    """The text of a file, unpacked where it is FILE.xz."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rb") as file:
        text = file.read(largest + 1)
    if len(text) > largest:
        raise ValueError(f"it is larger than {largest >> 20} MiB")
    return text.decode("utf-8")


def picture_of(path):
    """(the picture's top element, of which nothing is left but what ours are made of, what was left out: a set of names)."""
    text = text_within(path, LARGEST_PICTURE)
    if "<!ENTITY" in text:
        raise ValueError("it has entities of its own")
    try:
        top = tree.fromstring(text)
    except tree.ParseError as problem:
        raise ValueError(problem) from None
    if top.tag != f"{SVG}svg" or not top.get("viewBox"):
        raise ValueError("it is no SVG of a figure")
    shapes = {f"#{path.get('id')}" for path in top.iter(f"{SVG}path")}
    return top, set(_left_out(top, shapes))


def _left_out(element, shapes, depth=0):
    """shapes: what may be used again; what uses others in its turn could grow without end."""
    if depth > DEEPEST:
        raise ValueError("it is too deep")
    for name, value in list(element.attrib.items()):
        if not _allowed(element.tag, name, value, shapes):
            del element.attrib[name]
            yield name.rsplit("}", 1)[-1]
    for child in list(element):
        if child.tag in ELEMENTS:
            yield from _left_out(child, shapes, depth + 1)
            continue
        element.remove(child)
        if child.tag not in (f"{SVG}metadata", f"{SVG}style"):
            yield str(child.tag).rsplit("}", 1)[-1]


def _allowed(tag, name, value, shapes):
    if name == "style":
        return all(re.fullmatch(STYLE, part) for part in value.split(";"))
    if name == f"{XLINK}href":
        return bool(re.fullmatch(LINKS.get(tag, "-"), value)) and (tag != f"{SVG}use" or value in shapes)
    return name in ATTRIBUTES and bool(re.fullmatch(ATTRIBUTES[name], value))


def index_of(entries):
    """figures/pictures.json as drawing.py wrote it: names are plain, colours are colours."""
    for entry in entries:
        for name in [entry["name"], *entry["files"], *filter(None, [entry["tag"]])]:
            plain_name(name)
        for colour in _colours(entry.get("picture", {})):
            if not isinstance(colour, str) or not COLOUR.fullmatch(colour):
                raise ValueError(f"{colour!r} is no colour")
    return entries


def _colours(picture):
    for frame in picture.get("frames", ()):
        yield from (layer.get("colour", "") for layer in frame.get("layers", ()))
        yield from (rule[2] for rule in frame.get("rules", ()))
        yield from (text[4] for text in frame.get("texts", ()))
