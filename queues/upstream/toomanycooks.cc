// toomanycooks.cc: upstream.h over tmc::detail::chase_lev_deque.

#include <tmc/detail/qu_chase_lev64.hpp>

#include "queues/upstream/toomanycooks.h"

UPSTREAM_OVER(tmc::detail::chase_lev_deque<void *>)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
    return upstream_make<Queue>(object, settings->capacity ? settings->capacity : size_t{128});
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *) { return 0; }
size_t upstream_size(const void *object) { return queue_of(object)->size_approx(); }

// Growth that finds no memory throws before it has changed anything.
UPSTREAM_OPERATION_AS_IT_IS int upstream_push(void *object, void *item) {
    try {
        queue_of(object)->push(item);
    } catch (const std::bad_alloc &) {
        return 0;
    }
    return 1;
}
UPSTREAM_OPERATION_AS_IT_IS size_t upstream_push_batch(void *object, void *const *items, size_t n) {
    try {
        queue_of(object)->post_bulk(const_cast<void **>(items),
                                    n); // it would move from them, which leaves a pointer as it is
    } catch (const std::bad_alloc &) {
        return 0;
    }
    return n;
}
UPSTREAM_OPERATION void *upstream_pop(void *object) {
    void *item;
    return queue_of(object)->try_pop(item) ? item : nullptr;
}
UPSTREAM_OPERATION void *upstream_steal(void *object) {
    void *item;
    return queue_of(object)->steal(item) ? item : nullptr;
}
int upstream_maybe_lost(void *object) { return !queue_of(object)->empty(); }
