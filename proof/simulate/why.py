"""Which variables threads waited for (--why): the simulator's sums by instruction, named by the source, as `lab count
--variables` names accesses."""

import re
import subprocess
from collections import defaultdict

from numbers_of_machines import ROOT

CALL = re.compile(r"(?:atomic_(?:load|store|exchange|fetch_\w+?|compare_exchange_\w+?)_explicit|atomic_\w+|pthread_\w+_(?:un|try)?lock)\s*\(([^;]*)")


def last_field(argument):
    """'claim' of '&victim->blocks[i].claim, ...'."""
    depth, first = 0, ""
    for letter in argument:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or depth == 0 and letter == ",":
            break
        first += letter
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]|\([^)]*\)", "", first))
    return words[-1] if words else ""


def source_lines(executable, addresses):
    """{address: (function, file, line, text of the statement)}"""
    if not addresses:
        return {}
    said = subprocess.run(["addr2line", "-f", "-i", "-e", str(executable), "-a", *addresses], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.splitlines()
    found, at = {}, 0
    while at < len(said):
        address, function, place = said[at], said[at + 1].split(".")[0], said[at + 2].split(" (discriminator ")[0]  # a path may have spaces
        at += 3
        while at < len(said) and not said[at].startswith("0x"):
            at += 1
        file, _, line = place.rpartition(":")
        text = ""
        inside = ROOT / re.sub(r"^.*?(?=(queues|workloads|harness|proof)/)", "", file)
        if inside.exists() and line.isdigit():
            for one in inside.read_text().splitlines()[int(line) - 1:int(line) + 3]:
                text += " " + one.strip()
                if ";" in one or "{" in one:
                    break
        found[int(address, 16)] = function, file.rsplit("/", 1)[-1], line, text
    return found


def name_of(source):
    function, file, line, text = source
    call = CALL.search(text)
    return (last_field(call.group(1)) if call else "") or f"{file}:{line}"


def waits(printed, executable):
    """[(who, variable, function, ns waited in all, times)], the longest first."""
    rows = [line.split("\t") for line in printed.splitlines() if line.startswith("why\t")]
    sources = source_lines(executable, sorted({row[1] for row in rows}))
    sums = defaultdict(lambda: [0, 0])
    for _, address, who, waited, times in rows:
        source = sources[int(address, 16)]
        one = sums[who, name_of(source), source[0]]
        one[0] += int(waited)
        one[1] += int(times)
    return sorted(((*key, waited / 1000, times) for key, (waited, times) in sums.items()), key=lambda row: -row[3])


def print_waits(title, printed, executable, operations, most=8):
    rows = waits(printed, executable)
    for who in ("owner", "others"):
        mine = [row for row in rows if row[0] == who]
        total = sum(row[3] for row in mine)
        if not total:
            continue
        print(f"\nPREDICTED, {title}: what {who} waited for ({total / 1000:.1f} microseconds in all"
              + (f", {total / operations[who]:.2f} ns each of {operations[who]:.0f} operations)" if operations.get(who) else ")"))
        for _, variable, function, waited, times in mine[:most]:
            print(f"  {waited / total:6.1%}  {variable:<28} in {function:<28} {times:>9} times, {waited / times:.0f} ns each")
