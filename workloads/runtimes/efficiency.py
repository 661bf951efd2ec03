"""python3 -m workloads.runtimes.efficiency [WORKLOAD] [--deque=A,B] [--threads=N] [name=value ...]: how much of the machine an application uses.

Two threads can at best do what two independent copies of the one-threaded program do side by side, each on a processor of
its own: they share caches, memory and the processors' frequency just as the threads do. So, round by round and in turns:

  copies    N processes with threads=1, each bound to one of N processors, at the same time; of each only those
            repetitions count that lie wholly within the others' work
  threads   one process with threads=N on the same processors

Efficiency is the copies' time over N times the threads' time: 100 % when N threads do one piece of work in an N-th of the
time that a copy takes for its own. Without a workload: dag, uts and quicksort, as far as the executables have them.
"""

import argparse
import contextlib
import csv
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from plots import statistics as statistics_of
from plots.data.run_folder import EXIT_FAILED, EXIT_MISSING, EXIT_USAGE, Problem, run_program
from plots.data.speedup import is_time_of_all

HOUSE = Path(__file__).resolve().parents[2]

# The default work: sizes that take some tenths of a second. Nodes of the random graph are reached by several arcs, from either
# worker's side, so a worker that claims a node often finds the word in the other's cache. The graph causes this, not the deque:
# a tree does not show it, and nodes that cost a microsecond hide it.
GRAPH = ["victims=sequential", "steal=half", "turns=1"]
USUAL = [("dag", ["nodes=2500000", *GRAPH]),
         ("dag", ["nodes=2500000", *GRAPH, "shape=tree"]),
         ("dag", ["nodes=250000", *GRAPH, "mean=1000", "mean_unit=iterations"]),
         ("uts", ["tree=T1"]), ("quicksort", [])]
COLUMNS = ["workload", "deque", "threads", "round", "copies_time", "threads_time", "efficiency", "repetitions_counted"]


@dataclass
class Repetition:
    """One measured piece of work, on this script's clock."""

    begin: float
    end: float

    @property
    def seconds(self):
        return self.end - self.begin


@dataclass
class Child:
    repetitions: list
    placement: str


def executable(deque, part="pool"):
    path = Path(os.environ.get("BUILD", HOUSE / "build")) / part / deque
    if not path.is_file():
        raise Problem(f"there is no executable of {deque}: make {path}")
    return path


def described(path, kind):
    """The lines of one kind in an executable's description (--describe), as fields."""
    text = subprocess.run([path, "--describe"], capture_output=True, text=True, check=True).stdout
    return [fields for fields in (line.split("\t") for line in text.splitlines()) if fields[0] == kind]


