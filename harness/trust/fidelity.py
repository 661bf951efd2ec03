"""python3 -m harness.trust.fidelity: does a port cost what its original costs? fidelity.txt says which is compared on which cells.

    suite BUILD [--contended]      the suite for the deques that BUILD (build) describes, on standard output
    judge BUILD RUN [AGAIN]        the ratios of port to original, a table, and RUN/fidelity.csv

A ratio above 1 is slower than the original: times are divided port by original, rates original by port, paired by invocation,
with an interval. A row is within its limit if the whole interval lies between the limit and 1 / limit: 1.05 on one thread; 1.20
where threads contend, in two runs (RUN and AGAIN) whose intervals overlap. A row is slower or faster by the rule for verdicts,
with the limit as its threshold, over all rows of a run: a port that is faster than its original is as unfair as one that is
slower. The program only reports. It fails if nothing can be compared (exit 3), or if a row is slower or faster and the mapping
does not say why (exit 1).
"""

import argparse
import dataclasses
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

from harness.judging import descriptions, statistics as statistics_of
from harness.judging.pairs import compare
from harness.judging.run_folder import EXIT_FAILED, EXIT_USAGE, PROGRAM, Problem, Run, read_text, run_program, worst_status, write_rows
from harness.judging.summaries import summarize
from harness.judging.words import format_number
from harness.judging.text_table import aligned, show

LIMIT, CONTENDED_LIMIT = 1.05, 1.20
VERDICTS = WITHIN, SLOWER, FASTER, OPEN = "within", "SLOWER", "FASTER", "not settled"
NOT_MEASURED = "not measured"
COLUMNS = ("port original case role metric port_median original_median unit ratio low high pairs again_ratio again_low "
           "again_high limit verdict flags").split()


@dataclass
class Case:
    """One cell of a port and its original, and the values that are compared."""

    name: str
    threads: int
    workload: str
    metrics: list  # [(role, metric)]
    settings: list  # ["batch=1"]

    @property
    def contended(self):
        return self.threads > 1


@dataclass
class Pair:
    port: str
    original: str
    cases: list  # of Case
    excuses: dict = field(default_factory=dict)  # {("slower" or "faster", case's name): why it costs more or less than the original}

    def tag(self, case):
        """The section of the suite that measures this case of this pair."""
        return f"{self.port.replace('/', '-')}-{case.name}"


@dataclass
class Mapping:
    """What fidelity.txt says; its head has the forms of its lines."""

    pairs: list = field(default_factory=list)
    without: dict = field(default_factory=dict)  # {deque: why it has no original}
    cases: dict = field(default_factory=dict)

    def read(self, first, *words):
        """Takes a line; a ValueError if it is of no such form."""
        if first == "case":
            name, threads, workload, metrics, *settings = words
            wanted = [(role, metric) for role, metric in (one.split(":") for one in metrics.split(","))]
            self.cases[name] = Case(name, int(threads), workload, wanted, settings)
        elif first == "pair":
            port, original, *names = words
            self.pairs.append(Pair(port, original, [found(self.cases, name, "case") for name in names]))
        elif first in ("slower", "faster"):
            port, original, cases, *why = words
            pair = found({(pair.port, pair.original): pair for pair in self.pairs}, (port, original), "pair")
            for name in cases.split(","):
                pair.excuses[first, found({case.name: name for case in pair.cases}, name, "case of this pair")] = " ".join(why)
        elif first == "none":
            deque, *why = words
            self.without[deque] = " ".join(why)
        else:
            raise ValueError(f"no such line: {first}")


def found(things, name, what):
    if name not in things:
        raise ValueError(f"no such {what}: {name}")
    return things[name]


def parse_mapping(text, path="fidelity.txt"):
    """The mapping in text, or a Problem that names the line."""
    mapping = Mapping()
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.split("#", 1)[0].split():
            try:
                mapping.read(*words)
            except ValueError as error:
                raise Problem(f"{path}:{number}: {error}", EXIT_USAGE) from None
    return mapping


def suite_text(pairs, contended_only):
    """A suite with a section for each case of these pairs, so that a port and its original are measured in turns. contended_only:
    only the cases of more than one thread, for which two runs have to agree."""
    lines = ["title Fidelity: " + ("contended cases, once more" if contended_only else "ports against their originals"),
             "invocations 11", "repetitions 3", "minimum_time 0.02", "timeout 120", ""]
    header = len(lines)
    for pair in pairs:
        for case in pair.cases:
            if contended_only and not case.contended:
                continue
            lines += [f"[{pair.tag(case)}] {pair.port} against {pair.original}: {case.name}"]
            if case.contended:
                lines += ["minimum_time 0.1"]
            lines += [f"{case.workload} deque={pair.port},{pair.original} {' '.join(case.settings)}".rstrip(), ""]
    return "\n".join(lines) if len(lines) > header else ""


