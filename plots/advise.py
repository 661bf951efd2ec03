"""python3 -m plots.advise [RUN] --grain=200ns --threads=2 [--steals=0.001] | --from=COUNTS: which deques are within 2 % of the best for such a program.

Every application on the pool in a run compares the deques at one place: its threads, its grain (time times threads over tasks,
overheads included, of the best deque there) and its steals a task. The advice comes from the places near the program's: as many
threads, a grain within a factor of two, and, if given, steals a task within a factor of four. If there are none, it says so
and lists those that were measured. Nothing is interpolated.

COUNTS is a file that an exported pool writes (PREFIX_counts): lines of a name and a number. Threads, seconds, tasks and steals are
read. Exit 0 with advice, 3 if no near place was measured, 2 usage.
"""

import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path

from plots.data.cells import cells_of, grouped
from plots.data.run_folder import EXIT_MISSING, EXIT_USAGE, PROGRAM, Problem, Run, run_program
from plots.data.summaries import summarize
from plots.data.words import format_number
from plots.pages.table import markdown
from plots.statistics import LEAST_PAIRS, judge_invocations

EXAMPLE = Path(__file__).resolve().parents[1] / "results" / "example" / "quick"
WITHIN = 1.02
GRAIN_WITHIN, STEALS_WITHIN = 2.0, 4.0  # factors
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass
class Place:
    """Where deques were compared. ratios: {deque: Judgement on the time of a run against the best's}."""

    what: str
    threads: int
    grain: float  # ns
    steals: float  # a task
    best: str
    ratios: dict

    def is_near(self, threads, grain, steals):
        def within(a, b, factor):
            return a > 0 and b > 0 and abs(math.log(a / b)) <= math.log(factor) * (1 + 1e-9)
        return self.threads == threads and within(self.grain, grain, GRAIN_WITHIN) and (
            steals is None or within(self.steals, steals, STEALS_WITHIN))


def word_of(judged):
    """Does the interval of a ratio to the best lie within 2 %?"""
    if judged.pairs < LEAST_PAIRS:
        return "too few invocations"
    return "within 2 %" if judged.high <= WITHIN else "slower" if judged.low > WITHIN else "not settled"


def places_of(run, summaries):
    cells = [cell for cell in cells_of(run, summaries) if not cell.reference and cell.params.get("threads", "").isdigit()
             and cell.value("pool", "run_time") and cell.value("worker", "tasks") and cell.value("worker", "tasks").median]
    places = []
    for (what, threads), some in grouped(cells, lambda cell: (cell.workload + "".join(
            f" {name}={value}" for name, value in sorted(cell.params.items()) if name in own_of(cells, cell.workload)),
            int(cell.params["threads"]))).items():
        times = {cell.series: cell.value("pool", "run_time") for cell in some}
        if len(times) < 2:
            continue
        best = min(some, key=lambda cell: cell.value("pool", "run_time").median)
        tasks, steals = best.value("worker", "tasks").median, best.value("worker", "steals")
        ratios = {deque: judge_invocations(time.by_invocation, times[best.series].by_invocation) for deque, time in times.items()}
        places.append(Place(what, threads, times[best.series].median * 1e9 * threads / tasks, (steals.median or 0) / tasks if steals else 0,
                            best.series, {deque: judged for deque, judged in ratios.items() if judged}))
    return sorted(places, key=lambda place: (place.threads, place.grain))


def own_of(cells, workload):
    """The parameters in which cells of this workload differ, apart from threads and what one deque alone has."""
    mine = [cell.params for cell in cells if cell.workload == workload]
    shared = set.intersection(*map(set, mine)) - {"threads", "block"}
    return {name for name in shared if len({params[name] for params in mine}) > 1}


def read_counts(path):
    """(threads, grain in ns, steals a task)"""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error}") from error
    counts = {name: float(number) for name, number in re.findall(r"^(\w+) ([0-9.]+(?:e[-+]?[0-9]+)?)$", text, re.M)}
    missing = [name for name in ("threads", "seconds", "tasks", "steals") if name not in counts]
    if missing or not (counts["tasks"] > 0 and counts["threads"] >= 1 and counts["seconds"] > 0):
        raise Problem(f"{path}: not what PREFIX_counts writes: " + (f"no {', '.join(missing)}" if missing else "no tasks, threads or time"),
                      EXIT_USAGE)
    return (int(counts["threads"]), counts["seconds"] * 1e9 * counts["threads"] / counts["tasks"], counts["steals"] / counts["tasks"] or None)


def duration(text):
    found = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", text)
    if not found or not float(found.group(1)) > 0:
        raise argparse.ArgumentTypeError(f"{text}: a time above 0 with its unit, such as 200ns or 1.5us")
    return float(found.group(1)) * UNITS[found.group(2)]


def steals_of(place):
    return format_number(place.steals)


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", nargs="?", default=str(EXAMPLE), help="default: the kept example")
    parser.add_argument("--grain", type=duration, help="time of all threads over tasks, such as 200ns")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--steals", type=float, help="steals a task")
    parser.add_argument("--from", dest="counts", metavar="COUNTS", help="the file that PREFIX_counts of an exported pool wrote")
    options = parser.parse_args()
    threads, grain, steals = options.threads, options.grain, options.steals
    if options.counts:
        threads, grain, steals = read_counts(options.counts)
    if not threads or not grain or threads < 1:
        raise Problem("advise: needs --grain and --threads, or --from=COUNTS", EXIT_USAGE)
    run = Run(options.run)
    places = places_of(run, summarize(run))
    near = [place for place in places if place.is_near(threads, grain, steals)]
    asked = f"{threads} threads, {format_number(grain)} ns a task" + (f", {format_number(steals)} steals a task" if steals else "")
    cpu = (run.manifest.get("machine") or {}).get("cpu", "an unknown processor")
    if not near:
        print(f"No advice for {asked}: nothing was measured near that in {run.folder} ({cpu}). Measured were:")
        print("\n".join(markdown(["threads", "ns a task", "steals a task", "application"], [
            [str(place.threads), format_number(place.grain), steals_of(place), place.what] for place in places])) if places else "no application on the pool")
        return EXIT_MISSING
    print(f"For {asked}, by {len(near)} comparison{'s' if len(near) > 1 else ''} near that on {cpu}:\n")
    rows = [[place.what, format_number(place.grain), steals_of(place), deque, f"{judged.ratio:.3f} [{judged.low:.3f}, {judged.high:.3f}]",
             str(judged.pairs), "the best" if deque == place.best else word_of(judged)]
            for place in near for deque, judged in sorted(place.ratios.items(), key=lambda item: item[1].ratio)]
    print("\n".join(markdown(["application", "ns a task", "steals a task", "deque", "time / the best's", "pairs", ""], rows)))
    everywhere = set.intersection(*(set(place.ratios) for place in near))
    good = sorted(deque for deque in everywhere if all(word_of(place.ratios[deque]) == "within 2 %" for place in near))
    open_ones = sorted(deque for deque in everywhere - set(good) if all(
        word_of(place.ratios[deque]) != "slower" for place in near))
    print(f"\nWithin 2 % of the best in all of them: {', '.join(good) or 'none'}. Not settled: {', '.join(open_ones) or 'none'}.")
    return 0


if __name__ == "__main__":
    run_program(main)
