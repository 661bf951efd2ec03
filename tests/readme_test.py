#!/usr/bin/python3
"""readme_test.py [--rewrite]: is every number in README.md one of the runs kept in results/example?

What the README quotes of them stands between marks and is made here from the kept samples; --rewrite puts it there anew.
Elsewhere the README may state no measured number. results/renew_example.sh makes new runs. Ends on "N passed, N failed";
exit 0, 1 a number differs, 3 something is missing.
"""

import csv
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README, EXAMPLE, PUBLISHED = ROOT / "README.md", ROOT / "results/example", ROOT / "results/published"
USAGE = ROOT / "harness/driver/verbs/table.c"
PROGRAM = "tests/readme_test.py"
COMPARED = "lf_bulk", "chase_lev"
WIDTH = 120
# What a suite's dry run says last, and what the usage says of the longest one.
FORECAST = re.compile(r"(?P<suite>\w+): (?P<cells>\d+) cells, (?P<invocations>\d+(?: to \d+)?) invocations.*?, about "
                      r"(?P<least>[\d:]+)(?: to (?P<most>[\d:]+))?")
PAPER_TAKES = re.compile(r"paper (?:hours|\d+(?: to \d+)? hours)(?= )")
MEASURED = re.compile(r"\d[\d.,]*\s*(?:ns|us|µs|ms|s|%|times|MHz|kHz)(?!\w)|\b\d+\.\d+\b")


def output_of(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False,
                          env=os.environ | {"LC_ALL": "C.UTF-8"})
    if done.returncode not in (0, 1):
        print(f"{PROGRAM}: {' '.join(map(str, command))}: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(3)
    return done.stdout


def copied(name, into):
    """A copy of a kept run that programs may write into."""
    shutil.copytree(EXAMPLE / name, into / name)
    return into / name


class Values:
    """Medians of a run's summary.csv, by what was measured, and what the paper states."""

    def __init__(self, run):
        with open(run / "summary.csv", encoding="utf-8", newline="") as file:
            self.rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
        with open(PUBLISHED / "bulk_deque_paper.csv", encoding="utf-8", newline="") as file:
            self.published = list(csv.DictReader(line for line in file if not line.startswith("#")))

    def median(self, metric, deque, role="owner", **settings):
        asked = {f"{name}={value}" for name, value in settings.items()}
        found = [float(row["median"]) for row in self.rows
                 if (row["deque"], row["metric"], row["role"]) == (deque, metric, role)
                 and asked <= set(row["params"].split(";"))]
        if len(found) != 1:
            sys.exit(f"{PROGRAM}: {metric} of {deque} ({settings}): {len(found)} values instead of 1")
        return found[0]

    def stated(self, figure, series, x):
        signs = {"=": "", "~": "≈ ", "<": "< ", ">": "> "}
        found = [row for row in self.published if (row["figure"], row["series"], row["x"]) == (figure, series, str(x))]
        sign = signs[found[0]["bound"]] if found else ""
        return sign + spread([float(row["value"]) for row in found])


def significant(value):
    """Three digits, as the table of a run has them."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def amount(nanoseconds):
    return f"{significant(nanoseconds / 1000)} µs" if nanoseconds >= 10000 else f"{significant(nanoseconds)} ns"


def spread(values):
    """One amount, or the ends of a range."""
    first, last = amount(min(values)), amount(max(values))
    if first == last:
        return first
    return f"{first.split()[0] if first.split()[1] == last.split()[1] else first} to {last}"


def facts(values):
    """What the paper says, beside what the kept run says of it."""
    def push(deque, **settings):
        return values.median("push_latency", deque, batch=1024, method="corrected", **settings)

    def steal(deque, percent):
        full = {"walk": "full"} if deque == "lf_bulk" else {}
        return values.median("steal_latency", deque, role="thief", percent=percent, owner="idle", method="corrected",
                             **full)

    def pop(deque, method):
        return values.median("pop_latency", deque, method=method, take="one")

    linked, linking = push("lf_bulk", prelinked=1), push("lf_bulk", prelinked=0)
    batch, single = push("taskflow_bounded", push="batch"), push("taskflow_bounded", push="single")
    three, taskflow = ("lf_bulk", "taskflow_bounded", "taskflow_unbounded"), ("taskflow_bounded", "taskflow_unbounded")
    percents = (10, 20, 30, 40, 50, 60)
    wins = {p: all(steal("lf_bulk", p) < steal(other, p) for other in taskflow) for p in percents}
    pays = [p for p in percents if all(wins[more] for more in percents if more >= p)]
    rows = [
        ["pushing 1024 items that are linked already", amount(linked), values.stated("fig6", "LF_Queue", 1024)],
        ["linking them first", f"{amount(linking)} ({linking / linked:.0f} times)", "not told"],
        ["Taskflow: 1024 single pushes", amount(single), values.stated("fig6", "TF_BD_Queue", 1024)],
        ["Taskflow: one batch push", f"{amount(batch)} ({significant(single / batch)} times as fast)", "not measured"],
        *[[f"stealing {p} % of 10,000 items", amount(steal("lf_bulk", p)), values.stated("fig7", "LF_Queue", p)]
          for p in (10, 60)],
        *[[f"Taskflow: {p} % in single steals", amount(steal("taskflow_bounded", p)), values.stated("fig7", "TF_BD_Queue", p)]
          for p in (10, 60)],
        ["a steal is faster than Taskflow's single ones from", f"{pays[0]} %" if pays else "nowhere", "≈ 30 %"],
        ["pop as the paper timed it, all three queues", spread([pop(deque, "published") for deque in three]),
         values.stated("pop", "all_three_queues", 0)],
        ["pop without the timer in it", spread([pop(deque, "corrected") for deque in three]), "not measured"],
    ]
    return table(["", "here", "in the paper"], rows)


def where(manifest):
    """One sentence on the run, from its manifest."""
    machine, build, topology = manifest["machine"], manifest["build"], manifest["topology"]
    kind = machine["virtualisation"] if machine["virtualisation"].startswith("a ") else "a machine"
    return (f"Measured by `./run.sh` on {manifest['end'][:10]}, at commit {manifest['commit'][:12]}, on {kind} of "
            f"{topology['cores']} cores ({machine['cpu']}), with {build['version']}, `{build['flags']}`:\n")


def fenced(command, lines):
    return f"```\n$ {command}\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def shortened(text, first=3, last=1):
    lines = text.strip().splitlines()
    return lines if len(lines) <= first + last + 1 else [*lines[:first], "...", *lines[-last:]]


def sentences(run):
    """What ./run.sh prints last, as a terminal of this page's width wraps it."""
    said = output_of("/usr/bin/python3", "-m", "plots.pages.conclusions", run).replace(str(run), "results/TIME-quick")
    return [line for sentence in said.splitlines() for line in textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)]


