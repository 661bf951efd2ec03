"""How far to trust a run: remarks that a reader needs before the first number."""

from dataclasses import dataclass

from harness.judging.conditions import conditions_of, distances_seen, looked_at
from harness.judging.summaries import invocation_statuses
from harness.judging.words import format_number, joined
from harness.judging.statistics import LEAST_PAIRS

FINE, LOOK, BAD = "fine", "look", "bad"
SIGNS = {FINE: "\N{CHECK MARK}", LOOK: "!", BAD: "\N{BALLOT X}"}


@dataclass
class Remark:
    """what: a word. text: a sentence. level: FINE, LOOK (good to know) or BAD (results are missing or doubtful)."""

    what: str
    text: str
    level: str

    @property
    def sign(self):
        return SIGNS[self.level]


def remarks(run, summaries):
    cells = [summary for summary in summaries if summary.role != "process" and summary.invocations]
    made = [ended(run), invocations(cells), load(run), distance(run, summaries), machine(run, cells, summaries), counters(run, summaries),
            unproven(run), failures(run), sources(run)]
    return [remark for remark in made if remark]


def ended(run):
    state, found = run.manifest.get("state"), [(run.dropped, "rows of invocations that did not end"),
                                               (run.stale, "invocations of cells that are no longer planned")]
    left_out = " and ".join(f"{count} {what}" for count, what in found if count)
    left_out = f"Left out: {left_out}." if left_out else ""
    if state not in (None, "finished"):
        return Remark("ended", f"The run is {state}, not finished. {left_out}".rstrip(), BAD)
    return Remark("left out", left_out, LOOK) if left_out else None


def invocations(cells):
    by_cell = {}
    for summary in cells:
        by_cell[summary.cell] = max(by_cell.get(summary.cell, 0), summary.invocations)
    if not by_cell:
        return Remark("invocations", "Nothing was measured.", BAD)
    span = " to ".join(map(str, dict.fromkeys((min(by_cell.values()), max(by_cell.values()))))) + " a cell"
    few = sum(count < LEAST_PAIRS for count in by_cell.values())
    if not few:
        return Remark("invocations", f"{span}: enough for verdicts.", FINE)
    return Remark("invocations", f"{span}; {few} of {len(by_cell)} cells have fewer than {LEAST_PAIRS}, which settle nothing.", LOOK)


BUSY_LEAST = 0.3  # processors, as harness/driver/verbs/measure.c warns


def load_of(run):
    """(processors that others used when the run began, of how many, were others at work?); Nones if it was not recorded."""
    machine = run.manifest.get("machine") or {}
    value = machine.get("others_at_start")
    if not isinstance(value, (int, float)):
        return None, None, None
    processors = (run.manifest.get("topology") or {}).get("processors") or machine.get("cores") or 1
    return value, processors, value >= BUSY_LEAST


def load(run):
    value, processors, busy = load_of(run)
    return None if value is None else Remark("load", f"others used {value:.1f} of {processors} processors at the start"
                                             + (", so times drift." if busy else "."), LOOK if busy else FINE)


def distance(run, summaries):
    seen = distances_seen(run)
    return Remark("distance", f"Threads {seen}: how long a cache line took one way between their processors.",
                  LOOK if any(summary.elsewhere for summary in summaries) else FINE) if seen else None


def machine(run, cells, summaries):
    """The machine's state meanwhile: displaced threads, frequency changes; in the words of a comparison."""
    found = conditions_of(run, summaries)
    if not found:
        every = {summary.cell for summary in cells}
        return Remark("machine", f"No thread was displaced for long (in the {len(every & looked_at(summaries))} of {len(every)} cells "
                      "that tell), the frequency did not step.", FINE)
    return Remark("machine", " ".join(found), LOOK)


def counters(run, summaries):
    told = run.manifest.get("counters") or {}
    left_out = run.denied_sections()
    denied = {summary.cell for summary in summaries if summary.status == "denied"}
    reason = next((str(told[name]) for name in ("hardware", "papi") if told.get(name) and told[name] is not True), "")
    if left_out:
        return Remark("denied", f"What {joined(left_out)} would count is left out: this machine has no hardware counters "
                      f"({told.get('papi', 'the reason is not recorded')}).", LOOK)
    if denied:
        return Remark("denied", f"{len(denied)} cells have something that this machine does not allow"
                      + (f" (hardware counters: {reason})." if reason else "."), LOOK)
    return Remark("counters", f"none by the hardware: {reason}.", LOOK) if reason else None


def unproven(run):
    deques = sorted({run.cells[cell]["deque"] for cell, some in invocation_statuses(run).items() if "unproven" in some.values()})
    if deques:
        return Remark("unproven", f"Not timed, for a check came to no verdict: {', '.join(deques)}.", BAD)
    stamps = [run.deque_facts(deque).get("stamp") for deque in {cell["deque"] for cell in run.cells.values()}]
    return Remark("proven", f"{stamps.count('passed')} deques passed their checks before they were timed.", FINE) if any(stamps) else None


def failures(run):
    ended_so = [set(some.values()) for some in invocation_statuses(run).values()]
    failed = {status: sum(status in some for some in ended_so) for status in ("crashed", "timeout")}
    told = [f"{count} {status}" for status, count in failed.items() if count]
    return Remark("failures", f"Cells without a value: {', '.join(told)}; see their sections.", BAD) if told else None


def sources(run):
    commit, state = run.manifest.get("commit"), run.manifest.get("sources")
    return commit and Remark("sources", f"commit {str(commit)[:12]}" + (
        "." if state == "clean" else f", {state}: nobody else has these sources."), FINE if state == "clean" else LOOK)


def where(run):
    """The machine in a line."""
    machine, build = run.manifest.get("machine") or {}, run.manifest.get("build") or {}
    topology = run.manifest.get("topology") or {}
    cores = topology.get("cores") or machine.get("cores")
    memory = machine.get("memory_bytes")
    parts = [machine.get("cpu"), f"{cores} cores" if cores else "", machine.get("virtualisation"),
             f"{format_number(memory / 2**30)} GiB" if memory else "",
             f"Linux {str(machine['kernel']).split()[0]}" if machine.get("kernel") else "",
             build.get("version") if "gcc" in str(build.get("version")) or "clang" in str(build.get("version"))
             else " ".join(filter(None, (build.get("compiler"), build.get("version")))), build.get("flags")]
    return ", ".join(str(part) for part in parts if part)


def when(run):
    start, end = run.manifest.get("start"), run.manifest.get("end")
    return f"{start} to {end}" if start and end else str(start or "not recorded")
