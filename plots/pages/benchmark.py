"""RUN/benchmark.json: the run in Google Benchmark's format, for its compare.py and other programs.

A benchmark is a cell, `push/chase_lev/batch:64`: workload, deque, and the settings that are not at their defaults. Its
repetitions are our invocations, each the median of its own repetitions, for those within a process depend on each other. The
aggregates are over invocations. A time is of one operation, in ns: a push of a batch, a steal of the proportion, a run of an
application. cpu_time is the same time, for only one is measured.
"""

import json
import statistics

from harness.judging.defaults import defaults_of
from harness.judging.summaries import metrics_by_cell, usable
from harness.judging.words import NANOSECONDS
from harness.judging.files import write_whole

# The times of one operation. A cell with several has a benchmark for each, with the metric in its name.
TIMES = ["push_latency", "pop_latency", "pair_latency", "steal_latency", "push_time", "pop_time",
         "steal_time", "push_largest", "run_time", "time_per_call"]
ROLES = ("owner", "thief", "pool", "process")
AGGREGATES = [("mean", statistics.fmean, "time"), ("median", statistics.median, "time"), ("stddev", statistics.stdev, "time"),
              ("cv", lambda values: statistics.stdev(values) / statistics.fmean(values), "percentage")]


def write_benchmark(run, summaries):
    """Writes RUN/benchmark.json; returns its path."""
    text = json.dumps({"context": context(run), "benchmarks": benchmarks(run, summaries)}, indent=2)
    return write_whole(run.folder / "benchmark.json", text + "\n")


def context(run):
    machine = run.manifest.get("machine") or {}
    return {"date": run.manifest.get("start", ""), "host_name": machine.get("host", ""), "executable": run.name,
            "num_cpus": machine.get("processors") or machine.get("cores") or 0, "mhz_per_cpu": 0,
            "cpu_scaling_enabled": machine.get("governor") not in (None, "", "performance", "none"), "caches": [],
            "load_avg": [], "library_build_type": "release"}


def name_of(cell):
    """push/chase_lev/batch:64"""
    defaults = defaults_of(cell["workload"], cell["deque"])
    always = {"push": ["batch"], "steal": ["percent"]}.get(cell["workload"], [])
    told = [f"{name}:{value.replace('/', '%2F')}" for name, value in sorted(cell["params"].items())
            if name in always or defaults.get(name) != value]
    return "/".join([cell["workload"], cell["deque"].replace("/", "%2F"), *told])


def threads_of(params):
    for name, own in (("threads", 0), ("thieves", 1)):
        if params.get(name, "").isdigit():
            return int(params[name]) + own
    return 1


def benchmarks(run, summaries):
    rows = []
    for cell, metrics in metrics_by_cell(summaries).items():
        known = run.cells[cell]
        found = [(metric, summary) for metric in TIMES for role in ROLES
                 for summary in [usable(metrics.get((role, metric)))] if summary and summary.unit in NANOSECONDS]
        for metric, summary in found:
            name = name_of(known) + (f"/{metric}" if len(found) > 1 else "")
            rows += entries(name, len(rows), threads_of(known["params"]), summary)
    return rows


def entries(name, family, threads, summary):
    """One entry an invocation and, if there are several, the aggregates."""
    scale = NANOSECONDS[summary.unit]
    times = [value * scale for value in summary.by_invocation.values()]
    common = {"family_index": family, "per_family_instance_index": 0, "run_name": name}
    rows = [{"name": name, **common, "run_type": "iteration", "repetitions": len(times), "repetition_index": place,
             "threads": threads, "iterations": summary.repetitions, "real_time": time, "cpu_time": time,
             "time_unit": "ns"} for place, time in enumerate(times)]
    if len(times) > 1:
        for aggregate, of, unit in AGGREGATES:
            rows.append({"name": f"{name}_{aggregate}", **common, "run_type": "aggregate", "repetitions": len(times),
                         "threads": threads, "aggregate_name": aggregate, "aggregate_unit": unit,
                         "iterations": len(times), "real_time": of(times), "cpu_time": of(times), "time_unit": "ns"})
    return rows
