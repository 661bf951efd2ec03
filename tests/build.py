"""What the tests need built. setup/configure.py loads this."""

import glob

# What the scripted deque's virtual time stands in for.
WRAPPED = ("clock_gettime getrusage sched_yield syscall pthread_join nanosleep pread pthread_mutex_lock "
           "pthread_mutex_unlock task_cost_work task_cost_calibrate").split()


def once(build, sources):
    return build.objects_once("timed", filter(build.once, sources))


def of_deque(build, deque, sources):
    return [build.object("timed", deque, one) for one in sources if not build.once(one) and not build.varied(one)]


def add(build):
    folder, workloads, tested = build.folder, build.below("workloads"), {}
    # Unit tests: one executable for each file, with the library, or with the applications.
    for source in sorted(glob.glob("tests/*/*_test.c")):
        if source.startswith(("tests/harness/", "tests/workloads/")):
            tested[source] = build.object("tests", "once", source)
    build.group("tests", ["google"])
    applications = build.edge(f"{folder}/libapplications.a", "archive", once(build, build.below("workloads/applications")))
    # A processor of our making, for the real libpapi.
    build.edge(f"{folder}/tests/pmu.so", "compile_and_link", ["tests/harness/pmu.c"], compiler="$cc -std=gnu11",
               flags="$cppflags $tests -fPIC -shared")
    for source, made in tested.items():
        name = source.split("/")[-1][:-2]
        beside, libs = [applications], "-lcmocka $application_libs $deque_libs"
        if source.startswith("tests/harness/"):
            beside, libs = once(build, ["workloads/contention/accounting.c"]), "-lcmocka -ljansson $deque_libs"
        build.group("tests", [build.link(f"{folder}/tests/{name}", "", "", [made, *beside], libs=libs)])

    # A scripted deque in virtual time, with all workloads: tests/scripted/due_test.py says what every metric has to be.
    # Its cycles_calibrate comes before the harness's.
    build.flavours["scripted"] = " ".join(["-O1 -g1 -Itests/scripted -Wl,-z,muldefs", *(f"-Wl,--wrap={name}" for name in WRAPPED)])
    build.same_once["scripted"] = "timed"
    build.group("tests", [build.executable("scripted", "scripted", "scripted", [*workloads, "tests/scripted/machine.c"])])

    # A deque with a known number of page faults, for the made-up processor (tests/end_to_end/counted.py).
    build.same_once["tests"] = "timed"
    build.group("tests", [build.executable("tests/counted", "tests", "one_fault", workloads, header="tests/harness/one_fault.h")])

    # placed runs in a guest with two sockets (tests/numa.sh) and asks the kernel where threads and memory are.
    placed = [build.object("tests", "chase_lev", "tests/numa/placed.c"), *of_deque(build, "chase_lev", build.pool_checks),
              *build.objects_once("pool_checks", filter(build.once, build.pool_checks))]
    build.group("tests", [build.link(f"{folder}/placed", "", "", placed, libs="$deque_libs")])

    # Objects that tests/compilers.sh compiles, without linking, with every installed compiler. objects: the workloads of the deques.
    # objects_besides: the deques' checks, and everything that does not depend on the deque.
    build.group("objects", once(build, ["harness/deque_main.c", *workloads, *build.checks, *build.stress, *build.pool_checks]))
    harness = build.objects_once("harness", [*build.measuring, *build.lab_sources])
    build.group("objects_besides", [*harness, *build.driver, *tested.values()])
    for deque in build.deques:
        build.group(f"objects/{deque}", ["objects", *of_deque(build, deque, workloads)])
        build.group(f"objects_besides/{deque}", ["objects_besides", *of_deque(build, deque, [*build.checks, *build.stress])])
