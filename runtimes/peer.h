/* peer.h: what the programs over other runtimes share. C and C++.
 *
 * A peer is a runtime that does the work of one of our application workloads: the same algorithm, its own tasks. It
 * poses as a deque that has only those workloads (its executable answers --describe and --run, harness/README.md), so
 * that the driver runs it between ours in one balanced order, on the same processors.
 */
#ifndef STEALBENCH_PEER_H
#define STEALBENCH_PEER_H

#ifdef __cplusplus
extern "C" {
#endif
#include "harness/cell.h"
#include "harness/clock.h"
#include "harness/places.h"
#ifdef __cplusplus
}
#endif
#include <stdio.h>

/* The parameters that peers share with the pool; they have no policies to choose. */
#define PEER_PARAMETERS                                                                                                \
    { "threads", PARAMETER_INTEGER, "1", 1, 128, NULL, "workers", "threads of the runtime, the main thread among them" }

/* One kind of work. prepare and verify (may be NULL) are untimed; false from verify: a wrong answer, said there. */
struct peer_work {
    void *context;
    bool (*prepare)(void *context);
    void (*run)(void *context);
    bool (*verify)(void *context);
    const char *per; /* a metric that is the time divided by count: "time_per_call"; NULL: none */
    double count;
};

static struct places peer_places;

/* Main thread, before the runtime starts. Threads of the runtime then take their places by peer_take_place. 0, 2. */
static inline int peer_open(const struct cell *cell) {
    char message[MESSAGE_SIZE];
    unsigned threads = (unsigned)cell_integer(cell, "threads");
    if (places_plan(&peer_places, cell_text(cell, "placement"), threads, NULL, message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 2;
    }
    return 0;
}

/* A thread of the runtime, number from 0: bound as our workers are. */
static inline void peer_take_place(unsigned thread) {
    if (thread < peer_places.count)
        places_take(&peer_places, thread);
}

/* Main thread. One untimed round, then a sample a repetition. 0; 1 a wrong answer; 3 it could not be prepared. */
static inline int peer_measure(const struct cell *cell, const struct peer_work *work) {
    unsigned flags = peer_places.oversubscribed ? (unsigned)SAMPLE_OVERSUBSCRIBED : 0u;
    for (unsigned round = 0; round <= cell->repetitions; round++) {
        if (work->prepare && !work->prepare(work->context))
            return 3;
        uint64_t start = clock_nanoseconds();
        work->run(work->context);
        double seconds = (double)(clock_nanoseconds() - start) * 1e-9;
        if (work->verify && !work->verify(work->context))
            return 1;
        if (round == 0)
            continue;
        cell_sample(cell, "pool", round - 1, "run_time", seconds, "s", flags);
        if (work->per)
            cell_sample(cell, "pool", round - 1, work->per, seconds * 1e9 / work->count, "ns", flags);
    }
    return 0;
}

#endif
