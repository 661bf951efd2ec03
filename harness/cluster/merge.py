"""Makes one run of its parts: python3 -m harness.cluster.merge RUN [--anyway] [--missing]

A part's attempts lie in RUN/parts/PART/repeat-N/attempt-N, each with files of its own (harness/driver/record/parts.h). Taken
are the complete invocations of all, cell by cell, each once; an invocation of the second repeat, on another node, gets a
number behind those of the first. What is written is a run like any other: samples.csv, histograms.csv, manifest.json; the
parts stay as they are, so merging again after more was measured loses nothing. missing.csv lists what is not there yet.

Refused (2) are parts of another suite, division, commit, build, processor or kernel; of the last four --anyway mixes.
Exit 0; 2; 3 when something is missing; 4 when a cell failed, or the run cannot be read or written.
"""

import argparse
import csv
import io
import json
import os
import sys
from collections import OrderedDict, namedtuple

SPLIT_COLUMNS = "part cell workload deque params invocations precision seconds".split()
SAMPLES_VERSION, MANIFEST_VERSION = 4, 1
FAILURES_MAX = 2  # as often the driver tries a cell that fails
USAGE, MISSING, FAILED = 2, 3, 4
# What must be the same in every attempt: words for it, where it stands in the manifest, and whether --anyway mixes it.
SAME = [("version of the manifest", ("manifest_version",), False), ("version of samples.csv", ("samples", "version"), False),
        ("suite", ("suite",), False), ("text of the suite", ("suite_hash",), False), ("division", ("split",), False),
        ("commit", ("commit",), True), ("state of the sources", ("sources",), True), ("build", ("build",), True),
        ("processor", ("machine", "cpu"), True), ("kernel", ("machine", "kernel"), True)]

Cell = namedtuple("Cell", "part cell workload deque params invocations precision seconds")
Attempt = namedtuple("Attempt", "part repeat number folder manifest")


class Refused(Exception):
    """One line for people, and the exit code."""

    def __init__(self, message, code=USAGE):
        super().__init__(message)
        self.code = code


def read_split(run):
    """{cell: Cell} of split.csv, in its order."""
    path = os.path.join(run, "split.csv")
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        raise Refused("{} is not there: {} is no run of parts".format(path, run)) from None
    if not rows or rows[0] != SPLIT_COLUMNS:
        raise Refused("{} is damaged: its columns are {}".format(path, ",".join(SPLIT_COLUMNS)), FAILED)
    cells = OrderedDict()
    for part, cell, workload, deque, params, invocations, precision, seconds in rows[1:]:
        cells[cell] = Cell(int(part), cell, workload, deque, params, int(invocations), float(precision), float(seconds))
    return cells


def numbered(folder, prefix):
    """[(number, path)] of what is called prefix and a number, in order."""
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        number = name[len(prefix):]
        if name.startswith(prefix) and number.isdigit():
            found.append((int(number), os.path.join(folder, name)))
    return sorted(found)


def read_attempts(run):
    """Every attempt that has begun, in the order of parts, repeats and attempts."""
    attempts = []
    for part, of_part in numbered(os.path.join(run, "parts"), ""):
        for repeat, of_repeat in numbered(of_part, "repeat-"):
            for number, folder in numbered(of_repeat, "attempt-"):
                path = os.path.join(folder, "manifest.json")
                try:
                    with open(path, encoding="utf-8") as file:
                        attempts.append(Attempt(part, repeat, number, folder, json.load(file)))
                except FileNotFoundError:
                    continue  # stopped before it measured anything
                except ValueError as problem:
                    raise Refused("{} is damaged: {}".format(path, problem), FAILED) from None
    return attempts


def member(manifest, names):
    for name in names:
        manifest = manifest.get(name) if isinstance(manifest, dict) else None
    return manifest


def shown(value):
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def check_alike(attempts, anyway):
    """All belong to one run, or are refused by name. Returns words on what --anyway let through."""
    first, mixed = attempts[0], []
    for other in attempts[1:]:
        for what, names, may_differ in SAME:
            a, b = member(first.manifest, names), member(other.manifest, names)
            if a == b:
                continue
            line = "{} was measured with another {} than {}: {}, there {}".format(
                other.folder, what, first.folder, shown(b), shown(a))
            if not (may_differ and anyway):
                raise Refused(line + ("; --anyway mixes them" if may_differ else ""))
            mixed.append(line)
    versions = member(first.manifest, ("manifest_version",)), member(first.manifest, ("samples", "version"))
    if versions != (MANIFEST_VERSION, SAMPLES_VERSION):
        raise Refused("{}: manifest version {}, samples version {}; this version of the suite merges {} and {}".format(
            first.folder, versions[0], versions[1], MANIFEST_VERSION, SAMPLES_VERSION))
    return mixed


