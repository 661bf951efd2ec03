"""Counters and places from outside: build/stealbench with the real deques, on whatever machine this is.

Usage: counted.py [NAME...]     NAME: only the tests whose name contains it
"""

import csv
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from fake_tree import expect, run_tests

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / "build" / "stealbench"
HARDWARE = {"instructions", "cycles", "l1_data_misses", "l2_misses", "l3_references", "l3_misses", "tlb_misses",
            "branch_misses", "modified_lines_taken", "cache_references", "cache_misses"}
KERNEL = {"voluntary_context_switches", "involuntary_context_switches", "minor_page_faults", "major_page_faults"}


class Ended:
    """One call of the driver: how it ended, what it printed, the rows and the manifest it left."""

    def __init__(self, *arguments, code=0, environment=None, before=(), keep=None):
        """keep: a folder that is to have the run."""
        self.folder = tempfile.mkdtemp(prefix="stealbench-counted-")
        try:
            done = subprocess.run([*before, str(DRIVER), *map(str, arguments), f"--results={self.folder}", "--name=r"],
                                  capture_output=True, text=True, timeout=300, check=False, cwd=ROOT,
                                  env={**os.environ, **(environment or {})})
            self.errors = done.stderr
            expect(done.returncode == code, f"exit {done.returncode}, not {code}: {done.stderr[-800:]}")
            run = Path(self.folder) / "r"
            self.left = sorted(path.name for path in run.iterdir()) if run.is_dir() else []
            self.rows, self.manifest = [], {}
            if "samples.csv" in self.left:
                self.rows = list(csv.DictReader((run / "samples.csv").open()))
                self.manifest = json.loads((run / "manifest.json").read_text())
            if keep:
                shutil.copytree(run, keep)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def of(self, metric, **wanted):
        return [row for row in self.rows if row["metric"] == metric
                and all(row[name] == value for name, value in wanted.items())]

    def value(self, metric, **wanted):
        found = self.of(metric, **wanted)
        expect(len(found) == 1 and found[0]["status"] == "ok", f"{metric} {wanted}: {found}")
        return float(found[0]["value"])


def quick(workload, deque, *more):
    return ["run", workload, f"--deque={deque}", "--repetitions=2", "--minimum_time=0.002", "--quiet", *more]


def processors():
    return sorted(os.sched_getaffinity(0))


def topology(name):
    """{processor: its text in /sys}, "" if there is none."""
    values = {}
    for processor in processors():
        path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/{name}")
        values[processor] = path.read_text().strip() if path.exists() else ""
    return values


def lacking():
    """A placement that this machine does not have for an owner and a thief, or None."""
    first = processors()[0]
    siblings, sockets = topology("thread_siblings_list"), topology("physical_package_id")
    if sum(siblings[processor] == siblings[first] for processor in siblings) < 2:
        return "same-core"
    return "cross-socket" if len(set(sockets.values())) < 2 else None


# --- hardware counters

def test_a_counter_has_a_value_or_a_status_and_never_neither():
    run = Ended(*quick("push", "chase_lev", "--counters=hardware", "--invocations=1"))
    for metric in HARDWARE:
        rows = run.of(metric) + run.of(f"{metric}_per_operation")
        expect(rows, f"{metric} is missing")
        for row in rows:
            expect((row["status"] == "ok") == bool(row["value"]), row)
            expect(row["status"] in ("ok", "denied"), row)
    for metric in ("instructions", "cycles"):
        for row in run.of(f"{metric}_per_operation", status="ok"):
            expect(float(row["value"]) > 0.1, row)
    expect(run.manifest["counters"]["papi"], run.manifest["counters"])


def test_without_papi_it_is_a_status_with_its_reason():
    there = {"STEALBENCH_PAPI": "/nonexistent/libpapi.so"}
    run = Ended(*quick("push", "array", "--counters=hardware", "--invocations=1"), environment=there)
    expect({row["status"] for metric in HARDWARE for row in run.of(metric)} == {"denied"}, run.rows)
    expect("/nonexistent/libpapi.so" in run.manifest["counters"]["papi"], run.manifest["counters"])
    said = subprocess.run([str(DRIVER), "doctor"], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **there}).stdout
    expect("PAPI: STEALBENCH_PAPI: /nonexistent/libpapi.so" in said, said)


