#!/usr/bin/python3
"""due_test.py [PROGRAM WORDS...]: every metric of every workload, on a deque whose answers and times are known (queues/scripted.h).

In virtual time an operation takes just what the script says and everything else nothing, so each metric has a due value:
a number, or what follows from other metrics of the same run. A metric without a rule fails, and so does a workload
without a row.
"""

import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # planted faults run this file by itself
from harness.judging.metrics import known_as  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

PROGRAM = ROOT / "build" / "scripted" / "scripted"
HEADER = (ROOT / "tests/scripted/queues/scripted.h").read_text()
COST = {name: int(value) for name, value in re.findall(r"#define SCRIPTED_(\w+) (\d+)", HEADER)}
PUSH, POP, PAIR = COST["PUSH"], COST["POP"], COST["PUSH"] + COST["POP"]
STEAL, EMPTY, LOST = COST["STEAL"], COST["STEAL_EMPTY"], COST["STEAL_LOST"]
READ = 1  # what a read of the clock takes

# Values from the kernel, the processor or the file system.
NOT_SCRIPTED = re.compile(r"(in)?voluntary_context_switches|m(in|aj)or_page_faults|dependent_multiplication|work_of_.*|"
                          r".*thrott.*")


def near(value, share=0.002, least=0.0):
    """Within a share of the value, or `least`: the clock is read in between, and windows end within an operation."""
    return lambda got, _: abs(got - value) <= max(share * abs(value), least)


def equal(what):
    """A number, or the result of `what` on the other metrics."""
    return lambda got, run: abs(got - (what(run) if callable(what) else what)) <= 1e-6 * max(1, abs(got))


def of(what, share=0.002, least=0.0):
    """Near the result of `what` on the other metrics."""
    return lambda got, run: near(what(run), share, least)(got, run)


def between(least, most):
    return lambda got, _: least <= got <= most


CLOCKS = {"clock_overhead": equal(READ), "sampling_cost": equal(READ), "tick": equal(1),
          "share_counted": equal(1), "capacity": equal(0), "windows_dropped": equal(0),
          "owner minor_page_faults": equal(0), "thief minor_page_faults": between(1, 1e9),  # one a steal
          "windows_counted": between(1, 1e6), "timed_batch": between(1000, 1e9), "timed_batch_portions": between(1, 1e6)}


def latency(metric, each, items=1):
    """The whole of a portion, and by the item where that is reported. All windows are alike, so their mean is their median."""
    return {metric: near(each), f"{metric}_per_item": near(each / items), "window_mean": near(each / items)}


def quantiles(metric, each, count):
    return {**{f"{metric}_{name}": near(each, 0.02) for name in ("p50", "p90", "p99", "p99.9", "maximum")},
            f"{metric}_count": count}


def contention(thieves, frequency, script="plain", stolen=1.0):
    """An owner that fills and drains, and thieves that try so often each."""
    tries = thieves * frequency
    ok, empty, lost = (stolen, 1 - stolen, 0) if script == "plain" else (1 / 6, 3 / 6, 2 / 6)
    took = ok * STEAL + empty * EMPTY + lost * LOST
    return {"owner_operations": near(2e9 / PAIR, 0.01),
            "push_time": near(PUSH, 0.02), "pop_time": near(POP, 0.02), "items_won": between(90, 100),
            "thief_operations": near(ok * tries, 0.05), "items_stolen_rate": equal(lambda run: run["thief_operations"]),
            "steal_attempts": near(tries, 0.01), "steal_time": near(took, 0.015 if script == "plain" else 0.05),
            "steals_stolen": near(100 * ok, least=2), "steals_empty": near(100 * empty, least=2),
            "steals_lost": near(100 * lost, least=2), "achieved_frequency": near(frequency, 0.01),
            "frequency_ratio": near(1, 0.01), "fairness": near(1, 0.02), "share_of_steals": near(100 / thieves, 0.1) if thieves else None,
            "total_operations": of(lambda run: run["owner_operations"] + run.get("thief_operations", 0), 1e-6),
            "items_pushed": equal(lambda run: run["items_popped"] + run["items_stolen"] + run["items_left"]),
            "items_popped": of(lambda run: run["items_pushed"], 0.01, 3000), "items_left": between(0, 1024),
            "thief minor_page_faults": between(1, 1e9) if frequency else equal(0),
            "items_stolen": of(lambda run: run.get("thief_operations", 0) / run["owner_operations"] *
                               (run["items_pushed"] + run["items_popped"]), 0.2, 40)}


