/* memory.h: the lab's memory, at the same addresses in every run of every process.
 *
 * One region holds what the deque and the clients allocate, and the threads' stacks. Memory is handed out in order and
 * never reused within a run, so that a use after free cannot hide behind a new owner. After a client's set-up a
 * snapshot keeps the whole state, and each schedule starts from it.
 */
#pragma once

#include "proof/lab/engine/coroutine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MEMORY_BASE ((uintptr_t)0x100000000000)
#define MEMORY_HEAP_BYTES ((size_t)32 << 20)
#define MEMORY_STACK_BYTES ((size_t)64 << 10)
#define MEMORY_STACKS 8
#define MEMORY_BYTES (MEMORY_HEAP_BYTES + MEMORY_STACKS * MEMORY_STACK_BYTES)

enum memory_state {
    MEMORY_UNUSED, /* never allocated: an access is out of bounds */
    MEMORY_LIVE,
    MEMORY_FREED
};

/* Call once, first. If the addresses are taken, ends the process with a message (exit code 3). */
void memory_open(void);

/* Reserves address space at this address, or anywhere if it is NULL. Unwritten memory reads as zero. If there is none,
 * ends the process with a message (exit code 3). */
void *memory_reserve(void *at, size_t bytes);

/* The stack of thread number index (below MEMORY_STACKS). */
void memory_stack(unsigned index, struct coroutine *);

extern bool memory_scarce;  /* from now on every allocation fails, until memory_clear */
extern long memory_to_fail; /* which allocation fails: 0 the next, 1 the one after that; negative: none */

/* NULL if the heap is used up. alignment: a power of two. The memory holds a pattern, so it is never zero by luck. */
void *memory_allocate(size_t bytes, size_t alignment);
/* Returns false if pointer is not the start of a live allocation. NULL is fine. */
bool memory_free(void *pointer, uintptr_t where);
size_t memory_size(const void *pointer); /* of a live allocation; 0 for anything else */
size_t memory_unnamed(void);             /* of live ones without a name: those that the deque has not freed */

/* Names an allocation for traces; text lives as long as the process. */
void memory_name(const void *pointer, const char *name);
bool memory_named(uintptr_t address); /* of an address inside the allocation, too */
/* Writes "deque+128" or "0x401234" into text. */
void memory_describe(uintptr_t address, char *text, size_t size);
/* The address of the instruction that freed the allocation containing address, or 0. */
uintptr_t memory_freed_at(uintptr_t address);

/* Forgets everything; saves the state; restores the saved state. */
void memory_clear(void);
void memory_keep(void);
void memory_restore(void);
/* Makes snapshots cover this memory of the process, too. At saving, used() says how many of the bytes matter. */
void memory_cover(void *start, size_t max, size_t (*used)(void));

extern unsigned char *memory_states; /* one per granule of the heap */
#define MEMORY_GRANULE 16

static inline bool memory_in_heap(uintptr_t address) { return address - MEMORY_BASE < MEMORY_HEAP_BYTES; }
static inline bool memory_in_lab(uintptr_t address) { return address - MEMORY_BASE < MEMORY_BYTES; }

/* For an address in the heap. */
static inline enum memory_state memory_state(uintptr_t address) {
    return (enum memory_state)memory_states[(address - MEMORY_BASE) / MEMORY_GRANULE];
}

/* Is the address in the executable's own data (a deque's globals, constants, the lab's own)? */
bool memory_in_program(uintptr_t address);

/* What memory holds: at most 8 bytes. */
static inline uint64_t peek(uintptr_t address, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    return value;
}
