#!/usr/bin/python3
"""run.py: what a machine that is not here would do. Runs the suite's workloads in virtual time (docs/simulate.md).

    ./run.sh lab simulate --machine=8358 [--threads=1..128] [--deque=chase_lev,lace] [WORKLOAD [name=value...]]

Exit: 0 done, 2 usage, 3 something is missing, 4 a cell crashed.
"""

import argparse
import difflib
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]
sys.dont_write_bytecode = True
from numbers_of_machines import FOLDER, ROOT, NoMachine, counted, environment, machine_named, machines, sets_of  # noqa: E402
import folder  # noqa: E402
from topology import NoTopology, machine_of  # noqa: E402

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

    def executable(self):
        """Items of another size are another executable."""
        return BUILD / ("predicted4" if dict(self.settings).get("item") == "4" else "predicted") / self.deque

    def arguments(self):
        settings = dict(self.settings)
        if self.workload == "contention":
            settings["thieves"] = str(self.threads - 1)
        else:
            settings = {**POOLED[self.workload], **settings, "threads": str(self.threads)}
        return [str(self.executable()), "--run", self.workload, f"--minimum-time={self.seconds()}",
                f"--repetitions={REPETITIONS.get(self.workload, 1)}", *(f"{name}={value}" for name, value in settings.items())]


@dataclass
class Outcome:
    """What one run in virtual time printed: {(role, metric): (value, unit)}."""

    status: str
    values: dict = field(default_factory=dict)
    flags: set = field(default_factory=set)
    said: str = ""
    text: str = ""


