/* runtime.h: what the programs over other runtimes share. C and C++.
 *
 * Each is a runtime that does the work of one of our application workloads: the same algorithm, its own tasks. It
 * poses as a deque that has only those workloads (its executable answers --describe and --run, harness/README.md), so
 * that the driver runs it between ours in one balanced order, on the same processors.
 */
#ifndef STEALBENCH_RUNTIME_H
#define STEALBENCH_RUNTIME_H

#include "runtimes/title.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "harness/measuring/cell/cell.h"
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/threads/places.h"
#ifdef __cplusplus
}
#endif
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* The parameters that runtimes share with the pool; they have no policies to choose. */
static const struct parameter runtime_parameters[] = {
    PARAMETER_INTEGER("threads", 1, 1, 128, "workers", "threads of the runtime that work"),
    PARAMETERS_END,
};

/* A workload of this executable: measure runs a cell of it, why_not is its unsupported or NULL. */
#define RUNTIME_WORKLOAD(name, text, its_parameters, why_not, measure)                                                 \
    static const struct workload runtime_##name##_workload = {                                                         \
        #name, text, {its_parameters, runtime_parameters}, "threads", false, why_not, measure};                        \
    REGISTER_WORKLOAD(runtime_##name##_workload)

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

/* Main thread, before the runtime starts. Threads of the runtime then take their places by runtime_take_place. 0, 2. */
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

/* A thread of the runtime, number from 0: bound as our workers are. Costs nothing when it is there already. */
static inline void runtime_take_place(unsigned thread) {
    static __thread unsigned taken; /* the number after it */
    if (thread < runtime_places.count && taken != thread + 1) {
        places_take(&runtime_places, thread);
        taken = thread + 1;
    }
}

/* Whoever waits for a task takes others meanwhile, on the same stack, and deep trees overflow the usual one. Untouched
 * pages cost nothing. */
#define RUNTIME_STACK_BYTES ((size_t)4 << 30)

/* Main thread, before the runtime starts: the threads that are started from now on have such a stack. */
static inline void runtime_large_stacks(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, RUNTIME_STACK_BYTES);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/* A thread of the runtime, in the gathering that runtime_measure asks for: waits for the others, so that every thread
 * has one of as many tasks. For a tenth of a second at most: a runtime may have fewer threads than it was asked for. */
static inline void runtime_arrive(void) {
    const uint64_t until = clock_nanoseconds() + 100000000u;
    /* relaxed: it says that a thread is awake, and publishes nothing; builtins, which C and C++ have alike */
    __atomic_fetch_add(&runtime_arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&runtime_arrived, __ATOMIC_RELAXED) < runtime_threads && clock_nanoseconds() < until)
        sched_yield();
}

/* Main thread, after a round: which processors the runtime's threads are bound to. */
static inline void runtime_tell_places(const struct cell *cell) {
    static const char *roles[128];
    static char text[128 * 16];
    for (unsigned i = 0; i < runtime_threads; i++)
        roles[i] = "worker";
    places_text(&runtime_places, roles, text, sizeof text);
    cell_placement(cell, text);
}

/* Main thread. One untimed round, then a sample a repetition. gather lets every thread of the runtime call
 * runtime_arrive: the clock starts with everybody awake, as ours does; NULL: they never sleep. 0; 1 a wrong answer; 3
 * it could not be prepared. */
static inline int runtime_measure(const struct cell *cell, const struct runtime_work *work, void (*gather)(void)) {
    unsigned flags = runtime_places.oversubscribed ? (unsigned)SAMPLE_OVERSUBSCRIBED : 0u;
    for (unsigned round = 0; round <= cell->repetitions; round++) {
        if (work->prepare && !work->prepare(work->context))
            return 3;
        __atomic_store_n(&runtime_arrived, 0, __ATOMIC_RELAXED);
        if (gather)
            gather();
        uint64_t start = clock_nanoseconds();
        work->run(work->context);
        double seconds = (double)(clock_nanoseconds() - start) * 1e-9;
        if (work->verify && !work->verify(work->context))
            return 1;
        if (round == 0) {
            runtime_tell_places(cell);
            continue;
        }
        cell_sample(cell, "pool", round - 1, "run_time", seconds, "s", flags);
        if (work->per)
            cell_sample(cell, "pool", round - 1, work->per, seconds * 1e9 / work->count, "ns", flags);
    }
    return 0;
}

#endif
