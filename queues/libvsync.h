/* libvsync.h: the Chase-Lev deque of libvsync, on a ring of fixed capacity.
 *
 * Algorithm of vdeque (Huawei, Open Source for Confidential Computing and others), github.com/open-s4c/libvsync,
 * include/vsync/queue/chaselev.h at dd93f802 (March 2026, v4.3). It differs from chase_lev.h in three things: where
 * that has fences, the four accesses that meet are sequentially consistent themselves, as in worksteal.h; top, bottom
 * and the ring's address are neighbours, so that thieves and owner write the same line; and the ring's number of slots
 * lies in front of them and is divided by.
 *
 * What differs from the original: indices may wrap, for they are compared by the sign of their difference and the
 * capacity is rounded up to a power of two, so pop needs no look whether bottom is 0; stores of bottom after a pop that
 * found nothing are release stores.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "libvsync", .title = "libvsync", .source = "libvsync v4.3", .owner_order = DEQUE_LIFO,                   \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
    }

struct libvsync_ring {
    uint64_t size;
    _Atomic(deque_item) slots[];
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top; /* the oldest item; thieves and the owner's last pop, by CAS */
    _Atomic uint64_t bottom;                  /* one past the newest; written by the owner alone */
    _Atomic(struct libvsync_ring *) ring;     /* never written after deque_init, but loaded each time */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 1024, RING_MAX);
    if (capacity == 0)
        return EINVAL;
    struct libvsync_ring *ring = DEQUE_ALLOC(sizeof *ring + capacity * sizeof ring->slots[0]);
    if (!ring)
        return ENOMEM;
    ring->size = capacity;
    ring_clear(ring->slots, capacity);
    atomic_init(&deque->ring, ring);
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION struct libvsync_ring *libvsync_ring(const struct deque *deque) {
    return atomic_load_explicit(&deque->ring, memory_order_relaxed);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(libvsync_ring(deque)); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)libvsync_ring(deque)->size; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    struct libvsync_ring *ring = libvsync_ring(deque);
    if (bottom - top > ring->size - 1)
        return DEQUE_FULL;
    atomic_store_explicit(&ring->slots[bottom % ring->size], item, memory_order_relaxed);
    /* release: pairs with the load of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    struct libvsync_ring *ring = libvsync_ring(deque);
    /* seq_cst, both: pair with the two loads in steal; either the thief sees the lowered bottom, or we see the raised
     * top. As a release the store publishes every slot below to a thief that reads it. */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
    int64_t left = (int64_t)(bottom - top);
    enum deque_result result = DEQUE_EMPTY;
    if (left >= 0) {
        *item = atomic_load_explicit(&ring->slots[bottom % ring->size], memory_order_relaxed);
        /* the last item: whoever moves top has it. seq_cst: pairs with the loads of top in steal */
        if (left > 0 || atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                                memory_order_relaxed))
            result = DEQUE_OK;
    }
    if (left <= 0) /* release: pairs with the load of bottom in steal, as in push */
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* seq_cst, both: pair with the store of bottom and the load of top in pop; as acquires, with the CAS of the thief
     * before us and with the stores of bottom */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    struct libvsync_ring *ring = libvsync_ring(victim);
    *item = atomic_load_explicit(&ring->slots[top % ring->size], memory_order_relaxed);
    /* seq_cst: pairs with the loads of top in pop and steal, and with its acquire in push; after it the slot may be
     * reused */
    return atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                   memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}
