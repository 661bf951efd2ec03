"""What the suite measures itself with: build/trust/NAME. setup/configure.py loads this.

Deques with a planted delay, Chase-Lev at eight places in a cache line, and loops written by hand that answer to the same names.
A name ends on its number of steps, or of bytes."""

SHIFTS = range(0, 64, 8)
STEPS = (5, 20, 100, 1000)
KINDS = ("planted_20", "by_hand_20", "by_hand_chase_lev_shift_8")  # one of each, for the tests


def add(build):
    build.flavours["trust"] = build.flavours["timed"]
    build.same_once["trust"] = "timed"
    suite = ["workloads/latency/push.c", "workloads/latency/pop.c", "workloads/latency/variants/loops.c"]
    stamped, contention = [*suite, "workloads/latency/steal.c", *build.checks], build.families["contention"]

    def one(name, sources, **how):
        build.group("trust", [build.executable("trust", "trust", name, sources, **how)])

    one("chase_lev", [*stamped, *contention])
    build.group("trust", build.in_variants("trust", "trust", "empty", [*suite, *contention]))
    for steps in STEPS:
        planted = {"header": "harness/trust/planted.h", "extra": f"-DPLANTED_STEPS={steps}"}
        # In all variants, so that what is planted is in each.
        build.group("trust", build.in_variants("trust", "trust", f"planted_{steps}", suite, **planted))
        one(f"by_hand_{steps}", ["harness/trust/handwritten_chain.c"], **planted)
    for shift in SHIFTS:
        shifted = f"-DMEASURED_SHIFT={shift}"
        one(f"chase_lev_shift_{shift}", stamped, header="queues/chase_lev.h", extra=shifted)
        one(f"by_hand_chase_lev_shift_{shift}", ["harness/trust/handwritten_chase_lev.c"], header="queues/empty.h", extra=shifted)
    build.group("trust", [f"{build.folder}/stealbench", "google"])
    build.group("trust_kinds", ["google", *(f"{build.folder}/trust/{name}" for name in KINDS)])
