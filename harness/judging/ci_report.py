"""Reports the CI job's findings to people and CI systems: terminal, summary.md, junit.xml, annotations, and
data. Its folder also has ci.json, and a run's folder for each deque."""

import json
import math
import os
from pathlib import Path
from xml.etree import ElementTree

from harness.judging.run_folder import write_whole
from harness.judging.words import format_number
from harness.judging.deciding import BY_CODE, FAILED, IDENTICAL, SPEAKS, UNCONFIRMED, UNDECIDED, UNMEASURED
from harness.judging.text_table import aligned, markdown
from harness.judging.statistics import ALIKE, FASTER, NOT_SLOWER, SLOWER, median

ORDER = (SLOWER, FAILED, UNDECIDED, BY_CODE, UNCONFIRMED, FASTER, NOT_SLOWER, ALIKE, UNMEASURED, IDENTICAL)
HEADINGS = ["deque", "cell", "base", "head", "unit", "head : base", "interval", "pairs", "codes", "verdict"]
COUNTS_FILE = "counts.txt"


def ordered(cells):
    """The worst first."""
    return sorted(cells, key=lambda cell: (ORDER.index(cell.verdict), cell.deque))


def slowdown(decision):
    """The ratio head : base, above 1 is slower, and its interval, as texts."""
    if decision is None:
        return "", ""
    low, high = (f"{bound:.3f}" if 0 < bound < math.inf else "?" for bound in (decision.low, decision.high))
    return f"{decision.ratio:.3f}", "" if low == high == "?" else f"[{low}, {high}]"


def row_of(cell):
    ratio, interval = slowdown(cell.decision)
    middles = [format_number(median(side)) if side else "" for side in cell.sides]
    return [cell.deque, cell.tag, *middles, cell.unit, ratio, interval, str(len(cell.logs) or ""),
            str(len(set(cell.codes)) or ""), cell.verdict]


def table_lines(cells):
    return aligned(HEADINGS, [row_of(cell) for cell in ordered(cells)], left={0, 1, 4, 9})


def tally(cells):
    """"1 slower, 9 not slower"."""
    return ", ".join(f"{count} {verdict}" for verdict in ORDER if (count := sum(cell.verdict == verdict for cell in cells)))


def failing_counts(counted):
    """The lines of the output of harness/judging/counts/counts.sh for which the job fails."""
    return [line for line in counted.splitlines() if line.startswith(("  MORE ", "  GONE "))]


def headline(job, cells, code):
    word = {0: "passed", 1: "FAILED", 3: "not decided"}[code]
    counts = ""
    if job.get("counts") == 1:
        failing = len(failing_counts(job["counted"]))
        counts = f"{failing or 'some'} count{'' if failing == 1 else 's'} increased; "
    return f"ci {word}: {counts}{tally(cells) or 'nothing was timed'}"


def alarms(cells):
    return [cell for cell in ordered(cells) if cell.verdict in (SLOWER, FAILED)]


def said_of(cell):
    """One sentence."""
    if cell.verdict == SLOWER:
        ratio, interval = slowdown(cell.decision)
        return (f"{cell.deque}: {cell.title or cell.tag} takes {ratio} times as long as in the base{f' {interval}' if interval else ''}, "
                f"{len(cell.logs)} pairs of processes, the last {len(cell.logs) - cell.alarm_at} measured to confirm it")
    return f"{cell.deque}: {cell.title or cell.tag}: {SPEAKS[cell.verdict]}" + (f" ({cell.why})" if cell.why else "")


def summary_of(job, cells, code):
    lines = [f"### {headline(job, cells, code)}", "", f"Against {job['base']} ({job['words']}), {job['seconds']:.0f} s of measuring, "
             f"threshold {100 * job['threshold']:g} %, {job['machine']}.", ""]
    lines += [f"- {notice}" for notice in job["notices"]] + ([""] if job["notices"] else [])
    if cells:
        lines += [*markdown(HEADINGS, [row_of(cell) for cell in ordered(cells)]), ""]
    lines += [f"- {said_of(cell)}" for cell in ordered(cells) if cell.verdict in (SLOWER, FAILED, UNDECIDED)]
    if job.get("counts") is not None:
        lines += ["", f"Exact counts: {COUNT_WORDS.get(job['counts'], 'could not be compared')}.", "", "```",
                  *shortened(job["counted"], failing_counts(job["counted"])), "```"]
    return "\n".join(lines).rstrip() + "\n"


