// taskflow_unbounded.cc: upstream.h over tf::UnboundedWSQ.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <optional>
#include <vector>

#include <taskflow/core/wsq.hpp>

#include "queues/upstream/taskflow_unbounded.h"

UPSTREAM_OVER(tf::UnboundedWSQ<void *>)

int upstream_init(void *object, const upstream_settings *settings) {
    size_t capacity = settings->capacity ? settings->capacity : size_t{1} << TF_DEFAULT_UNBOUNDED_TASK_QUEUE_LOG_SIZE;
    if (capacity > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
    return upstream_make<Queue>(object, std::bit_width(capacity - 1));
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *) { return 0; }
size_t upstream_size(const void *object) { return queue_of(object)->size(); }

// Growth that finds no memory throws before it has changed anything but an owner's cached top.
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
        queue_of(object)->bulk_push(items, n);
    } catch (const std::bad_alloc &) {
        return 0;
    }
    return n;
}
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->pop(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->steal(); }
int upstream_maybe_lost(void *object) { return !queue_of(object)->empty(); }
