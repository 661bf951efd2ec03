"""Answers a claim from cells: those of a run, or those that a suite plans."""

import itertools

from harness.judging.claims import range_of


class NotThere(Exception):
    """A claim cannot be asked; says which cell is missing, or why its values do not count."""


class Asked:
    """cells: {(workload, deque): [cells]}; value_of(query, the cells that match it): the query's answer, or NotThere."""

    def __init__(self, cells, value_of):
        self.cells, self.value_of = cells, value_of

    def answers(self, claim):
        """For each condition of the claim: (the condition as written, the same with the numbers found, {name: [answers]}, None).
        If it cannot be asked, the last is the reason, and the two before it are None."""
        for condition in claim.conditions:
            try:
                yield condition, *self._under(claim, condition), None
            except NotThere as reason:
                yield condition, None, None, str(reason)

    def _under(self, claim, condition):
        """(the condition with numbers for its ranges, {name: [answers]}): the largest numbers for which all cells are there."""
        first, settings = None, [[(name, number) for number in self._numbers(claim, name, value)] for name, value in condition]
        for chosen in itertools.product(*settings):
            try:
                return chosen, {name: [self._answer(query) for query in one.queries(chosen)]
                                for name, one in claim.definitions.items()}
            except NotThere as reason:
                first = first or reason
        raise first

    def _numbers(self, claim, name, value):
        """The value; of a range the numbers in it that the cells have, the largest first."""
        ends = range_of(value)
        if not ends:
            return [value]
        asked = {(one.workload, deque) for one in claim.definitions.values() if one.takes(name) for deque in one.deques}
        there = {cell["params"].get(name, "") for key in asked for cell in self.cells.get(key, ())}
        found = sorted((int(value) for value in there if value.isdecimal() and ends[0] <= int(value) <= ends[1]), reverse=True)
        if not found:
            raise NotThere(f"no {name} from {ends[0]} to {ends[1]} in this run")
        return list(map(str, found))

    def _answer(self, query):
        cells = [cell for cell in self.cells.get((query.workload, query.deque), ()) if query.matches(cell)]
        if not cells:
            raise NotThere(f"no cell {query.text} in this run")
        return self.value_of(query, cells)
