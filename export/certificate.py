"""certificate.py: what was checked of the very bytes that are exported.

`./run.sh check DEQUE` runs before an export, unless it passed before on the same code. build/checked/ keeps its result under a
hash of the deque's text, of the contract and of the checks.
"""

import datetime
import hashlib
import json
import subprocess
import sys

from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, Problem, write_whole
from export import header

KEPT = header.ROOT / "build" / "checked"


def code_of(deque):
    """A hash of everything that a verdict depends on."""
    checks = sorted(path for path in (header.ROOT / "proof").rglob("*") if path.suffix in (".c", ".h") and path.is_file())
    texts = [header.source_of(deque), *map(header.text_of, header.CONTRACT),
             *(path.read_text() for path in checks)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def run_checks(deque):
    """(exit code, {check: its builds that passed}); the rows go to standard error as they come."""
    passed = {}
    with subprocess.Popen([header.ROOT / "run.sh", "check", deque], stdout=subprocess.PIPE, text=True, cwd=header.ROOT) as process:
        for line in process.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            words = line.split()
            if len(words) > 3 and words[:2] == ["passed", deque]:
                passed.setdefault(words[2], []).append(words[3])
    return process.returncode, passed


def certificate(deque):
    """A sentence that says what passed, when, and on which tree. Raises a Problem."""
    path, code = KEPT / f"{deque}.json", code_of(deque)
    kept = json.loads(path.read_text()) if path.exists() else {}
    if kept.get("code") != code:
        status, passed = run_checks(deque)
        if status != 0 or not passed:
            failed = status == 1
            raise Problem(f"{deque} is not exported: ./run.sh check {deque} {'failed' if failed else 'came to no verdict'} (above). "
                          "--unchecked exports it all the same, and says so", EXIT_FAILED if failed else EXIT_MISSING)
        kept = {"code": code, "date": datetime.date.today().isoformat(), "by": header.version(), "passed": passed}
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(kept) + "\n")
    checks = ", ".join(f"{check} ({', '.join(builds)})" for check, builds in kept["passed"].items())
    return f"Checked on {kept['date']} by ./run.sh check of {kept['by']}; passed: {checks}."
