"""Makes one run of its parts: python3 -m harness.cluster.merge RUN [--anyway] [--missing]

A part's attempts lie in RUN/parts/PART/repeat-N/attempt-N, each with files of its own (harness/driver/record/results.c). The
merged run has every complete invocation of every attempt, once. Invocations of the second repeat, on another node, get numbers
after those of the first. The merged run has the files of any run: samples.csv, histograms.csv, manifest.json. The parts stay
unchanged, so a merge can be repeated after more was measured. --missing only lists what is missing.

Parts of another suite, division, commit, build, processor or kernel are refused (2); --anyway mixes the last four.
Exit code: 0; 2; 3 if something is missing; 4 if a cell failed, or the run cannot be read or written.
"""

import argparse
import csv
import functools
import itertools
import json
import os
import re
import sys
from collections import namedtuple
from pathlib import Path

from harness.formats import CONDITIONS, FAILURES_MAX, MANIFEST_VERSION, SAMPLES_VERSION

USAGE, MISSING, FAILED = 2, 3, 4
# What must be the same in every attempt: a word for it, its place in the manifest, and whether --anyway mixes it.
SAME = [("version of the manifest", ("manifest_version",), False), ("version of samples.csv", ("samples", "version"), False),
        ("suite", ("suite",), False), ("text of the suite", ("suite_hash",), False), ("division", ("split",), False),
        ("commit", ("commit",), True), ("state of the sources", ("sources",), True), ("build", ("build",), True),
        *((what, (part, member), True) for what, part, member in CONDITIONS if part == "machine")]

Cell = namedtuple("Cell", "part cell workload deque params invocations precision seconds")
Attempt = namedtuple("Attempt", "part repeat number folder manifest")
# Where an invocation was found: the attempt's folder, and the line of samples.csv that ends the invocation.
Place = namedtuple("Place", "folder end status host")


class Refused(Exception):
    """A message of one line, and the exit code."""

    def __init__(self, message, code=USAGE):
        super().__init__(message)
        self.code = code


def read_attempts(run):
    """Every attempt that has begun, in the order of parts, repeats and attempts."""
    attempts = []
    for folder in run.glob("parts/*/repeat-*/attempt-*"):
        place, path = re.search(r"parts/(\d+)/repeat-(\d+)/attempt-(\d+)$", str(folder)), folder / "manifest.json"
        if place and path.exists():  # an attempt without it was stopped before it measured anything
            try:
                manifest = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as problem:
                raise Refused(f"{path} is damaged: {problem}", FAILED) from None
            attempts.append(Attempt(*map(int, place.groups()), folder, manifest))
    return sorted(attempts, key=lambda attempt: attempt[:3])


def member(manifest, names):
    return functools.reduce(lambda found, name: (found or {}).get(name), names, manifest)


def check_alike(attempts, anyway):
    """Refuses an attempt that does not belong to the first one's run. Returns a line per difference that --anyway allows."""
    first, mixed = attempts[0], []
    for other in attempts[1:]:
        for what, names, may_differ in SAME:
            here, there = (json.dumps(member(attempt.manifest, names)) for attempt in (other, first))
            if here != there:
                values = f": {here}, there {there}" if what != "division" else ""
                line = f"{other.folder} was measured with another {what} than {first.folder}{values}"
                if not (may_differ and anyway):
                    raise Refused(line + ("; --anyway mixes them" if may_differ else ""))
                mixed.append(line)
    versions = member(first.manifest, ("manifest_version",)), member(first.manifest, ("samples", "version"))
    if versions != (MANIFEST_VERSION, SAMPLES_VERSION):
        raise Refused(f"{first.folder}: manifest version {versions[0]}, samples version {versions[1]}; this version of the suite "
                      f"merges {MANIFEST_VERSION} and {SAMPLES_VERSION}")
    return mixed


