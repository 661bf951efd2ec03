#!/usr/bin/python3
"""validate.py: predictions held against measurements of two threads (docs/simulate.md).

    ./run.sh lab simulate --validate [--deque=...] [--keep=FILE]    measures here, then compares
    ./run.sh lab simulate --validate --kept=FILE                    compares with what was kept
    ./run.sh lab simulate --validate --run=RUN                      compares with a run's cells of contention, of two threads

A measurement stands between two probes of the distance between the processors; one whose distance changed is dropped. What was
tuned by hand was tuned on TUNED; the others ("not tuned") tell what a prediction is worth.
"""

import csv
import math
import statistics
import subprocess
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path

from plots.data.run_folder import Run

from numbers_of_machines import ROOT, counted, machine_named
from run import BUILD, Case, all_deques, build, make, predict_each, traits_of

COLUMNS = ["deque", "frequency", "distance", "owner_operations", "steal_time", "steals_stolen"]
FREQUENCIES = ("0", "100000", "1000000", "max")  # that are measured; 0: the owner alone
TUNED = {"abp", "bwos_lifo", "chase_lev", "locked", "weir"}
SAME = 1.05  # measurements so near to each other count as equal
SEEDS = 3
SECONDS, REPETITIONS, INVOCATIONS = 0.05, 3, 2
MOVED = 1.5  # a larger ratio of two distances is another place (plots/statistics/distances.py)
NEAR = 60  # ns: below, two processors share a cache


def rank(values, same=1.0):
    """Ranks: how many are less, and half of those that are the same, within that factor."""
    return [sum(other * same < value for other in values) + sum(value <= other * same and other <= value * same for other in values) / 2
            for value in values]


def rank_correlation(measured, predicted):
    """C. Spearman's. Which of two deques is first that measure within SAME of each other, nobody knows."""
    ranks = rank(measured, SAME), rank(predicted)
    return float("nan") if len(measured) < 3 or min(len(set(one)) for one in ranks) == 1 else statistics.correlation(*ranks)


def pairs_in_order(measured, predicted, apart=1.2):
    """Of the pairs whose measurements differ by that factor, the share that is predicted in the same order."""
    right = total = 0
    for i, a in enumerate(measured):
        for j in range(i):
            if max(a, measured[j]) >= apart * min(a, measured[j]):
                total += 1
                right += (a > measured[j]) == (predicted[i] > predicted[j])
    return right / total if total else float("nan")


def runs_of(printed):
    """[(distance, {metric: value})] of the repetitions that stand between two probes of one distance."""
    found, before, values = [], None, {}
    for line in printed.splitlines():
        fields = line.split("\t")
        if fields[0] == "sample" and fields[6] == "ok":
            values.setdefault(int(fields[2]), {})[fields[3]] = float(fields[4])
        elif fields[0] == "distance":
            now = float(fields[1]) if len(fields) > 1 and fields[1] else None
            if before and now and values and max(now, before) <= MOVED * min(now, before):
                found.append(((now + before) / 2, values[max(values)]))
            before = now
    return found


def measure(deques, keep):
    make([f"{BUILD}/validated/{one}" for one in deques])
    with keep.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for invocation in range(INVOCATIONS):
            for deque in deques:
                for frequency in FREQUENCIES:
                    thieves = 0 if frequency == "0" else 1
                    done = subprocess.run(
                        [str(BUILD / "validated" / deque), "--run", "contention", f"thieves={thieves}",
                         f"frequency={'100000' if frequency == '0' else frequency}", f"--minimum-time={SECONDS}",
                         f"--repetitions={REPETITIONS}", f"--invocation={invocation}", "variant=0"],
                        cwd=ROOT, capture_output=True, text=True, check=False)
                    if thieves == 0:
                        values = [float(line.split("\t")[4]) for line in done.stdout.splitlines()
                                  if "\towner_operations\t" in line and "\tok\t" in line]
                        runs = [(0, {"owner_operations": one}) for one in values]
                    else:
                        runs = runs_of(done.stdout)
                    for distance, values in runs:
                        rows.writerow([deque, frequency, f"{distance:.1f}", *(f"{values[one]:.6g}" if one in values else ""
                                                                             for one in COLUMNS[3:])])
                file.flush()


def kept(rows):
    """{(deque, frequency, near or far): ({metric: median}, distance)}"""
    groups = defaultdict(list)
    for row in rows:
        where = "alone" if row["frequency"] == "0" else "near" if float(row["distance"]) < NEAR else "far"
        groups[row["deque"], row["frequency"], where].append(row)
    return {key: ({metric: statistics.median(float(row[metric]) for row in rows if row[metric])
                   for metric in COLUMNS[3:] if any(row[metric] for row in rows)},
                  statistics.median(float(row["distance"]) for row in rows)) for key, rows in groups.items()}


