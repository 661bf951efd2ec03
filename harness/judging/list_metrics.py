"""./run.sh list metrics [WORD]: explains each recorded value; with a word, only lines that contain it."""

import sys
import textwrap

from harness.judging.metrics import FILE, read_metrics
from harness.judging.run_folder import Problem, run_program
from harness.judging.text_table import show

WIDTH = 100


def lines_of(word):
    """Texts of the metrics whose line contains the word, in upper or lower case."""
    for line in read_metrics():
        if word.lower() in " ".join(vars(line).values()).lower():
            yield f"{line.metric}  ({', '.join(filter(None, (line.unit, line.range)))})"
            yield textwrap.fill(f"{line.role}: {line.what}. Recorded by {line.workloads}: {line.source}", WIDTH,
                                initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    lines = list(lines_of(word))
    if not lines:
        raise Problem(f"no metric has {word!r} in its line; all of them: ./run.sh list metrics, or {FILE}", code=2)
    show("\n".join(lines))


if __name__ == "__main__":
    run_program(main)
