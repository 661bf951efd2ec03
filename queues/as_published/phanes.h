/* as_published/phanes.h: the deque of a blog post exactly as printed, to show that the checks catch it.
 *
 * Phanes, part 4: lock-free (C++). Chase-Lev on a circular buffer that grows; old buffers are kept until the end. A
 * right one is in ../phanes.h. Faults of the listing:
 *
 * 1. Slots are plain. Fill the ring; a thief reads front = 0; another takes item 0; the owner's push finds room and
 *    writes slot 0 while the first thief, about to lose its CAS, reads it. A data race, which C++ leaves undefined.
 * 2. Steal loads `buffer` relaxed. The owner grows the buffer; a thief that knew of an item before sees the new buffer
 *    but not yet its mask and contents.
 * 3. Pop stores `back` relaxed, so what a thief reads there publishes nothing: push A, push B, pop B; the thief reads
 *    back = 1 from that pop and takes A from a slot that it may not see written yet.
 * 4. A lost race is reported as nothing to steal, so a thief may conclude that there is no more work.
 *
 * The text's claim that the fences merely reduce contention is false too: without them the owner takes an item, without
 * a CAS, that a thief takes as well. Memory orders are the listing's. Growth that finds no memory throws there; here
 * the push is refused.
 */
#include "../deque.h"
#include "../parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/phanes", .title = "Phanes, as printed", .source = "Phanes part 4 (blog)",                  \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = false, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault = "plain slots race; a thief may see a new buffer unset; a lost race is reported as empty",             \
    }

struct phanes_buffer {
    int64_t capacity;
    int64_t mask;
    struct phanes_buffer *older;
    alignas(DEQUE_LINE) deque_item data[];
};

struct deque {
    alignas(DEQUE_LINE) _Atomic int64_t front;
    alignas(64) _Atomic int64_t back;
    alignas(64) _Atomic(struct phanes_buffer *) buffer;
};

/* NULL when there is no memory. capacity is a power of two. */
DEQUE_OPERATION struct phanes_buffer *phanes_buffer_new(int64_t capacity, struct phanes_buffer *older) {
    struct phanes_buffer *buffer = DEQUE_ALLOC(sizeof *buffer + (size_t)capacity * sizeof buffer->data[0]);
    if (!buffer)
        return NULL;
    buffer->capacity = capacity;
    buffer->mask = capacity - 1;
    buffer->older = older;
    for (int64_t i = 0; i < capacity; i++)
        buffer->data[i] = (deque_item)0;
    return buffer;
}

/* Counters start at 0, as in the listing, wherever a test would have them start. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = config->capacity ? config->capacity : 1024;
    if (capacity > SIZE_MAX / 4 / sizeof(deque_item))
        return EINVAL;
    struct phanes_buffer *buffer = phanes_buffer_new((int64_t)deque_round_up(capacity), NULL);
    if (!buffer)
        return ENOMEM;
    atomic_init(&deque->front, 0);
    atomic_init(&deque->back, 0);
    atomic_init(&deque->buffer, buffer);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    struct phanes_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    while (buffer) {
        struct phanes_buffer *older = buffer->older;
        DEQUE_FREE(buffer);
        buffer = older;
    }
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    int64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    int64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    return back > front ? (size_t)(back - front) : 0;
}

/* Owner. NULL when there is no memory. */
DEQUE_SLOW_PATH struct phanes_buffer *phanes_resize(struct deque *deque, struct phanes_buffer *buffer, int64_t front,
                                                    int64_t back) {
    if (buffer->capacity > (int64_t)(SIZE_MAX / 8 / sizeof(deque_item)))
        return NULL;
    struct phanes_buffer *next = phanes_buffer_new(buffer->capacity * 2, buffer);
    if (!next)
        return NULL;
    for (int64_t i = front; i < back; i++)
        next->data[i & next->mask] = buffer->data[i & buffer->mask];
    /* release: has no partner, since steal loads the buffer relaxed */
    atomic_store_explicit(&deque->buffer, next, memory_order_release);
    return next;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    int64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal */
    int64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    struct phanes_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if (back - front >= buffer->capacity) {
        buffer = phanes_resize(deque, buffer, front, back);
        if (!buffer)
            return DEQUE_FULL;
    }
    buffer->data[back & buffer->mask] = item; /* fault 1 */
    /* release: pairs with the acquire of back in steal */
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    int64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed) - 1;
    atomic_store_explicit(&deque->back, back, memory_order_relaxed); /* fault 3 */
    atomic_thread_fence(memory_order_seq_cst);                       /* pairs with the fence in steal */
    int64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    if (front > back) {
        atomic_store_explicit(&deque->back, front, memory_order_relaxed);
        return DEQUE_EMPTY;
    }
    struct phanes_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if (front == back) {
        /* seq_cst: pairs with the CAS in steal */
        if (!atomic_compare_exchange_strong_explicit(&deque->front, &front, front + 1, memory_order_seq_cst,
                                                     memory_order_relaxed)) {
            atomic_store_explicit(&deque->back, front, memory_order_relaxed);
            return DEQUE_EMPTY;
        }
        atomic_store_explicit(&deque->back, front + 1, memory_order_relaxed);
    }
    *item = buffer->data[back & buffer->mask];
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    int64_t front = atomic_load_explicit(&victim->front, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release of back in push, and with nothing in pop */
    int64_t back = atomic_load_explicit(&victim->back, memory_order_acquire);
    if (front >= back)
        return DEQUE_EMPTY;
    struct phanes_buffer *buffer = atomic_load_explicit(&victim->buffer, memory_order_relaxed); /* fault 2 */
    deque_item value = buffer->data[front & buffer->mask];                                      /* fault 1 */
    /* seq_cst: pairs with the CAS in pop and the acquire of front in push */
    if (!atomic_compare_exchange_strong_explicit(&victim->front, &front, front + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_EMPTY; /* fault 4 */
    *item = value;
    return DEQUE_OK;
}