def shortened(text, first, most=40):
    """At most this number of its lines, the important ones first; then how many are not shown."""
    lines = text.strip("\n").splitlines()
    shown = (first + [line for line in lines if line not in first])[:most]
    return shown + ([f"... and {len(lines) - len(shown)} lines more, in {COUNTS_FILE}"] if len(lines) > len(shown) else [])


COUNT_WORDS = {0: "none increased", 1: "increased", 3: "not judged"}


def junit(job, cells):
    """A test case a cell, and one for the counts."""
    counted = job.get("counts") is not None
    failed = len(alarms(cells)) + (job.get("counts") == 1)
    skipped = [cell for cell in cells if cell.verdict in (UNDECIDED, UNMEASURED)]
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", name="stealbench ci", tests=str(len(cells) + counted),
                                   failures=str(failed), skipped=str(len(skipped) + (counted and job["counts"] not in (0, 1))),
                                   time=f"{job['seconds']:.1f}")
    for cell in cells:
        case = ElementTree.SubElement(suite, "testcase", classname=f"stealbench.{cell.deque}", name=cell.tag)
        if cell.verdict in (SLOWER, FAILED):
            ElementTree.SubElement(case, "failure", message=said_of(cell)).text = said_of(cell)
        elif cell in skipped:
            ElementTree.SubElement(case, "skipped", message=said_of(cell))
        else:
            ElementTree.SubElement(case, "system-out").text = " ".join(filter(None, row_of(cell)))
    if counted:
        case = ElementTree.SubElement(suite, "testcase", classname="stealbench.counts", name="counts")
        if job["counts"] == 1:
            ElementTree.SubElement(case, "failure", message="counts increased").text = printable(job["counted"])
        elif job["counts"]:
            ElementTree.SubElement(case, "skipped", message="the counts were not judged")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def printable(text):
    """XML cannot express control characters."""
    return "".join(c if c in "\n\t" or c.isprintable() else "?" for c in text)


def findings(job, cells):
    """[(path, what, sentence)] of what failed."""
    found = [(f"queues/{cell.deque}.h", cell.tag, said_of(cell)) for cell in alarms(cells)]
    if job.get("counts") == 1:
        more = [line.split() for line in failing_counts(job["counted"])]
        for deque in sorted({words[1] for words in more}):
            said = "; ".join(" ".join(words[2:]) for words in more if words[1] == deque)
            found.append((f"queues/{deque}.h", "counts", f"{deque} costs more, counted exactly: {said}"))
        if not more:
            found.append(("queues", "counts", "a count increased"))
    return found


def escaped(text, property_of=False):
    """For a GitHub workflow command."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property_of else text


def github_annotations(job, cells):
    return [f"::error file={escaped(path, True)},line=1,title={escaped(f'slower: {what}', True)}::{escaped(said)}"
            for path, what, said in findings(job, cells)]


def as_data(cell):
    decision = cell.decision
    return dict(deque=cell.deque, cell=cell.tag, title=cell.title, verdict=cell.verdict, why=cell.why, unit=cell.unit, codes=cell.codes,
                base=list(cell.sides[0]), head=list(cell.sides[1]), alarm_at=cell.alarm_at,
                ratio=decision and decision.ratio,
                low=decision and decision.low or None,
                high=decision and decision.high if decision and math.isfinite(decision.high) else None)


def tell(folder, job, cells, code):
    """Writes all files and prints the table; on GitHub also the job's summary and annotations."""
    folder = Path(folder)
    summary, counted = summary_of(job, cells, code), {COUNTS_FILE: job["counted"].strip("\n") + "\n"}
    for name, text in {"ci.json": json.dumps({**job, "exit": code, "cells": [as_data(cell) for cell in cells]}, indent=1) + "\n",
                       "summary.md": summary, "junit.xml": junit(job, cells), **(counted if job["counts"] is not None else {})}.items():
        write_whole(folder / name, text)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(summary)
    lines = table_lines(cells) if cells else []
    lines += job["notices"]
    lines += [said_of(cell) for cell in ordered(cells) if cell.verdict in (SLOWER, FAILED, UNDECIDED, BY_CODE, UNCONFIRMED)]
    lines += [headline(job, cells, code) + f"; {folder}"]
    if os.environ.get("GITHUB_ACTIONS") == "true":
        lines += github_annotations(job, cells)
    print("\n".join(lines))