class Merged:
    """What is taken from each folder: {(cell, final number of the invocation): Place}."""

    def __init__(self, cells):
        self.cells, self.folders, self.headers, self.places = cells, [], {}, {}
        self.twice = 0  # number of invocations that two attempts measured

    def _rows(self, folder, name):
        """(line number, fields) of each line below the header but an unfinished last one; one by one, because a run may be larger than
        a node's memory. Refuses a header that differs from the other folders'."""
        if not (folder / name).exists():
            return
        with (folder / name).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            for number, line in enumerate(file, 1):
                row = next(csv.reader([line]), [])
                if line.endswith("\n") and number > 1:
                    yield number, row
                elif line.endswith("\n") and self.headers.setdefault(name, row) != row:
                    raise Refused(f"{folder / name} has other columns than the parts before it: {','.join(row)}", FAILED)

    def _invocations(self, folder):
        """(number of the last line, {column: value} of it, rows) of each complete invocation: consecutive rows, the last of
        which is invocation_time."""
        begun = []
        for number, row in self._rows(folder, "samples.csv"):
            header = self.headers["samples.csv"]
            last = dict(zip(header, row))
            key = last.get("cell"), last.get("invocation")
            if len(row) != len(header) or begun and key != begun[0][0]:
                raise Refused(f"{folder / 'samples.csv'}:{number} is no row of the invocation before it: was it edited?", FAILED)
            begun.append((key, row))
            if (last["metric"], last["role"]) == ("invocation_time", "process"):
                yield number, last, [row for _, row in begun]
                begun = []

    def _final(self, cell, invocation, repeat):
        """The invocation's key in the merged run."""
        return cell, int(invocation) + (repeat - 1) * self.cells[cell].invocations

    def take(self, folder, part, repeat):
        """Takes the complete invocations of an attempt's folder. part None: of the merged run, whose numbers are final."""
        self.folders.append((folder, repeat))
        for end, row, _ in self._invocations(folder):
            planned = self.cells.get(row["cell"])
            if part is not None and (planned is None or planned.part != part):
                raise Refused(f"{folder / 'samples.csv'}:{end}: cell {row['cell']} does not belong to part {part}")
            if planned is None:
                continue  # belongs to an earlier build
            key = self._final(row["cell"], row["invocation"], repeat)
            if self.status(*key) in (None, "unproven"):
                self.places[key] = Place(folder, end, row["status"], row["host"])
            else:
                self.twice += part is not None

    def status(self, cell, invocation):
        place = self.places.get((cell, invocation))
        return place.status if place else None

    def samples(self):
        """The rows of samples.csv without a header."""
        for folder, repeat in self.folders:
            for end, last, rows in self._invocations(folder):
                at = self.headers["samples.csv"].index("invocation")
                key = last["cell"] in self.cells and self._final(last["cell"], last["invocation"], repeat)
                if key and self.places[key][:2] == (folder, end):
                    yield from ([*row[:at], key[1], *row[at + 1:]] for row in rows)

    def histograms(self):
        """The rows of histograms.csv without a header; none if no attempt has any."""
        for folder, repeat in self.folders:
            for _, row in self._rows(folder, "histograms.csv"):
                header = self.headers["histograms.csv"]
                at, known = header.index("invocation"), dict(zip(header, row))
                key = (len(row) == len(header) and known["cell"] in self.cells
                       and self._final(known["cell"], known["invocation"], repeat))
                if key in self.places and self.places[key].folder == folder:
                    yield [*row[:at], key[1], *row[at + 1:]]


def missing_of(merged, cells, attempts, repeats):
    """[(part, repeat, Cell, how many invocations are missing)]. A cell that was given up is not missing; nor is a cell that
    reached its precision, as the end of its part shows."""
    finished = {(attempt.part, attempt.repeat) for attempt in attempts if attempt.manifest.get("state") == "finished"}
    missing = []
    for repeat in range(1, repeats + 1):
        for cell in cells.values():
            first = (repeat - 1) * cell.invocations
            statuses = [merged.status(cell.cell, first + i) for i in range(cell.invocations)]
            absent = sum(status in (None, "unproven") for status in statuses)
            given_up = "refused" in statuses or sum(status in ("crashed", "timeout") for status in statuses) >= FAILURES_MAX
            ended = (cell.part, repeat) in finished and cell.precision > 0 and "unproven" not in statuses
            if absent and not (given_up or ended):
                missing.append((cell.part, repeat, cell, absent))
    return missing


def merged_manifest(attempts, cells, repeats, hosts, complete):
    """The first attempt's manifest, with the cells, stamps and times of all attempts."""
    manifest = {name: value for name, value in attempts[0].manifest.items() if name not in ("part", "repeat", "split")}
    planned, deques = {}, {}
    for attempt in attempts:
        for cell in attempt.manifest.get("cells") or []:
            planned[cell["cell"]] = dict(cell, invocations=cells[cell["cell"]].invocations * repeats)
        for deque in attempt.manifest.get("deques") or []:
            before = deques.get(deque["id"])
            if before is None or before.get("stamp") in ("not made", "not needed", "no verdict"):
                deques[deque["id"]] = deque
    codes = [attempt.manifest.get("exit_code") for attempt in attempts if attempt.manifest.get("state") == "finished"]
    manifest.update(
        host=", ".join(hosts), hosts=hosts, parts=max(cell.part for cell in cells.values()), repeats=repeats,
        command=[word for word in manifest["command"] if not word.startswith(("--part", "--repeat"))],
        start=min(attempt.manifest.get("start") or "" for attempt in attempts),
        end=max(attempt.manifest.get("end") or "" for attempt in attempts),
        state="finished" if complete else "interrupted", exit_code=max([code or 0 for code in codes], default=0),
        cells=[planned[cell] for cell in cells if cell in planned], deques=list(deques.values()))
    return manifest


