"""The values by which the gate and compare judge a cell. The other values of a workload repeat these or are diagnostics, such as
how long workers idled."""

# (role, metric) by workload; workloads that are not here run on the pool.
JUDGED = {"push": ("owner", "push_latency"), "pop": ("owner", "pop_latency"), "pair": ("owner", "pair_latency"),
          "steal": ("thief", "steal_latency"), "contention": ("owner", "owner_operations")}
POOLED = ("pool", "run_time")
# Values that compare judges besides.
BESIDES = {"contention": [("thief", "steal_time")]}


def main_values(workload):
    """[(role, metric)] of a workload's cells that compare judges."""
    return [JUDGED.get(workload, POOLED), *BESIDES.get(workload, [])]


def main_ones(summaries):
    """The main values among the summaries; all values of a cell that has none of them."""
    main = {(one.cell, one.role, one.metric) for one in summaries if (one.role, one.metric) in main_values(one.workload)}
    cells = {cell for cell, _, _ in main}
    return [one for one in summaries if one.cell not in cells or (one.cell, one.role, one.metric) in main]
