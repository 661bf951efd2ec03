/* runtime.h: shared by the programs over other runtimes. C and C++.
 *
 * Each is a runtime that does the work of one of our application workloads: the same algorithm, its own tasks. It
 * poses as a deque that has only those workloads (its executable answers --describe and --run, harness/README.md), so
 * that the driver runs it between ours in one balanced order, on the same processors.
 */
#pragma once

#include "extras/runtimes/title.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "harness/measuring/cell.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/median.h"
#include "harness/measuring/places.h"
#ifdef __cplusplus
}
#endif
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The parameters that runtimes share with the pool; they have no policies to choose. */
static const struct parameter runtime_parameters[] = {
    PARAMETER_INTEGER("threads", 1, 1, 128, "workers", "threads of the runtime that work"),
    PARAMETERS_END,
};

/* Registers the workload NAME of this executable. Its header (fib.h and so on) defines NAME_parameters and
 * NAME_measure. The file defines run_NAME, which does the work once; gather, which wakes the runtime's threads; and
 * with_runtime, which starts the runtime with runtime_threads, calls measure, and stops it. why_not is the workload's
 * unsupported, or NULL. */
#define RUNTIME_WORKLOAD(name, text, why_not)                                                                          \
    static int measure_##name(const struct cell *cell) { return name##_measure(cell, run_##name, gather); }            \
    static int cell_of_##name(const struct cell *cell) { return runtime_cell(cell, with_runtime, measure_##name); }    \
    REGISTER_WORKLOAD(name, #name, text, {name##_parameters, runtime_parameters}, "threads", why_not, cell_of_##name)

/* One kind of work. prepare and verify (may be NULL) are untimed; false from verify: a wrong answer, said there. */
struct runtime_work {
    void *context;
    bool (*prepare)(void *context);
    void (*run)(void *context);
    bool (*verify)(void *context);
    const char *per; /* a metric that is the time divided by count: "time_per_call"; NULL: none */
    double count;
};

static struct places runtime_places;
static unsigned runtime_threads, runtime_arrived;

/* Main thread, before the runtime starts. Its threads then take their places by runtime_take_place. 0 or 2. */
static inline int runtime_open(const struct cell *cell) {
    char message[MESSAGE_SIZE];
    runtime_threads = (unsigned)cell_integer(cell, "threads");
    if (places_plan(&runtime_places, cell_text(cell, "placement"), runtime_threads, NULL, message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 2;
    }
    for (unsigned i = 0; i < runtime_threads; i++)
        runtime_places.got[i] = -1;
    return 0;
}

/* Main thread: runs the cell by started, which is with_runtime or its like. */
static inline int runtime_cell(const struct cell *cell,
                               int (*started)(const struct cell *, int (*)(const struct cell *)),
                               int (*measure)(const struct cell *)) {
    int failure = runtime_open(cell);
    if (failure != 0)
        return failure;
    failure = started(cell, measure);
    places_close(&runtime_places);
    return failure;
}

/* A thread of the runtime, number from 0: binds it as our workers are bound. Costs nothing the second time. */
static inline void runtime_take_place(unsigned thread) {
    static __thread unsigned taken; /* the number after it */
    if (thread < runtime_places.count && taken != thread + 1) {
        places_take(&runtime_places, thread);
        taken = thread + 1;
    }
}

/* A thread that waits for a task runs others meanwhile, on the same stack, and deep trees overflow the usual 8 MiB.
 * Untouched pages cost nothing. */
#define RUNTIME_STACK_BYTES ((size_t)4 << 30)

/* Main thread, before the runtime starts: threads started from now on have such a stack. */
static inline void runtime_large_stacks(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, RUNTIME_STACK_BYTES);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/* A thread of the runtime, in a task of gather(): waits for the other threads, so that each thread runs exactly one
 * such task. It waits for at most a tenth of a second, because a runtime may have fewer threads than it was asked for.
 */
static inline void runtime_arrive(void) {
    const uint64_t until = clock_nanoseconds() + 100000000u;
    /* relaxed: it says that a thread is awake, and publishes nothing; builtins, which C and C++ have alike */
    __atomic_fetch_add(&runtime_arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&runtime_arrived, __ATOMIC_RELAXED) < runtime_threads && clock_nanoseconds() < until)
        sched_yield();
}

/* Main thread, for a runtime whose threads cannot be bound one by one: all threads of this process, and those that they
 * start from now on, stay on the processors that our workers would have. The kernel may move them among these. */
static inline void runtime_bind_process(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned i = 0; i < runtime_places.count; i++)
        if (runtime_places.processor[i] >= 0)
            CPU_SET((size_t)runtime_places.processor[i], &set);
    DIR *threads = CPU_COUNT(&set) > 0 ? opendir("/proc/self/task") : NULL;
    for (const struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            sched_setaffinity((pid_t)atol(entry->d_name), sizeof set, &set);
    if (threads)
        closedir(threads);
}

/* Processor seconds of all threads of this process. */
static inline double runtime_processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A runtime that compiles while it runs is warmed up until its times are steady: the median of the latest five rounds
 * is within 2 % of the median of the five before. At least for a second, as the compiler works in the background; at
 * most for so many seconds (0: one round is enough). */
static double runtime_warm_up_seconds;
#define RUNTIME_STEADY_ROUNDS 5
#define RUNTIME_STEADY_WITHIN 0.02
#define RUNTIME_WARM_UP_LEAST 1.0 /* seconds */

/* latest: how long the latest ten rounds took, the oldest first. */
static inline bool runtime_is_steady(const double latest[2 * RUNTIME_STEADY_ROUNDS]) {
    double rounds[2 * RUNTIME_STEADY_ROUNDS];
    memcpy(rounds, latest, sizeof rounds);
    const double before = median(rounds, RUNTIME_STEADY_ROUNDS);
    const double now = median(rounds + RUNTIME_STEADY_ROUNDS, RUNTIME_STEADY_ROUNDS);
    return now <= before * (1 + RUNTIME_STEADY_WITHIN) && now >= before * (1 - RUNTIME_STEADY_WITHIN);
}

/* One round. 0 with the seconds that it took and its processor seconds; 1 or 3 as runtime_measure. */
static inline int runtime_round(const struct runtime_work *work, void (*gather)(void), double *seconds,
                                double *processor) {
    if (work->prepare && !work->prepare(work->context))
        return 3;
    __atomic_store_n(&runtime_arrived, 0, __ATOMIC_RELAXED);
    if (gather)
        gather();
    const double before = runtime_processor_seconds();
    const uint64_t start = clock_nanoseconds();
    work->run(work->context);
    *seconds = (double)(clock_nanoseconds() - start) * 1e-9;
    *processor = runtime_processor_seconds() - before;
    return work->verify && !work->verify(work->context) ? 1 : 0;
}

/* Untimed rounds, as many as it takes. 0, 1 or 3. */
static inline int runtime_warm_up(const struct cell *cell, const struct runtime_work *work, void (*gather)(void)) {
    double latest[2 * RUNTIME_STEADY_ROUNDS], processor;
    const size_t wanted = sizeof latest / sizeof latest[0];
    const uint64_t start = clock_nanoseconds();
    unsigned rounds = 0;
    bool enough = false;
    while (!enough) {
        const size_t place = rounds < wanted ? rounds : wanted - 1;
        if (rounds >= wanted)
            memmove(latest, latest + 1, (wanted - 1) * sizeof latest[0]);
        const int failure = runtime_round(work, gather, &latest[place], &processor);
        if (failure != 0)
            return failure;
        rounds++;
        const double passed = (double)(clock_nanoseconds() - start) * 1e-9;
        enough = passed >= runtime_warm_up_seconds ||
                 (rounds >= wanted && passed >= RUNTIME_WARM_UP_LEAST && runtime_is_steady(latest));
    }
    places_report(&runtime_places, cell, "worker", "worker");
    return 0;
}

/* Main thread. Warms up, then measures a sample a repetition. gather makes every thread of the runtime call
 * runtime_arrive, so that the clock starts with all threads awake, as ours does; NULL: they never sleep. 0; 1 a wrong
 * answer; 3 it could not be prepared. */
static inline int runtime_measure(const struct cell *cell, const struct runtime_work *work, void (*gather)(void)) {
    const unsigned flags = runtime_places.oversubscribed ? (unsigned)SAMPLE_OVERSUBSCRIBED : 0u;
    int failure = runtime_warm_up(cell, work, gather);
    distance_report(cell, &runtime_places);
    for (unsigned repetition = 0; repetition < cell->repetitions && failure == 0; repetition++) {
        double seconds, processor;
        failure = runtime_round(work, gather, &seconds, &processor);
        if (failure != 0)
            return failure;
        distance_report(cell, &runtime_places);
        cell_sample(cell, "pool", repetition, "run_time", seconds, "s", flags);
        cell_sample(cell, "pool", repetition, "processor_time", processor, "s", flags);
        if (work->per)
            cell_sample(cell, "pool", repetition, work->per, seconds * 1e9 / work->count, "ns", flags);
    }
    return failure;
}
