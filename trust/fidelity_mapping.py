"""fidelity.txt, read: which port is held against which original, on what; and the suite that measures it."""

from dataclasses import dataclass, field
from pathlib import Path

from plots.data.run_folder import EXIT_USAGE, Problem


@dataclass
class Case:
    """What is measured of a pair: one cell of each, and which of its values are compared."""

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
    slower: dict = field(default_factory=dict)  # {case's name: why it costs more than the original}

    def tag(self, case):
        """The section of the suite that measures this case of this pair."""
        return f"{self.port.replace('/', '-')}-{case.name}"


@dataclass
class Mapping:
    pairs: list = field(default_factory=list)
    without: dict = field(default_factory=dict)  # {deque: why it has no original}


def parse_mapping(text, path="fidelity.txt"):
    """The mapping in text, or a Problem that names the line."""
    mapping, cases = Mapping(), {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        try:
            if words[0] == "case":
                case = _parse_case(words[1:])
                if case.name in cases:
                    raise ValueError(f"case {case.name} is there twice")
                cases[case.name] = case
            elif words[0] == "pair":
                _add_pair(mapping, cases, words[1:])
            elif words[0] == "slower":
                _add_slower(mapping, words[1:])
            elif words[0] == "none":
                _add_none(mapping, words[1:])
            else:
                raise ValueError(f"a line begins with case, pair, slower or none, not with {words[0]}")
        except ValueError as error:
            raise Problem(f"{path}:{number}: {error}", EXIT_USAGE) from None
    if not mapping.pairs:
        raise Problem(f"{path} pairs nothing", EXIT_USAGE)
    return mapping


def _parse_case(words):
    if len(words) < 4:
        raise ValueError("case NAME THREADS WORKLOAD ROLE:METRIC[,ROLE:METRIC] [parameter=value ...] is wanted")
    name, threads, workload, metrics, *settings = words
    if not threads.isdigit() or int(threads) < 1:
        raise ValueError(f"case {name}: {threads} threads; 1 or more are wanted")
    wanted = [tuple(part.split(":")) for part in metrics.split(",")]
    if any(len(part) != 2 or not all(part) for part in wanted):
        raise ValueError(f"case {name}: {metrics} is not ROLE:METRIC")
    if wrong := [word for word in settings if "=" not in word or "," in word]:
        raise ValueError(f"case {name}: {wrong[0]} is not parameter=value, one value")
    return Case(name, int(threads), workload, wanted, settings)


def _add_pair(mapping, cases, words):
    if len(words) < 3:
        raise ValueError("pair PORT ORIGINAL CASE ... is wanted")
    port, original, *names = words
    if any((pair.port, pair.original) == (port, original) for pair in mapping.pairs):
        raise ValueError(f"the pair {port}, {original} is there twice")
    if unknown := [name for name in names if name not in cases]:
        raise ValueError(f"no such case: {unknown[0]}; before this line there are {', '.join(cases) or 'none'}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"case {twice[0]} is there twice")
    mapping.pairs.append(Pair(port, original, [cases[name] for name in names]))


def _add_slower(mapping, words):
    if len(words) < 4:
        raise ValueError("slower PORT ORIGINAL CASE[,CASE] WHY is wanted")
    port, original, cases, *why = words
    pair = next((pair for pair in mapping.pairs if (pair.port, pair.original) == (port, original)), None)
    if pair is None:
        raise ValueError(f"{port} and {original} are no pair before this line")
    for name in cases.split(","):
        if name not in [case.name for case in pair.cases]:
            raise ValueError(f"{port} and {original} are not compared on {name}")
        pair.slower[name] = " ".join(why)


def _add_none(mapping, words):
    if len(words) < 2:
        raise ValueError("none DEQUE WHY is wanted")
    if words[0] in mapping.without:
        raise ValueError(f"none {words[0]} is there twice")
    mapping.without[words[0]] = " ".join(words[1:])


def suite_text(pairs, contended_only):
    """A suite with a section for each case of these pairs, so that a port and its original are measured in turns.

    contended_only: just the cases of more than one thread, which are believed when two runs agree."""
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
    """({ids}, {id: why}): the deques there are below a folder of executables, and those said not to be built."""
    there, absent = set(), {}
    for path in sorted(Path(folder).rglob("*")):
        below = path.relative_to(folder)
        if path.name == "not_built.txt":
            for line in path.read_text(encoding="utf-8").splitlines():
                name, _, why = line.partition("\t")
                absent[str(below.parent / name)] = why
        elif path.is_file() and path.stat().st_mode & 0o111:
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
