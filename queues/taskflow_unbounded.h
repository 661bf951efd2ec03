/* taskflow_unbounded.h: Chase-Lev on a ring that grows, as Taskflow's executor uses it.
 *
 * Differs from chase_lev.h in that the ring grows, in a push of a batch, and in an owner that remembers top, so that
 * push reads the thieves' line only when the ring seems full.
 *
 * Algorithm of tf::UnboundedWSQ in Taskflow v4.1 (T.-W. Huang and others), itself after Le, Pop, Cohen, Zappa Nardelli:
 * Correct and efficient work-stealing for weak memory models, PPoPP 2013. The real top can only be further than the one
 * that the owner remembers, so the deque can only be emptier than it looks. As there, each access of a slot loads the
 * ring's mask and the pointer to its slots, in a batch push too, the ring's capacity is a word of its own, and lines
 * are of 64 bytes.
 *
 * What differs from Taskflow: acquire where it says consume; every store of bottom is a release store, where its pop
 * has relaxed ones, and so push needs no release fence besides; growth that finds no memory refuses the item.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "taskflow_unbounded", .title = "Taskflow unbounded", .source = "Taskflow v4.1 UnboundedWSQ",             \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .classic = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define TASKFLOW_LINE 64

struct deque {
    alignas(TASKFLOW_LINE) _Atomic uint64_t top;    /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(TASKFLOW_LINE) _Atomic uint64_t bottom; /* one past the newest; written by the owner alone */
    uint64_t cached_top;                            /* owner only: top as it was last seen */
    alignas(TASKFLOW_LINE) _Atomic(struct ring_buffer *) ring;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 1024, RING_MAX);
    if (capacity == 0)
        return EINVAL;
    struct ring_buffer *ring = ring_buffer_new(capacity, NULL);
    if (!ring)
        return ENOMEM;
    deque->cached_top = config->first_index;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    atomic_init(&deque->ring, ring);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    ring_buffers_free(atomic_load_explicit(&deque->ring, memory_order_relaxed));
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* Owner. A ring for n items more than the present one holds, with the items between cached_top and bottom copied into
 * it, published. NULL when there is no memory; then nothing has changed. */
DEQUE_SLOW_PATH struct ring_buffer *taskflow_grow(struct deque *deque, struct ring_buffer *ring, uint64_t bottom,
                                                  size_t n) {
    size_t capacity = (size_t)ring->mask + 1;
    if (n > SIZE_MAX / 4 / sizeof(deque_item) - capacity)
        return NULL;
    struct ring_buffer *larger = ring_buffer_new(deque_round_up(capacity + n), ring);
    if (!larger)
        return NULL;
    ring_buffer_copy(ring, larger, deque->cached_top, bottom);
    /* release: pairs with the acquire of ring in steal; publishes the mask and the copies */
    atomic_store_explicit(&deque->ring, larger, memory_order_release);
    return larger;
}

/* Owner. A ring with room for n items from bottom on: the present one, or a larger one; NULL when there is no memory.
 */
DEQUE_OPERATION struct ring_buffer *taskflow_room(struct deque *deque, uint64_t bottom, size_t n) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    if (n <= ring->capacity - (bottom - deque->cached_top))
        return ring;
    /* acquire: pairs with the CAS in steal; a thief has read the slots below top before we write them again */
    deque->cached_top = atomic_load_explicit(&deque->top, memory_order_acquire);
    if (n <= ring->capacity - (bottom - deque->cached_top))
        return ring;
    return taskflow_grow(deque, ring, bottom, n);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    struct ring_buffer *ring = taskflow_room(deque, bottom, 1);
    if (!ring)
        return DEQUE_FULL;
    atomic_store_explicit(&ring->pointer[bottom & ring->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    struct ring_buffer *ring = taskflow_room(deque, bottom, n);
    if (!ring) {
        ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
        n = (size_t)(ring->capacity - (bottom - deque->cached_top));
    }
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&ring->pointer[(bottom + i) & ring->mask], items[i], memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the whole batch */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    /* release, here and below: pairs with the acquire of bottom in steal, which may read any of our stores of it and
     * must see every slot below, and the ring */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    int64_t left = (int64_t)(bottom - top);
    if (left > 0) {
        *item = atomic_load_explicit(&ring->pointer[bottom & ring->mask], memory_order_relaxed);
        return DEQUE_OK;
    }
    enum deque_result result = DEQUE_EMPTY;
    if (left == 0) {
        *item = atomic_load_explicit(&ring->pointer[bottom & ring->mask], memory_order_relaxed);
        /* the last item: whoever moves top has it. seq_cst: pairs with the CAS in steal */
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            result = DEQUE_OK;
    }
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the CAS of the thief before us, so that bottom below is at least as new */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of bottom in push and pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    /* acquire: pairs with the release of ring in taskflow_grow; we may see a ring newer than bottom says */
    struct ring_buffer *ring = atomic_load_explicit(&victim->ring, memory_order_acquire);
    deque_item taken = atomic_load_explicit(&ring->pointer[top & ring->mask], memory_order_relaxed);
    /* seq_cst: pairs with the CAS in pop and with the acquire of top in taskflow_room; after it the slot may be reused
     */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
