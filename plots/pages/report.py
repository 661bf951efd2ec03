"""RUN/report.html: one file with everything in it, figures, tables, machine, method. Needs no network to be read."""

import html
import re
import shlex
from pathlib import Path

from plots import statistics as statistics_of
from plots.data.published import text_of
from plots.data.sections import missing_as_rows
from plots.data.words import DAGGER_MEANS, NANOSECONDS, UNIT_TEXT, format_number, is_unsound, sentence
from plots.data.written import write_whole
from plots.figures.drawing import read_index
from plots.figures.pictures.operations import drawings_of
from plots.pages.findings import completeness, finding
from plots.pages.scorecard import UNASKED, by_paper, counts_text, score, table_of
from plots.pages.summary import interval_note

TEMPLATE = Path(__file__).resolve().parent / "report_template.html"

STATUS_MEANS = {
    "unsupported": "this deque cannot do what the cell asks for",
    "denied": "this machine does not allow it",
    "timeout": "it did not end in time; the invocation was stopped",
    "crashed": "the process ended by a signal or with a wrong answer",
    "not run": "the run ended before it came to this cell",
    "not reported": "the workload ran but gave no value of this kind",
}


def escape(value):
    return html.escape(str(value))


def table(headings, rows, numeric=()):
    """An HTML table that scrolls sideways by itself; columns without a value are left out."""
    kept = [i for i in range(len(headings)) if any(row[i] not in ("", None) for row in rows)]

    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}{' class=number' if i in numeric else ''}>{escape(cells[i])}</{tag}>"
                                for i in kept) + "</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return (f'<div class="scroll" tabindex="0"><table><thead>{line(headings, "th")}</thead>\n'
            f"<tbody>{body}</tbody></table></div>")


