/* multiplicity.h: loads and stores only, no fence and no read-modify-write on either side, at the price that an item
 * may come out more than once.
 *
 * A. Castañeda, M. Piña: Fully read/write fence-free work-stealing with multiplicity, DISC 2021; the weak form, on a
 * ring.
 *
 * First in, first out for everybody. A thread finds the oldest item at the larger of two positions: `head`, which every
 * thread writes after taking an item, and the position after the last item that it took itself. A slow thief may set
 * head back; then others take some items again, but none that they took themselves. Head never passes an item that
 * nobody has taken: a thread writes h + 1 only after taking h, which it found as head or by having taken h - 1.
 *
 * Where this departs from the paper, and why: there, the array has no end, and a place that is still empty shows that
 * there is no item. Here places are used again, and thieves look at tail. A thief's own last position is kept in the
 * victim, by the worker number of `self`; a thief that has none there goes by head alone, and may get an item again.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "multiplicity", .title = "multiplicity", .source = "Castañeda, Piña: DISC 2021",                         \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .needs_self = true, .sound = true, .aside = true, .delivery = DEQUE_AT_LEAST_ONCE,                             \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_WAIT_FREE,          \
    }

/* One thief's own: one past the last item that it has taken. */
struct multiplicity_thief {
    alignas(DEQUE_LINE) uint64_t head;
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* shared by all */
    alignas(DEQUE_LINE) _Atomic uint64_t tail; /* one past the newest; this line: written by the owner alone */
    _Atomic uint64_t front;                    /* the owner's own: everything below has been taken */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
    struct multiplicity_thief *thieves; /* by worker */
    unsigned workers, worker;           /* how many thieves may be known by their number; our own */
};

DEQUE_OPERATION uint64_t multiplicity_later(uint64_t a, uint64_t b) { return (int64_t)(a - b) > 0 ? a : b; }

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->workers = config->workers ? config->workers : 1;
    deque->thieves = DEQUE_ALLOC(deque->workers * sizeof *deque->thieves);
    if (!deque->thieves) {
        DEQUE_FREE(deque->slots);
        return ENOMEM;
    }
    for (unsigned i = 0; i < deque->workers; i++)
        deque->thieves[i].head = config->first_index;
    deque->worker = config->worker;
    atomic_init(&deque->head, config->first_index);
    atomic_init(&deque->tail, config->first_index);
    atomic_init(&deque->front, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->slots);
    DEQUE_FREE(deque->thieves);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    uint64_t head = multiplicity_later(front, atomic_load_explicit(&deque->head, memory_order_relaxed));
    int64_t size = (int64_t)(atomic_load_explicit(&deque->tail, memory_order_relaxed) - head);
    return size > 0 ? (size_t)size : 0;
}

/* Owner. The oldest remaining item, as far as the owner can know. */
DEQUE_OPERATION uint64_t multiplicity_oldest(struct deque *deque) {
    /* acquire: pairs with the release of head in steal; the thief, and those whose head it had found, have read their
     * slots before we write them again */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    return multiplicity_later(atomic_load_explicit(&deque->front, memory_order_relaxed), head);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&deque->front, memory_order_relaxed) > deque->mask) {
        uint64_t front = multiplicity_oldest(deque);
        if (tail - front > deque->mask)
            return DEQUE_FULL;
        atomic_store_explicit(&deque->front, front, memory_order_relaxed);
    }
    /* release: pairs with the acquire of the slot in steal; publishes what the item points to */
    atomic_store_explicit(&deque->slots[tail & deque->mask], item, memory_order_release);
    /* release: pairs with the acquire of tail in steal; publishes the slot */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t front = multiplicity_oldest(deque);
    if (front == atomic_load_explicit(&deque->tail, memory_order_relaxed))
        return DEQUE_EMPTY;
    *item = atomic_load_explicit(&deque->slots[front & deque->mask], memory_order_relaxed);
    atomic_store_explicit(&deque->front, front + 1, memory_order_relaxed);
    /* relaxed: the owner knows by itself what has been read below */
    atomic_store_explicit(&deque->head, front + 1, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    bool known = self && self->worker < victim->workers;
    /* acquire: pairs with the release below, so that our release covers the reads of those before us as well */
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
    if (known)
        head = multiplicity_later(head, victim->thieves[self->worker].head);
    /* acquire: pairs with the release of tail in push */
    uint64_t tail = atomic_load_explicit(&victim->tail, memory_order_acquire);
    if ((int64_t)(tail - head) <= 0)
        return DEQUE_EMPTY;
    /* a thief that was asleep has set head back by more than a round: what the owner has overwritten was taken */
    head = multiplicity_later(head, tail - victim->mask - 1);
    /* acquire: pairs with the release of the slot in push. When head was set back, a newer item than tail told us of
     * may be there; it is as good */
    *item = atomic_load_explicit(&victim->slots[head & victim->mask], memory_order_acquire);
    /* release: pairs with the acquires of head above and in multiplicity_oldest */
    atomic_store_explicit(&victim->head, head + 1, memory_order_release);
    if (known)
        victim->thieves[self->worker].head = head + 1;
    return DEQUE_OK;
}
