#!/usr/bin/python3
"""threads.py on made-up runs: slower by two threads, not slower, not settled, and without a processor for the second."""

import csv
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
from trust import threads
from plots.data.run_folder import MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION, Problem, Run

ONE = [1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01]


def made_up(folder, cells):
    """cells: [(deque, threads, flags, [seconds of each invocation])], written as a run of fib."""
    rows, planned = [], []
    for number, (deque, count, flags, seconds) in enumerate(cells):
        cell, params = f"{number:016x}", f"n=25;seed=1;threads={count}"
        planned.append(dict(cell=cell, workload="fib", deque=deque, params=params, tags=["threads_fib"],
                            invocations=len(seconds), repetitions=1))
        for invocation, value in enumerate(seconds):
            for role, metric, number_of in ("pool", "run_time", value), ("process", "invocation_time", 1):
                rows.append([cell, "fib", deque, params, "", role, invocation, 0, metric, number_of, "s", "ok", flags, "", "", ""])
    manifest = dict(manifest_version=MANIFEST_VERSION, samples=dict(version=SAMPLES_VERSION, columns=SAMPLE_COLUMNS),
                    sections=[dict(tag="threads_fib", title="")], cells=planned, deques=[])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with open(folder / "samples.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([SAMPLE_COLUMNS, *rows])
    return Run(folder)


def verdict(folder, two, flags=""):
    row, = threads.two_threads(made_up(folder, [("a", 1, flags, ONE), ("a", 2, flags, two)]))
    return row["verdict"]


def test_twice_as_slow_is_slower(folder):
    assert verdict(folder, [2 * value for value in ONE]) == "SLOWER"


def test_twice_as_fast_and_alike_are_within(folder):
    assert verdict(folder, [value / 2 for value in ONE]) == "within"
    assert verdict(folder, [1.01 * value for value in ONE]) == "within"


def test_what_is_not_settled_is_not_called_slower(folder):
    assert verdict(folder, [1.5, 0.7, 1.2, 0.9, 1.6, 0.8, 1.1]) == "not settled"


def test_below_six_invocations_nothing_is_said(folder):
    assert verdict(folder, [3.0, 3.1, 2.9, 3.0, 3.2]) == ""


def test_two_threads_on_one_processor_are_not_judged(folder):
    assert verdict(folder, [3 * value for value in ONE], "oversubscribed") == ""


def test_each_deque_is_held_against_itself(folder):
    rows = threads.two_threads(made_up(folder, [("a", 1, "", ONE), ("b", 2, "", [value / 3 for value in ONE]),
                                                ("a", 2, "", [3 * value for value in ONE]), ("b", 1, "", ONE)]))
    assert [(row["what"], row["verdict"], round(row["ratio"], 6)) for row in rows] == [
        ("a", "SLOWER", 3), ("b", "within", round(1 / 3, 6))], rows


def test_a_run_without_pairs_is_a_problem(folder):
    try:
        threads.two_threads(made_up(folder, [("a", 2, "", ONE)]))
    except Problem:
        return
    raise AssertionError("no problem")


def main():
    failed = 0
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="stealbench-test-") as folder:
            try:
                test(Path(folder))
            except AssertionError as error:
                failed += 1
                print(f"FAILED {test.__name__}: {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
