/* goroutines.c: fib and nqueens on Go's scheduler, whose half is in goroutines/: a goroutine where the others have a
 * task, GOMAXPROCS as many as threads. Calls between Go and C cost as much as a small task, so the leaves of the work
 * are Go as well, by the same algorithms. Goroutines cannot be bound: the process is, to the processors of our workers.
 */
#include "extras/runtimes/foreign.h"

/* Exported by goroutines/. */
void go_start(uint32_t threads);
void go_gather(void);
uint64_t go_fib(uint32_t n, uint32_t cutoff);
uint64_t go_nqueens(uint32_t side, uint32_t cutoff);

const char *runtime_title(void) { return "Go " GO_VERSION; }

int foreign_start(uint32_t threads) {
    runtime_bind_process();
    go_start(threads);
    return 0;
}

void foreign_gather(void) { go_gather(); }

uint64_t foreign_fib(uint32_t n, uint32_t cutoff) { return go_fib(n, cutoff); }
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff) { return go_nqueens(side, cutoff); }

FOREIGN_WORKLOADS("goroutines");
