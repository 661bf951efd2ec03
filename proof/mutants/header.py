"""header.py: selects the parts of a deque's header that are mutated: its text, and the lines that are compiled.

Some headers are another header under a switch: lf_bulk_many.h is lf_bulk.h with LF_BULK_MANY_THIEVES. The included text then
replaces the #include, so that its functions are mutated for this deque too. Lines that the preprocessor leaves out are not
mutated, because nothing could kill such a mutant. So every line is mutated for exactly those deques that compile it.
"""

import os
import re
import subprocess

import mutate
from checks import CC, ROOT

QUEUES = ROOT / "queues"
RING = "parts/ring.h"
FAMILY = "parts/chase_lev.h"  # mutated for each deque of the family: what it meets differs
# Each function of ring.h is mutated for one deque that uses it.
OF_RING = {
    "chase_lev": {"ring_asked", "ring_capacity", "ring_clear", "ring_slots", "ring_make", "ring_between"},
    "locked": {"ring_make_plain", "ring_grow_plain", "ring_part"},
    "saturn": {"ring_buffer_new", "ring_buffers_free", "ring_buffer_copy"},
    "go_runq": {"ring_share"},
    "bwos_lifo": {"ring_log2", "ring_blocks"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*\n', re.MULTILINE)


def read(path, folder=""):
    """A header's text, with the headers beside it that it includes in their places. The contract and its parts stay an #include,
    but for ring.h where it is mutated. #line says where each line stands (mutate.Source.place). The folder is the header's,
    below the first one's."""
    text = path.read_text()

    def in_place(include):
        name = os.path.normpath(os.path.join(folder, include.group(1)))
        if name == "deque.h" or (name.startswith("parts/") and name != FAMILY and not (name == RING and path.stem in OF_RING)):
            return f'#include "{name}"\n'
        back = text.count("\n", 0, include.end()) + 1
        inner = read(path.parent / include.group(1), os.path.dirname(name))
        return f'#line 1 "{name}"\n{inner}#line {back} "{os.path.join(folder, path.name)}"\n'

    return INCLUDE.sub(in_place, text)


def directives_and_marks(text):
    """The text with its preprocessor lines unchanged, and with every other line of code replaced by a mark with its number."""
    lines, goes_on = [], False
    for number, line in enumerate(mutate.without_comments(text).split("\n"), 1):
        directive = goes_on or line.lstrip().startswith("#")
        goes_on = directive and line.endswith("\\")
        lines.append(line if directive or not line.strip() else f"compiled_line_{number}")
    return "\n".join(lines) + "\n"


def compiled_lines(text):
    """The numbers of the code lines, from 1, that the preprocessor leaves in."""
    done = subprocess.run([CC, "-E", "-P", "-std=gnu11", "-D_GNU_SOURCE", "-iquote", QUEUES, "-x", "c", "-"],
                          input=directives_and_marks(text), text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"a header does not go through the preprocessor:\n{done.stderr}")
    return {int(number) for number in re.findall(r"\bcompiled_line_(\d+)\b", done.stdout)}


def mutants(text):
    """All mutants of the compiled lines of a header."""
    lines = mutate.LINE.findall(text)
    of_ring = OF_RING.get(lines[-1][1].removesuffix(".h"), ()) if lines else ()
    return [mutant for mutant in mutate.mutants_of(text, compiled_lines(text))
            if mutant.header != RING or mutant.function in of_ring]
