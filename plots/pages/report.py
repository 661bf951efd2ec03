"""RUN/report.html: one file, from templates/, that needs no network.

The figures are matplotlib's, from figures/. The page's script (templates/page.js) sorts tables and filters the matrix.
"""

import re
import shlex
import shutil
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from harness.judging import metrics
from harness.judging.cells import grouped, intervals_are
from harness.judging.claims import PAPERS
from harness.judging.run_folder import EXIT_FAILED, EXIT_MISSING, EXIT_USAGE, Problem
from harness.judging.words import DAGGER_MEANS, format_number, is_unsound
from plots.figures.figure import Table
from plots.figures.scripts import frontier, nodes
from plots.pages import matrix as matrix_page
from plots.pages.conclusions import conclusions
from harness.judging.scorecard import UNASKED, by_paper, counts_text, table_of
from plots.pages.table import pivot
from plots.pages.trust import FINE, when, where

TEMPLATES = Path(__file__).resolve().parent / "templates"

STATUS_MEANS = {
    "unsupported": "this deque cannot do what the cell asks for",
    "denied": "this machine does not allow it",
    "busy": "the machine found no quiet moment for it",
    "unproven": "a check of the deque came to no verdict, so it was not timed",
    "refused": "its input is bad",
    "timeout": "it did not end in time; the invocation was stopped",
    "crashed": "the process ended by a signal or with a wrong answer",
    "not run": "the run ended before it came to this cell",
    "not reported": "the workload ran but gave no value of this kind",
}
KINDS_OF_FILES = {"dat": "gnuplot's data", "gp": "gnuplot script"}
MARK = "made_by_stealbench.txt"  # in a folder for a static host
OWN_SUITES = ("smoke", "quick", "paper")  # verbs of run.sh


@lru_cache(maxsize=1)
def templates():
    try:
        import jinja2
    except ImportError:
        raise Problem("jinja2 is not installed; the report needs it (Debian: apt-get install python3-jinja2)",
                      EXIT_MISSING) from None
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=jinja2.select_autoescape(["html"]),
                              undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def anchor(kind, name):
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9._-]+", "-", name or "other")


def table(headings, rows, numeric=()):
    """A table for the template's macro, without its empty columns."""
    kept = [i for i in range(len(headings)) if any(row[i] not in ("", None) for row in rows)]
    return {"headings": [headings[i] for i in kept],
            "numeric": [place for place, i in enumerate(kept) if i in numeric],
            "rows": [["" if row[i] is None else row[i] for i in kept] for row in rows]}


def command_of(run, tag):
    """The command that measures this section alone."""
    suite = run.manifest.get("suite") or ""
    if not suite or not tag:
        return ""
    verb = suite if suite in OWN_SUITES else f"suite {shlex.quote(suite)}"
    return f"./run.sh {verb} --only={shlex.quote(tag)}"


def entries_of(run, made):
    """Figures and tables for the template."""
    for one in made:
        kinds = ("csv", "svg", "gp", "dat")
        links = [{"href": f"figures/{one.name}.{kind}", "text": KINDS_OF_FILES.get(kind, kind.upper())} for kind in kinds
                 if (run.folder / "figures" / f"{one.name}.{kind}").exists()]
        entry = {"name": one.name, "anchor": anchor("figure", one.name), "title_anchor": anchor("title", one.name), "title": one.title,
                 "caption": one.caption, "links": links, "tables": [], "rows": None, "svg": "", "is_figure": not isinstance(one, Table)}
        if isinstance(one, Table):
            entry["rows"] = table(one.headings, one.rows, one.numeric)
        else:
            entry["svg"] = svg_of(run.folder / "figures" / f"{one.name}.svg")
            entry["tables"] = [(axes.title, table(headings, rows, range(left, len(headings)))) for axes in one.parts
                               for headings, rows, left in [pivot(axes)] if rows]
        yield entry


def svg_of(path):
    """A drawing as part of the page: without what a file of its own needs, and with ids that no other drawing has; "" if there is
    none."""
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\s*<metadata>.*?</metadata>|<style.*?</style>", "", text[text.index("<svg"):], flags=re.DOTALL)
    return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{path.stem}-", text)


def section_of(run, section, made):
    numbers = None
    if section.rows and not made:
        rows = [[section.marked(summary.deque), text, summary.role, summary.metric, format_number(summary.median),
                 format_number(summary.low), format_number(summary.high), summary.unit, summary.invocations,
                 " ".join(summary.flags)] for text, summary in section.rows]
        numbers = table(["deque", "cell", "role", "metric", "median", "low", "high", "unit", "invocations", "flags"], rows,
                        numeric=(4, 5, 6, 8))
    return {"anchor": anchor("section", section.tag), "title": section.title, "command": command_of(run, section.tag),
            "entries": list(entries_of(run, made)), "numbers": numbers,
            "note": f"{DAGGER_MEANS}." if section.rows and section.repeating else "", "is_empty": not section.rows,
            "missing": table(["deque", "cells", "why"], section.missing) if section.missing else None}


def metrics_of(run):
    """Explains each value that this run recorded."""
    return table([name if name != "range" else "values" for name in metrics.COLUMNS],
                 [[getattr(line, name) for name in metrics.COLUMNS] for line in metrics.of_run(run)])


