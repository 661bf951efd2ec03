"""Submits a suite to Slurm: ./run.sh paper --slurm [-p PARTITION] [-N NODES] [--constraint=...] [--time=...] [--dry-run]

stealbench --split divides the plan into parts of about --length each, by the cells' expected times. Each element of a job array
measures one part, on a node of its own (element.sh). A second job merges the parts (merge.py). RUN/slurm.json keeps the
options; --resume submits the missing parts with the same options.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from harness.cluster import merge
from harness.cluster.merge import MISSING, Refused

ROOT = Path(__file__).resolve().parents[2]
WARNING = 60  # an element gets its signal so many seconds before the time limit
CHECKING = 20 * 60  # seconds allowed for the checks before the first measurement
PASSED_ON = ("partition", "constraint", "account", "qos", "reservation")


def parser():
    """The options that options.csv of the driver describes. All others belong to the suite (--only, --deque, --invocations, ...)."""
    arguments = argparse.ArgumentParser(prog="stealbench paper --slurm", allow_abbrev=False)
    add = arguments.add_argument
    add("suite")
    for name in "--slurm", "--dry-run", "--anyway":
        add(name, action="store_true")
    for name in ("-p --partition", "-C --constraint", "-A --account", "--qos", "--reservation", "-t --time", "--march", "--name",
                 "--results"):
        add(*name.split())
    add("-N", "--nodes", type=positive)
    add("--repeat-nodes", type=positive, default=1)
    add("--length", default="30m")
    add("--sbatch", action="append", default=[])
    add("--resume", nargs="?", const="")
    return arguments


def positive(text):
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError("expected 1 to 1000, not " + text)
    return int(text)


def divide(words):
    """{part: seconds} of the lines that stealbench --split prints. If it fails, exits with its exit code: it has said why."""
    done = subprocess.run(["build/stealbench", "--whole"] + words, stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        raise Refused("", done.returncode)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {int(line[1]): float(line[2]) for line in lines if line[0] == "part"}


def sbatch(words, dry_run):
    """The job's number."""
    if dry_run:
        print(" ".join(map(shlex.quote, ["sbatch"] + words)))
        return "JOB"
    try:
        done = subprocess.run(["sbatch", "--parsable"] + words, stdout=subprocess.PIPE, universal_newlines=True)
    except FileNotFoundError:
        raise Refused("there is no sbatch here: go to a login node, or measure here without --slurm", MISSING) from None
    if done.returncode:
        raise Refused("sbatch refused this: sbatch " + " ".join(map(shlex.quote, words)), MISSING)
    return done.stdout.strip().split(";")[0]


def submit(asked, run, left, dry_run):
    """Submits the array of these parts ({part: seconds}) and the job that merges. Writes their numbers to slurm.json."""
    common = [f"--chdir={ROOT}", f"--job-name=stealbench-{run.name}", *(f"--{name}={asked[name]}" for name in PASSED_ON if asked[name]),
              *asked["sbatch"]]
    limit = asked["time"] or int((2 * max(left.values()) + CHECKING) // 300 + 1) * 5
    at_once = f"%{max(1, asked['nodes'] // asked['repeat_nodes'])}" if asked["nodes"] else ""
    array = sbatch(
        [*common, f"--array={','.join(map(str, sorted(left)))}{at_once}", f"--nodes={asked['repeat_nodes']}", "--exclusive", "--mem=0",
         f"--time={limit}", "--requeue", "--open-mode=append", f"--signal=B:USR1@{WARNING}", f"--output={run}/parts/logs/%A_%a.txt",
         "harness/cluster/element.sh", str(run), str(len(asked["seconds"])), str(asked["repeat_nodes"]), *asked["words"]], dry_run)
    merging = sbatch([*common, f"--dependency=afterany:{array}", "--nodes=1", "--ntasks=1", "--time=60", "--open-mode=append",
                      f"--output={run}/parts/logs/merge-%j.txt",
                      f"--wrap=./run.sh merge {shlex.quote(str(run))}" + " --anyway" * asked["anyway"]], dry_run)
    if not dry_run:
        (run / "parts" / "logs").mkdir(parents=True, exist_ok=True)
        asked["jobs"] = [array, merging]
        merge.replace(run / "slurm.json", lambda file: json.dump(asked, file, indent=2))
        print(f"submitted: {array} measures, {merging} merges; how it stands: squeue --jobs={array},{merging}\nresults: {run}")


def resume(options, suite, results):
    """Submits the unfinished parts, with the options of the first submission, except those given now. Without a name: of the run of
    that suite that was submitted last."""
    submitted = [(path.parent, json.loads(path.read_text(encoding="utf-8")))
                 for path in sorted(results.glob(f"{options.resume or '*'}/slurm.json"), key=lambda path: path.stat().st_mtime)]
    found = [(run, asked) for run, asked in submitted if options.resume or asked["words"][1] == suite]
    if not found:
        raise Refused(f"no run {options.resume or f'of {suite}'} in {results} was submitted to Slurm")
    run, asked = found[-1]
    for name in PASSED_ON + ("nodes", "time"):
        asked[name] = getattr(options, name) or asked[name]
    asked["anyway"] |= options.anyway
    queued = subprocess.run(["squeue", "--noheader", "--jobs=" + ",".join(asked["jobs"])], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, universal_newlines=True)
    if queued.stdout.strip():
        raise Refused(f"{run} is still queued or running: squeue --jobs={','.join(asked['jobs'])}")
    there, left = merge.Parts(run, asked["anyway"]), {}
    there.say_missing()
    for part, _, cell, absent in there.missing:
        left[part] = left.get(part, 0) + float(cell.seconds) * absent / cell.invocations
    if not there.attempts:
        left = {int(part): seconds for part, seconds in asked["seconds"].items()}
    if not left:
        print(f"nothing is missing of {run}")
        return
    longest = timedelta(seconds=int(max(left.values())))
    print(f"submitted again: {len(left)} of {merge.many(len(asked['seconds']), 'part')}, the longest about {longest}")
    submit(asked, run, left, options.dry_run)


def begin(options, suite, others, results):
    name = options.name or time.strftime("%Y%m%dT%H%M%SZ-", time.gmtime()) + re.sub(r"\.suite$", "", os.path.basename(suite))
    run = results / name
    words = ["suite", suite] + others + ["--anyway"] * options.anyway + [f"--results={results}", f"--name={name}"]
    if run.exists():
        raise Refused(f"{run} exists already: resume it with --resume={name}, or choose another name")
    seconds = divide(words + ["--split=" + options.length] + ["--dry-run"] * options.dry_run)
    longest, hours = timedelta(seconds=int(max(seconds.values()))), round(options.repeat_nodes * sum(seconds.values()) / 3600, 2)
    print(f"{merge.many(len(seconds), 'part')}, the longest about {longest}, all about {hours} node hours")
    submit(dict(vars(options), words=words, seconds=seconds), run, seconds, options.dry_run)


def main():
    os.chdir(str(ROOT))
    options, others = parser().parse_known_args()
    results = Path(os.path.abspath(options.results or "results"))
    if options.resume is not None:
        resume(options, options.suite, results)
    else:
        begin(options, options.suite, others, results)


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        if str(refused):
            print(f"stealbench {os.environ.get('STEALBENCH_VERB', 'suite')}: {refused}", file=sys.stderr)
        sys.exit(refused.code)