def test_the_kernels_counts_are_always_there():
    for workload, roles in (("push", ["owner"]), ("steal", ["owner", "thief"]), ("contention", ["owner", "thief"])):
        if workload == "steal" and len(processors()) < 2:
            continue
        more = {"steal": ["--owner=busy", "--size=100"], "contention": ["--duration=0.02"]}.get(workload, [])
        run = Ended(*quick(workload, "chase_lev", "--invocations=1", *more))
        if any(row["status"] == "denied" for row in run.of("owner_operations", role="owner")):
            continue  # a busy machine: the two threads never had their processors together
        for role in roles:
            for metric in KERNEL:
                rows = run.of(metric, role=role)
                expect(rows and all(row["status"] == "ok" for row in rows), f"{workload}: {role} {metric}: {rows}")
        expect(not run.of("instructions"), "counters that nobody asked for")


STAND_IN = {"PAPI_TOT_INS": 9000, "PAPI_TOT_CYC": 3000, "PAPI_L1_DCM": 600, "PAPI_L2_TCM": 300, "PAPI_L3_TCM": 40,
            "perf::CACHE-REFERENCES": 500, "perf::CACHE-MISSES": 50}
COUNTED_SUITE = """invocations 2
minimum_time 0.002
[push] Push
push deque=chase_lev batch=1
counted
[sort] Sort
quicksort deque=chase_lev size=20k threads=1,2
counted placement=compact,scatter
"""


