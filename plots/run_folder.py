"""A run's folder, read: manifest.json and samples.csv, checked; and how every program in plots/ ends.

Nothing here interprets a number. A problem that a person can mend is a Problem with the exit code of the suite
(2 usage, 3 something missing, 4 could not be written), never a traceback.
"""

import csv
import io
import json
import os
import signal
import sys
from pathlib import Path

MANIFEST_VERSION = SAMPLES_VERSION = 1
SAMPLE_COLUMNS = ("cell workload deque params placement role invocation repetition metric value unit status "
                  "flags").split()
# From the best to the worst: a cell is as good as its worst invocation.
STATUSES = ("ok", "unsupported", "denied", "timeout", "crashed")

EXIT_FAILED, EXIT_USAGE, EXIT_MISSING, EXIT_NOT_WRITTEN = 1, 2, 3, 4


class Problem(Exception):
    """Something a person can mend: what is wrong, what to do, and the exit code."""

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
        print(f"{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
        code = problem.code
    except OSError as error:
        print(f"{Path(sys.argv[0]).name}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        code = EXIT_NOT_WRITTEN
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    sys.exit(code)


def warn(message):
    """Says something that does not stop the program."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)


def parse_params(text):
    """'batch=128;push=single' as a dictionary."""
    return dict(part.split("=", 1) for part in text.split(";") if "=" in part)


def worst_status(statuses):
    """The worst of some statuses; ok when there are none. A status this version does not know counts as crashed."""
    rank = {status: place for place, status in enumerate(STATUSES)}
    return max(statuses, key=lambda status: rank.get(status, len(STATUSES)), default="ok")


def read_text(path, what):
    """The text of a file, or a Problem that says which part of a run it would have been."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(f"{path} is not there: {what}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error}") from None


class Run:
    """One results/RUN: what was to be run (manifest) and what came of it (samples of complete invocations)."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise Problem(f"{folder} is no folder; a run is a folder below results/ with manifest.json and samples.csv")
        self.manifest = self._read_manifest()
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
        samples = manifest.get("samples")
        for what, found, known in [
                ("manifest_version", manifest.get("manifest_version"), MANIFEST_VERSION),
                ("samples version", samples.get("version") if isinstance(samples, dict) else None, SAMPLES_VERSION)]:
            if found != known:
                raise Problem(f"{path} has {what} {found!r}, this version of plots/ reads {known}: "
                              "use the version of the suite that wrote the run")
        return manifest

    def _read_samples(self):
        """{(cell, invocation): [rows]}, complete ones only.

        The rows of one invocation stand together and end with invocation_time; what lacks that end was cut off.
        Should an invocation be there twice (resumed), the later one counts.
        """
        path = self.folder / "samples.csv"
        lines = csv.reader(io.StringIO(read_text(path, "nothing was measured"), newline=""))
        header = next(lines, None)
        if header is None:
            raise Problem(f"{path} is empty: nothing was measured")
        if header != SAMPLE_COLUMNS:
            raise Problem(f"{path} has other columns than version {SAMPLES_VERSION}, which are "
                          + ",".join(SAMPLE_COLUMNS))
        complete, pending, current = {}, [], None
        for fields in lines:
            row = self._parse_row(fields)
            if row is None:
                self.dropped += 1
                continue
            key = (row["cell"], row["invocation"])
            if key != current:
                self.dropped += len(pending)
                pending, current = [], key
            pending.append(row)
            if row["metric"] == "invocation_time":
                complete[key] = pending
                pending = []
        self.dropped += len(pending)
        planned = {cell["cell"] for cell in self.planned_cells()}
        if planned:
            current = {key: rows for key, rows in complete.items() if key[0] in planned}
            self.stale, complete = len(complete) - len(current), current
        if not complete:
            raise Problem(f"{path} holds no complete invocation: nothing to show yet")
        return complete

    @staticmethod
    def _parse_row(fields):
        """A row as a dictionary with numbers made of numbers; None when it is torn."""
        if len(fields) != len(SAMPLE_COLUMNS):
            return None
        row = dict(zip(SAMPLE_COLUMNS, fields))
        try:
            row["invocation"] = int(row["invocation"])
            row["repetition"] = int(row["repetition"] or 0)
            row["value"] = float(row["value"]) if row["value"] else None
        except ValueError:
            return None
        if row["status"] != "ok":
            row["value"] = None
        return row

    def _collect_cells(self):
        """{cell: {"workload", "deque", "params", "tags"}} of everything planned and everything found."""
        cells = {}
        for planned in self.planned_cells():
            cells[planned["cell"]] = {
                "workload": planned.get("workload", ""),
                "deque": planned.get("deque", ""),
                "params": parse_params(planned.get("params", "")),
                "tags": list(planned.get("tags", [])),
            }
        for rows in self.invocations.values():
            row = rows[0]
            cells.setdefault(row["cell"], {
                "workload": row["workload"],
                "deque": row["deque"],
                "params": parse_params(row["params"]),
                "tags": [],
            })
        return cells

    def planned_cells(self):
        """The manifest's cells; those without a name are damage and left out."""
        return [cell for cell in self.manifest.get("cells") or [] if isinstance(cell, dict) and cell.get("cell")]

    def deque_facts(self, deque):
        """What the deque's executable said about itself, as far as the manifest holds it."""
        facts = self.manifest.get("deques") or {}
        if isinstance(facts, list):
            facts = {fact.get("id"): fact for fact in facts if isinstance(fact, dict)}
        return facts.get(deque) or {}

    def section_titles(self):
        """[(tag, title)] in the order of the suite, then tags that no section names."""
        titles = [(section["tag"], section.get("title") or section["tag"])
                  for section in self.manifest.get("sections") or []
                  if isinstance(section, dict) and section.get("tag")]
        known = {tag for tag, _ in titles}
        for cell in self.cells.values():
            for tag in cell["tags"]:
                if tag not in known:
                    known.add(tag)
                    titles.append((tag, tag))
        return titles


def published_folder():
    """Where the papers' own numbers lie."""
    return Path(os.path.dirname(os.path.abspath(__file__))).parent / "results" / "published"
