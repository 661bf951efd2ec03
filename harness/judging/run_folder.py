"""Reads and checks a run's folder, manifest.json and samples.csv; writes files; ends every program of judging and drawing.

Nothing here interprets a number. A problem that a person can solve is a Problem with the exit code of the suite
(2 usage, 3 something missing, 4 could not be written), never a traceback.
"""

import argparse
import csv
import io
import itertools
import json
import lzma
import os
import math
import signal
import sys
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from harness.formats import CONDITIONS, MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION

# From the best to the worst: a cell is as good as its worst invocation.
STATUSES = ("ok", "unsupported", "denied", "busy", "unproven", "refused", "timeout", "crashed")
# Metrics that a subtraction may make slightly negative; all others are at least 0.
MAY_BE_NEGATIVE = {"steal_time"}
# Messages begin with this; the verb comes from the driver.
PROGRAM = " ".join(filter(None, ("stealbench", os.environ.get("STEALBENCH_VERB"))))
EXIT_FAILED, EXIT_USAGE, EXIT_MISSING, EXIT_NOT_WRITTEN = 1, 2, 3, 4


class Problem(Exception):
    """A problem that a person can solve: what is wrong, what to do, and the exit code."""

    def __init__(self, message, code=EXIT_MISSING):
        super().__init__(message)
        self.code = code