def present_pairs(mapping, build):
    """([pairs that can be measured], [(pair, why not)])."""
    there, absent, present, lacking = descriptions.deques(build), descriptions.not_built(build), [], []
    for pair in mapping.pairs:
        missing = [deque for deque in (pair.port, pair.original) if deque not in there]
        if missing:
            lacking.append((pair, f"{missing[0]} is not built: {absent.get(missing[0], 'no such executable')}"))
        else:
            present.append(pair)
    return present, lacking


@dataclass
class Row:
    """One value of one case of a pair, as measured once or, where threads contend, twice."""

    pair: object
    case: object
    role: str
    metric: str
    first: object = None  # compare.Comparison, or None: no values
    again: object = None
    why: str = ""  # why there is nothing to compare

    @property
    def limit(self):
        return CONTENDED_LIMIT if self.case.contended else LIMIT

    @property
    def ratio(self):
        """Of both runs, if there are two."""
        ratios = [c.ratio for c in (self.first, self.again) if c]
        return math.exp(sum(map(math.log, ratios)) / len(ratios))

    @property
    def reason(self):
        """Why it is slower or faster, if that is known."""
        return self.pair.excuses.get((self.verdict().lower(), self.case.name), "")

    @property
    def flags(self):
        return sorted({flag for c in (self.first, self.again) if c for side in (c.judged, c.reference)
                       for flag in side.flags})

    def verdict(self):
        """within, SLOWER, FASTER, or not settled."""
        runs = [c for c in (self.first, self.again) if c]
        if any(c.pairs < statistics_of.LEAST_PAIRS for c in runs) or (self.case.contended and len(runs) < 2):
            return OPEN
        if self.case.contended and max(c.low for c in runs) > min(c.high for c in runs):  # the intervals have no point in common
            return OPEN
        if all(statistics_of.alike(c.low, c.high, self.limit - 1) for c in runs):
            return WITHIN
        return next((verdict for verdict in (SLOWER, FASTER) if all(c.verdict == verdict.lower() for c in runs)), OPEN)


def of_cell(summaries, deque, case):
    """Every summary of that deque's cell, with any other parameters."""
    wanted = dict(setting.split("=", 1) for setting in case.settings)
    return [summary for summary in summaries if (summary.deque, summary.workload) == (deque, case.workload)
            and all(summary.params.get(name) == value for name, value in wanted.items())]


def compared(summaries, pair, case, role, metric):
    """(Comparison, ''), or (None, why there is none)."""
    sides = []
    for deque in (pair.port, pair.original):
        cell = of_cell(summaries, deque, case)
        if not cell:
            return None, NOT_MEASURED
        value = [summary for summary in cell if (summary.role, summary.metric) == (role, metric)]
        status = worst_status(summary.status for summary in value or cell)
        # A machine may deny a value to one process and allow it to another. Crashed cells are not compared.
        if not value or value[0].median is None or status not in ("ok", "denied"):
            return None, f"{deque}: {status if status != 'ok' else 'no ' + metric}"
        sides.append(dataclasses.replace(value[0], status="ok"))
    comparison = compare(*sides, (CONTENDED_LIMIT if case.contended else LIMIT) - 1)
    return (comparison, "") if comparison else (None, "no invocation has values of both")


def rows_of(mapping_pairs, first, again):
    """Every value of every case of these pairs. first, again: summaries; again is empty when there is one run."""
    rows = []
    for pair in mapping_pairs:
        for case in pair.cases:
            for role, metric in case.metrics:
                row = Row(pair, case, role, metric)
                row.first, row.why = compared(first, pair, case, role, metric)
                if case.contended and row.first:
                    row.again = compared(again, pair, case, role, metric)[0]
                rows.append(row)
    return rows


def geometric_mean(rows):
    """Of the existing ratios; None without any."""
    logs = [math.log(row.ratio) for row in rows if row.first]
    return math.exp(sum(logs) / len(logs)) if logs else None


def interval(comparison):
    if comparison is None:
        return ""
    if comparison.low is None:
        return f"{comparison.ratio:.3f}"
    return f"{comparison.ratio:.3f} [{comparison.low:.3f}, {comparison.high:.3f}]"


