"""python3 -m harness.trust.ports > docs/ports.md: the page of how our ports differ from their originals.

A line for each port in queues/. What differs is the first clause of what the header says in paragraphs that begin with "What differs"
or "Where this departs"; the original that is measured beside it is fidelity.txt's.
"""

import re
import sys
from pathlib import Path

from harness.trust.fidelity import parse_mapping

ROOT = Path(__file__).resolve().parents[2]
NO_PORT = ("a reference", "our own")  # how fidelity.txt's reasons begin for what is no port
DIFFERENCE = re.compile(r"(?:What differs|Where this departs)(.*?): +(.*)")
TITLE = """# How our ports differ from the originals

A port differs from its original only where its header says so; this page has the first clause. `./run.sh trust fidelity` measures ports
beside those originals that are installed, and fails if a port is slower *or faster* for a reason that
[fidelity.txt](../harness/trust/fidelity.txt) does not give. (`python3 -m harness.trust.ports` makes this page.)

"""


def headers():
    """{deque: its header's text}"""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "queues").glob("*.h")) if path.stem != "deque"}


def paragraphs(text):
    """Those of a header's opening comment, each in one line."""
    comment = text.split("*/", 1)[0].removeprefix("/*")
    lines = [re.sub(r"^ \* ?", "", line).strip() for line in comment.splitlines()]
    return [" ".join(part.split("\n")).strip() for part in "\n".join(lines).split("\n\n")]


def differences(text):
    """The first clause of what the header says, and whether there are more; "" if it says nothing."""
    found = [match[2] for match in map(DIFFERENCE.fullmatch, paragraphs(text)) if match]
    first, *more = re.split(r"(?<=[.)]) (?=[A-Z-])|[;:] ", " ".join(found))
    return first.removeprefix("- ") + (" ..." if more else "")


def beside(mapping, deque):
    """The originals that it is measured beside, and whether fidelity.txt explains that one costs more."""
    return "".join(f", beside `{pair.original}`" + " (costs differ)" * bool(pair.excuses) for pair in mapping.pairs if pair.port == deque)


def rows():
    """[(deque, what it is measured beside, what differs)] of the ports."""
    mapping, found = parse_mapping((ROOT / "harness/trust/fidelity.txt").read_text(encoding="utf-8")), []
    texts = headers()
    for deque, text in texts.items():
        if mapping.without.get(deque, "").startswith(NO_PORT):
            continue
        base = re.findall(r'#include "(\w+)\.h"', text.replace('"deque.h"', ""))
        said = differences(text) or (f"As {base[0]}." if base and base[0] in texts else "")
        found.append((deque, beside(mapping, deque), said[:1].upper() + said[1:]))
    return found


def page():
    return TITLE + "".join(f"- [{deque}](../queues/{deque}.h){originals}: {said}\n" for deque, originals, said in rows())


if __name__ == "__main__":
    sys.stdout.write(page())
