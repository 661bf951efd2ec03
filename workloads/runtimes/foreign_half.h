/* foreign_half.h: what the half of a runtime in another language defines, and what it may call. Rust defines these
 * names itself; for Go and Java a C file does. On the main thread, unless it says otherwise. */
#ifndef STEALBENCH_FOREIGN_HALF_H
#define STEALBENCH_FOREIGN_HALF_H

#include "workloads/applications/uts/tree.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(TREE_BINOMIAL == 0 && TREE_GEOMETRIC == 1 && TREE_LINEAR == 0 && TREE_CYCLIC == 1,
               "as forkjoinpool/Tree.java and goroutines/uts.go have them");

/* Called once, first: starts so many workers. 0, or 3 with a message on standard error. */
int foreign_start(uint32_t threads);

/* Before the clock starts: makes every worker call foreign_arrive, if the runtime can do that. */
void foreign_gather(void);

uint64_t foreign_fib(uint32_t n, uint32_t cutoff);
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff);

void foreign_sort(int64_t *values, size_t count, size_t cutoff, uint32_t levels, bool own);

/* Adds to counts, one for each worker. */
void foreign_search(const struct tree *, struct tree_count *counts);

/* walking: struct walking (workloads/runtimes/walk/walking.h). */
void foreign_walk(void *walking);

/* A thread of its own, which calls foreign_attach at its begin and at its end: a task that calls foreign_serve is to
 * run. */
void foreign_attach(bool attached);
void foreign_submit(uint64_t request);

/* Any worker: serves that request (workloads/serve/load.h). */
void foreign_serve(uint64_t request);

/* A worker, number from 0: takes its place, if the runtime allows it. */
void foreign_take_place(uint32_t worker);

/* A worker, while they gather. */
void foreign_arrive(void);

/* Any worker: one step of the sort (partition.h). */
size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels);

#endif
