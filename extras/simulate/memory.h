/* memory.h: memory at the same addresses in every run on every machine, for what the workloads allocate and for stacks:
 * which bytes share a line must not depend on a C library, nor on where a system puts a process. */
#pragma once

#include "extras/simulate/machine.h"
#include <stddef.h>
#include <stdint.h>

/* Where it lies, and bytes of address space: what is allocated, then the stacks. */
#define MEMORY_BASE ((uintptr_t)0x100000000000)
#define MEMORY_HEAP_BYTES ((size_t)16 << 30)
#define MEMORY_STACK_BYTES ((size_t)16 << 20) /* a pool's worker leaves 2 MB below a fork */
#define MEMORY_BYTES (MEMORY_HEAP_BYTES + MACHINE_THREADS_MAX * MEMORY_STACK_BYTES)

/* Once, first. Ends the process (exit 3) with a message when the addresses are taken. */
void memory_open(void);

/* Address space that is zero until it is written. */
void *memory_reserve(void *at, size_t bytes);

/* The library's, renamed by names.h. */
void *simulate_malloc(size_t bytes);
void *simulate_calloc(size_t count, size_t bytes);

/* The stack of a thread: its lowest byte, behind a guard page. */
char *memory_stack(unsigned thread, size_t *bytes);
