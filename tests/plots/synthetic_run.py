"""A made-up run for tests: the folder that the driver would write, with known values."""

import csv
import json
import math
import random
from pathlib import Path

from harness.formats import MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION
from harness.judging.run_folder import Run
from harness.judging.summaries import summarize

COMMON = {"cache": "warm", "capacity": "0", "method": "corrected", "node": "64", "order": "sequential",
          "placement": "compact", "seed": "1"}
DEQUES = {
    "array": {"title": "array stack", "source": "for one thread", "reference": "1", "sound": "1"},
    "empty": {"title": "empty (harness only)", "source": "the harness's own cost", "reference": "1", "sound": "1"},
    "locked": {"title": "mutex", "source": "Duwadi 2025, figure 2.5", "reference": "0", "sound": "1"},
    "abp": {"title": "ABP", "source": "Arora, Blumofe, Plaxton: SPAA 1998", "reference": "0", "sound": "1"},
    "chase_lev": {"title": "Chase-Lev", "source": "Chase, Lev: SPAA 2005", "reference": "0", "sound": "1"},
    "taskflow_bounded": {"title": "Taskflow bounded", "source": "Taskflow v4.1", "reference": "0", "sound": "1"},
    "taskflow_unbounded": {"title": "Taskflow unbounded", "source": "Taskflow v4.1", "reference": "0", "sound": "1"},
    "lf_bulk": {"title": "LF bulk list", "source": "Kataru, Davarnia, Jannesari", "reference": "0", "sound": "1",
                "mode": "walk", "mode_values": "full|skip"},
    "as_published/lf_queue": {"title": "LF_Queue as published", "source": "Kataru, Davarnia, Jannesari",
                              "reference": "0", "sound": "0", "fault": "items are lost and doubled"},
}


