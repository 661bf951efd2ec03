"""Checks a run's folder, which may be somebody else's: names that become names of files, links that lead out of the folder,
sizes. A refusal is a ValueError that says why."""

import functools
import lzma
import re
from pathlib import Path

LARGEST_TEXT = 2 << 30  # bytes

COLOUR = re.compile("(?:#[0-9A-Fa-f]{6})?")


def plain_name(text, folders=False):
    """The text, if it is a plain file name: letters, digits, _ . and -. folders: it may have several parts, as the ids of deques
    do."""
    if not isinstance(text, str) or not _is_plain(text, folders):
        raise ValueError(f"{text!r} is no plain name")
    return text


@functools.lru_cache(maxsize=None)
def _is_plain(text, folders):
    parts = text.split("/") if folders else [text]
    return all(len(part) < 200 and re.fullmatch(r"[\w-][\w.+-]*", part, re.ASCII) for part in parts)


def stays_inside(folder):
    """Refuses links that lead out of the folder, because figures are written into it and published files read from it."""
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
