"""What the build wrote of deques and workloads (build/described/, setup/configure.py; the lines: harness/README.md)."""

from pathlib import Path

NOT_BUILT = "not_built.txt"


def lines_of(path):
    """Each line's fields; "-" stands for an empty one."""
    return [["" if field == "-" else field for field in line.split("\t")] for line in path.read_text(encoding="utf-8").splitlines()]


def deques(build="build"):
    """{id: the lines that describe this deque}."""
    top = Path(build) / "described" / "deques"
    return {str(path.relative_to(top)): lines_of(path) for path in sorted(top.rglob("*")) if path.is_file() and path.name != NOT_BUILT}


def traits_of(lines):
    return {line[1]: line[2] for line in lines if line[0] == "deque" and len(line) > 2}


def families(build="build"):
    """{family of workloads: its table}, without that of items of 4 bytes, which is contention's."""
    return {path.name: lines_of(path) for path in sorted((Path(build) / "described" / "families").glob("*")) if path.name != "items4"}


def not_built(build="build"):
    """{id: why it cannot be built here}."""
    top = Path(build) / "described" / "deques"
    return dict(sorted((str(path.parent.relative_to(top) / name), why) for path in top.rglob(NOT_BUILT) for name, why in lines_of(path)))