def run_program(main):
    """Runs main() and ends the process with its exit code; a Problem becomes one line on standard error."""
    # A reader that closes the pipe early (head, less) is no error.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        code = main() or 0
        sys.stdout.flush()
    except Problem as problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        code = problem.code
    except OSError as error:
        print(f"{PROGRAM}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        code = EXIT_NOT_WRITTEN
        with open(os.devnull, "wb") as nowhere:  # what is left in the buffer fails again at the end, as another exit code
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    sys.exit(code)


def run_of_arguments(about, *flags):
    """(the run that the command line names, its arguments); flags: (name, help) of options without a value, (name, help,
    choices or None: any) of those with one."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=about.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/")
    for name, told, *choices in flags:
        parser.add_argument(name, help=told, **({"choices": choices[0]} if choices else {"action": "store_true"}))
    arguments = parser.parse_args()
    run = Run(arguments.run)
    run.say_what_was_left_out()
    return run, arguments


def warn(message):
    """Prints a note; the program goes on."""
    print(f"{PROGRAM}: {message}", file=sys.stderr)


def parse_params(text):
    """'batch=128;push=single' as a dictionary of readable values."""
    return {name: readable(value) for name, value in (part.split("=", 1) for part in text.split(";")
                                                             if "=" in part and part != "variant=drawn")}  # a setting in older runs


def readable(value):
    """A value of params without escapes, except for characters that cannot be shown: % itself, control characters and bytes
    that are not UTF-8 stay %25, %0A and so on, so that different values stay different."""
    text = unquote_to_bytes(value).decode("utf-8", "surrogateescape")
    return "".join(c if c.isprintable() and c != "%" else quote(c.encode("utf-8", "surrogateescape")) for c in text)


def worst_status(statuses):
    """The worst of these statuses; ok if there are none."""
    return max(statuses, key=STATUSES.index, default="ok")


def read_lines(path, what):
    """The lines of a file, or of FILE.xz as in kept runs, or a Problem that says which part of a run is missing."""
    packed = path.with_name(path.name + ".xz")
    is_packed = packed.exists() and not path.exists()
    try:
        with (lzma.open(packed, "rt", encoding="utf-8", newline="\n") if is_packed else open(path, encoding="utf-8", newline="\n")) as file:
            yield from file
    except FileNotFoundError:
        raise Problem(f"{path} is not there: {what}") from None
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise Problem(f"{path} cannot be read: {error}") from None


def read_text(path, what):
    """The same as one text."""
    return "".join(read_lines(path, what))


def table_rows(path, columns, made=dict):
    """made({column: text}) of each row of a CSV table that is part of the suite. Lines that begin with # before the header are
    comments. A Problem names the line with wrong columns, or for which made() raises a ValueError."""
    lines = read_text(path, "it is part of the suite").splitlines(keepends=True)
    comments = len(list(itertools.takewhile(lambda line: line.startswith("#"), lines)))
    rows, found = csv.reader(lines[comments:], strict=True), []
    try:
        if next(rows, None) != columns:
            raise ValueError("the columns are " + ",".join(columns))
        for fields in rows:
            if len(fields) != len(columns):
                raise ValueError(f"{len(fields)} columns instead of {len(columns)}")
            found.append(made(dict(zip(columns, fields))))
    except (ValueError, csv.Error) as problem:
        raise Problem(f"{path}:{comments + rows.line_num}: {problem}") from None
    return found


def write_whole(path, text):
    """Writes a file whole or not at all: a program that reads it meanwhile sees the old or the new. Returns its path."""
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def write_rows(path, columns, rows):
    """Writes a CSV file with these columns; returns its path."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return write_whole(path, text.getvalue())


def driver_rows(path, what, columns, take):
    """Gives each row of a table that the driver wrote to take(), as {column: text}: it never quotes a field. take() raises a
    ValueError for a row that the driver cannot have written; a Problem then names its line. True if the driver was stopped in
    the last line, which is left out."""
    lines, begun = read_lines(path, what), {}  # begun: the fields that many rows begin with, kept once
    header = next(lines, "").rstrip("\n")
    if header and header.split(",") != columns:
        raise Problem(f"{path} has other columns than this version of the suite, which are {','.join(columns)}")
    for number, line in enumerate(lines, 2):
        if not line.endswith("\n"):
            return True
        try:
            start, *others = line[:-1].rsplit(",", len(columns) - 4)
            if start not in begun:
                begun[start] = start.split(",")
            fields = begun[start] + others
            if len(fields) != len(columns):
                raise ValueError(f"{len(fields)} columns instead of {len(columns)}")
            take(dict(zip(columns, fields)))
        except ValueError as problem:
            raise Problem(f"{path}:{number}: {problem}: was it edited?") from None
    return False


def _converted(row):
    """The row with its numbers as numbers; a ValueError for anything that the driver cannot have written."""
    for name in ("invocation", "repetition"):
        if not row[name].isdecimal():
            raise ValueError(f"{name} {row[name]!r} is no number from 0")
        row[name] = int(row[name])
    if row["status"] not in STATUSES:
        raise ValueError(f"no such status: {row['status']!r}")
    if row["status"] != "ok" and row["value"]:
        raise ValueError(f"a value beside the status {row['status']}")
    row["value"] = value = float(row["value"]) if row["status"] == "ok" else None
    row["distance"] = distance = float(row["distance"]) if row["distance"] else None
    if value is not None and not (0 if row["metric"] not in MAY_BE_NEGATIVE else -math.inf) <= value < math.inf:
        raise ValueError(f"{row['metric']} cannot be {value:g}")
    if distance is not None and not 0 < distance < math.inf:
        raise ValueError(f"{distance} is no distance")
    return row


class Run:
    """One results/RUN: the plan (manifest) and the results (samples of complete invocations)."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise Problem(f"{folder} is no folder; a run is a folder below results/ with manifest.json and samples.csv",
                          EXIT_USAGE)
        self.manifest = self._read_manifest()
        self._facts = {facts.get("id"): facts for facts in self.manifest.get("deques") or []}
        self.dropped = 0  # rows of invocations that never ended: the run was killed there
        self.stale = 0  # invocations of cells that the manifest no longer plans: another build, other options
        self.invocations = self._read_samples()
        self.cells = self._collect_cells()

    def say_what_was_left_out(self):
        if self.dropped:
            warn(f"{self.dropped} rows left out: their invocation did not end")
        if self.stale:
            warn(f"{self.stale} invocations left out: the manifest plans their cells no longer (another build?)")

    @property
    def partial(self):
        """Was only a part of the suite asked for? Then sections without cells are not missing."""
        return any(str(word).startswith("--only") for word in self.manifest.get("command") or [])

    @property
    def name(self):
        return self.folder.resolve().name

    def _read_manifest(self):
        path = self.folder / "manifest.json"
        try:
            manifest = json.loads(read_text(path, "this is no run, or it ended before it began"))
        except json.JSONDecodeError as error:
            raise Problem(f"{path} is damaged ({error}); run again, or copy the folder again") from None
        if not isinstance(manifest, dict):
            raise Problem(f"{path} is damaged: an object is expected")
        for what, found, known in [("manifest_version", manifest.get("manifest_version"), MANIFEST_VERSION),
                                   ("samples version", (manifest.get("samples") or {}).get("version"), SAMPLES_VERSION)]:
            if found != known:
                raise Problem(f"{path} has {what} {found!r}, this version of the suite reads {known}: use the one that wrote the run")
        return manifest

    def _read_samples(self):
        """{(cell, invocation): [rows]}, complete ones only.

        The rows of one invocation stand together and end with invocation_time; rows without that end were cut off. An
        invocation may occur again after one without a verdict on its deque. Any other row that the driver cannot have
        written is refused with its line number.
        """
        path, complete, pending, current = self.folder / "samples.csv", {}, {}, None

        def take(fields):
            nonlocal pending, current
            row = _converted(fields)
            key, value = (row["cell"], row["invocation"]), (row["role"], row["repetition"], row["metric"])
            if key != current:
                self.dropped += len(pending)
                pending, current = {}, key
            if value in pending or key in complete and complete[key][-1]["status"] != "unproven":
                raise ValueError(f"{row['metric']} of {row['role']} is there twice in this invocation")
            pending[value] = row
            if row["metric"] == "invocation_time":
                complete[key] = list(pending.values())
                pending, current = {}, None

        torn = driver_rows(path, "nothing was measured", SAMPLE_COLUMNS, take)
        self.dropped += torn + len(pending)
        if planned := {cell["cell"] for cell in self.planned_cells()}:
            self.stale = sum(cell not in planned for cell, _ in complete)
            complete = {key: rows for key, rows in complete.items() if key[0] in planned}
        if not complete:
            raise Problem(f"{path} holds no complete invocation: nothing to show yet")
        return complete

    def _collect_cells(self):
        """{cell: {"workload", "deque", "params", "tags"}} of everything planned and everything found."""
        found = {one["cell"]: one for one in self.planned_cells()} or {rows[0]["cell"]: rows[0] for rows in self.invocations.values()}
        return {name: {"workload": one.get("workload", ""), "deque": one.get("deque", ""), "params": parse_params(one.get("params", "")),
                       "tags": list(one.get("tags", []))} for name, one in found.items()}

    def planned_cells(self):
        """The manifest's cells; those without a name are damage and left out."""
        return [cell for cell in self.manifest.get("cells") or [] if isinstance(cell, dict) and cell.get("cell")]

    def deque_facts(self, deque):
        """The deque's description by its executable, as far as the manifest has it."""
        return self._facts.get(deque, {})

    def _sections(self):
        return [one for one in self.manifest.get("sections") or [] if isinstance(one, dict) and one.get("tag")]

    def denied_sections(self):
        """The tags of sections that were partly left out because this machine has no hardware counters."""
        return [section["tag"] for section in self._sections() if section.get("status") == "denied"]

    def section_titles(self):
        """[(tag, title)] in the order of the suite, then tags that no section names."""
        titles = {section["tag"]: section.get("title") or section["tag"] for section in self._sections()}
        for cell in self.cells.values():
            for tag in cell["tags"]:
                titles.setdefault(tag, tag)
        return list(titles.items())


def differing_conditions(run, other):
    """[(what, in the one run, in the other)] of machine, kernel, compiler and flags."""
    def told(manifest, part, member):
        return (manifest.get(part) or {}).get(member, "unknown")

    return [(what, told(run.manifest, part, member), told(other.manifest, part, member))
            for what, part, member in CONDITIONS
            if told(run.manifest, part, member) != told(other.manifest, part, member)]