def replace(path, write):
    """Replaces the file by what write(file) makes. If that fails, the file stays unchanged."""
    beside = path.with_name(f"{path.name}.{os.uname().nodename}-{os.getpid()}.new")
    with beside.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


class Parts:
    """The parts of a run, read from the disk."""

    def __init__(self, run, anyway=False):
        self.run = Path(run)
        if not (self.run / "parts").is_dir():
            raise Refused(f"{self.run} is no run of parts: it has no folder parts/")
        self.attempts = read_attempts(self.run)
        division = map(lambda cell: Cell(**cell), self.attempts[0].manifest["split"] if self.attempts else [])
        self.cells = {cell.cell: cell for cell in division}  # of the whole run, in its order
        self.mixed = check_alike(self.attempts, anyway) if self.attempts else []
        asked = self.run / "slurm.json"
        self.repeats = (json.loads(asked.read_text(encoding="utf-8"))["repeat_nodes"] if asked.exists() else
                        max([attempt.repeat for attempt in self.attempts], default=1))
        self.merged = Merged(self.cells)
        for attempt in self.attempts:
            self.merged.take(attempt.folder, attempt.part, attempt.repeat)
        self.merged.take(self.run, None, 1)  # invocations that a plain --resume added to the merged run
        self.missing = missing_of(self.merged, self.cells, self.attempts, self.repeats)

    def write(self):
        """Writes the run's files. The samples come before the manifest, which says which of them count."""
        for name, rows in ("histograms.csv", self.merged.histograms()), ("samples.csv", self.merged.samples()):
            first = next(rows, None)
            if first:
                replace(self.run / name, lambda file: csv.writer(file, lineterminator="\n").writerows(
                    itertools.chain([self.merged.headers[name], first], rows)))
        hosts = sorted({place.host for place in self.merged.places.values()})
        manifest = merged_manifest(self.attempts, self.cells, self.repeats, hosts, not self.missing)
        replace(self.run / "manifest.json", lambda file: json.dump(manifest, file, indent=2))
        return manifest

    def say_missing(self, file=None):
        """Prints a line for each part and repeat, with the end of the newest log of its job, which says why the job ended; on standard
        error if no file is given."""
        for (part, repeat), some in itertools.groupby(sorted(self.missing, key=lambda one: one[:2]), key=lambda one: one[:2]):
            absent = [one[3] for one in some]
            tries = sum((attempt.part, attempt.repeat) == (part, repeat) for attempt in self.attempts)
            logs = sorted(self.run.glob(f"parts/logs/*_{part}.txt"), key=lambda path: path.stat().st_mtime)[-1:]
            words = [f"; {log}: {log.read_text(encoding='utf-8', errors='replace').strip().rpartition(chr(10))[2][:200]}" for log in logs]
            print(f"missing: part {part}" + (f", repeat {repeat}" if self.repeats > 1 else "") + f": {many(sum(absent), 'invocation')} of "
                  f"{many(len(absent), 'cell')} after {many(tries, 'attempt')}" + "".join(words), file=file or sys.stderr)


def many(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def merge(parts):
    """Returns the exit code."""
    if not parts.merged.places:
        raise Refused(f"{parts.run}: no part has finished an invocation yet", MISSING)
    manifest = parts.write()
    for line in parts.mixed:
        print("mixed: " + line, file=sys.stderr)
    if parts.merged.twice:
        print(f"measured by two attempts at once (a node went on that was thought dead): {many(parts.merged.twice, 'invocation')}; "
              "the first attempt's are taken", file=sys.stderr)
    print(f"{parts.run}: {len({attempt.part for attempt in parts.attempts})} of {manifest['parts']} parts, "
          f"{many(len(parts.merged.places), 'invocation')} on {manifest['host']}", file=sys.stderr)
    return MISSING if parts.missing else manifest["exit_code"]


def main():
    parser = argparse.ArgumentParser(prog="stealbench merge", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run")
    for name in "--anyway", "--missing":
        parser.add_argument(name, action="store_true")
    arguments = parser.parse_args()
    try:
        parts = Parts(arguments.run, arguments.anyway)
        parts.say_missing(sys.stdout if arguments.missing else sys.stderr)
        return (MISSING if parts.missing else 0) if arguments.missing else merge(parts)
    except Refused as refused:
        print(f"stealbench merge: {refused}", file=sys.stderr)
        return refused.code
    except OSError as error:
        print(f"stealbench merge: {error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
