"""The words of everything after measuring: units, settings, marks, numbers for readers. Needs no numpy, for the doctor."""

import math

from harness.formats import DISTANCE_RATIO

# Units of time in nanoseconds.
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
UNIT_TEXT = {"us": "\N{MICRO SIGN}s"}

WORDS = {
    ("push", "single"): "single push",
    ("push", "batch"): "batch push",
    ("prelinked", "1"): "linked before",
    ("prelinked", "0"): "linking timed",
    ("form", "single"): "single steals",
    ("form", "native"): "batch steal",
    ("walk", "full"): "full walk",
    ("walk", "skip"): "skips the walk",
    ("method", "corrected"): "corrected method",
    ("method", "google"): "Google Benchmark",
    ("method", "published"): "published method (Pause/Resume)",
    ("owner", "idle"): "owner idle",
    ("owner", "busy"): "owner busy",
    ("take", "one"): "one item at a time",
    ("take", "drain"): "draining the deque",
    ("cache", "warm"): "warm caches",
    ("cache", "cold"): "cold caches",
    ("order", "sequential"): "side by side",
    ("order", "shuffled"): "shuffled",
}

DAGGER = "\N{DAGGER}"
DAGGER_MEANS = f"{DAGGER} may hand an item out more than once"
# References, shown for comparison and not ranked, each with a short description. array is the floor: push and pop without
# synchronisation. A mutex is no reference: it competes like any other deque.
REFERENCES = {"array": "no synchronisation", "empty": "harness only", "fetch_add": "one atomic"}


def may_repeat(facts):
    """Do these claims of a deque allow it to return an item more than once?"""
    return facts.get("delivery") == "at_least_once"


def says_yes(facts, name, otherwise):
    return str(facts.get(name, otherwise)).lower() in ("1", "true")


def is_unsound(facts):
    return not says_yes(facts, "sound", "1")


def is_reference(deque, facts):
    """Is it shown in grey, and not ranked?"""
    return deque in REFERENCES or says_yes(facts, "reference", facts.get("baseline", "0"))  # older runs called it so


def marks_of(facts):
    """The warning that a deque needs wherever it is drawn."""
    return (f" {DAGGER}" if may_repeat(facts) else "") + (" UNSOUND" if is_unsound(facts) else "")


def in_order(x):
    """A sort key: numbers by value, then texts."""
    try:
        return (0, float(x), x)
    except ValueError:
        return (1, 0.0, x)


def words_for(name, value):
    return f"nodes of {value} bytes" if name == "node" else WORDS.get((name, value), f"{name}={value}")


def format_number(value):
    """Three significant digits, or all before the point: 0.512, 2.10, 12.3, 512, 10245."""
    if value is None:
        return ""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.01:
        return plain(value, 2)
    return f"{value:.{3 if size < 1 else 2 if size < 10 else 1 if size < 100 else 0}f}"


def plain(value, digits=9):
    """A number without an exponent, rounded to so many significant digits: 0.00023, 2.5, 65536, 23768600."""
    rounded = float(f"{value:.{digits}g}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded)))) if rounded else 0
    text = f"{rounded:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def sentence(text):
    return text[:1].upper() + text[1:]


def joined(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def counted(number, what):
    return f"{number} {what}{'' if int(number) == 1 else 's'}"


def threads_text(count):
    return counted(count, "thread")


def thieves_text(count):
    return f"{count} thie{'f' if count == '1' else 'ves'}"


def frequency_text(value):
    """1000000 as '1 MHz', max as 'max'."""
    kind, amount, _ = in_order(value)
    if kind:
        return value
    for unit, scale in (("MHz", 1e6), ("kHz", 1e3)):
        if amount >= scale:
            return f"{amount / scale:g} {unit}"
    return f"{amount:g} Hz" if amount else "0"


def value_text(value, unit):
    """A value with a unit that keeps it short."""
    if value is None:
        return ""
    if unit in NANOSECONDS:
        nanoseconds = value * NANOSECONDS[unit]
        for name, size in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
            if nanoseconds >= size:
                return f"{format_number(nanoseconds / size)} {name}"
        return f"{format_number(nanoseconds)} ns"
    short = {"operations/s": "/s", "bytes": "B"}.get(unit, f" {unit}")
    for name, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{format_number(value / size)} {name}{short.strip()}"
    return f"{format_number(value)} {short.strip()}"


def groups_of(distances):
    """These distances (ns), ascending, in lists; one ends where the next distance is more than DISTANCE_RATIO times the one before."""
    groups = []
    for distance in sorted(distances):
        if groups and distance <= groups[-1][-1] * DISTANCE_RATIO:
            groups[-1].append(distance)
        else:
            groups.append([distance])
    return groups
