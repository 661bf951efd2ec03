#!/usr/bin/python3
"""A deque, or the pool on one, as a header that stands alone, for another program.

    ./run.sh export DEQUE [--prefix=NAME] [--item=TYPE] [-o FILE] [--unchecked]
    ./run.sh export pool --deque=DEQUE [--prefix=NAME] [-o FILE] [--unchecked]

The deque is checked first, unless it passed before as it is; the header says what passed.

Exit: 0; 1 a check failed; 2 usage; 3 the deque is known to be wrong, or a reference, or does not fit the item, or a check came
to no verdict; 4 the output could not be written.
"""

import argparse
import difflib
import re
from pathlib import Path

from harness.judging.run_folder import run_program, write_whole
from export import certificate, header, pool


def main():
    parser = argparse.ArgumentParser(prog="stealbench export", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("deque", metavar="DEQUE", help="the deque's id; or pool, with --deque")
    parser.add_argument("--deque", dest="carrier", help="the deque that the pool uses")
    parser.add_argument("--prefix", help="prefix of every name, in capitals for macros; default: the deque's id, or pool")
    parser.add_argument("--item", default="", help="type of the items: a pointer, or an integer of 4 or 8 bytes; default: void *")
    parser.add_argument("-o", "--output", dest="file", type=Path, metavar="FILE", help="the file to write; default: standard output")
    parser.add_argument("--unchecked", action="store_true", help="without a check, which the header then says")
    options = parser.parse_args()
    whole = options.deque == "pool"
    wanted = options.carrier if whole else options.deque
    if whole and (not wanted or options.item) or not whole and options.carrier:
        parser.error("DEQUE [--prefix=NAME] [--item=TYPE] [-o FILE], or pool --deque=NAME [--prefix=NAME] [-o FILE]")
    if wanted not in header.deques():
        near = difflib.get_close_matches(wanted, header.deques(), 1, 0)
        parser.error(f"no such deque: {wanted} (did you mean {near[0]}?)")
    prefix, item = options.prefix or options.deque, options.item.strip()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", prefix):
        parser.error(f"--prefix={prefix}: expected a small letter, then small letters, digits and _")
    if prefix in ("f", "r", "w", "x"):
        parser.error(f"--prefix={prefix}: {prefix.upper()}_OK is a name of <unistd.h>")
    if whole:  # what cannot be exported is known before minutes of checks
        pool.carrier(wanted)
    else:
        header.carried(wanted, prefix, item)
    checked = "" if options.unchecked else certificate.certificate(wanted)
    text = pool.export(wanted, prefix, checked) if whole else header.export(wanted, prefix, item, checked)
    if options.file:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.file, text)
    else:
        print(text, end="")


if __name__ == "__main__":
    run_program(main)
