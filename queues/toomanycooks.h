/* toomanycooks.h: the deque of TooManyCooks: Chase-Lev with top and bottom in one word, so that pop needs no fence.
 *
 * Differs from chase_lev.h in that word, which push and pop change by a read-modify-write, in that pop has no CAS, and
 * in a ring that grows.
 *
 * Algorithm of chase_lev_deque in TooManyCooks (L. McDougall, tmc/detail/qu_chase_lev64.hpp, June 2026), after D.
 * Chase, Y. Lev: Dynamic circular work-stealing deque, SPAA 2005. Each index has 32 bits. Pop subtracts one from bottom
 * by a fetch_sub of the word, which returns top at the same moment: no fence, and no CAS for the last item, since a
 * thief whose CAS expects the old bottom fails. So every push and pop in between makes a thief lose, whichever item it
 * wants. A pop of the last item moves both indices past it, or a thief could mistake the next item for it. That store
 * replaces what a thief's CAS wrote before. So the next push cannot learn from it that the slot has been read, and the
 * fetch_sub has to acquire.
 *
 * What differs from TooManyCooks: there, push stores the half of the word that has bottom, so it has no locked
 * instruction, while thieves read and change the whole word. Accesses of two widths to one object are outside of C11
 * (and of the tools here), so this is the form in one width: push adds one to bottom by a fetch_add. The price is that
 * locked instruction in push; in contention nothing changes, for a store of half the word makes a thief's CAS fail as
 * well.
 *
 * What differs besides: bottom is the upper half, from which nothing is carried into top, so pop needs no CAS where
 * bottom passes 0; a thief tries once, and says that it lost (the original tries four times); a pointer to the ring has
 * its mask beside it, not in its lower bits; growth that finds no memory refuses the item. An index comes round after
 * 2^32 items; a thief that sleeps as long as that may take a wrong one, there and here.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "toomanycooks", .title = "TooManyCooks, one width",                                                      \
        .source = "TooManyCooks, tmc/detail/qu_chase_lev64.hpp", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,   \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .push_progress = DEQUE_LOCK_FREE,        \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
    }

#define TOOMANYCOOKS_ONE (UINT64_C(1) << 32) /* of bottom */

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t ends; /* bottom, one past the newest, in the upper half; top in the lower */
    alignas(DEQUE_LINE) _Atomic(struct ring_buffer *) ring; /* this line: written when it grows */
};

DEQUE_OPERATION uint32_t toomanycooks_top(uint64_t ends) { return (uint32_t)ends; }
DEQUE_OPERATION uint32_t toomanycooks_bottom(uint64_t ends) { return (uint32_t)(ends >> 32); }
DEQUE_OPERATION uint64_t toomanycooks_ends(uint32_t top, uint32_t bottom) { return (uint64_t)bottom << 32 | top; }
DEQUE_OPERATION int32_t toomanycooks_items(uint64_t ends) {
    return (int32_t)(toomanycooks_bottom(ends) - toomanycooks_top(ends));
}

/* Both indices start at the lower half of first_index. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 128, RING_MAX_32);
    if (capacity == 0)
        return EINVAL;
    struct ring_buffer *ring = ring_buffer_new(capacity, NULL);
    if (!ring)
        return ENOMEM;
    atomic_init(&deque->ring, ring);
    atomic_init(&deque->ends, toomanycooks_ends((uint32_t)config->first_index, (uint32_t)config->first_index));
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    ring_buffers_free(atomic_load_explicit(&deque->ring, memory_order_relaxed));
}

/* It grows while there is memory, up to 2^30 items. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    int32_t items = toomanycooks_items(atomic_load_explicit(&deque->ends, memory_order_relaxed));
    return items > 0 ? (size_t)items : 0;
}

/* Owner. A ring of at least `wanted` slots with all items, published. NULL when there is no memory, or it would be too
 * large for indices of 32 bits; then nothing has changed. */