def require_checks(path):
    """Refuses a deque that does not pass the short checks, those before any timing."""
    for check in [fields[1] for fields in described(path, "check") if fields[2] == "1"]:
        done = subprocess.run([path, "--check", check, "--seconds=0.5"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise Problem(f"{path.name} does not pass the check {check}: {done.stdout.strip()[-300:]}", EXIT_FAILED)


def start(path, workload, settings, repetitions):
    return subprocess.Popen([path, "--run", workload, *settings, f"--repetitions={repetitions}"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)


def follow(process, workload):
    """The Child of a process. Each line is noted when it comes."""
    child = Child([], "")
    for line in process.stdout:
        note(child, line.rstrip("\n").split("\t"), workload, time.monotonic())
    errors, code = process.stderr.read(), process.wait()
    if code:
        raise Problem(f"{' '.join(map(str, process.args))} ended with {code}: {errors.strip()[-300:]}",
                      code if 0 < code < 5 else EXIT_FAILED)
    return child


def watch(processes, workload):
    with ThreadPoolExecutor(len(processes)) as threads:
        return list(threads.map(lambda process: follow(process, workload), processes))


def note(child, fields, workload, now):
    if fields[0] == "placement":
        child.placement = fields[1]
    elif fields[0] == "sample" and is_time_of_all(fields[1], fields[3]) and fields[6] == "ok":
        child.repetitions.append(Repetition(now - float(fields[4]), now))
    elif fields[0] == "sample" and len(fields) > 6 and fields[6] == "unsupported" and fields[3] == workload:
        raise Problem(f"this deque cannot run {workload} so", EXIT_MISSING)


def processors_of(placement):
    return re.findall(r":(\d+)", placement)


def together(copies):
    """For each copy, the repetitions within the time in which every other copy was at work."""
    spans = [(copy.repetitions[0].begin, copy.repetitions[-1].end) for copy in copies]
    begin, end = max(span[0] for span in spans), min(span[1] for span in spans)
    return [[one for one in copy.repetitions if one.begin >= begin and one.end <= end] for copy in copies]


def one_round(path, workload, settings, threads, processors, repetitions, copies_first):
    """(time of a copy, time of the threads, repetitions of copies that counted), medians; None if none counted."""
    asked = {"copies": [(["threads=1", f"placement={processor}"], repetitions + 2) for processor in processors],
             "threads": [([f"threads={threads}", f"placement={'+'.join(processors)}"], repetitions)]}
    result = {}
    for what in asked if copies_first else reversed(asked):
        result[what] = watch([start(path, workload, settings + more, count) for more, count in asked[what]], workload)
    counted = together(result["copies"])
    if not all(counted):
        return None
    # The rates of copies add up, so their times are averaged as rates are.
    rates = [1 / statistics_of.median([one.seconds for one in some]) for some in counted]
    alone = statistics_of.median([one.seconds for one in result["threads"][0].repetitions])
    return len(rates) / sum(rates), alone, sum(map(len, counted))


def places_for(path, workload, settings, threads):
    """The processors that the threads get by default, next to each other; one each, or the copies would be no bound."""
    [probe] = watch([start(path, workload, [*settings, f"threads={threads}", "placement=compact"], 1)], workload)
    processors = processors_of(probe.placement)
    if len(set(processors)) < threads:
        raise Problem(f"{threads} processors are needed, {len(set(processors))} are there: placement {probe.placement}")
    return processors


def measure(workload, deque, settings, arguments, writer):
    path = executable(deque)
    require_checks(executable(deque, "checks"))
    processors = places_for(path, workload, settings, arguments.threads)
    rows = []
    for number in range(arguments.rounds):
        found = one_round(path, workload, settings, arguments.threads, processors, arguments.repetitions,
                          number % 4 in (0, 3))
        if found is None:
            continue
        copies, threads, counted = found
        rows.append((copies, threads, efficiency := copies / (arguments.threads * threads)))
        if writer:
            writer.writerow([workload, deque, arguments.threads, number, f"{copies:.9g}", f"{threads:.9g}",
                             f"{efficiency:.6g}", counted])
    if not rows:
        raise Problem(f"{workload}, {deque}: in no round did the copies work at the same time; try more repetitions")
    return rows


def tell(workload, deque, settings, threads, rows, goal, out):
    copies, alone, efficiency = (statistics_of.median(column) for column in zip(*rows))
    interval = statistics_of.bootstrap_median_interval([row[2] for row in rows])
    ends = f" [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]" if interval else ""
    verdict = ""
    if goal is not None and interval:
        verdict = ("; goal reached" if interval[0] >= goal / 100 else "; goal missed" if interval[1] < goal / 100 else
                   "; goal not settled") + f" ({goal:g} %)"
    print(f"{' '.join([workload, *settings])}, {deque}: {threads} threads {alone:.4g} s; "
          f"{threads} copies side by side {copies:.4g} s each; efficiency {100 * efficiency:.1f} %{ends}, {len(rows)} rounds{verdict}", file=out, flush=True)


def cases(arguments):
    """[(workload, settings)]: the named ones, or the usual ones that the first deque's executable has."""
    first = arguments.deque.split(",")[0]
    known = [fields[1] for fields in described(executable(first), "workload")]
    if arguments.workload is None:
        for name in sorted({name for name, _ in USUAL} - set(known)):
            print(f"efficiency.py: {first} has no workload {name}: left out", file=sys.stderr)
        return [(name, settings) for name, settings in USUAL if name in known]
    if arguments.workload not in known:
        raise Problem(f"no workload {arguments.workload}; there are {', '.join(sorted(known))}", EXIT_USAGE)
    usual = [case for case in USUAL if case[0] == arguments.workload]
    return usual if usual and not arguments.settings else [(arguments.workload, arguments.settings)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="?", metavar="WORKLOAD")
    parser.add_argument("settings", nargs="*", metavar="name=value", help="settings of the workload, but not threads or placement")
    parser.add_argument("--deque", default="chase_lev", help="one or more deques, joined by commas (default: chase_lev)")
    parser.add_argument("--threads", type=int, default=2, help="number of threads, and of copies (default: 2)")
    parser.add_argument("--rounds", type=int, default=11, help="how often copies and threads take turns (default: 11)")
    parser.add_argument("--repetitions", type=int, default=3, help="repetitions in each process (default: 3)")
    parser.add_argument("--goal", type=float, help="percent: say whether the interval reaches it")
    parser.add_argument("--csv", help="write a row for each round into this file; - is standard output")
    arguments = parser.parse_args()
    if arguments.threads < 2 or arguments.rounds < 1 or arguments.repetitions < 1:
        raise Problem("expected at least 2 threads, 1 round and 1 repetition", EXIT_USAGE)
    wrong = [text for text in arguments.settings if "=" not in text or text.split("=")[0] in ("threads", "placement")]
    if wrong:
        raise Problem(f"{wrong[0]}: expected name=value, but not threads or placement, which are set here", EXIT_USAGE)
    out = sys.stderr if arguments.csv == "-" else sys.stdout
    with contextlib.ExitStack() as opened:
        writer = None
        if arguments.csv:
            file = sys.stdout if arguments.csv == "-" else opened.enter_context(open(arguments.csv, "w", encoding="utf-8", newline=""))
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
        for workload, settings in cases(arguments):
            for deque in arguments.deque.split(","):
                tell(workload, deque, settings, arguments.threads, measure(workload, deque, settings, arguments, writer),
                     arguments.goal, out)


if __name__ == "__main__":
    run_program(main)
