/* jdk_fork_join.h: the work queue of Java's ForkJoinPool: items change hands by exchanges of slots, not of indices.
 *
 * Algorithm of ForkJoinPool.WorkQueue in OpenJDK 25 (D. Lea and others), in its order last in, first out. Whoever wants
 * an item exchanges its slot for an empty one (0), and has the item if it was still there. The two indices only say
 * where to look: base trails, for a thief moves it on after it has taken the item, and so does top.
 *
 *   deque_push    push: raises top, then fills the slot by an exchange, which is Java's only fence
 *   jdk_grow      growArray: empties the old ring by exchanges from the newest item down, so that no thief takes what
 *                 has moved; "polls the old, pushes to the new"
 *   deque_pop     nextLocalTask: exchanges the newest slot. Only when it was empty had a thief been there
 *   deque_steal   poll: reads base, the slot, base again; a CAS of the slot to 0; then moves base on (updateBase)
 *
 * The price is a locked instruction in push, in pop, and in steal. A thief that stops between its CAS and its store of
 * base holds up other thieves, which are told LOST, but never the owner.
 *
 * Mode push: "exchange" as in Java, where the fence also orders the push before the look for a sleeper that follows it;
 * "store" fills the slot by a release store, which is all that the queue itself needs.
 *
 * What differs from Java: indices of 64 bits; a thief tries once, and Java's goes round until it knows; which pushes
 * wake somebody is the pool's affair; rings that were left stay until the deque is destroyed, where Java has a garbage
 * collector; a full ring grows in the push that needs the room, and Java's in the push that fills it; thieves see the
 * larger ring before its items have moved, and Java's afterwards. And one thing more. A slot can hold the same item
 * again a round of the ring later. A thief that slept since it read the slot takes the later one by its CAS, and in
 * Java sets base back by a round; there a task seldom comes back. Here the thief looks at base again after its CAS: if
 * it has moved on, the item was not the oldest, and the thief puts it back and says LOST (jdk_put_back). Meanwhile a
 * pop that misses the item takes the oldest instead, or says EMPTY.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "jdk_fork_join", .title = "Java ForkJoinPool",                                                           \
        .source = "OpenJDK 25, java.util.concurrent.ForkJoinPool", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true,                         \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_BLOCKING,           \
        .mode = "publish", .mode_values = "exchange|store",                                                            \
    }

enum jdk_push { JDK_EXCHANGE, JDK_STORE };

struct deque {
    alignas(DEQUE_LINE) _Atomic(struct ring_buffer *) ring; /* this line: as in Java, what thieves read: the ring, */
    _Atomic uint64_t base;                                  /* and the oldest item, or a slot that was just emptied */
    enum jdk_push how;
    alignas(DEQUE_LINE) _Atomic uint64_t top; /* one past the newest; written by the owner alone */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 64, RING_MAX);
    if (capacity == 0 || config->mode > JDK_STORE)
        return EINVAL;
    struct ring_buffer *ring = ring_buffer_new(capacity, NULL);
    if (!ring)
        return ENOMEM;
    deque->how = config->mode == JDK_STORE ? JDK_STORE : JDK_EXCHANGE;
    atomic_init(&deque->ring, ring);
    atomic_init(&deque->base, config->first_index);
    atomic_init(&deque->top, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    ring_buffers_free(atomic_load_explicit(&deque->ring, memory_order_relaxed));
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->base, &deque->top); }

DEQUE_OPERATION _Atomic(deque_item) *jdk_slot(struct ring_buffer *ring, uint64_t at) {
    return &ring->slots[at & ring->mask];
}

/* Owner. What a slot held, which is empty now. */
DEQUE_OPERATION deque_item jdk_empty(struct ring_buffer *ring, uint64_t at) {
    /* acquire: it publishes nothing; where a thief has emptied the slot, pairs with the CAS in steal, so that we see
     * base as far on as the thief saw it */
    return atomic_exchange_explicit(jdk_slot(ring, at), (deque_item)0, memory_order_acquire);
}

/* Owner. Moves the items of a full ring, whose newest is at `newest`, into one twice as large. NULL when there is no
 * memory; then nothing has changed. */
