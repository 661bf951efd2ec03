/* upstream.h: how a deque that somebody else wrote, in C++ or Rust, keeps the contract.
 *
 * queues/upstream/NAME.h says what the original is (DEQUE_TRAITS) and includes this file, which makes the contract's
 * operations of the functions below. queues/upstream/NAME.cc, or a Rust crate, defines these over the original. Both
 * are compiled for link-time optimisation, so that the workloads, which are C and the same for every deque, have the
 * original's operations inlined into their measured loops; tests/measured_loops.sh lists what is left.
 *
 * UPSTREAM_BYTES is the size of the original's object: build.py asks the C++ compiler, and includes the answer first.
 *
 * A shim includes NAME.h as well, and gets the declarations alone: C++ has no <stdatomic.h> to speak of.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <bit>
#include <cerrno>
#include <new>
#endif

/* Items that an original holds whose capacity is fixed when it is compiled. The sanitizer flavours take a small one,
 * which is full, and goes round, often. */
#ifndef UPSTREAM_FIXED_CAPACITY
#define UPSTREAM_FIXED_CAPACITY 1024
#endif

/* No original is asked for more: most would try, and touch every item. */
#define UPSTREAM_CAPACITY_MAX ((size_t)1 << 30)

#ifdef __cplusplus
/* Inlined into the loops, with all that it calls; or with what the compiler would inline by itself, where the first
 * made the loop slower: rare paths that need registers. */
#define UPSTREAM_OPERATION __attribute__((always_inline, flatten, used)) inline
#define UPSTREAM_OPERATION_AS_IT_IS __attribute__((always_inline, used)) inline
extern "C" {
#endif

struct upstream_settings {
    size_t bytes;    /* what the object has */
    size_t capacity; /* as in struct deque_config; 0: the original's own default */
    size_t block;
    int fifo; /* the owner takes the oldest first, where it has the choice */
};

/* object: UPSTREAM_BYTES, aligned to two cache lines. The owner's, the thieves' and anybody's are those of the
 * contract. */
int upstream_init(void *object, const struct upstream_settings *settings); /* 0, EINVAL, ENOMEM */
void upstream_destroy(void *object);
size_t upstream_capacity(const void *object); /* 0: no limit */
size_t upstream_size(const void *object);
int upstream_push(void *object, void *item);                            /* owner: 1: it went in; 0: full */
size_t upstream_push_batch(void *object, void *const *items, size_t n); /* owner: how many went in */
void *upstream_pop(void *object);                                       /* owner: NULL: empty */
void *upstream_steal(void *object);                                     /* a thief: NULL: nothing, or lost */
int upstream_maybe_lost(void *object); /* a thief whose steal gave nothing: was something there? */

#ifdef __cplusplus
}

/* Every shim begins with this: the original's type in place of Queue, the object as one, and its size for the build. */
#define UPSTREAM_OVER(...)                                                                                             \
    using Queue = __VA_ARGS__;                                                                                         \
    extern "C" const char upstream_bytes[sizeof(Queue)] = {};                                                          \
    static Queue *queue_of(void *object) { return static_cast<Queue *>(object); }                                      \
    static const Queue *queue_of(const void *object) { return static_cast<const Queue *>(object); }

/* For upstream_init: makes the original in its place. */
template <class Queue, class... Arguments> int upstream_make(void *object, Arguments... arguments) {
    try {
        new (object) Queue(arguments...);
    } catch (const std::bad_alloc &) {
        return ENOMEM;
    }
    return 0;
}
#else

#include "queues/deque.h"

#ifndef UPSTREAM_FIFO
#define UPSTREAM_FIFO 0
#endif

struct deque {
    alignas(DEQUE_LINE) unsigned char object[UPSTREAM_BYTES];
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    const struct upstream_settings settings = {
        .bytes = UPSTREAM_BYTES, .capacity = config->capacity, .block = config->block, .fifo = UPSTREAM_FIFO};
    return upstream_init(deque->object, &settings);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { upstream_destroy(deque->object); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return upstream_capacity(deque->object); }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return upstream_size(deque->object); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return upstream_push(deque->object, item) ? DEQUE_OK : DEQUE_FULL;
}

#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    return upstream_push_batch(deque->object, items, n);
}
#endif

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    *item = upstream_pop(deque->object);
    return *item ? DEQUE_OK : DEQUE_EMPTY;
}

/* The originals do not report that another thief was first. Looking again afterwards tells this from empty. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    *item = upstream_steal(victim->object);
    if (*item)
        return DEQUE_OK;
    return upstream_maybe_lost(victim->object) ? DEQUE_LOST : DEQUE_EMPTY;
}

#endif
