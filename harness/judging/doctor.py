"""./run.sh doctor [--json]: what on this machine disturbs measuring, why that matters, and what mends it; proposes only what this machine has.

Reads from standard input what the driver found (verbs/doctor.c): the machine as manifests have it, and what it has measured."""

import json
import os
import re
import sys
import time

from harness.judging.words import groups_of
from harness.judging.run_folder import run_program
from harness.judging.text_table import show

SYSTEM = os.environ.get("STEALBENCH_SYSTEM_ROOT", "")  # before each path: where tests put a machine of their own
CPU = "/sys/devices/system/cpu"
UNKNOWN = "unknown"
LOOK_SECONDS = 1
UNDISTURBED_SHARE = 0.5
CLOCK_SLOW = 100  # ns a read
BUSY_SHARE = 0.1  # of one processor
STOLEN_SHARE = 0.005  # of all time: about the share that makes a visible outlier
WORKING_SHARE = 0.05  # of all time
MEMORY_WANTED = 2 << 30


def read(path):
    """What the file holds; nothing if it is not there."""
    try:
        with open(SYSTEM + path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def set_file(path, value):
    """The command that sets this file, if the machine has it."""
    return f"echo {value} | sudo tee {path}" if os.path.exists(SYSTEM + path.split("*", maxsplit=1)[0]) else None


def processors_in(text):
    """The processors of a list such as "0-3,8"; none if the text is no list."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return set()
    ends = [one.split("-") for one in text.split(",")]
    return {number for one in ends for number in range(int(one[0]), int(one[-1]) + 1)}


class Doctor:
    def __init__(self, facts):
        self.facts, self.findings = facts, []

    def find(self, what, value, bad, why="", mend=None):
        """bad None: not known. Without mend nothing can be done."""
        verdict = UNKNOWN if bad is None else "warn" if bad else "ok"
        self.findings.append({"verdict": verdict, "what": what, "value": value,
                              "why": why if bad else None, "mend": mend if bad and mend else None})

    def text(self):
        warnings = sum(one["verdict"] == "warn" for one in self.findings)
        for one in self.findings:
            yield f"{one['verdict']:8} {one['what']}: {one['value']}"
            yield from (f"         {name}: {one[key]}" for name, key in (("why it matters", "why"), ("mend it", "mend")) if one[key])
        yield (f"{warnings} warning{'s' * (warnings > 1)}: numbers from this machine are noisier; their order is still worth reading"
               if warnings else "nothing here disturbs measuring")

    def fact(self, name, what, good, *more):
        """A fact of the machine that ought to have this value."""
        value = self.facts.get(name, UNKNOWN)
        self.find(what, value, None if value == UNKNOWN else value != good, *more)

    def processors(self):
        allowed, isolated = self.facts["processors_allowed"], self.facts["isolated"]
        ours, apart = processors_in(allowed), processors_in(isolated)
        self.find("processors allowed", f"{len(ours)} ({allowed})", len(ours) < 2 if ours else None,
                  "an owner and a thief need one each to run at the same time",
                  "give the container or the job more processors (taskset, --cpuset-cpus, --cpus-per-task)")
        if self.facts["kinds"]:
            self.find("kinds of cores", f"{self.facts['kinds']}; cells use the first kind", False)
        self.find("isolated processors", f"{isolated}; without tick: {self.facts['nohz_full']}",
                  None if isolated == UNKNOWN else bool(ours and apart) and not ours & apart,
                  "these are isolated from the scheduler, but this process measures on others",
                  f"taskset -c {isolated} ./run.sh ..., or give the job these processors")
        self.fact("governor", "governor", "performance",
                  "a processor that changes its frequency with the load makes short measurements slower than long ones",
                  set_file(f"{CPU}/cpu0/cpufreq/scaling_governor", "performance") and
                  f"echo performance | sudo tee {CPU}/cpu*/cpufreq/scaling_governor")
        self.fact("turbo", "turbo", "off", "turbo lasts as long as the chip stays cool, so what is measured first looks faster",
                  set_file(f"{CPU}/intel_pstate/no_turbo", 1) or set_file(f"{CPU}/cpufreq/boost", 0))
        self.fact("smt", "SMT", "off", "two threads of one core share its caches and its units; what the sibling does becomes noise. The "
                  "suites place threads on cores first", set_file(f"{CPU}/smt/control", "off"))

    def limits(self):
        known, events = self.facts["throttling"] == "ok", self.facts["throttled"]
        self.find("thermal throttling", f"{events} events since boot" if known else self.facts["throttling"],
                  events > 0 if known else None,
                  "a processor that is too hot slows down; invocations in which it does are measured again, and flagged if it goes on",
                  "cool the machine, or measure on fewer processors at a time")
        pages = self.facts["transparent_huge_pages"]
        self.find("transparent huge pages", pages, None if pages == UNKNOWN else pages == "never",
                  "items that lie on small pages cost misses of the address cache, which differ from run to run",
                  set_file("/sys/kernel/mm/transparent_hugepage/enabled", "madvise"))
        memory, quota = self.facts["cgroup_memory_bytes"], self.facts["cgroup_processors"]
        limited = isinstance(memory, int)
        self.find("control group's memory", f"{memory >> 20} MiB" if limited else memory, limited and memory < MEMORY_WANTED,
                  "the kernel kills what needs more; large deques need 2 GiB",
                  "raise memory.max of the control group, --memory of the container or --mem of the job")
        limited = not isinstance(quota, str)
        self.find("control group's processor time", f"{quota:.2f} processors' worth" if limited else quota, limited,
                  "when its share of a period is used up, all threads stop for the rest of the period",
                  "raise cpu.max of the control group, or start the container without --cpus (use --cpuset-cpus)")

    def places(self):
        """The distances in groups that agree, each by its median: "10 ns (4 pairs), 51 ns (24 pairs)"."""
        told = ", ".join(f"{group[len(group) // 2]:.0f} ns ({len(group)} pair{'s' * (len(group) > 1)})"
                         for group in groups_of(self.facts["distances"]))
        self.find("distance between processors", told or UNKNOWN, False if told else None)
        share = self.facts["undisturbed"]
        self.find("undisturbed windows", UNKNOWN if share < 0 else f"{100 * share:.0f} % of 200 us",
                  None if share < 0 else share < UNDISTURBED_SHARE,
                  "in the others one of two threads was off its processor. Contention drops these windows, so it takes longer",
                  "stop other programs")

    def load(self):
        """Watches the other programs and the host."""
        times, processes = processor_times(), process_times()
        time.sleep(LOOK_SECONDS if times else 0)
        spent = [after - before for before, after in zip(times, processor_times())]
        ticks = os.sysconf("SC_CLK_TCK") * LOOK_SECONDS
        busy = [f"{name} (pid {pid}, {100 * share:.0f} %)" for (pid, name), after in process_times().items()
                if (share := (after - processes.get((pid, name), after)) / ticks) >= BUSY_SHARE and pid != os.getpid()]
        total = sum(spent)
        working, stolen = (1 - (spent[3] + spent[4]) / total, spent[7] / total) if total > 0 else (None, None)
        self.find("load", UNKNOWN if working is None else f"{100 * working:.0f} % of all processors now",
                  None if working is None else working > WORKING_SHARE,
                  "other programs take processors and caches away in the middle of a loop", "stop other programs")
        self.find("other busy processes", ", ".join(busy) or "none", bool(busy),
                  "beside one busy process a naive average over two threads was wrong by six times",
                  "stop them, or bind them elsewhere: taskset -cp PROCESSOR PID")
        self.find("time stolen by the host", UNKNOWN if stolen is None else f"{100 * stolen:.2f} %",
                  None if stolen is None else stolen > STOLEN_SHARE,
                  "the host ran somebody else on our processors; measure more invocations, or later")

    def clock(self):
        sources, ns = "/sys/devices/system/clocksource/clocksource0/", self.facts["clock_read_ns"]
        self.find("clock source", f"{self.facts['clock_source']}, {ns:.0f} ns a read", ns > CLOCK_SLOW,
                  "single operations are timed by two reads each, and windows between reads become longer",
                  set_file(f"{sources}current_clocksource", "tsc") if "tsc" in read(f"{sources}available_clocksource") else None)
        self.fact("virtualisation", "virtualisation", "none",
                  "a host moves and interrupts virtual processors, unseen by the guest; counters are often missing. Each sample has its "
                  "distance, and only samples of the same distance are compared")

    def counters(self):
        there, paranoid = self.facts["counters"], self.facts["counters"]["perf_event_paranoid"]
        self.find("hardware counters", f"{there['hardware']}; perf_event_paranoid: {paranoid}", there["hardware"] != "available",
                  "without them instructions and misses are not measured; times are not affected",
                  "sudo sysctl kernel.perf_event_paranoid=2" if isinstance(paranoid, int) and paranoid > 2 else None)
        self.find("PAPI", there["papi"], not there["papi"].startswith("available"),
                  "counters= and events= go through it; what it cannot count is a status in the data")


def processor_times():
    """How the processors' time was spent since boot, in ticks: idle and waiting are at 3 and 4, stolen by the host is at 7."""
    return list(map(int, read("/proc/stat").partition("\n")[0].split()[1:9]))


def process_times():
    """{(pid, name): ticks of processor time since it began}."""
    found = {}
    for pid in filter(str.isdigit, os.listdir(SYSTEM + "/proc") if os.path.isdir(SYSTEM + "/proc") else []):
        head, _, rest = read(f"/proc/{pid}/stat").rpartition(")")  # the name may hold anything
        if rest:
            found[int(pid), head.partition("(")[2]] = sum(map(int, rest.split()[11:13]))
    return found


def main():
    doctor = Doctor(json.load(sys.stdin))
    for look in doctor.processors, doctor.limits, doctor.places, doctor.load, doctor.clock, doctor.counters:
        look()
    show(json.dumps(doctor.findings, indent=1) if sys.argv[1:] == ["--json"] else "\n".join(doctor.text()))


if __name__ == "__main__":
    run_program(main)  # a warning is no failure
