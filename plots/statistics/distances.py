"""Which samples were measured with their threads' processors equally far apart: pure functions on distances in ns.

A virtual machine's host moves its processors: near for minutes (27 ns for a cache line's way), then far (105 ns), and the
same code takes other times there. So only what was measured at one distance is compared.

Classes have no fixed bounds, for a machine that lies at one would have its samples torn apart: siblings are 10 ns from
each other, a group of caches 27, a socket 51, another one 108, the next machine's are others. Instead the distances of
what is to be compared stand in order, and where the next is more than RATIO times the one before, a class ends. In one
comparison there are few distances, of few places; over a whole run, whose cells have many, classes serve to tell.
"""

from dataclasses import dataclass

from plots.statistics.samples import median

# Probes of one place differ by a tenth, places by a factor of 2. harness/measuring/threads/distance.h has the same
# number: by it two probes of one sample disagree.
RATIO = 1.5
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
    """The classes of these distances (None: not known, of no class), from the nearest; two are called near and far."""
    groups = []
    for distance in sorted(one for one in distances if one is not None):
        if groups and distance <= groups[-1][-1] * RATIO:
            groups[-1].append(distance)
        else:
            groups.append([distance])
    words = ("near", "far") if len(groups) == 2 else ("",) * len(groups)
    return [Class(group[0], group[-1], middle := median(group), len(group), f"{word} ({middle:.0f} ns)" if word else f"{middle:.0f} ns")
            for group, word in zip(groups, words)]


def class_of(distance, classes):
    """That of the classes which the distance is in, or None."""
    return next((one for one in classes if distance in one), None)


def told(classes, of="samples"):
    """"near (28 ns) in 120 samples, far (107 ns) in 14"; nothing where there are none."""
    return ", ".join(f"{one.name} in {one.count}{'' if i else f' {of}'}" for i, one in enumerate(classes))


def at_one_place(a, b):
    """Do two distances let what was measured at them be compared? None: not known, which is compared with the like."""
    return MOVED not in (a, b) and (a is None) == (b is None) and len(classes_of([a, b])) < 2


def most_in_common(sides):
    """(class, keys) at which most of {key: distance} of several sides can be held against each other, key by key: those keys
    that all sides have in the class. Class None: of no known distance. No keys: there are none at one distance."""
    shared = set.intersection(*(set(side) for side in sides))
    classes = [None, *classes_of(distance for side in sides for distance in side.values())]
    known = classes[1:]
    keys = {one: {key for key in shared if all(class_of(side[key], known) is one for side in sides)} for one in classes}
    most = max(classes, key=lambda one: (len(keys[one]), one is not None))
    return most, keys[most]
