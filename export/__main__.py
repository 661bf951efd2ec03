#!/usr/bin/python3
"""A deque, or the pool on one, as a header that stands alone, for another program.

    ./run.sh export DEQUE [--prefix=NAME] [--item=TYPE] > my_deque.h
    ./run.sh export pool --deque=DEQUE [--prefix=NAME] > my_pool.h      (export/examples)

--prefix  begins every name of the header, in capitals those of macros; the deque's own name unless given, or pool
--item    what the deque carries: a pointer type, or an integer of 4 or 8 bytes; `void *` unless given

Exit: 0, 2 usage, 3 a deque that is known to be wrong or a reference, or one whose form does not fit the item.
"""

import argparse
import difflib
import re
import sys

from export import header, pool


def main():
    parser = argparse.ArgumentParser(prog="./run.sh export", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("deque", metavar="DEQUE", help="its name; or pool, with --deque")
    parser.add_argument("--deque", dest="carrier", help="what the pool is to run on")
    parser.add_argument("--prefix", help="begins every name; the deque's own name unless given")
    parser.add_argument("--item", default="", help="what it carries: a pointer type, or an integer of 4 or 8 bytes; void * unless given")
    options = parser.parse_args()
    whole = options.deque == "pool"
    wanted = options.carrier if whole else options.deque
    if whole and (not wanted or options.item) or not whole and options.carrier:
        print("usage: ./run.sh export DEQUE [--prefix=NAME] [--item=TYPE], or export pool --deque=NAME [--prefix=NAME]",
              file=sys.stderr)
        return 2
    if wanted not in header.deques():
        near = difflib.get_close_matches(wanted, header.deques(), 1, 0)
        print(f"no such deque: {wanted} (did you mean {near[0]}?)", file=sys.stderr)
        return 2
    prefix = options.prefix or options.deque
    if not re.fullmatch(r"[a-z][a-z0-9_]*", prefix):
        print(f"--prefix={prefix}: it begins with a small letter and has small letters, digits and _", file=sys.stderr)
        return 2
    try:
        print(pool.export(wanted, prefix) if whole else header.export(wanted, prefix, options.item.strip()), end="")
    except header.CannotExport as why:
        print(why, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
