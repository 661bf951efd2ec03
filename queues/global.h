/* global.h: one queue for all workers, behind one mutex. Not work stealing, but a baseline for it.
 *
 * Global queue scheduling as in S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025,
 * section 2.4.1, and the thread pool of Phanes, part 2. The thread pool's queue is FIFO, as here; the thesis's works by
 * pushBottom and popBottom alone, which is global_lifo.h. Worker 0's deque (config.first) holds the queue, and is
 * initialised first and destroyed last. The other workers' deques point to it. Every pop and steal, from any worker's
 * deque, gives the oldest item. So a worker may never see again what it pushed, and deque_size counts everybody's
 * items. A deque made without `first` has a queue to itself.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"
#include <pthread.h>

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#ifdef GLOBAL_LIFO /* global_lifo.h */
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "global_lifo", .title = "global queue, LIFO", .source = "Duwadi 2025, section 2.4.1",                    \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .shared = true, .sound = true, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING,                \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }
#else
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "global", .title = "global queue", .source = "Duwadi 2025, section 2.4.1", .owner_order = DEQUE_FIFO,    \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .shared = true, .sound = true, \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING, .steal_progress = DEQUE_BLOCKING,             \
    }
#endif

#define GLOBAL_DEFAULT_CAPACITY 1024

/* Everything below the lock is written under it. The indices are atomic for deque_size alone, which takes no lock. */
struct deque {
    alignas(DEQUE_LINE) struct deque *shared; /* the one that holds the queue: this one, or worker 0's */
    alignas(DEQUE_LINE) pthread_mutex_t lock; /* from here on used in the shared one only */
    _Atomic uint64_t oldest;
    _Atomic uint64_t end; /* one past the newest */
    deque_item *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    deque->shared = config->first ? config->first : deque;
    if (ring_capacity(config, GLOBAL_DEFAULT_CAPACITY, RING_MAX) == 0)
        return EINVAL;
    if (deque->shared != deque)
        return 0;
    int error = ring_make_plain(config, GLOBAL_DEFAULT_CAPACITY, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    if (pthread_mutex_init(&deque->lock, NULL) != 0) {
        DEQUE_FREE(deque->slots);
        return ENOMEM;
    }
    atomic_init(&deque->oldest, config->first_index);
    atomic_init(&deque->end, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    if (deque->shared != deque)
        return;
    pthread_mutex_destroy(&deque->lock);
    DEQUE_FREE(deque->slots);
}

/* Of the whole queue. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t oldest = atomic_load_explicit(&deque->shared->oldest, memory_order_relaxed);
    int64_t size = (int64_t)(atomic_load_explicit(&deque->shared->end, memory_order_relaxed) - oldest);
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    struct deque *shared = deque->shared;
    pthread_mutex_lock(&shared->lock);
    uint64_t end = atomic_load_explicit(&shared->end, memory_order_relaxed);
    uint64_t oldest = atomic_load_explicit(&shared->oldest, memory_order_relaxed);
    size_t size = (size_t)(end - oldest);
    size_t room = (size_t)shared->mask + 1 - size;
    if (n > room && (n > SIZE_MAX - size || !ring_grow_plain(&shared->slots, &shared->mask, oldest, size, size + n)))
        n = room;
    deque_copy_in(shared->slots, shared->mask, end, items, n);
    atomic_store_explicit(&shared->end, end + n, memory_order_relaxed);
    pthread_mutex_unlock(&shared->lock);
    return n;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_batch(deque, &item, 1) == 1 ? DEQUE_OK : DEQUE_FULL;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    struct deque *shared = victim->shared;
    (void)self;
    if (percent == 0)
        percent = 50;
    pthread_mutex_lock(&shared->lock);
    uint64_t oldest = atomic_load_explicit(&shared->oldest, memory_order_relaxed);
    size_t size = (size_t)(atomic_load_explicit(&shared->end, memory_order_relaxed) - oldest);
    size_t share = ring_part(size, percent, max);
    deque_copy_out(shared->slots, shared->mask, oldest, out, share);
    atomic_store_explicit(&shared->oldest, oldest + share, memory_order_relaxed);
    pthread_mutex_unlock(&shared->lock);
    *n = share;
    return share > 0 ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    return deque_steal_batch(victim, self, 1, item, 1, &n);
}

#ifdef GLOBAL_LIFO
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    struct deque *shared = deque->shared;
    enum deque_result result = DEQUE_EMPTY;
    pthread_mutex_lock(&shared->lock);
    uint64_t end = atomic_load_explicit(&shared->end, memory_order_relaxed);
    if (end != atomic_load_explicit(&shared->oldest, memory_order_relaxed)) {
        *item = shared->slots[(end - 1) & shared->mask];
        atomic_store_explicit(&shared->end, end - 1, memory_order_relaxed);
        result = DEQUE_OK;
    }
    pthread_mutex_unlock(&shared->lock);
    return result;
}
#else
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    return deque_steal(deque, deque, item);
}
#endif

/* One item: more would only go behind the others of the same queue. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    *moved = 0;
    return deque_steal(victim, self, first);
}
