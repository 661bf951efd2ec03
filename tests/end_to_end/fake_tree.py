"""A source tree with fake deques (fakes/deque.sh) and a copy of the driver; helpers to look at results and to run tests."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Ignored where the tests run in the background, and so it would be in every process that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FAKE = HERE / "fakes" / "deque.sh"
NOBODY = 65534
COLUMNS = ("cell,workload,deque,params,placement,role,invocation,repetition,metric,value,unit,status,flags,variant,host,"
           "distance")
ROWS_AN_INVOCATION = 7  # three samples, three costs, the end


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out[-1500:]}\n--- stderr\n{self.err[-1500:]}"


class Tree:
    """A source tree of its own with a copy of the driver and the fakes that a test wants."""

    driver = ROOT / "build" / "stealbench"

    def __init__(self, *deques):
        self.path = Path(tempfile.mkdtemp(prefix="stealbench-test-"))
        self.path.chmod(0o755)
        self.build = self.path / "build"
        self.results = self.path / "results"
        self.build.mkdir()
        (self.path / "suites").mkdir()
        shutil.copy(self.driver, self.build / "stealbench")
        self.add("deques/latency", *deques)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def add(self, flavour, *deques, change=""):
        for deque in deques:
            place = self.build / flavour / deque
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(FAKE.read_text() + change)
            place.chmod(0o755)

    def describe(self, *deques):
        """As the build describes these deques, and what they have of items of 4 bytes. The driver plans by it and asks no executable."""
        for deque in deques:
            said = subprocess.run([self.build / "deques/latency" / deque, "--describe"], capture_output=True, text=True, check=True).stdout
            lines = [line for line in said.splitlines(True) if "variant" not in line]
            own = [line for line in lines if line.startswith(("stealbench", "deque", "parameter\t*"))]
            table = [line for line in lines if line not in own]
            families = [("families/latency", table), ("families/items4", ["deque\tvariant\titem=4\n", *table])]
            for path, text in [(f"deques/{deque}", own), *families]:
                (self.build / "described" / path).parent.mkdir(parents=True, exist_ok=True)
                (self.build / "described" / path).write_text("".join(text))

    def mend(self, *deques):
        """From here on their checks pass."""
        for deque in deques:
            (self.build / "deques/latency" / f"{deque}.mended").touch()

    def suite(self, name, text):
        (self.path / "suites" / f"{name}.suite").write_text(text)

    def script(self, name, text):
        """A stand-in of the shell's for a program of the tree."""
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def start(self, words, **options):
        """words: a text without quotes, or a list. env: without a machine of its own (STEALBENCH_SYSTEM_ROOT) it has one that
        tells nothing of power. Without PAPI, which takes longer to open than all else."""
        environment = {"STEALBENCH_SYSTEM_ROOT": str(self.path / "nothing"), "STEALBENCH_PAPI": "none", **options.pop("env", os.environ)}
        words = words.split() if isinstance(words, str) else words
        return subprocess.Popen([self.build / "stealbench", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.path, env=environment, **options)

    def run(self, words, **options):
        process = self.start(words, **options)
        out, err = process.communicate(timeout=60)
        return Outcome(process.returncode, out, err)

    def ends(self, words, *says, code=0, **options):
        """Runs it: it ends with that code, and every text of says is somewhere in what it printed."""
        return ended(self.run(words, **options), code, *says)

    def runs(self):
        return sorted(path for path in self.results.iterdir() if path.is_dir()) if self.results.is_dir() else []

    def only_run(self):
        runs = self.runs()
        expect(len(runs) == 1, f"one run is expected: {runs}")
        return runs[0]

    def manifest(self, run=None):
        return json.loads(((run or self.only_run()) / "manifest.json").read_text())

    def samples(self, run=None):
        return ((run or self.only_run()) / "samples.csv").read_text()

    def rows(self, run=None):
        return list(csv.DictReader(io.StringIO(self.samples(run))))


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(str(what))


def ended(outcome, code, *says):
    """The exit code, and every text of says somewhere in what was printed."""
    expect(outcome.code == code, f"exit {code} is expected: {outcome!r}")
    for text in says:
        expect(text in outcome.out + outcome.err, f"{text!r} is missing: {outcome!r}")
    return outcome


def ends(rows, **wanted):
    """The rows that end an invocation, by deque and so on."""
    return [row for row in rows if row["metric"] == "invocation_time"
            and all(row[name] == value for name, value in wanted.items())]


def whole(text):
    """Is text a header and complete invocations only?"""
    lines = text.splitlines(keepends=True)
    return lines[0] == COLUMNS + "\n" and all(line.endswith("\n") for line in lines) and (
        len(lines) == 1 or ",invocation_time," in lines[-1])


def processes_with(text):
    """Processes with this text in their environment: those that a test's driver left behind."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if text.encode() in place.read_bytes() and int(place.parent.name) != os.getpid():
                found.append(int(place.parent.name))
        except OSError:
            pass
    return found


def marked():
    """An environment that tells this test's processes from all others."""
    mark = f"STEALBENCH_TEST_MARK={os.getpid()}-{time.monotonic_ns()}"
    name, value = mark.split("=")
    return mark, {**os.environ, name: value}


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(0.01)


def run_tests(functions):
    """Runs test_NAME() of a module's globals(), with words on the command line only those whose NAME holds one; ends the program."""
    if not Tree.driver.is_file():
        print(f"{Tree.driver} is not there: make")
        sys.exit(3)
    tests = {name: test for name, test in functions.items()
             if name.startswith("test_") and (not sys.argv[1:] or any(word in name for word in sys.argv[1:]))}
    failed = 0
    for name, test in tests.items():
        try:
            test()
        except (Failure, subprocess.TimeoutExpired, OSError, ValueError, KeyError, IndexError) as problem:
            failed += 1
            print(f"FAILED {name}: {type(problem).__name__}: {problem}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(failed > 0)