def fields_of(line):
    return next(csv.reader([line.decode("utf-8", "surrogateescape")]), [])


class Rows:
    """A file of rows, read line by line and not kept: a run may have more of them than a node has memory."""

    def __init__(self, path):
        self.path, self.header = path, None
        try:
            with open(path, "rb") as file:
                line = file.readline()
        except FileNotFoundError:
            return
        if line.endswith(b"\n"):
            self.header, self.start = fields_of(line), len(line)

    def __iter__(self):
        """(number of the line, where it begins, where it ends, fields); not the last where that was being written."""
        if self.header is None:
            return
        with open(self.path, "rb") as file:
            file.seek(self.start)
            start = self.start
            for number, line in enumerate(file, 2):
                if not line.endswith(b"\n"):
                    return
                yield number, start, start + len(line), fields_of(line)
                start += len(line)


# Where the rows of one invocation stand: in which file, from which byte to which; what is added to their number.
Place = namedtuple("Place", "path start end added status host")


class Merged:
    """What is taken: {(cell, invocation): Place} in samples.csv, in the order in which it came, and in histograms.csv."""

    def __init__(self, cells):
        self.cells = cells
        self.samples, self.histograms = OrderedDict(), {}
        self.header = self.histograms_header = None
        self.twice = 0  # invocations that are there more than once

    def _keep_header(self, name, rows):
        before = getattr(self, name)
        if rows.header is not None and before is not None and before != rows.header:
            raise Refused("{} has other columns than the parts before it: {}".format(
                rows.path, ",".join(rows.header)), FAILED)
        setattr(self, name, rows.header if before is None else before)

    def take(self, folder, part, repeat):
        """The complete invocations of an attempt's folder; part None: of the merged run, whose numbers are final."""
        rows = Rows(os.path.join(folder, "samples.csv"))
        self._keep_header("header", rows)
        if rows.header is None:
            return
        cell, invocation, metric, role, status, host = map(
            rows.header.index, ("cell", "invocation", "metric", "role", "status", "host"))
        begun, key, taken = None, None, set()
        for number, start, end, row in rows:
            if len(row) != len(rows.header) or begun is not None and (row[cell], row[invocation]) != key:
                raise Refused("{}:{} is no row of the invocation before it: was it edited?".format(rows.path, number),
                              FAILED)
            begun, key = (start if begun is None else begun), (row[cell], row[invocation])
            if row[metric] != "invocation_time" or row[role] != "process":
                continue
            planned = self.cells.get(row[cell])
            if part is not None and (planned is None or planned.part != part):
                raise Refused("{}:{}: cell {} does not belong to part {}".format(rows.path, number, row[cell], part))
            added = (repeat - 1) * planned.invocations if planned else 0
            place, begun = Place(rows.path, begun, end, added, row[status], row[host]), None
            if planned is None:
                continue  # of an earlier build
            final = row[cell], int(row[invocation]) + added
            before = self.samples.get(final)
            if before is not None and before.status != "unproven":
                self.twice += part is not None
                continue
            self.samples[final] = place
            taken.add(key)
        self._take_histograms(folder, taken, repeat)

    def _take_histograms(self, folder, taken, repeat):
        rows = Rows(os.path.join(folder, "histograms.csv"))
        self._keep_header("histograms_header", rows)
        if rows.header is None:
            return
        cell, invocation = rows.header.index("cell"), rows.header.index("invocation")
        for _, start, end, row in rows:
            if len(row) == len(rows.header) and (row[cell], row[invocation]) in taken:
                added = (repeat - 1) * self.cells[row[cell]].invocations
                places = self.histograms.setdefault((row[cell], int(row[invocation]) + added), [])
                if places and places[-1].end == start:
                    start = places.pop().start
                places.append(Place(rows.path, start, end, added, "", ""))

    def status(self, cell, invocation):
        place = self.samples.get((cell, invocation))
        return place.status if place else None


def copied(places, header):
    """The bytes at these places, one after the other, with their invocations' final numbers."""
    yield (",".join(header) + "\n").encode("utf-8")
    invocation, files = header.index("invocation"), OrderedDict()
    try:
        for place in places:
            if place.path not in files:
                if len(files) == 64:
                    files.popitem(last=False)[1].close()
                files[place.path] = open(place.path, "rb")
            files[place.path].seek(place.start)
            text = files[place.path].read(place.end - place.start)
            if place.added:
                rows = [fields_of(line) for line in text.splitlines()]
                for row in rows:
                    row[invocation] = str(int(row[invocation]) + place.added)
                text = as_csv(rows).encode("utf-8", "surrogateescape")
            yield text
    finally:
        for file in files.values():
            file.close()


