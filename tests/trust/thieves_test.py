#!/usr/bin/python3
"""trust.py on made-up runs: steals a second within and outside their limit, items that do not add up, a planted time in every
variant of the loops."""

import csv
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
from trust import trust
from plots.data.run_folder import MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION, Problem, Run


def made_up(folder, cells):
    """cells: [(deque, frequency, pacing, flags, [{metric: value} of each invocation])], written as a run."""
    rows, planned = [], []
    for number, (deque, frequency, pacing, flags, invocations) in enumerate(cells):
        cell, params = f"{number:016x}", f"frequency={frequency};pacing={pacing};seed=1;thieves=1"
        planned.append(dict(cell=cell, workload="contention", deque=deque, params=params, tags=["frequency"],
                            invocations=len(invocations), repetitions=1))
        for invocation, metrics in enumerate(invocations):
            for metric, value in {**metrics, "invocation_time": 1}.items():
                rows.append([cell, "contention", deque, params, "owner:0;thief:1",
                             "process" if metric == "invocation_time" else "thief", invocation, 0, metric, value, "",
                             "ok", flags, "", "", ""])
    return written(folder, rows, planned, "frequency")


def written(folder, rows, planned, tag):
    manifest = dict(manifest_version=MANIFEST_VERSION, samples=dict(version=SAMPLES_VERSION, columns=SAMPLE_COLUMNS),
                    sections=[dict(tag=tag, title="")], cells=planned, deques=[])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with open(folder / "samples.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([SAMPLE_COLUMNS, *rows])
    return Run(folder)


def planted_run(folder, times):
    """times: [(variant, ns of planted_20)], an invocation each, of push and pop; by hand it takes 20 ns."""
    rows, planned = [], []
    for deque, found in (("planted_20", times), ("by_hand_20", [("", 20.0)])):
        for workload, metric in trust.METRICS.items():
            cell, params = f"{len(planned):016x}", "method=corrected;seed=1"
            planned.append(dict(cell=cell, workload=workload, deque=deque, params=params, tags=["planted"],
                                invocations=len(found), repetitions=1))
            for invocation, (variant, value) in enumerate(found):
                for role, name, number in ("owner", metric, value), ("process", "invocation_time", 1):
                    rows.append([cell, workload, deque, params, "", role, invocation, 0, name, number, "ns", "ok", "", variant, "", ""])
    return written(folder, rows, planned, "planted")


def test_a_planted_time_is_held_to_in_every_variant(folder):
    for last, verdict in ((20.3, "within"), (21.0, "OUTSIDE")):
        rows = trust.planted(planted_run(folder, [("0", 20.0), ("1", 20.1), ("2", last)] * 3))
        assert [row["verdict"] for row in rows if row["what"] == "chain of 20 steps"] == ["within"] * 2, rows
        farthest = [row for row in rows if row["what"] == "the same in variant 2 of 3"]
        assert [row["verdict"] for row in farthest] == [verdict] * 2, rows


def test_one_disturbed_invocation_is_no_variant(folder):
    disturbed = [("0", 20.0), ("1", 20.1), ("2", 25.0), ("0", 20.0), ("1", 20.1), ("2", 20.2), ("0", 20.0), ("1", 20.1),
                 ("2", 20.2), ("3", 25.0), ("3", 25.0)]
    rows = trust.planted(planted_run(folder, disturbed))
    assert [row["what"] for row in rows if "variant" in row["what"]] == ["the same in variant 2 of 3"] * 2, rows
    assert {row["verdict"] for row in rows} == {"within"}, rows


def ratios(*values):
    return [{"frequency_ratio": value} for value in values]


def verdicts(folder, cells):
    return [row["verdict"] for row in trust.frequency(made_up(folder, cells))]


def test_a_thief_is_judged_by_the_median_of_its_invocations(folder):
    assert verdicts(folder, [("a", 1000, "deadline", "", ratios(1.0, 0.999, 1.2))]) == ["within"]
    assert verdicts(folder, [("a", 1000, "deadline", "", ratios(0.98, 0.989, 1.0))]) == ["OUTSIDE"]
    assert verdicts(folder, [("a", 1000, "deadline", "", ratios(1.0101, 1.02, 1.0))]) == ["OUTSIDE"]
    row, = trust.frequency(made_up(folder, [("a", 1000000, "deadline", "", ratios(0.995))]))
    assert (row["suite"], row["reference"], row["unit"]) == (995000.0, 1000000, "Hz"), row


def test_the_thesis_and_a_thief_without_a_core_are_not_judged(folder):
    assert verdicts(folder, [("a", 1000, "thesis", "", ratios(0.9))]) == [""]
    assert verdicts(folder, [("a", 1000, "deadline", "oversubscribed", ratios(0.5))]) == [""]


def test_a_question_without_an_answer_is_a_problem(folder):
    for cells in [[], [("a", 1000, "deadline", "", [{"owner_operations": 5}])]]:
        try:
            trust.frequency(made_up(folder, cells))
        except Problem:
            continue
        raise AssertionError(cells)


def test_items_that_do_not_add_up_are_found(folder):
    def items(pushed, popped, stolen, left):
        return {"items_pushed": pushed, "items_popped": popped, "items_stolen": stolen, "items_left": left}

    right = items(10, 5, 4, 1)
    rows = trust.conservation(made_up(folder, [("a", 1000, "deadline", "", [right, items(7, 7, 0, 0)]),
                                               ("b", 1000, "deadline", "", [right, items(7, 6, 0, 0), items(7, 8, 0, 0)])]))
    assert [(row["what"], row["suite"], row["verdict"]) for row in rows] == [
        ("a: 2 runs", 17, "within"), ("b: 3 runs", 24, "OUTSIDE")], rows


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
