/* as_published/chase_lev.h: the CL queue exactly as a published listing prints it, to show that the checks catch it.
 *
 * S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025, figure 2.8. A right one is in
 * ../chase_lev.h. Faults of the listing, the first two reached by one thread alone:
 *
 * 1. Counters are unsigned and compared as such (line 14). Pop of a fresh deque: bottom becomes 2^64 - 1, which is more
 *    than top, and the content of the last slot, nothing, is handed out.
 * 2. `bottom - top > CAPACITY` (line 5) ought to be `>=`. Push CAPACITY + 1 items: the last overwrites the first, which
 *    is lost, and comes out twice itself.
 * 3. A lost race for the last item leaves bottom lowered (line 23; the thesis's own figure 3.6 restores it). Push A;
 *    the owner's pop reads top; a thief takes A; the owner's CAS fails. bottom is now below top, bottom - top is huge,
 *    and the empty deque refuses the next push as full.
 * 4. The array is plain: a thief that is about to lose may read a slot that the owner is writing. A data race.
 *
 * Where the listing gives no memory order, it means sequentially consistent; only the owner writes `bottom`, so it is
 * incremented by a load and a store.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/chase_lev", .title = "Chase-Lev, as printed", .source = "Duwadi 2025, figure 2.8",         \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault = "a fresh pop hands out nothing; one push too many overwrites; a lost race leaves bottom lowered",     \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    _Atomic uint64_t top;
    deque_item *queue;
    uint64_t capacity;
};

/* Counters start at 0, as in the listing, wherever a test would have them start. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint64_t last;
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->queue, &last);
    if (error)
        return error;
    for (size_t i = 0; i <= last; i++)
        deque->queue[i] = (deque_item)0;
    deque->capacity = last + 1;
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->queue); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
    if (bottom - top > deque->capacity) /* fault 2 */
        return DEQUE_FULL;
    deque->queue[bottom % deque->capacity] = item;
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_seq_cst);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t local_bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst) - 1;
    atomic_store_explicit(&deque->bottom, local_bottom, memory_order_seq_cst);
    uint64_t local_top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
    if (local_top > local_bottom) { /* fault 1 */
        atomic_store_explicit(&deque->bottom, local_top, memory_order_seq_cst);
        return DEQUE_EMPTY;
    }
    *item = deque->queue[local_bottom % deque->capacity];
    if (local_bottom > local_top)
        return DEQUE_OK;
    if (atomic_compare_exchange_strong_explicit(&deque->top, &local_top, local_top + 1, memory_order_seq_cst,
                                                memory_order_seq_cst)) {
        atomic_store_explicit(&deque->bottom, local_bottom + 1, memory_order_seq_cst);
        return DEQUE_OK;
    }
    return DEQUE_EMPTY; /* fault 3 */
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t old_top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
    if (atomic_load_explicit(&victim->bottom, memory_order_seq_cst) <= old_top)
        return DEQUE_EMPTY;
    *item = victim->queue[old_top % victim->capacity]; /* fault 4 */
    if (atomic_compare_exchange_strong_explicit(&victim->top, &old_top, old_top + 1, memory_order_seq_cst,
                                                memory_order_seq_cst))
        return DEQUE_OK;
    return DEQUE_LOST;
}
