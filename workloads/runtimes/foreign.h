/* foreign.h: the application workloads on a runtime of another language, whose half is compiled by that language's own
 * compiler and linked to this one. What it has to bring are the functions below. C only: one file includes it.
 */
#ifndef STEALBENCH_FOREIGN_H
#define STEALBENCH_FOREIGN_H

#include "workloads/runtimes/fib.h"
#include "workloads/runtimes/foreign_half.h"
#include "workloads/runtimes/nqueens.h"
#include "workloads/runtimes/quicksort.h"
#include "workloads/runtimes/uts.h"
#include "workloads/runtimes/walk.h"

static inline int with_foreign(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = runtime_open(cell);
    if (failure != 0)
        return failure;
    failure = foreign_start(runtime_threads);
    if (failure == 0)
        failure = measure(cell);
    places_close(&runtime_places);
    return failure;
}

static inline void run_fib(void *context) {
    struct fib *fib = context;
    fib->result = (long)foreign_fib((uint32_t)fib->n, (uint32_t)fib_cutoff);
}

static inline int measure_fib(const struct cell *cell) { return fib_measure(cell, run_fib, foreign_gather); }
static inline int fib_workload_run(const struct cell *cell) { return with_foreign(cell, measure_fib); }

static inline void run_nqueens(void *context) {
    struct nqueens *queens = context;
    const unsigned side = (unsigned)__builtin_popcount(nqueens_all);
    queens->ways = foreign_nqueens(side, side - nqueens_alone_from);
}

static inline int measure_nqueens(const struct cell *cell) {
    return nqueens_measure(cell, run_nqueens, foreign_gather);
}
static inline int nqueens_workload_run(const struct cell *cell) { return with_foreign(cell, measure_nqueens); }

static inline bool foreign_sorting_prepare(void *context) {
    const struct sorting *work = context;
    return sorting_prepare(context) && foreign_give(work->values, work->size);
}

static inline void run_quicksort(void *context) {
    const struct sorting *work = context;
    foreign_sort(work->values, work->size, work->cutoff, sort_levels(work->size), work->own);
}

static inline bool foreign_sorting_verify(void *context) {
    const struct sorting *work = context;
    foreign_take(work->values, work->size);
    return sorting_verify(context);
}

static inline int measure_quicksort(const struct cell *cell) {
    return quicksort_measure_with(cell, foreign_sorting_prepare, run_quicksort, foreign_sorting_verify, foreign_gather);
}
static inline int quicksort_workload_run(const struct cell *cell) { return with_foreign(cell, measure_quicksort); }

static inline void run_uts(void *context) {
    struct uts *uts = context;
    foreign_search(uts->tree, uts->by_thread);
}

static inline int measure_uts(const struct cell *cell) { return uts_measure(cell, run_uts, foreign_gather); }
static inline int uts_workload_run(const struct cell *cell) { return with_foreign(cell, measure_uts); }

static inline int measure_walk(const struct cell *cell) { return walk_measure(cell, foreign_walk, foreign_gather); }
static inline int walk_workload_run(const struct cell *cell) { return with_foreign(cell, measure_walk); }

/* All of them, by what the runtime calls itself in a sentence. */
#define FOREIGN_WORKLOADS(name)                                                                                        \
    RUNTIME_WORKLOAD(fib, "fib on " name, fib_parameters, NULL, fib_workload_run);                                     \
    RUNTIME_WORKLOAD(nqueens, "nqueens on " name, nqueens_parameters, NULL, nqueens_workload_run);                     \
    RUNTIME_WORKLOAD(quicksort, "quicksort on " name, quicksort_parameters, foreign_sort_unsupported,                  \
                     quicksort_workload_run);                                                                          \
    RUNTIME_WORKLOAD(uts, "unbalanced tree search on " name, uts_parameters, uts_unsupported, uts_workload_run);       \
    RUNTIME_WALK("a tree of directories walked on " name, walk_workload_run)

#endif
