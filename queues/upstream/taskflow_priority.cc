// taskflow_priority.cc: upstream.h over tf::BoundedPriorityWSQ.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <optional>
#include <vector>

#include <taskflow/core/wsq.hpp>

#include "queues/upstream/taskflow_priority.h"

// The original asks a function for an item's level. Ours reads the level that the push has set.
struct level_of_push {
    const size_t *level;
    size_t operator()(void *) const { return *level; }
};

struct levels {
    size_t level = 0;
    tf::BoundedPriorityWSQ<tf::BoundedWSQ<void *, std::bit_width(size_t{UPSTREAM_FIXED_CAPACITY}) - 1>, UPSTREAM_LEVELS,
                           level_of_push>
        queue{level_of_push{&level}};
};

UPSTREAM_OVER(levels)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_FIXED_CAPACITY)
        return EINVAL;
    return upstream_make<Queue>(object);
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *object) { return queue_of(object)->queue[0].capacity(); } // if all are as urgent
size_t upstream_size(const void *object) { return queue_of(object)->queue.size(); }

UPSTREAM_OPERATION int upstream_push_by(void *object, void *item, uint32_t priority) {
    queue_of(object)->level = uint64_t{priority} * UPSTREAM_LEVELS >> 32;
    return queue_of(object)->queue.try_push(item);
}
UPSTREAM_OPERATION int upstream_push(void *object, void *item) { return upstream_push_by(object, item, 0); }
UPSTREAM_OPERATION size_t upstream_push_batch(void *object, void *const *items, size_t n) {
    queue_of(object)->level = 0;
    return queue_of(object)->queue.try_bulk_push(items, n);
}
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->queue.pop(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->queue.steal(); }
int upstream_maybe_lost(void *object) { return !queue_of(object)->queue.empty(); }
