"""A made-up run of the contention workload: throughput, outcomes, duels and latency distributions."""

import itertools
import math

from tests.plots.synthetic_run import SyntheticRun

DEQUES = {
    "bwos_lifo": {"title": "BWoS LIFO", "reference": "0", "sound": "1", "delivery": "once"},
    "chase_lev": {"title": "Chase-Lev", "reference": "0", "sound": "1", "delivery": "once"},
    "abp": {"title": "ABP", "reference": "0", "sound": "1", "delivery": "once"},
    "locked_fixed": {"title": "mutex", "reference": "0", "sound": "1", "delivery": "once"},
    "idempotent": {"title": "idempotent LIFO", "reference": "0", "sound": "1", "delivery": "at_least_once"},
    "empty": {"title": "empty (harness only)", "reference": "1", "sound": "1", "delivery": "once"},
}
LATENCY = {"bwos_lifo": 220.0, "chase_lev": 90.0, "abp": 80.0, "locked_fixed": 400.0, "idempotent": 60.0}
BASE = {"capacity": 1024, "item": 8, "block": 0, "steal": "one", "percent": 50, "case": "cycle", "pacing": "deadline",
        "sample": "none", "duration": 0}


class ContentionRun(SyntheticRun):
    def __init__(self, folder, **settings):
        super().__init__(folder, deques=DEQUES | settings.pop("more", {}), **settings)

    def measured(self, tags, deque, params, metrics, flags=""):
        """metrics: {(role, metric): (value, unit)}."""
        name = self.cell(tags, "contention", deque, BASE | params, {}, flags=flags)
        finished = [row for row in self.rows if row[0] == name]
        text = finished[0][3]
        self.rows = [row for row in self.rows if row[0] != name]
        for invocation in range(self.invocations):
            drift = abs(1 + self.random.gauss(0, self.noise))
            for (role, metric), (value, unit) in metrics.items():
                self.rows.append([name, "contention", deque, text, "owner:0", role, invocation, 0, metric,
                                  repr(value * drift if unit.endswith("/s") or unit == "ns" else value), unit, "ok", flags])
            self.rows += [row for row in finished if row[6] == invocation]
        return name

    def histogram(self, name, role, metric, median):
        """Lognormal around median."""
        for invocation in range(self.invocations):
            for step in range(-60, 90):
                lower, upper = (median * math.exp(place / 30) for place in (step, step + 1))
                count = int(10000 * math.exp(-((step / 12) ** 2) / 2))
                if count:
                    self.histograms.append([name, role, invocation, 0, metric, f"{lower:.9g}", f"{upper:.9g}", count, "ns"])


def operations(deque, thieves, frequency):
    rate = {"bwos_lifo": 250e6, "chase_lev": 200e6, "abp": 190e6, "locked_fixed": 40e6, "idempotent": 300e6, "empty": 900e6}
    loss = {"bwos_lifo": 0.1, "chase_lev": 0.5, "abp": 0.4, "locked_fixed": 0.9, "idempotent": 0.2, "empty": 0.0}
    return rate[deque] * (1 - loss[deque] * min(1.0, thieves * frequency / 5e6))


def contention_run(folder, more_deques=0, item=8, thieves=(1, 5), frequency_of=("thief",), block=0, **settings):
    """more_deques: so many others beside those above, for figures of a crowd."""
    numbers = thieves
    others = {f"other_{i}": {"title": f"Other {i}", "reference": "0", "sound": "1"} for i in range(more_deques)}
    run = ContentionRun(folder, more=others, **settings)
    run.section("5.2-owner", "Owner alone")
    run.section("5.2-throughput", "Throughput under thieves")
    run.section("5.2-outcomes", "Outcomes")
    run.section("5.2-latency", "Latency of steals")
    for deque in [*DEQUES, *others]:
        like = deque if deque in DEQUES else "chase_lev"
        run.measured(["5.2-owner"], deque, {"thieves": 0, "frequency": 0},
                     {("owner", "push_time"): (2.0, "ns"), ("owner", "pop_time"): (3.1, "ns")})
        for thieves in numbers:
            flags = "oversubscribed" if thieves == 5 else ""
            for frequency, whose in itertools.product((1000, 100000, 1000000, "max"), frequency_of):
                hertz = 4e6 if frequency == "max" else frequency
                total = operations(like, thieves, hertz)
                stolen = {"locked_fixed": 100.0, "bwos_lifo": 8.0}.get(like, 40.0)
                run.measured(["5.2-throughput", "5.2-outcomes"], deque, {"thieves": thieves, "frequency": frequency,
                                                                         "frequency_of": whose, "item": item,
                                                                         "block": block if deque == "bwos_lifo" else 0}, {
                    ("process", "total_operations"): (total, "operations/s"),
                    ("owner", "owner_operations"): (total * 0.98, "operations/s"),
                    ("thief", "thief_operations"): (total * 0.02, "operations/s"),
                    ("thief", "steals_stolen"): (stolen, "percent"),
                    ("thief", "steals_empty"): ((100 - stolen) * 0.75, "percent"),
                    ("thief", "steals_lost"): ((100 - stolen) * 0.25, "percent"),
                    ("thief", "fairness"): (0.97, "ratio"), ("thief", "frequency_ratio"): (1.001, "ratio")}, flags)
        if like in LATENCY:
            median = LATENCY[like]
            name = run.measured(["5.2-latency"], deque, {"thieves": 1, "frequency": 100000, "sample": "steal"}, {
                ("thief", f"steal_latency_{part}"): (median * factor, "ns")
                for part, factor in (("p50", 1), ("p90", 1.7), ("p99", 2.9), ("p99.9", 5), ("maximum", 90))} | {
                ("thief", "steal_latency_count"): (1e6, "operations"), ("process", "sampling_cost"): (24.0, "ns")})
            run.histogram(name, "thief", "steal_latency", median)
        run.measured(["5.2-outcomes"], deque, {"thieves": 1, "frequency": "max", "case": "duel"}, {
            ("owner", "items_won"): (71.0, "percent"), ("process", "total_operations"): (9e6, "operations/s"),
            ("thief", "steals_lost"): (12.0, "percent"), ("thief", "fairness"): (1.0, "ratio")})
    return run.write()
