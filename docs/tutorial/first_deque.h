/* first_deque.h: the deque of docs/tutorial.md: a ring with one head, from which owner and thieves take alike.
 *
 * The owner pushes at tail. Everybody takes the oldest item, at head, by a CAS that only one can win; so the last item
 * is no special case, and no fence is needed. The price: the owner's pop is a CAS too, and gets the oldest item instead
 * of the newest.
 */
#ifndef STEALBENCH_FIRST_DEQUE_H
#define STEALBENCH_FIRST_DEQUE_H

#include "deque.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "first_deque", .title = "first deque", .source = "docs/tutorial.md", .owner_order = DEQUE_FIFO,          \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_LOCK_FREE,                     \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* the oldest item; owner and thieves, by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t tail; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = config->capacity ? config->capacity : 1024;
    if (capacity > SIZE_MAX / 4 / sizeof(deque_item))
        return EINVAL;
    capacity = deque_round_up(capacity);
    deque->slots = DEQUE_ALLOC(capacity * sizeof *deque->slots);
    if (!deque->slots)
        return ENOMEM;
    for (size_t i = 0; i < capacity; i++)
        atomic_init(&deque->slots[i], (deque_item)0);
    deque->mask = capacity - 1;
    atomic_init(&deque->head, config->first_index);
    atomic_init(&deque->tail, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    int64_t size = (int64_t)(tail - atomic_load_explicit(&deque->head, memory_order_relaxed));
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    if (tail - head > deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[tail & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of tail in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    while (head != tail) {
        *item = atomic_load_explicit(&deque->slots[head & deque->mask], memory_order_relaxed);
        /* release: pairs with the acquire of head in steal; a thief that finds this head finds a tail not behind it */
        if (atomic_compare_exchange_weak_explicit(&deque->head, &head, head + 1, memory_order_release,
                                                  memory_order_relaxed))
            return DEQUE_OK;
    }
    return DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the CAS in pop and here; the tail that we read next is not older than this head */
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
    /* acquire: pairs with the release in push */
    uint64_t tail = atomic_load_explicit(&victim->tail, memory_order_acquire);
    if (head == tail)
        return DEQUE_EMPTY;
    *item = atomic_load_explicit(&victim->slots[head & victim->mask], memory_order_relaxed);
    /* release: pairs with the acquire of head in push, which may then reuse the slot */
    if (!atomic_compare_exchange_strong_explicit(&victim->head, &head, head + 1, memory_order_release,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    return DEQUE_OK;
}

#endif