DEQUE_SLOW_PATH struct ring_buffer *toomanycooks_grow(struct deque *deque, struct ring_buffer *ring, uint64_t ends,
                                                      size_t wanted) {
    if (wanted > RING_MAX_32)
        return NULL;
    struct ring_buffer *larger = ring_buffer_new(deque_round_up(wanted), ring);
    if (!larger)
        return NULL;
    uint64_t top = toomanycooks_top(ends);
    ring_buffer_copy(ring, larger, top, top + (uint64_t)toomanycooks_items(ends));
    /* release: pairs with the acquire of ring in steal; publishes the mask and the copies */
    atomic_store_explicit(&deque->ring, larger, memory_order_release);
    return larger;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint64_t ends = atomic_load_explicit(&deque->ends, memory_order_acquire);
    uint64_t items = (uint64_t)toomanycooks_items(ends);
    if (items > ring->mask && !(ring = toomanycooks_grow(deque, ring, ends, (size_t)items + 1)))
        return DEQUE_FULL;
    atomic_store_explicit(&ring->slots[toomanycooks_bottom(ends) & ring->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of ends in steal; publishes the slot and what the item points to */
    atomic_fetch_add_explicit(&deque->ends, TOOMANYCOOKS_ONE, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    /* acquire: as in push */
    uint64_t ends = atomic_load_explicit(&deque->ends, memory_order_acquire);
    size_t room = (size_t)ring->mask + 1 - (size_t)toomanycooks_items(ends);
    if (n > room) {
        struct ring_buffer *larger = NULL;
        if (n <= RING_MAX_32)
            larger = toomanycooks_grow(deque, ring, ends, (size_t)toomanycooks_items(ends) + n);
        n = larger ? n : room;
        ring = larger ? larger : ring;
    }
    uint64_t bottom = toomanycooks_bottom(ends), mask = ring->mask;
    _Atomic(deque_item) *slots = ring->slots;
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&slots[(bottom + i) & mask], items[i], memory_order_relaxed);
    /* release: as in push; publishes the whole batch */
    atomic_fetch_add_explicit(&deque->ends, n * TOOMANYCOOKS_ONE, memory_order_release);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    if (toomanycooks_items(atomic_load_explicit(&deque->ends, memory_order_relaxed)) <= 0)
        return DEQUE_EMPTY;
    /* release, here and below: pairs with the acquire of ends in steal, which may read what we write and must see every
     * slot below */
    uint64_t ends = atomic_fetch_sub_explicit(&deque->ends, TOOMANYCOOKS_ONE, memory_order_acq_rel) - TOOMANYCOOKS_ONE;
    uint32_t bottom = toomanycooks_bottom(ends);
    int32_t left = toomanycooks_items(ends);
    if (left < 0) {
        /* A thief was faster. No thief changes the word while it says that there is nothing. */
        atomic_store_explicit(&deque->ends, ends + TOOMANYCOOKS_ONE, memory_order_release);
        return DEQUE_EMPTY;
    }
    *item = atomic_load_explicit(&ring->slots[bottom & ring->mask], memory_order_relaxed);
    if (left == 0)
        /* release: the last item, which is ours. A thief that read the word before must not find that value again */
        atomic_store_explicit(&deque->ends, toomanycooks_ends(bottom + 1, bottom + 1), memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the releases of ends in push and pop */
    uint64_t ends = atomic_load_explicit(&victim->ends, memory_order_acquire);
    if (toomanycooks_items(ends) <= 0)
        return DEQUE_EMPTY;
    uint32_t top = toomanycooks_top(ends);
    /* acquire: pairs with the release of ring in toomanycooks_grow; we may see a ring newer than ends says */
    struct ring_buffer *ring = atomic_load_explicit(&victim->ring, memory_order_acquire);
    deque_item taken = atomic_load_explicit(&ring->slots[top & ring->mask], memory_order_relaxed);
    /* release: pairs with the acquire of ends in push; after it the slot may be reused */
    if (!atomic_compare_exchange_strong_explicit(&victim->ends, &ends,
                                                 toomanycooks_ends(top + 1, toomanycooks_bottom(ends)),
                                                 memory_order_release, memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
