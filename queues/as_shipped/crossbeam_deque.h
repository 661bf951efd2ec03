/* as_shipped/crossbeam_deque.h: crossbeam-deque's batch steal, CVE-2021-32810.
 *
 * Source: github.com/crossbeam-rs/crossbeam, crossbeam-deque/src/deque.rs, releases 0.7.0 to 0.7.3 and 0.8.0, which
 * Rayon and others used. Advisory GHSA-pqqp-xmhj-wgcw (RUSTSEC-2021-0093). Shown as of 2653a6cf, repaired by 3e72cde5
 * (pull request 726, July 2021).
 *
 * The fault: a thief of a batch takes single items in a loop. Before the loop it loads the buffer, in the loop it loads
 * back anew. Meanwhile the owner fills the buffer, moves to a larger one and pushes there. The thief sees from back
 * that there is more and reads it from the buffer that was left, where that slot holds an older item or none. "Tasks
 * can be popped twice instead of other tasks that are forgotten" (the advisory).
 *
 * Found by: `lab explore` on TSO, and by `stress`. Form "repaired" looks at the buffer again before each CAS, as
 * 3e72cde5 does.
 *
 * What differs: the LIFO form alone, as C11; buffers that were left stay until the deque is destroyed, where crossbeam
 * waits for an epoch; the buffer does not shrink; stolen items go to an array instead of the thief's deque.
 */
#ifndef STEALBENCH_AS_SHIPPED_CROSSBEAM_DEQUE_H
#define STEALBENCH_AS_SHIPPED_CROSSBEAM_DEQUE_H

#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE DEQUE_STEAL_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/crossbeam_deque", .title = "crossbeam-deque, as shipped",                                    \
        .source = "crossbeam-deque 0.8.0, CVE-2021-32810", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,         \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .delivery = DEQUE_ONCE,                 \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .mode = "code", .mode_values = "shipped|repaired",                                                             \
        .fault = "a batch is stolen from a buffer that the owner has left: items come out twice, others never",        \
    }

#define CROSSBEAM_DEFAULT_CAPACITY 64

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t front;
    alignas(DEQUE_LINE) _Atomic uint64_t back;
    alignas(DEQUE_LINE) _Atomic(struct ring_buffer *) buffer;
    bool repaired;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > 1)
        return EINVAL;
    size_t capacity = ring_capacity(config, CROSSBEAM_DEFAULT_CAPACITY, RING_MAX);
    if (capacity == 0)
        return EINVAL;
    struct ring_buffer *buffer = ring_buffer_new(capacity, NULL);
    if (!buffer)
        return ENOMEM;
    deque->repaired = config->mode == 1;
    atomic_init(&deque->front, config->first_index);
    atomic_init(&deque->back, config->first_index);
    atomic_init(&deque->buffer, buffer);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    ring_buffers_free(atomic_load_explicit(&deque->buffer, memory_order_relaxed));
}

/* It grows while there is memory. */
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    (void)deque;
    return 0;
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->front, &deque->back); }

DEQUE_SLOW_PATH struct ring_buffer *crossbeam_grow(struct deque *deque, struct ring_buffer *buffer, uint64_t front,
                                                   uint64_t back) {
    struct ring_buffer *larger = ring_buffer_new(2 * ((size_t)buffer->mask + 1), buffer);
    if (larger) {
        ring_buffer_copy(buffer, larger, front, back);
        /* release: pairs with the acquires of buffer; publishes the copies */
        atomic_store_explicit(&deque->buffer, larger, memory_order_release);
    }
    return larger;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if ((int64_t)(back - front) > (int64_t)buffer->mask) {
        buffer = crossbeam_grow(deque, buffer, front, back);
        if (!buffer)
            return DEQUE_FULL;
    }
    atomic_store_explicit(&buffer->slots[back & buffer->mask], item, memory_order_relaxed);
    /* release, as every store of back: pairs with the acquires of back in crossbeam_left */
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed) - 1;
    atomic_store_explicit(&deque->back, back, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in crossbeam_left */
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    int64_t left = (int64_t)(back - front);
    enum deque_result result = DEQUE_EMPTY;
    if (left >= 0) {
        *item = atomic_load_explicit(&buffer->slots[back & buffer->mask], memory_order_relaxed);
        if (left > 0)
            return DEQUE_OK;
        if (atomic_compare_exchange_strong_explicit(&deque->front, &front, front + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            result = DEQUE_OK;
    }
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return result;
}

/* A thief that knows front: how many items are there, perhaps less than none. */
DEQUE_OPERATION int64_t crossbeam_left(const struct deque *victim, uint64_t front) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    return (int64_t)(atomic_load_explicit(&victim->back, memory_order_acquire) - front);
}

/* A thief takes the item at front as it lies in this buffer. */
DEQUE_OPERATION bool crossbeam_take(struct deque *victim, struct ring_buffer *buffer, uint64_t front,
                                    deque_item *item) {
    *item = atomic_load_explicit(&buffer->slots[front & buffer->mask], memory_order_relaxed);
    if (victim->repaired && atomic_load_explicit(&victim->buffer, memory_order_acquire) != buffer)
        return false;
    return atomic_compare_exchange_strong_explicit(&victim->front, &front, front + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    if (crossbeam_left(victim, front) <= 0)
        return DEQUE_EMPTY;
    struct ring_buffer *buffer = atomic_load_explicit(&victim->buffer, memory_order_acquire);
    deque_item taken;
    if (!crossbeam_take(victim, buffer, front, &taken))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    *n = 0;
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    int64_t left = crossbeam_left(victim, front);
    if (left <= 0 || max == 0)
        return DEQUE_EMPTY;
    size_t wanted = ring_share((size_t)left, percent, max);
    struct ring_buffer *buffer = atomic_load_explicit(&victim->buffer, memory_order_acquire); /* the fault: once */
    do {
        if (!crossbeam_take(victim, buffer, front + *n, &out[*n]))
            break;
        ++*n;
    } while (*n < wanted && crossbeam_left(victim, front + *n) > 0);
    return *n > 0 ? DEQUE_OK : DEQUE_LOST;
}

#endif
