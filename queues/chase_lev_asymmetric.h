/* chase_lev_asymmetric.h: the deque of Chase and Lev with an asymmetric fence: none in pop, an expensive one in steal.
 *
 * Differs from chase_lev.h in the two fences alone. The owner's is no instruction (deque_fence_light). A thief that
 * sees an item makes all threads of the process run a fence, by a system call (deque_fence_heavy).
 *
 * D. Dice, H. Huang, M. Yang: Asymmetric Dekker synchronization, 2001, have the idea; E. Ladan-Mozes, I-T. A. Lee,
 * D. Vyukov: Location-based memory fences, SPAA 2011, put it into the deque of Cilk, with hardware that makes the
 * expensive side cheap; Folly's and Tokio's hazard pointers and epochs use it by this system call. It shows the effect
 * of the idea alone: pops cost as much as an array's, each steal a system call.
 *
 * Why it is right is in parts/fences.h: a light fence and a heavy one order as two sequentially consistent fences do,
 * and with those this is chase_lev.h. Where the kernel has no such fence, the owner has its full one back.
 */
#include "deque.h"
#include "parts/fences.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "chase_lev_asymmetric", .title = "Chase-Lev, asymmetric",                                                \
        .source = "Chase, Lev: SPAA 2005; Dice, Huang, Yang 2001; Ladan-Mozes, Lee, Vyukov: SPAA 2011",                \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE, .asymmetric_fences = true,                                                  \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;       /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;    /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots; /* this line: never written after deque_init */
    uint64_t mask;
    bool asymmetric; /* the fences' kind; else the owner fences itself */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->asymmetric = deque_fences_asymmetric();
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    /* release: pairs with the acquire of bottom in steal, as each store of it below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* either fence pairs with the heavy one in steal: either the thief sees the lowered bottom, or we the raised top */
    if (!deque->asymmetric)
        atomic_thread_fence(memory_order_seq_cst);
    else
        deque_fence_light();
    return atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#include "parts/chase_lev.h"

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the CAS of the thief before us, so that bottom below is at least as new */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire);
    /* relaxed: the value may be old, and then the deque was empty a moment ago; the item to take is looked for again
     * below */
    if ((int64_t)(atomic_load_explicit(&victim->bottom, memory_order_relaxed) - top) <= 0)
        return DEQUE_EMPTY;
    deque_fence_heavy(victim->asymmetric); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of bottom in push and pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    return ring_take(victim, top, item);
}