def embedded_svg(path, name, title):
    """A figure's SVG for use inside a page: its ids made unique, no ground, its black and its grid the page's own."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\bid="([^"]*)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    text = text.replace("fill: #ffffff", "fill: none", 1).replace("#e0e0e0", "var(--grid)")
    text = re.sub(r"\b(stroke|fill): #(000000|404040)\b", r"\1: currentColor", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


def panel_rows(figure, panel):
    scale = NANOSECONDS[figure.unit]
    companions = list(dict.fromkeys(heading for series in panel.series for point in series.points
                                    for heading in point.companions))
    unit = UNIT_TEXT.get(figure.unit, figure.unit)
    headings = ["deque", figure.x, f"median ({unit})", "low", "high", *companions, "paper"]
    rows = []
    for series in panel.series:
        for point in series.points:
            rows.append([series.name, point.x, format_number(point.median), format_number(point.low),
                         format_number(point.high),
                         *(format_number(point.companions[heading].median) + " " + point.companions[heading].unit
                           if heading in point.companions else "" for heading in companions),
                         text_of(panel.published_for(series, point.x), scale)])
    return table(headings, rows, numeric=range(1, len(headings) - 1))


def figure_html(run, made, drawings):
    """A figure of the index; of operations with the sentence that its numbers make, and the numbers."""
    folder = run.folder / "figures"
    svg = folder / f"{made['name']}.svg"
    parts = ["<figure>"]
    if svg.exists():
        parts.append(embedded_svg(svg, made["name"], made["title"].replace("\n", ": ")))
    else:
        parts.append(f"<p class=warning>{escape(made['title'])}: this could not be drawn; its numbers are there.</p>")
    parts.append("<figcaption>")
    drawing = drawings.get(made["name"])
    if drawing:
        parts.append(f"<p>{escape(sentence(finding(drawing.section, drawing.ranked)))}</p>")
    parts.append(f"<p>{escape(made['caption'])} {links(made)}.</p></figcaption></figure>")
    if drawing:
        rows = panel_rows(drawing.section.figure, drawing.panel)
        parts.append(f"<details><summary>The numbers</summary>{rows}</details>")
    return "\n".join(parts)


def links(made):
    kinds = {"dat": "data", "gp": "gnuplot"}
    return ", ".join(f'<a href="figures/{escape(name)}">{kinds.get(kind, kind.upper())}</a>'
                     for name in made["files"] for kind in [name.rsplit(".", 1)[1]])


def made_html(run, made, drawings):
    """A figure or a table, as the index in RUN/figures tells it."""
    if "rows" not in made:
        return figure_html(run, made, drawings)
    return (f"<h3>{escape(made['title'])}</h3>{table(made['headings'], made['rows'], numeric=made['numeric'])}"
            f"<p>{escape(made['caption'])} {links(made)}.</p>")


def section_html(run, section, drawings, index):
    parts = [f"<section><h2>{escape(section.title)}</h2>"]
    mine = [made_html(run, made, drawings) for made in index if made["tag"] == section.tag]
    parts += mine
    if section.rows:
        rows = [[section.marked(summary.deque), text, summary.role, summary.metric, format_number(summary.median),
                 format_number(summary.low), format_number(summary.high), summary.unit, " ".join(summary.flags)]
                for text, summary in section.rows]
        numbers = table(["deque", "cell", "role", "metric", "median", "low", "high", "unit", "flags"], rows,
                        numeric=(4, 5, 6))
        parts.append(f"<details><summary>The numbers</summary>{numbers}</details>" if mine else numbers)
    if section.rows and section.repeating:
        parts.append(f"<p>{DAGGER_MEANS}.</p>")
    if section.is_empty:
        parts.append("<p class=warning>No values in this run.</p>")
    if section.missing:
        rows = missing_as_rows(section.missing)
        parts.append(f"<p>Not measured ({len(section.missing)}):</p>" + table(["deque", "cell", "why"], rows))
    return "\n".join(parts) + "</section>"


def statuses_html(sections, summaries):
    found = list(dict.fromkeys(missing.status for section in sections for missing in section.missing))
    if not found:
        return f"<p>{completeness(summaries)}</p>"
    rows = [[status, STATUS_MEANS.get(status, ""),
             sum(missing.status == status for section in sections for missing in section.missing)] for status in found]
    return table(["why", "meaning", "cells"], rows, numeric=(2,))


def facts_html(value):
    """Any JSON value of the manifest, nested ones as nested lists."""
    if isinstance(value, dict):
        items = "".join(f"<dt>{escape(key.replace('_', ' '))}</dt><dd>{facts_html(inner)}</dd>"
                        for key, inner in value.items() if inner not in (None, "", [], {}))
        return f"<dl>{items}</dl>"
    if isinstance(value, list):
        if all(not isinstance(inner, (dict, list)) for inner in value):
            return escape(", ".join(map(str, value)))
        return "<ul>" + "".join(f"<li>{facts_html(inner)}</li>" for inner in value) + "</ul>"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if "\n" in str(value):
        return f'<pre class="scroll">{escape(value)}</pre>'
    return escape(value)


def machine_html(run):
    """Everything of the manifest but what the rest of the report shows."""
    shown_elsewhere = {"manifest_version", "samples", "cells", "sections", "deques", "run", "command"}
    return facts_html({key: value for key, value in run.manifest.items() if key not in shown_elsewhere})


def scorecard_html(scores):
    """A table a paper; what cannot be asked of this run is folded."""
    parts = [f"<p>{escape(counts_text(scores))}, of {len(scores)} claims: "
             '<a href="scorecard.csv">scorecard.csv</a> has them with their formulas.</p>']
    for title, some in by_paper(scores):
        asked = [one for one in some if one.verdict != UNASKED]
        others = [one for one in some if one.verdict == UNASKED]
        parts.append(f"<h3>{escape(title)}</h3><p>{escape(counts_text(some))}.</p>")
        if asked:
            parts.append(f'<div class="claims">{table(*table_of(asked))}</div>')
        if others:
            parts.append(f"<details><summary>Cannot be asked here ({len(others)})</summary>"
                         f'<div class="claims">{table(*table_of(others))}</div></details>')
    return "\n".join(parts)


def deques_html(run):
    rows = []
    for deque in sorted({cell["deque"] for cell in run.cells.values()}):
        facts = run.deque_facts(deque)
        rows.append([deque, facts.get("title", ""), facts.get("source", ""),
                     f"UNSOUND: {facts.get('fault', '')}" if is_unsound(facts) else ""])
    return table(["deque", "title", "from", "fault"], rows)


def command_text(run):
    command = run.manifest.get("command") or "not recorded"
    return shlex.join(map(str, command)) if isinstance(command, list) else str(command)


def subtitle(run):
    """Which suite, when, and whether it came to its end."""
    known = run.manifest
    parts = [f"Suite {known['suite']}." if known.get("suite") else "",
             f"Started {known['start']}." if known.get("start") else "",
             f"Ended {known['end']}." if known.get("end") else "",
             f"State: {known['state']}." if known.get("state") not in (None, "finished") else ""]
    return " ".join(part for part in parts if part)


def files_html(run):
    def link(name):
        there = [found for found in (name, name + ".xz") if (run.folder / found).exists()]  # a kept run's is packed
        return f'<a href="{there[0]}">{there[0]}</a>' if there else f"{name} (not there)"

    return ", ".join(map(link, ("samples.csv", "summary.csv", "manifest.json")))


def method_html(summaries):
    invocations = [summary.invocations for summary in summaries if summary.role != "process" and summary.invocations]
    repetitions = [summary.repetitions for summary in summaries if summary.role != "process" and summary.invocations]
    counted = ""
    if invocations:
        counted = (f" Here a cell had {between(invocations)} invocations of {between(repetitions)} repetitions.")
    note = interval_note([summary for summary in summaries if summary.role != "process"])
    return (f"<p>Each deque runs in processes of its own, several to a cell (invocations), and each process repeats "
            f"its measurement (repetitions).{escape(counted)} A number is the median over invocations of the median "
            f"over repetitions; its interval is a 95 % bootstrap over invocations ({statistics_of.RESAMPLES} "
            f"resamples, seed {statistics_of.SEED}). The corrected method times whole batches of operations and "
            "divides; the published method times one operation an iteration between PauseTiming and ResumeTiming, "
            "as the bulk paper did, and so includes the cost of these two. The paper's values were measured on its "
            "own machine: compare shapes, not heights.</p>"
            + (f"<p class=warning>{escape(note)}</p>" if note else ""))


def between(values):
    return str(min(values)) if min(values) == max(values) else f"{min(values)} to {max(values)}"


def warnings_of(run, sections):
    """What a reader has to know before the first figure."""
    failed = {missing.status for section in sections for missing in section.missing} & {"crashed", "timeout"}
    warnings = []
    if failed:
        warnings.append(f"Some cells have no value ({', '.join(sorted(failed))}): see each section.")
    if run.dropped:
        warnings.append(f"Left out: {run.dropped} rows of invocations that did not end.")
    if run.stale:
        warnings.append(f"Left out: {run.stale} invocations of cells that are no longer planned.")
    return warnings


def report_html(run, summaries, sections, scores=None):
    """scores: of the papers' claims, where they are known already."""
    scores = score(run, summaries) if scores is None else scores
    drawings = {drawing.name: drawing for drawing in drawings_of(sections)}
    index = read_index(run.folder / "figures")
    bodies = [section_html(run, section, drawings, index) for section in sections]
    fields = {
        "TITLE": escape(f"stealbench: {run.name}"),
        "SUBTITLE": escape(subtitle(run)),
        "WARNINGS": "".join(f"<p class=warning>{escape(warning)}</p>" for warning in warnings_of(run, sections)),
        "SECTIONS": "\n".join(bodies) or "<p class=warning>The run planned nothing.</p>",
        "SCORECARD": scorecard_html(scores),
        "STATUSES": statuses_html(sections, summaries),
        "METHOD": method_html(summaries),
        "DEQUES": deques_html(run),
        "MACHINE": machine_html(run),
        "FILES": files_html(run),
        "COMMAND": escape(command_text(run)),
    }
    # One pass, so that nothing a run says can be taken for a field of the template.
    return re.sub(r"@([A-Z_]+)@", lambda match: fields.get(match[1], match[0]), TEMPLATE.read_text(encoding="utf-8"))


def write_report(run, summaries, sections, scores=None):
    """Writes RUN/report.html; returns its path."""
    return write_whole(run.folder / "report.html", report_html(run, summaries, sections, scores))
