"""The numbers of a machine (machines.tsv), and the sets of them that a prediction is made with."""

import csv
import difflib
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
# Times in ns that the engine wants in ps; numbers that it wants as they are; in tenths.
TIMES = ("same_core", "same_group", "same_socket", "other_socket", "stay", "clock", "pause", "yield", "futex", "wake", "barrier",
         "barrier_alone", "interrupt", "hash")
PLAIN = ("sockets", "cores", "group", "buffer", "window", "migratory", "barrier_serial")
TENTHS = ("work", "call")
# Of what is counted (results/baseline/instructions-gcc.csv) a processor that looks ahead feels 0.7.
COUNTED_SHARE = 0.7
OPERATIONS = {"push": 14, "pop": 14, "pop_empty": 12, "steal": 16}  # where nothing was counted


# Counted where no owner answers: the instructions are those of a thief that loses its patience, which the simulator has itself.
WAITING = {("private", "steal")}


class NoMachine(Exception):
    pass


def machines(path=FOLDER / "machines.tsv"):
    """{machine: {name: (value, low, high)}}, each with what is common."""
    found = {}
    for line in csv.reader(path.read_text().splitlines(), delimiter="\t"):
        if line and not line[0].startswith("#"):
            machine, name, value, low, high = line[:5]
            found.setdefault(machine, {})[name] = tuple(float(one or value) for one in (value, low, high))
    common = found.pop("common")
    return {machine: {**common, **numbers} for machine, numbers in found.items()}


def machine_named(name, path=FOLDER / "machines.tsv"):
    known = machines(path)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise NoMachine(f"no machine '{name}'" + (f"; did you mean {near[0]}?" if near else "") + f" There are {', '.join(known)}")
    return known[name]


# What is slow at the high end of its range, and what at its low end.
SLOW_WHEN_LOW = ("clock_ghz", "instructions_a_cycle", "window", "buffer")


def sets_of(machine):
    """[(what it is, {name: value})]: likely numbers; all at their fast and at their slow end; distances alone at both ends; the
    other rule for who gets a written line, and the longest stay of a line."""
    def choose(end, names=None):
        def of(name, numbers):
            value, low, high = numbers
            if names and name not in names or name in ("migratory", "barrier_serial", "stay", "sockets", "cores", "group"):
                return value
            return {"slow": low if name in SLOW_WHEN_LOW else high, "fast": high if name in SLOW_WHEN_LOW else low}[end]
        return {name: of(name, numbers) for name, numbers in machine.items()}

    likely = {name: numbers[0] for name, numbers in machine.items()}
    sets = [("likely", likely), ("fast", choose("fast")), ("slow", choose("slow"))]
    if machine["migratory"][1] != machine["migratory"][2]:
        sets.append(("other rule for written lines", {**likely, "migratory": 1 - likely["migratory"]}))
    if machine["stay"][2] > 0:
        sets.append(("longest stay of a line", {**likely, "stay": machine["stay"][2]}))
    return sets


def counted(path=ROOT / "results/baseline/instructions-gcc.csv"):
    """{deque: {operation: instructions}}"""
    found = {}
    for row in csv.DictReader(path.read_text().splitlines()):
        if row["outcome"] == "ok" and (row["deque"], row["operation"]) not in WAITING:
            found.setdefault(row["deque"], {})[row["operation"]] = float(row["instructions"])
    return found


def environment(numbers, instructions, seed=1):
    """What build/predicted/ID reads from STEALBENCH_MACHINE: whole numbers."""
    cycle = 1000 / numbers["clock_ghz"]
    values = {name: round(numbers[name] * 1000) for name in TIMES}
    values |= {name: round(numbers[name]) for name in PLAIN}
    values |= {name: round(numbers[name] * 10) for name in TENTHS}
    values |= {"instruction": round(cycle / numbers["instructions_a_cycle"]), "locked": round(cycle * numbers["locked_cycles"]),
               "fence": round(cycle * numbers["fence_cycles"]), "branch": round(cycle * numbers["branch_cycles"]), "seed": seed}
    values |= {name: round(10 * COUNTED_SHARE * instructions.get(name, usual)) for name, usual in OPERATIONS.items()}
    values |= {"steal_empty": values["pop_empty"], "item": 30}
    return ",".join(f"{name}={value}" for name, value in values.items())
