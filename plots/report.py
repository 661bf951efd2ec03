#!/usr/bin/python3
"""report.py RUN: RUN/report.html, one file with everything in it: figures, tables, machine, method.

Needs no network to be read. Figures that are missing or older than the samples are drawn first.
"""

import argparse
import base64
import html
import os
import re
import shlex
from pathlib import Path

import sample_statistics as statistics_of
from figures import draw_all, drawings_of
from pictures import INDEX, draw_pictures, read_index
from findings import finding
from published import text_of
from run_folder import Problem, Run, run_program, warn
from sections import DAGGER_MEANS, NANOSECONDS, UNIT_TEXT, build_sections, format_number, missing_as_rows
from summarize import interval_note, summarize

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


def sentence(text):
    return text[:1].upper() + text[1:]


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
    """gnuplot's SVG for use inside a page: its ids made unique, its black the page's own colour, no background."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r'<rect x="0" y="0" [^>]*fill="#ffffff"/>', "", text, count=1)
    text = re.sub(r"<title>.*?</title>\s*<desc>.*?</desc>", f"<title>{escape(title)}</title>", text, flags=re.S)
    text = re.sub(r"\bid\s*=\s*(['\"])(.*?)\1", rf'id="{name}-\2"', text)
    text = re.sub(r"(href\s*=\s*['\"]#|url\(#)", rf"\g<1>{name}-", text)
    text = re.sub(r"\b(color|stroke|fill)\s*=\s*(['\"])(black|rgb\(\s*0,\s*0,\s*0\)|rgb\(\s*64,\s*64,\s*64\))\2",
                  r'\1="currentColor"', text)
    text = re.sub(r"<title>\w+_plot_\d+</title>", "", text)
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


def panel_html(run, drawing):
    section, panel = drawing.section, drawing.panel
    folder = run.folder / "figures"
    svg = folder / f"{drawing.name}.svg"
    parts = ["<figure>"]
    if svg.exists():
        parts.append(embedded_svg(svg, drawing.name, drawing.title.replace("\n", ": ")))
    else:
        parts.append("<p class=warning>This figure could not be drawn; its numbers stand below.</p>")
    caption = f"{section.figure.caption}{': ' + panel.title if panel.title else ''}."
    if drawing.group:
        caption += f" In colour: {drawing.group}."
    # The first figure of several speaks of all deques, the others of those that they name.
    ranked = drawing.whole if drawing.first else panel
    parts.append(f"<figcaption><p>{escape(sentence(finding(section, ranked)))}</p>"
                 f"<p>{escape(caption)} {escape(how_to_read(panel))}")
    if svg.exists():
        parts.append(f'<a href="figures/{escape(drawing.name)}.pdf">PDF</a>, '
                     f'<a href="figures/{escape(drawing.name)}.svg">SVG</a>.')
    parts.append("</p></figcaption></figure>")
    parts.append(f"<details><summary>The numbers</summary>{panel_rows(section.figure, panel)}</details>")
    return "\n".join(parts)


def how_to_read(panel):
    """What the marks of this very panel mean."""
    notes = ["Medians with 95 % intervals."]
    if panel.published:
        notes.append("Hollow points: values that the paper states, from its machine; no line is drawn through them.")
    if any(series.emulated for series in panel.series):
        notes.append("Dashed, emulated: the deque lacks this form and repeats single operations.")
    if any(series.unsound for series in panel.series):
        notes.append("UNSOUND: this deque loses or doubles items; its speed is no achievement.")
    if any(series.repeats for series in panel.series):
        notes.append(f"{DAGGER_MEANS}.")
    if any(series.baseline for series in panel.series):
        notes.append("Grey: yardsticks.")
    if panel.behind:
        notes.append("Thin and light grey: all other deques, on the same axes.")
    return " ".join(notes)


def picture_html(run, made):
    """A picture or a table of plots/pictures, as the index in RUN/figures tells it."""
    links = ", ".join(f'<a href="figures/{escape(name)}">{escape(name.rsplit(".", 1)[1].upper())}</a>'
                      for name in made["files"])
    caption = f"<p>{escape(made['caption'])} {links}.</p>"
    if "rows" in made:
        return (f"<h3>{escape(made['title'])}</h3>{table(made['headings'], made['rows'], numeric=made['numeric'])}"
                f"{caption}")
    path = run.folder / "figures" / f"{made['name']}.svg"
    if not path.exists():
        return f"<p class=warning>{escape(made['title'])} could not be drawn.</p>"
    # An image keeps its own colours: matplotlib's pictures bring their background.
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return (f"<figure><h3>{escape(made['title'])}</h3><img class=picture alt=\"{escape(made['title'])}\" "
            f"src=\"data:image/svg+xml;base64,{data}\"><figcaption>{caption}</figcaption></figure>")


def section_html(run, section, drawings, pictures):
    parts = [f"<section><h2>{escape(section.title)}</h2>"]
    parts += [panel_html(run, drawing) for drawing in drawings if drawing.section is section]
    mine = [picture_html(run, made) for made in pictures if made["tag"] == section.tag]
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


def statuses_html(sections):
    found = list(dict.fromkeys(missing.status for section in sections for missing in section.missing))
    if not found:
        return "<p>Everything that the suite asked for was measured.</p>"
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


def deques_html(run):
    rows = []
    for deque in sorted({cell["deque"] for cell in run.cells.values()}):
        facts = run.deque_facts(deque)
        sound = str(facts.get("sound", "1")).lower() not in ("0", "false")
        rows.append([deque, facts.get("title", ""), facts.get("source", ""),
                     "" if sound else f"UNSOUND: {facts.get('fault', '')}"])
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
    names = ["samples.csv", "summary.csv", "manifest.json"]
    return ", ".join(f'<a href="{name}">{name}</a>' if (run.folder / name).exists() else f"{name} (not there)"
                     for name in names)


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


def ensure_drawn(run, sections, summaries):
    """Draws where a picture is missing or older than the samples. What cannot be drawn is said, not fatal."""
    samples = (run.folder / "samples.csv").stat().st_mtime
    pictures = [run.folder / "figures" / f"{drawing.name}.svg" for drawing in drawings_of(sections)]
    pictures.append(run.folder / "figures" / INDEX)
    if all(picture.exists() and picture.stat().st_mtime >= samples for picture in pictures):
        return
    try:
        draw_all(run, sections)
        draw_pictures(run, sections, summaries)
    except Problem as problem:
        warn(f"{problem}; the report goes on without figures")


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


def report_html(run, summaries, sections):
    drawings = drawings_of(sections)
    pictures = read_index(run.folder / "figures")
    bodies = [section_html(run, section, drawings, pictures) for section in sections]
    fields = {
        "TITLE": escape(f"stealbench: {run.name}"),
        "SUBTITLE": escape(subtitle(run)),
        "WARNINGS": "".join(f"<p class=warning>{escape(warning)}</p>" for warning in warnings_of(run, sections)),
        "SECTIONS": "\n".join(bodies) or "<p class=warning>The run planned nothing.</p>",
        "STATUSES": statuses_html(sections),
        "METHOD": method_html(summaries),
        "DEQUES": deques_html(run),
        "MACHINE": machine_html(run),
        "FILES": files_html(run),
        "COMMAND": escape(command_text(run)),
    }
    # One pass, so that nothing a run says can be taken for a field of the template.
    return re.sub(r"@([A-Z_]+)@", lambda match: fields.get(match[1], match[0]), TEMPLATE.read_text(encoding="utf-8"))


def write_report(run, summaries, sections):
    """Writes RUN/report.html whole or not at all; returns its path."""
    path = run.folder / "report.html"
    unfinished = path.with_suffix(".html.unfinished")
    unfinished.write_text(report_html(run, summaries, sections), encoding="utf-8")
    os.replace(unfinished, path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN", help="a folder below results/")
    arguments = parser.parse_args()
    run = Run(arguments.run)
    summaries = summarize(run)
    sections = build_sections(run, summaries)
    ensure_drawn(run, sections, summaries)
    print(write_report(run, summaries, sections))


if __name__ == "__main__":
    run_program(main)
