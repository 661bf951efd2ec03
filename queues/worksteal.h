/* worksteal.h: the deque of "Work-stealing from first principles", made right: Chase-Lev without a fence.
 *
 * Differs from chase_lev.h in that it has no fences: the four accesses that meet are sequentially consistent
 * themselves. The owner stores bottom, then loads top; a thief loads top, then bottom. The price is that store in pop,
 * an exchange on x86, in place of a store and a fence.
 *
 * Ilzam: Work-stealing from first principles, April 2026 (blog, Rust), itself after D. Chase, Y. Lev: Dynamic circular
 * work-stealing deque, SPAA 2005; on a ring of fixed capacity.
 *
 * What differs from the listing, which as_published/worksteal.h keeps: a thief reads a slot and takes its item only by
 * the CAS; there it emptied the slot first; slots are atomic; pop's load of top and both of steal's are sequentially
 * consistent; push is refused when the ring is full; every store of bottom is at least a release store; a lost race is
 * not called empty; indices may wrap.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "worksteal", .title = "worksteal", .source = "Ilzam 2026 (blog)", .owner_order = DEQUE_LIFO,             \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;    /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    /* seq_cst, both: pair with the two loads in steal; either the thief sees the lowered bottom, or we see the raised
     * top. As a release the store publishes every slot below to a thief that reads it. */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_seq_cst);
    return atomic_load_explicit(&deque->top, memory_order_seq_cst);
}

#include "parts/chase_lev.h"

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* seq_cst, both: pair with the store of bottom and the load of top in pop; as acquires, with the CAS of the thief
     * before us and with the stores of bottom */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    return ring_take(victim, top, item);
}
