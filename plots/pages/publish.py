"""./run.sh report RUN --to=FOLDER: a folder for a static host, with the report as index.html and the files that it links to.

If one of these is not there, it is named and nothing is written (exit 1). A folder that this program made before is replaced; any
other is left alone.
"""

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

from harness.judging.run_folder import EXIT_FAILED, EXIT_USAGE, Problem

MARK = "made_by_stealbench.txt"


def publish(run, folder):
    """Makes the folder of a run; returns how many files it has."""
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
