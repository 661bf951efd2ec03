#!/usr/bin/python3
"""simulate.py: what a machine that is not here would do. Runs the suite's workloads in virtual time (README.md).

    ./run.sh extras simulate --machine=8358 [--threads=1..128] [--deque=chase_lev,lace] [WORKLOAD [name=value...]]

Exit: 0 done, 2 usage, 3 something is missing, 4 a cell crashed.
"""

import argparse
import difflib
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]
sys.dont_write_bytecode = True
from machines import ROOT, NoMachine, counted, environment, machine_named, machines, sets_of  # noqa: E402

BUILD = Path(os.environ.get("BUILD", "build"))
SECONDS = 900  # of real time, that one cell may take: a busy machine is no reason
ATTEMPTS = 400  # of all thieves together, that contention runs for at least
SHORTEST, LONGEST = 0.0003, 0.002  # s of virtual time
MOST_THREADS = 255
REPETITIONS = {"fib": 3}  # whose median counts: a short run takes twice as long when it meets one heavy fence or sleep more
# Without a workload: these, over the first three sets of numbers, some 100 s of processor time; fib up to so many threads, for more
# take twice as long to predict and are slower.
PLAN = {"contention": (), "fib": (("n", "21"),)}
PLAN_SETS = 3
PLAN_FIB_MOST = 32
POOLED = {"fib": {"n": "22"}, "uts": {"tree": "T3S"}, "quicksort": {"size": "200000"},
          "dag": {"nodes": "100000"}, "nqueens": {}}


class Usage(Exception):
    pass


class Missing(Exception):
    pass


@dataclass(frozen=True)
class Case:
    """A cell, but for its machine."""

    deque: str
    workload: str
    threads: int
    settings: tuple

    def seconds(self):
        """Of virtual time, that it runs for at least."""
        settings = dict(self.settings)
        frequency = settings.get("frequency", "100000")
        if self.workload != "contention":
            return 1e-9
        if not frequency.isdigit() or int(frequency) == 0 or self.threads == 1:
            return SHORTEST
        each = 1 if settings.get("frequency_of") == "all" else self.threads - 1
        return min(max(SHORTEST, ATTEMPTS / (int(frequency) * each)), LONGEST)

    def arguments(self):
        settings = dict(self.settings)
        if self.workload == "contention":
            settings["thieves"] = str(self.threads - 1)
        else:
            settings = {**POOLED[self.workload], **settings, "threads": str(self.threads)}
        return [str(BUILD / "predicted" / self.deque), "--run", self.workload, f"--minimum-time={self.seconds()}",
                f"--repetitions={REPETITIONS.get(self.workload, 1)}", *(f"{name}={value}" for name, value in settings.items())]


@dataclass
class Outcome:
    """What one run in virtual time printed: {(role, metric): value}."""

    status: str
    values: dict = field(default_factory=dict)
    said: str = ""
    text: str = ""


