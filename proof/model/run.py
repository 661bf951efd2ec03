#!/usr/bin/python3
"""run.py: explores every execution of small programs around a deque with the model checker GenMC, and compares what it finds
with table.txt. That it finds mistakes, proof/planted_faults shows.

    proof/model/run.py [--brief] [DEQUE...]    all deques, or those named (chase_lev, as_published/volt)

A row that is right must have reached what table.txt says, for a program in which nothing happens passes everything.

--brief leaves out rows that are expected to be right under SC and TSO, because RC11 allows everything that these allow. It
takes every fourth of the other rows, different ones for each deque. GENMC names the program; without it, genmc is looked for
on PATH. Prints a line a row: deque, program, memory model, verdict, complete executions; then "N passed,
N failed", and how many rows came to no verdict, because their processor time was up or GenMC itself broke down.

GenMC 0.10 ignores a CAS's failure order and uses its success order, so it verifies more than C11 promises. Rows with
-DSPLIT_CAS (split_cas.h) make that read separate; otherwise only the lab checks it. Exit: 0 all as expected, 1 not, 2 no such
deque, 3 GenMC is not installed or broke down, 4 interrupted, or a row ran out of time.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutants"))
sys.dont_write_bytecode = True
import checks  # noqa: E402
from checks import genmc  # noqa: E402

SECONDS = int(os.environ.get("MODEL_ROW_SECONDS", "120"))  # of processor time; the longest row needs about 7
NO_VERDICT, BREAKDOWN = "no verdict", "breakdown"


def known_deques():
    headers = sorted(genmc.ROOT.glob("queues/*.h")) + sorted(genmc.ROOT.glob("queues/as_*/*.h"))
    return [str(path.relative_to(genmc.ROOT / "queues").with_suffix("")) for path in headers if path.name != "deque.h"]


def run_row(deque, row, folder):
    """Prints the row's line, and returns "passed", "failed", NO_VERDICT (no time was left) or BREAKDOWN (of GenMC)."""
    # Without its instruction cache, GenMC lets every execution print what it reached.
    checker = [] if row.cached else ["--disable-instruction-caching"]
    left = Path(folder) / "left"
    command = genmc.command(row.client, row.model, row.options, f"queues/{deque}.h", left, checker)
    status, output = checks.run(command, SECONDS)
    genmc.remove_what_is_left(left)
    why_none = f"after {SECONDS} s of processor time" if status is None else genmc.breakdown(status, output)
    verdict = NO_VERDICT if why_none else genmc.verdict(output)
    executions, reached = genmc.executions(output)
    absent = [word for word in ("end", *row.reached) if word not in reached] if verdict == "ok" else []
    note = ""
    if why_none:
        note = f"  {why_none}"
    elif verdict != row.expected:
        note = f"  FAILED: expected {row.expected}"
    elif absent:
        note = f"  FAILED: no execution reaches {', '.join(absent)}"
    print(f"{deque:<26} {row.client:<20} {row.model:<4} {verdict:<11} {executions:>6}{note}", flush=True)
    if note:
        print("    " + " ".join(command))
    if why_none:
        return NO_VERDICT if status is None else BREAKDOWN
    return "failed" if note else "passed"


def chosen(deque, brief):
    """The rows of this run."""
    turn = len(deque)
    for row in genmc.rows_of(deque):
        if brief and row.expected == "ok":
            if row.model in ("sc", "tso"):
                continue
            turn += 1
            if (turn - 1) % 4:
                continue
        yield row


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip().split("    ")[0], description=__doc__.split(":")[1])
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("deques", nargs="*", metavar="DEQUE")
    options = parser.parse_args()
    if not shutil.which(genmc.GENMC):
        print("genmc is not installed: model checks not run")
        return 3
    known = known_deques()
    for deque in options.deques:
        if deque not in known:
            print(f"no such deque: {deque} (there are: {' '.join(known)})", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory(prefix="model-") as folder:
        verdicts = Counter(run_row(deque, row, folder) for deque in options.deques or known for row in chosen(deque, options.brief))
    if none := verdicts[NO_VERDICT] + verdicts[BREAKDOWN]:
        print(f"{none} came to no verdict")
    print(f"{verdicts['passed']} passed, {verdicts['failed']} failed")
    return 1 if verdicts["failed"] else 3 if verdicts[BREAKDOWN] else 4 if verdicts[NO_VERDICT] else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(4)
