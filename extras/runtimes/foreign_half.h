/* foreign_half.h: what the half of a runtime in another language defines, and what it may call. Rust defines these
 * names itself; for Go and Java a C file does. On the main thread, unless it says otherwise. */
#pragma once

#include <stdint.h>

/* Called once, first: starts so many workers. 0, or 3 with a message on standard error. */
int foreign_start(uint32_t threads);

/* Before the clock starts: makes every worker call foreign_arrive, if the runtime can do that. */
void foreign_gather(void);

uint64_t foreign_fib(uint32_t n, uint32_t cutoff);
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff);

/* A worker, number from 0: takes its place, if the runtime allows it. */
void foreign_take_place(uint32_t worker);

/* A worker, while they gather. */
void foreign_arrive(void);
