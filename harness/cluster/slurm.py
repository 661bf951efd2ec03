"""Submits a suite to Slurm: ./run.sh paper --slurm [-p PARTITION] [-N NODES] [--constraint=...] [--time=...] [--dry-run]

The plan is divided into parts of about --length each, by what the cells are expected to take (stealbench --split); a job
array measures a part an element, each on a node of its own (element.sh), and a job that follows merges them (merge.py).
What was asked for is kept in RUN/slurm.json; --resume submits what is missing, with the same.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys

from harness.cluster import merge

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = os.path.join("build", "stealbench")
USAGE, MISSING = 2, 3
ARRAY_MAX = 1000  # elements, where Slurm does not say (MaxArraySize)
WARNING = 60  # seconds before the time limit, at which an element is told
CHECKING = 20 * 60  # seconds for the checks before the first measurement
PASSED_ON = ("partition", "constraint", "account", "qos", "reservation")

Refused = merge.Refused


def parser():
    arguments = argparse.ArgumentParser(
        prog="stealbench paper --slurm", allow_abbrev=False, description="Submits a suite to Slurm. All other options are "
        "those of the suite (--only, --deque, --invocations, ...).")
    add = arguments.add_argument
    add("verb", help=argparse.SUPPRESS)
    add("--slurm", action="store_true", help=argparse.SUPPRESS)
    for short, name in ("-p", "partition"), ("-C", "constraint"), ("-A", "account"), (None, "qos"), (None, "reservation"):
        add(*filter(None, (short, "--" + name)), help="as sbatch's")
    add("-N", "--nodes", type=positive, help="so many nodes at a time at most")
    add("-t", "--time", help="limit of an element, as sbatch's; default: what its part takes twice, and 20 minutes")
    add("--length", default="30m", help="what an element is wished to take (default: 30m), or a number of "
        "parts")
    add("--repeat-nodes", type=positive, default=1, metavar="N", help="measure each cell on N nodes")
    add("--march", help="build for this processor (gcc's -march), here")
    add("--build-on-node", action="store_true", help="build in a job on a node of the kind that measures; waits for it")
    add("--sbatch", action="append", default=[], metavar="OPTION", help="one more option of sbatch's; can be given again")
    add("--dry-run", action="store_true", help="say what would be submitted, and how long it takes")
    add("--resume", nargs="?", const="", metavar="RUN", help="submit what is missing of that run, or of the latest")
    add("--anyway", action="store_true", help="take parts of another commit, build, processor or kernel together")
    add("--name", help="the run's folder in results/")
    add("--results", help="where run folders are made")
    return arguments


def positive(text):
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError("1 to 1000 is wanted, not " + text)
    return int(text)


def minutes_of(text):
    """Minutes of sbatch's --time: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", text)
    if not match:
        raise Refused("--time={}: MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS is wanted".format(text))
    days, first, second, third = match.groups()
    numbers = [int(number or 0) for number in (first, second, third)]
    if days is not None:
        return int(days) * 1440 + numbers[0] * 60 + numbers[1] + numbers[2] / 60
    return numbers[0] + numbers[1] / 60 if third is None else numbers[0] * 60 + numbers[1] + numbers[2] / 60


