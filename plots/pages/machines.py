"""Of ./run.sh publish FOLDER: the machines whose contributed runs are in a folder, as one page for a static host.

The page begins with the claims that hold on one machine and not on another. Below are a table by machine, the fastest deque of each
case there, and the scorecards side by side. Each machine is judged by its own run only; runs of two machines have no pairs, so no
verdict compares their times.
"""

import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from plots.data.foreign import LARGEST_TEXT, plain_name
from plots.data.matrix import build_matrix
from plots.data.own_units import own_units
from plots.data.run_folder import Problem, Run
from plots.data.summaries import summarize
from plots.data.words import counted, format_number, joined, value_text
from plots.pages.conclusions import first_of, lead_of, quoted, ranked
from plots.pages.contribute import ENDING
from plots.pages.report import table, templates
from plots.pages.scorecard import FAILS, HOLDS, OPEN, SIGNS, UNASKED, score
from plots.pages.trust import where

MEMBERS = ("manifest.json", "samples.csv")
NAMED = 3  # claims in the first sentence


@dataclass
class Machine:
    name: str
    file: str  # to copy, or "" of a run's folder
    run: object
    matrix: object
    units: list
    scores: list


def is_of_machines(folder):
    """A folder of contributed runs, not a run?"""
    return not any((folder / f"manifest.json{packed}").exists() for packed in ("", ".xz")) and any(folder.glob(f"*{ENDING}"))


def read_machine(path):
    with tempfile.TemporaryDirectory() as temporary:
        run = Run(unpacked(path, Path(temporary)))
    summaries = summarize(run)
    return Machine(path.name.removesuffix(ENDING), path.name, run, build_matrix(run, summaries), own_units(run, summaries),
                   score(run, summaries))


def unpacked(path, folder):
    """The archive's run as a folder in this one; only the two files that a contributed run has are taken out of it."""
    name = path.name.removesuffix(ENDING)
    try:
        folder = folder / plain_name(name)
        folder.mkdir()
        with tarfile.open(path, "r:xz") as archive:
            for member in MEMBERS:
                found = archive.getmember(f"{name}/{member}")
                if not found.isfile() or found.size > LARGEST_TEXT:
                    raise ValueError(f"{member} in it is no file, or too large")
                (folder / member).write_bytes(archive.extractfile(found).read())
    except (tarfile.TarError, KeyError, ValueError, EOFError, OSError) as problem:
        raise Problem(f"{path} is no contributed run: {problem}") from None
    return folder


def by_claim(machines):
    """[(claim, [score or None of each machine])] of claims that some machine can answer; those on which machines disagree first."""
    rows = []
    for scores in zip(*(machine.scores for machine in machines)):
        if any(one.verdict != UNASKED for one in scores):
            rows.append((scores[0].claim, scores))
    return sorted(rows, key=lambda row: not disagree(row[1]))


def disagree(scores):
    return {HOLDS, FAILS} <= {one.verdict for one in scores}


def findings(machines):
    rows = by_claim(machines)
    split = [(claim, scores) for claim, scores in rows if disagree(scores)]
    shared = sum(sum(one.verdict != UNASKED for one in scores) > 1 for _, scores in rows)
    told = [f"{counted(len(machines), 'machine')}; {counted(shared, 'claim')} of the papers can be asked of at least two."]
    commits = {machine.run.manifest.get("commit") for machine in machines}
    if len(commits) > 1:
        told.append(f"The runs are of {len(commits)} commits: what differs may be the code's.")
    if not split:
        return [*told, "None of them holds on one machine and not on another."]
    names = [machine.name for machine in machines]
    quotes = [f"{quoted(scores[0])} ({claim.stated}: holds on {where_it(HOLDS, scores, names)}, not on {where_it(FAILS, scores, names)})"
              for claim, scores in split]
    return [f"{counted(len(split), 'claim')} hold{'s' * (len(split) == 1)} on one machine and not on another: "
            f"{joined(first_of(quotes, NAMED))}.", *told]


def where_it(verdict, scores, names):
    return joined([name for name, one in zip(names, scores) if one.verdict == verdict])


def machines_table(machines):
    rows = []
    for machine in machines:
        facts, topology = machine.run.manifest, machine.run.manifest.get("topology") or {}
        verdicts = [one.verdict for one in machine.scores]
        units = [one.nanoseconds and format_number(one.nanoseconds) for one in machine.units]
        rows.append([machine.name, topology.get("processors"), topology.get("numa_nodes"),
                     *((topology.get(f"cache_level_{level}_bytes") or 0) // 1024 or None for level in (1, 2, 3)), *units,
                     *map(verdicts.count, (HOLDS, FAILS, OPEN)), f"{facts.get('suite')}, {str(facts.get('start'))[:10]}",
                     str(facts.get("commit") or "")[:12], (facts.get("machine") or {}).get("load_at_start"), where(machine.run)])
    return table(["machine", "processors", "memory nodes", "L1 (KiB)", "L2 (KiB)", "L3 (KiB)",
                  *(f"{unit.words.removesuffix('s')} (ns)" for unit in machines[0].units), "hold", "do not", "not settled", "run",
                  "commit", "load", "what"], rows, numeric=(*range(1, 12), 14))


def fastest_table(machines):
    """Who is shown to be the fastest of a case, and its value there."""
    titles = {case.name: case.title for machine in machines for case in machine.matrix.cases if case.group != "memory"}
    rows = []
    for name, title in titles.items():
        mine = [next((case for case in machine.matrix.cases if case.name == name), None) for machine in machines]
        rows.append([title, *(fastest_text(case) for case in mine)])
    return table(["case", *(machine.name for machine in machines)], rows)


def fastest_text(case):
    if case is None or len(ranked(case)) < 2:
        return ""
    deque, lead, _ = lead_of(case)
    if not deque:
        return f"? of {len(ranked(case))}"
    summary = case.entries[deque].summary
    return f"{deque} {value_text(summary.median, summary.unit)} ({lead:.3g} times, of {len(ranked(case))})"


def scores_table(rows, machines):
    return table(["claim", "paper", *(machine.name for machine in machines)],
                 [[f"{quoted(scores[0])} ({claim.place})", claim.stated,
                   *("" if one.verdict == UNASKED else f"{SIGNS[one.verdict]} {one.verdict}: {one.answers[0].says}" for one in scores)]
                  for claim, scores in rows])


def machines_html(machines):
    rows = by_claim(machines)
    split = [row for row in rows if disagree(row[1])]
    return templates().get_template("machines.html").render(
        name="machines", found=findings(machines), split=split and scores_table(split, machines), machines=machines_table(machines),
        fastest=fastest_table(machines), scores=scores_table(rows, machines), files=[machine.file for machine in machines],
        units=[f"{machine.name}: {unit.text}" for machine in machines for unit in machine.units if unit.nanoseconds is None])


def write_site(source, folder):
    """The page and the contributed files; returns how many machines."""
    machines = [read_machine(path) for path in sorted(source.glob(f"*{ENDING}"))]
    (folder / "index.html").write_text(machines_html(machines), encoding="utf-8")
    for machine in machines:
        shutil.copyfile(source / machine.file, folder / machine.file)
    return machines
