/* memory.h: memory at the same addresses in every run on every machine, for what the workloads allocate and for stacks:
 * which bytes share a line must not depend on a C library, nor on where a system puts a process. */
#ifndef STEALBENCH_SIMULATE_MEMORY_H
#define STEALBENCH_SIMULATE_MEMORY_H

#include <stddef.h>

/* Once, first. Ends the process (exit 3) with a message when the addresses are taken. */
void memory_open(void);

/* The library's, renamed by names.h. */
void *simulate_malloc(size_t bytes);
void *simulate_calloc(size_t count, size_t bytes);

/* The stack of a thread: its lowest byte, behind a guard page. */
char *memory_stack(unsigned thread, size_t *bytes);

#endif
