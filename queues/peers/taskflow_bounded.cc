// taskflow_bounded.cc: peer.h over tf::BoundedWSQ.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <optional>
#include <vector>

#include <taskflow/core/wsq.hpp>

#include "queues/peers/taskflow_bounded.h"

using Queue = tf::BoundedWSQ<void *, std::bit_width(size_t{PEER_FIXED_CAPACITY}) - 1>;
static_assert(sizeof(Queue) <= PEER_BYTES);

static Queue *queue_of(void *object) { return static_cast<Queue *>(object); }
static const Queue *queue_of(const void *object) { return static_cast<const Queue *>(object); }

int peer_init(void *object, const peer_settings *settings) {
    if (settings->capacity > PEER_FIXED_CAPACITY)
        return EINVAL;
    new (object) Queue;
    return 0;
}

void peer_destroy(void *object) { queue_of(object)->~Queue(); }
size_t peer_capacity(const void *object) { return queue_of(object)->capacity(); }
size_t peer_size(const void *object) { return queue_of(object)->size(); }

PEER_OPERATION int peer_push(void *object, void *item) { return queue_of(object)->try_push(item); }
PEER_OPERATION size_t peer_push_batch(void *object, void *const *items, size_t n) {
    return queue_of(object)->try_bulk_push(items, n);
}
PEER_OPERATION void *peer_pop(void *object) { return queue_of(object)->pop(); }
PEER_OPERATION void *peer_steal(void *object) { return queue_of(object)->steal(); }
int peer_maybe_lost(void *object) { return !queue_of(object)->empty(); }
