"""Which samples were measured with their threads' processors equally far apart. Pure functions on distances in ns.

The host of a virtual machine moves its processors: near for minutes (a cache line takes 27 ns one way), then far (105 ns). The
same code takes longer there, so only samples of one distance are compared.

Classes of distances have no fixed bounds: machines differ (siblings 10 ns, a group of caches 27, a socket 51, another socket
108), and a fixed bound would split some machine's samples. Instead the distances of a comparison are sorted, and a class ends
where the next distance is more than 1.5 times (DISTANCE_RATIO) the one before.
"""

from dataclasses import dataclass

from harness.judging.words import groups_of
from harness.judging.statistics.intervals import median

# The flag of a sample during which the processors moved.
MOVED = "moved"


@dataclass(frozen=True)
class Class:
    """Distances that belong together."""

    low: float
    high: float
    middle: float
    count: int
    name: str = ""

    def __contains__(self, distance):
        return distance is not None and self.low <= distance <= self.high


def classes_of(distances):
    """The classes of these distances, the nearest first; two classes are named near and far. None is an unknown distance, which
    has no class."""
    groups = groups_of(one for one in distances if one is not None)
    words = ("near", "far") if len(groups) == 2 else ("",) * len(groups)
    return [Class(group[0], group[-1], middle := median(group), len(group), f"{word} ({middle:.0f} ns)" if word else f"{middle:.0f} ns")
            for group, word in zip(groups, words)]


def class_of(distance, classes):
    """The class that the distance is in, or None."""
    return next((one for one in classes if distance in one), None)


def told(classes, of="samples"):
    """"near (28 ns) in 120 samples, far (107 ns) in 14"; "" without classes."""
    return ", ".join(f"{one.name} in {one.count}{'' if i else f' {of}'}" for i, one in enumerate(classes))


def at_one_place(a, b):
    """May values of these two distances be compared? Unknown ones (None) are compared with each other."""
    return MOVED not in (a, b) and (a is None) == (b is None) and len(classes_of([a, b])) < 2


def most_in_common(sides):
    """(class, keys): the class in which most keys can be compared, side by side, and these keys. sides: [{key: distance}]. Class
    None: no distance is known. No keys: no key has one distance on all sides."""
    shared = set.intersection(*(set(side) for side in sides))
    classes = [None, *classes_of(distance for side in sides for distance in side.values())]
    known = classes[1:]
    keys = {one: {key for key in shared if all(class_of(side[key], known) is one for side in sides)} for one in classes}
    most = max(classes, key=lambda one: (len(keys[one]), one is not None))
    return most, keys[most]
