"""python3 -m plots.pages.publish RUN --to=FOLDER: a folder for a static host, with the report as index.html, the files that it
links to, and nothing else.

Every link is followed first: if one is dead, it is named and nothing is written (exit 1). A folder that this program made
before is replaced; any other is left alone.
"""

import argparse
import html.parser
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse

from harness.judging.run_folder import EXIT_FAILED, EXIT_USAGE, PROGRAM, Problem, Run, run_program

MARK = "made_by_stealbench.txt"
PAGES = {"report.html": "index.html", "beside.html": "beside.html"}


class Links(html.parser.HTMLParser):
    """A page's links and anchors; noscript elements are read too."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if tag != "script" and known.get("id"):
            self.anchors.add(known["id"])
        self.targets |= {known[name] for name in ("href", "src", "xlink:href") if known.get(name)}


def dead_links(page, folder):
    """The dead links of a page: those that lead to nothing in its folder, or out of it."""
    links = Links(page.read_text(encoding="utf-8"))
    dead = []
    for target in sorted(target for target in links.targets if not target.startswith("data:")):  # an image inside of a figure
        parts = urlparse(target)
        path = unquote(parts.path)
        if parts.scheme or parts.netloc or path.startswith("/") or ".." in Path(path).parts:
            dead.append(target)
        elif path and not (folder / path).is_file():
            dead.append(target)
        elif not path and "=" not in parts.fragment and unquote(parts.fragment) not in links.anchors:
            dead.append(target)
    return dead


def publish(source, folder):
    """Makes the folder of a run's folder; returns the paths in it."""
    if folder.exists() and not (folder / MARK).exists():
        raise Problem(f"{folder} is there and was not made by this: name another by --to", EXIT_USAGE)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=folder.name + ".unfinished-", dir=folder.parent))
    try:
        run = Run(source)
        copy_run(run, unfinished)
        (unfinished / MARK).write_text(f"Made by ./run.sh report of run {run.name}, which replaces this folder.\n", encoding="utf-8")
        unfinished.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def copy_run(run, folder):
    report = run.folder / "report.html"
    if not report.exists():
        raise Problem(f"{report} is not there: draw the run first (./run.sh report {run.folder})")
    for name, there in PAGES.items():
        if (run.folder / name).exists():
            copy_page(run.folder / name, folder / there, run.folder)


def copy_page(page, copied, source):
    """Copies a page and the files beside it that it links to."""
    shutil.copyfile(page, copied)
    for target in Links(page.read_text(encoding="utf-8")).targets:
        path = unquote(urlparse(target).path)
        if path and not urlparse(target).scheme and (source / path).is_file() and ".." not in Path(path).parts:
            (copied.parent / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, copied.parent / path)
    dead = dead_links(copied, copied.parent)
    if dead:
        raise Problem(f"{page} has dead links: {', '.join(dead)}; draw the run again", EXIT_FAILED)


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM, description="A folder for a static host.")
    parser.add_argument("run", metavar="RUN", help="a folder below results/, drawn")
    parser.add_argument("--to", metavar="FOLDER", required=True, help="folder to write to")
    arguments = parser.parse_args()
    folder = Path(arguments.to)
    made = publish(Path(arguments.run), folder)
    size = sum(path.stat().st_size for path in made)
    print(f"{folder}: {len(made)} files, {size / 1e6:.1f} MB, no dead link; its first page is index.html")


if __name__ == "__main__":
    run_program(main)
