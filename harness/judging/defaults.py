"""Each workload's default settings: results/settings.csv. Claims use them for settings that they do not name, the matrix to find
a deque's defaults.

The table comes from the executables' descriptions: after `make described`, python3 -m harness.judging.defaults renews it.
"""

import functools
import sys
from pathlib import Path

from harness.judging import descriptions
from harness.judging.run_folder import EXIT_MISSING, table_rows

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "results" / "settings.csv"
COLUMNS = "workload setting default".split()


@functools.lru_cache(maxsize=1)
def all_defaults():
    """{workload: {setting: default}}; "*" has those of every workload, deque/ID a deque's own mode (walk, orders, bottom), whose
    default differs from deque to deque."""
    found = {}
    for row in table_rows(FILE, COLUMNS):
        found.setdefault(row["workload"], {})[row["setting"]] = row["default"]
    return found


def defaults_of(workload, deque=None):
    """{setting: value} of a workload; those of every workload if it is not known. The modes are the deque's, or of all deques."""
    table = all_defaults()
    modes = [some for name, some in table.items() if name == f"deque/{deque}" or not deque and name.startswith("deque/")]
    return {name: value for some in [table["*"], *modes, table.get(workload, {})] for name, value in some.items()}


def described(build=ROOT / "build"):
    """The rows of the table, from the executables' descriptions (--describe); none if nothing is built."""
    found = set()
    for lines in [*descriptions.deques(build).values(), *descriptions.families(build).values()]:
        traits = descriptions.traits_of(lines)
        found |= {(f"deque/{traits['id']}" if line[2] == traits.get("mode") else line[1], line[2], line[4])
                  for line in lines if line[0] == "parameter"}
    return sorted(found)


if __name__ == "__main__":
    if not described():
        print("harness.judging.defaults: nothing is described here: make described", file=sys.stderr)
        sys.exit(EXIT_MISSING)
    FILE.write_text("".join(",".join(row) + "\n" for row in [COLUMNS, *described()]), encoding="utf-8")
