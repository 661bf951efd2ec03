#!/usr/bin/python3
"""run.py: do our checks catch planted faults? Puts each fault of the files beside this one into a copy of the sources and runs
the checks that its demands name (faults.py): for each demand one of its checks has to kill the fault. Sound sources have to
pass the same checks.

    proof/planted_faults/run.py [WORD...] [--few] [--messages] [--jobs N]
                                only what has one of these words in its name or its checks: bwos_fifo/, into_publishes,
                                "model ", thread:preempt. --few: every twelfth of the faults that the same check is to
                                catch, from the first on. --messages: then lists the messages of proof/checks that
                                told none of them: each needs a fault, or nobody needs it

Builds only what these checks need. Ends on "N passed, N failed"; checks whose tool is missing are named and not counted.
Exit: 0 all caught and all passed, 1 not, 2 no such fault, 3 no compiler.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
import faults  # noqa: E402
import checks  # noqa: E402

PASSED, FAILED, LEFT_OUT = "passed", "failed", "left out"
TRIES = 4  # tries of each check that needs luck


class Planted(checks.Subject):
    """The sources with a fault planted."""

    def __init__(self, fault, folder):
        texts = faults.plant(fault)
        tree, self.changed = Path(folder) / "tree", set(texts)
        header = f"queues/{fault.deque}.h"
        if not (faults.ROOT / header).is_file():
            raise faults.Misfit(f"there is no deque {fault.deque}")
        super().__init__(fault.deque, faults.tree(texts or {header: (faults.ROOT / header).read_text()}, tree) / header,
                         folder, tree)


def tried_in_turn(demand):
    """The checks of a demand in the order of trying. Checks that need luck are tried several times, each with another seed."""
    tries = next((int(word.removesuffix("tries")) for word in demand if re.fullmatch(r"\d+ tries", word)), None)
    named = [checks.parse(name) for name in demand if not re.fullmatch(r"\d+ tries", name)]
    lucky = [check for check in named if check.luck]
    again = (lucky * (tries or TRIES * len(lucky)))[len(lucky):tries] if lucky else []
    return [*named, *again]


def demand_met(fault, demand):
    """(verdict, explanation) for one demand of one fault."""
    missed = []
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        subject = Planted(fault, folder)
        for seed, check in enumerate(tried_in_turn(demand), 1):
            started = time.monotonic()
            answer = check.run(subject, checks.SECONDS, seed)
            if answer == checks.KILLED:
                return PASSED, f"{time.monotonic() - started:5.2f} s  {check.name}: {checks.finding(subject)}"
            if answer == checks.NOT_BUILT:
                return FAILED, f"does not compile: {checks.finding(subject)}"
            if answer == checks.ABSENT:
                return LEFT_OUT, check.kind
            missed.append(f"{check.name} (seed {seed}" + (
                f", no verdict: {checks.finding(subject)})" if answer == checks.NOTHING else ")"))
    return FAILED, "not caught by " + ", ".join(missed)


def sound_passes(deque, check):
    """The same for a check of a deque without a fault."""
    fault = faults.Fault("", deque, as_it_is=True)
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        subject = Planted(fault, folder)
        answer = check.run(subject, checks.SOUND_SECONDS.get(check.kind, 0), 1)
        if answer == checks.PASSED:
            return PASSED, ""
        if answer == checks.ABSENT:
            return LEFT_OUT, check.kind
        return FAILED, f"{answer}: {checks.finding(subject)}"


def sound_checks(every):
    """[(deque, check)] that faults name and that have to pass without one. What proof/model/run.py explores of the deque
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


class Job(NamedTuple):
    name: str
    checks: str     # for people
    kind: str       # of them
    call: Callable  # () -> (verdict, what is said of it)


def jobs_of(every):
    """All there is to do, long ones first."""
    jobs = []
    for fault in every:
        for demand in fault.demands:
            jobs.append(Job(fault.name, ", ".join(demand), tried_in_turn(demand)[0].kind,
                            lambda fault=fault, demand=demand: demand_met(fault, demand)))
    for deque, check in sound_checks(every):
        name = check.name.rsplit(": ", 1)[0] if check.row else check.name
        jobs.append(Job(f"{deque}/without_a_fault", name, check.kind,
                        lambda deque=deque, check=check: sound_passes(deque, check)))
    return sorted(jobs, key=lambda job: job.kind != "pool")


def a_few(jobs):
    """Every twelfth of those that are for one check, or one kind of them; each listing that is wrong in the lab. What is sound
    `check` itself shows."""
    seen, kept = Counter(), []
    for job in jobs:
        if job.name.endswith("/without_a_fault"):
            continue
        alike = job.checks.split(",")[0] if job.kind == "check" else job.kind
        if job.kind == "lab" and job.name.startswith("as_"):
            alike = job.name
        if seen[alike] % 12 == 0:
            kept.append(job)
        seen[alike] += 1
    return kept


def unlisted(every):
    """Headers of known faults that no fault names."""
    named = {fault.deque for fault in every}
    return [name for path in sorted((faults.ROOT / "queues").glob("as_*/*.h"))
            if (name := f"{path.parent.name}/{path.stem}") not in named]


findings = []  # what was said of each job


def unsaid():
    """The messages of the checks that no finding was."""
    for path in sorted((faults.ROOT / "proof/checks").glob("*.[ch]")):
        for message in re.findall(r'check_fail\(\s*"((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")):
            parts = re.split(r"%[-0-9.*lz]*[a-zA-Z%]", message[:60])
            if not any(re.search(".*".join(map(re.escape, parts)), said) for said in findings):
                yield f"{path.name}: {message}"


def run_job(job):
    try:
        verdict, said = job.call()
    except faults.Misfit as why:
        verdict, said = FAILED, str(why)
    findings.append(said)
    if verdict != LEFT_OUT:
        print(f"{verdict:<6}  {job.name:<58} {said or job.checks}", flush=True)
    return verdict


def run(jobs, workers):
    """How many of them (passed, failed)."""
    checks.prepare({job.kind for job in jobs})
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        try:
            verdicts = list(pool.map(run_job, jobs))
        except BaseException:  # an interrupt too: what has not begun is left
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    absent = Counter(job.kind for job, verdict in zip(jobs, verdicts) if verdict == LEFT_OUT)
    if absent:
        print("left out, for their tool is not here: " + ", ".join(f"{count} of {kind}" for kind, count in absent.items()))
    return verdicts.count(PASSED), verdicts.count(FAILED)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--messages", action="store_true")
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
    wanted = [job for job in jobs if not options.words
              or any(word in job.name or word in job.checks for word in options.words)]
    if options.few:
        wanted = a_few(wanted)
    if not wanted:
        print(f"no fault has that in its name: {' '.join(options.words)}", file=sys.stderr)
        return 2
    passed, failed = run(wanted, options.jobs)
    for name in unlisted(every) if not options.words else []:
        print(f"failed  {name}: no fault names it (as_published.txt, as_shipped.txt)")
        failed += 1
    for message in unsaid() if options.messages else []:
        print(f"no fault needs  {message}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
