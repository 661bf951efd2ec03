#!/usr/bin/python3
"""run.py: do our checks catch planted faults? Each fault of the files beside this one is put into a copy of the sources, and
each of its demands (faults.py) has to be met: one of the checks named there kills it. What is sound has to pass the same
checks as it is.

    tests/planted_faults/run.py [NAME...] [--list] [--jobs N]    only what has one of these words in its name

Builds what is needed for that and no more. Ends on "N passed, N failed". Exit: 0 all caught and all passed, 1 not, 2 no such
fault, 3 no compiler.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import faults  # noqa: E402
import kills  # noqa: E402
import checks  # noqa: E402

PASSED, FAILED, LEFT_OUT = "passed", "failed", "left out"


class Planted(checks.Subject):
    """The sources with a fault in them."""

    def __init__(self, fault, folder):
        texts = faults.plant(fault)
        tree, self.changed = Path(folder) / "tree", set(texts)
        header = f"queues/{fault.deque}.h"
        if not (faults.ROOT / header).is_file():
            raise faults.Misfit(f"there is no deque {fault.deque}")
        super().__init__(fault.deque, faults.tree(texts or {header: (faults.ROOT / header).read_text()}, tree) / header,
                         folder, tree)


def tried_in_turn(demand):
    """The checks of a demand, in the order of trying: those with luck in them several times, under another seed each."""
    tries = next((int(word.removesuffix("tries")) for word in demand if re.fullmatch(r"\d+ tries", word)), None)
    named = [kills.parse(name) for name in demand if not re.fullmatch(r"\d+ tries", name)]
    lucky = [check for check in named if check.luck]
    again = (lucky * (tries or kills.TRIES * len(lucky)))[len(lucky):tries] if lucky else []
    return [*named, *again]


def demand_met(fault, demand):
    """(verdict, what is said of it) of one demand of one fault."""
    missed = []
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        subject = Planted(fault, folder)
        for seed, check in enumerate(tried_in_turn(demand), 1):
            started = time.monotonic()
            answer = check.run(subject, kills.SECONDS, seed)
            if answer == kills.CAUGHT:
                return PASSED, f"{time.monotonic() - started:5.2f} s  {check.name}: {kills.finding(subject)}"
            if answer == kills.NOT_BUILT:
                return FAILED, f"does not compile: {kills.finding(subject)}"
            if answer == kills.NOTHING:
                return FAILED, f"{check.name} came to no verdict (seed {seed}): {kills.finding(subject)}"
            if answer == kills.ABSENT:
                return LEFT_OUT, f"{check.name}: cannot run here"
            missed.append(f"{check.name} (seed {seed})")
    return FAILED, "not caught by " + ", ".join(missed)


def sound_passes(deque, check):
    """The same for a check of a deque without a fault."""
    fault = faults.Fault("", deque, as_it_is=True)
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        subject = Planted(fault, folder)
        answer = check.run(subject, kills.SOUND_SECONDS.get(check.kind, 0), 1)
        if answer == kills.PASSED:
            return PASSED, ""
        if answer == kills.ABSENT:
            return LEFT_OUT, f"{check.name}: cannot run here"
        return FAILED, f"{answer}: {kills.finding(subject)}"


def sound_checks(every):
    """[(deque, check)] that faults name and that have to pass without one. What tests/model/run.sh explores of the deque
    anyhow is left to it, and listings as published are wrong."""
    found, known = {}, {}
    for fault in every:
        for check in [one for demand in fault.demands for one in tried_in_turn(demand)] if not fault.as_it_is else []:
            if check.row:
                known.setdefault(fault.deque, set(checks.model_rows(fault.deque)))
                if check.row in known[fault.deque]:
                    continue
            found[fault.deque, check.name.split(": ")[0] if check.row else check.name] = check
    return [(deque, check) for (deque, _), check in found.items()]


def jobs_of(every):
    """[(name, kind of its checks, what to call)], long ones first."""
    jobs = []
    for fault in every:
        for demand in fault.demands:
            kind = tried_in_turn(demand)[0].kind
            jobs.append((fault.name, kind, lambda fault=fault, demand=demand: demand_met(fault, demand)))
    for deque, check in sound_checks(every):
        name = f"{deque}/without_a_fault {check.name}"
        jobs.append((name, check.kind, lambda deque=deque, check=check: sound_passes(deque, check)))
    return sorted(jobs, key=lambda job: job[1] != "pool")


def unlisted(every):
    """Listings that no fault names."""
    named = {fault.deque for fault in every}
    return [name for path in sorted((faults.ROOT / "queues/as_published").glob("*.h"))
            if (name := f"as_published/{path.stem}") not in named]


def run_job(job):
    name, _, call = job
    try:
        verdict, said = call()
    except faults.Misfit as why:
        verdict, said = FAILED, str(why)
    print(f"{verdict:<6}  {name:<58} {said}", flush=True)
    return verdict


def run(jobs, workers):
    """How many of them (passed, failed)."""
    kills.prepare({kind for _, kind, _ in jobs})
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        verdicts = list(pool.map(run_job, jobs))
    return verdicts.count(PASSED), verdicts.count(FAILED)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    options = parse_options()
    if not shutil.which(checks.CC):
        print(f"no compiler {checks.CC}; set CC", file=sys.stderr)
        return 3
    try:
        every = faults.read_all()
        jobs = jobs_of(every)
    except faults.Misfit as why:
        print(f"failed  {why}\n0 passed, 1 failed")
        return 1
    wanted = [job for job in jobs if not options.names or any(word in job[0] for word in options.names)]
    if options.list:
        for fault in every:
            if not options.names or any(word in fault.name for word in options.names):
                print(f"{fault.name:<62} {'; '.join(', '.join(demand) for demand in fault.demands)}")
        return 0
    if not wanted:
        near = difflib.get_close_matches(options.names[0], [job[0] for job in jobs], 1, 0.3)
        print(f"no fault has that in its name: {' '.join(options.names)}" + (f" (the nearest: {near[0]})" if near else ""),
              file=sys.stderr)
        return 2
    passed, failed = run(wanted, options.jobs)
    for name in unlisted(every) if not options.names else []:
        print(f"failed  {name}: no fault names this listing (as_published.txt)")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
