/* volt.h: the ring of Volt's workers, FIFO, from which thieves take half into rings of their own, after checking that
 * it fits.
 *
 * Algorithm of Volt's documentation, "Chase-Lev work-stealing deque" (Zig), itself after Tokio's: tokio.h says how it
 * works and what it costs.
 *
 * What differs from the listing, which as_published/volt.h keeps: nothing is stolen into a ring more than half full;
 * a lost race and a steal under way are not called empty; slots are relaxed, and the loads and claims that need no
 * acquire have none, as the model checker allows. The capacity is a setting; a thief without a ring takes one item, or
 * a share, into an array by the same three steps; LIFO slot and global queue belong to the pool, which calls volt_spill
 * when push says FULL.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "volt", .title = "Volt ring", .source = "Volt documentation", .owner_order = DEQUE_FIFO,                 \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_BLOCKING,            \
    }

#define DEQUE_SPILL volt_spill

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* steal in the upper half, real in the lower; by CAS */
    alignas(DEQUE_LINE) _Atomic uint32_t tail; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint32_t mask;
};

#include "parts/claims.h"

DEQUE_OPERATION _Atomic(deque_item) *volt_slot(struct deque *deque, uint32_t position) {
    return &deque->slots[position & deque->mask];
}

/* Positions start at the lower half of first_index. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint32_t first = (uint32_t)config->first_index;
    uint64_t mask;
    int error = ring_make(config, 256, RING_MAX_32, &deque->slots, &mask);
    if (error)
        return error;
    deque->mask = (uint32_t)mask;
    atomic_init(&deque->head, ring_head(first, first));
    atomic_init(&deque->tail, first);
    return 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the release of head in ring_release; a thief has read the slots below steal before we write
     * them again */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    if (tail - ring_steal(head) > deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(volt_slot(deque, tail), item, memory_order_relaxed);
    /* release: pairs with the acquire of tail in ring_claim; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    for (;;) {
        uint32_t real = ring_real(head);
        if (real == atomic_load_explicit(&deque->tail, memory_order_relaxed))
            return DEQUE_EMPTY;
        uint32_t steal = ring_steal(head) == real ? real + 1 : ring_steal(head);
        /* release: pairs with the acquire of head in ring_claim; a thief that finds real here finds tail beyond it */
        if (atomic_compare_exchange_weak_explicit(&deque->head, &head, ring_head(steal, real + 1), memory_order_release,
                                                  memory_order_relaxed)) {
            *item = atomic_load_explicit(volt_slot(deque, real), memory_order_relaxed);
            return DEQUE_OK;
        }
    }
}

/* Owner: the older half, or the one slot. After 0 and FULL again, the item alone goes to the global queue. */
DEQUE_SLOW_PATH size_t volt_spill(struct deque *deque, deque_item *items, size_t max) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    uint32_t capacity = deque->mask + 1, half = capacity - capacity / 2, real = ring_real(head);
    if (ring_steal(head) != real || tail - real != capacity || max < half)
        return 0;
    /* release: pairs with the acquire of head in ring_claim, as in pop */
    if (!atomic_compare_exchange_strong_explicit(&deque->head, &head, ring_head(real + half, real + half),
                                                 memory_order_release, memory_order_relaxed))
        return 0;
    for (uint32_t i = 0; i < half; i++)
        items[i] = atomic_load_explicit(volt_slot(deque, real + i), memory_order_relaxed);
    return half;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint32_t first, count;
    (void)self;
    enum deque_result result = ring_claim(victim, 0, 1, &first, &count);
    if (result != DEQUE_OK)
        return result;
    *item = atomic_load_explicit(volt_slot(victim, first), memory_order_relaxed);
    ring_release(victim, first, 1);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    _Atomic(deque_item) *slots = victim->slots;
    uint32_t first, count, mask = victim->mask;
    (void)self;
    *n = 0;
    enum deque_result result = ring_claim(victim, percent, max, &first, &count);
    if (result != DEQUE_OK)
        return result;
    for (uint32_t i = 0; i < count; i++)
        out[i] = atomic_load_explicit(&slots[(first + i) & mask], memory_order_relaxed);
    ring_release(victim, first, count);
    *n = count;
    return DEQUE_OK;
}

/* The oldest of the stolen items is to run at once, the others, half a ring at most, are put into self. Refused while
 * self is more than half full: in the listing they are written over what self holds. Slots that a thief of self has yet
 * to read count as full. A refusal is LOST when there was something to steal. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    _Atomic(deque_item) *from = victim->slots, *to = self->slots;
    uint32_t position, count, from_mask = victim->mask, to_mask = self->mask;
    uint32_t capacity = to_mask + 1;
    uint32_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed);
    /* acquire: pairs with the release of head in ring_release, as in push */
    uint32_t used = tail - ring_steal(atomic_load_explicit(&self->head, memory_order_acquire));
    *moved = 0;
    if (used > capacity / 2)
        return deque_size(victim) > 0 ? DEQUE_LOST : DEQUE_EMPTY;
    enum deque_result result = ring_claim(victim, 0, capacity / 2 + 1, &position, &count);
    if (result != DEQUE_OK)
        return result;
    *first = atomic_load_explicit(&from[position & from_mask], memory_order_relaxed);
    for (uint32_t i = 1; i < count; i++) {
        deque_item item = atomic_load_explicit(&from[(position + i) & from_mask], memory_order_relaxed);
        atomic_store_explicit(&to[(tail + i - 1) & to_mask], item, memory_order_relaxed);
    }
    if (count > 1)
        /* release: pairs with the acquire of tail in ring_claim */
        atomic_store_explicit(&self->tail, tail + count - 1, memory_order_release);
    ring_release(victim, position, count);
    *moved = count - 1;
    return DEQUE_OK;
}
