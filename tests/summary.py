#!/usr/bin/python3
"""summary.py JUNIT: what ctest's tests counted, why some were left out, and what failed; ends on "N passed, N failed"."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

COUNTED = re.compile(r"^(?P<good>\d+) passed, (?P<bad>\d+) failed|^\[  PASSED  \] (?P<fine>\d+) test|"
                     r"^\[  FAILED  \] (?P<wrong>\d+) test", re.M)
TOLD = re.compile(r"left out|^no verdict|^ *notice: |^emulator: | on one processor|not installed")
WRONG = re.compile(r"FAIL|^failed|[Ee]rror|Assertion|\*\*\*|could not be run")


def main():
    passed, failed, ran, failures = Counter(), 0, set(), []
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        name, text = case.get("name"), case.findtext("system-out") or ""
        part, lines = name.partition(":")[0], text.splitlines()
        for line in filter(TOLD.search, lines):
            print(f"{name}: {line.strip()}")
        if case.get("status") == "notrun":
            continue
        counts = [{key: int(number or 0) for key, number in found.groupdict().items()} for found in COUNTED.finditer(text)]
        passed[part] += sum(one["good"] + one["fine"] for one in counts)
        bad = sum(one["bad"] + one["wrong"] for one in counts) or int(case.get("status") != "run" or not counts)
        ran.add(part)
        if bad:
            failed += bad
            failures.append([f"FAILED {name} ({bad})", *([line for line in lines if WRONG.search(line)][:20] or lines[-10:])])
    for part in sorted(part for part in ran if not passed[part]):
        if not any(one[0].startswith(f"FAILED {part}:") for one in failures):
            failed += 1
            failures.append([f"FAILED {part}: no test of it ran"])
    if failures:
        print("what failed:", *("\n  ".join(one) for one in failures), sep="\n")
    print(f"{sum(passed.values())} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
