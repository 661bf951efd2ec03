/* memory.h: the lab's memory, at the same addresses in every run of every process.
 *
 * One region holds what the deque and the clients allocate, and the threads' stacks. Memory is handed out in order and
 * never reused within a run, so that a use after free cannot hide behind a new owner. After a client's set-up the whole
 * state is kept (a snapshot) and each schedule starts from it.
 */
#ifndef STEALBENCH_LAB_MEMORY_H
#define STEALBENCH_LAB_MEMORY_H

#include "proof/lab/engine/coroutine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_BASE ((uintptr_t)0x100000000000)
#define MEMORY_HEAP_BYTES ((size_t)32 << 20)
#define MEMORY_STACK_BYTES ((size_t)64 << 10)
#define MEMORY_STACKS 8
#define MEMORY_BYTES (MEMORY_HEAP_BYTES + MEMORY_STACKS * MEMORY_STACK_BYTES)

enum memory_state {
    MEMORY_UNUSED, /* never allocated: out of bounds */
    MEMORY_LIVE,
    MEMORY_FREED
};

/* Once, first. Ends the process (exit 3) with a message when the addresses are taken. */
void memory_open(void);

/* Address space, at this address or, when it is NULL, anywhere; zero where it was not written. Ends the process (exit
 * 3) with a message when there is none. */
void *memory_reserve(void *at, size_t bytes);

/* The stack of thread number index (below MEMORY_STACKS). */
void memory_stack(unsigned index, struct coroutine *);

/* From now on there is no memory, until memory_clear. */
extern bool memory_scarce;
/* Which allocation fails, until memory_clear: 0 the next, 1 the one after it; negative: none. */
extern long memory_to_fail;

/* NULL when the heap is used up. alignment a power of two. Filled with a pattern, so never zero by luck. */
void *memory_allocate(size_t bytes, size_t alignment);

/* false when pointer is not the start of a live allocation. NULL is fine. */
bool memory_free(void *pointer, uintptr_t where);

/* The size of a live allocation; 0 for anything else. */
size_t memory_size(const void *pointer);

/* How many allocations were made, live ones and others. */
size_t memory_allocations(void);

/* How many live allocations have no name: those that the deque has not freed. */
size_t memory_unnamed(void);

/* Names an allocation for traces; text lives as long as the process. */
void memory_name(const void *pointer, const char *name);

/* "deque+128" or "0x401234", into text. */
void memory_describe(uintptr_t address, char *text, size_t size);

/* Where the allocation that holds address was freed (an instruction's address), or 0. */
uintptr_t memory_freed_at(uintptr_t address);

/* Forgets everything; saves the state; goes back to the saved state. */
void memory_clear(void);
void memory_keep(void);
void memory_restore(void);

/* A snapshot also covers this memory of the process. When one is saved, used() says how many of the bytes matter. */
void memory_cover(void *start, size_t max, size_t (*used)(void));

extern unsigned char *memory_states; /* one for each granule of the heap */
#define MEMORY_GRANULE 16

static inline bool memory_in_heap(uintptr_t address) { return address - MEMORY_BASE < MEMORY_HEAP_BYTES; }
static inline bool memory_in_lab(uintptr_t address) { return address - MEMORY_BASE < MEMORY_BYTES; }

/* Of an address in the heap. */
static inline enum memory_state memory_state(uintptr_t address) {
    return (enum memory_state)memory_states[(address - MEMORY_BASE) / MEMORY_GRANULE];
}

/* Is it in the executable's own data (a deque's globals, constants, the lab's own)? */
bool memory_in_program(uintptr_t address);

#endif
