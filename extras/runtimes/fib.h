/* fib.h: the parameters and the check of fib, for every runtime: one task a call, or down to a
 * cutoff, as our workload fib has it. */
#pragma once

#include "extras/runtimes/runtime.h"

static const struct parameter fib_parameters[] = {
    PARAMETER_INTEGER("n", 32, 1, 50, "", "which Fibonacci number"),
    PARAMETER_INTEGER("cutoff", 1, 1, 50, "", "no tasks up to this n; 1: every call is a task"),
    PARAMETERS_END,
};

static int fib_cutoff; /* written before the runtime works */

__attribute__((noinline)) static long fib_alone(int n) { return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2); }

/* fib(n) of a call that makes no tasks. */
static inline long fib_last(int n) { return n < 2 ? n : fib_alone(n); }

struct fib {
    int n;
    long result;
};

static inline long fib_answer(int n) {
    long before = 0, now = 1;
    for (int i = 1; i < n; i++) {
        long next = before + now;
        before = now;
        now = next;
    }
    return n == 0 ? 0 : now;
}

/* Calls that fib(n) makes, itself included: 2 fib(n + 1) - 1. */
static inline double fib_calls(int n) { return 2.0 * (double)fib_answer(n + 1) - 1.0; }

static inline bool fib_verify(void *context) {
    struct fib *fib = (struct fib *)context;
    if (fib->result == fib_answer(fib->n))
        return true;
    fprintf(stderr, "stealbench: fib(%d) gave %ld, which is wrong\n", fib->n, fib->result);
    return false;
}

/* Main thread, the runtime being there. run sets result. */
static inline int fib_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    fib_cutoff = (int)cell_integer(cell, "cutoff");
    struct fib fib = {(int)cell_integer(cell, "n"), -1};
    struct runtime_work work = {&fib, NULL, run, fib_verify, "time_per_call", fib_calls(fib.n)};
    return runtime_measure(cell, &work, gather);
}
