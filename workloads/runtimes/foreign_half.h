/* foreign_half.h: what the half of a runtime in another language defines (Rust and Go under these very names; for Java
 * java.c does), and what it may call. Main thread, except where it says otherwise. */
#ifndef STEALBENCH_FOREIGN_HALF_H
#define STEALBENCH_FOREIGN_HALF_H

#include "workloads/applications/uts/tree.h"
#include "workloads/runtimes/uts_count.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, first: as many workers. 0, or 3, said on standard error. */
int foreign_start(uint32_t threads);

/* Before the clock starts: every worker calls foreign_arrive; nothing where that cannot be had. */
void foreign_gather(void);

uint64_t foreign_fib(uint32_t n, uint32_t cutoff);
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff);

void foreign_sort(int64_t *values, size_t count, size_t cutoff, uint32_t levels, bool own);

/* Adds to counts, of which there are as many as workers. */
void foreign_search(const struct tree *, struct uts_count *counts);

/* walking: struct walking (workloads/runtimes/walk/walking.h). */
void foreign_walk(void *walking);

/* A worker, for itself, its number from 0: takes its place, where the runtime lets it. */
void foreign_take_place(uint32_t worker);

/* A worker, in the gathering. */
void foreign_arrive(void);

/* Any worker: one step of the sort (partition.h). */
size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels);

#endif
