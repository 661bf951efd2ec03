#!/usr/bin/python3
"""suite_here.py SUITE FOLDER: the suite without the deques and peers that FOLDER has no executable of.

Says on standard error what was left out. A line of which none is left goes, and a section that lost all of its peers'
lines with it keeps ours.
"""

import sys
from pathlib import Path


def here(text, names):
    """(the suite's text without the absent, [what was left out])."""
    lines, absent = [], []
    for line in text.splitlines():
        words = line.split()
        place = next((i for i, word in enumerate(words) if word.startswith("deque=")), None)
        if line.startswith("#") or place is None:
            lines.append(line)
            continue
        asked = words[place].removeprefix("deque=").split(",")
        kept = [name for name in asked if name in names]
        absent += [name for name in asked if name not in names and name not in absent]
        if kept:
            lines.append(" ".join([*words[:place], f"deque={','.join(kept)}", *words[place + 1:]]))
    return "\n".join(lines) + "\n", absent


def main():
    if len(sys.argv) != 3:
        print("usage: suite_here.py SUITE FOLDER", file=sys.stderr)
        return 2
    text, absent = here(Path(sys.argv[1]).read_text(encoding="utf-8"),
                        {path.name for path in Path(sys.argv[2]).iterdir()})
    if absent:
        print(f"peers: not built here and left out: {', '.join(absent)} (runtimes/README.md says where they are from)",
              file=sys.stderr)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