def blocks(into):
    quick, compared = copied("quick", into), copied("compare", into)
    output_of("/usr/bin/python3", "-m", "plots.pages.summary", quick)
    return {
        "the sentences": fenced("./run.sh", ["...", *sentences(quick)]),
        "the times": times(),
        "the run": where(manifest_of("quick")) + "\n" + facts(Values(quick)),
        "the check": fenced("./run.sh check chase_lev", shortened(kept("check.txt"))),
        "the comparison": fenced(f"./run.sh compare {' '.join(COMPARED)}", ["...", *output_of(
            "/usr/bin/python3", "-m", "plots.compare", compared, "--deque", COMPARED[0], "--against", COMPARED[1]).strip().splitlines()[2:]]),
        "the counts": fenced("./run.sh ci", shortened(kept("ci.txt"))),
        "the trials": trials(),
    }


def trials():
    """What was found by the gate's trials that are kept, undisturbed and beside a process: the reports' own lines."""
    texts = [kept(name) for name in ("trust-gate.md", "trust-gate-beside.md") if (EXAMPLE / name).exists()]
    return "\n".join(text.split("## Found\n\n", 1)[1] for text in texts)


def forecasts():
    """What the dry runs that are kept said of the suites; [] before any is kept."""
    if not (EXAMPLE / "times.txt").exists():
        return []
    found = [FORECAST.match(line) for line in kept("times.txt").splitlines()]
    if None in found:
        sys.exit(f"{PROGRAM}: results/example/times.txt is not what dry runs say last")
    return [match.groupdict() for match in found]


