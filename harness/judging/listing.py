"""./run.sh list [deques|workloads] [--csv], list metrics [WORD]: python3 -m harness.judging.listing BUILD deques|workloads [--csv],
BUILD metrics [WORD]"""

import csv
import sys
import textwrap

from harness.judging import descriptions
from harness.judging.metrics import FILE, read_metrics
from harness.judging.run_folder import EXIT_USAGE, Problem, run_program
from harness.judging.text_table import show

TRAITS = ("id title source owner_order bound thieves native delivery push_progress pop_progress steal_progress thieves_leave mode mode_values "
          "item_bytes fault").split()
PARAMETER = "workload parameter kind default minimum maximum choices unit help".split()


def kind_of(traits):
    return "reference" if traits["reference"] == "1" else "sound" if traits["sound"] == "1" else "unsound"


def deques_of(build):
    """[(id, its traits, its lines)], references first, then sound ones."""
    found = [(name, descriptions.traits_of(lines), lines) for name, lines in descriptions.deques(build).items()]
    return sorted(found, key=lambda one: (("reference", "sound", "unsound").index(kind_of(one[1])), one[0]))


def parameter(line):
    """The fields of a parameter as PARAMETER names them; only numbers have a range."""
    workload, name, kind, default, least, most, choices, unit, about = line[1:]
    least, most = (f"{float(end):.10g}" if kind in ("integer", "real") else "" for end in (least, most))
    return [workload, name, kind, default, least, most, choices, unit, about]


def deques_table(deques, absent):
    yield [*TRAITS, "kind"]
    for _, traits, _ in deques:
        yield [*(traits.get(name, "") for name in TRAITS), kind_of(traits)]
    for name in absent:
        yield [name, *[""] * (len(TRAITS) - 1), "not built"]


def workloads_table(deques, families):
    yield PARAMETER
    for lines in families.values():
        yield from (parameter(line) for line in lines if line[0] == "parameter")
    for deque, line in common(deques):
        yield [deque or "*", *parameter(line)[1:]]


def common(deques):
    """[(deque or "", line)] of the parameters that every workload has: those of all once, then each deque's own."""
    for i, (name, traits, lines) in enumerate(deques):
        for line in lines:
            own = line[0] == "parameter" and line[2] == traits["mode"]
            if line[0] == "parameter" and (own or i == 0):
                yield name if own else "", line


def deques_text(deques, absent):
    layout = "{:<28} {:<9} {:<5} {:<9} {:<11} {:<14} {}".format
    yield layout("deque", "kind", "order", "bound", "thieves", "steal is", "native batch forms")
    for name, traits, _ in deques:
        yield layout(name, kind_of(traits), *(traits[one] for one in ("owner_order", "bound", "thieves", "steal_progress")), traits["native"] or "-")
        yield f"    {traits['title']}. {traits['source']}"
        if traits["mode"]:
            yield f"    its own setting: {traits['mode']}={traits['mode_values']}"
        if kind_of(traits) == "unsound" and traits["fault"]:
            yield f"    known fault: {traits['fault']}"
    for name, why in absent.items():
        yield f"{name:<28} not built: {why}"


def parameter_text(line):
    _, name, kind, default, least, most, choices, unit, about = parameter(line)
    values = f"{least} to {most}" + (f", or {choices}" if choices else "") if least else "text" if kind == "text" else choices
    return f"    {name:<11} {values:<24} default {default:<11} {unit}{': ' if unit else ''}{about}"


def workloads_text(deques, families):
    for line in (line for lines in families.values() for line in lines):
        if line[0] == "workload":
            yield f"{line[1]}: {line[3]}"
        elif line[0] == "parameter":
            yield parameter_text(line)
        elif line[0] == "presets":
            yield from (f"      {line[2]}={word.strip()}:{rest}" for word, _, rest in (one.partition(":") for one in line[3].split(";")))
    yield "every workload"
    for deque, line in common(deques):
        if deque:
            yield f"  of {deque} only:"
        yield parameter_text(line)


def metrics_text(word):
    """Each recorded value whose line contains the word, in upper or lower case."""
    found = [line for line in read_metrics() if word.lower() in " ".join(vars(line).values()).lower()]
    if not found:
        raise Problem(f"no metric has {word!r} in its line; all of them: ./run.sh list metrics, or {FILE}", EXIT_USAGE)
    for line in found:
        yield f"{line.metric}  ({', '.join(filter(None, (line.unit, line.range)))})"
        yield textwrap.fill(f"{line.role}: {line.what}. Recorded by {line.workloads}: {line.source}", 100, initial_indent="    ",
                            subsequent_indent="    ", break_on_hyphens=False)


def main():
    build, what, *more = sys.argv[1:]
    if what == "metrics":
        show("\n".join(metrics_text("".join(more))))
        return
    deques, as_csv = deques_of(build), bool(more)
    if not deques:
        raise Problem(f"no deque in {build}: build them by `make`")
    if what == "deques":
        found = (deques_table if as_csv else deques_text)(deques, descriptions.not_built(build))
    else:
        found = (workloads_table if as_csv else workloads_text)(deques, descriptions.families(build))
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(found)
    else:
        show("\n".join(found))


if __name__ == "__main__":
    run_program(main)