def predict(case, numbers, instructions, seed=1):
    """Runs one cell on one set of numbers."""
    settings = {**os.environ, "STEALBENCH_MACHINE": environment(numbers, instructions.get(case.deque, {}), seed)}
    try:
        done = subprocess.run(case.arguments(), env=settings, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", said=f"no end in {SECONDS} s")
    outcome = Outcome("ok" if done.returncode == 0 else "crashed", said=done.stderr.strip(), text=done.stdout)
    if done.returncode == 2:  # a parameter that is none, or a value that is none of its
        raise Usage(outcome.said.splitlines()[0].split(": ", 1)[-1])
    repeated = defaultdict(list)
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if fields[0] == "sample" and fields[6] == "ok":
            repeated[fields[1], fields[3]].append(float(fields[4]))
        elif fields[0] == "sample":
            outcome.status = fields[6]
    outcome.values = {key: statistics.median(values) for key, values in repeated.items()}
    return outcome


def predict_each(asked, instructions):
    """{key: outcome} of {key: (case, numbers, seed)}; those with many threads first, which take the longest."""
    ordered = sorted(asked, key=lambda key: -asked[key][0].threads)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {key: pool.submit(predict, asked[key][0], asked[key][1], instructions, asked[key][2]) for key in ordered}
        return {key: waiting[key].result() for key in asked}


def predict_all(cases, sets, instructions):
    """{case: [outcome by set]}"""
    found = predict_each({(case, at): (case, numbers, 1) for case in cases for at, (_, numbers) in enumerate(sets)}, instructions)
    return {case: [found[case, at] for at in range(len(sets))] for case in cases}


def numbers_of_threads(text):
    """'1..128' (powers of two, and the end), '1,2,24', or both."""
    found = []
    for part in text.split(","):
        low, dots, high = part.partition("..")
        if not low.isdigit() or dots and not high.isdigit() or int(low) < 1 or int(high or low) > MOST_THREADS:
            raise Usage(f"--threads is a list such as 1,2,24 or 1..128, each from 1 to {MOST_THREADS}, not '{text}'")
        found += [int(low)] if not dots else [2**i for i in range(9) if int(low) <= 2**i < int(high)] + [int(low), int(high)]
    return sorted(set(found))


def must_be(what, word, known):
    if word not in known:
        near = difflib.get_close_matches(word, known, 1)
        raise Usage(f"no such {what}: {word}" + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"))


def all_deques():
    return sorted(path.stem for path in ROOT.glob("queues/*.h") if path.stem != "deque")


def build(deques, **variables):
    made = subprocess.run(["setup/configure.py", *(f"{BUILD}/predicted/{one}" for one in deques)], cwd=ROOT, capture_output=True, text=True,
                          check=False, env={**os.environ, **variables})
    if made.returncode != 0:
        raise Missing(f"{', '.join(deques)} cannot be built:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")


def traits_of(deque):
    """{name: value} of --describe."""
    any_machine = sets_of(next(iter(machines().values())))[0][1]
    said = subprocess.run([str(BUILD / "predicted" / deque), "--describe"], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "STEALBENCH_MACHINE": environment(any_machine, {})}).stdout
    return dict(line.split("\t")[1:] for line in said.splitlines() if line.startswith("deque\t"))


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="./run.sh extras simulate", description="What a machine that is not here would do.")
    parser.add_argument("--machine", default="8358", help="a name of extras/simulate/machines.tsv")
    parser.add_argument("--threads", default="1..128", help="1,2,24 or 1..128 (powers of two)")
    parser.add_argument("--deque", default="all", help="ids, joined by commas; all: those that are sound and no references")
    parser.add_argument("--name", help="of the folder in results/")
    parser.add_argument("--likely", action="store_true", help="the likely numbers alone: no band")
    parser.add_argument("--validate", metavar="RUN", nargs="?", const="", help="compare with a run's contention of two threads; "
                        "without RUN with extras/simulate/measured.csv, which is of --machine=epyc")
    parser.add_argument("workload", nargs="?", help="contention, fib, uts, quicksort, dag, nqueens")
    parser.add_argument("settings", nargs="*", metavar="name=value")
    options = parser.parse_args(arguments)
    for deque in options.deque.split(",") if options.deque != "all" else []:
        must_be("deque", deque, [*all_deques(), *(f"{folder}/{path.stem}" for folder in ("as_published", "as_shipped")
                                                  for path in ROOT.glob(f"queues/{folder}/*.h"))])
    must_be("workload", options.workload or "contention", ["contention", *POOLED])
    if any("=" not in one for one in options.settings):
        raise Usage("what follows the workload are its parameters: name=value")
    return options


def free_folder(name):
    """results/NAME, or NAME-2 and so on: nothing is overwritten."""
    number = 1
    while (folder := ROOT / "results" / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def main():
    import figures
    options = options_of(sys.argv[1:])
    machine = machine_named(options.machine)
    if options.validate is not None:
        import validate
        return validate.main(options, machine)
    sets = sets_of(machine)[:1 if options.likely else None if options.workload else PLAN_SETS]
    threads = numbers_of_threads(options.threads)
    deques = all_deques() if options.deque == "all" else options.deque.split(",")
    build(deques)
    traits = {one: traits_of(one) for one in deques}
    if options.deque == "all":
        deques = [one for one in deques if traits[one].get("sound") != "0" and traits[one].get("reference") != "1"]
    plan = {options.workload: tuple(tuple(one.split("=", 1)) for one in options.settings)} if options.workload else PLAN
    cases = [Case(deque, workload, one, its) for workload, its in plan.items() for deque in deques for one in threads
             if (one > 1 if workload == "contention" else one <= PLAN_FIB_MOST or plan is not PLAN)]
    found = predict_all(cases, sets, counted())
    failed = [(case, one) for case, outcomes in found.items() for one in outcomes if one.status in ("crashed", "timeout")]
    for case, one in failed:
        print(f"{case.deque}, {case.threads} threads: {one.status}: {one.said}", file=sys.stderr)
    made = [quantity for workload in plan if (some := {case: found[case] for case in cases if case.workload == workload})
            for quantity in figures.quantities(workload, some)]
    for quantity in made:
        figures.print_table(quantity, options.machine)
    print(f"\nNothing of this was measured. The band: {', '.join(name for name, _ in sets)}.\n")
    name = options.name or "-".join(filter(None, ["predicted", options.machine, options.workload]))
    for path in figures.write(free_folder(name), made, options.machine):
        print(path.relative_to(ROOT))
    return 4 if failed else 0


if __name__ == "__main__":
    sys.modules["simulate"] = sys.modules["__main__"]
    try:
        sys.exit(main())
    except (Usage, NoMachine) as problem:
        print(f"stealbench extras simulate: {problem}", file=sys.stderr)
        sys.exit(2)
    except (Missing, ImportError) as problem:
        print(f"stealbench extras simulate: {problem}", file=sys.stderr)
        sys.exit(3)