def missing_of(merged, cells, attempts, repeats):
    """[(part, repeat, Cell, invocations that are not there)]. A cell that was given up is not missing, nor one that reached
    its precision: of that a finished part knows."""
    finished = {(attempt.part, attempt.repeat) for attempt in attempts if attempt.manifest.get("state") == "finished"}
    missing = []
    for repeat in range(1, repeats + 1):
        for cell in cells.values():
            first = (repeat - 1) * cell.invocations
            statuses = [merged.status(cell.cell, first + i) for i in range(cell.invocations)]
            absent = sum(status is None or status == "unproven" for status in statuses)
            given_up = sum(status in ("crashed", "timeout") for status in statuses) >= FAILURES_MAX
            reached = cell.precision > 0 and (cell.part, repeat) in finished and "unproven" not in statuses
            # Exit 2 of an invocation, a bad input, is tried once.
            refused = (cell.part, repeat) in finished and "crashed" in statuses
            if absent and not (given_up or reached or refused):
                missing.append((cell.part, repeat, cell, absent))
    return missing


def merged_manifest(attempts, cells, repeats, hosts, complete):
    """The first attempt's, with the cells, stamps and times of all."""
    manifest = OrderedDict(attempts[0].manifest)
    for name in ("part", "repeat"):
        manifest.pop(name, None)
    planned, deques = OrderedDict(), OrderedDict()
    for attempt in attempts:
        for cell in attempt.manifest.get("cells") or []:
            planned[cell["cell"]] = dict(cell, invocations=cells[cell["cell"]].invocations * repeats)
        for deque in attempt.manifest.get("deques") or []:
            before = deques.get(deque["id"])
            if before is None or before.get("stamp") in ("not made", "not needed", "no verdict"):
                deques[deque["id"]] = deque
    ended = [attempt.manifest.get("end") or "" for attempt in attempts]
    codes = [attempt.manifest.get("exit_code") for attempt in attempts if attempt.manifest.get("state") == "finished"]
    manifest.update(
        host=", ".join(hosts), hosts=hosts, parts=max(cell.part for cell in cells.values()), repeats=repeats,
        command=[word for word in manifest["command"] if not word.startswith(("--part", "--repeat", "--host"))],
        start=min(attempt.manifest.get("start") or "" for attempt in attempts), end=max(ended),
        state="finished" if complete else "interrupted", exit_code=max([code or 0 for code in codes], default=0),
        cells=[planned[cell] for cell in cells if cell in planned], deques=list(deques.values()))
    return manifest


def replace(path, texts):
    """The file is as before or holds all of the texts (bytes), one after the other."""
    beside = "{}.{}-{}.new".format(path, os.uname().nodename, os.getpid())
    with open(beside, "wb") as file:
        file.writelines(texts)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def as_csv(rows):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_manifest(path, manifest):
    """One cell a line, as the driver writes them and reads them back."""
    lines = []
    for name, value in manifest.items():
        if name == "cells":
            inner = ",\n".join("    " + json.dumps(cell) for cell in value)
            lines.append('  "cells": [\n{}\n  ]'.format(inner))
        else:
            lines.append("  {}: {}".format(json.dumps(name), json.dumps(value, indent=2).replace("\n", "\n  ")))
    replace(path, [("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")])


def keep_durations(run, attempts):
    """What the parts took, for the next estimate: results/.durations."""
    known = OrderedDict()
    path = os.path.join(os.path.dirname(os.path.abspath(run)), ".durations")
    for file in [path] + [os.path.join(attempt.folder, ".durations") for attempt in attempts]:
        try:
            with open(file, encoding="ascii") as lines:
                known.update(line.split(None, 1) for line in lines if len(line.split()) in (2, 4))
        except (OSError, ValueError):
            continue
    replace(path, ["{} {}\n".format(key, known[key].strip()).encode("ascii") for key in sorted(known)])


def repeats_of(run, attempts):
    """On how many nodes each cell is measured: as submitted, or as many as there are."""
    try:
        with open(os.path.join(run, "slurm.json"), encoding="utf-8") as file:
            return json.load(file)["repeat_nodes"]
    except (OSError, ValueError, KeyError):
        return max([attempt.repeat for attempt in attempts], default=1)


