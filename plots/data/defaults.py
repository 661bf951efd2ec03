"""What each workload's settings are where nobody sets them: results/settings.csv. A claim leaves settings at these, a deque's
usual self is told by them, and names in benchmark.json leave them out.

The table is what the executables say of themselves: after `make described`, python3 -m plots.data.defaults renews it.
"""

import functools
from pathlib import Path

from plots.data.run_folder import table_rows

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "results" / "settings.csv"
COLUMNS = "workload setting default".split()


@functools.lru_cache(maxsize=1)
def all_defaults():
    """{workload: {setting: default}}; "*" has those of every workload, and a deque's own mode (walk, orders, bottom)."""
    found = {}
    for row in table_rows(FILE, COLUMNS):
        found.setdefault(row["workload"], {})[row["setting"]] = row["default"]
    return found


def defaults_of(workload):
    """{setting: value} of a workload; those of every workload if it is not known."""
    return all_defaults()["*"] | all_defaults().get(workload, {})


def described(folder=ROOT / "build" / "described"):
    """The rows of the table, from what the executables say (--describe); none where nothing is built."""
    lines = [line.split("\t") for path in folder.rglob("*") if path.is_file()
             for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("parameter\t")]
    return sorted({(line[1], line[2], line[4]) for line in lines})


if __name__ == "__main__":
    FILE.write_text("".join(",".join(row) + "\n" for row in [COLUMNS, *described()]), encoding="utf-8")
