/* measure.h: how a microbenchmark's loop is sized, timed, repeated and reported. Deque-independent.
 *
 * A workload splits its work into equal portions (a deque filled, a deque drained, a deque stolen from), each prepared
 * untimed, and times a run over as many of them as it takes for the clock's own cost to vanish.
 */
#ifndef STEALBENCH_MEASURE_H
#define STEALBENCH_MEASURE_H

#include "harness/cell.h"
#include "harness/clock.h"
#include "harness/counters.h"
#include "harness/gbench.h"
#include <stddef.h>

#define REPETITIONS_MOST 1000

struct measurement {
    const struct cell *cell;
    void *context; /* handed to the functions below */

    /* corrected method. prepare: makes that many portions ready, untimed; false: cannot (it said why).
     * run: goes through them all; this call is what is timed. verify (may be NULL): untimed, false: a wrong answer. */
    bool (*prepare)(void *context, size_t portions);
    void (*run)(void *context, size_t portions);
    bool (*verify)(void *context, size_t portions);
    /* Instead of timing run itself, a workload that must look inside (two threads, windows that do not count) gives
     * its own: seconds of one run over the prepared portions, negative: give up. May be NULL. */
    double (*timed_run)(void *context, size_t portions);
    size_t portions_most; /* what memory allows; at least 1 */

    /* What the main thread's counters are held to: the role it plays, operations in one portion. A workload with a
     * timed_run of its own brackets the work itself, with this set. */
    const char *role;
    double operations;
    struct counters counters;

    /* published method: one operation an iteration under Pause and Resume */
    void (*published_loop)(void *context, struct gbench_loop *loop);
};

struct measured {
    double seconds[REPETITIONS_MOST]; /* corrected: one portion; published: one operation */
    unsigned repetitions;
};

/* Main thread. Measures by the cell's `method` parameter, and reports the clock, the length of a timed batch and the
 * counters as samples of their own. With counters=callgrind one fixed piece of work is run, measured->repetitions is 0
 * and nothing is timed. 0; 1 a wrong answer; 3 it could not be prepared. */
int measure(struct measurement *, struct measured *);

/* One sample a repetition: seconds times scale (1e9 / operations, say), in unit. */
void measure_report(const struct measurement *, const struct measured *, const char *role, const char *metric,
                    double scale, const char *unit, unsigned flags);

#endif
