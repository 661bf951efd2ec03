/* lace.h: the split deque of Lace: a private part for the owner, a shared one for thieves.
 *
 * T. van Dijk, J. C. van de Pol: Lace: non-blocking split deque for work-stealing, MuCoCoS at Euro-Par 2014.
 *
 * In lace.h at Lace 1.4, shared (tail and length) is ts (tail and split), requested movesplit and allstolen (see
 * below), and lace_take_back lace_shrink_shared.
 *
 * The owner pushes and pops in the private part at no cost in order. Thieves take the oldest item of the shared part by
 * a CAS. A thief that finds the shared part empty leaves a request; the owner answers it at its next push, pop or poll
 * by moving half of its private items into the shared part. An owner without private items takes back half of the
 * shared ones. So both sides meet only where the boundary moves. If an owner does none of these, thieves cannot get its
 * private items.
 *
 * Where this departs from the paper, and why:
 * - There, a stolen task stays in the array until its result is taken; here items leave. So the array is a ring, and a
 *   thief reads the item before its CAS; a tag, counted up whenever the owner takes something back, makes the CAS fail
 *   when the slot may have changed.
 * - There, the owner writes its half of the word of tail and split alone, and fences. C11 has no such accesses of mixed
 *   size: the owner moves the boundary by a CAS.
 *   The tag has 24 bits. A thief that sleeps in between until the owner has taken something back a multiple of 2^24
 *   times, and finds tail and length as they were, takes an old item for a new one; in the paper nothing could change.
 * - A request also serves as the flag "all stolen": it stays set until there is something to share.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_POLL + DEQUE_PLACES + DEQUE_PUSH_AT + DEQUE_RESERVE)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "lace", .title = "Lace", .source = "van Dijk, van de Pol: Euro-Par 2014 workshops",                      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

#define LACE_CAPACITY_MAX ((size_t)1 << 22)
#define LACE_SHARED_MAX UINT16_MAX

/* The shared part in one word: its length in the upper 16 bits, then a tag of 24 bits and, in the lower 24, its oldest
 * position (`tail`, as in the paper). Positions count modulo 2^24 there, modulo 2^32 for the owner. */
struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t shared; /* thieves and the owner, by CAS */
    alignas(DEQUE_LINE) _Atomic bool requested;  /* set by thieves, cleared by the owner */
    alignas(DEQUE_LINE) _Atomic uint32_t head;   /* one past the newest; this line: written by the owner alone */
    uint32_t split;                              /* one past the newest shared item */
    uint32_t limit;                              /* where head has no free slot, as the owner last knew tail */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint32_t mask;
};

DEQUE_OPERATION uint32_t lace_tail(uint64_t shared) { return (uint32_t)(shared & 0xffffff); }
DEQUE_OPERATION uint32_t lace_tag(uint64_t shared) { return (uint32_t)(shared >> 24 & 0xffffff); }
DEQUE_OPERATION uint32_t lace_length(uint64_t shared) { return (uint32_t)(shared >> 48); }
DEQUE_OPERATION uint64_t lace_shared(uint32_t tail, uint32_t tag, uint32_t length) {
    return (uint64_t)length << 48 | (uint64_t)(tag & 0xffffff) << 24 | (tail & 0xffffff);
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint64_t mask;
    int error = ring_make(config, 1024, LACE_CAPACITY_MAX, &deque->slots, &mask);
    if (error)
        return error;
    uint32_t first = (uint32_t)config->first_index;
    deque->mask = (uint32_t)mask;
    deque->split = first;
    deque->limit = first + deque->mask + 1;
    atomic_init(&deque->head, first);
    atomic_init(&deque->shared, lace_shared(first, first, 0));
    atomic_init(&deque->requested, false);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    uint32_t size = (head - lace_tail(atomic_load_explicit(&deque->shared, memory_order_relaxed))) & 0xffffff;
    return size <= deque->mask + 1 ? size : 0; /* more: the two were not read at once */
}

/* Owner, on request. Moves half of the private items into the shared part, if there are any and the word has room. */
DEQUE_SLOW_PATH void lace_share(struct deque *deque) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed), more = (head - deque->split + 1) / 2;
    uint64_t shared = atomic_load_explicit(&deque->shared, memory_order_relaxed), next;
    if (more == 0)
        return;
    do {
        if (more > LACE_SHARED_MAX - lace_length(shared))
            more = LACE_SHARED_MAX - lace_length(shared);
        next = lace_shared(lace_tail(shared), lace_tag(shared), lace_length(shared) + more);
        /* release: pairs with the acquire of shared in steal; publishes the slots and what the items point to. Fails
         * only when a thief has taken one of the items that were shared before */
    } while (!atomic_compare_exchange_strong_explicit(&deque->shared, &shared, next, memory_order_release,
                                                      memory_order_relaxed));
    deque->split += more;
    atomic_store_explicit(&deque->requested, false, memory_order_relaxed);
}

