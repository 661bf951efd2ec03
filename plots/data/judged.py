"""The values by which a cell is judged, by the gate and by compare: others of a workload say the same again, or are diagnostics
(how long workers idled, a thief's rate, which its frequency sets). One list for both."""

# (role, metric) by workload; what is not here runs on the pool.
JUDGED = {"push": ("owner", "push_latency"), "pop": ("owner", "pop_latency"), "pair": ("owner", "pair_latency"),
          "steal": ("thief", "steal_latency"), "contention": ("owner", "owner_operations")}
POOLED = ("pool", "run_time")
# What compare judges besides.
BESIDES = {"contention": [("thief", "steal_time")]}


def main_values(workload):
    """[(role, metric)] of a workload's cells that compare judges."""
    return [JUDGED.get(workload, POOLED), *BESIDES.get(workload, [])]


def main_ones(summaries):
    """Those of the summaries; of a cell that has none of its main values, all."""
    main = {(one.cell, one.role, one.metric) for one in summaries if (one.role, one.metric) in main_values(one.workload)}
    cells = {cell for cell, _, _ in main}
    return [one for one in summaries if one.cell not in cells or (one.cell, one.role, one.metric) in main]