def drawn(run):
    """{name of a figure or table: its rows}, drawn from the run's folder."""
    subprocess.run(["/usr/bin/python3", "-m", "plots.draw", run], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return {path.stem: list(csv.DictReader(path.open())) for path in (run / "figures").glob("*.csv")}


def test_from_event_to_figure():
    """A stand-in libpapi counts a fixed number of each event in every window: the figure must show these counts divided by the
    operations that the same cell reports."""
    library = ROOT / "build/tests/papi_stand_in.so"
    subprocess.run(["make", "-s", "build/pool/chase_lev", "build/deques/chase_lev", str(library.relative_to(ROOT))], check=True,
                   cwd=ROOT, stdout=subprocess.DEVNULL)
    there = {"STEALBENCH_PAPI": str(library), "PAPI_STAND_IN": " ".join(f"{name}={count}" for name, count in STAND_IN.items())}
    with tempfile.NamedTemporaryFile("w", suffix=".suite") as suite, tempfile.TemporaryDirectory() as folder:
        suite.write(COUNTED_SUITE)
        suite.flush()
        run = Ended("suite", suite.name, "--quiet", environment=there, keep=Path(folder) / "counted")
        tables = drawn(Path(folder) / "counted")
    expect("not on this machine: hardware counters" not in run.errors, run.errors)
    expect([section["tag"] for section in run.manifest["sections"] if "status" not in section]
           == ["push", "sort", "push-counted", "sort-counted"], run.manifest["sections"])
    expect(not [row for row in run.of("l1_data_misses") if "counters=none" in row["params"]], "counted in the first sections")
    for metric, count in (("l1_data_misses", 600), ("l2_misses", 300), ("l3_misses", 40)):
        shown = {float(row["x"]) for row in tables["sort-counted-misses"]}
        for place in ("compact", "scatter"):
            of_place = [row for row in run.rows if {"threads=2", f"placement={place}", "counters=hardware"} <= {*row["params"].split(";")}]
            values = {(row["invocation"], row["repetition"], row["metric"]): float(row["value"]) for row in of_place if row["value"]}
            by_invocation = {}
            for (invocation, repetition, name), value in values.items():
                if name == f"{metric}_per_operation":
                    total = values[invocation, repetition, metric]
                    expect(total == 2 * count and abs(value * values[invocation, repetition, "tasks"] / total - 1) < 1e-6, (name, value))
                    by_invocation.setdefault(invocation, []).append(value)
            middle = median(map(median, by_invocation.values()))
            expect(any(abs(one / middle - 1) < 1e-6 for one in shown), (metric, place, middle, shown))
    expect({row["series"] for row in tables["sort-counted-misses"]} == {"compact, worker", "scatter, worker"}, tables)
    ratios = [float(row["L1 misses"]) / float(row["L2 misses"]) for row in tables["sort-counted"]]  # of rounded numbers
    expect(len(ratios) == 4 and all(abs(ratio / 2 - 1) < 0.02 for ratio in ratios), ratios)


def test_without_counters_it_is_said_once():
    with tempfile.NamedTemporaryFile("w", suffix=".suite") as suite:
        suite.write(COUNTED_SUITE)
        suite.flush()
        there = {"STEALBENCH_PAPI": "/nonexistent/libpapi.so"}
        run = Ended("suite", suite.name, "--only=push", "--quiet", environment=there)
        refused = Ended("suite", suite.name, "--only=push-counted", "--quiet", environment=there, code=3)
    expect(run.errors.count("not on this machine: hardware counters") == 1 and "left out push-counted, 1 cells" in run.errors, run.errors)
    expect([section["tag"] for section in run.manifest["sections"] if section.get("status") == "denied"] == ["push-counted"],
           run.manifest["sections"])
    expect({row["status"] for row in run.rows} == {"ok"}, "a status for each cell")
    expect("the plan asks for nothing else" in refused.errors and not refused.left, refused.errors)


# --- places

def test_places_and_memory_are_asked_for_and_read_back():
    if len(processors()) < 2:
        print("not tested: one processor")
        return
    first, second = processors()[:2]
    for workload, more in (("steal", ["--owner=busy", "--size=100"]), ("contention", ["--duration=0.02"])):
        run = Ended(*quick(workload, "chase_lev", "--invocations=1", f"--placement={second}+{first}",
                           "--memory=interleaved", *more))
        got = {row["placement"] for row in run.rows}
        expect(len(got) == 1 and got.pop().startswith(f"owner:{second};thief:{first};memory:"), run.rows[0])
        expect("memory=interleaved" in run.rows[0]["params"], run.rows[0])


def test_an_impossible_place_is_an_error_by_hand_and_a_status_in_a_suite():
    place = lacking()
    if not place:
        print("not tested: this machine has siblings and two sockets")
        return
    refused = Ended(*quick("steal", "chase_lev", "--owner=busy", f"--placement={place}"), code=2)
    expect(f"placement={place}: an owner and 1 thief" in refused.errors and "this process may use" in refused.errors
           and f"{len(processors())} processor" in refused.errors, refused.errors)
    with tempfile.NamedTemporaryFile("w", suffix=".suite") as suite:
        suite.write("invocations 1\nminimum_time 0.002\n[5.2-places] Places\n"
                    f"steal deque=chase_lev owner=busy size=100 placement={place},compact\n")
        suite.flush()
        run = Ended("suite", suite.name, "--only=5.2", "--quiet")
    expect("not on this machine: " in run.errors, run.errors)
    expect(len(run.of("placement", status="denied")) == 1 and len(run.of("steal_latency", status="ok")) >= 1, run.rows)


def test_a_busy_owner_needs_a_processor_of_its_own():
    """Else a cell would go on for hours; by hand, in a suite, and where a placement asks for it."""
    one = processors()[0]
    for before, more in ((["taskset", "-c", str(one)], []), ([], [f"--placement={one}"])):
        for deque in ("chase_lev", "lf_bulk"):
            run = Ended(*quick("steal", deque, "--owner=busy", "--percent=50", "--invocations=1", *more), before=before)
            expect([row["status"] for row in run.of("placement")] == ["denied"] and not run.of("steal_latency"), run.rows)
    # thieves that have a time to steal in share a processor, flagged
    run = Ended(*quick("contention", "chase_lev", "--duration=0.02", "--invocations=1"), before=["taskset", "-c", str(one)])
    expect({row["flags"] for row in run.of("thief_operations")} == {"oversubscribed+no_distance"}, run.rows)


def test_a_thief_that_is_not_there_has_no_memory():
    refused = Ended(*quick("push", "array", "--memory=thief"), code=2)
    expect("memory=thief: this cell has no thief" in refused.errors, refused.errors)


def test_pingpong_meets_every_pair_of_cores_once():
    if len(processors()) < 2:
        print("not tested: one processor")
        return
    run = Ended(*quick("pingpong", "empty", "--pairs=processors", "--invocations=1", "--placement="
                       + "+".join(map(str, processors()[:3]))))
    pairs = {tuple(sorted(map(int, row["role"].split("-")))) for row in run.of("ping_pong_time", status="ok")
             if row["role"][0].isdigit()}
    some = processors()[:3]
    expect(pairs == {(a, b) for a in some for b in some if a < b}, pairs)
    expect(all(float(row["value"]) > 5 for row in run.of("ping_pong_time", status="ok")), "faster than light")
    related = {row["role"]: row["status"] for row in run.of("ping_pong_time") if not row["role"][0].isdigit()}
    expect(set(related) == {"same-core", "same-socket", "cross-socket"} and "ok" in related.values(), related)


if __name__ == "__main__":
    run_tests(globals())
