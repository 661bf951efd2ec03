// onetbb.cc: upstream.h over tbb::detail::r1::arena_slot, of which the task pool alone is used: no arena, no scheduler.

#include <atomic>
#include <cassert>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

// A slot is made by its arena, and does not say how much it holds.
#define private public
#define protected public
#include <src/tbb/arena.h>
#include <src/tbb/thread_data.h>
#undef private
#undef protected

// An item of ours is no task, and must not be asked whether it is a proxy for one.
#define is_proxy_task(task) proxy_task_trait == 0
#include <src/tbb/arena_slot.cpp>
#undef is_proxy_task

#include "queues/upstream/onetbb.h"

namespace r1 = tbb::detail::r1;
using Task = tbb::detail::d1::task;

namespace tbb::detail::r1 {
void *cache_aligned_allocate(std::size_t bytes) { return std::aligned_alloc(max_nfs_size, bytes); }
void cache_aligned_deallocate(void *memory) { std::free(memory); }
void arena::request_workers(int, int, bool) {} // of advertise_new_work, which only omitted tasks call
} // namespace tbb::detail::r1

UPSTREAM_OVER(r1::arena_slot)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
    std::memset(object, 0, sizeof(Queue)); // as its arena does
    Queue *queue = new (object) Queue;
    queue->prepare_task_pool(settings->capacity ? settings->capacity : 1);
    return queue->task_pool_ptr ? 0 : ENOMEM;
}

void upstream_destroy(void *object) { queue_of(object)->free_task_pool(); }
size_t upstream_capacity(const void *) { return 0; }
// A thief that has the lock may have raised head above the last item, which it does not take.
static bool is_locked(const Queue *queue) { return queue->task_pool.load() == r1::LockedTaskPool; }
size_t upstream_size(const void *object) {
    const Queue *queue = queue_of(object);
    const bool locked = is_locked(queue);
    const auto size = static_cast<std::ptrdiff_t>(queue->tail.load() - queue->head.load());
    return size > 0 ? static_cast<size_t>(size) : locked;
}

UPSTREAM_OPERATION_AS_IT_IS int upstream_push(void *object, void *item) {
    queue_of(object)->spawn(*static_cast<Task *>(item));
    return 1;
}
UPSTREAM_OPERATION void *upstream_pop(void *object) {
    r1::execution_data_ext data{};
    return queue_of(object)->is_task_pool_published() ? queue_of(object)->get_task(data, r1::no_isolation) : nullptr;
}
UPSTREAM_OPERATION void *upstream_steal(void *object) {
    alignas(r1::arena) static char arena[sizeof(r1::arena)]; // nobody looks into it
    return queue_of(object)->steal_task(*reinterpret_cast<r1::arena *>(arena), r1::no_isolation, 0);
}
int upstream_maybe_lost(void *object) { return is_locked(queue_of(object)) || !queue_of(object)->is_empty(); }