class SyntheticRun:
    """Collects cells and writes them as a run. noise: the relative spread between invocations."""

    def __init__(self, folder, invocations=7, repetitions=3, noise=0.02, seed=1, deques=None):
        self.folder = Path(folder)
        self.invocations, self.repetitions, self.noise = invocations, repetitions, noise
        self.random = random.Random(seed)
        self.cells, self.rows, self.sections, self.histograms = [], [], [], []
        self.manifest = {}  # what else, or other, the manifest has
        self.deques = DEQUES if deques is None else deques
        self.title = None
        self.command = ["./run.sh", "synthetic"]
        self.machine = {"cpu": "a made-up processor", "cores": 2, "kernel": "6.1"}
        self.build = {"compiler": "gcc", "version": "12.2.0", "flags": "-O3", "cppflags": ""}

    def section(self, tag, title):
        self.sections.append({"tag": tag, "title": title})

    def cell(self, tags, workload, deque, params, metrics, status="ok", flags="", failing=()):
        """metrics: {name or (role, name): (value, unit)}. failing: the invocations that end with status instead of values."""
        settings = {**COMMON, **{name: str(value) for name, value in params.items()}}
        text = ";".join(f"{name}={settings[name]}" for name in sorted(settings))
        name = f"{len(self.cells) + 1:016x}"
        self.cells.append({"cell": name, "tags": list(tags), "workload": workload, "deque": deque, "params": text})
        for invocation in range(self.invocations):
            drift = 1 + self.random.gauss(0, self.noise)
            failed = status != "ok" and (not failing or invocation in failing)

            worker = "thief" if workload == "steal" else "owner"

            def row(role, repetition, metric, value, unit, its_status="ok", its_flags=""):
                self.rows.append([name, workload, deque, text, "owner:0", role, invocation, repetition, metric,
                                  "" if value is None else repr(value), unit, its_status, its_flags])

            for metric, (value, unit) in metrics.items():
                role = "process" if metric == "share_counted" else worker
                role, metric = metric if isinstance(metric, tuple) else (role, metric)
                for repetition in range(0 if failed else self.repetitions):
                    spread = drift * (1 + self.random.gauss(0, self.noise / 4))
                    row(role, repetition, metric, value * spread, unit, its_flags=flags)
            if failed and status == "unsupported":
                row("process", 0, workload, None, "", status)
            row("process", 0, "clock_overhead", 24.0, "ns")
            row("process", 0, "peak_memory", 1234944.0, "bytes")
            ended = status if failed and status != "unsupported" else "ok"
            row("process", 0, "invocation_time", 0.21 if ended == "ok" else None, "s", ended)
        return name

    def exact(self, workload, deque, params, invocations, tags=("x",), role="owner", unit="ns", flags=""):
        """A cell with exactly these values. invocations: {metric: value, or a list of one a repetition} of each; "variant" in it
        is the column of that name."""
        name = self.cell(tags, workload, deque, params, {})
        text = self.cells[-1]["params"]
        self.rows = [row for row in self.rows if row[0] != name]
        for number, values in enumerate(invocations):
            values = dict(values)
            variant, head = [values.pop("variant")] if "variant" in values else [], [name, workload, deque, text, "owner:0"]
            for metric, some in values.items():
                for repetition, value in enumerate(some if isinstance(some, list) else [some]):
                    self.rows.append([*head, role, number, repetition, metric, value, unit, "ok", flags, *variant])
            self.rows.append([*head, "process", number, 0, "invocation_time", 0.1, "s", "ok", "", *variant])
        return name

    def histogram(self, name, role, metric, median):
        """Lognormal around median."""
        for invocation in range(self.invocations):
            for step in range(-60, 90):
                lower, upper = (median * math.exp(place / 30) for place in (step, step + 1))
                if count := int(10000 * math.exp(-((step / 12) ** 2) / 2)):
                    self.histograms.append([name, role, invocation, 0, metric, f"{lower:.9g}", f"{upper:.9g}", count, "ns"])

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = {"manifest_version": MANIFEST_VERSION, "run": self.folder.name, "suite": "synthetic", "suite_title": self.title,
                    "command": self.command, "start": "2026-01-01T00:00:00Z", "state": "finished",
                    "samples": {"version": SAMPLES_VERSION, "columns": SAMPLE_COLUMNS},
                    "suite_text": "section fig6\n  push batch=1,128\n",
                    "machine": self.machine, "build": self.build,
                    "cells": self.cells, "sections": self.sections,
                    "deques": [{"id": name, **facts} for name, facts in self.deques.items()]} | self.manifest
        (self.folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        with open(self.folder / "samples.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(SAMPLE_COLUMNS)
            writer.writerows([*row, *[""] * (len(SAMPLE_COLUMNS) - len(row))] if len(row) > 12 else row for row in self.rows)
        if self.histograms:
            with open(self.folder / "histograms.csv", "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow("cell role invocation repetition metric lower upper count unit".split())
                writer.writerows(self.histograms)
        return self.folder

    def read(self):
        """(the Run, its summaries)"""
        run = Run(self.write())
        return run, summarize(run)


# (deque, ns an item, other settings, flags)
PUSHES = [("array", 0.8, {}, ""), ("empty", 0.3, {}, ""), ("locked", 19.0, {}, ""), ("abp", 1.1, {}, "emulated"),
          ("chase_lev", 0.85, {}, ""), ("taskflow_bounded", 0.43, {}, ""), ("taskflow_bounded", 0.86, {"push": "single"}, ""),
          ("taskflow_unbounded", 0.535, {}, ""), ("taskflow_unbounded", 1.07, {"push": "single"}, ""),
          ("lf_bulk", 1.6, {"walk": "full"}, ""), ("lf_bulk", 0, {"walk": "full", "prelinked": "1"}, ""),
          ("as_published/lf_queue", 1.5, {}, "unsound")]
STEALS = {"array": 0.84, "empty": 0.3, "locked": 22.0, "abp": 17.5, "chase_lev": 17.1, "taskflow_bounded": 16.8, "taskflow_unbounded": 17.2}
POPS = {"array": 1.0, "empty": 0.3, "locked": 19.5, "abp": 8.9, "chase_lev": 8.36, "taskflow_bounded": 8.36, "taskflow_unbounded": 8.4,
        "lf_bulk": 9.1}


def add_push(run):
    run.section("fig6", "Figure 6: push latency by batch size")
    for method, excess in (("corrected", 0), ("published", 270)):
        for deque, each, more, flags in PUSHES:
            for batch in (1, 128, 512, 1024):
                latency = (each * batch or 2.1) + excess
                run.cell(["fig6"], "push", deque, {"batch": batch, "method": method, "push": "batch", "prelinked": "0", **more},
                         {"push_latency": (latency, "ns"), "push_latency_per_item": (latency / batch, "ns")}, flags=flags)


def add_steal(run):
    run.section("fig7", "Figure 7: steal latency by proportion")
    run.section("fig8", "Figure 8: optimised steal")
    for owner, percent in ((owner, percent) for owner in ("idle", "busy") for percent in (10, 20, 30, 40, 50, 60)):
        settings, slower = {"percent": percent, "owner": owner, "size": 10000}, 1.6 if owner == "busy" else 1
        for deque, each in STEALS.items():
            metrics = {"steal_latency": (each * percent * 100 * slower, "ns"), "steal_latency_per_item": (each, "ns"),
                       "items_stolen": (percent * 100.0, "items")}
            if owner == "busy":
                metrics |= {"share_counted": (0.93, ""), "lost_attempts": (12.0, "")}
            run.cell(["fig7"], "steal", deque, settings, metrics, flags="emulated",
                     status="unsupported" if (owner, deque) == ("busy", "array") else "ok")
        for walk, latency, tags in (("full", 21000.0, ["fig7", "fig8"]), ("skip", 21000.0 * (1 - percent / 100), ["fig8"])):
            run.cell(tags if owner == "idle" else ["fig7"], "steal", "lf_bulk", {**settings, "walk": walk},
                     {"steal_latency": (latency, "ns"), "steal_latency_per_item": (latency / percent / 100, "ns")})


def add_pop(run):
    run.section("pop", "Pop latency")
    for deque, latency in POPS.items():
        for method, excess in (("corrected", 0), ("published", 276)):
            run.cell(["pop"], "pop", deque, {"method": method, "take": "one", "size": 1000}, {"pop_latency": (latency + excess, "ns")})


def add_later_workload(run):
    """A section that has no figure of operations."""
    run.section("fig9", "Figure 9: exploring a graph")
    for deque in ("chase_lev", "lf_bulk"):
        for threads in (1, 2):
            run.cell(["fig9"], "dag", deque, {"threads": threads, "nodes": 2500000},
                     {"run_time": (4.0 / threads, "s"), "tasks_per_second": (6e5 * threads, "1/s")},
                     status="crashed" if deque == "lf_bulk" and threads == 2 else "ok", failing=(0, 1))


def whole_run(folder, **settings):
    run = SyntheticRun(folder, **settings)
    for add in (add_push, add_steal, add_pop, add_later_workload):
        add(run)
    run.section("fig10", "Figure 10: nothing was measured for this one")
    return run.write()
