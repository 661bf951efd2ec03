/* heap.h: a heap of objects that point to each other, as a garbage collector finds it. Deque-independent.
 *
 * Objects lie one behind the other in one piece of memory, live ones and garbage mixed: 30 % are garbage. An object has
 * up to 4 pointers and up to 32 bytes besides. Every live object is reached: each but the roots has a pointer of its
 * own to it, from a live object that was made before it, drawn among the `window` pointers that were free last (1: long
 * chains, as of lists; many: wide and flat). What pointers remain are null, every second one, or lead to any live
 * object, so that most objects are met more than once, and in circles. Garbage points at anything, and nothing live
 * points at it.
 */
#pragma once

#include "workloads/pool/pool.h"
#include <stdatomic.h>
#include <stdint.h>

struct object {
    struct pool_task task; /* to scan it: where it waits to be scanned */
    _Atomic uint32_t mark; /* the cycle that marked it last */
    uint32_t pointers;     /* how many */
    uint32_t bytes;        /* of it in all, a multiple of 8 */
    uint32_t is_live;      /* for the check of a marking; the marking itself does not read it */
    struct object *to[];   /* NULL: none; the payload lies behind them */
};

struct heap {
    char *memory, *end;
    struct object **roots;
    uint64_t root_count;
    uint64_t live, live_bytes, live_pointers; /* objects, their bytes, and their pointers that are not NULL */
};

/* objects: 1 to 2^31. 0, or ENOMEM. */
int heap_make(struct heap *, uint64_t objects, uint64_t window, uint64_t seed);
void heap_free(struct heap *);

/* The object behind it in memory; after the last one heap->end. */
static inline struct object *heap_next(const struct object *object) {
    return (struct object *)(void *)((char *)(uintptr_t)object + object->bytes);
}
