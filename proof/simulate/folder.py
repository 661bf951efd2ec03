"""A prediction as a run's folder, which plots/ draws like any other. Each set of numbers is an invocation, so an interval of a
figure is the band, and there are too few for any verdict. Rows are flagged `predicted`; beyond saturation also `saturated`."""

import csv
import hashlib
import json
import re
import subprocess

from harness.formats import MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION

from numbers_of_machines import ROOT

SATURATED = 3  # a steal that takes so many times what it takes one thief waits for others all the time
FOOT = ("Not modelled: siblings sharing a core, memory bandwidth, prefetchers, frequency (docs/simulate.md).")


def saturation(found, cases):
    """{(deque, settings): threads from which the thieves of a deque only wait for each other}"""
    first, near = {}, {}
    for case in sorted(cases, key=lambda one: one.threads):
        likely = found[case][0].values
        time, attempted = likely.get(("thief", "steal_time"), (None,))[0], likely.get(("thief", "frequency_ratio"), (1,))[0]
        if case.workload == "contention" and time is not None and case.threads > 1:
            key = case.deque, case.settings
            if time > SATURATED * first.setdefault(key, time) or attempted < 0.8:
                near.setdefault(key, case.threads)
    return near


def params_of(case):
    given = dict(argument.split("=", 1) for argument in case.arguments()[1:] if "=" in argument and not argument.startswith("--"))
    if case.workload == "contention":
        given = {"case": "cycle", "sample": "none", "item": "8", "block": "0", "capacity": "1024", "steal": "one", "pacing": "deadline",
                 "frequency": "100000", **given}
    return ";".join(f"{name}={value}" for name, value in sorted(given.items()))


def cell_of(case, machine):
    return hashlib.sha256(f"{machine} {case.deque} {case.workload} {params_of(case)}".encode()).hexdigest()[:16]


def write_run(folder, found, cases, machine, sets, traits, kept, command=(), beside=()):
    """samples.csv and manifest.json. kept: the lines of what the model was held against, for the foot of the figures. command: what
    was asked for. beside: [[machine, where, what, published, (likely, low, high), remark]] of the papers' numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    near = saturation(found, cases)
    with (folder / "samples.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(SAMPLE_COLUMNS)
        for case in cases:
            beyond = case.threads > near.get((case.deque, case.settings), case.threads)
            for invocation, outcome in enumerate(found[case]):
                def row(role, metric, value, unit, status, flags):
                    of = {"cell": cell_of(case, machine), "workload": case.workload, "deque": case.deque, "params": params_of(case),
                          "role": role, "invocation": invocation, "repetition": 0, "metric": metric, "value": value, "unit": unit,
                          "status": status, "flags": "+".join([*sorted(flags), "predicted"] + ["saturated"] * beyond)}
                    return [of.get(name, "") for name in SAMPLE_COLUMNS]

                for (role, metric), (value, unit) in outcome.values.items():
                    if not re.fullmatch(r"clock_.*|sampling_cost|tick", metric):
                        rows.writerow(row(role, metric, f"{value:.9g}", unit, "ok", outcome.flags - {"predicted"}))
                well = outcome.status == "ok"  # the time is that of the run in virtual time, at least
                rows.writerow(row("process", "invocation_time", case.seconds() if well else "", "s", outcome.status, set()))
    tags = {case: f"{case.workload}" for case in cases}
    manifest = {
        "manifest_version": MANIFEST_VERSION, "run": folder.name, "suite": "simulate", "host": "", "state": "finished", "exit_code": 0,
        "machine": {"cpu": f"PREDICTED for {machine}"}, "command": ["lab", "simulate", *command],
        "predicted": {"machine": machine, "sets": [name for name, _ in sets], "numbers": [numbers for _, numbers in sets],
                      "held_against": kept, "foot": FOOT, "beside": list(beside)},
        "samples": {"version": SAMPLES_VERSION, "columns": SAMPLE_COLUMNS},
        "sections": [{"tag": tag, "title": f"PREDICTED for {machine}: {tag}"} for tag in dict.fromkeys(tags.values())],
        "deques": [{"id": deque, **facts} for deque, facts in traits.items()],
        "cells": [{"cell": cell_of(case, machine), "workload": case.workload, "deque": case.deque, "params": params_of(case),
                   "tags": [tags[case]], "invocations": len(sets), "repetitions": 1} for case in cases]}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return near


def free_folder(name):
    """results/NAME, or NAME-2 and so on: nothing is overwritten."""
    number = 1
    while (folder := ROOT / "results" / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def draw(run):
    """The run's figures and its page; says where they are. Returns an exit code."""
    drawn = subprocess.run(["setup/python.sh", "-m", "plots.predicted", str(run)], cwd=ROOT, check=False).returncode
    print(f"\n{run.relative_to(ROOT)}/report.html")
    return drawn
