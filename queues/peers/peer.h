/* peer.h: how a deque that somebody else wrote, in C++ or Rust, keeps the contract.
 *
 * queues/peers/NAME.h says what the peer is (PEER_BYTES, PEER_CAPACITY, DEQUE_TRAITS) and includes this file, which
 * makes the contract's operations of the functions below. queues/peers/NAME.cc, or a Rust crate, defines these over the
 * original. Both are compiled for link-time optimisation, so that the workloads, which are C and the same for every
 * deque, have the original's operations inlined into their measured loops; tests/measured_loops.sh lists what is left.
 *
 * A shim includes NAME.h as well, and gets the declarations alone: C++ has no <stdatomic.h> to speak of.
 */
#ifndef STEALBENCH_PEER_H
#define STEALBENCH_PEER_H

#include <stddef.h>

/* Items that a peer holds whose capacity is fixed when it is compiled. The sanitizer flavours take a small one, which
 * is full, and goes round, often. */
#ifndef PEER_FIXED_CAPACITY
#define PEER_FIXED_CAPACITY 1024
#endif

/* No peer is asked for more: most would try, and touch every item. */
#define PEER_CAPACITY_MOST ((size_t)1 << 30)

#ifdef __cplusplus
/* Inlined into the loops, with all that it calls; or with what the compiler would inline by itself, where the first
 * made the loop slower: rare paths that need registers. */
#define PEER_OPERATION __attribute__((always_inline, flatten, used)) inline
#define PEER_OPERATION_AS_IT_IS __attribute__((always_inline, used)) inline
extern "C" {
#endif

struct peer_settings {
    size_t bytes;    /* what the object has */
    size_t capacity; /* as in struct deque_config; 0: the peer's own default */
    size_t block;
    int fifo; /* the owner takes the oldest first, where the peer has the choice */
};

/* object: PEER_BYTES, aligned to two cache lines. The owner's, the thieves' and anybody's are those of the contract. */
int peer_init(void *object, const struct peer_settings *settings); /* 0, EINVAL, ENOMEM */
void peer_destroy(void *object);
size_t peer_capacity(const void *object); /* 0: no limit */
size_t peer_size(const void *object);
int peer_push(void *object, void *item);                            /* owner: 1: it went in; 0: full */
size_t peer_push_batch(void *object, void *const *items, size_t n); /* owner: how many went in */
void *peer_pop(void *object);                                       /* owner: NULL: empty */
void *peer_steal(void *object);                                     /* a thief: NULL: nothing, or lost */
int peer_maybe_lost(void *object); /* a thief whose steal gave nothing: was something there? */

#ifdef __cplusplus
}
#else

#include "queues/deque.h"

#ifndef PEER_FIFO
#define PEER_FIFO 0
#endif

struct deque {
    alignas(DEQUE_LINE) unsigned char object[PEER_BYTES];
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    const struct peer_settings settings = {
        .bytes = PEER_BYTES, .capacity = config->capacity, .block = config->block, .fifo = PEER_FIFO};
    return peer_init(deque->object, &settings);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { peer_destroy(deque->object); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return peer_capacity(deque->object); }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return peer_size(deque->object); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return peer_push(deque->object, item) ? DEQUE_OK : DEQUE_FULL;
}

#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    return peer_push_batch(deque->object, items, n);
}
#endif

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    *item = peer_pop(deque->object);
    return *item ? DEQUE_OK : DEQUE_EMPTY;
}

/* The originals answer nothing where another thief was first. That is told from empty afterwards, by looking again. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    *item = peer_steal(victim->object);
    if (*item)
        return DEQUE_OK;
    return peer_maybe_lost(victim->object) ? DEQUE_LOST : DEQUE_EMPTY;
}

#endif
#endif
