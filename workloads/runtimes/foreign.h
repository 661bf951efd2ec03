/* foreign.h: the application workloads on a runtime of another language, whose half is compiled by that language's own
 * compiler and linked to this one. foreign_half.h lists the functions that it defines. C only: one file includes it.
 */
#ifndef STEALBENCH_FOREIGN_H
#define STEALBENCH_FOREIGN_H

#include "workloads/runtimes/fib.h"
#include "workloads/runtimes/foreign_half.h"
#include "workloads/runtimes/nqueens.h"
#include "workloads/runtimes/quicksort.h"
#include "workloads/runtimes/serve.h"
#include "workloads/runtimes/uts.h"
#include "workloads/runtimes/walk.h"

#define gather foreign_gather

static int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    const int failure = foreign_start(runtime_threads);
    return failure ? failure : measure(cell);
}

static void run_fib(void *context) {
    struct fib *fib = context;
    fib->result = (long)foreign_fib((uint32_t)fib->n, (uint32_t)fib_cutoff);
}

static void run_nqueens(void *context) {
    struct nqueens *queens = context;
    const unsigned side = (unsigned)__builtin_popcount(nqueens_all);
    queens->ways = foreign_nqueens(side, side - nqueens_alone_from);
}

static void run_quicksort(void *context) {
    const struct sorting *work = context;
    foreign_sort(work->values, work->size, work->cutoff, sort_levels(work->size), work->own);
}

static void run_uts(void *context) {
    struct uts *uts = context;
    foreign_search(uts->tree, uts->by_thread);
}

static void run_walk(void *walking) { foreign_walk(walking); }

static bool submit_serve(void *context, size_t request) {
    (void)context;
    foreign_submit(request);
    return true;
}
static void serve_attach(void *context, bool attached) {
    (void)context;
    foreign_attach(attached);
}
void foreign_serve(uint64_t request) { load_serve(serve_load, request); }

/* Registers all of them; name: the runtime's name within a sentence. */
#define FOREIGN_WORKLOADS(name, quicksort_unsupported)                                                                 \
    RUNTIME_WORKLOAD(fib, "fib on " name, NULL);                                                                       \
    RUNTIME_WORKLOAD(nqueens, "nqueens on " name, NULL);                                                               \
    RUNTIME_WORKLOAD(quicksort, "quicksort on " name, quicksort_unsupported);                                          \
    RUNTIME_WORKLOAD(uts, "unbalanced tree search on " name, uts_unsupported);                                         \
    RUNTIME_SERVE("requests that arrive from outside, on " name, with_runtime);                                        \
    RUNTIME_WORKLOAD(walk, "a tree of directories walked on " name, walking_unsupported)

#endif