def predict(case, numbers, instructions, seed=1, extra=None):
    """Runs one cell on one set of numbers."""
    if not (ROOT / case.executable()).exists():
        return Outcome("unsupported", said="this deque cannot carry items of that size")
    settings = {**os.environ, "STEALBENCH_MACHINE": environment(numbers, instructions.get(case.deque, {}), seed), **(extra or {})}
    try:
        done = subprocess.run(case.arguments(), env=settings, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", said=f"no end in {SECONDS} s")
    repeated = defaultdict(list)
    outcome = Outcome("ok" if done.returncode == 0 else "crashed", said=done.stderr.strip(), text=done.stdout)
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if fields[0] == "sample" and fields[6] == "ok":
            repeated[fields[1], fields[3], fields[5]].append(float(fields[4]))
            outcome.flags |= set(filter(None, fields[7].split("+")))
        elif fields[0] == "sample":
            outcome.status = fields[6]
    outcome.values = {(role, metric): (statistics.median(values), unit) for (role, metric, unit), values in repeated.items()}
    if done.returncode == 2:  # a parameter that is none, or a value that is none of its
        raise Usage(outcome.said.splitlines()[0].split(": ", 1)[-1])
    return outcome


def numbers_of_threads(text, most):
    """'1..128' (powers of two, and the end), '1,2,24', or both."""
    found = []
    for part in text.split(","):
        low, dots, high = part.partition("..")
        if not low.isdigit() or dots and not high.isdigit() or int(low) < 1 or int(high or low) > MOST_THREADS:
            raise Usage(f"--threads is a list such as 1,2,24 or 1..128, each from 1 to {MOST_THREADS}, not '{text}'")
        found += [int(low)] if not dots else [2**i for i in range(9) if int(low) <= 2**i < int(high)] + [int(low), int(high)]
    return sorted({one for one in found if one <= most})


def must_be(what, word, known):
    if word not in known:
        near = difflib.get_close_matches(word, known, 1)
        raise Usage(f"no such {what}: {word}" + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"))


def all_deques():
    return sorted(path.stem for path in ROOT.glob("queues/*.h") if path.stem not in ("deque", "ring"))


def make(targets, some=False):
    """some: what cannot be built is left out."""
    made = subprocess.run(["make", "--no-print-directory", f"-j{os.cpu_count()}", *["-k"] * some, *targets], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if made.returncode != 0 and not some:
        raise Missing(f"{targets[0]} cannot be built:\n{made.stderr[-2000:]}")


def build(deques, settings=()):
    make([f"{BUILD}/predicted/{one}" for one in deques])
    if dict(settings).get("item") == "4":  # intrusive deques carry pointers and nothing else
        make([f"{BUILD}/predicted4/{one}" for one in deques], some=True)


def traits_of(deque):
    """{name: value} of --describe."""
    any_machine = sets_of(next(iter(machines().values())))[0][1]
    said = subprocess.run([str(BUILD / "predicted" / deque), "--describe"], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "STEALBENCH_MACHINE": environment(any_machine, {})}).stdout
    return dict(line.split("\t")[1:] for line in said.splitlines() if line.startswith("deque\t"))


def predict_each(asked, instructions):
    """{key: outcome} of {key: (case, numbers, seed)}; those with many threads first, which take the longest. A line of progress on
    a terminal."""
    began, ordered = time.monotonic(), sorted(asked, key=lambda key: -asked[key][0].threads)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {key: pool.submit(predict, asked[key][0], asked[key][1], instructions, asked[key][2]) for key in ordered}
        for done, key in enumerate(ordered, 1):
            wait([waiting[key]])
            if sys.stderr.isatty():
                case, left = asked[key][0], (time.monotonic() - began) / done * (len(ordered) - done)
                print(f"\r\033[K[{done}/{len(ordered)}] {case.deque} {case.workload}, {case.threads} threads; at most {left:.0f} s left",
                      end="\n" if done == len(ordered) else "", file=sys.stderr, flush=True)
        return {key: waiting[key].result() for key in asked}


def predict_all(cases, sets, instructions):
    """{case: [outcome by set]}"""
    found = predict_each({(case, at): (case, numbers, 1) for case in cases for at, (_, numbers) in enumerate(sets)}, instructions)
    return {case: [found[case, at] for at in range(len(sets))] for case in cases}


def band(outcomes, role, metric):
    """(likely, low, high) of a value over the sets of numbers, or None."""
    values = [one.values[role, metric][0] for one in outcomes if (role, metric) in one.values]
    likely = outcomes[0].values.get((role, metric))
    return (likely[0], min(values), max(values)) if likely else None


def validation():
    """What predictions were held against, for the foot of each figure: kept by --validate."""
    path = FOLDER / "held_against.txt"
    return path.read_text().strip() if path.exists() else "nothing yet"


SHOWN = {"contention": [("owner", "owner_operations", 1e-6, "million operations/s of the owner"),
                        ("thief", "steal_time", 1, "ns a steal"), ("thief", "steals_stolen", 1, "% of attempts that get an item")]}


def table(found, cases, role, metric, scale, title, machine, near=None):
    """near: {(deque, settings): threads}, from which there is no level"""
    near = near or {}
    threads = sorted({case.threads for case in cases})
    print(f"\nPREDICTED for {machine}: {title}: likely [band]")
    print(f"{'deque':<24}" + "".join(f"{one:>32}" for one in threads))
    for deque in dict.fromkeys(case.deque for case in cases):
        row = []
        for one in threads:
            case = next((case for case in cases if case.deque == deque and case.threads == one), None)
            if case and case.workload == "contention" and one > near.get((deque, case.settings), one):
                row.append("saturated")
                continue
            values = case and band(found[case], role, metric)
            row.append("{:.3g} [{:.3g}, {:.3g}]".format(*(scale * value for value in values)) if values
                       else case and found[case][0].status or "")
        print(f"{deque:<24}" + "".join(f"{one:>32}" for one in row))


def speedup_table(found, cases, machine):
    """By the run time of the fastest deque with one thread, at the same numbers."""
    threads = sorted({case.threads for case in cases})
    ways = len(next(iter(found.values())))
    alone = [min((found[case][way].values["pool", "run_time"][0] for case in cases
                  if case.threads == threads[0] and ("pool", "run_time") in found[case][way].values), default=None) for way in range(ways)]
    print(f"\nPREDICTED for {machine}: times as fast as the fastest deque with {threads[0]} thread(s): likely [band]")
    print(f"{'deque':<24}" + "".join(f"{one:>32}" for one in threads))
    for deque in dict.fromkeys(case.deque for case in cases):
        row = []
        for one in threads:
            case = next(case for case in cases if case.deque == deque and case.threads == one)
            ratios = [alone[way] / outcome.values["pool", "run_time"][0] for way, outcome in enumerate(found[case])
                      if alone[way] and ("pool", "run_time") in outcome.values]
            row.append(f"{ratios[0]:.3g} [{min(ratios):.3g}, {max(ratios):.3g}]" if ratios else found[case][0].status)
        print(f"{deque:<24}" + "".join(f"{one:>32}" for one in row))


def explain(cases, numbers):
    """--why, of each case on the likely numbers."""
    import why
    for case in cases:
        outcome = predict(case, numbers, counted(), extra={"STEALBENCH_WHY": "1"})
        moved = sum(outcome.values.get(("process", one), (0,))[0] for one in ("items_pushed", "items_popped"))
        why.print_waits(f"{case.deque}, {case.workload} with {case.threads} threads", outcome.text, BUILD / "predicted" / case.deque,
                        {"owner": moved} if case.workload == "contention" else {})
    return 0


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="./run.sh lab simulate", description="What a machine that is not here would do.")
    parser.add_argument("--machine", default="8358", help="a name of proof/simulate/machines.tsv")
    parser.add_argument("--topology", metavar="FILE", help="its sockets, cores, caches and distances, as lstopo FILE.xml describes them")
    parser.add_argument("--threads", default="1..128", help="1,2,24 or 1..128 (powers of two)")
    parser.add_argument("--deque", default="all", help="ids, joined by commas; all: those that are sound and no references")
    parser.add_argument("--name", help="of the folder in results/")
    parser.add_argument("--likely", action="store_true", help="the likely numbers alone: no band")
    parser.add_argument("--measure", action="store_true", help="this machine's numbers, for a row of machines.tsv")
    parser.add_argument("--published", action="store_true", help="compare with the papers' numbers")
    parser.add_argument("--why", action="store_true", help="which variables' lines threads waited for, and how long")
    parser.add_argument("--validate", action="store_true", help="compare with measurements of two threads, made here")
    parser.add_argument("--kept", help="of --validate: compare with what this file holds, measure nothing")
    parser.add_argument("--run", help="of --validate: compare with this run's contention of two threads")
    parser.add_argument("--keep", help="of --validate: the file that keeps what is measured")
    parser.add_argument("--each", action="store_true", help="of --validate: print each deque's numbers")
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


def command_of(options):
    told = [f"--{name}={value}" for name in ("machine", "topology", "threads", "deque") if (value := getattr(options, name))]
    return [*told, *["--likely"] * options.likely, *filter(None, [options.workload]), *options.settings]


def main():
    options = options_of(sys.argv[1:])
    if options.measure:
        make([f"{BUILD}/simulate/measure"])
        return subprocess.run([BUILD / "simulate/measure"], cwd=ROOT, check=False).returncode
    if options.published:
        import published
        return published.main(options.name)
    if options.validate:
        import validate
        return validate.main(options)
    machine = machine_named(options.machine)
    if options.topology:
        machine = machine_of(options.topology, machine)
    sets = sets_of(machine)[:1 if options.likely else None if options.workload or options.why else PLAN_SETS]
    threads = numbers_of_threads(options.threads, MOST_THREADS)
    deques = all_deques() if options.deque == "all" else options.deque.split(",")
    settings = tuple(tuple(one.split("=", 1)) for one in options.settings)
    build(deques, settings)
    if options.deque == "all":
        deques = [one for one in deques if (traits := traits_of(one)).get("sound") != "0" and traits.get("reference") != "1"]
    plan = {options.workload or "contention": settings} if options.workload or options.why else PLAN
    cases = [Case(deque, workload, one, its) for workload, its in plan.items() for deque in deques for one in threads
             if (one > 1 if workload == "contention" else one <= PLAN_FIB_MOST or plan is not PLAN)]
    if options.why:
        return explain(cases, sets[0][1])
    found = predict_all(cases, sets, counted())
    run = folder.free_folder(options.name or "-".join(filter(None, ["predicted", options.machine, options.workload])))
    near = folder.write_run(run, found, cases, options.machine, sets, {one: traits_of(one) for one in deques}, validation(),
                            command_of(options))
    for case, outcomes in found.items():
        for one in outcomes:
            if one.status in ("crashed", "timeout"):
                print(f"{case.deque}, {case.threads} threads: {one.status}: {one.said}", file=sys.stderr)
    for (deque, told), one in near.items():
        print(f"{deque}{' ' if told else ''}{' '.join(map('='.join, told))}: saturates near {one} threads; beyond, no level is told")
    for workload in plan:
        some = [case for case in cases if case.workload == workload]
        for role, metric, scale, title in SHOWN.get(workload, [("pool", "run_time", 1e6, "run time (microseconds)")]):
            table(found, some, role, metric, scale, title, options.machine, near)
        if workload != "contention":
            speedup_table(found, some, options.machine)
    drawn = folder.draw(run)
    return drawn or 4 * any(one.status in ("crashed", "timeout") for outcomes in found.values() for one in outcomes)


if __name__ == "__main__":
    sys.modules["run"] = sys.modules["__main__"]
    try:
        sys.exit(main())
    except (Usage, NoMachine, NoTopology) as problem:
        print(f"stealbench lab simulate: {problem}", file=sys.stderr)
        sys.exit(2)
    except Missing as problem:
        print(f"stealbench lab simulate: {problem}", file=sys.stderr)
        sys.exit(3)