def in_words(duration):
    """'1:02' as '1 min', '3:20:00' as '3.3 h'."""
    *hours, minutes, seconds = map(int, duration.split(":"))
    if hours:
        return f"{hours[0] + minutes / 60:.1f} h"
    return f"{minutes + seconds / 60:.0f} min" if minutes else f"{seconds} s"


def times():
    """How long the suites take, by their dry runs on the machine that the kept runs are of."""
    rows = [[f"`./run.sh {one['suite']}`", one["cells"], one["invocations"],
             " to ".join(in_words(one[end]) for end in ("least", "most") if one[end])] for one in forecasts()]
    return "\n" + table(["", "cells", "invocations", "takes there"], rows) if rows else ""


def usage_takes():
    """What the usage has to say of the suite that takes longest."""
    for one in forecasts():
        if one["suite"] == "paper":
            hours = [f"{max(1, round(int(end.split(':')[0]) + int(end.split(':')[1]) / 60))}"
                     for end in (one["least"], one["most"]) if end and end.count(":") == 2]
            return f"paper {' to '.join(dict.fromkeys(hours))} hours" if hours else "paper hours"
    return "paper hours"


def check_usage(rewrite):
    """Does the usage say what the dry run said? rewrite: puts it there."""
    text = USAGE.read_text(encoding="utf-8")
    new = PAPER_TAKES.sub(usage_takes(), text)
    if new != text and rewrite:
        USAGE.write_text(new, encoding="utf-8")
    elif new != text:
        print(f"FAILED {USAGE.name} does not say {usage_takes()!r}, as results/example/times.txt has it")
    return int(new != text and not rewrite)


def kept(name):
    return (EXAMPLE / name).read_text(encoding="utf-8")


def manifest_of(run):
    return json.loads(kept(f"{run}/manifest.json"))


def problems_of_runs():
    """The kept runs are whole, of one commit, and of one that was clean."""
    manifests = {name: manifest_of(name) for name in ("quick", "compare")}
    for name, manifest in manifests.items():
        if manifest["sources"] != "clean" or manifest["state"] != "finished" or manifest["exit_code"] != 0:
            yield f"results/example/{name} is no finished run of a clean commit"
    if len({manifest["commit"] for manifest in manifests.values()}) != 1:
        yield "the runs of results/example are of different commits"


def marks(name):
    return f"<!-- {name}: made by {PROGRAM} --rewrite -->\n", f"<!-- {name}: end -->\n"


def check_blocks(blocks, rewrite):
    """How many of the README's blocks ({name: text}) are not what was made; each is printed. rewrite: puts them there."""
    text, failed = README.read_text(encoding="utf-8"), 0
    for name, made in blocks.items():
        begin, end = marks(name)
        if text.count(begin) != 1 or text.count(end) != 1:
            print(f"{PROGRAM}: README.md has no place for {name}: {begin.strip()}", file=sys.stderr)
            sys.exit(3)
        before, rest = text.split(begin)
        old, after = rest.split(end)
        new = "\n" + made + "\n"
        if old != new and not rewrite:
            failed += 1
            print(f"FAILED {name} is not as the kept runs have it; {PROGRAM} --rewrite writes it anew:")
            print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "README.md", "as it is", n=0,
                                                 lineterm="")))
        text = before + begin + new + end + after
    if rewrite:
        README.write_text(text, encoding="utf-8")
    return failed


def table(headings, rows):
    """A table of Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def numbers_elsewhere(text, names):
    """Numbers with a unit that stand neither between marks nor in code."""
    for name in names:
        begin, end = marks(name)
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end), "", text, flags=re.S)
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    return MEASURED.findall(text)


def main():
    if sys.argv[1:] not in ([], ["--rewrite"]):
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        made = blocks(Path(folder))
    failed = check_blocks(made, rewrite=bool(sys.argv[1:]))
    failed += check_usage(rewrite=bool(sys.argv[1:]))
    complaints = list(problems_of_runs())
    for number in numbers_elsewhere(README.read_text(encoding="utf-8"), made):
        complaints.append(f"README.md states {number!r} outside of what is made from the kept runs")
    if not numbers_elsewhere("It takes 5.3 ns, 2 times as long.", []):
        complaints.append("a number in the text would not be noticed")
    for complaint in complaints:
        print(f"FAILED {complaint}")
    failed += len(complaints)
    print(f"{len(made) + 3 - min(failed, len(made) + 3)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
