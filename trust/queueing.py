"""python3 -m trust.queueing RUN: does an open load on the pool behave like the queue of theory? A table of a run of
trust/serve.suite, and RUN/queueing.csv.

Theory's values are computed for each process from its own rate of arrivals and its own capacity. A row is within its limit if the
ratio of measured to theory is within 5 %, or its 95 % interval over processes reaches there. The program only reports, and fails
if the question cannot be answered (exit 3).
"""

import argparse
from collections import defaultdict

from plots.data.queueing import MD1, quantile, system_of
from plots.data.run_folder import PROGRAM, Problem, Run, run_program
from plots.statistics import LEAST_PAIRS, median, paired_log_ratio
from trust.trust import Row, tell, values_of, within

LIMIT = 0.05
ASKED = {"sojourn_mean": None, "sojourn_p50": 0.5, "sojourn_p90": 0.9, "sojourn_p99": 0.99}


def pairs_of(run):
    """({(deque, queue, load): {metric: [(measured ns, theory's)] by process}}, those keys that had no processor for each)."""
    found, crowded = defaultdict(lambda: defaultdict(list)), set()
    for (cell, _), rows in sorted(run.invocations.items()):
        facts = run.cells[cell]
        rates, capacities = values_of(rows, "offered_rate"), values_of(rows, "request_capacity")
        system = system_of(facts["params"], median(rates) / 1e9, median(capacities) / 1e9) if rates and capacities else None
        if facts["workload"] != "serve" or system is None:
            continue
        name = "M/D/1" if isinstance(system, MD1) else f"M/M/{facts['params']['threads']}"
        key = facts["deque"], name, facts["params"]["load"]
        if any("oversubscribed" in row["flags"] for row in rows):
            crowded.add(key)
        for metric, part in ASKED.items():
            if values := values_of(rows, metric):
                found[key][metric].append((median(values), system.mean if part is None else quantile(system, part)))
    return found, crowded


def rows_of(run):
    found, crowded = pairs_of(run)
    if not found:
        raise Problem(f"{run.folder} has no sojourn times: was it a run of trust/serve.suite, and did the generator keep its times?")
    rows = []
    for key, by_metric in found.items():
        deque, name, load = key
        for metric, pairs in by_metric.items():
            measured, theory = zip(*pairs)
            ratio, low, high = paired_log_ratio(measured, theory)
            known = low is not None and len(pairs) >= LEAST_PAIRS and key not in crowded
            rows.append(Row(f"an open load is {name}", "serve", f"{deque}, {load} %, {metric.removeprefix('sojourn_')}"
                            + (", no processor each" if key in crowded else ""), median(measured) / 1e3, median(theory) / 1e3, "us",
                            ratio=ratio, low=low, high=high, limit="5 %",
                            verdict=within(low <= 1 + LIMIT and high >= 1 - LIMIT) if known else ""))
    return rows


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a folder below results/ that trust/serve.suite wrote")
    run = Run(parser.parse_args().run)
    tell(rows_of(run), run.folder / "queueing.csv")


if __name__ == "__main__":
    run_program(main)
