"""failed.py: what configure.py --leave-out does after a failed build. A deque that does not compile takes only itself with it. Its first
error stands in BUILD/described/deques/not_built.txt, for the driver; what the lab refuses in BUILD/lab/not_built.txt."""

import glob
import os
import re
import shutil
import subprocess
import sys
import time

from compiler import refuse

ERROR = re.compile(r"[Ee]rror:|undefined reference|multiple definition|cannot find|not found|^lab: |No space")


def build(ninja, targets):
    """(whether all was built, what ninja said). Progress on a terminal is one line that is rewritten."""
    said, began, is_terminal, files = [], time.monotonic(), sys.stderr.isatty(), ""
    with subprocess.Popen([*ninja, "-k0", *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            said.append(line)
            if is_terminal and line.startswith("building "):
                print(f"\r\033[K{line.rstrip()[:shutil.get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)
            elif not files and (found := re.match(r"building \d+ of (\d+): ", line)):
                files = found[1]
                print(f"building {files} files", file=sys.stderr, flush=True)
    if is_terminal:
        print("\r\033[K", end="", file=sys.stderr)
    elif files and process.returncode == 0:
        print(f"built in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return process.returncode == 0, "".join(said)


def failures(said):
    """[(what failed, its first error)]"""
    found = []
    for block in re.split(r"^FAILED: ", said, flags=re.M)[1:]:
        target, _, rest = block.partition("\n")
        lines = re.split(r"^building |^ninja: ", rest, flags=re.M)[0].splitlines()[1:]  # the first is the command
        found.append((target.split()[0], next((line for line in lines if ERROR.search(line)), "it ends with an error")))
    return found


def deque_of(target, folder):
    """The deque whose part this is, or nothing."""
    found = re.match(rf"{re.escape(folder)}/(?:obj/\w+/|deques/[^/]+/|described/deques/|lab/deques/|[^/]+/)(.+?)(?:/\+\d.*|\.program|\.o)?$",
                     target)
    return found[1] if found and os.path.exists(f"queues/{found[1]}.h") else ""


def remove(*patterns):
    for path in (path for pattern in patterns for path in glob.glob(pattern) if os.path.isfile(path)):
        os.remove(path)


def keep(folder, absent, targets):
    """The lists for the driver. What could not be described stays so until it is tried again."""
    for place in ("described/deques", "lab"):
        path = f"{folder}/{place}/not_built.txt"
        if absent:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"{deque}\t{why}\n" for deque, why in sorted(absent.items()))
        elif place == "lab" or any(re.search("described(.deques|$)", target) for target in targets):
            remove(path)


def leave_out(ninja, folder, targets):
    """Builds all but deques that fail. Ends the program with 3 if something else does."""
    absent, without = {}, set()
    whole, said = build(ninja, targets)
    found = [] if whole else failures(said)
    for target, why in found:
        deque = deque_of(target, folder)
        if not deque:
            refuse(f"the build failed: {target}: {why}")
        if "/items4" in target:
            without.add(deque)
        elif deque not in absent:
            absent[deque] = why
            print(f"{deque} cannot be built and is left out: {why}", file=sys.stderr)
            remove(f"{folder}/*/{deque}", f"{folder}/deques/*/{deque}", f"{folder}/described/deques/{deque}")
    if not whole and not found:
        refuse("the build failed: " + said.strip())
    for deque in without - set(absent):
        print(f"{deque}: has no items of 4 bytes, so cells that need them are unsupported", file=sys.stderr)
        remove(f"{folder}/deques/items4*/{deque}")
    keep(folder, absent, targets)
