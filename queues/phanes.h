/* phanes.h: the deque of Phanes, part 4, made right: Chase-Lev on a circular buffer that grows.
 *
 * Differs from chase_lev.h in that the ring grows, and that back (bottom) is set from front (top) after the last item.
 *
 * Phanes, part 4: lock-free (blog, C++), itself after D. Chase, Y. Lev: Dynamic circular work-stealing deque, SPAA
 * 2005. A full buffer is copied into one twice as large. Lines are of 64 bytes, as in the listing. Each access of a
 * slot loads the buffer's mask and the pointer to its slots, as in Taskflow and libfork.
 *
 * What differs from the listing, which as_published/phanes.h keeps: slots are atomic, thieves acquire the buffer, every
 * store of back is a release store, indices are unsigned and compared by their difference, a lost race is not called
 * empty, and growth that finds no memory refuses the item.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "phanes", .title = "Phanes", .source = "Phanes part 4 (blog)", .owner_order = DEQUE_LIFO,                \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                 \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
    }

#ifndef PHANES_APART /* phanes_packed.h leaves it out */
#define PHANES_APART alignas(64)
#endif

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t front; /* the oldest item; thieves and the owner's last pop, by CAS */
    PHANES_APART _Atomic uint64_t back;         /* one past the newest; written by the owner alone */
    PHANES_APART _Atomic(struct ring_buffer *) buffer;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 1024, RING_MAX);
    if (capacity == 0)
        return EINVAL;
    struct ring_buffer *buffer = ring_buffer_new(capacity, NULL);
    if (!buffer)
        return ENOMEM;
    atomic_init(&deque->front, config->first_index);
    atomic_init(&deque->back, config->first_index);
    atomic_init(&deque->buffer, buffer);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    ring_buffers_free(atomic_load_explicit(&deque->buffer, memory_order_relaxed));
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->front, &deque->back); }

/* Owner. A buffer twice as large with the items between front and back copied into it, published. NULL when there is no
 * memory; then nothing has changed. */
DEQUE_SLOW_PATH struct ring_buffer *phanes_grow(struct deque *deque, struct ring_buffer *buffer, uint64_t front,
                                                uint64_t back) {
    struct ring_buffer *larger = ring_buffer_new(2 * ((size_t)buffer->mask + 1), buffer);
    if (!larger)
        return NULL;
    ring_buffer_copy(buffer, larger, front, back);
    /* release: pairs with the acquire of buffer in steal; publishes the mask and the copies */
    atomic_store_explicit(&deque->buffer, larger, memory_order_release);
    return larger;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if ((int64_t)(back - front) >= (int64_t)buffer->capacity) {
        buffer = phanes_grow(deque, buffer, front, back);
        if (!buffer)
            return DEQUE_FULL;
    }
    atomic_store_explicit(&buffer->pointer[back & buffer->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of back in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed) - 1;
    /* release, here and below: pairs with the acquire of back in steal, which may read any of our stores of it and must
     * see every slot below */
    atomic_store_explicit(&deque->back, back, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered back, or we see the raised front */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    if ((int64_t)(back - front) < 0) {
        atomic_store_explicit(&deque->back, front, memory_order_release);
        return DEQUE_EMPTY;
    }
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    *item = atomic_load_explicit(&buffer->pointer[back & buffer->mask], memory_order_relaxed);
    if (front != back)
        return DEQUE_OK;
    /* the last item: whoever moves front has it. seq_cst: pairs with the CAS in steal */
    bool won = atomic_compare_exchange_strong_explicit(&deque->front, &front, front + 1, memory_order_seq_cst,
                                                       memory_order_relaxed);
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return won ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_relaxed);
    /* pairs with the fence in pop; and, for what we saw of front, with the CAS of the thief before us, so that back
     * below is at least as new */
    atomic_thread_fence(memory_order_seq_cst);
    /* acquire: pairs with the release stores of back in push and pop */
    uint64_t back = atomic_load_explicit(&victim->back, memory_order_acquire);
    if ((int64_t)(back - front) <= 0)
        return DEQUE_EMPTY;
    /* acquire: pairs with the release of buffer in phanes_grow; we may see a buffer newer than back says */
    struct ring_buffer *buffer = atomic_load_explicit(&victim->buffer, memory_order_acquire);
    deque_item taken = atomic_load_explicit(&buffer->pointer[front & buffer->mask], memory_order_relaxed);
    /* seq_cst: pairs with the CAS in pop and with the acquire of front in push; after it the slot may be reused */
    if (!atomic_compare_exchange_strong_explicit(&victim->front, &front, front + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
