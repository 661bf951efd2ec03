// taskflow_bounded.cc: upstream.h over tf::BoundedWSQ.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <optional>
#include <vector>

#include <taskflow/core/wsq.hpp>

#include "queues/upstream/taskflow_bounded.h"

UPSTREAM_OVER(tf::BoundedWSQ<void *, std::bit_width(size_t{UPSTREAM_FIXED_CAPACITY}) - 1>)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_FIXED_CAPACITY)
        return EINVAL;
    return upstream_make<Queue>(object);
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *object) { return queue_of(object)->capacity(); }
size_t upstream_size(const void *object) { return queue_of(object)->size(); }

UPSTREAM_OPERATION int upstream_push(void *object, void *item) { return queue_of(object)->try_push(item); }
UPSTREAM_OPERATION size_t upstream_push_batch(void *object, void *const *items, size_t n) {
    return queue_of(object)->try_bulk_push(items, n);
}
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->pop(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->steal(); }
int upstream_maybe_lost(void *object) { return !queue_of(object)->empty(); }
