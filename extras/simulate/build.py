"""build/predicted/DEQUE: the workloads over one deque in virtual time. setup/configure.py loads this."""

import glob
import os

NAMES = "-include extras/simulate/names.h -DWATCH_GAP=1000000000 -DTRIES_SECONDS=0.02"
WORKLOADS = ("workloads/contention", "workloads/forks", "workloads/pool", "workloads/applications/uts", "workloads/applications/quicksort",
             "workloads/applications/dag")
HARNESS = ("workloads/applications/task_cost.c", "harness/measuring/random.c", "harness/measuring/team.c",
           "harness/measuring/watch.c", "harness/measuring/pacing.c", "harness/measuring/histogram.c",
           "harness/measuring/latency.c")


def add(build):
    # What the engine sees, instrumented: the same on every machine with this compiler.
    build.flavours["predicted"] = (f"-O2 -g1 -fsanitize=thread {build.compiler.quiet_lab} -U_FORTIFY_SOURCE {NAMES} -fno-pie "
                                   "-fno-stack-protector")
    # The harness around it, with windows for a time in which nothing disturbs; and the engine itself.
    build.flavours["virtual"] = (f"-O2 -g1 -U_FORTIFY_SOURCE {NAMES} -DSIMULATE_HARNESS -DWINDOW_SHORTEST=1000 -DWINDOWS_MAX=1 "
                                 "-DOPENS_AFTER=10000 -DTAIL=1000 -fno-pie")
    build.flavours["simulator"] = "-O2 -g -fno-pie"
    simulated = sorted([*build.below(*WORKLOADS), "workloads/applications/answer.c", "harness/deque_main.c"])
    harness = sorted([*HARNESS, *(f"harness/measuring/{name}.c" for name in ("cell", "describe", "parameters"))])
    engine = [*sorted(glob.glob("extras/simulate/*.c")), "proof/lab/engine/coroutine.c"]
    headers = {deque: f"queues/{deque}.h" for deque in build.deques}
    if os.environ.get("SIMULATED_HEADER"):  # one that is not in queues/
        headers[os.path.splitext(os.path.basename(os.environ["SIMULATED_HEADER"]))[0]] = os.environ["SIMULATED_HEADER"]
    for deque, header in headers.items():
        how = {"header": "extras/simulate/marked.h", "extra": f"-DDEQUE_SIMULATED='\"{header}\"'"}
        own = [build.object("predicted", deque, one, **how) for one in simulated if not build.once(one)]
        # The simulator comes last: where its own variables lie must not decide which of the workloads' share a line.
        objects = [*own, *(build.object("predicted", "once", one) for one in simulated if build.once(one)),
                   *build.objects_once("virtual", harness), *build.objects_once("simulator", engine)]
        build.run(f"{build.folder}/predicted/{deque}", "$cc -no-pie -o $out $in $ldflags $application_libs -lhwloc -lm", objects)