DEQUE_SLOW_PATH struct ring_buffer *jdk_grow(struct deque *deque, struct ring_buffer *ring, uint64_t newest) {
    struct ring_buffer *larger = ring_buffer_new(2 * ((size_t)ring->mask + 1), ring);
    if (!larger)
        return NULL;
    /* release: pairs with the acquire of ring in steal; publishes the mask, and what the items point to */
    atomic_store_explicit(&deque->ring, larger, memory_order_release);
    /* pairs with the fence in jdk_put_back: one of the two sees what the other stored, a ring or an item */
    atomic_thread_fence(memory_order_seq_cst);
    for (uint64_t i = 0; i <= ring->mask; i++) {
        deque_item item = jdk_empty(ring, newest - i);
        if (item != (deque_item)0) /* otherwise its place may hold what a thief has put back there */
            /* relaxed: the store of ring has published what the item points to */
            atomic_store_explicit(jdk_slot(larger, newest - i), item, memory_order_relaxed);
    }
    return larger;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    /* acquire: pairs with the release of base in steal; slots below it are empty */
    uint64_t items = top - atomic_load_explicit(&deque->base, memory_order_acquire);
    if (items > ring->mask && !(ring = jdk_grow(deque, ring, top - 1)))
        return DEQUE_FULL;
    /* relaxed: the slot publishes the item. A thief that finds the slot empty and top raised says LOST */
    atomic_store_explicit(&deque->top, top + 1, memory_order_relaxed);
    if (deque->how == JDK_STORE)
        /* release: pairs with the acquires of a slot in steal; publishes what the item points to */
        atomic_store_explicit(jdk_slot(ring, top), item, memory_order_release);
    else
        /* seq_cst: pairs with the same acquires; and a fence before the caller's look at whether somebody sleeps */
        atomic_exchange_explicit(jdk_slot(ring, top), item, memory_order_seq_cst);
    return DEQUE_OK;
}

/* A thief that slept, and whose CAS at `at` took the item of a later round. Its place now follows from base, which does
 * not pass an empty slot. */
DEQUE_SLOW_PATH void jdk_put_back(struct deque *victim, struct ring_buffer *ring, uint64_t at, deque_item item) {
    uint64_t base = atomic_load_explicit(&victim->base, memory_order_relaxed);
    at = base + ((at - base) & ring->mask);
    while (item != (deque_item)0) {
        /* release: pairs with the acquires of a slot in steal, as in push */
        atomic_store_explicit(jdk_slot(ring, at), item, memory_order_release);
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in jdk_grow */
        /* acquire: pairs with the release of ring in jdk_grow */
        struct ring_buffer *present = atomic_load_explicit(&victim->ring, memory_order_acquire);
        if (present == ring)
            return;
        item = jdk_empty(ring, at);
        ring = present;
    }
}

/* A thief, or the owner: the oldest item. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the release of ring in jdk_grow */
    struct ring_buffer *ring = atomic_load_explicit(&victim->ring, memory_order_acquire);
    uint64_t base = atomic_load_explicit(&victim->base, memory_order_relaxed);
    _Atomic(deque_item) *slot = jdk_slot(ring, base);
    /* acquire: pairs with the release of the slot in push; of an empty one, with the CAS of the thief that has it, so
     * that top below is at least as new as what that thief took */
    deque_item oldest = atomic_load_explicit(slot, memory_order_acquire);
    if (atomic_load_explicit(&victim->base, memory_order_relaxed) != base)
        return DEQUE_LOST;
    if (oldest == (deque_item)0) {
        /* A thief that has not moved base yet, or an owner that is about to fill the slot or to lower top. The next
         * slot tells without a look at the owner's line */
        if (atomic_load_explicit(jdk_slot(ring, base + 1), memory_order_relaxed) != (deque_item)0)
            return DEQUE_LOST;
        return (int64_t)(atomic_load_explicit(&victim->top, memory_order_relaxed) - base) <= 0 ? DEQUE_EMPTY
                                                                                               : DEQUE_LOST;
    }
    deque_item expected = oldest;
    /* acq_rel: pairs with the release in push, which may be of a later round than the slot that we read above; and with
     * the acquires of an empty slot, here and in jdk_empty */
    if (!atomic_compare_exchange_strong_explicit(slot, &expected, (deque_item)0, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    if (atomic_load_explicit(&victim->base, memory_order_relaxed) != base) {
        jdk_put_back(victim, ring, base, oldest);
        return DEQUE_LOST;
    }
    /* release: pairs with the acquire of base in push; the slot has been emptied before it is filled again */
    atomic_store_explicit(&victim->base, base + 1, memory_order_release);
    *item = oldest;
    return DEQUE_OK;
}

/* Owner. The newest slot was empty: as a rule a thief has the last item. Else one is about to put it back, and we take
 * the oldest. relaxed: we have acquired what the thief saw of base */
DEQUE_SLOW_PATH enum deque_result jdk_pop_empty(struct deque *deque, uint64_t newest, deque_item *item) {
    if ((int64_t)(newest - atomic_load_explicit(&deque->base, memory_order_relaxed)) <= 0)
        return DEQUE_EMPTY;
    return deque_steal(deque, deque, item) == DEQUE_OK ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t newest = atomic_load_explicit(&deque->top, memory_order_relaxed) - 1;
    if ((int64_t)(newest - atomic_load_explicit(&deque->base, memory_order_relaxed)) < 0)
        return DEQUE_EMPTY;
    *item = jdk_empty(atomic_load_explicit(&deque->ring, memory_order_relaxed), newest);
    if (*item == (deque_item)0)
        return jdk_pop_empty(deque, newest, item);
    /* relaxed: as in push */
    atomic_store_explicit(&deque->top, newest, memory_order_relaxed);
    return DEQUE_OK;
}