class Parts:
    """The parts of a run as they are on disk."""

    def __init__(self, run, anyway=False):
        self.run, self.cells, self.attempts = run, read_split(run), read_attempts(run)
        self.mixed = check_alike(self.attempts, anyway) if self.attempts else []
        self.repeats = repeats_of(run, self.attempts)
        self.merged = Merged(self.cells)
        for attempt in self.attempts:
            self.merged.take(attempt.folder, attempt.part, attempt.repeat)
        self.merged.take(run, None, 1)  # what an ordinary --resume has added to the merged run
        self.missing = missing_of(self.merged, self.cells, self.attempts, self.repeats)

    def hosts(self):
        """The names in the rows, in alphabetical order."""
        return sorted({place.host for place in self.merged.samples.values()})

    def write(self):
        """The run's files; samples before the manifest, which says what of them counts."""
        merged, cells = self.merged, set(self.cells)
        if merged.histograms:
            places = [place for key in merged.samples for place in merged.histograms.get(key, ())]
            replace(os.path.join(self.run, "histograms.csv"), copied(places, merged.histograms_header))
        replace(os.path.join(self.run, "samples.csv"), copied(merged.samples.values(), merged.header))
        manifest = merged_manifest(self.attempts, self.cells, self.repeats, self.hosts(), not self.missing)
        assert {cell["cell"] for cell in manifest["cells"]} <= cells
        write_manifest(os.path.join(self.run, "manifest.json"), manifest)
        lines = [[part, repeat, cell.cell, cell.workload, cell.deque, cell.params, absent]
                 for part, repeat, cell, absent in self.missing]
        replace(os.path.join(self.run, "missing.csv"),
                [as_csv(["part repeat cell workload deque params invocations".split()] + lines).encode("utf-8")])
        keep_durations(self.run, self.attempts)
        return manifest

    def say_missing(self, file=None):
        """A line a part and repeat, with the last that was said there, on standard error if nowhere else."""
        parts = OrderedDict()
        for part, repeat, _, absent in self.missing:
            cells, invocations = parts.get((part, repeat), (0, 0))
            parts[part, repeat] = cells + 1, invocations + absent
        for (part, repeat), (cells, invocations) in parts.items():
            tries = sum((attempt.part, attempt.repeat) == (part, repeat) for attempt in self.attempts)
            print("missing: part {}{}: {} invocations of {} cells after {} attempt{}{}".format(
                part, ", repeat {}".format(repeat) if self.repeats > 1 else "", invocations, cells, tries,
                "" if tries == 1 else "s", last_words(self.run, part)), file=file or sys.stderr)


def last_words(run, part):
    """The end of the newest log of that part's job: why it ended."""
    folder, newest = os.path.join(run, "parts", "logs"), None
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.endswith("_{}.txt".format(part)):
            path = os.path.join(folder, name)
            newest = max(newest or path, path, key=os.path.getmtime)
    if newest is None:
        return ""
    with open(newest, "rb") as file:
        lines = [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return "; {}: {}".format(newest, lines[-1].strip()[:200] if lines else "empty")


def merge(run, anyway=False):
    """Merges; returns the exit code."""
    parts = Parts(run, anyway)
    if not parts.merged.samples:
        parts.say_missing()
        raise Refused("{}: no part has finished an invocation yet".format(run), MISSING)
    manifest = parts.write()
    for line in parts.mixed:
        print("mixed: " + line, file=sys.stderr)
    if parts.merged.twice:
        print("{} invocations were measured by two attempts at once (a node that was thought dead went on); the first is "
              "taken".format(parts.merged.twice), file=sys.stderr)
    parts.say_missing()
    print("{}: {} of {} parts, {} invocations on {}".format(
        run, len({attempt.part for attempt in parts.attempts}), manifest["parts"], len(parts.merged.samples),
        manifest["host"]), file=sys.stderr)
    return MISSING if parts.missing else manifest["exit_code"]


def main():
    parser = argparse.ArgumentParser(prog="stealbench merge", description="Makes one run of its parts.")
    parser.add_argument("run", metavar="RUN", help="the run's folder, with split.csv and parts/ in it")
    parser.add_argument("--anyway", action="store_true", help="mix parts of several commits, builds, processors, kernels")
    parser.add_argument("--missing", action="store_true", help="only say what is missing")
    arguments = parser.parse_args()
    try:
        if arguments.missing:
            parts = Parts(arguments.run, arguments.anyway)
            parts.say_missing(sys.stdout)
            return MISSING if parts.missing else 0
        return merge(arguments.run, arguments.anyway)
    except Refused as refused:
        print("stealbench merge: {}".format(refused), file=sys.stderr)
        return refused.code
    except OSError as error:
        print("stealbench merge: {}: {}".format(error.filename, error.strerror), file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
