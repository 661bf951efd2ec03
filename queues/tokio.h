/* tokio.h: the run queue of Tokio's workers, a FIFO ring from which thieves take half into rings of their own.
 *
 * Algorithm of tokio/src/runtime/scheduler/multi_thread/queue.rs after pull request 8029 (2026). Head packs two 32-bit
 * positions: real, where the next item is taken, and steal, up to where slots are free. A thief claims items by moving
 * real alone, copies them out, and releases their slots by moving steal after real. While the two differ nobody else
 * steals; the owner goes on popping, and pushes as long as there are slots. Since items are claimed before they are
 * read, slots need not be atomic. Positions of 16 bits were an ABA fault in Tokio (issue 5041), hence 32.
 *
 * The price is a CAS in pop; push has none, and nobody has a fence.
 *
 * A thief that stops between claim and release keeps all other thieves out, and its slots occupied, until it goes on:
 * push is refused when the ring has come round to them, though fewer items than the capacity may be left inside.
 *
 * As in Tokio, head, tail and the pointer to the slots share a line. tokio_padded.h shows what that costs.
 *
 * What differs from Tokio: the capacity is a setting; a thief without a ring takes one item, or a share, into an array
 * by the same three steps; a lost race is reported where Tokio tries again; LIFO slot and overflow queue belong to the
 * pool, which calls tokio_spill when push says FULL.
 *
 * Orders: Tokio's pop loads head by acquire, and its pop and its thieves' CASes are acq_rel. Here pop loads it relaxed,
 * pop's CAS is a release, and a claim's and a release's are weaker, too. Pop needs no acquire: the owner wrote its
 * slots itself, and push acquires head before it writes one again. A claim needs no release: it publishes nothing, and
 * is part of the release sequence that it reads from. On x86 the code is the same.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "tokio", .title = "Tokio ring", .source = "Tokio, scheduler/multi_thread/queue.rs",                      \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_LOCK_FREE,              \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

#ifndef TOKIO_APART /* tokio_padded.h sets the fields apart */
#define TOKIO_APART
#endif
#define DEQUE_SPILL tokio_spill

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* steal in the upper half, real in the lower; by CAS */
    TOKIO_APART _Atomic uint32_t tail;         /* one past the newest; written by the owner alone */
    TOKIO_APART deque_item *slots;
    uint32_t mask;
};

#include "parts/claims.h"

/* Positions start at the lower half of first_index. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint32_t first = (uint32_t)config->first_index;
    uint64_t mask;
    int error = ring_make_plain(config, 256, RING_MAX_32, &deque->slots, &mask);
    if (error)
        return error;
    deque->mask = (uint32_t)mask;
    atomic_init(&deque->head, ring_head(first, first));
    atomic_init(&deque->tail, first);
    return 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the release of head in ring_release; a thief has read the slots below steal before we
     * write them again */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    if (tail - ring_steal(head) > deque->mask)
        return DEQUE_FULL;
    deque->slots[tail & deque->mask] = item;
    /* release: pairs with the acquire of tail in ring_claim; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the release of head in ring_release, as in push */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    uint32_t room = deque->mask + 1 - (tail - ring_steal(head));
    uint32_t count = n < room ? (uint32_t)n : room;
    deque_copy_in(deque->slots, deque->mask, tail, items, count);
    /* release: pairs with the acquire of tail in ring_claim; publishes the whole batch */
    atomic_store_explicit(&deque->tail, tail + count, memory_order_release);
    return count;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    for (;;) {
        uint32_t real = ring_real(head);
        if (real == tail)
            return DEQUE_EMPTY;
        uint32_t steal = ring_steal(head) == real ? real + 1 : ring_steal(head);
        /* release: pairs with the acquire of head in ring_claim; a thief that finds real here finds tail beyond it */
        if (atomic_compare_exchange_weak_explicit(&deque->head, &head, ring_head(steal, real + 1), memory_order_release,
                                                  memory_order_relaxed)) {
            *item = deque->slots[real & deque->mask];
            return DEQUE_OK;
        }
    }
}

/* Owner: the newer half, so that what came from the overflow queue does not go back there; or the one slot. After 0 and
 * FULL again, the item alone goes there.
 *
 * The ring is emptied by one CAS; the older half is in the slots that follow tail, which a store of tail puts back. */
DEQUE_SLOW_PATH size_t tokio_spill(struct deque *deque, deque_item *items, size_t max) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    uint32_t capacity = deque->mask + 1, kept = capacity / 2, real = ring_real(head);
    if (ring_steal(head) != real || tail - real != capacity || max < capacity - kept)
        return 0;
    /* release: pairs with the acquire of head in ring_claim, as in pop */
    if (!atomic_compare_exchange_strong_explicit(&deque->head, &head, ring_head(tail, tail), memory_order_release,
                                                 memory_order_relaxed))
        return 0;
    /* release, as every store of tail; the older half was published before, and by the CAS again */
    atomic_store_explicit(&deque->tail, tail + kept, memory_order_release);
    deque_copy_out(deque->slots, deque->mask, real + kept, items, capacity - kept);
    return capacity - kept;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint32_t first, count;
    (void)self;
    enum deque_result result = ring_claim(victim, 0, 1, &first, &count);
    if (result != DEQUE_OK)
        return result;
    *item = victim->slots[first & victim->mask];
    ring_release(victim, first, 1);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    uint32_t first, count;
    (void)self;
    *n = 0;
    enum deque_result result = ring_claim(victim, percent, max, &first, &count);
    if (result != DEQUE_OK)
        return result;
    deque_copy_out(victim->slots, victim->mask, first, out, count);
    ring_release(victim, first, count);
    *n = count;
    return DEQUE_OK;
}

/* The newest of the stolen items is to run at once, the others, half a ring at most, are put into self. Refused while
 * self is more than half full, as in Tokio, so that they fit; slots that a thief of self has yet to read count as full.
 * A refusal is LOST when there was something to steal. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint32_t position, count, capacity = self->mask + 1;
    uint32_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed);
    /* acquire: pairs with the release of head in ring_release, as in push */
    uint32_t used = tail - ring_steal(atomic_load_explicit(&self->head, memory_order_acquire));
    *moved = 0;
    if (used > capacity / 2)
        return deque_size(victim) > 0 ? DEQUE_LOST : DEQUE_EMPTY;
    enum deque_result result = ring_claim(victim, 0, capacity / 2 + 1, &position, &count);
    if (result != DEQUE_OK)
        return result;
    deque_copy_across(self->slots, self->mask, tail, victim->slots, victim->mask, position, count - 1);
    *first = victim->slots[(position + count - 1) & victim->mask];
    ring_release(victim, position, count);
    if (count > 1)
        /* release: pairs with the acquire of tail in ring_claim */
        atomic_store_explicit(&self->tail, tail + count - 1, memory_order_release);
    *moved = count - 1;
    return DEQUE_OK;
}