def table_lines(rows):
    """The rows as a table. Rows without values say why; rows that were not in the run are left out."""
    cells = []
    for row in rows:
        if row.why == NOT_MEASURED:
            continue
        what = [row.pair.port, row.case.name + ("" if len(row.case.metrics) == 1 else f", {row.metric}")]
        if row.first:
            first = row.first
            cells.append(what + [format_number(first.judged.median), format_number(first.reference.median),
                                 first.judged.unit, interval(first), interval(row.again), str(first.pairs),
                                 f"{row.limit:.2f}", " ".join([row.verdict(), *["(explained)"] * bool(row.reason), *row.flags])])
        else:
            cells.append(what + ["", "", "", "", "", "", f"{row.limit:.2f}", row.why])
    return aligned(["port", "case", "port", "original", "unit", "port : original", "again", "pairs", "limit",
                    "verdict"], cells, left={0, 1, 4, 5, 6, 9})


def closing_lines(rows, lacking, mapping, there):
    """A summary of the table, and of the missing pairs."""
    lines = []
    for title, chosen in [("one thread", [r for r in rows if not r.case.contended]),
                          ("contended", [r for r in rows if r.case.contended]), ("all", rows)]:
        mean = geometric_mean(chosen)
        if mean is not None:
            lines.append(f"geometric mean, {title}: {mean:.3f}")
    verdicts = [row.verdict() for row in rows if row.first]
    skipped = sum(row.why == NOT_MEASURED for row in rows)
    lines.append(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS)
                 + f", {len(rows) - len(verdicts) - skipped} without values"
                 + (f", {skipped} not in this run" if skipped else ""))
    reasons = {(row.verdict().lower(), row.pair.port, row.reason): None for row in rows if row.first and row.reason}
    lines += [f"{verdict}, explained: {port}: {reason}" for verdict, port, reason in reasons]
    lines += [f"not measured: {pair.port} against {pair.original}: {why}" for pair, why in lacking]
    paired = {deque for pair in mapping.pairs for deque in (pair.port, pair.original)}
    without = sorted(deque for deque in there if deque not in paired and not deque.startswith("as_"))
    if without:
        lines.append("\nwithout a live original")
        lines += [f"  {deque:24} {mapping.without.get(deque, 'none is known')}" for deque in without]
    return lines


def csv_row(row):
    first, again = row.first, row.again
    numbers = ([first.judged.median, first.reference.median, first.judged.unit, first.ratio, first.low, first.high,
                first.pairs] if first else [None] * 7)
    numbers += [again.ratio, again.low, again.high] if again else [None] * 3
    return [row.pair.port, row.pair.original, row.case.name, row.role, row.metric,
            *("" if n is None else f"{n:.6g}" if isinstance(n, float) else n for n in numbers),
            row.limit, row.verdict() if first else row.why, "+".join(row.flags)]


def read_mapping(path):
    return parse_mapping(read_text(Path(path), "it says what is compared with what"), path)


def print_suite(arguments):
    present, lacking = present_pairs(read_mapping(arguments.mapping), arguments.build)
    if not present:
        raise Problem("no port can be compared with its original here:\n" + "\n".join(
            f"  {pair.port}: {why}" for pair, why in lacking))
    if not arguments.contended:
        for pair, why in lacking:
            print(f"fidelity.py: {pair.port} is left out: {why}", file=sys.stderr)
    print(suite_text(present, arguments.contended), end="")


def judge(arguments):
    mapping = read_mapping(arguments.mapping)
    present, lacking = present_pairs(mapping, arguments.build)
    run = Run(arguments.run)
    rows = rows_of(present, summarize(run), summarize(Run(arguments.again)) if arguments.again else [])
    show("\n".join([*table_lines(rows), "", *closing_lines(rows, lacking, mapping, descriptions.deques(arguments.build))]))
    write_rows(run.folder / "fidelity.csv", COLUMNS, map(csv_row, rows))
    print(f"\nas data: {run.folder / 'fidelity.csv'}")
    if not any(row.first for row in rows):
        raise Problem("nothing could be compared")
    broken = any(row.verdict() in (SLOWER, FASTER) and not row.reason for row in rows if row.first)
    return EXIT_FAILED if broken else 0


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapping", default=str(here / "fidelity.txt"), help="default: harness/trust/fidelity.txt")
    verbs = parser.add_subparsers(dest="verb", required=True)
    suite = verbs.add_parser("suite", help="print the suite")
    suite.add_argument("build", help="its folder: build")
    suite.add_argument("--contended", action="store_true", help="only the cases of more than one thread")
    judging = verbs.add_parser("judge", help="print the ratios")
    judging.add_argument("build", help="its folder: build")
    judging.add_argument("run", help="a folder below results/")
    judging.add_argument("again", nargs="?", help="the contended cases, a second time")
    arguments = parser.parse_args()
    return print_suite(arguments) if arguments.verb == "suite" else judge(arguments)


if __name__ == "__main__":
    run_program(main)
