"""python3 -m plots.pages.contribute RUN [--machine NAME] [--to FOLDER]: a run as one small file for others to compare with.

The file, FOLDER/NAME.tar.xz (results/machines without --to), unpacks to a run's folder: manifest.json, and the samples.csv from
which the matrix, the scorecard and the machine's own units can be made. It names no host, user, folder or command: from the
manifest it takes only the fields in KEPT, without words that look like a path.
"""

import argparse
import csv
import io
import json
import os
import re
import tarfile
from pathlib import Path

from harness.formats import MANIFEST_VERSION, SAMPLE_COLUMNS, SAMPLES_VERSION
from plots.data.foreign import plain_name
from plots.data.matrix import build_matrix
from plots.data.own_units import REFERENCES
from plots.data.run_folder import EXIT_USAGE, PROGRAM, Problem, Run, run_program
from plots.data.summaries import summarize
from plots.pages.scorecard import answering

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "results" / "machines"
ENDING = ".tar.xz"
LARGEST = 200_000  # bytes
KEPT = {
    "": ("suite", "suite_title", "suite_hash", "start", "end", "state", "commit", "sources", "topology", "clock"),
    "build": ("compiler", "version", "flags", "variants", "instructions"),
    "machine": ("cpu", "kernel", "governor", "turbo", "smt", "transparent_huge_pages", "clock_source", "virtualisation",
                "asymmetric_fences", "throttling", "processor_frequency", "load_at_start", "cgroup_processors",
                "memory_bytes"),
    "counters": ("hardware", "papi", "perf_event_paranoid"),
}
# A deque's description and the verdict of its checks, without the executables' hashes.
OF_DEQUES_LEFT_OUT = ("executables",)
# Metrics of a kept cell that say how far to trust it.
CONDITIONS = {"share_counted", "share_on_processor", *REFERENCES}


def main_samples(run, summaries):
    """{cell: {(role, metric)}} that the matrix, the scorecard and the units need, of cells whose settings name no path."""
    wanted = {}
    entries = [entry.summary for case in build_matrix(run, summaries).cases for entry in case.entries.values()]
    units = [one for one in summaries if one.metric == "ping_pong_time"]
    for one in [*entries, *answering(run, summaries), *units]:
        if not any("/" in value for value in run.cells[one.cell]["params"].values()):
            wanted.setdefault(one.cell, set()).add((one.role, one.metric))
    return wanted


def contributed(run, name):
    """{name of a member: its text}"""
    wanted = main_samples(run, summarize(run))
    tags = {tag for cell in wanted for tag in run.cells[cell]["tags"]}
    manifest = {"manifest_version": MANIFEST_VERSION, "run": name, **without_paths(kept(run.manifest))}
    manifest["samples"] = {"version": SAMPLES_VERSION, "columns": SAMPLE_COLUMNS}
    manifest["sections"] = [{"tag": tag, "title": title} for tag, title in run.section_titles() if tag in tags]
    deques = dict.fromkeys(run.cells[cell]["deque"] for cell in wanted)
    manifest["deques"] = [{key: value for key, value in run.deque_facts(deque).items() if key not in OF_DEQUES_LEFT_OUT}
                          for deque in deques]
    manifest["cells"] = [{key: cell[key] for key in ("cell", "workload", "deque", "params", "tags") if key in cell}
                         for cell in run.planned_cells() if cell["cell"] in wanted]
    return {f"{name}/manifest.json": json.dumps(manifest, indent=1), f"{name}/samples.csv": samples_text(run, wanted)}


def kept(manifest):
    found = {key: manifest[key] for key in KEPT[""] if key in manifest}
    for part in filter(None, KEPT):
        found[part] = {key: value for key, value in (manifest.get(part) or {}).items() if key in KEPT[part]}
    kernel = re.match(r"[\d.]+", str(found["machine"].get("kernel", "")))  # the text after the number is the builder's own
    return {**found, "machine": {**found["machine"], "kernel": kernel.group() if kernel else "unknown"}}


def without_paths(value):
    if isinstance(value, dict):
        return {key: without_paths(inner) for key, inner in value.items()}
    return re.sub(r"\S*/\S*", "\N{HORIZONTAL ELLIPSIS}", value) if isinstance(value, str) else value


def samples_text(run, wanted):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SAMPLE_COLUMNS)
    for (cell, _), rows in run.invocations.items():
        for row in rows if cell in wanted else ():
            if (row["role"], row["metric"]) in wanted[cell] or row["metric"] in CONDITIONS or row is rows[-1]:
                # The manifest has the cell's settings.
                known = {**row, "params": "", "host": "", "value": "" if row["value"] is None else format(row["value"], ".10g"),
                         "distance": "" if row["distance"] is None else format(row["distance"], "g")}
                writer.writerow(known[column] for column in SAMPLE_COLUMNS)
    return text.getvalue()


def write_archive(path, members):
    """The same bytes for every user and time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode("utf-8"))
            archive.addfile(member, io.BytesIO(text.encode("utf-8")))
    if len(packed.getvalue()) > LARGEST:
        raise Problem(f"it would have {len(packed.getvalue()) >> 10} KiB, more than {LARGEST >> 10}: measure fewer deques or sections",
                      EXIT_USAGE)
    if path.exists() and path.read_bytes() != packed.getvalue():
        raise Problem(f"{path} is there and is another run: name this one by --machine", EXIT_USAGE)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())
    return len(packed.getvalue())


def name_of(run):
    """'amd-epyc-2cpu-20261123'"""
    processors = (run.manifest.get("topology") or {}).get("processors") or ""
    cpu = re.sub(r"\((R|TM)\)|CPU|Processor|@.*", " ", str((run.manifest.get("machine") or {}).get("cpu", "")))
    day = re.sub(r"\D", "", str(run.manifest.get("start", "")))[:8]
    return re.sub(r"[^a-z0-9]+", "-", f"{cpu} {processors}cpu {day}".lower()).strip("-")


def must_be_comparable(run):
    suite, state = run.manifest.get("suite"), run.manifest.get("state")
    if not suite or not (ROOT / "suites" / f"{suite}.suite").is_file() or not re.fullmatch(r"[\w.-]+", suite):
        raise Problem(f"{run.folder} is not a run of a suite in suites/: others could not compare theirs with it", EXIT_USAGE)
    if state != "finished":
        raise Problem(f"{run.folder} is {state}, not finished: continue it with --resume={run.name}", EXIT_USAGE)


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description="A run as one small file for others.")
    parser.add_argument("run", metavar="RUN", help="a folder below results/")
    parser.add_argument("--machine", metavar="NAME", help="name for this machine; default: its processor and the day")
    parser.add_argument("--to", metavar="FOLDER", default=FOLDER, help="folder to write to; default: results/machines")
    arguments = parser.parse_args()
    run = Run(arguments.run)
    must_be_comparable(run)
    try:
        name = plain_name(arguments.machine or name_of(run))
    except ValueError as problem:
        raise Problem(f"--machine: {problem}", EXIT_USAGE) from None
    members = contributed(run, name)
    path = Path(os.path.relpath(arguments.to)) / (name + ENDING)
    size = write_archive(path, members)
    cells = len(json.loads(members[f"{name}/manifest.json"])["cells"])
    print(f"{path}: {cells} of {len(run.cells)} cells, {size / 1000:.0f} kB; no host, user, folder or command is in it "
          f"(look: tar -xJOf {path} {name}/manifest.json)")


if __name__ == "__main__":
    run_program(main)
