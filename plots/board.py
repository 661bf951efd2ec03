"""python3 -m plots.board RUN FILE: a run of ./run.sh runtimes in the format of the public board of fork-join runtimes.

The board is https://github.com/tzcnt/runtime-benchmarks: its RESULTS.json has the runs of each runtime and benchmark. A run has
params, threads, and a result: duration in whole microseconds, peak memory, the ratio to the fastest (scaled) and to its own
first number of threads (speedup). The board's page and its merge_results.py read such a file.
Durations are medians over invocations. Sizes are those of the run, even if the board's differ (fib(39), 14 queens, matmul(2048)).
"""

import argparse
import json
from pathlib import Path

from plots.data.cells import cells_of, grouped
from plots.data.run_folder import PROGRAM, Problem, Run, run_program
from plots.data.runtimes import RUNTIMES
from plots.data.summaries import summarize

# Our workload: the parameter that the board uses too. Cells with other parameters set (a cutoff) are no benchmarks of the board.
SIZES = {"fib": "n", "nqueens": "n", "skynet": "depth", "matmul": "side"}
PLAIN = {"cutoff": {"fib": "1", "nqueens": "0"}}


def memory_text(size):
    mebibytes = size / 2**20
    return f"{round(mebibytes / 1024, 2)} GB" if mebibytes >= 1024 else f"{round(mebibytes, 2)} MB"


def of_board(run, summaries):
    """{runtime: {benchmark: [run]}}"""
    found = {}
    cells = [cell for cell in cells_of(run, summaries) if cell.workload in SIZES and cell.value("pool", "run_time")
             and cell.params.get("cutoff", PLAIN["cutoff"].get(cell.workload)) == PLAIN["cutoff"].get(cell.workload)]
    once = {cell.name: cell for cell in cells if cell.params.get("threads", "").isdigit()}  # in whatever sections
    for cell in sorted(once.values(), key=lambda cell: (int(cell.params[SIZES[cell.workload]]), int(cell.params["threads"]))):
        name = cell.deque if cell.deque in RUNTIMES else f"stealbench_{cell.deque}"
        memory = cell.value("process", "peak_memory")
        result = {"duration": f"{max(1, round(cell.value('pool', 'run_time').median * 1e6))} us"}
        if memory and memory.median is not None:
            result["max_rss"] = memory_text(memory.median)
        found.setdefault(name, {}).setdefault(cell.workload, []).append(
            {"params": cell.params[SIZES[cell.workload]], "threads": int(cell.params["threads"]), "config": "", "result": result})
    every = [(name, benchmark, one) for name, benchmarks in found.items() for benchmark, runs in benchmarks.items() for one in runs]
    for some in grouped(every, lambda one: (one[1], one[2]["params"])).values():
        least = min(microseconds(one) for *_, one in some)
        for name, _, one in some:
            first = next(other for owner, _, other in some if owner == name)
            one["result"]["scaled"] = round(microseconds(one) / least, 2)
            one["result"]["speedup"] = round(microseconds(first) / microseconds(one), 2)
    return found


def microseconds(one):
    return int(one["result"]["duration"].split()[0])


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("file", metavar="FILE")
    options = parser.parse_args()
    run = Run(options.run)
    results = of_board(run, summarize(run))
    if not results:
        raise Problem(f"{run.folder} has none of {', '.join(SIZES)} on the pool or a runtime")
    machine, build = run.manifest.get("machine") or {}, run.manifest.get("build") or {}
    metadata = {"start_time": str(run.manifest.get("start", "unknown")), "cpu": machine.get("cpu", "unknown"),
                "cores": str(machine.get("processors_allowed", "unknown")), "kernel": machine.get("kernel", "unknown"),
                "compiler": build.get("version", "unknown")}
    Path(options.file).write_text(json.dumps({"metadata": metadata, "results": results}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    run_program(main)
