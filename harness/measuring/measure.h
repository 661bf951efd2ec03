/* measure.h: how a microbenchmark's loop is sized, timed, repeated and reported.
 *
 * A workload splits its work into equal portions (a deque filled, drained or stolen from), each prepared untimed. A
 * window is one run over just enough portions to make the clock's cost negligible. Windows in which the thread was
 * displaced are dropped; a repetition is the median of the others, or without any other `busy`.
 */
#pragma once

#include "harness/measuring/cell.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/gbench.h"
#include "harness/measuring/places.h"
#include <stddef.h>

#define REPETITIONS_MAX 1000

struct measurement {
    const struct cell *cell;
    void *context; /* passed to the functions below */

    /* For the corrected method. prepare: prepares that many portions, untimed; false: it could not (and said why). run:
     * works through all portions; this call is timed. verify (may be NULL): untimed; false: an answer was wrong. */
    bool (*prepare)(void *context, size_t portions);
    void (*run)(void *context, size_t portions);
    bool (*verify)(void *context, size_t portions);
    /* May be NULL. A workload that has to look inside its run (two threads) times the run itself. Returns the seconds
     * of one run over the prepared portions, and whether all threads were on their processors throughout. */
    double (*timed_run)(void *context, size_t portions, bool *held);
    size_t portions_max;         /* limited by memory; at least 1 */
    const struct places *places; /* NULL: one thread; else their distance is reported around each repetition */

    /* For the main thread's counters: its role, and the operations (of batches: the items) in one portion. A timed_run
     * starts and stops its counters itself. */
    const char *role;
    double operations;
    struct counters counters;

    /* published method: one operation per iteration under Pause and Resume */
    void (*published_loop)(void *context, struct gbench_loop *loop);
};

struct measured {
    /* corrected, google: of one portion, NAN where no window counted; published: of one operation */
    double seconds[REPETITIONS_MAX];
    unsigned repetitions;
};

/* Main thread. Measures by the cell's `method` parameter, and reports the clock, the length of a timed batch and the
 * counters as samples of their own. A benchmark of Google Benchmark (gbench.h, current) gets the times instead: then
 * there are no repetitions. Returns 0; 1: a wrong answer; 3: the preparation failed. */
int measure(struct measurement *, struct measured *);

/* Reports one sample per repetition: seconds times scale (such as 1e9 / operations), in unit. */
void measure_report(const struct measurement *, const struct measured *, const char *role, const char *metric,
                    double scale, const char *unit, unsigned flags);
