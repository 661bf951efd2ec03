"""Predictions held against measurements of two threads (--validate): the rates of contention's owners.

What was tuned by hand was tuned on TUNED; the others ("not tuned") tell what a prediction is worth.
"""

import csv
import os
import statistics
from collections import defaultdict
from pathlib import Path

from machines import FOLDER, counted
from harness.judging.run_folder import Run
from simulate import Case, build, predict_each

TUNED = {"abp", "bwos_lifo", "chase_lev", "locked"}
SAME = 1.05  # measurements so near to each other count as equal
APART = 1.2  # and these are in order or not
SEEDS = 3
NEAR = 60  # ns: below, two processors share a cache


def kept():
    """{(deque, frequency, near or far): (owner's operations/s, distance in ns)} of measured.csv: medians of a run on an AMD EPYC."""
    with (FOLDER / "measured.csv").open() as file:
        return {(row["deque"], row["frequency"], row["where"]): (float(row["owner_operations"]), float(row["distance"]))
                for row in csv.DictReader(file)}


def of_run(folder):
    """The same of a run's cells of contention with one thief."""
    run, groups = Run(folder), defaultdict(list)
    asked = {"thieves": "1", "sample": "none", "case": "cycle", "steal": "one", "block": "0"}
    for (cell, _), rows in run.invocations.items():
        params, distance = run.cells[cell]["params"], rows[0]["distance"]
        if rows[0]["workload"] == "contention" and asked.items() <= params.items() and distance:
            rates = [float(row["value"]) for row in rows if row["metric"] == "owner_operations" and row["status"] == "ok"]
            where = "near" if float(distance) < NEAR else "far"
            groups[rows[0]["deque"], params["frequency"], where] += [(rate, float(distance)) for rate in rates]
    return {key: tuple(map(statistics.median, zip(*pairs))) for key, pairs in groups.items() if pairs}


def predict_kept(measured, machine):
    """{key: the median of what SEEDS seeds predict}, at the distance that was measured."""
    asked, found = {}, defaultdict(list)
    for key, (_, distance) in measured.items():
        numbers = {name: values[0] for name, values in machine.items()}
        numbers |= {name: distance for name in ("same_group", "same_socket", "other_socket")}
        for seed in range(1, SEEDS + 1):
            asked[key, seed] = Case(key[0], "contention", 2, (("frequency", key[1]),)), numbers, seed
    for (key, _), outcome in predict_each(asked, counted()).items():
        found[key].append(outcome.values["owner", "owner_operations"])
    return {key: statistics.median(values) for key, values in found.items()}


def rank(values, same=1.0):
    """Ranks: how many are less, and half of those that are the same, within that factor."""
    return [sum(other * same < value for other in values) + sum(value <= other * same and other <= value * same for other in values) / 2
            for value in values]


def held(pairs):
    """(rank correlation, median error, share of the pairs that are APART and in order) of [(measured, predicted)]"""
    measured, predicted = zip(*pairs)
    apart = [(a, b) for i, a in enumerate(pairs) for b in pairs[:i] if max(a[0], b[0]) >= APART * min(a[0], b[0])]
    in_order = sum((a[0] > b[0]) == (a[1] > b[1]) for a, b in apart) / len(apart) if apart else float("nan")
    ranks = rank(measured, SAME), rank(predicted)
    correlation = statistics.correlation(*ranks) if min(len(set(one)) for one in ranks) > 1 else float("nan")
    return correlation, statistics.median(abs(p / m - 1) for m, p in pairs), in_order


def compare(measured, predicted):
    """[(which deques, frequency, where, deques, held() of the prediction, held() of "as where steals are few")]"""
    rows, frequencies = [], sorted({key[1] for key in measured}, key=lambda one: (not one.isdigit(), one.isdigit() and int(one)))
    for name, these in (("tuned", lambda deque: deque in TUNED), ("not tuned", lambda deque: deque not in TUNED), ("all", lambda _: True)):
        for frequency in frequencies:
            for where in ("near", "far"):
                keys = [key for key in measured if these(key[0]) and key[1:] == (frequency, where)]
                few = [(measured[key][0], measured.get((key[0], frequencies[0], where), measured[key])[0]) for key in keys]
                if len(keys) >= 3:
                    rows.append((name, frequency, where, len(keys), held([(measured[key][0], predicted[key]) for key in keys]), held(few)))
    return rows


def main(options, machine):
    measured = of_run(Path(os.environ.get("STEALBENCH_FROM", "")) / options.validate) if options.validate else kept()
    measured = {key: value for key, value in measured.items() if options.deque == "all" or key[0] in options.deque.split(",")}
    build(sorted({key[0] for key in measured}))
    print(f"{'deques':<10}{'frequency':>10}{'where':>6}{'n':>4}{'rank':>7}{'error':>7}{'in order':>10}   as where steals are few: rank, error")
    for name, frequency, where, n, (correlation, error, order), few in compare(measured, predict_kept(measured, machine)):
        print(f"{name:<10}{frequency:>10}{where:>6}{n:>4}{correlation:>7.2f}{error:>7.0%}{order:>10.0%}{few[0]:>10.2f}{few[1]:>7.0%}")
    return 0
