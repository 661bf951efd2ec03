// libfork_deque.cc: upstream.h over lf::deque.

#include <libfork/core/ext/deque.hpp>

#include "queues/upstream/libfork_deque.h"

UPSTREAM_OVER(lf::deque<void *>)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
    size_t capacity = settings->capacity ? std::bit_ceil(settings->capacity) : 1024;
    return upstream_make<Queue>(object, static_cast<std::ptrdiff_t>(capacity));
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *) { return 0; }
size_t upstream_size(const void *object) { return queue_of(object)->size(); }

// Growth that finds no memory throws before it has changed anything.
UPSTREAM_OPERATION_AS_IT_IS int upstream_push(void *object, void *item) {
    try {
        queue_of(object)->push(item);
    } catch (const std::bad_alloc &) {
        return 0;
    }
    return 1;
}
UPSTREAM_OPERATION void *upstream_pop(void *object) {
    return queue_of(object)->pop([]() noexcept -> void * { return nullptr; });
}
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->steal().val; }
int upstream_maybe_lost(void *object) { return !queue_of(object)->empty(); }
