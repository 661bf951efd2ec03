"""genmc.py: reads the rows of table.txt, and runs the model checker GenMC on one of them."""

import os
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "proof/model"
GENMC = os.environ.get("GENMC", "genmc")

# GenMC's messages about faults, and the words of table.txt for them.
FAULTS = {"Error: Safety violation": "assertion", "Error: Non-atomic race": "race",
          "Error: Attempt to read from uninitialized": "unset", "Error: Attempt to access non-allocated": "unallocated",
          "Error: Attempt to access freed": "freed", "Error: Attempt to free": "free", "Error: Double-free": "free"}
DOES_NOT_COMPILE, FOUND_AN_ERROR = 5, 42  # GenMC's exit codes
CACHED = "cached"


class Row(NamedTuple):
    """One program under one memory model."""
    client: str
    model: str
    options: tuple
    expected: str  # ok or a fault
    reached: tuple

    @property
    def cached(self):
        return CACHED in self.options


def rows_of(deque, table=None):
    """The rows that hold for one deque: its own, or else the general ones, and the additional ones."""
    own, general = [], []
    for line in (table or FOLDER / "table.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        names, clients, models, expected, reached, *options = line.split()
        rows = [Row(client, model, tuple(options), expected, tuple(reached.split(",")) if reached != "-" else ())
                for client in clients.split(",") for model in models.split(",")]
        names = names.split(",")
        if deque in names:
            own += rows
        elif "*" in names and "-" + deque not in names or "+" + deque in names:
            general += rows
    return own if own or "/" in deque else general  # a listing that is wrong has rows of its own, or none


def command(client, model, options, header, left, checker=()):
    """The program and its arguments. GenMC writes the compiled code to a file and leaves it; -MMD writes that file's name to
    `left`."""
    checker = [*checker, *(option for option in options if not option.startswith("-D") and option != CACHED)]
    defines = [option for option in options if option.startswith("-D")]
    # GenMC passes the compiler's flags to a shell, hence the second layer of quotes.
    return [GENMC, f"--{model}", "--disable-estimation", *checker, "--", "-std=gnu11", "-w", "-I.", "-Iqueues",
            f'-DDEQUE_HEADER=\\"{header}\\"', f"-DCLIENT={client}", *defines, "-MMD", "-MF", str(left),
            "proof/model/clients.c"]


def remove_what_is_left(left):
    if left.exists():
        Path(left.read_text().split(": ", maxsplit=1)[0]).unlink(missing_ok=True)
        left.unlink()


def verdict(output):
    """The verdict in the words of table.txt; "broken" if GenMC reports neither."""
    if "No errors were detected" in output:
        return "ok"
    return next((word for said, word in FAULTS.items() if said in output), "broken")


def breakdown(status, output):
    """How GenMC itself broke down, in a few words; "" if it speaks of the program."""
    if status in (DOES_NOT_COMPILE, FOUND_AN_ERROR) or verdict(output) != "broken":
        return ""
    how = f"by signal {-status}" if status < 0 else f"with exit code {status}"
    said = re.search(r".*(Assertion|BUG|ERROR|error).*", output)
    return f"genmc ended {how}" + (f": {said[0].strip()}" if said else "")


def executions(output):
    """(number of complete executions of a run that found no error, the words that they reached)"""
    complete = re.search(r"^Number of complete executions explored: *(\d+)", output, re.MULTILINE)
    return int(complete.group(1)) if complete else 0, set(re.findall(r"^reached (\w+)", output, re.MULTILINE))
