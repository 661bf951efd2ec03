// parlaylib_abp.cc: upstream.h over parlay::internal::Deque.

#include <array>
#include <cstdlib>

#include <parlay/internal/work_stealing_deque.h>

#include "queues/upstream/parlaylib_abp.h"

UPSTREAM_OVER(parlay::internal::Deque<void>)

static constexpr size_t places = Queue::q_size - 1; // it ends the program with the item that fills the last

int upstream_init(void *object, const upstream_settings *settings) {
    return settings->capacity > places ? EINVAL : upstream_make<Queue>(object);
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }
size_t upstream_capacity(const void *) { return places; }
size_t upstream_size(const void *object) {
    const size_t bottom = queue_of(object)->bot.load(), top = queue_of(object)->age.load().top;
    return bottom > top ? bottom - top : 0;
}

UPSTREAM_OPERATION int upstream_push(void *object, void *item) {
    if (queue_of(object)->bot.load(std::memory_order_relaxed) >= places)
        return 0;
    queue_of(object)->push_bottom(item);
    return 1;
}
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->pop_bottom(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->pop_top().first; }
int upstream_maybe_lost(void *object) { return upstream_size(object) > 0; }
