/* foreign.h: fib and nqueens on a runtime of another language, whose half is compiled by that language's own compiler
 * and linked to this one. foreign_half.h lists the functions that it defines. C only: one file includes it.
 */
#pragma once

#include "extras/runtimes/fib.h"
#include "extras/runtimes/foreign_half.h"
#include "extras/runtimes/nqueens.h"

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

/* Registers both; name: the runtime's name within a sentence. */
#define FOREIGN_WORKLOADS(name)                                                                                        \
    RUNTIME_WORKLOAD(fib, "fib on " name, NULL);                                                                       \
    RUNTIME_WORKLOAD(nqueens, "nqueens on " name, NULL)
