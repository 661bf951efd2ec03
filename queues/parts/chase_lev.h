/* chase_lev.h: what the fixed rings of Chase and Lev have in common with ../chase_lev.h, to the letter. That header
 * stays whole, for it is the one to read first and to copy.
 *
 * A header that includes this file has defined struct deque with top, bottom, slots and mask as there, and
 *
 *   uint64_t ring_lower(struct deque *deque, uint64_t bottom)    stores bottom, then loads top, which is returned
 *
 * in which these headers differ: how the owner's store comes before its load, as thieves see them. The store is a
 * release at least: it pairs with the load of bottom in steal, which may read any of our stores of it and must see
 * every slot below. It defines deque_steal, which ends with ring_take.
 */
#pragma once

#include "ring.h"

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    if ((int64_t)(bottom - top) > (int64_t)deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the load of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    uint64_t top = ring_lower(deque, bottom);
    int64_t left = (int64_t)(bottom - top);
    if (left > 0) {
        *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
        return DEQUE_OK;
    }
    enum deque_result result = DEQUE_EMPTY;
    if (left == 0) {
        *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
        /* the last item: whoever moves top has it. seq_cst: pairs with the CAS in steal, and with its load of top */
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            result = DEQUE_OK;
    }
    /* release: pairs with the load of bottom in steal, as in push */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

/* A thief that has found an item at top: reads its slot, and has it if it is the one that moves top. */
DEQUE_OPERATION enum deque_result ring_take(struct deque *victim, uint64_t top, deque_item *item) {
    deque_item taken = atomic_load_explicit(&victim->slots[top & victim->mask], memory_order_relaxed);
    /* seq_cst: pairs with the CAS in pop and its load of top in ring_lower, with the acquire of top in push, and with
     * the load of top in steal; after it the slot may be reused */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