def pool(threads, script="plain", time=None, share=0.05, **answers):
    """A run of the pool. time: ns that the operations of all its tasks take together; answers: the workload's own."""
    split = threads > 1
    attempts = {"attempts_lost": of(lambda run: (run["attempts_empty"] + run["steals"]) / 2, 0, 2 * threads + 2)
                if script == "mixed" else equal(0),
                "attempts_empty": between(0, 10000 if split else 0)}
    paid = lambda run: 1e-9 * (run["attempts_empty"] * EMPTY + run["attempts_lost"] * LOST + run["steals"] * STEAL)
    rules = {"tasks_inlined": equal(0), "steals": between(1, 1e6) if split else equal(0),
             "items_stolen": equal(lambda run: run["steals"]), **attempts, "attempts_busy": equal(0),
             "tasks_overflowed": equal(0), "duplicates": equal(0), "sleeps": equal(0),
             "sleep_time": equal(0),
             # a search is steals, a look at the own deque before each and some reads of the clock
             "idle_time": lambda got, run: paid(run) <= got + 2e-9 and got <= 4 * paid(run) + 200e-9,
             # a worker without work may run ahead of the others in virtual time: as idle time
             "processor_time": lambda got, run: threads * run["run_time"] * 0.9 - 20e-6 <= got
             and got - run["idle_time"] <= threads * run["run_time"] * 1.1 + 20e-6,
             "share_on_processor": near(1, 0.001),
             "jain_work": between(0.5, 1 + 1e-9), "jain_tasks": between(0.5, 1 + 1e-9) if split else equal(1),
             **{f"steal_time_{name}": between(STEAL, 4 * STEAL) for name in ("p50", "p90", "p99", "p99.9", "maximum")},
             "run_time": of(lambda run: (1e-9 * time + run["idle_time"]) / threads, share, 3e-6) if time else between(1e-7, 1)}
    return {**rules, **answers}


def rate(what):
    return of(lambda run: what(run) / run["run_time"], 1e-6)


def forks(calls, tasks):
    """fib and nqueens: a call that forks is a push, and a pop when it is joined."""
    return {"tasks": equal(tasks), "time": tasks * PAIR, "calls_per_second": rate(lambda _: calls),
            "time_per_call": of(lambda run: run["run_time"] / calls * 1e9, 1e-6)}


SORTED = 300000  # long enough for a second worker that starts late to steal all the same
WAITS = {f"task_wait_{name}": lambda got, run: 0 <= got <= 2e9 * run["run_time"] for name in ("p50", "p90", "p99", "p99.9", "maximum")}

