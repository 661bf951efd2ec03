"""Answers a claim from cells: those of a run, or those that a suite plans."""

import itertools

from harness.judging.claims import range_of


class NotThere(Exception):
    """A claim cannot be asked; says which cell is missing, or why its values do not count."""


def under(claim, condition, cells, answer):
    """(the condition with numbers for its ranges, {name: [answers]}): the largest numbers for which all cells are there. cells:
    {(workload, deque): [cells]}; answer(query, the cells that match it): what the query asks for, or NotThere."""
    def found(query):
        matching = [cell for cell in cells.get((query.workload, query.deque), ()) if query.matches(cell)]
        if not matching:
            raise NotThere(f"no cell {query.text} in this run")
        return answer(query, matching)

    first, settings = None, [[(name, number) for number in numbers_of(claim, name, value, cells)] for name, value in condition]
    for chosen in itertools.product(*settings):
        try:
            return chosen, {name: [found(query) for query in one.queries(chosen)] for name, one in claim.definitions.items()}
        except NotThere as reason:
            first = first or reason
    raise first


def numbers_of(claim, name, value, cells):
    """The value; of a range the numbers in it that the cells have, the largest first."""
    ends = range_of(value)
    if not ends:
        return [value]
    there = {cell["params"].get(name, "") for one in claim.definitions.values() if one.takes(name) for deque in one.deques
             for cell in cells.get((one.workload, deque), ())}
    found = sorted((int(value) for value in there if value.isdecimal() and ends[0] <= int(value) <= ends[1]), reverse=True)
    if not found:
        raise NotThere(f"no {name} from {ends[0]} to {ends[1]} in this run")
    return list(map(str, found))
