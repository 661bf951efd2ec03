/* answer.h: a computation by forks that yields one number, which is known: fib and nqueens. */
#pragma once

#include "workloads/pool/pool.h"

struct answer {
    uint64_t (*compute)(struct pool_worker *, void *context);
    void *context;
    uint64_t expected;
    double calls; /* function calls that one computation makes, for ns a call */
};

/* Main. Opens a pool for the cell, computes until a repetition has lasted the cell's minimum time, checks each result,
 * and reports run_time (of one computation), time_per_call, calls_per_second, and the pool's counts of the last
 * computation. Returns what a workload's run returns. */
int answer_measure(const struct cell *, struct answer *);