DUE = [
    # As many items in a deque without a ring as in any other: a window holds that many pushes a portion.
    ("push batch=1", latency("push_latency", COST["PUSH_BATCH"] + PUSH) |
     {"timed_batch": of(lambda run: run["timed_batch_portions"] * 1024 * run["push_latency"])}),
    ("push batch=7 fill=700", latency("push_latency", COST["PUSH_BATCH"] + 7 * PUSH, 7)),
    ("push batch=7 fill=700 push=single", latency("push_latency", 7 * PUSH, 7)),
    # an interrupt in one window of four moves the mean alone
    ("push batch=1 push=single fill=256 script=interrupted",
     latency("push_latency", PUSH) | {"window_mean": near(PUSH + 10000 / 997, 0.01), "timed_batch_portions": equal(1)}),
    # a window that the thread was away in counts nowhere
    ("push batch=1 push=single fill=256 script=away",
     latency("push_latency", PUSH) | {"windows_dropped": between(1, 1e4), "share_counted": between(0.5, 0.999)}),
    ("pop", latency("pop_latency", POP)),
    ("pop take=drain size=100", dict.fromkeys(("drain_latency_per_item", "window_mean"), near(POP + COST["POP_EMPTY"] / 100))),
    ("pair size=10", latency("pair_latency", PAIR)),
    ("steal size=1000 percent=30", latency("steal_latency", COST["STEAL_BATCH"] + 300 * STEAL, 300) |
     {"items_stolen": equal(300)}),
    ("steal size=1000 percent=30 form=single", latency("steal_latency", 300 * STEAL, 300) | {"items_stolen": equal(300)}),
    ("steal size=1000 percent=30 form=single owner=busy",
     {"steal_latency": near(300 * STEAL, 0.03), "steal_latency_per_item": near(STEAL, 0.03), "items_stolen": equal(300),
      "lost_attempts": equal(0), "owner_operations": near(2e9 / PAIR, 0.05)}),
    ("steal size=1000 percent=30 form=single owner=busy script=losing",
     {"steal_latency": near(300 * (STEAL + 2 * LOST), 0.03), "steal_latency_per_item": near(STEAL + 2 * LOST, 0.03),
      "items_stolen": equal(300), "lost_attempts": equal(600), "owner_operations": near(2e9 / PAIR, 0.05)}),
    # a slow owner is at the victim all the same
    ("steal size=1000 percent=30 form=single owner=busy script=slow",
     {"steal_latency": near(300 * STEAL, 0.03), "steal_latency_per_item": near(STEAL, 0.03), "items_stolen": equal(300),
      "lost_attempts": equal(0), "owner_operations": near(2e6 / PAIR, 0.05)}),
    ("growth size=1000", {"push_largest": equal(PUSH + READ), **quantiles("push_latency", PUSH + READ, lambda got, _: got % 1000 == 0)}),
    # an interrupt is no growth
    ("growth size=1000 script=interrupted",
     {"push_largest": equal(PUSH + READ), **quantiles("push_latency", PUSH + READ, lambda got, _: got % 1000 == 0),
      "push_latency_p99.9": between(PUSH, 11000), "push_latency_maximum": near(10000, 0.02)}),
    ("contention thieves=0", contention(0, 0)),
    ("contention thieves=1 frequency=0", contention(1, 0)),
    ("contention thieves=1 frequency=100000", contention(1, 100000)),
    ("contention thieves=1 frequency=200000 script=mixed", contention(1, 200000, "mixed")),
    ("contention thieves=2 frequency=100000", contention(2, 100000)),
    ("contention thieves=2 frequency=200k frequency_of=all", contention(2, 100000)),
    ("contention thieves=1 frequency=100000 sample=push",
     contention(1, 100000) | quantiles("push_latency", PUSH + READ, between(100, 1e6))),
    ("contention thieves=1 frequency=100000 sample=push script=away",
     contention(1, 100000) | quantiles("push_latency", PUSH + READ, of(lambda run: 4756 * run["share_counted"], 0.03)) |
     {"share_counted": between(0.2, 0.99), "items_stolen": between(1, 1e6)}),  # 4756: each 31st push of 5 ms
    ("contention thieves=1 frequency=100000 sample=pop", contention(1, 100000) | quantiles("pop_latency", POP + READ, between(100, 1e6))),
    ("contention thieves=1 frequency=100000 sample=steal script=mixed", contention(1, 100000, "mixed") |
     quantiles("steal_latency", STEAL + READ, between(20, 1e6)) | quantiles("steal_latency_empty", EMPTY + READ, between(60, 1e6)) |
     quantiles("steal_latency_lost", LOST + READ, between(40, 1e6))),
    ("contention case=duel thieves=1 frequency=100000", contention(1, 100000) | dict.fromkeys(
        ("thief_operations", "steals_stolen", "steals_empty", "steal_time"), between(0, 1e6))),
    ("contention thieves=1 frequency=10000 steal=batch percent=50", contention(1, 10000) |
     {"steal_time": between(COST["STEAL_BATCH"] + STEAL, COST["STEAL_BATCH"] + 512 * STEAL),
      "items_stolen_rate": of(lambda run: run["thief_operations"] * (run["steal_time"] - COST["STEAL_BATCH"]) / STEAL, 0.1),
      "items_stolen": between(1, 1e6), "items_popped": between(1, 1e6),
      "owner_operations": between(2e9 / PAIR, 1e9 / PUSH)}),  # a victim pops less
    ("fib n=20 threads=1", pool(1, **forks(21891, 10946))),
    ("fib n=25 threads=2", pool(2, **forks(242785, 121393))),
    ("fib n=25 threads=2 script=mixed", pool(2, "mixed", **forks(242785, 121393))),
    ("nqueens n=7 threads=1", pool(1, **forks(552, 552), share=0.2)),
    ("uts tree=T3S threads=2 script=mixed", pool(2, "mixed", 68257 * PAIR, 0.3, nodes=equal(68257), leaves=equal(59749), depth=equal(208),
                                               tasks=equal(68257), nodes_per_second=rate(lambda run: run["nodes"]))),
    # its first tasks are pushed before the workers begin
    ("bag tasks=5000 mean=0 threads=1", pool(1, time=5000 * PAIR, tasks=equal(5000), work_iteration=between(0, 1),
                                             processor_time=of(lambda run: run["run_time"] - 5e-6 * PUSH, 0.1),
                                             tasks_per_second=rate(lambda _: 5000))),
    ("bag tasks=100000 mean=0 threads=2 steal=half",
     pool(2, tasks=equal(100000), work_iteration=between(0, 1), tasks_per_second=rate(lambda _: 100000),
          items_stolen=lambda got, run: got > run["steals"], idle_time=between(0, 1), processor_time=between(1e-6, 1))),
    # one worker ends long before the other, or has all three
    ("bag tasks=3 mean=100000 threads=2",
     pool(2, tasks=equal(3), work_iteration=between(0, 1), tasks_per_second=rate(lambda _: 3), run_time=between(1.9e-4, 3.5e-4),
          idle_time=between(0, 1e-3), processor_time=between(3e-4, 1e-3))),
    ("dag nodes=5000 threads=1", pool(1, time=5000 * PAIR, share=2, tasks=equal(5001), graph_nodes=equal(5000),
                                      graph_arcs=between(4999, 20000), nodes_per_second=rate(lambda _: 5000))),
    ("marking objects=5000 threads=1",
     pool(1, tasks=between(1000, 5000), objects_per_second=rate(lambda run: run["live_objects"]),
          bytes_per_second=rate(lambda run: run["live_bytes"]), live_objects=between(1000, 5000),
          live_bytes=between(1e4, 1e6), heap_bytes=between(1e4, 1e6))),
    (f"quicksort size={SORTED} threads=2 steal_times=1 waits=1",
     pool(2, tasks=between(20000, 50000), time_per_number=of(lambda run: run["run_time"] / SORTED * 1e9, 1e-6), **WAITS)),
    ("walk threads=1 directories=20 files=50 symlinks=3",
     pool(1, tasks=equal(20), directories=equal(20), files=equal(50), symlinks=equal(3), others=equal(0), unreadable=equal(0),
          vanished=equal(0), tree_changed=equal(0), entries_per_second=rate(lambda _: 73))),
    ("duplicates threads=1 bytes=100000 directories=10 files=40",
     pool(1, tasks=between(60, 400), bytes_per_second=of(lambda run: 1e5 / run["run_time"], 0.01), directories=equal(10),
          files=equal(40), unreadable=equal(0), vanished=equal(0), duplicate_groups=between(1, 20), duplicate_files=between(1, 20),
          duplicate_bytes=between(1, 1e5), io_tasks=between(0, 400), io_tasks_stolen=equal(0),
          idle_time=between(0, 1e-3))),
]