def statuses_table(sections):
    found = dict.fromkeys(why for section in sections for *_, why in section.missing)
    return table(["why", "meaning"], [[why, STATUS_MEANS.get(why, "")] for why in found]) if found else None


def without_value(summaries):
    """[why, metric, rows] of values that are missing in measured cells."""
    found = {}
    for summary in summaries:
        if summary.status != "ok":
            found[summary.status, summary.metric] = found.get((summary.status, summary.metric), 0) + 1
    return table(["why", "metric", "rows"], [[*key, count] for key, count in found.items()], numeric=(2,)) if found else None


def facts_of(run):
    """The parts of the manifest that the rest of the report does not show."""
    shown_elsewhere = {"manifest_version", "samples", "cells", "sections", "deques", "run", "command"}
    return {key: value for key, value in run.manifest.items() if key not in shown_elsewhere}


def papers_of(scores):
    """A table a paper with the claims that this run can answer."""
    for title, some in by_paper(scores):
        if asked := [one for one in some if one.verdict != UNASKED]:
            yield {"title": title, "counts": counts_text(some), "table": table(*table_of(asked))}


def unasked_of(scores):
    others = [one for one in scores if one.verdict == UNASKED]
    headings, rows = table_of(others)
    return table([*headings, "of"], [[*row, PAPERS[one.claim.paper]] for one, row in zip(others, rows)])


def deques_of(run, matrix):
    """Each deque's description; those of the matrix first."""
    order = [row.deque for row in matrix.rows]
    rest = sorted({cell["deque"] for cell in run.cells.values()} - set(order))
    for deque in [*order, *rest]:
        facts = run.deque_facts(deque)
        traits = matrix_page.traits_of(facts) if facts else []
        yield {"id": deque, "title": facts.get("title", ""), "source": facts.get("source", ""), "traits": traits,
               "words": ", ".join(words for name, words, _ in matrix_page.TRAITS if name in traits),
               "fault": f"UNSOUND: {facts.get('fault', '')}" if is_unsound(facts) else ""}


def command_text(run):
    command = run.manifest.get("command") or "not recorded"
    return shlex.join(map(str, command)) if isinstance(command, list) else str(command)


def files_of(run):
    """[(name, is it there?)]; a kept run's samples are packed."""
    for name in ("samples.csv", "summary.csv", "summary.md", "scorecard.csv", "manifest.json"):
        there = [found for found in (name, name + ".xz") if (run.folder / found).exists()]
        yield (there or [name])[0], bool(there) or name in ("summary.md",)


def report_html(run, summaries, sections, made, scores, matrix, trust):
    """made: (tag, Figure or Table) pairs."""
    by_tag = grouped(made, lambda one: one[0])
    made_for = {tag: [one for _, one in some] for tag, some in by_tag.items()}
    cells = len({summary.cell for summary in summaries})
    doubts = sum(remark.level != FINE for remark in trust)
    return templates().get_template("report.html").render(
        name=run.name, title=run.manifest.get("suite_title") or run.name, suite=run.manifest.get("suite") or "",
        what=f"{len({cell['deque'] for cell in run.cells.values()})} deques, {cells} cells",
        where=where(run), when=when(run), found=conclusions(run, summaries, matrix, scores), trust=trust, doubts=doubts,
        command=command_text(run), files=list(files_of(run)), matrix=matrix, page=matrix_page, traits=matrix_page.TRAITS,
        frontier=list(entries_of(run, made_for.get(frontier.TAG, []))), nodes=list(entries_of(run, made_for.get(nodes.TAG, []))),
        sections=[section_of(run, section, made_for.get(section.tag, [])) for section in sections],
        score_counts=counts_text(scores), score_number=len(scores), papers=list(papers_of(scores)),
        unasked=unasked_of(scores), statuses=statuses_table(sections), valueless=without_value(summaries),
        intervals=intervals_are([summary for summary in summaries if summary.role != "process"]),
        metrics=metrics_of(run), deques=list(deques_of(run, matrix)), facts=facts_of(run))


def publish(run, folder):
    """./run.sh report RUN --to=FOLDER: makes a folder for a static host, with the report as index.html and the files that it links to;
    returns how many it has. If one is not there, it is named and nothing is written. A folder that this made before is replaced; any
    other is left alone."""
    report = run.folder / "report.html"
    if folder.exists() and not (folder / MARK).exists():
        raise Problem(f"{folder} is there and was not made by this: name another by --to", EXIT_USAGE)
    targets = re.findall(r'\b(?:href|src)="([^"#]+)', report.read_text(encoding="utf-8"))
    linked = sorted({unquote(target) for target in targets if not target.startswith("data:")})
    dead = [name for name in linked if ".." in Path(name).parts or not (run.folder / name).is_file()]
    if dead:
        raise Problem(f"{report} has dead links: {', '.join(dead)}; draw the run again", EXIT_FAILED)
    shutil.rmtree(folder, ignore_errors=True)
    for name, copied in [("report.html", "index.html"), *((name, name) for name in linked)]:
        (folder / copied).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(run.folder / name, folder / copied)
    (folder / MARK).write_text(f"Made by ./run.sh report of run {run.name}, which replaces this folder.\n", encoding="utf-8")
    return len(linked) + 2
