/* taskflow_bounded.h: Chase-Lev on a ring of fixed capacity as Taskflow's workers use it.
 *
 * Differs from chase_lev.h in its push of a batch, in lines of 64 bytes, and in that its thieves have fences alone.
 *
 * Algorithm of tf::BoundedWSQ in Taskflow v4.1 (T.-W. Huang and others), itself after Le et al. (chase_lev.h). A batch
 * is written to the slots and then published by one store of bottom.
 *
 * What differs from Taskflow: the capacity is a setting, not a constant, which takes two loads more an access; every
 * store of bottom is a release store, where its pop has relaxed ones, and so push needs no release fence besides.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "taskflow_bounded", .title = "Taskflow bounded", .source = "Taskflow v4.1 BoundedWSQ",                   \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define TASKFLOW_LINE 64

struct deque {
    alignas(TASKFLOW_LINE) _Atomic uint64_t top;    /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(TASKFLOW_LINE) _Atomic uint64_t bottom; /* one past the newest; written by the owner alone */
    alignas(TASKFLOW_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 256, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    /* release: pairs with the acquire of bottom in steal, as each store of it below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#include "parts/chase_lev.h"

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    _Atomic(deque_item) *slots = deque->slots;
    uint64_t mask = deque->mask;
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal, as in push */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    uint64_t room = mask + 1 - (bottom - top);
    if (n > room)
        n = (size_t)room;
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&slots[(bottom + i) & mask], items[i], memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the whole batch */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    return n;
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
    return ring_take(victim, top, item);
}