def rows_of_run(folder):
    """As kept() reads them: the cells of contention with one thief, of a run's folder or of one of results/machines."""
    with tempfile.TemporaryDirectory() as unpacked:
        if folder.suffix == ".xz":
            with tarfile.open(folder) as packed:
                packed.extractall(unpacked, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(unpacked)
            folder = next(Path(unpacked).glob("**/manifest.json")).parent
        run = Run(folder)
        for (cell, _), rows in run.invocations.items():
            params, first = run.cells[cell]["params"], rows[0]
            if (first["workload"] != "contention" or params.get("thieves") != "1" or params.get("sample") != "none"
                    or params.get("case") != "cycle" or params.get("steal") != "one" or params.get("block") != "0"
                    or not first["distance"]):
                continue
            values = {row["metric"]: row["value"] for row in rows if row["status"] == "ok"}
            if "owner_operations" in values:
                yield {"deque": first["deque"], "frequency": params["frequency"], "distance": first["distance"],
                       **{name: values.get(name, "") for name in COLUMNS[3:]}}


def numbers_at(machine, distance):
    likely = {name: numbers[0] for name, numbers in machine.items()}
    return {**likely, **{name: distance for name in ("same_group", "same_socket", "other_socket") if distance > 0}}


def predict_kept(measured, machine, changed=lambda numbers: numbers, seeds=SEEDS):
    """{key: {metric: the median of what that many seeds predict}}. changed: of the numbers of each cell."""
    asked = {(key, seed): (Case(key[0], "contention", 1 if key[1] == "0" else 2,
                                (("frequency", "100000" if key[1] == "0" else key[1]),)), changed(numbers_at(machine, distance)), seed)
             for key, (_, distance) in measured.items() for seed in range(1, seeds + 1)}
    found = defaultdict(lambda: defaultdict(list))
    for (key, _), outcome in predict_each(asked, counted()).items():
        for (_, metric), (value, _) in outcome.values.items():
            if metric in COLUMNS:
                found[key][metric].append(value)
    return {key: {metric: statistics.median(values) for metric, values in metrics.items()} for key, metrics in found.items()}


def error_of(pairs):
    return statistics.median(abs(predicted / measured - 1) for measured, predicted in pairs) if pairs else float("nan")


def groups_of(measured):
    deques = {key[0] for key in measured}
    return {"tuned": deques & TUNED, "not tuned": deques - TUNED, "all": deques}


def by_distance(deques, frequency, measured, predicted):
    """[(measured, predicted)]: how many times as fast an owner is where processors are near as where they are far."""
    ends = [[(deque, frequency, where) for where in ("near", "far")] for deque in sorted(deques)]
    return [tuple(rates[near]["owner_operations"] / rates[far]["owner_operations"]
                  for rates in ({key: values for key, (values, _) in measured.items()}, predicted))
            for near, far in ends if frequency != "0" and {near, far} <= set(measured) & set(predicted)]


def compare(measured, predicted):
    """[(which deques, frequency, where, metric, deques, rank correlation, median error, pairs in order, naive rank, naive error)];
    naive: contended as alone."""
    found = []
    for name, deques in groups_of(measured).items():
        frequencies = sorted({key[1] for key in measured}, key=lambda one: (not one.isdigit(), one.isdigit() and int(one)))
        for frequency in frequencies:
            for where in ("alone", "near", "far"):
                for metric in ("owner_operations", "penalty", "steal_time"):
                    rows = []
                    for (deque, its, place), (values, _) in measured.items():
                        key = deque, its, place  # alone: without a thief, or with one that seldom comes
                        alone = (deque, "0", "alone") if (deque, "0", "alone") in measured else (deque, frequencies[0], place)
                        if deque not in deques or its != frequency or place != where or key not in predicted:
                            continue
                        if metric == "penalty":
                            if alone == key or alone not in measured or alone not in predicted:
                                continue
                            rows.append((measured[alone][0]["owner_operations"] / values["owner_operations"],
                                         predicted[alone]["owner_operations"] / predicted[key]["owner_operations"], 1.0))
                        elif metric in values and metric in predicted[key]:
                            rows.append((values[metric], predicted[key][metric],
                                         measured.get(alone, ({}, 0))[0].get("owner_operations", float("nan"))))
                    if len(rows) >= 5:
                        of = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
                        plain = metric == "owner_operations" and frequency != frequencies[0]
                        found.append((name, frequency, where, metric, len(rows), rank_correlation(of[0], of[1]),
                                      error_of(list(zip(of[0], of[1]))), pairs_in_order(of[0], of[1]),
                                      rank_correlation(of[0], of[2]) if plain else None,
                                      error_of(list(zip(of[0], of[2]))) if plain else None))
            pairs = by_distance(deques, frequency, measured, predicted)
            if len(pairs) >= 5:
                ratios = list(zip(*pairs))
                found.append((name, frequency, "both", "near over far", len(pairs), rank_correlation(*ratios), error_of(pairs),
                              pairs_in_order(*ratios), None, None))
    return found


# What may be wrong of a machine's numbers, each tried alone at these multiples of its value.
SUSPECTS = {"clock": ("clock_ghz",), "locked instruction": ("locked_cycles",), "fence": ("fence_cycles",),
            "way of a line": ("same_group", "same_socket", "other_socket"), "instructions that run on behind a miss": ("window",)}
MULTIPLES = (0.6, 0.8, 1.25, 1.6)
GAIN = 0.1  # of the misfit: less says nothing


def misfit(measured, predicted):
    """The mean of how many times too fast or too slow owners are predicted."""
    return math.exp(statistics.fmean(abs(math.log(predicted[key]["owner_operations"] / values["owner_operations"]))
                                     for key, (values, _) in measured.items() if "owner_operations" in predicted.get(key, {})))


def wrong_numbers(measured, predicted, machine):
    """[(what, the best multiple of its value, misfit with that, are the multiplied values inside of the machine's ranges?)] of the
    numbers that another value suits better, the most suspect first."""
    before, found = misfit(measured, predicted), []
    for what, names in SUSPECTS.items():
        after, times = min((misfit(measured, predict_kept(measured, machine, lambda numbers: {
            **numbers, **{name: numbers[name] * times for name in names}}, 1)), times) for times in MULTIPLES)
        inside = all(machine[name][1] <= machine[name][0] * times <= machine[name][2] for name in names)
        if after - 1 < (1 - GAIN) * (before - 1):
            found.append((what, times, after, inside))
    return sorted(found, key=lambda one: one[2])


def print_wrong(found, before):
    print(f"\nOwners are predicted {before:.2f} times too fast or too slow, on the average. One number changed, the rest as it is:")
    for what, times, after, inside in found:
        print(f"  {what}: {times:g} times its value would leave {after:.2f} ({'inside' if inside else 'outside'} of its range)")
    if not found:
        print("  no other value of a single number suits better")


def print_table(found):
    print(f"{'deques':<10}{'frequency':>10}{'where':>7}  {'metric':<18}{'n':>4}{'rank':>7}{'error':>8}{'in order':>10}"
          f"{'naive rank':>12}{'error':>9}")
    for name, frequency, where, metric, n, correlation, error, order, naive, naive_error in found:
        print(f"{name:<10}{frequency:>10}{where:>7}  {metric:<18}{n:>4}{correlation:>7.2f}{error:>8.0%}{order:>10.0%}"
              + (f"{naive:>12.2f}{naive_error:>9.0%}" if naive is not None else ""))


def print_cells(measured, predicted):
    for key in sorted(measured):
        for metric in COLUMNS[3:]:
            if metric in measured[key][0] and metric in predicted.get(key, {}):
                m, p = measured[key][0][metric], predicted[key][metric]
                print(f"{key[0]:<22}{key[1]:>8}{key[2]:>7}{measured[key][1]:>8.0f}  {metric:<18}{m:>12.4g}{p:>12.4g}{p / m if m else 0:>7.2f}")


def main(options):
    deques = all_deques() if options.deque == "all" else options.deque.split(",")
    path = Path(options.kept) if options.kept else Path(options.keep or BUILD / "simulate" / "measured.csv")
    if not options.kept and not options.run:
        build(deques)
        facts = {one: traits_of(one) for one in deques}
        measure([one for one in deques if facts[one].get("sound") != "0" and facts[one].get("thieves") != "owner_only"
                 and facts[one].get("keeps_nothing") != "1"], path)
    measured = {key: value for key, value in kept(
        rows_of_run(Path(options.run)) if options.run else csv.DictReader(path.open())).items() if options.deque == "all" or key[0] in deques}
    build(sorted({key[0] for key in measured}))
    machine = machine_named(options.machine)
    predicted = predict_kept(measured, machine)
    if options.each:
        print_cells(measured, predicted)
    print_table(compare(measured, predicted))
    if options.run:
        print_wrong(wrong_numbers(measured, predicted, machine), misfit(measured, predicted))
    return 0
