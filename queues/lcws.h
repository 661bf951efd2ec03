/* lcws.h: the split deque of low-cost work stealing: fences only for items that thieves have requested.
 *
 * G. Rito, H. Paulino: Scheduling computations with provably low synchronization overheads, Journal of Scheduling 25,
 * 2022; R. Custódio, H. Paulino, G. Rito: Efficient synchronization-light work stealing, SPAA 2023.
 *
 * Three indices: thieves can take the items from top to public_bottom; those from there to bottom are the owner's
 * alone. The owner pushes and pops in the private part by plain loads and stores. A thief that finds nothing public,
 * but something private, sets `targeted`; the owner then exposes its oldest private item, one, by raising
 * public_bottom. An owner without private items pops from the public part as from a deque without parts: with a fence,
 * and with a CAS for the last item.
 *
 * Claimed there: of a computation of work W and critical path L on P processors, the expected costs of CASes and fences
 * are O(P L), whatever W is, and its time O(W / P + L), as with ABP's deque (2022); with signals, at least 65 % of the
 * programs of a benchmark suite gain on ABP's deque, on each of three computers (2023).
 *
 * What differs from lace.h: one item is exposed a request, by a store where Lace moves half by a CAS; one is taken back
 * at a time, by a fence where Lace takes half by a CAS. So thieves and owner share less, and nothing has to be packed
 * into one word: no tag, no limit to the length.
 *
 * Where this departs from the papers, and why:
 * - Signals are left out. There (2023) a thief interrupts the owner by pthread_kill, whose handler exposes an item: the
 *   wait is bounded whatever the owner does. A deque does not know its owner's thread, which may change, and can have
 *   neither a handler of the process nor thread-local variables. So the owner answers at its next push, pop or poll, as
 *   in 2022; one that does none of these keeps its private items.
 * - There, the public part is ABP's on a linear array. Here it is that of Chase and Lev on a ring, so that room freed
 * by thieves can be used at once: below a private part that is never empty, it would be lost for ever.
 * - A request stands until there is something to expose. A thief that knows of one does not look at bottom, which is on
 *   the owner's line. An owner that has seen the public part empty needs no fence to see it again.
 *
 * Mode orders: of steal, as in chase_lev.h. The papers leave the choice open.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_POLL + DEQUE_PLACES)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "lcws", .title = "LCWS", .source = "Rito, Paulino: J. Scheduling 2022; Custódio et al.: SPAA 2023",      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .one_a_request = true, .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,       \
        .steal_progress = DEQUE_BLOCKING, .mode = "orders", .mode_values = "accesses|fences",                          \
    }

enum lcws_orders { LCWS_ACCESSES, LCWS_FENCES };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;           /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(DEQUE_LINE) _Atomic bool targeted;          /* set by thieves, cleared by the owner */
    alignas(DEQUE_LINE) _Atomic uint64_t public_bottom; /* one past the newest public item; written by the owner */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;        /* one past the newest; this line: written by the owner alone */
    uint64_t top_seen;                                  /* top, as the owner last knew it */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
    enum lcws_orders orders;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > LCWS_FENCES)
        return EINVAL;
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->orders = config->mode == LCWS_FENCES ? LCWS_FENCES : LCWS_ACCESSES;
    deque->top_seen = config->first_index;
    atomic_init(&deque->targeted, false);
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->public_bottom, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* Owner, on request. Makes its oldest private item public, if it has one. */
DEQUE_SLOW_PATH void lcws_expose(struct deque *deque) {
    uint64_t public_bottom = atomic_load_explicit(&deque->public_bottom, memory_order_relaxed);
    if (public_bottom == atomic_load_explicit(&deque->bottom, memory_order_relaxed))
        return;
    /* release: pairs with the acquire of public_bottom in deque_steal; publishes the slot and what the item points to
     */
    atomic_store_explicit(&deque->public_bottom, public_bottom + 1, memory_order_release);
    atomic_store_explicit(&deque->targeted, false, memory_order_relaxed);
}

/* Owner, also between its other work: answers a request. */
DEQUE_OPERATION void deque_poll(struct deque *deque) {
    if (atomic_load_explicit(&deque->targeted, memory_order_relaxed))
        lcws_expose(deque);
}

/* Owner. Is there room at bottom, by what it knows of top? */
DEQUE_OPERATION bool lcws_room(const struct deque *deque, uint64_t bottom) {
    return bottom - deque->top_seen <= deque->mask;
}

/* Owner, with room. */
DEQUE_OPERATION void lcws_put(struct deque *deque, deque_item item, uint64_t bottom) {
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
}

