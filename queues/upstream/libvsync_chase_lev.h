/* libvsync_chase_lev.h: the Chase-Lev deque of libvsync (Open Source for Confidential Computing and others, Huawei),
 * vsync/queue/chaselev.h, v4.3: C, so it needs no shim. Its atomics are inline assembly on x86 and Arm.
 *
 * The original that queues/chase_lev.h is nearest to. It stores bottom sequentially consistent in pop where the port
 * has a fence, and divides by the capacity where the port masks.
 */
#include "queues/deque.h"

/* ThreadSanitizer cannot see into assembly. */
#ifdef __SANITIZE_THREAD__
#define VATOMIC_BUILTINS
#endif
#ifndef NDEBUG
#define NDEBUG
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <vsync/queue/chaselev.h>
#pragma GCC diagnostic pop

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/libvsync_chase_lev", .title = "Chase-Lev (libvsync)", .source = "libvsync, live",              \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define LIBVSYNC_DEFAULT_CAPACITY 1024

struct deque {
    alignas(DEQUE_LINE) vdeque_t queue;
    vdeque_array_t *array;
    size_t capacity;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    deque->capacity = config->capacity ? config->capacity : LIBVSYNC_DEFAULT_CAPACITY;
    if (deque->capacity > SIZE_MAX / 4 / sizeof(deque_item))
        return EINVAL;
    deque->capacity = deque_round_up(deque->capacity); /* its indices do not survive going round otherwise */
    deque->array = DEQUE_ALLOC(vdeque_memsize(deque->capacity));
    if (!deque->array)
        return ENOMEM;
    vdeque_init(&deque->queue, deque->array, deque->capacity);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->array); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    size_t bottom = vatomicsz_read_rlx(&deque->queue.bottom), top = vatomicsz_read_rlx(&deque->queue.top);
    return bottom > top ? bottom - top : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return vdeque_push_bottom(&deque->queue, item) == VDEQUE_STATE_OK ? DEQUE_OK : DEQUE_FULL;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    return vdeque_pop_bottom(&deque->queue, item) == VDEQUE_STATE_OK ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    vdeque_state_t state = vdeque_steal(&victim->queue, item);
    return state == VDEQUE_STATE_OK ? DEQUE_OK : state == VDEQUE_STATE_EMPTY ? DEQUE_EMPTY : DEQUE_LOST;
}
