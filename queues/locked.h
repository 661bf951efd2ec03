/* locked.h: a mutex around a growing ring. A reference: the cost of a deque if every operation is a critical section.
 *
 * After the locked queue of S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025,
 * figure 2.5, but growing; locked_fixed.h is bounded as there. The owner works at bottom, thieves take from top, and
 * nobody does anything without the lock. Batches go in and out under one lock.
 *
 * glibc's mutex leaves out its atomic instructions in a process that never had a second thread. To time this deque,
 * start a second thread first.
 */
#include "deque.h"
#include "parts/ring.h"
#include <pthread.h>

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH)
#ifdef LOCKED_FIXED /* locked_fixed.h */
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "locked_fixed", .title = "ring under a mutex, bounded", .source = "Duwadi 2025, figure 2.5",             \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING,                                \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }
#else
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "locked", .title = "ring under a mutex", .source = "Duwadi 2025, figure 2.5", .owner_order = DEQUE_LIFO, \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                 \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING, .steal_progress = DEQUE_BLOCKING,             \
    }
#endif

/* Everything is written under the lock. The indices are atomic for deque_size alone, which takes no lock, so that a
 * thief that compares sizes need not wait for it. */
struct deque {
    alignas(DEQUE_LINE) pthread_mutex_t lock;
    _Atomic uint64_t top;    /* the oldest item */
    _Atomic uint64_t bottom; /* one past the newest */
    deque_item *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    if (pthread_mutex_init(&deque->lock, NULL) != 0) {
        DEQUE_FREE(deque->slots);
        return ENOMEM;
    }
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    pthread_mutex_destroy(&deque->lock);
    DEQUE_FREE(deque->slots);
}

#ifdef LOCKED_FIXED
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }
#else
#include "parts/unlimited.h"
#endif

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* With the lock: makes the ring large enough for so many items; false when it cannot. */
DEQUE_OPERATION bool locked_grow(struct deque *deque, uint64_t top, size_t size, size_t wanted) {
#ifdef LOCKED_FIXED
    return (void)deque, (void)top, (void)size, (void)wanted, false;
#else
    return ring_grow_plain(&deque->slots, &deque->mask, top, size, wanted);
#endif
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    pthread_mutex_lock(&deque->lock);
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    size_t size = (size_t)(bottom - top);
    size_t room = (size_t)deque->mask + 1 - size;
    if (n > room && (n > SIZE_MAX - size || !locked_grow(deque, top, size, size + n)))
        n = room;
    deque_copy_in(deque->slots, deque->mask, bottom, items, n);
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_relaxed);
    pthread_mutex_unlock(&deque->lock);
    return n;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_batch(deque, &item, 1) == 1 ? DEQUE_OK : DEQUE_FULL;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    enum deque_result result = DEQUE_EMPTY;
    pthread_mutex_lock(&deque->lock);
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom != atomic_load_explicit(&deque->top, memory_order_relaxed)) {
        *item = deque->slots[(bottom - 1) & deque->mask];
        atomic_store_explicit(&deque->bottom, bottom - 1, memory_order_relaxed);
        result = DEQUE_OK;
    }
    pthread_mutex_unlock(&deque->lock);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    if (percent == 0)
        percent = 50;
    pthread_mutex_lock(&victim->lock);
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_relaxed);
    size_t size = (size_t)(atomic_load_explicit(&victim->bottom, memory_order_relaxed) - top);
    size_t share = ring_part(size, percent, max);
    deque_copy_out(victim->slots, victim->mask, top, out, share);
    atomic_store_explicit(&victim->top, top + share, memory_order_relaxed);
    pthread_mutex_unlock(&victim->lock);
    *n = share;
    return share > 0 ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    return deque_steal_batch(victim, self, 1, item, 1, &n);
}
