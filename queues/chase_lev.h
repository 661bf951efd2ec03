/* chase_lev.h: the deque of Chase and Lev, on a ring of fixed capacity.
 *
 * D. Chase, Y. Lev: Dynamic circular work-stealing deque, SPAA 2005; memory orders after N. M. Le, A. Pop, A. Cohen,
 * F. Zappa Nardelli: Correct and efficient work-stealing for weak memory models, PPoPP 2013.
 *
 * The owner works at bottom, thieves at top. Only the last item is contended, by a CAS on top. The price is the fence
 * in pop: the owner's store of bottom must be seen before it looks at top.
 *
 * What differs from Le et al.: the ring does not grow; every store of bottom is a release store, where push has a
 * release fence before a relaxed one, and pop relaxed ones alone.
 *
 * Mode orders: in steal, "fences" has a fence between its loads of top and bottom, as Le et al. do; "accesses" makes
 * the two loads sequentially consistent instead, which on x86 are loads like any other: a thief then has one locked
 * instruction, its CAS, where it had two. Pop is the same in both. Why its fence is enough for such loads: suppose that
 * the owner takes item i without a CAS, and a thief takes it, too. Then the owner's load of top, after its fence,
 * missed the CAS that made top i; so the fence precedes this CAS in the total order of sequentially consistent
 * operations. The CAS precedes the thief's load of top, which reads from it, and that precedes the thief's load of
 * bottom. So the fence precedes the load of bottom, which therefore finds what was stored before the fence, i, or
 * something later: EMPTY, or another item pushed at i. (C11 7.17.3, paragraphs 9 and 10; C++20 and RC11 agree. Unlike
 * with fences, all three have to be sequentially consistent: both loads and the CAS of thieves.)
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE DEQUE_RESERVE
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "chase_lev", .title = "Chase-Lev", .source = "Chase, Lev: SPAA 2005; Le et al.: PPoPP 2013",             \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "orders", .mode_values = "fences|accesses",                         \
    }

enum chase_lev_orders { CHASE_LEV_FENCES, CHASE_LEV_ACCESSES };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;       /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;    /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots; /* this line: never written after deque_init */
    uint64_t mask;
    enum chase_lev_orders orders;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > CHASE_LEV_ACCESSES)
        return EINVAL;
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->orders = config->mode == CHASE_LEV_ACCESSES ? CHASE_LEV_ACCESSES : CHASE_LEV_FENCES;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

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
    /* release: pairs with the acquire of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

typedef _Atomic(deque_item) deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) {
    atomic_store_explicit(slot, item, memory_order_relaxed); /* relaxed: commit publishes it */
}

DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: as in push */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    int64_t room = (int64_t)deque->mask + 1 - (int64_t)(bottom - top);
    *span = room > 0 ? deque_run(deque->mask, bottom, n < (uint64_t)room ? n : (size_t)room) : 0;
    return *span > 0 ? deque->slots + (bottom & deque->mask) : NULL;
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* release: as in push */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    /* release, here and below: pairs with the acquire of bottom in steal, which may read any of our stores of it and
     * must see every slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    int64_t left = (int64_t)(bottom - top);
    if (left > 0) {
        *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
        return DEQUE_OK;
    }
    enum deque_result result = DEQUE_EMPTY;
    if (left == 0) {
        *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
        /* the last item: whoever moves top has it. seq_cst: pairs with the CAS in steal */
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            result = DEQUE_OK;
    }
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t top, bottom;
    (void)self;
    if (victim->orders == CHASE_LEV_ACCESSES) {
        /* seq_cst, both: pair with the fence in pop, and as acquire with what the acquires below pair with */
        top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
        bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    } else {
        /* acquire: pairs with the CAS of the thief before us, so that bottom below is at least as new */
        top = atomic_load_explicit(&victim->top, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
        /* acquire: pairs with the release stores of bottom in push and pop */
        bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    }
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    deque_item taken = atomic_load_explicit(&victim->slots[top & victim->mask], memory_order_relaxed);
    /* seq_cst: pairs with the CAS in pop and with the acquire of top in push; after it the slot may be reused */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