/* Owner, when there is a request to answer, or no room that it knows of. */
DEQUE_SLOW_PATH enum deque_result lcws_push_slowly(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (!lcws_room(deque, bottom))
        /* acquire: pairs with the CAS in deque_steal; the thief has read the slot before we write it again */
        deque->top_seen = atomic_load_explicit(&deque->top, memory_order_acquire);
    bool room = lcws_room(deque, bottom);
    if (room)
        lcws_put(deque, item, bottom);
    deque_poll(deque);
    return room ? DEQUE_OK : DEQUE_FULL;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (!lcws_room(deque, bottom) || atomic_load_explicit(&deque->targeted, memory_order_relaxed))
        return lcws_push_slowly(deque, item);
    lcws_put(deque, item, bottom);
    return DEQUE_OK;
}

/* Owner, without private items. Takes the newest public one back; 0 when there is none. */
DEQUE_OPERATION deque_item lcws_take_back(struct deque *deque, uint64_t newest) {
    if ((int64_t)(newest - deque->top_seen) < 0)
        return (deque_item)0;
    deque_item item = atomic_load_explicit(&deque->slots[newest & deque->mask], memory_order_relaxed);
    /* release, here and below: pairs with the acquire of public_bottom in deque_steal, which may read any of our stores
     * of it and must see every slot below */
    atomic_store_explicit(&deque->public_bottom, newest, memory_order_release);
    /* pairs with the fence in deque_steal: either the thief sees the lowered public_bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    /* acquire: pairs with the CAS in deque_steal; thieves have read the slots below before we write them again */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    deque->top_seen = top;
    if ((int64_t)(newest - top) > 0) {
        atomic_store_explicit(&deque->bottom, newest, memory_order_relaxed);
        return item;
    }
    /* The last item: whoever moves top has it. relaxed: the fence is between our stores and this one. */
    if (newest != top || !atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_relaxed,
                                                                  memory_order_relaxed))
        item = (deque_item)0;
    atomic_store_explicit(&deque->public_bottom, newest + 1, memory_order_release);
    return item;
}

DEQUE_SLOW_PATH deque_item lcws_pop_slowly(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == atomic_load_explicit(&deque->public_bottom, memory_order_relaxed))
        return lcws_take_back(deque, bottom - 1);
    bottom--;
    deque_item item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
    deque_poll(deque);
    return item;
}

/* Owner. bottom: as loaded; expected: what the caller expects. If they agree, we go on with expected (DEQUE_PLACES). */
DEQUE_OPERATION enum deque_result lcws_pop(struct deque *deque, deque_item *item, uint64_t bottom, uint64_t expected) {
    if (bottom != expected || expected == atomic_load_explicit(&deque->public_bottom, memory_order_relaxed) ||
        atomic_load_explicit(&deque->targeted, memory_order_relaxed))
        return (*item = lcws_pop_slowly(deque)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
    expected--;
    *item = atomic_load_explicit(&deque->slots[expected & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, expected, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    return lcws_pop(deque, item, bottom, bottom);
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    return lcws_pop(deque, item, atomic_load_explicit(&deque->bottom, memory_order_relaxed), place + 1);
}

/* EMPTY says that nothing is public; an owner with private items is then asked for one. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t top, public_bottom;
    (void)self;
    if (victim->orders == LCWS_ACCESSES) {
        /* seq_cst, both: pair with the fence in lcws_take_back, and as acquire with what the acquires below pair with
         */
        top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
        public_bottom = atomic_load_explicit(&victim->public_bottom, memory_order_seq_cst);
    } else {
        /* acquire: pairs with the fence in lcws_take_back and its CAS behind that, so that public_bottom below is not
         * from before */
        top = atomic_load_explicit(&victim->top, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in lcws_take_back */
        /* acquire: pairs with the release stores of public_bottom */
        public_bottom = atomic_load_explicit(&victim->public_bottom, memory_order_acquire);
    }
    if ((int64_t)(public_bottom - top) <= 0) {
        if (!atomic_load_explicit(&victim->targeted, memory_order_relaxed) &&
            (int64_t)(atomic_load_explicit(&victim->bottom, memory_order_relaxed) - public_bottom) > 0)
            atomic_store_explicit(&victim->targeted, true, memory_order_relaxed);
        return DEQUE_EMPTY;
    }
    deque_item taken = atomic_load_explicit(&victim->slots[top & victim->mask], memory_order_relaxed);
    /* seq_cst: pairs with the fence in lcws_take_back and the acquires of top there and in lcws_push_slowly; after it
     * the slot may be written again */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