def measured(line):
    """[(role, metric, value, unit)] of a run, one repetition of each; roles that are one of several agree with the others. Of a
    histogram the metric METRIC_in_buckets: how many are in it."""
    workload, *settings = line.split()
    if "threads" in line and workload != "contention":
        settings.append("idle=spin")
    said = subprocess.run([PROGRAM, "--run", workload, *settings, "--repetitions=1", "--minimum-time=0.005", "--invocation=0"],
                          capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    if said.returncode != 0:
        raise AssertionError(f"{line}: ended with {said.returncode}: {said.stderr}")
    rows = [words.split("\t") for words in said.stdout.splitlines() if words.startswith(("sample\t", "histogram\t"))]
    counted = [row for row in rows if row[0] == "sample" and row[3].endswith("_count")]
    buckets = Counter({(row[1], row[3].replace("_count", "_in_buckets"), ""): 0 for row in counted})
    for _, role, _, metric, _, _, count, _ in (row for row in rows if row[0] == "histogram"):
        buckets[role, f"{metric}_in_buckets", ""] += int(count)
    return [(row[1], row[3], float(row[4]), row[5]) for row in rows if row[0] == "sample" and row[6] == "ok"] + [
        (role, metric, count, unit) for (role, metric, unit), count in buckets.items()]


class Due(unittest.TestCase):
    only = ""  # the rows with this in them

    def test_every_metric_is_what_is_due(self):
        wrong = []
        for line, rules in ((line, rules) for line, rules in DUE if self.only in line):
            samples, rules = measured(line), CLOCKS | rules
            run = {metric: value for role, metric, value, _ in samples if role[-1] not in "0123456789"}
            for role, metric, value, unit in samples:
                rule = rules.get(f"{role} {metric}", rules.get(metric))
                if metric.endswith("_in_buckets"):
                    rule = equal(run.get(metric.replace("_in_buckets", "_count"), run.get("tasks")))
                elif not any(known.may_be_in(unit) for known in known_as(metric)):
                    wrong.append(f"{line}: {metric} in {unit!r} has no line in results/metrics.csv")
                if rule is None:
                    if not NOT_SCRIPTED.fullmatch(metric):
                        wrong.append(f"{line}: {role} {metric} = {value}: nothing says what is due")
                elif not rule(value, run):
                    wrong.append(f"{line}: {role} {metric} = {value} is not what is due")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_every_workload_has_a_row(self):
        if self.only:
            self.skipTest("some rows only")
        described = subprocess.run([PROGRAM, "--describe"], capture_output=True, text=True, check=True).stdout
        workloads = {row.split("\t")[1] for row in described.splitlines() if row.startswith("workload\t")}
        self.assertEqual(workloads, {line.split()[0] for line, _ in DUE})


if __name__ == "__main__":
    if sys.argv[1:]:  # another program, and only the rows with these words
        PROGRAM, Due.only = Path(sys.argv[1]), " ".join(sys.argv[2:])
        del sys.argv[1:]  # of which unittest would take its options
    run_tests()
