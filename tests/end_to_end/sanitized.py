#!/usr/bin/python3
"""Runs every workload under AddressSanitizer with UBSan and under ThreadSanitizer, measuring code included, over one deque of
each kind. The executables' descriptions (--describe) say what to run: each workload at its defaults, but small and with several
threads, and, over the first deque, each choice and switch of a parameter once. Over the other deques only workloads with a
thief beside the owner. Without --all (EVERYTHING) fewer deques, and each choice and switch under one of the sanitizers.

    tests/end_to_end/sanitized.py [WORD...]     those runs whose text holds one of the words
"""

import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parents[2]
DEQUES = ("chase_lev", "bwos_lifo", "lf_bulk", "locked")  # atomic slots, blocks, intrusive, a lock
BY_PLACE = ("lace", "weir")  # forks by place; after a pop of the last item at the same one, and at another
EVERYTHING = bool(os.environ.get("EVERYTHING"))
GROWS = "phanes"  # has all workloads: chase_lev's ring does not grow
OF = {"thread": (*DEQUES, *BY_PLACE), "address": DEQUES} if EVERYTHING else {"thread": (GROWS,), "address": (GROWS,)}
SMALL = 200  # larger defaults (items, nodes, bytes) are reduced to this
# Parameters with which the work grows faster than linearly.
DEEP = {("fib", "n"): 15, ("nqueens", "n"): 7, ("uts", "tree"): "T3S"}
TOGETHER = {"threads": "threads=3", "thieves": "thieves=2", "owner=busy": "owner=busy"}


def described(executable):
    """By workload: the threads it says to have, and its parameters: name, kind, fallback, minimum, maximum, choices."""
    said = subprocess.run([executable, "--describe"], check=True, capture_output=True, text=True, timeout=60).stdout
    lines = [line.split("\t") for line in said.splitlines()]
    return {name: (threads, [line[2:8] for line in lines if line[:2] == ["parameter", name]])
            for kind, name, threads, *_ in (line for line in lines if len(line) > 3) if kind == "workload"}


def bases(name, threads, parameters):
    """The small run, and where a setting decides whether there is another thread, the one without."""
    settings = []
    for parameter, kind, fallback, minimum, maximum, _ in parameters:
        if (name, parameter) in DEEP:
            settings.append(f"{parameter}={DEEP[name, parameter]}")
        elif kind == "integer" and fallback.isdigit() and int(fallback) > SMALL:
            settings.append(f"{parameter}={min(max(SMALL, int(minimum)), int(maximum))}")
    together = [TOGETHER[term] for term in threads.split("+") if term in TOGETHER]
    return [together + settings] + [settings] * any(term in together for term in threads.split("+"))


def variations(name, parameters, seen):
    """One setting each, of those that no workload before it had."""
    for parameter, kind, fallback, minimum, maximum, choices in parameters:
        words = choices.split("|") if choices not in ("", "-", "all") else []  # beside a number: the greatest too
        values = words + [maximum] * (kind != "choice") if words else ["0", "1"] if (minimum, maximum) == ("0", "1") else []
        for value in values:
            if value != fallback and (parameter, value) not in seen and (name, parameter) not in DEEP:
                seen.add((parameter, value))
                yield f"{parameter}={value}"


def runs_of(flavour, deque):
    executable = HERE / "build" / f"{flavour}_workloads" / deque
    seen = set()
    for name, (threads, parameters) in described(executable).items():
        varied = list(variations(name, parameters, seen))
        if not EVERYTHING:
            varied = varied[flavour == "address"::len(OF)]
        for settings in bases(name, threads, parameters):
            yield executable, flavour, name, settings
            for setting in varied if deque == OF[flavour][0] or "1+" in threads else []:
                if setting not in TOGETHER:
                    yield executable, flavour, name, settings + [setting]


def run(executable, flavour, name, settings):
    """The failure, or ""; and whether it gave a value."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([executable, "--run", name, *settings, "--repetitions=1", "--minimum-time=0.005"],
                                  capture_output=True, text=True, timeout=120, cwd=folder, check=False,
                                  env=os.environ | {"LC_ALL": "C", "TSAN_OPTIONS": "halt_on_error=1"})
        except subprocess.TimeoutExpired:
            return "it takes longer than 120 s", False
    if done.returncode == 0 and "Sanitizer" not in done.stderr:
        return "", "\tok\t" in done.stdout
    return f"exit code {done.returncode}\n" + "\n".join(done.stderr.splitlines()[:40]), False


def main():
    targets = [f"build/{flavour}_workloads/{deque}" for flavour in OF for deque in OF[flavour]]
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", *targets], check=True, cwd=HERE, stdout=subprocess.DEVNULL)
    runs = [one for flavour in OF for deque in OF[flavour] for one in runs_of(flavour, deque)]
    texts = [" ".join([f"build/{one[1]}_workloads/{one[0].name}", "--run", one[2], *one[3]]) for one in runs]
    wanted = [i for i, text in enumerate(texts) if not sys.argv[1:] or any(word in text for word in sys.argv[1:])]
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        ended = list(executor.map(lambda i: run(*runs[i]), wanted))
    failed = [f"{texts[i]}: {wrong}" for i, (wrong, _) in zip(wanted, ended) if wrong]
    measured = {runs[i][1:3] for i, (_, value) in zip(wanted, ended) if value}
    failed += [f"{name}: no value over any deque under {flavour}"
               for flavour, name in sorted({runs[i][1:3] for i in wanted} - measured)]
    for text in failed:
        print(f"FAILED {text}")
    print(f"{len(wanted) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
