"""Reads fidelity.txt: which port is compared with which original, on which cells. Writes the suite that measures them."""

from dataclasses import dataclass, field
from pathlib import Path

from harness.judging.run_folder import EXIT_USAGE, Problem


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
    pairs: list = field(default_factory=list)
    without: dict = field(default_factory=dict)  # {deque: why it has no original}
    cases: dict = field(default_factory=dict)

    def pair_of(self, port, original):
        return next((pair for pair in self.pairs if (pair.port, pair.original) == (port, original)), None)

    def add_case(self, name, threads, workload, metrics, *settings):
        _refuse(name in self.cases, f"case {name} is there twice")
        _refuse(not threads.isdigit() or int(threads) < 1, f"case {name}: {threads} threads; expected 1 or more")
        wanted = [tuple(part.split(":")) for part in metrics.split(",")]
        _refuse(any(len(part) != 2 or not all(part) for part in wanted), f"case {name}: {metrics} is not ROLE:METRIC")
        for word in settings:
            _refuse("=" not in word or "," in word, f"case {name}: {word} is not parameter=value, one value")
        self.cases[name] = Case(name, int(threads), workload, wanted, list(settings))

    def add_pair(self, port, original, *names):
        _refuse(self.pair_of(port, original), f"the pair {port}, {original} is there twice")
        for name in names:
            _refuse(name not in self.cases, f"no such case: {name}; before this line there are {', '.join(self.cases) or 'none'}")
            _refuse(names.count(name) > 1, f"case {name} is there twice")
        self.pairs.append(Pair(port, original, [self.cases[name] for name in names]))

    def add_slower(self, *words):
        self.add_excuse("slower", *words)

    def add_faster(self, *words):
        self.add_excuse("faster", *words)

    def add_excuse(self, how, port, original, cases, *why):
        pair = self.pair_of(port, original)
        _refuse(not pair, f"{port} and {original} are no pair before this line")
        for name in cases.split(","):
            _refuse(name not in [case.name for case in pair.cases], f"{port} and {original} are not compared on {name}")
            pair.excuses[how, name] = " ".join(why)

    def add_none(self, deque, *why):
        _refuse(deque in self.without, f"none {deque} is there twice")
        self.without[deque] = " ".join(why)


# The first word of a line: (the words after it, their least number).
LINES = {"case": ("NAME THREADS WORKLOAD ROLE:METRIC[,ROLE:METRIC] [parameter=value ...]", 4), "pair": ("PORT ORIGINAL CASE ...", 3),
         "slower": ("PORT ORIGINAL CASE[,CASE] WHY", 4), "faster": ("PORT ORIGINAL CASE[,CASE] WHY", 4),
         "none": ("DEQUE WHY", 2)}


def _refuse(condition, said):
    if condition:
        raise ValueError(said)


def parse_mapping(text, path="fidelity.txt"):
    """The mapping in text, or a Problem that names the line."""
    mapping = Mapping()
    for number, line in enumerate(text.splitlines(), 1):
        first, *words = line.split("#", 1)[0].split() or [None]
        try:
            if first is not None:
                _refuse(first not in LINES, f"a line begins with {', '.join(LINES)}, not with {first}")
                _refuse(len(words) < LINES[first][1], f"expected {first} {LINES[first][0]}")
                getattr(mapping, f"add_{first}")(*words)
        except ValueError as error:
            raise Problem(f"{path}:{number}: {error}", EXIT_USAGE) from None
    if not mapping.pairs:
        raise Problem(f"{path} pairs nothing", EXIT_USAGE)
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


def executables(folder):
    """({ids}, {id: why}): the deques below a folder of executables or descriptions, and those that not_built.txt names."""
    there, absent = set(), {}
    for path in sorted(Path(folder).rglob("*")):
        below = path.relative_to(folder)
        if path.name == "not_built.txt":
            for line in path.read_text(encoding="utf-8").splitlines():
                name, _, why = line.partition("\t")
                absent[str(below.parent / name)] = why
        elif path.is_file():
            there.add(str(below))
    return there, absent


def present_pairs(mapping, there, absent):
    """([pairs that can be measured], [(pair, why not)])."""
    present, lacking = [], []
    for pair in mapping.pairs:
        missing = [deque for deque in (pair.port, pair.original) if deque not in there]
        if missing:
            lacking.append((pair, f"{missing[0]} is not built: {absent.get(missing[0], 'no such executable')}"))
        else:
            present.append(pair)
    return present, lacking
