"""Distances between processors that belong together. Needs no numpy, for the doctor."""

from harness.formats import DISTANCE_RATIO


def groups_of(distances):
    """These distances (ns), ascending, in lists; one ends where the next distance is more than DISTANCE_RATIO times the one before."""
    groups = []
    for distance in sorted(distances):
        if groups and distance <= groups[-1][-1] * DISTANCE_RATIO:
            groups[-1].append(distance)
        else:
            groups.append([distance])
    return groups