def said_time(seconds):
    return "{}:{:02d}:{:02d}".format(int(seconds) // 3600, int(seconds) // 60 % 60, int(seconds) % 60)


def run_driver(words):
    """What stealbench prints, or its exit code as a refusal; what it says of it was seen."""
    done = subprocess.run([DRIVER] + words, stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        raise Refused("", done.returncode)
    return [line.split("\t") for line in done.stdout.splitlines()]


def sbatch(words, dry_run):
    """The job's number."""
    if dry_run:
        print(" ".join(shlex.quote(word) for word in ["sbatch"] + words))
        return "JOB"
    try:
        done = subprocess.run(["sbatch", "--parsable"] + words, stdout=subprocess.PIPE, universal_newlines=True)
    except FileNotFoundError:
        raise Refused("there is no sbatch here: go to a login node, or measure here without --slurm", MISSING) from None
    if done.returncode:
        raise Refused("sbatch refused this: sbatch " + " ".join(map(shlex.quote, words)), MISSING)
    return done.stdout.strip().split(";")[0]


def elements(parts):
    """[1, 2, 3, 7] as "1-3,7"."""
    ranges = []
    for part in sorted(parts):
        if ranges and ranges[-1][1] == part - 1:
            ranges[-1][1] = part
        else:
            ranges.append([part, part])
    return ",".join(str(first) if first == last else "{}-{}".format(first, last) for first, last in ranges)


def array_max():
    try:
        done = subprocess.run(["scontrol", "show", "config"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True)
        return int(re.search(r"^MaxArraySize\s*=\s*(\d+)", done.stdout, re.MULTILINE).group(1)) - 1
    except (OSError, AttributeError):
        return ARRAY_MAX


def common_options(asked, run):
    words = ["--chdir=" + ROOT, "--job-name=stealbench-" + os.path.basename(run)]
    words += ["--{}={}".format(name, asked[name]) for name in PASSED_ON if asked[name]]
    return words + asked["sbatch"]


def array_options(asked, run, parts, seconds):
    """Of sbatch, for the array; seconds: what the longest of these parts is expected to take."""
    time = asked["time"] or str(int((2 * seconds + CHECKING) // 300 + 1) * 5)
    limit = minutes_of(time) * 60
    at_once = max(1, asked["nodes"] // asked["repeat_nodes"]) if asked["nodes"] else None
    return common_options(asked, run) + [
        "--array=" + elements(parts) + ("%{}".format(at_once) if at_once else ""),
        "--nodes={}".format(asked["repeat_nodes"]), "--exclusive", "--mem=0", "--time=" + time, "--requeue",
        "--open-mode=append", "--signal=B:USR1@{}".format(int(min(WARNING, limit / 4))),
        "--output=" + os.path.join(run, "parts", "logs", "%A_%a.txt")]


def submit(asked, run, parts, seconds_of, dry_run):
    """The array of these parts and the job that merges; returns their numbers."""
    count = max(seconds_of)
    if max(parts) > array_max():
        raise Refused("{} parts are more than the elements of an array here ({}): give a longer --length".format(
            count, array_max()))
    longest = max(seconds_of[part] for part in parts)
    array = sbatch(array_options(asked, run, parts, longest) +
                   [os.path.join("harness", "cluster", "element.sh"), run, str(count), str(asked["repeat_nodes"])] + asked["words"],
                   dry_run)
    anyway = ["--anyway"] if asked["anyway"] else []
    merging = sbatch(common_options(asked, run) +
                     ["--dependency=afterany:" + array, "--nodes=1", "--ntasks=1", "--time=60", "--open-mode=append",
                      "--output=" + os.path.join(run, "parts", "logs", "merge-%j.txt"),
                      os.path.join("harness", "cluster", "merge.sh"), run] + anyway, dry_run)
    return [array, merging]


def is_queued(jobs):
    done = subprocess.run(["squeue", "--noheader", "--jobs=" + ",".join(jobs)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, universal_newlines=True)
    return bool(done.stdout.strip())


def read_asked(run):
    try:
        with open(os.path.join(run, "slurm.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise Refused("{} was not submitted to Slurm: slurm.json is not there".format(run)) from None


def write_asked(run, asked):
    merge.replace(os.path.join(run, "slurm.json"), [(json.dumps(asked, indent=2) + "\n").encode("utf-8")])


def latest(results, suite):
    """The run of that suite that was submitted last."""
    found = []
    for name in os.listdir(results) if os.path.isdir(results) else []:
        path = os.path.join(results, name, "slurm.json")
        if os.path.exists(path) and read_asked(os.path.join(results, name))["words"][1] == suite:
            found.append((os.path.getmtime(path), os.path.join(results, name)))
    if not found:
        raise Refused("no run of {} in {} was submitted to Slurm".format(suite, results))
    return max(found)[1]


def parts_of(run):
    """{part: seconds} of the run's division."""
    seconds = {}
    for cell in merge.read_split(run).values():
        seconds[cell.part] = seconds.get(cell.part, 0) + cell.seconds
    return seconds


def resume(options, suite):
    """Submits the parts that are not whole, with what was asked for at first unless it is asked for otherwise now."""
    results = os.path.abspath(options.results or os.path.join(ROOT, "results"))
    run = os.path.join(results, options.resume) if options.resume else latest(results, suite)
    asked = read_asked(run)
    for name in PASSED_ON + ("nodes", "time"):
        asked[name] = getattr(options, name) or asked[name]
    asked["anyway"] |= options.anyway
    if asked["jobs"] and is_queued(asked["jobs"]):
        raise Refused("{} is still queued or running: squeue --jobs={}".format(run, ",".join(asked["jobs"])))
    there = merge.Parts(run, asked["anyway"])
    there.say_missing()
    if not there.missing:
        print("nothing is missing of {}".format(run))
        return
    seconds, left = parts_of(run), {}
    for part, _, cell, absent in there.missing:
        left[part] = left.get(part, 0) + cell.seconds * absent / cell.invocations
    print("{} of {} parts are submitted again, the longest about {}".format(
        len(left), len(seconds), said_time(max(left.values()))))
    jobs = submit(asked, run, sorted(left), {**seconds, **left}, options.dry_run)
    if not options.dry_run:
        asked["jobs"] = jobs
        write_asked(run, asked)
        say_jobs(run, jobs)


def say_jobs(run, jobs):
    print("submitted: {} measures, {} merges; how it stands: squeue --jobs={}\nresults: {}".format(
        jobs[0], jobs[1], ",".join(jobs), run))


def build_needed(words, build_on_node):
    """The run's folder, after what the suite needs besides all was built."""
    said = run_driver(words + ["--needs"])
    targets = [line[1] for line in said if line[0] == "make"]
    if targets and not build_on_node:
        subprocess.run(["make", "-k", "-s", "-j{}".format(os.cpu_count() or 1)] + targets, stdout=subprocess.DEVNULL)
    return next(line[1] for line in said if line[0] == "run")


def new_run_name(options, suite):
    """For a run that is not built here, so that stealbench cannot be asked."""
    if options.name:
        return options.name
    import time
    return time.strftime("%Y%m%dT%H%M%SZ-", time.gmtime()) + re.sub(r"\.suite$", "", os.path.basename(suite))


def begin(options, suite, others):
    words = ["suite", suite] + others + (["--anyway"] if options.anyway else [])
    results = os.path.abspath(options.results or os.path.join(ROOT, "results"))
    words.append("--results=" + results)
    asked = dict(vars(options), sbatch=options.sbatch, jobs=[], words=words)
    if options.build_on_node:
        name = new_run_name(options, suite)
    else:
        name = os.path.basename(build_needed(words + (["--name=" + options.name] if options.name else []), False))
    run = os.path.join(results, name)
    words.append("--name=" + name)
    if os.path.exists(run):
        raise Refused("{} is there already: go on with it by --resume={}, or give another name".format(run, name))
    split = words + ["--split=" + options.length]
    if options.build_on_node:
        job = common_options(asked, run) + ["--wait", "--nodes=1", "--exclusive", "--mem=0", "--time=120",
                                            "--output=" + os.path.join(results, name + "-build.txt"),
                                            os.path.join("harness", "cluster", "build.sh")] + split
        if options.dry_run:
            sbatch(job, True)
            print("the array and the job that merges follow when that has divided the run")
            return
        os.makedirs(results, exist_ok=True)
        print("waiting for a node that builds: {}-build.txt".format(run))
        try:
            sbatch(job, False)
        except Refused:
            raise Refused("the build failed: {}-build.txt".format(run), MISSING) from None
    said = [] if options.build_on_node else run_driver(split + (["--dry-run"] if options.dry_run else []))
    seconds = parts_of(run) if not options.dry_run else {int(line[1]): float(line[2]) for line in said if line[0] == "part"}
    known = next((line for line in said if line[0] == "known"), None)
    print("{} parts, the longest about {}, all about {} node hours{}".format(
        len(seconds), said_time(max(seconds.values())),
        round(options.repeat_nodes * sum(seconds.values()) / 3600, 2),
        " ({} of {} cells as they took before, the rest by what they ask for)".format(*known[1:]) if known else ""))
    if not options.dry_run:
        os.makedirs(os.path.join(run, "parts", "logs"), exist_ok=True)
        write_asked(run, asked)
    jobs = submit(asked, run, sorted(seconds), seconds, options.dry_run)
    if not options.dry_run:
        asked["jobs"] = jobs
        write_asked(run, asked)
        say_jobs(run, jobs)


def main():
    os.chdir(ROOT)
    options, others = parser().parse_known_args()
    suite = options.verb
    if suite == "suite":
        named = [word for word in others if not word.startswith("-")]
        if not named:
            raise Refused("suite wants one suite; ./run.sh list suites names them")
        suite = named[0]
        others.remove(suite)
    if options.time:
        minutes_of(options.time)
    if options.resume is not None:
        resume(options, suite)
    else:
        begin(options, suite, others)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refused:
        if str(refused):
            print("stealbench {}: {}".format(sys.argv[1] if len(sys.argv) > 1 else "suite", refused), file=sys.stderr)
        sys.exit(refused.code)
