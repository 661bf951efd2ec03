"""build/stealbench from outside: what it prints, keeps, refuses, and how it ends. Deques are fakes (fakes/deque.sh).

Usage: driver.py [NAME...]   NAME: only the tests whose name contains it
"""

import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from urllib.parse import unquote_to_bytes

from fake_tree import (
    COLUMNS, ROOT, ROWS_AN_INVOCATION, Outcome, Tree, ended, ends, expect, marked, processes_with, run_tests,
    wait_for, whole)


# --- what is written

def test_the_rows_of_a_run():
    with Tree("steady") as tree:
        tree.ends("run push --deque=steady --batch=1,128 --invocations=3")
        expect(whole(tree.samples()), "not whole")
        rows = tree.rows()
        expect(len(rows) == 2 * 3 * ROWS_AN_INVOCATION, len(rows))
        first = rows[0]
        expect(first["params"] == "batch=1;counters=none;method=corrected;placement=compact;seed=1", first)
        expect((first["role"], first["placement"], first["value"], first["unit"], first["status"]) ==
               ("owner", "owner:0", "1.0", "ns", "ok"), first)
        expect([row["flags"] for row in rows[:3]] == ["", "emulated", ""], rows[:3])
        expect({row["variant"] for row in rows} == {""}, rows)
        expect({row["value"] for row in rows if row["metric"] == "peak_memory"} == {"12345678"}, "it is what the process said")
        expect({row["cell"] for row in rows} == {cell["cell"] for cell in tree.manifest()["cells"]}, "cells differ")


def test_the_manifest_says_what_was_measured():
    with Tree("steady", "reference") as tree:
        tree.suite("two", "title Two\ninvocations 2\n[a] First \"one\"\npush batch=1,2\n[b] Second\npush batch=2,3\n")
        (tree.build / "build.json").write_text('{"compiler": "cc"}\n')
        expect(tree.ends("suite two", "[1/", "results: results/").out == "", "it goes to standard error")
        manifest = tree.manifest()
        expect((manifest["manifest_version"], manifest["suite"], manifest["state"], manifest["exit_code"]) ==
               (1, "two", "finished", 0), manifest)
        expect(manifest["samples"] == {"version": 4, "columns": COLUMNS.split(",")}, manifest["samples"])
        expect(manifest["build"] == {"compiler": "cc"}, manifest["build"])
        expect(manifest["sections"] == [{"tag": "a", "title": 'First "one"'}, {"tag": "b", "title": "Second"}],
               manifest["sections"])
        expect(manifest["commit"] == "" and manifest["sources"], "the git state is unknown here, and that is said")
        expect(manifest["suite_text"].startswith("title Two"), manifest["suite_text"])
        expect(manifest["command"][1:] == ["suite", "two"], manifest["command"])
        expect(manifest["machine"]["throttling"] == "unsupported", "nor are there rows of it: all rows are counted above")
        expect(manifest["topology"]["processors"] >= 1 and manifest["machine"]["kernel"], manifest["machine"])
        expect(manifest["counters"]["papi"] and manifest["counters"]["hardware"], manifest["counters"])
        tags = {cell["params"].split(";")[0]: cell["tags"] for cell in manifest["cells"] if cell["deque"] == "steady"}
        expect(tags == {"batch=1": ["a"], "batch=2": ["a", "b"], "batch=3": ["b"]}, tags)
        stamps = {deque["id"]: deque["stamp"] for deque in manifest["deques"]}
        expect(stamps == {"steady": "passed", "reference": "not needed"}, stamps)
        expect(len(ends(tree.rows())) == 2 * 3 * 2, "a cell of two sections is measured once")


def test_the_order_of_deques_is_balanced():
    with Tree(*(f"steady{i}" for i in range(4)), "modal") as tree:
        tree.ends("run push --deque=steady0,steady1,steady2,steady3 --invocations=4")
        order = [[row["deque"] for row in ends(tree.rows(), invocation=str(i))] for i in range(4)]
        expect(all(len(set(place)) == 4 for place in zip(*order)), order)
        pairs = {(row[i], row[i + 1]) for row in order for i in range(3)}
        expect(len(pairs) == 12, order)
        tree.ends("run push --deque=steady0,modal --walk=full,skip --invocations=6 --name=odd")  # a mode is as another deque
        order = [[row["params"][-9:] for row in ends(tree.rows(tree.results / "odd"), invocation=str(i))] for i in range(6)]
        pairs = sorted((row[i], row[i + 1]) for row in order for i in range(2))
        expect(len(pairs) == 2 * len(set(pairs)) == 12, order)


# --- deques that misbehave

def test_a_crash_is_recorded_and_the_run_goes_on():
    with Tree("steady", "crashes", "crashes_once") as tree:
        tree.ends("run push --invocations=4", "signal 11", "left out: 2 invocations", "2 cells crashed or timed out", code=4)
        rows = tree.rows()
        expect(len(ends(rows, deque="steady", status="ok")) == 4, "steady is complete")
        expect(len(ends(rows, deque="crashes_once", status="ok")) == 3, "crashes_once goes on")
        crashed = [row for row in rows if row["deque"] == "crashes"]
        expect(len(ends(crashed, status="crashed")) == 2, "given up after two")
        expect(all(row["value"] == "" for row in ends(crashed)), "no value where there is none")
        expect(all(float(row["value"]) > 1e5 for row in crashed if row["metric"] == "peak_memory"), "not in bytes")
        expect(tree.manifest()["exit_code"] == 4, "the manifest says so")
        tree.ends("run push --invocations=4 --resume", "0 to come", "left out: 2 invocations", code=4)


def test_no_process_is_left_behind():
    with Tree("hangs", "wrong") as tree:
        mark, environment = marked()
        tree.ends("run push --timeout=0.3 --invocations=3", "did not end within 0.3 s", "waiting for a lock", code=4, env=environment)
        expect(len(ends(tree.rows(), status="timeout")) == 2, tree.samples())
        wait_for(lambda: not processes_with(mark), "the death of what hangs")


CPU = "sys/devices/system/cpu"
MACHINE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu tsc", "proc/sys/kernel/osrelease": "6.1.0",
    "proc/sys/kernel/version": "#1 Debian", "proc/meminfo": "MemTotal:  8388608 kB",
    "proc/self/status": "Cpus_allowed:\tf\nCpus_allowed_list:\t0-2,8", "proc/self/cgroup": "0::/user.slice/session.scope",
    "proc/stat": "cpu  100 0 50 800 30 1 2 17 0 0", "proc/7/stat": "7 (a (very) odd) name) R 1 7 7 0 -1 4194304 1 0 0 0 120 30 0 0",
    "sys/fs/cgroup/cgroup.controllers": "cpu", "sys/fs/cgroup/user.slice/cpu.max": "max 100000",
    "sys/fs/cgroup/user.slice/memory.max": "max", f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "performance", f"{CPU}/intel_pstate/no_turbo": "1", f"{CPU}/smt/active": "0",
    f"{CPU}/smt/control": "off", f"{CPU}/isolated": "", f"{CPU}/nohz_full": "",
    f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "0", f"{CPU}/cpu1/thermal_throttle/package_throttle_count": "0",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc"}


