"""Predictions beside the papers' numbers (--published): published, predicted, band. Grounds for no verdict."""

from numbers_of_machines import counted, machine_named, sets_of
from run import Case, build, predict_all

# Table 5.1 of the BWoS thesis: five thieves at 1 MHz, against LIFO_BWoS in blocks of 64, items of 8 bytes; a Ryzen 7 5800H.
THESIS = (("frequency", "1000000"),)
TABLE = {"ABP": ("abp", 0.759, 1.0681), "CL": ("chase_lev", 0.615, 1.0742), "Locked": ("locked_fixed", 0.047, 1.2435)}
THREADS = 6
# "roughly halves when the number of threads doubles" (bulk paper, figures 9 and 10), on 2 x Xeon Platinum 8358.
DAG = (("nodes", "100000"), ("victims", "sequential"), ("steal", "half"), ("turns", "1"), ("first", "each"))
DOUBLINGS = (1, 2, 4, 8, 16, 32)


def ratio(above, below):
    """(likely, low, high) of the ratio set by set; each is a list of values by set."""
    values = [a / b for a, b in zip(above, below) if a is not None and b]
    return (values[0], min(values), max(values)) if values else None


def by_set(outcomes, role, metric):
    return [one.values.get((role, metric), (None,))[0] for one in outcomes]


def row(what, published, predicted):
    print(f"{what:<74}{published:>10.3g}" + ("{:>12.3g}   [{:.3g}, {:.3g}]".format(*predicted) if predicted else f"{'none':>12}"))


def main():
    deques = ["bwos_lifo", *(deque for deque, *_ in TABLE.values()), "taskflow_unbounded", "lf_bulk"]
    build(deques)
    print(f"{'':<74}{'published':>10}{'predicted':>12}   band")
    cases = {deque: Case(deque, "contention", THREADS, THESIS + ((("block", "64"),) if deque == "bwos_lifo" else ()))
             for deque in deques[:4]}
    found = predict_all(list(cases.values()), sets_of(machine_named("5800H")), counted())
    for series, (deque, total, steals) in TABLE.items():
        for what, published, role, metric in (("total throughput", total, "process", "total_operations"),
                                              ("steal throughput", steals, "thief", "thief_operations")):
            row(f"BWoS thesis, table 5.1, 5800H: {what} of {series} over LIFO_BWoS", published,
                ratio(by_set(found[cases[deque]], role, metric), by_set(found[cases["bwos_lifo"]], role, metric)))
    for deque in ("lf_bulk", "taskflow_unbounded"):
        cases = [Case(deque, "dag", threads, DAG) for threads in DOUBLINGS]
        found = predict_all(cases, sets_of(machine_named("8358")), counted())
        for one, two in zip(cases, cases[1:]):
            row(f"bulk paper, figures 9 and 10, 2 x 8358: {deque}, time of {two.threads} threads over {one.threads}", 0.5,
                ratio(by_set(found[two], "pool", "run_time"), by_set(found[one], "pool", "run_time")))
    return 0
