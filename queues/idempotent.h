/* idempotent.h: no fence and no CAS for the owner, at the price that an item may come out more than once.
 *
 * M. M. Michael, M. T. Vechev, V. A. Saraswat: Idempotent work stealing, PPoPP 2009; their double-ended queue, the one
 * of the three that keeps the order of a work-stealing deque (their LIFO has thieves take the newest).
 *
 * Both sides change only one word, the anchor: position of the oldest item, number of items, tag. A thief
 * changes it by a CAS, the owner by a plain store. So an owner that reads the anchor before a thief takes something,
 * and stores it afterwards, brings that item back: it comes out again. Nothing is ever lost: an item leaves the anchor
 * only by an operation that gives it to somebody. The tag, counted up by each push, makes a thief's CAS fail when the
 * slot that it has read may have been written since.
 *
 * Where this departs from the paper: the array is fixed, and push says FULL when it is full.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "idempotent", .title = "idempotent", .source = "Michael, Vechev, Saraswat: PPoPP 2009",                  \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .aside = true, .delivery = DEQUE_AT_LEAST_ONCE, .push_progress = DEQUE_WAIT_FREE,               \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
    }

#define IDEMPOTENT_BITS 20 /* of the position, modulo, and of the number of items; the tag has the other 24 */
#define IDEMPOTENT_MASK (((uint64_t)1 << IDEMPOTENT_BITS) - 1)
#define IDEMPOTENT_CAPACITY_MAX ((size_t)1 << (IDEMPOTENT_BITS - 1))

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t anchor; /* tag, number of items, position of the oldest, from the top down */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
};

DEQUE_OPERATION uint64_t idempotent_anchor(uint64_t head, uint64_t size, uint64_t tag) {
    return tag << 2 * IDEMPOTENT_BITS | size << IDEMPOTENT_BITS | (head & IDEMPOTENT_MASK);
}
DEQUE_OPERATION uint64_t idempotent_head(uint64_t anchor) { return anchor & IDEMPOTENT_MASK; }
DEQUE_OPERATION uint64_t idempotent_size(uint64_t anchor) { return anchor >> IDEMPOTENT_BITS & IDEMPOTENT_MASK; }
DEQUE_OPERATION uint64_t idempotent_tag(uint64_t anchor) { return anchor >> 2 * IDEMPOTENT_BITS; }

/* The position starts at the lower bits of first_index, and so does the tag. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 1024, IDEMPOTENT_CAPACITY_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->anchor, idempotent_anchor(config->first_index, 0, config->first_index));
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    return (size_t)idempotent_size(atomic_load_explicit(&deque->anchor, memory_order_relaxed));
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t anchor = atomic_load_explicit(&deque->anchor, memory_order_relaxed);
    uint64_t head = idempotent_head(anchor), size = idempotent_size(anchor);
    if (size > deque->mask)
        return DEQUE_FULL;
    /* release: pairs with the acquire of the slot in steal */
    atomic_store_explicit(&deque->slots[(head + size) & deque->mask], item, memory_order_release);
    /* release, here and in pop: pairs with the acquire of anchor in steal, which may read any of our stores of it and
     * must see the slots and what the items point to */
    atomic_store_explicit(&deque->anchor, idempotent_anchor(head, size + 1, idempotent_tag(anchor) + 1),
                          memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t anchor = atomic_load_explicit(&deque->anchor, memory_order_relaxed);
    uint64_t head = idempotent_head(anchor), size = idempotent_size(anchor);
    if (size == 0)
        return DEQUE_EMPTY;
    *item = atomic_load_explicit(&deque->slots[(head + size - 1) & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->anchor, idempotent_anchor(head, size - 1, idempotent_tag(anchor)),
                          memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the release stores of anchor in push and pop */
    uint64_t anchor = atomic_load_explicit(&victim->anchor, memory_order_acquire);
    uint64_t head = idempotent_head(anchor), size = idempotent_size(anchor);
    if (size == 0)
        return DEQUE_EMPTY;
    /* acquire: pairs with the release of the slot in push. The owner does not look whether we have changed the anchor
     * before it writes the slot anew; if it is the new item that we read, the CAS has to fail */
    deque_item taken = atomic_load_explicit(&victim->slots[head & victim->mask], memory_order_acquire);
    /* relaxed: the CAS publishes nothing */
    if (!atomic_compare_exchange_strong_explicit(&victim->anchor, &anchor,
                                                 idempotent_anchor(head + 1, size - 1, idempotent_tag(anchor)),
                                                 memory_order_relaxed, memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
