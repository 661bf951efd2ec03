"""Counters and places from outside: build/stealbench with the real deques, on whatever machine this is.

Usage: counted.py [NAME...]     NAME: only the tests whose name contains it
"""

import csv
import functools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from fake_tree import expect, run_tests

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / "build" / "stealbench"
SETS = {}  # {set: {metric}}
with (ROOT / "harness/measuring/counter_sets.csv").open() as table:
    for line in csv.DictReader(table):
        SETS.setdefault(line["set"], set()).add(line["metric"])
PROCESSORS = ("icx", "amd64_fam19h_zen4")
if os.environ.get("EVERYTHING"):
    PROCESSORS += ("skx", "clx", "spr", "amd64_fam19h_zen3")
SOCKETS = {path.read_text() for path in Path("/sys/devices/system/cpu").glob("cpu*/topology/physical_package_id")}
KERNEL = {"voluntary_context_switches", "involuntary_context_switches", "minor_page_faults", "major_page_faults"}


class Ended:
    """One call of the driver: how it ended, what it printed, the rows and the manifest it left."""

    def __init__(self, *arguments, code=0, environment=None, before=(), draw=False):
        """draw: its figures and tables, {name: rows}, too."""
        with tempfile.TemporaryDirectory(prefix="stealbench-counted-") as folder:
            done = subprocess.run([*before, str(DRIVER), *map(str, arguments), f"--results={folder}", "--name=r"], cwd=ROOT, check=False,
                                  capture_output=True, text=True, timeout=300, env={**os.environ, **(environment or {})})
            self.errors, run = done.stderr, Path(folder) / "r"
            expect(done.returncode == code, f"exit {done.returncode}, not {code}: {done.stderr[-800:]}")
            self.left, self.rows, self.manifest = run.exists(), [], {}
            if (run / "samples.csv").exists():
                self.rows = list(csv.DictReader((run / "samples.csv").open()))
                self.manifest = json.loads((run / "manifest.json").read_text())
            if draw:
                subprocess.run(["/usr/bin/python3", "-m", "plots.draw", run], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
                self.drawn = {path.stem: list(csv.DictReader(path.open())) for path in (run / "figures").glob("*.csv")}

    def of(self, metric, **wanted):
        return [row for row in self.rows if row["metric"] == metric and all(row[name] == value for name, value in wanted.items())]


def suite(text, *words, **more):
    """A suite with this text, run."""
    with tempfile.NamedTemporaryFile("w", suffix=".suite") as file:
        file.write(text)
        file.flush()
        return Ended("suite", file.name, "--quiet", *words, **more)


def quick(workload, deque, *more):
    return ["run", workload, f"--deque={deque}", "--repetitions=2", "--minimum_time=0.002", "--quiet", *more]


def processors():
    return sorted(os.sched_getaffinity(0))


def lacking():
    """A placement that this machine does not have for an owner and a thief, or None."""
    first = Path(f"/sys/devices/system/cpu/cpu{processors()[0]}/topology/thread_siblings_list").read_text().strip()
    return "same-core" if first.isdigit() else "cross-socket" if len(SOCKETS) < 2 else None


# --- hardware counters

def as_processor(name):
    """The environment in which the real libpapi counts as on that processor (tests/harness/pmu.c)."""
    return {"LIBPFM_FORCE_PMU": name, "LD_PRELOAD": str(ROOT / "build/tests/pmu.so")}


@functools.cache
def counts():
    """Does this machine let us count as another processor?"""
    subprocess.run(["make", "-s", "build/tests/pmu.so", "build/tests/counted/one_fault"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    said = doctor(as_processor("icx"))
    if "PAPI: available" not in said:
        print("not tested:", next(line for line in said.splitlines() if "PAPI" in line))
    return "PAPI: available" in said


def doctor(environment):
    return subprocess.run([str(DRIVER), "doctor"], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment}).stdout


def events_of_suites():
    """What suites ask for by events=, without the comments."""
    words = " ".join(line.split("#")[0] for path in (ROOT / "suites").glob("*.suite") for line in path.read_text().splitlines()).split()
    return {one for word in words if word.startswith("events=") for one in word.removeprefix("events=").split(",")}


def test_each_set_fits_each_processor():
    """The named sets, and what suites ask for by name: each event has a value, and one an operation, of the same operations."""
    if not counts():
        return
    for processor in PROCESSORS:
        there = as_processor(processor)
        for asked in [*(f"--counters={name}" for name in SETS), *(f"--events={events}" for events in events_of_suites())]:
            if asked == "--counters=remote" and len(SOCKETS) == 1:
                refused = Ended(*quick("push", "chase_lev", asked, "--invocations=1"), environment=there, code=3)
                expect("one socket has no remote memory" in refused.errors, refused.errors)
                continue
            run = Ended(*quick("push", "chase_lev", asked, "--batch=8", "--invocations=1"), environment=there)
            found = {row["metric"]: row["value"] for row in run.rows if row["role"] == "owner"}
            expect("" not in found.values(), f"{processor} {asked}: {run.errors} {found}")
            each = {name.removesuffix("_per_operation"): float(value) for name, value in found.items() if name.endswith("_per_operation")}
            if asked.startswith("--counters="):
                expect(each.keys() <= SETS[asked.split("=")[1]] and len(each) >= 3, (processor, asked, each))
            operations = [float(found[name]) / value for name, value in each.items() if value]
            expect(operations and max(operations) - min(operations) < 1, f"{processor} {asked}: operations {operations}")


def test_what_cannot_be_counted_is_refused_by_name():
    """Five of Ice Lake's load events; a libpapi that is not there."""
    events = "+".join(f"MEM_LOAD_RETIRED:L{level}" for level in ("1_MISS", "1_HIT", "2_MISS", "2_HIT", "3_MISS"))
    there = {"STEALBENCH_PAPI": "/nonexistent/libpapi.so"}
    cases = [(there, "--counters=pipeline", "STEALBENCH_PAPI: /nonexistent/libpapi.so")]
    if counts():
        cases += [(as_processor("icx"), f"--events={events}", "MEM_LOAD_RETIRED:L3_MISS: does not fit into the processor's counters"),
                  (as_processor("icx"), "--events=PAPI_TOT_INS+nonsense", "nonsense: "),
                  (as_processor("icx"), "--events=PAPI_TOT_INS+PAPI_TOT_CYC+PAPI_TOT_INS", "PAPI_TOT_INS: is there twice"),
                  (as_processor("icx"), "--events=" + "+".join(f"a{i}" for i in range(17)), "a16: a set has at most 16 events"),
                  # a processor that says 0 instructions did not count
                  ({**as_processor("icx"), "PMU_HALF": "1"}, "--counters=pipeline", "it read 0 where instructions ran")]
    for environment, asked, why in cases:
        refused = Ended(*quick("push", "chase_lev", asked, "--invocations=1"), environment=environment, code=3)
        expect(why in refused.errors and not refused.left, refused.errors)
    said = doctor(there)
    expect("STEALBENCH_PAPI: /nonexistent/libpapi.so" in said and "\n         why it matters: " in said, said)


def test_a_paced_thief_has_no_value_an_attempt():
    """Most of its instructions read the clock."""
    if not counts() or len(processors()) < 2:
        return
    for frequency, has in (("100k", False), ("max", True)):
        run = Ended(*quick("contention", "locked", f"--frequency={frequency}", "--duration=0.02", "--counters=pipeline", "--invocations=1"),
                    environment=as_processor("icx"))
        if not [row for row in run.of("owner_operations", role="owner") if row["status"] == "denied"]:
            expect(bool(run.of("instructions_per_operation", role="thief")) == has and run.of("instructions_per_operation", role="owner"),
                   f"{frequency}: {run.of('instructions_per_operation')}")


def test_the_kernels_counts_are_always_there():
    run = Ended(*quick("contention", "chase_lev", "--invocations=1", "--duration=0.02"))
    for role, metric in ((role, metric) for role in ("owner", "thief") for metric in KERNEL):
        rows = run.of(metric, role=role)  # none on a busy machine, where the two threads never had their processors together
        expect(run.of("owner_operations", status="denied") or rows and {row["status"] for row in rows} == {"ok"},
               f"{role} {metric}: {rows}")
    expect(not run.of("instructions"), "counters that nobody asked for")


COUNTED_SUITE = """invocations 2
minimum_time 0.002
[push] Push
push deque=chase_lev batch=1
counted
[sort] Sort
quicksort deque=chase_lev size=20k threads=1,2
counted placement=compact,scatter
"""


def counted_lines_of_quick():
    """What quick counts, of the deque with one page fault an item on a steal and none on a push (tests/harness/one_fault.h); a fault may
    take 50 us, so thieves take one item."""
    lines = [line for line in (ROOT / "suites/quick.suite").read_text().splitlines()
             if not re.search("walk=|prelinked=|node=|version=", line)]
    return re.sub(r"percent=\S+", "size=10 percent=10", re.sub(r"deque=\S+", "deque=one_fault", "\n".join(lines)))


def test_from_event_to_figure():
    """On two made-up processors what quick counts has the value that is due: in the rows, by item, and as points of the figures."""
    if not counts():
        return
    for processor in PROCESSORS[:2]:
        run = suite(counted_lines_of_quick(), "--only=fig6-counted,fig7-counted,fig9-counted", "--invocations=1",
                    f"--deques-in={ROOT}/build/tests/counted", environment=as_processor(processor), draw=processor == PROCESSORS[0])
        for workload, role, due in (("push", "owner", 0), ("steal", "thief", 1)):
            values = [float(row["value"]) for row in run.of("l1_data_misses_per_operation", role=role, workload=workload)
                      if "owner=busy" not in row["params"]]
            expect(values and all(abs(value - due) < 0.01 for value in values), f"{processor} {workload}: {values}")
        if processor != PROCESSORS[0]:
            continue
        # what is 0 everywhere has no figure
        shown = [float(row["y"]) for row in run.drawn["fig7-counted-steal-l1_data_misses-thief"]]
        expect(shown and all(abs(value - 1) < 0.01 for value in shown), f"{processor}: {shown}")
        expect("fig6-counted-push-l1_data_misses-owner" not in run.drawn, sorted(run.drawn))
        expect("fig9-counted-dag-l1_data_misses-worker" in run.drawn, sorted(run.drawn))


def test_without_counters_it_is_said_once():
    there = {"STEALBENCH_PAPI": "/nonexistent/libpapi.so"}
    run = suite(COUNTED_SUITE, "--only=push", environment=there)
    refused = suite(COUNTED_SUITE, "--only=push-counted", environment=there, code=3)
    expect(run.errors.count("not on this machine: hardware counters") == 1 and "left out push-counted, 2 cells" in run.errors, run.errors)
    expect([section["tag"] for section in run.manifest["sections"] if section.get("status") == "denied"] == ["push-counted"],
           run.manifest["sections"])
    expect({row["status"] for row in run.rows} == {"ok"}, "a status for each cell")
    expect("it asks for nothing else" in refused.errors and not refused.left, refused.errors)


# --- places

def test_places_and_memory_are_asked_for_and_read_back():
    expect("memory=thief: this cell has no thief" in Ended(*quick("push", "array", "--memory=thief"), code=2).errors, "no thief")
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
    run = suite("invocations 1\nminimum_time 0.002\n[5.2-places] Places\n"
                f"steal deque=chase_lev owner=busy size=100 placement={place},compact\n", "--only=5.2")
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


if __name__ == "__main__":
    run_tests(globals())
