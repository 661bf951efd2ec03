"""A prediction as a table, as predicted.csv and as figures. Intervals are the band over the ranges of the machine's numbers. Beyond
saturation there is no level."""

import csv
from dataclasses import dataclass

from plots.figures import drawing
from plots.figures.figure import Figure, Value

SATURATED = 3  # a steal that takes so many times what it takes one thief waits for others all the time


@dataclass
class Quantity:
    """What a prediction tells of each deque. values: {(deque, threads): (likely, low, high), or the word for none}"""

    name: str
    title: str
    unit: str
    scale: str  # linear, log or log2
    values: dict


# (role, metric, factor, title, unit, scale)
OF_CONTENTION = [("owner", "owner_operations", 1e-6, "operations of the owner", "million/s", "linear"),
                 ("thief", "steal_time", 1, "time of a steal", "ns", "log"),
                 ("thief", "steals_stolen", 1, "attempts that get an item", "percent", "linear")]
OF_POOL = [("pool", "run_time", 1e6, "run time", "microseconds", "log")]


def saturation(found):
    """{deque: threads from which its thieves only wait for each other}"""
    first, near = {}, {}
    for case in sorted(found, key=lambda one: one.threads):
        likely = found[case][0].values
        time, attempted = likely.get(("thief", "steal_time")), likely.get(("thief", "frequency_ratio"), 1)
        if time is not None and (time > SATURATED * first.setdefault(case.deque, time) or attempted < 0.8):
            near.setdefault(case.deque, case.threads)
    return near


def band(values):
    """(likely, low, high) of the values by set of numbers; None where the likely set has none."""
    known = [one for one in values if one is not None]
    return (values[0], min(known), max(known)) if values[0] is not None else None


def quantities(workload, found):
    """Those of one workload. found: {case: [outcome by set of numbers]}"""
    contended = workload == "contention"
    near = saturation(found) if contended else {}
    made = []
    for role, metric, factor, title, unit, scale in OF_CONTENTION if contended else OF_POOL:
        values = {}
        for case, outcomes in found.items():
            ways = [factor * one.values[role, metric] if (role, metric) in one.values else None for one in outcomes]
            values[case.deque, case.threads] = ("saturated" if case.threads > near.get(case.deque, case.threads)
                                                else band(ways) or outcomes[0].status)
        made.append(Quantity(f"{workload}-{metric}", f"{workload}: {title}", unit, scale, values))
    return made if contended else [*made, speedup(workload, found)]


def speedup(workload, found):
    """Against the fastest deque with the fewest threads, at the same numbers."""
    least = min(case.threads for case in found)
    times = {case: [one.values.get(("pool", "run_time")) for one in outcomes] for case, outcomes in found.items()}
    alone = [min(filter(None, way), default=None) for way in zip(*(times[case] for case in found if case.threads == least))]
    values = {(case.deque, case.threads): band([first / time if first and time else None for first, time in zip(alone, ways)])
              or found[case][0].status for case, ways in times.items()}
    return Quantity(f"{workload}-speedup", f"{workload}: against the fastest deque with {least} thread{'s' * (least > 1)}", "times as fast",
                    "log2", values)


def print_table(one, machine):
    deques, threads = (sorted({key[place] for key in one.values}) for place in (0, 1))
    print(f"\nPREDICTED for {machine}: {one.title} ({one.unit}): likely [band]")
    print(f"{'deque':<24}" + "".join(f"{number:>28}" for number in threads))
    for deque in deques:
        row = [one.values.get((deque, number), "") for number in threads]
        print(f"{deque:<24}" + "".join(f"{value if isinstance(value, str) else '{:.3g} [{:.3g}, {:.3g}]'.format(*value):>28}" for value in row))


def write_csv(path, made):
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["quantity", "unit", "deque", "threads", "likely", "low", "high", "status"])
        for one in made:
            for (deque, threads), value in sorted(one.values.items()):
                told = ("", "", "", value) if isinstance(value, str) else (*(f"{number:.6g}" for number in value), "ok")
                rows.writerow([one.name, one.unit, deque, threads, *told])


def picture(one, machine):
    """A line a deque, with the band as intervals; None if there is no value."""
    figure = Figure(one.name, f"PREDICTED for {machine}: {one.title}",
                    "Points: the likely numbers; intervals: the band over the sets of numbers.")
    axes = figure.axes("threads", one.title, unit=one.unit, log="x" if one.scale == "linear" else "xy")
    for deque in sorted({key[0] for key in one.values}):
        threads = sorted(key[1] for key in one.values if key[0] == deque)
        points = [(number, Value(*value)) for number in threads if isinstance(value := one.values[deque, number], tuple)]
        ends = any(one.values[deque, number] == "saturated" for number in threads)
        if points:
            axes.line(deque, points, deque + (f" (saturates near {points[-1][0]})" if ends else ""))
    return figure or None


def write(folder, made, machine):
    """predicted.csv, and each quantity as a figure. Returns the paths."""
    folder.mkdir(parents=True)
    write_csv(folder / "predicted.csv", made)
    drawn = [one for quantity in made if (one := picture(quantity, machine))]
    for one in drawn:
        drawing.save(one, folder)
    return [folder / "predicted.csv", *(folder / f"{one.name}.svg" for one in drawn)]
