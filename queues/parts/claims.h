/* claims.h: how thieves claim items of a ring in Tokio and, after it, in Volt. A header that includes this file has
 * defined struct deque with head, which packs two positions, tail, slots and mask as ../tokio.h, which says how they
 * are used.
 */
#pragma once

#include "ring.h"

DEQUE_OPERATION uint64_t ring_head(uint32_t steal, uint32_t real) { return (uint64_t)steal << 32 | real; }
DEQUE_OPERATION uint32_t ring_steal(uint64_t head) { return (uint32_t)(head >> 32); }
DEQUE_OPERATION uint32_t ring_real(uint64_t head) { return (uint32_t)head; }

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t real = ring_real(atomic_load_explicit(&deque->head, memory_order_relaxed));
    int32_t size = (int32_t)(atomic_load_explicit(&deque->tail, memory_order_relaxed) - real);
    return size > 0 ? (size_t)size : 0;
}

/* A thief's first step: claims percent of what it sees (0: half), rounded up, at most `most`. With OK it holds count
 * items from position first on, and must release them. */
DEQUE_OPERATION enum deque_result ring_claim(struct deque *victim, unsigned percent, size_t most, uint32_t *first,
                                             uint32_t *count) {
    /* acquire: pairs with the releases of head by the owner and by the thief before us, so that tail below is not
     * behind real */
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
    uint32_t real = ring_real(head);
    /* acquire: pairs with the release stores of tail */
    uint32_t available = atomic_load_explicit(&victim->tail, memory_order_acquire) - real;
    if (ring_steal(head) != real)
        return DEQUE_LOST; /* another thief is at work, perhaps with the last items */
    if (available == 0 || most == 0)
        return DEQUE_EMPTY;
    uint32_t share = (uint32_t)(((uint64_t)available * (percent ? percent : 50) + 99) / 100);
    if (share > most)
        share = (uint32_t)most;
    /* relaxed: the items were acquired above, and ring_release publishes that we have read them. Strong: a weak one may
     * fail alone, and LOST says that another thread was there */
    if (!atomic_compare_exchange_strong_explicit(&victim->head, &head, ring_head(real, real + share),
                                                 memory_order_relaxed, memory_order_relaxed))
        return DEQUE_LOST;
    *first = real;
    *count = share;
    return DEQUE_OK;
}

/* The same thief's last step, when it has read all it claimed: steal follows real, wherever pops have moved that. */
DEQUE_OPERATION void ring_release(struct deque *victim, uint32_t first, uint32_t count) {
    uint64_t head = ring_head(first, first + count);
    /* release: pairs with the acquire of head in push and in ring_claim */
    while (!atomic_compare_exchange_weak_explicit(&victim->head, &head, ring_head(ring_real(head), ring_real(head)),
                                                  memory_order_release, memory_order_relaxed))
        continue;
}