def put_machine(tree, **files):
    """The environment in which the driver reads these files below /, "" for none of that name."""
    root = tree.path / "machine"
    shutil.rmtree(root, ignore_errors=True)
    for path, content in {**MACHINE, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{content}\n")
    return {**os.environ, "STEALBENCH_SYSTEM_ROOT": str(root)}


def test_what_was_throttled_is_measured_again():
    for deque, attempts, flags in (("steady", 1, ""), ("heats_once", 2, ""), ("heats", 3, "throttled")):
        with Tree(deque) as tree:
            outcome = tree.ends("run push --invocations=1", env=put_machine(tree))
            expect(outcome.err.count("the processors were throttled 1 times") == attempts - 1, outcome)
            rows = {row["metric"]: row for row in tree.rows()}
            throttled = rows["throttle_events"]
            expect((throttled["value"], throttled["status"]) == ("1" if deque == "heats" else "0", "ok"), throttled)
            expect(len(ends(tree.rows())) == 1 and len(tree.rows()) == ROWS_AN_INVOCATION + 1, "one invocation, whole")
            expect({row["flags"] for row in tree.rows() if row["metric"] != "push_latency"} == {flags}, tree.samples())
            found = tree.manifest()["machine"]
            expect(found["throttling"] == "ok", found)


def test_an_invocation_during_which_the_processors_moved_is_measured_again():
    for deque, attempts, flags, distances in (("moves_once", 2, ["", "", ""], ["27.8", "28.8", "29.0"]),
                                              ("moves", 3, ["", "moved", ""], ["27.8", "", "105.0"])):
        with Tree(deque) as tree:
            outcome = tree.ends("run push --invocations=1")
            expect(outcome.err.count("its threads changed from 28 to 105 ns; it is measured again") == attempts - 1, outcome)
            rows = [row for row in tree.rows() if row["metric"] == "push_latency"]
            expect([row["flags"].replace("emulated", "").strip("+") for row in rows] == flags, rows)
            expect([row["distance"] for row in rows] == distances, rows)
            expect(len(tree.rows()) == ROWS_AN_INVOCATION, "nothing of the other attempts is left")


def test_nonsense_is_no_measurement():
    for deque, says in {"garbles": "printed a line that is no sample", "torn": "printed a line that is no sample",
                        "silent": "without a single sample", "wrong": "3 items are missing",
                        "floods": "wrote more than"}.items():
        with Tree(deque) as tree:
            said = tree.ends("run push --invocations=1", says, code=4).err
            rows = tree.rows()
            expect(len(ends(rows, status="crashed")) == 1 and "the first of seven" not in said, (said, rows))
            expect(not [row for row in rows if row["role"] == "owner"], f"{deque}: its samples are not to be used")


def test_what_cannot_be_done_here_has_no_value():
    with Tree("denied", "steady") as tree:
        tree.ends("run push --invocations=1", "only one processor", code=3)
        denied = [row for row in tree.rows() if row["status"] == "denied"]
        expect(len(denied) == 1 and denied[0]["value"] == "", denied)
    for deque, told in (("busy_once", ["ok"] * 3), ("busy", ["busy"])):
        with Tree(deque, "steady") as tree:
            tree.ends("run push --invocations=2", "the machine is busy; it is tried again at the end")
            rows = [row for row in tree.rows() if row["metric"] == "push_latency"]
            expect([(row["invocation"], row["status"]) for row in rows if row["deque"] == deque] ==
                   [(invocation, status) for invocation in "01" for status in told], rows)
            expect(rows[-1]["deque"] == deque, rows)
    with Tree("unsupported") as tree:
        tree.ends("run push --invocations=1")
        expect([row["value"] for row in tree.rows() if row["status"] == "unsupported"] == [""], tree.samples())


def test_a_deque_that_takes_all_memory_is_a_crash_with_its_reason():
    with Tree("steady", "hoards") as tree:
        tree.ends("run push --invocations=1 --memory-limit=100M", "held more than 95.37 MiB of memory (--memory-limit) and was killed",
                  code=4)
        expect(len(ends(tree.rows(), deque="hoards", status="crashed")) == 1, tree.samples())
        expect(len(ends(tree.rows(), deque="steady", status="ok")) == 1, "the run goes on")
        expect(tree.manifest()["memory_limit_bytes"] == 100000000, tree.manifest()["memory_limit_bytes"])
        tree.ends("run push --memory-limit=1k", "memory_limit", "16777216", code=2)
    with Tree("steady") as tree:
        tree.ends("run push --invocations=1", env=put_machine(tree))
        expect(tree.manifest()["memory_limit_bytes"] == 7 << 30, "seven eighths of the machine's, unless told otherwise")


def test_busy_processors_are_said_once():
    spinner = subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"])
    try:
        with Tree("steady") as tree:
            said = tree.ends("run push --invocations=2", "times will drift", env={**os.environ, "STEALBENCH_SYSTEM_ROOT": ""}).err
            expect(said.count("busy: others use") == 1, said)
            expect(tree.manifest()["machine"]["others_at_start"] > 0.3, "plots name it, and no load of before")
            quiet = tree.run("run push --invocations=1 --quiet")
            expect(quiet.out + quiet.err == "", quiet)
    finally:
        spinner.kill()
        spinner.wait()


def test_a_deque_that_does_not_describe_itself():
    with Tree("steady", "broken", "liar") as tree:
        tree.ends("run push --deque=liar", "calls itself truth", code=3)
        tree.ends("run push --deque=broken", "exit code 7", code=3)
        tree.add("deques/visit", "steady", "broken", "never_answers")
        tree.ends("run push --invocations=1", "left out: ", "visit/never_answers: its --describe did not end within 2 s")
        expect({row["deque"] for row in tree.rows()} == {"steady"}, "only what describes itself is measured")


# --- stopped and taken up again

def begun(tree, words, **options):
    """A driver whose run has begun."""
    process = tree.start(words, **options)
    wait_for(lambda: tree.runs() and (tree.runs()[0] / "manifest.json").exists(), "the run")
    return process


def killed_after(tree, lines):
    """The name of a copy of the run `whole` as it was when samples.csv had so many lines and a torn one."""
    copy = tree.results / f"killed{lines}"
    shutil.copytree(tree.results / "whole", copy)
    (copy / "samples.csv").write_text("".join(tree.samples(copy).splitlines(keepends=True)[:lines]) + "0123,push,slow,ba")
    return copy.name


def test_a_run_that_is_killed_anywhere_ends_as_the_whole_one():
    for deques, code in ("steady,crashes,crashes_once,busy", 4), ("steady,denied,unsupported", 3):
        words = f"run push --deque={deques} --invocations=3 --quiet"
        with Tree(*deques.split(",")) as tree:
            tree.ends(f"{words} --name=whole", code=code)
            lines = tree.samples().splitlines()
            for end in [i for i, line in enumerate(lines) if ",invocation_time," in line][::3]:
                killed = tree.results / killed_after(tree, end + 2)  # while it wrote the next
                tree.ends(f"{words} --resume={killed.name}", code=code)
                resumed = tree.samples(killed).splitlines()
                expect(resumed[:end + 1] == lines[:end + 1], "what was finished is as it was")
                due, got = ([re.sub("(,process,.*),[0-9.]+,", r"\1,", row) for row in rows] for rows in (lines, resumed))  # without costs
                expect(got == due, (killed.name, got))
                after, first = (tree.manifest(run) for run in (killed, tree.results / "whole"))
                expect(after["resumed"] and (after["start"], after["state"]) == (first["start"], "finished"), after)


def test_a_cell_is_measured_until_it_is_precise():
    """The fake's values are 2.0, 2.1, 2.2 and so on, invocation by invocation: six reach 11 %."""
    with Tree(*(deques := ("steady", "unsupported", "crashes_once", "crashes_late"))) as tree:
        for words, says, run, counts in [  # six values each, if it is not given up
                ("all --precision=20% --name=wide", "4 cells, 24 to 240 invocations until each is precise, ", "wide", [6, 6, 7, 3]),
                ("steady --precision=1 --invocations=9 --name=fine", "less precise than asked for: 1 of 1 cell;", "fine", [9, 0, 0, 0]),
                ("steady --precision=20 --resume=fine", "", "fine", [9, 0, 0, 0]),  # it is precise enough
                ("steady --precision=1 --invocations=12 --resume=wide", "", "wide", [12, 6, 7, 3])]:  # which knows its values
            outcome = tree.ends(f"run push --deque={words}", says, code=4 if "all" in words else 0)
            expect(("less precise" in outcome.err) == says.startswith("less") or "resume" in words, outcome)
            rows = tree.rows(tree.results / run)
            expect([len(ends(rows, deque=deque)) for deque in deques] == counts, (words, rows))
        tree.ends("run push --deque=steady --precision=80", "50", code=2)


def test_a_time_goes_where_intervals_are_wide():
    """First six invocations of each cell, then more of the group with a wide interval, both of its deques in turn."""
    with Tree("steady", "steady2", "quiet") as tree:
        tree.suite("two", "within 1h\nprecision 5%\ninvocations 30\n[a] A\nsteal deque=quiet\n[b] B\nwork 30\npush deque=steady,steady2\n")

        def order(run):
            return [(row["deque"], int(row["invocation"])) for row in ends(tree.rows(tree.results / run))]

        tree.ends("suite two --dry-run", "within 60 min: 6 invocations of each cell, about 18 min; what is left goes where "
                  "intervals are widest\n", "18 invocations or more, 18 to 60 min")
        tree.ends("suite two --split=1", "\t3\t18\n")  # 3 cells in parts have 6 invocations each
        tree.ends("suite two --name=whole")
        whole_run = order("whole")
        expect({cell["precision"] for cell in tree.manifest(tree.results / "whole")["cells"]} == {5}, "the manifest")
        expect(sorted(whole_run) == [(deque, i) for deque, count in (("quiet", 6), ("steady", 24), ("steady2", 24)) for i in range(count)],
               whole_run)
        expect(all({deque for deque, i in whole_run[at:at + 2]} == {"steady", "steady2"} for at in range(18, 54, 2)), whole_run)
        for kept in 17, 49:  # in the first stage, and between two deques of a group
            killed = killed_after(tree, 1 + kept * ROWS_AN_INVOCATION)
            tree.ends(f"suite two --resume={killed}")
            expect(order(killed) == whole_run, order(killed))
        tree.ends("suite two --invocations=1 --name=late")
        path = tree.results / "late" / "samples.csv"  # as if an invocation of a took 100 s, of b 1000 s: 10 of b are too many
        path.write_text("".join(re.sub(r"invocation_time,[^,]*", f"invocation_time,{100 if ',quiet,' in line else 1000}", line)
                                for line in path.read_text().splitlines(keepends=True)))
        said = tree.ends("suite two --within=12000s --resume=late").err
        expect(said.count("no time is left for b") == 1 and
               sorted(order("late")) == [("quiet", i) for i in range(6)] + [("steady", 0), ("steady2", 0)], (said, order("late")))
        tree.suite("slow", "within 1s\ninvocations 9\n[a] A\npush deque=slow\n")
        tree.add("deques/latency", "slow")
        tree.ends("suite slow --name=slow")
        expect(1 <= len(order("slow")) <= 5, "a second is enough for five invocations at most")


def test_a_killed_driver_leaves_no_process_behind():
    with Tree("stuck") as tree:
        mark, environment = marked()
        process = begun(tree, "run push", env=environment)
        wait_for(lambda: len(processes_with(mark)) == 2, "driver and deque")
        time.sleep(0.3)
        process.kill()
        process.communicate(timeout=20)
        wait_for(lambda: not processes_with(mark), "the death of the killed driver's child", seconds=5)


def test_control_c_keeps_what_is_finished():
    words = "run push --deque=slow --invocations=6"
    with Tree("slow") as tree:
        process = begun(tree, words)
        wait_for(lambda: len(ends(tree.rows())) >= 3, "some invocations")
        process.send_signal(signal.SIGINT)
        ended(Outcome(process.wait(20), *process.communicate()), 130, "--resume=")
        before = tree.samples()
        expect(whole(before) and tree.manifest()["state"] == "interrupted", before)
        tree.ends(f"{words} --resume")
        expect(tree.samples().startswith(before) and len(ends(tree.rows())) == 6, tree.samples())


def test_what_was_ignored_stays_ignored():
    """Under nohup, or in the background of a shell without job control, SIGINT must be ignored."""
    with Tree("slow") as tree:
        process = begun(tree, "run push --invocations=3", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        expect(process.returncode == 0 and len(ends(tree.rows())) == 3, tree.samples())


def program(name, *arguments):
    """A program of plots/, as a user runs it."""
    done = subprocess.run(["/usr/bin/python3", "-m", name, *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=60, cwd=ROOT, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"})
    expect("Traceback" not in done.stderr, done.stderr)
    return Outcome(done.returncode, done.stdout, done.stderr)


def any_paths(tree):
    """Folders below the tree with names of every kind, and one whose path is as long as the system takes."""
    names = [b"a b", b"a,b", b"a;b=c", b"50%", b"per%cent%2C", b"new\nline", b"\xff\xfe", "\u00e4 #".encode(), b"'\"\\$&*",
             b"counters=caches;"]
    paths = [os.path.join(os.fsencode(tree.path), name) for name in names]
    long = os.path.join(os.fsencode(tree.path), b"long")
    while len(long) < 4095 - 202:
        long += b"/" + b"x" * 200
    paths.append(long + b"/" + b"y" * (4095 - len(long) - 1))
    for path in paths:
        os.makedirs(path)
    return paths


def as_value(path):
    """Escapes only characters that have another meaning on the command line."""
    return path.replace(b"%", b"%25").replace(b",", b"%2C")


def test_a_path_may_hold_anything():
    def read(params):
        return unquote_to_bytes(params.split(";")[0].removeprefix("path="))

    with Tree("steady") as tree:
        paths = any_paths(tree)
        words = ["run", "visit", b"--path=" + b",".join(map(as_value, paths)), "--invocations=2"]
        tree.ends([*words, "--name=paths"])
        rows = tree.rows()
        expect({read(row["params"]) for row in rows} == set(paths), rows)
        expect({read(cell["params"]) for cell in tree.manifest()["cells"]} == set(paths), "the manifest")
        expect(all(row["params"].isascii() for row in rows), rows)
        tree.ends([*words, "--resume=paths"], f"{2 * len(paths)} invocations kept, 0 to come")
        # what stands in params can be given again, on the command line and in a suite
        again = {row["params"].split(";")[0] for row in rows}
        tree.ends(["run", "visit", "--" + min(again), "--invocations=2", "--resume=paths"], "2 invocations kept, 0 to come")
        expect(len(tree.manifest()["cells"]) == len(paths), "the other cells are carried on")
        tree.suite("paths", "invocations 1\n[a] A\n" + "".join(f"visit {params}\n" for params in again))
        tree.ends("suite paths")
        ended(program("plots.draw", tree.results / "paths"), 0, "a b")
        summary = list(csv.DictReader(io.StringIO((tree.results / "paths" / "summary.csv").read_text())))
        expect({read(row["params"]) for row in summary} == set(paths), summary)
        tree.ends("run visit --path=50%", "% itself is %25", code=2)


def built_for(tree, words):
    """What a run asks the build for, beside descriptions."""
    for name in ("configure.py", "packages.sh", "python.sh"):
        tree.script(f"setup/{name}", f'[ {name} != configure.py ] || echo "$*" >> built')
    built = tree.path / "built"
    built.unlink(missing_ok=True)
    tree.ends(f"--whole {words} --quiet")
    lines = [line.removeprefix("--leave-out --quiet ") for line in built.read_text().splitlines()] if built.exists() else []
    return [line.replace("build/", "") for line in lines if "described" not in line]


def test_only_what_the_cells_need_is_built():
    with Tree("steady", "reference") as tree:
        tree.suite("two", "invocations 1\n[a] A\nfight deque=steady item=8\n[b] B\nfight deque=steady,reference item=4\n")
        tree.describe("steady", "reference")
        for words, due in [("push --deque=steady", ["deques/latency/steady checks/steady lab/steady deques/latency.1/steady"]),
                           ("push --deque=reference --method=published --variants=1", ["deques/latency/reference google checks/reference"]),
                           ("fight --deque=steady --item 4 --variants=1", ["deques/items4/steady checks/steady lab/steady"]),
                           ("push --dry-run", [])]:
            before = len(tree.runs())
            expect((built := built_for(tree, f"run {words} --invocations=1")) == due, (words, built))
            expect(len(tree.runs()) == before + ("dry" not in words), words)
        tree.ends("--whole run psuh", "no such workload: psuh; did you mean push?", code=2)
        tree.ends("--whole suite two --only=d", "no such section", code=2)
        expect("build/deques/" not in (tree.path / "built").read_text(), "a refused run builds")


def test_all_tests_begin_with_their_packages():
    with Tree() as tree:
        for name in ("setup/packages.sh", "tests/run.sh"):
            tree.script(name, f'echo {name} "$@"')
        for more in "", " --all":
            said = tree.ends(f"--whole check{more}").out.splitlines()
            expect(said == ["setup/packages.sh --need build pages check -- optional", f"tests/run.sh{more}"], said)


def test_how_long_it_takes_is_estimated_and_remembered():
    with Tree("steady") as tree:
        tree.suite("two", "invocations 3\nrepetitions 2\n[a] A\nwork 50\npush batch=1,2\n[b] B\nwork 5*batch\npush batch=4\n"
                   "[c] C\nwork 4\nsort threads=4\n")

        def said(*more):
            return tree.ends(["suite", "two", "--dry-run", *more]).out

        other = "--topology=pack:1 core:2 pu:1"  # where two threads share the work of four
        for time in "a\tpush steady\t3 x 100 s", "b\tpush steady batch=4\t3 x 40 s", "c\tsort steady threads=4\t3 x 4.03 s":
            expect(time in said(other), said(other))
        expect("two: 4 cells, 12 invocations, about 12 min (0 measured here before" in said(), said())
        expect(tree.runs() == [], "a dry run leaves a run")
        tree.ends("suite two", "about 12 min")
        kept, samples = tree.results / ".durations", tree.only_run() / "samples.csv"
        tree.add("deques/latency", "steady2")  # takes as long as the other of its group
        expect("(4 measured here before" in said() and " min" not in said(), said())
        expect(all("(0 measured here before" in said(more) for more in (other, "--minimum-time=1")), "of another machine and time")

        def remember(seconds):
            kept.write_text(json.dumps(dict.fromkeys(json.loads(kept.read_text()), seconds)))

        remember(1)  # but this run's own times are better
        samples.write_text(re.sub("invocation_time,[^,]*", "invocation_time,100", samples.read_text()))
        tree.ends("suite two --resume --invocations=4", "12 invocations kept, 20 to come, about 33 min")
        # by precision it takes six invocations a cell at least, and what is asked for at most
        tree.suite("two", "precision 2%\ninvocations 10\nrepetitions 2\n[a] A\npush batch=1,2\n[b] B\ninvocations 4\npush batch=4\n")
        remember(100)
        expect("6 cells, 32 to 48 invocations until each is precise, 53 to 80 min" in said(), said())


def test_nothing_finished_is_overwritten():
    with Tree("steady") as tree:
        tree.suite("one", "invocations 2\n[a] A\npush\n")
        tree.ends("suite one --name=mine")
        before = tree.samples()
        tree.ends("suite one --name=mine", "mine exists already", "--resume=mine", code=2)
        tree.ends("suite one --name=mine --resume --invocations=1", "1 invocation kept, 0 to come")
        expect(tree.samples() == before, tree.samples())
        tree.ends("suite one --resume", "results: results/mine")
        for _ in range(2):
            tree.ends("run push --invocations=1")
        expect(len(tree.runs()) == 3, "every run has a folder of its own")


def test_what_a_suite_calls_optional_may_be_absent():
    with Tree("steady") as tree:
        tree.suite("some", "invocations 1\noptional other,another\n[a] A\npush deque=steady,other\npush deque=another\n")
        tree.ends("suite some", "left out: other is not built here: the suite calls it optional", "left out: another is not built here: ")
        expect({row["deque"] for row in tree.rows()} == {"steady"}, tree.rows())
        tree.ends("suite some --deque=other", "no such deque: other", code=2)
        tree.suite("misspelt", "invocations 1\noptional other\n[a] A\npush deque=steady,othre\n")
        tree.ends("suite misspelt", "misspelt.suite:4: no such deque: othre", code=2)
        tree.ends("suite misspelt --deque=steady")  # which need not have built the others


def test_histograms_have_a_file_of_their_own():
    with Tree("distributes", "steady") as tree:
        tree.ends("run push --deque=steady --name=without")
        expect(not (tree.results / "without" / "histograms.csv").exists(), "made without a histogram")
    with Tree("distributes") as tree:
        tree.ends("run push --invocations=2")
        cell = tree.manifest()["cells"][0]["cell"]
        lines = (tree.only_run() / "histograms.csv").read_text().splitlines()[1:]
        expect(lines == [f"{cell},thief,{i},0,steal_latency,{bucket},ns" for i in (0, 1)
                         for bucket in ("10,12,3", f"20.5,30,{i + 1}")], lines)
        expect(tree.manifest()["histograms"]["version"] == 1, tree.manifest()["histograms"])
        path = tree.only_run() / "histograms.csv"
        whole_file = path.read_text()
        path.write_text(whole_file + whole_file.splitlines(True)[-1].replace(",thief,1,", ",thief,2,"))  # killed before its samples
        tree.ends("run push --invocations=2 --resume", "0 to come")
        expect(path.read_text() == whole_file, path.read_text())


def test_another_build_is_measured_anew():
    words = "run push --invocations=2"
    with Tree("steady1", "steady2") as tree:
        tree.ends(words)
        before = tree.samples()
        tree.add("deques/latency", "steady2", change="\n# another build\n")
        tree.ends(f"{words} --resume", "have changed: 1 cell", "checking steady2")
        expect(tree.samples().startswith(before) and len(ends(tree.rows())) == 6, tree.samples())
        current = {cell["cell"] for cell in tree.manifest()["cells"]}
        expect(len({row["cell"] for row in tree.rows()} - current) == 1, "the old build's rows are not planned any more")
        expect("have changed" not in tree.ends(f"{words} --resume").err, "it is said again")


def test_parts_are_as_few_and_as_long_as_asked():
    """Groups of two cells that take 16, 32, 48, 64, 80, 96 s stay together."""
    with Tree("steady1", "steady2") as tree:
        tree.suite("six", "invocations 8\nrepetitions 1\n" + "".join(f"[s{i}]\nwork {i}\npush batch={i}\n" for i in range(1, 7)))
        for wish, parts, longest in [("1", 1, 336), ("3", 3, 112), ("6", 6, 96), ("9", 6, 96), ("2000s", 1, 336), ("334s", 2, 176),
                                     ("5.6m", 2, 176), ("113s", 3, 112), ("100s", 4, 96), ("1s", 4, 96), ("1.5h", 1, 336)]:
            lines = [line.split("\t") for line in tree.ends(f"suite six --split={wish}").out.splitlines()]
            expect(len(lines) == parts and abs(max(float(line[2]) for line in lines) - longest) < 4, (wish, lines))
            expect(sum(int(line[3]) for line in lines) == 12 and not any(int(line[3]) % 2 for line in lines), (wish, lines))
        tree.ends("suite six --dry-run --within=60s", "about 37 s; ", "left out: s3 s4 s5 s6, 8 cells")  # six invocations of the first


def test_a_run_in_parts():
    with Tree("steady") as tree:
        tree.suite("two", "invocations 2\n[a] A\npush batch=1,2\n")
        split = tree.ends("suite two --split=2").out.splitlines()
        expect([line.split("\t")[:2] + line.split("\t")[3:] for line in split] == [["part", str(i), "1", "2"] for i in (1, 2)], split)
        expect(not tree.runs(), "--split measures")
        part = "suite two --name=r --part="
        tree.ends(f"{part}1/2")
        for words, code, says in [
                (f"{part}1/2", 0, "2 invocations kept, 0 to come"), (f"{part}2/2 --invocations=3", 2, "divided for other cells"),
                (f"{part}1/3", 2, "make 2 parts at most"), ("suite two --part=1/2", 2, "--part needs --name"),
                *((part + wrong, 2, "expected I/N") for wrong in "0/3 4/3 1 1/ /3 1/3x 1/100000 a/b".split()),
                *((f"suite two --name=r --split={wrong}", 2, "a number of parts") for wrong in "0 1.5 m 0.1s -3 3_m 99999999".split())]:
            tree.ends(words, says, code=code)
        ended(program("harness.cluster.merge", tree.only_run()), 3, "missing: part 2: 2 invocations of 1 cell after 0 attempts")
        tree.ends(f"{part}2/2")
        ended(program("harness.cluster.merge", tree.only_run()), 0)
        expect(sorted((row["params"][:7], row["invocation"]) for row in ends(tree.rows())) ==
               [(f"batch={batch}", str(i)) for batch in (1, 2) for i in (0, 1)], tree.samples())
        tree.ends(f"{part}1/2 --repeat=2")
        expect(len(ends(tree.rows(tree.only_run() / "parts/1/repeat-2/attempt-1"))) == 2, "a repeat measures all")


def test_a_run_of_other_conditions_is_taken_up_on_request_only():
    with Tree("steady") as tree:
        (tree.build / "build.json").write_text('{"compiler": "cc", "version": "1.0", "flags": "-O2", "cppflags": ""}\n')
        tree.ends("run push --invocations=1 --name=mine")
        path, resume = tree.only_run() / "manifest.json", "run push --invocations=2 --resume=mine"
        machine, original = tree.manifest()["machine"], path.read_text()

        def stays(manifest, words, *says):
            path.write_text(manifest)
            before = tree.samples()
            tree.ends(words, *says, code=2)
            expect((path.read_text(), tree.samples()) == (manifest, before), f"{says}: the run was touched")

        for what, name, value in [("processor", "cpu", machine["cpu"]), ("kernel", "kernel", machine["kernel"]),
                                  ("compiler", "compiler", "cc"), ("compiler's version", "version", "1.0"),
                                  ("flags", "flags", "-O2"), ("preprocessor's flags", "cppflags", "")]:
            stays(original.replace(f'"{name}": "{value}"', f'"{name}": "quite another"', 1), resume, f"mine cannot be resumed: it was "
                  f'measured with another {what}: "quite another", here it is "{value}"', "--anyway")
        tree.ends(f"{resume} --anyway", "1 invocation kept, 1 to come")
        for more in "", " --anyway":
            stays(original.replace('"manifest_version": 1', '"manifest_version": 7'), resume + more, "manifest.json is not of version 1")
        path.unlink()
        tree.ends(resume)


def test_two_drivers_do_not_write_to_one_run():
    with Tree("slow") as tree:
        first = begun(tree, "run push --name=shared --invocations=8")
        tree.ends("run push --resume=shared", "another stealbench is writing", code=2)
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=20)
        expect(first.returncode == 130, first.returncode)


def test_there_is_nothing_to_resume():
    with Tree("steady") as tree:
        (tree.results / "papers").mkdir(parents=True)
        tree.ends("run push --name=mine --invocations=1")
        for words, says in [("run steal --resume", "no run of run-steal"), ("run push --resume=nothing", "no such run"),
                            ("run push --resume=papers", "has no samples.csv"),
                            ("run steal --resume=mine", "mine is a run of run-push, not of run-steal")]:
            tree.ends(words, says, code=2)
        expect(not any((tree.results / "papers").iterdir()), "a folder that is no run is left alone")
        head, *rows = tree.samples(tree.results / "mine").splitlines(True)
        for lines, says in [(["cells,", *rows], "its first line is not that of a samples.csv of version 4"),
                            ([head, "no row\n", *rows], "its line 2 is no row")]:
            (tree.results / "mine/samples.csv").write_text("".join(lines))
            tree.ends("run push --resume=mine", says, code=4)


# --- results that cannot be written

def test_a_full_disk_keeps_what_is_finished():
    words, limit = "run push --batch=1,2,4,8,16,32 --invocations=9", 16384
    with Tree("steady") as tree:
        tree.ends(f"{words} --name=mine", "cannot write to", "File too large", "--resume=mine", code=4,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        before = tree.samples()
        expect(0 < len(before) <= limit and whole(before), "what is there is whole")
        tree.ends(f"{words} --resume=mine")
        expect(tree.samples().startswith(before) and len(ends(tree.rows())) == 54, "the rest is measured later")


# --- refused before anything runs

def refused(tree, words, *says, code=2):
    outcome = tree.ends(words, *says, code=code)
    expect(not tree.runs(), f"{words} left a run behind")
    expect(outcome.out == "", outcome)


MANY = ",".join(map(str, range(1, 200)))
REFUSED = [  # (words, what is said); verbs.sh has more names
    ("run push --invocation=1", "invocations"), ("run push --wallk=full", "walk"), ("suite quick --quite", "quiet"),
    ("suite quick --only=b", "no such section"), ("suite quick --deque=steady2", "suite: no such deque: steady2; did you mean steady?"),
    ("check --check=stres", "stress"), ("doctor --quiet", "no such"), ("check all", "no such deque: all; there are "),
    ("run push --deque=steady --walk=full --dry-run", "walk is a setting of modal"), ("", "a verb is missing"),
    ("run", "needs one workload"), ("suite quick smoke", "needs one suite"),
    *((["run", "push", f"--batch={value}"], "expected a whole number from 1 to 1048576 items")
      for value in ["0", "-1", "1048577", "2G", "12x", "1.5", " 1", "+1", "0x10", "18446744073709551615G"]),
    ("run visit --path=" + "a" * 4096, "1 to 4095 characters"), ("run push --minimum-time=0", "minimum_time"),
    ("run push --timeout=inf", "timeout"), ("run push --repetitions=1001", "1 to 1000"), ("check --seconds=0", "seconds"),
    *((f"run push --walk={value}", "expected one of full|skip") for value in "half ful fullx full|skip".split()),
    *((f"run push --placement={value}", "processors joined by +")
      for value in "nowhere 99999 0+ +0 0++1 compactt -1 0-3 compact,nowhere".split()),
    (f"run push --batch={MANY} --seed={MANY}", "more than 20000 cells"),
    *((words, "need") for words in ("run push --batch=", "run push --batch", "run push --deque=", "run push --batch=1,,2",
                                    "run push --batch=1,", "run push --deque=,", "suite quick --only=", "suite quick --name=")),
    ("run push --name=../mine", "cannot name a run"), ("run push --batch=1 --batch=2", "given twice"),
    ("run push --deque=reference", "nothing to measure")]


def test_what_is_refused_before_anything_runs():
    with Tree("steady", "modal") as tree:
        tree.describe("steady", "modal")
        tree.suite("quick", "[a] A\npush\n")
        for words, says in REFUSED:
            refused(tree, words, says)
    with Tree() as tree:
        refused(tree, "run push", "build them by `make`", code=3)


def test_a_refused_input_ends_a_run_and_leaves_nothing():
    with Tree("refuses", "steady") as tree:
        tree.ends("run push --deque=refuses", "graph.txt:3: no such node", code=2)
        expect(not list(tree.results.iterdir()), "something was left behind")
        tree.ends("run push --deque=steady,refuses --invocations=2 --name=half", code=2)
        half = tree.results / "half"
        expect(not half.exists() or all(row["deque"] == "steady" for row in tree.rows(half)), "the refused one left rows")
    # A suite goes on: a line that fails does not affect the others.
    with Tree("steady", "refuses", "crashes") as tree:
        tree.suite("refused", "[a] A\npush deque=steady,refuses\n")
        tree.ends("suite refused --invocations=4 --name=bad", "left out: its other 3 invocations", "1 cell had bad input", code=2)
        tree.ends("suite refused --invocations=4 --resume=bad", "1 cell had bad input", code=2)
        expect(len(ends(tree.rows(), deque="steady", status="ok")) == 4, "steady is complete")
        expect(len(ends(tree.rows(), deque="refuses", status="refused")) == 1, "it was tried again")
        tree.suite("both", "[a] A\npush deque=refuses,crashes\n")
        expect("its other" not in tree.ends("suite both --invocations=1", code=4).err, "nothing else is left out")


def test_a_suite_says_where_it_is_wrong():
    with Tree("steady") as tree:
        tree.describe("steady")
        for text, line, says in [
                ("[a] A\n\npush batch=0 # none\n", 3, "1 to 1048576"), ("[a] A\npush bach=1\n", 2, "batch"),
                ("[a] A\npsuh\n", 2, "did you mean push?"), ("[a] A\npush deque=stedy\n", 2, "steady"),
                ("[a]\npush =1\n", 2, "expected name=value"), ("push\n", 1, "push: a [tag] line comes before"),
                ("[a] A\n[a] B\n", 2, "[a] is there twice"), ("[a\n", 1, "no closing bracket"), ("[.a]\n", 1, "a tag has letters"),
                ("[a b] A\npush\n", 1, "[a b]: a tag has letters"), ("[a]\n5.2 x=1\n", 2, "a line begins with a workload"),
                ("[a]\ntimeouts x=1\n", 2, "no such workload: timeouts"), ("[a] A\npush batch\n", 2, "batch: expected name=value"),
                ("[a] A\npush batch=1 batch=2\n", 2, "batch is given twice"), ("[a] A\npush batch=,\n", 2, "batch= needs at least one"),
                ("invocations 0\n", 1, "1 to 100000"), ("precision two\n", 1, "precision=two"), ("precision 60%\n", 1, "precision=60"),
                ("[a]\ninvocations\npush\n", 2, "invocations="), ("[a]\nneeds much\n", 2, "needs=much"),
                ("optional a, b\n", 1, "optional a, b: expected names"), ("optional\n", 1, "optional= needs at least one value"),
                ("work x\n", 1, "expected seconds"), ("[a]\ncounted\ncounted\n", 3, "counted appears twice"),
                *((f"[a]\npush batch={values}\n", 2, "expected three numbers before `...`") for values in (
                    "1,2,4,...", "1,2,...,64", "...,64", "1,1,1,...,64", "4,2,1,...,64", "1,3,4,...,64"))]:
            tree.suite("wrong", text)
            refused(tree, "suite wrong", f"wrong.suite:{line}: ", says)
        tree.suite("wrong", "")
        refused(tree, "suite wrong", "there is no [tag] section")
        refused(tree, "suite ./nowhere.suite", "no such file")


def planned(tree, text, *words):
    """[(tag, cell, most invocations)] of a suite with this text."""
    tree.suite("s", text)
    lines = tree.ends(["suite", "s", "--dry-run", *words]).out.splitlines()[:-1]
    return [(tag, name, int(times.split(" x ")[0].split()[-1])) for tag, name, times, _ in (line.split("\t") for line in lines)]


def test_a_line_means_every_combination():
    with Tree(*(deques := ("steady", "modal", "reference", "aside", "published/wrong"))) as tree:
        tree.describe(*deques)
        four = "--topology=pack:1 core:4 pu:1"
        for lines, count in [
                ("push", 3), ("push batch=1,2,4 method=corrected,published", 18), ("push deque=sound batch=1,2", 4),
                ("push deque=reference,reference", 1), ("push deque=all,unsound", 3), ("push deque=classic", 1),
                ("push deque=all,aside", 4), ("push walk=full,skip", 4), ("push deque=modal batch=1,2 walk=full,skip", 4),
                ("push deque=steady batch=1,1\npush deque=steady batch=01", 1),  # equal cells are measured once
                ("push deque=steady\n[b]\npush deque=steady batch=1,2", 2),
                ("push deque=steady\n[b]\nminimum_time 1\npush deque=steady", 2),
                ("sort deque=steady threads=1,1000", 2), ("sort deque=steady threads=all,4", 1),
                ("sort deque=steady threads=1,2,4,...,all", 3), ("push deque=steady placement=compact,siblings,scatter", 1)]:
            cells = planned(tree, f"[a]\n{lines}\n", four)
            expect(len(cells) == count, (lines, cells))
        many = planned(tree, "".join(f"[s{i}]\npush deque=steady batch={i + 1}\n" for i in range(99)))
        expect([tag for tag, _, _ in many] == [f"s{i}" for i in range(99)], many)
        there = ["5.2", "5.2-fig3", "5.2-fig4", "5.20"]
        tree.suite("tags", "".join(f"[{tag}]\npush deque=steady batch={i + 1}\n" for i, tag in enumerate(there)))
        for asked, tags in [("5.2", there[:3]), ("5.2-fig3", ["5.2-fig3"]), ("5.20", ["5.20"]), ("5", None), ("5.2-", None)]:
            done = tree.run(f"suite tags --only={asked} --dry-run")
            expect([line.split("\t")[0] for line in done.out.splitlines()[:-1]] == (tags or []) and done.code == (0 if tags else 2), done)


def test_values_have_one_spelling_and_lists_go_on_as_they_began():
    with Tree("steady") as tree:
        tree.describe("steady")
        for values, processors, meant in [
                ("push batch=0128,1k,1M", 2, "128,1000,1000000"), ("push batch=1,2,4,...,64", 2, "1,2,4,8,16,32,64"),
                ("push batch=10,20,30,...,60", 2, "10,20,30,40,50,60"), ("push batch=64,256,1024,...,16384", 2, "64,256,1024,4096,16384"),
                ("push batch=1,4,8,16,...,64", 2, "1,4,8,16,32,64"), ("sort threads=1,2,4,...,all", 2, "1,2"),
                ("sort threads=1,2,4,...,all", 6, "1,2,4,6"), ("sort threads=1,2,4,...,all", 128, "1,2,4,8,16,32,64,128"),
                ("sort threads=2,16,all", 8, "2,8"), ("fight thieves=1,3,7,...", 128, "1,3,7,15,31,63,127"),
                ("fight thieves=1,3,7,...,31", 128, "1,3,7,15,31"), ("fight thieves=1,3,7,...,31", 16, "1,3,7,15"),
                ("sort threads=2,16", 8, "2,16"), ("fight thieves=1,3,7,...,31", 2, "1"), ("fight thieves=1,3,7,...,31", 1, "1")]:
            cells = planned(tree, f"[a]\n{values} deque=steady\n", f"--topology=pack:1 core:{processors} pu:1")
            expect(",".join(name.split("=")[1] if "=" in name else "1" for _, name, _ in cells) == meant, (values, processors, cells))


def test_places_on_machines_that_are_not_here():
    """Two sockets numbered in turn, two Xeon 8358, two EPYC 9654 with one and with four nodes a socket."""
    turn, xeon = "package:2 [numa] core:4 pu:1(indexes=0,2,4,6,1,3,5,7)", "package:2 [numa] core:32 pu:2(indexes=2*64:64*1)"
    epyc, nps4 = (f"package:2 {nodes} core:8 pu:2(indexes=2*192:192*1)" for nodes in ("[numa] l3:12", "group:4 [numa] l3:3"))
    with Tree("steady") as tree:
        tree.describe("steady")
        for placement, threads, machine, due in [
                ("compact", 5, turn, "5 on 0,2,4,6,1"), ("compact", 9, turn, "9 on 0,2,4,6,1,3,5,7,0 oversubscribed"),
                *(("compact", n, xeon, due) for n, due in [(1, "1 on 0"), (32, "32 on 0-31"), (64, "64 on 0-63"), (128, "128 on 0-127")]),
                ("siblings", 64, xeon, "64 on " + ",".join(f"{core},{core + 64}" for core in range(32))),
                ("siblings", 4, xeon, "4 on 0,64,1,65"), ("scatter", 2, xeon, "2 on 0,32"), ("scatter", 4, xeon, "4 on 0,16,32,48"),
                ("5+0", 2, turn, "2 on 5,0"), ("none", 3, xeon, "3 on any"), ("siblings", 3, epyc, "3 on 0,192,1"),
                ("compact", 194, nps4, "194 on 0-193"), ("scatter", 8, nps4, "8 on 0,24,48,72,96,120,144,168"),
                ("cross-socket", 3, epyc, "3 on 0,96-97"), ("same-core", 2, epyc, "2 on 0,192"),
                ("same-core", 2, turn, "an owner and 1 thief, "), ("same-core", 3, xeon, "2 sockets, 64 cores, 128 processors (0-127)"),
                ("same-socket", 64, xeon, "an owner and 63 thieves, but this placement has room for 62 here"),
                ("cross-socket", 66, xeon, "room for 64 here"), ("same-socket", 2, "package:2 core:1 pu:2", "room for 0 here"),
                ("cross-socket", 2, "package:1 core:2 pu:1", "1 socket, 2 cores, 2 processors (0-1)"),
                *((f"cross-socket memory={memory}", 2, turn, f"2 on 0-1 memory {node}") for memory, node in (("owner", 0), ("thief", 1))),
                ("same-socket memory=thief", 2, turn, "2 on 0,2 memory 0"), ("none memory=owner", 2, xeon, "2 on any memory any"),
                ("same-socket memory=interleaved", 30, nps4, "memory 0+1+2+3+4+5+6+7"), ("0+30 memory=thief", 2, nps4, "memory 1"),
                ("none memory=thief", 2, xeon, "memory=thief: "), ("compact memory=thief", 1, xeon, "this cell has no thief")]:
            workload = f"fight thieves={threads - 1}" if "memory" in placement else f"sort threads={threads}"
            tree.suite("places", f"[a]\n{workload} placement={placement}\n")
            tree.ends(["suite", "places", "--dry-run", f"--topology={machine}"], due)


def test_sections_options_and_what_is_taken():
    with Tree("steady") as tree:
        expect(planned(tree, "# why\ninvocations 7\n[fig6] F \r\n  push deque=steady batch=1,2 # the paper's\r\ninvocations 3\n"
                       "[p]\nsteal deque=steady\n") ==
               [("fig6", "push steady", 3), ("fig6", "push steady batch=2", 3), ("p", "steal steady", 7)], "a suite")
        tree.suite("twice", "[a]\nprecision 20%\ninvocations 2\npush deque=steady\n[b]\ninvocations 7\npush deque=steady\n")
        tree.ends("suite twice --dry-run", "1 cell, 7 invocations, about ")  # as the stricter section asks
        counted = "[a] A\nprecision 2%\ninvocations 42\npush batch=1,2\ncounted batch=8\n"
        twin = [("a-counted", f"push steady batch=8 counters={name}", 6) for name in ("caches", "pipeline")]
        expect(planned(tree, counted) == [("a", "push steady", 42), ("a", "push steady batch=2", 42), *twin], "a counted section")
        expect(planned(tree, "[b]\nsteal\ninvocations 3\ncounted counters=remote+caches,pipeline\n")[1:] ==
               [("b-counted", f"steal steady counters={name}", 3) for name in ("remote", "caches", "pipeline")], "its own counters")
        order = planned(tree, counted + "[b]\npush batch=3\nrest\n[c]\nsteal\ncounted\n[d]\nsteal percent=1\n")
        expect([tag for tag, _, _ in order] == ["a", "a", "b", "a-counted", "a-counted", "c", "d", "c-counted", "c-counted"], order)
        large = "[b]\nneeds 3G\npush batch=2\n"
        expect(len(planned(tree, "[a]\npush\n" + large, "--memory-limit=2G")) == 1, "a section that needs more memory")
        tree.ends("suite s --dry-run --memory-limit=2G", "so much memory: left out b")
        tree.suite("s", large)
        tree.ends("suite s --memory-limit=2G", "too little memory", code=3)


# Lines of a deque's executable that are no sample, no histogram, no distance.
NONSENSE = """hello
sample\towner\t0\tlatency\tnan\tns\tok\t
sample\towner\t0\tlatency\t\tns\tok\t
sample\towner\t0\tlatency\t1\tns\tdenied\t
sample\towner\t0\tlatency\t\tns\tperhaps\t
sample\towner\tone\tlatency\t1\tns\tok\t
sample\towner\t0\tlatency\t1\tns\tok
sample\towner\t0\tlat,ency\t1\tns\tok\t
distance\t0
histogram\tthief\t0\tlatency\t12\t12\t3\tns
histogram\tthief\t0\tlatency\t10\t12\t0\tns
histogram\tthief\t0\tlatency\t10\t12\t3\tns\tmore""".splitlines()
UNDESCRIBED = """deque\tid
parameter\tpush\tbatch
parameter\tnone\tb\tinteger\t1\t1\t2\t-\t-\th
parameter\t*\tb\tcolour\t1\t1\t2\t-\t-\th
hello""".splitlines()


def test_lines_that_make_no_sense():
    with Tree("odd") as tree:
        script = tree.build / "deques/latency/odd"
        text = script.read_text()
        last, described = "    sample 2 \"3.$invocation\" ''\n", "--describe) describe ;;"
        expect(last in text and described in text, "the fake is another one")
        for line in NONSENSE:
            script.write_text(text.replace(last, f"{last}    printf '%s\\n' '{line}'\n"))
            shutil.rmtree(tree.results, ignore_errors=True)
            tree.ends("run push --invocations=1", "printed a line that is no sample", code=4)
            expect(not [row for row in tree.rows() if row["role"] == "owner"], f"{line}: its samples are used")
        for line in UNDESCRIBED:
            script.write_text(text.replace(described, f"--describe) describe; printf '%s\\n' '{line}' ;;"))
            tree.ends("run push", "of --describe makes no sense", code=3)


# --- proven before timed

def test_an_unsound_deque_is_timed_only_on_request():
    with Tree("steady", "published/wrong") as tree:
        refused(tree, "run push --deque=published/wrong", "doubles items", "--unsound", code=1)
        for words, deques in [("run push --invocations=1", {"steady"}),  # all means all sound ones
                              ("run push --invocations=1 --deque=steady,published/wrong --unsound", {"steady", "published/wrong"}),
                              ("suite beside --quiet", {"steady"}), ("suite beside --unsound", {"steady", "published/wrong"})]:
            tree.suite("beside", "invocations 1\noptional published/wrong\n[a] A\npush deque=steady,published/wrong\n")
            tree.ends(f"{words} --name=r")
            rows = tree.rows()
            expect({row["deque"] for row in rows} == deques, words)
            expect(all(("unsound" in row["flags"].split("+")) == (row["deque"] != "steady") for row in rows), rows)
            shutil.rmtree(tree.results)
        tree.suite("beside", "invocations 1\n[a] A\npush deque=steady,published/wrong\n")
        tree.ends("suite beside", "published/wrong is not timed", code=1)


def test_a_deque_that_fails_its_check_is_refused():
    with Tree("steady", "fails_stamp") as tree:
        refused(tree, "run push", "fails_stamp", "the check stress", "item 17 came out twice", code=1)
        tree.ends("run push --invocations=1 --unsound", "its rows are flagged")
        flagged = {row["deque"] for row in tree.rows() if "unsound" in row["flags"]}
        expect(flagged == {"fails_stamp"}, flagged)
        for code, how in (0, "name"), (1, "resume"):  # a lab that has changed is asked anew, and a refused run is left alone
            tree.script("build/lab/steady", f"exit {code}")
            tree.ends(f"run push --invocations=1 --deque=steady --{how}=kept", *["the check explore"] * code, code=code)
            expect(len(ends(tree.rows(tree.results / "kept"))) == 1, "its rows are gone")


def test_no_verdict_is_no_failure():
    """A killed check says nothing about its deque: the others are timed, and resuming checks it again."""
    with Tree("steady", "hangs_stamp", "gives_up_stamp") as tree:
        tree.ends("run push --invocations=2 --name=mine", "hangs_stamp has no verdict of the check stress: was killed by signal 9",
                  "gives_up_stamp has no verdict of the check stress: no verdict: the machine was too busy",
                  "nothing is known to be wrong with it", "--resume", "left out: 2 cells", code=3)
        rows = tree.rows()
        expect(len(ends(rows, deque="steady", status="ok")) == 2, "the others are measured")
        for deque in ("hangs_stamp", "gives_up_stamp"):
            mine = [(row["metric"], row["value"], row["status"]) for row in rows if row["deque"] == deque]
            expect(mine == [("push", "", "unproven"), ("invocation_time", "", "unproven")], mine)
        stamps = {deque["id"]: deque["stamp"] for deque in tree.manifest()["deques"]}
        expect(stamps["hangs_stamp"] == "no verdict" and stamps["steady"] == "passed", stamps)
        ended(program("harness.judging.summaries", tree.only_run()), 0)
        expect(",unproven," in (tree.only_run() / "summary.csv").read_text(), "the summary's status")
        # now it passes: the same cells are measured, and nothing else
        tree.mend("hangs_stamp", "gives_up_stamp")
        tree.ends("run push --invocations=2 --resume=mine", "2 invocations kept, 4 to come")
        expect(len(ends(tree.rows(), status="ok")) == 6, tree.samples())
        ended(program("harness.judging.summaries", tree.only_run()), 0)  # reads an invocation after one without a verdict
    with Tree("gives_up_stamp") as tree:
        tree.ends("run push --invocations=1 --unsound", "its rows are flagged")
        expect({row["flags"] for row in ends(tree.rows())} == {"unsound"}, tree.samples())


def test_an_edit_of_other_work_or_of_a_check_voids_nothing():
    """Timed loops, work on the pool and checks are separate executables: an edit of one invalidates only its own results."""
    with Tree("apart") as tree:
        tree.add("deques/visit", "apart")
        tree.add("checks", "apart")
        tree.ends("run push --invocations=2 --name=mine", "checking apart")
        expect("checking" not in tree.run("run push --invocations=1 --name=again").err, "the stamp is kept")
        before = tree.samples(tree.results / "mine")
        for edited, checked, says in [("deques/visit", False, "2 invocations kept, 0 to come"),
                                      ("checks", True, "2 invocations kept, 0 to come"), ("deques/latency", False, "have changed: 1 cell")]:
            expect(tree.samples(tree.results / "mine") == before, "something was measured anew")
            tree.add(edited, "apart", change=f"\n# {edited} was edited\n")
            outcome = tree.ends("run push --invocations=2 --resume=mine", says)
            expect(("checking apart" in outcome.err) == checked, outcome)
        tree.ends("check apart --seconds=0.1", "passed     apart", "2 passed, 0 failed", code=3)
        tree.ends("run visit --deque=apart --path=/ --invocations=1")


def test_variants_are_built_where_asked_for_and_drawn_in_balance():
    """Both sides of a pair have the same; a variant older than its executable is of other sources, and not used."""
    with Tree("apart") as tree:
        for flavour in ("deques/visit", "checks"):
            tree.add(flavour, "apart")
        for variants, more in (3, " deques/visit.1/apart deques/visit.2/apart"), (1, ""):
            needs = built_for(tree, f"run visit --path=/ --variants={variants} --invocations=1")
            expect(needs == [f"deques/visit/apart checks/apart lab/apart{more}"], needs)
        for number in (1, 2):
            tree.add(f"deques/visit.{number}", "apart", change=f"\n# {number}\n")
        sides = ":".join(f"{side}={tree.build}/{folder}" for side in "ab" for folder in ("deques/visit", "checks"))
        words = f"run visit --deque=a/apart,b/apart --path=/ --variants=3 --invocations=6 --deques-in={sides}"
        tree.ends(f"{words} --name=drawn")
        rows = ends(tree.rows(tree.results / "drawn"))
        drawn = [{row["variant"] for row in rows if row["invocation"] == str(i)} for i in range(6)]
        expect(all(len(one) == 1 for one in drawn), drawn)
        drawn = [one.pop() for one in drawn]
        expect(sorted(drawn[:3]) == sorted(drawn[3:]) == ["0", "1", "2"], drawn)
        for row in rows:
            ran = {"0": "visit"}.get(row["variant"], f"visit.{row['variant']}")
            expect(row["placement"] == str(tree.build / "deques" / ran), row)
        tree.ends(f"{words} --resume=drawn", "0 to come")
        os.utime(tree.build / "deques/visit.2/apart", (0, 0))
        tree.ends(f"{words} --resume=drawn", "have changed: 2 cells")
        expect({row["variant"] for row in ends(tree.rows(tree.results / "drawn"))[len(rows):]} == {"0", "1"}, "a stale variant was used")


def test_folders_of_other_executables():
    with Tree() as tree:
        tree.add("mine", "apart", "steady")
        tree.add("checked/checks", "apart")
        words = f"run push --deque=apart --invocations=1 --deques-in={tree.build}/mine"
        tree.ends(words, "apart is not timed", "holds a check", code=1)
        tree.ends(f"{words}:{tree.build}/checked/checks")


def checked(deques, words, code, *says, last=""):
    """`check` of these deques, of which every build is there; last: how the line that ends it begins."""
    with Tree(*deques) as tree:
        for flavour in ("address", "thread", "lab"):
            tree.add(flavour, *deques)
        outcome = tree.ends(f"check {words}", *says, code=code)
        expect(outcome.out.splitlines()[-1].startswith(last), outcome)
        return outcome.out


def test_checks():
    good, bad = ("steady", "reference", "published/wrong"), ("published/uncaught", "fails_stamp")
    several = ("fails_stamp", "says_how", "steady", "published/wrong")
    with Tree(*good) as tree:
        tree.ends("check", "this build is not there", "6 could not be run", code=3)
    for deques, words, code, says, last in [
            (good, "", 0, ["caught, as it must be: item 3 was lost"], "17 passed, 0 failed"),
            (good + bad + ("broken",), "", 1, ["no check caught it", "item 17 came out twice"], "21 passed, 9 failed"),
            (("steady", "gives_up_stamp", "needs_two"), "", 3,
             ["no verdict gives_up", "4 came to no verdict", "when the machine is idle", "8 could not be run"], "12 passed, 0 failed"),
            (("sanitized",), "", 0, [], "6 passed, 0 failed"),
            (("unsanitized",), "", 1, ["no report by ThreadSanitizer, which is not in this build"], "6 passed, 1 failed"),
            (several, "--check=conformance", 0, ["none       published/wrong", "that alone did not catch it"], "12 passed, 0 failed"),
            (several, "says_how published/wrong --check stress", 1, ["caught, as it must be"], "1 passed, 4 failed")]:
        said = checked(deques, words, code, *says, last=last)
        expect("conformance" not in words or "stress" not in said, said)


def test_a_failure_is_one_finding_and_says_how_to_repeat_it():
    said = checked(["says_how"], "", 1, "FAILED stress of says_how: item 17 came out twice\n  tried: a duel; seed 7; step 3\n",
                   "--check stress --seed=7 --rounds=1\n", "  also: stress (address and undefined, thread, lab): FAILED stress",
                   "  trace: ./run.sh lab explore says_how\n", last="4 passed, 4 failed")
    expect(said.count("  repeat: ") == said.count("\nFAILED ") == 1, said)
    said = checked(["is_reported"], "--seconds=0.5", 1, "data race (pid=1)\n  repeat: ",
                   "is_reported --check stress --seed=1 --seconds=0.5\n", "queues/x.h:12\n",
                   "  SUMMARY: ThreadSanitizer: data race queues/x.h:12 in deque_push\n")
    expect("Shadow" not in said and "starting" not in said, said)
    said = checked(["fails_both"], "", 1, "  also: stress (plain, address and undefined, thread, lab)", last="0 passed, 8 failed")
    expect("trace: " not in said, "one thread needs no trace")
    expect("repeat" not in checked(["reaches"], "", 0, " s  held 17\n"), "what passed needs no repeating")


def test_a_header_that_calls_itself_something_else():
    with Tree("steady") as tree:
        (tree.path / "queues").mkdir()
        (tree.path / "queues/steady.h").write_text('{ .id = "chase_lev", }')
        refused(tree, "check steady", 'its .id is "chase_lev" and has to be "steady"', code=1)


# --- what is printed

PYTHON = f'PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={ROOT} exec /usr/bin/python3 "$@"'


def test_lists():
    with Tree("steady", "modal", "reference", "published/wrong") as tree:
        tree.script("setup/python.sh", PYTHON)
        tree.ends("list deques", "build them by `make`", code=3)
        tree.describe("steady", "modal", "reference", "published/wrong")
        tree.suite("quick", "title The quick one\n[a] A\npush\n")
        tree.ends("list deques", "Fake modal", "walk=full|skip", "reference", "unsound", "doubles items")
        table = list(csv.DictReader(io.StringIO(tree.ends("list deques --csv").out)))
        expect([(row["id"], row["kind"]) for row in table] ==
               [("reference", "reference"), ("modal", "sound"), ("steady", "sound"), ("published/wrong", "unsound")], table)
        tree.ends("list workloads", "push", "1 to 1048576", "corrected|published", "of modal only")
        table = list(csv.DictReader(io.StringIO(tree.ends("list workloads --csv").out)))
        expect(("steal", "percent", "1", "100") in {(row["workload"], row["parameter"], row["minimum"], row["maximum"])
                                                   for row in table}, table)
        tree.ends("list suites", "quick", "The quick one", "[a] A")


def found(tree, environment):
    """{what: (verdict, value, what mends it)} of the doctor."""
    tree.script("setup/python.sh", PYTHON)
    findings = json.loads(tree.ends("doctor --json", env=environment).out)
    return {one["what"]: (one["verdict"], one["value"], one["mend"]) for one in findings}


def test_the_doctor_finds_what_the_machine_has():
    facts = {"governor": "performance", "turbo": "off", "SMT": "off", "thermal throttling": "0 events since boot",
             "isolated processors": "none; without tick: none", "processors allowed": "4 (0-2,8)", "transparent huge pages": "madvise",
             "control group's memory": "no limit known", "control group's processor time": "no limit known", "virtualisation": "none"}
    with Tree("steady") as tree:
        good = found(tree, put_machine(tree))
        expect({what: good[what][1] for what in facts} == facts, good)
        expect({good[what][0] for what in facts} == {"ok"}, good)
        expect(good["clock source"][1].startswith("tsc, ") and "ns a read" in good["clock source"][1], good)
        expect({"undisturbed windows", "distance between processors", "other busy processes"} <= good.keys(), good)
        bad = found(tree, put_machine(tree, **{
            "proc/cpuinfo": "model name\t: Some CPU\nflags\t\t: fpu hypervisor", "sys/class/dmi/id/product_name": "KVM",
            f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave", f"{CPU}/intel_pstate/no_turbo": "0", f"{CPU}/smt/active": "1",
            f"{CPU}/isolated": "4-5", f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "12",
            f"{CPU}/cpu1/thermal_throttle/package_throttle_count": "5",
            "sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]", "sys/fs/cgroup/user.slice/cpu.max": "150000 100000",
            "sys/fs/cgroup/user.slice/session.scope/cpu.max": "400000 100000", "sys/fs/cgroup/user.slice/memory.max": "1073741824"}))
        told = {"governor": "mixed", "turbo": "on", "SMT": "on", "thermal throttling": "17 events since boot",
                "isolated processors": "4-5; without tick: none", "transparent huge pages": "never", "control group's memory": "1024 MiB",
                "control group's processor time": "1.50 processors' worth", "virtualisation": "a virtual machine (KVM)"}
        expect({what: bad[what][1] for what in told} == told, bad)
        expect({bad[what][0] for what in told} == {"warn"}, bad)
        expect(bad["virtualisation"][2] is None and "taskset -c 4-5" in bad["isolated processors"][2], bad)
        expect("boost" not in bad["turbo"][2], "a remedy that the machine does not have")
        none = found(tree, {})
        expect({none[what][0] for what in ("governor", "turbo", "SMT", "load", "time stolen by the host")} == {"unknown"}, none)


def test_control_groups_of_version_one():
    group = {"proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/",
             "sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us": "100000"}
    for quota, memory, due in (("50000", "536870912", (0.5, 1 << 29, 7 << 26)),
                               ("-1", "9223372036854771712", ("no limit known", "no limit known", 7 << 30))):
        with Tree("steady") as tree:
            tree.ends("run push --invocations=1",
                      env=put_machine(tree, **group, **{"sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us": quota,
                                                             "sys/fs/cgroup/memory/memory.limit_in_bytes": memory}))
            machine = tree.manifest()["machine"]
            expect((machine["cgroup_processors"], machine["cgroup_memory_bytes"], tree.manifest()["memory_limit_bytes"]) == due, machine)


if __name__ == "__main__":
    run_tests(globals())
