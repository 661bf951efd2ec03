"""What each workload's settings are where nobody sets them: the one table. What a claim leaves open is at these, how far a
cell is from a deque's usual self is counted by them, and names in benchmark.json leave them out.

tests/plots/defaults_test.py holds them to what the executables say of themselves (--describe).
"""

# Of every workload that has the setting; a deque's own mode (walk, orders, bottom) is among them.
OF_ALL = {"placement": "compact", "memory": "owner", "counters": "none", "events": "default", "seed": "1",
          "walk": "full", "orders": "fences", "bottom": "increment",
          "block": "0", "node": "64", "order": "sequential", "cache": "warm", "method": "corrected",
          "operations": "in_a_row", "variant": "drawn", "push": "batch", "steal": "one", "percent": "50",
          "threads": "1", "victims": "random", "idle": "sleep", "room": "1024", "slot": "0", "master": "0", "turns": "0",
          "timeline": "0", "waits": "0",
          "pool": "general", "refill": "0", "first": "one", "steal_times": "0", "file": "none", "path": "generated", "depth": "1", "fan_out": "32", "held": "4096"}
OF_WORKLOAD = {
    "push": {"batch": "1", "fill": "0", "prelinked": "0", "capacity": "0"},
    "pop": {"size": "1024", "take": "one", "capacity": "0"},
    "pair": {"size": "64", "capacity": "0"},
    "steal": {"size": "10000", "owner": "idle", "form": "native", "capacity": "0"},
    "growth": {"first": "16", "size": "1000000"},
    "contention": {"thieves": "1", "frequency": "100000", "frequency_of": "thief", "pacing": "deadline", "case": "cycle", "capacity": "1024",
                   "item": "8", "duration": "0", "sample": "none"},
    "fib": {"n": "30", "cutoff": "1"},
    "bag": {"tasks": "1000", "cost": "uniform", "mean": "10000", "mean_unit": "iterations"},
    "marking": {"objects": "1000000", "pointers": "2", "payload": "16", "arrays": "16", "array": "65536", "garbage": "30",
                "window": "1000", "chunk": "512"},
    "nqueens": {"n": "11", "cutoff": "0"},
    "dag": {"shape": "random", "nodes": "2500000", "degree": "4", "width": "1000", "cost": "uniform", "mean": "0",
            "mean_unit": "ns"},
    "duplicates": {"io": "uring", "bytes": "268435456", "copies": "30", "compute": "0", "hash_bits": "64",
                   "directories": "600", "files": "2500", "symlinks": "0"},
    "knapsack": {"instance": "strongly", "items": "100", "range": "1000", "fill": "50", "number": "1", "width": "64",
                 "cut": "frontier", "cuts": "0"},
    "pingpong": {"pairs": "cores"},
    "quicksort": {"size": "10000000", "cutoff": "32", "input": "random"},
    "uts": {"tree": "T1"},
    "walk": {"version": "pool", "tree": "counted", "buffer": "65536", "types": "told", "directories": "3000", "files": "10000",
             "symlinks": "40"},
}


def defaults_of(workload):
    """{setting: value} of a workload; those of all where it is not known."""
    return OF_ALL | OF_WORKLOAD.get(workload, {})
