/* as_shipped/charm_taskqueue.h: Charm++'s task queue, where a repair brought the next fault.
 *
 * Source: github.com/charmplusplus/charm, src/conv-core/taskqueue.h. Issue 1345 (January 2017) says that push may
 * publish an item before its slot. fce7e5d59 repaired that with a fence. It also moved a thief's read of the slot
 * behind its CAS, as the issue proposes. That is the fault shown here: releases since 6.8.0 have it, still in 2026.
 * The algorithm is Chase-Lev by its operations, though the source calls it Cilk's THE.
 *
 * The fault: when a thief has moved head, the slot is free. The owner may push into it before the thief has read it.
 * Then the thief gets the new item, which comes out twice, and the old one is lost. The same was reported of another
 * deque, github.com/ssbl/concurrent-deque, in its issue 2 (March 2021).
 *
 * Form "before" is the one of issue 1345, for which it takes weak memory. Form "repaired" reads first, and has a fence
 * in steal, without which it would be right on x86 alone.
 *
 * What differs: here push refuses an item when the ring is full. Charm++'s push does not ask and overwrites item 0 with
 * item 1024. The capacity is a setting. The queue's fences are full ones here as there; its plain integers are atomic.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/charm_taskqueue", .title = "Charm++'s task queue, as shipped",                               \
        .source = "Charm++ since fce7e5d59", .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED,                          \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_WAIT_FREE,       \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE, .mode = "code",                            \
        .mode_values = "shipped|before|repaired",                                                                      \
        .fault = "a thief reads its slot after it has given it away: one item lost, another comes out twice",          \
    }

enum charm_form { CHARM_SHIPPED, CHARM_BEFORE, CHARM_REPAIRED };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;    /* theirs: head */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* theirs: tail */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
    enum charm_form form;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > 2)
        return EINVAL;
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->form = config->mode == 1 ? CHARM_BEFORE : config->mode == 2 ? CHARM_REPAIRED : CHARM_SHIPPED;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#define deque_push charm_push_repaired
#include "../parts/chase_lev.h"
#undef deque_push

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    if (deque->form != CHARM_BEFORE)
        return charm_push_repaired(deque, item);
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom - atomic_load_explicit(&deque->top, memory_order_acquire) > deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* issue 1345: nothing orders the slot before tail */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return DEQUE_OK;
}

/* A lost race is reported; Charm++'s thief tries again. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire), at = top;
    if (victim->form == CHARM_REPAIRED)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    if (victim->form != CHARM_SHIPPED)
        return ring_take(victim, top, item);
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    /* the fault: the slot is the owner's again */
    *item = atomic_load_explicit(&victim->slots[at & victim->mask], memory_order_relaxed);
    return DEQUE_OK;
}