/* Owner, without private items. Takes back the newer half of the shared ones; false when there are none. */
DEQUE_SLOW_PATH bool lace_take_back(struct deque *deque) {
    uint64_t shared = atomic_load_explicit(&deque->shared, memory_order_relaxed), next;
    uint32_t kept;
    do {
        if (lace_length(shared) == 0)
            return false;
        kept = lace_length(shared) / 2;
        next = lace_shared(lace_tail(shared), lace_tag(shared) + 1, kept);
        /* relaxed: what we take back we have written ourselves. Fails only when a thief has taken one */
    } while (!atomic_compare_exchange_strong_explicit(&deque->shared, &shared, next, memory_order_relaxed,
                                                      memory_order_relaxed));
    deque->split -= lace_length(shared) - kept;
    return true;
}

/* Owner, when it knows of no free slot. Reads how many items are left by thieves. */
DEQUE_OPERATION bool lace_full(struct deque *deque, uint32_t head) {
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint32_t tail = deque->split - lace_length(atomic_load_explicit(&deque->shared, memory_order_acquire));
    deque->limit = tail + deque->mask + 1;
    return head == deque->limit;
}

/* Owner, also between its other work: answers a request. */
DEQUE_OPERATION void deque_poll(struct deque *deque) {
    if (atomic_load_explicit(&deque->requested, memory_order_relaxed))
        lace_share(deque);
}

/* Owner, when there is a request to answer, or no room that it knows of. */
DEQUE_SLOW_PATH enum deque_result lace_push_slowly(struct deque *deque, deque_item item) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if (head == deque->limit && lace_full(deque, head))
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[head & deque->mask], item, memory_order_relaxed);
    atomic_store_explicit(&deque->head, head + 1, memory_order_relaxed);
    deque_poll(deque);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push_at(struct deque *deque, deque_item item, uint64_t place) {
    uint32_t head = (uint32_t)place;
    if (head == deque->limit || atomic_load_explicit(&deque->requested, memory_order_relaxed))
        return lace_push_slowly(deque, item);
    atomic_store_explicit(&deque->slots[head & deque->mask], item, memory_order_relaxed);
    atomic_store_explicit(&deque->head, head + 1, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_at(deque, item, atomic_load_explicit(&deque->head, memory_order_relaxed));
}

typedef _Atomic(deque_item) deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) {
    atomic_store_explicit(slot, item, memory_order_relaxed); /* relaxed: what is shared is published later */
}

DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if (deque->limit - head < n)
        (void)lace_full(deque, head); /* looks what thieves have taken */
    *span = deque_run(deque->mask, head, n < deque->limit - head ? n : deque->limit - head);
    return *span > 0 ? deque->slots + (head & deque->mask) : NULL;
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    atomic_store_explicit(&deque->head, head + (uint32_t)n, memory_order_relaxed);
    deque_poll(deque);
    return n;
}

DEQUE_SLOW_PATH deque_item lace_pop_slowly(struct deque *deque) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if (head == deque->split && !lace_take_back(deque))
        return (deque_item)0;
    head--;
    deque_item item = atomic_load_explicit(&deque->slots[head & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->head, head, memory_order_relaxed);
    deque_poll(deque);
    return item;
}

/* Owner. head: as loaded; expected: what the caller expects. If they agree, we go on with expected (DEQUE_PLACES). */
DEQUE_OPERATION enum deque_result lace_pop(struct deque *deque, deque_item *item, uint32_t head, uint32_t expected) {
    if (head != expected || expected == deque->split || atomic_load_explicit(&deque->requested, memory_order_relaxed))
        return (*item = lace_pop_slowly(deque)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
    expected--;
    *item = atomic_load_explicit(&deque->slots[expected & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->head, expected, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    return lace_pop(deque, item, head, head);
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->head, memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    return lace_pop(deque, item, atomic_load_explicit(&deque->head, memory_order_relaxed), (uint32_t)place + 1);
}

/* Head is never lowered below tail: what thieves have had is used again after a round of the ring alone. */
DEQUE_OPERATION enum deque_result deque_pop_own(struct deque *deque, deque_item item, uint64_t place) {
    uint32_t expected = (uint32_t)place + 1;
    (void)item;
    if (atomic_load_explicit(&deque->head, memory_order_relaxed) != expected || expected == deque->split ||
        atomic_load_explicit(&deque->requested, memory_order_relaxed))
        return DEQUE_EMPTY;
    atomic_store_explicit(&deque->head, (uint32_t)place, memory_order_relaxed);
    return DEQUE_OK;
}

/* EMPTY says that nothing is shared; the owner is then asked to share. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the release of shared in lace_share */
    uint64_t shared = atomic_load_explicit(&victim->shared, memory_order_acquire);
    uint32_t tail = lace_tail(shared);
    if (lace_length(shared) == 0) {
        if (!atomic_load_explicit(&victim->requested, memory_order_relaxed))
            atomic_store_explicit(&victim->requested, true, memory_order_relaxed);
        return DEQUE_EMPTY;
    }
    deque_item taken = atomic_load_explicit(&victim->slots[tail & victim->mask], memory_order_relaxed);
    uint64_t next = lace_shared(tail + 1, lace_tag(shared), lace_length(shared) - 1);
    /* release: pairs with the acquire of shared in lace_full; after it the slot may be written again */
    if (!atomic_compare_exchange_strong_explicit(&victim->shared, &shared, next, memory_order_release,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
