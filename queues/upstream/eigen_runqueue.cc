// eigen_runqueue.cc: upstream.h over Eigen::RunQueue.

#include <cassert>

// What RunQueue.h uses of Eigen/Core.
#define eigen_plain_assert(condition) assert(condition)
#define eigen_assert(condition) assert(condition)
#define EIGEN_ALWAYS_INLINE __attribute__((always_inline)) inline

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>
#if __has_include(<unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h>)
#include <unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h>
#else
#include <eigen3/unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h>
#endif

#include "queues/upstream/eigen_runqueue.h"

UPSTREAM_OVER(Eigen::RunQueue<void *, UPSTREAM_FIXED_CAPACITY>)

int upstream_init(void *object, const upstream_settings *settings) {
    if (settings->capacity > UPSTREAM_FIXED_CAPACITY)
        return EINVAL;
    return upstream_make<Queue>(object);
}

void upstream_destroy(void *object) {
    queue_of(object)->Flush(); // it insists on being empty
    queue_of(object)->~Queue();
}

size_t upstream_capacity(const void *) { return UPSTREAM_FIXED_CAPACITY; }
size_t upstream_size(const void *object) { return queue_of(object)->Size(); }

UPSTREAM_OPERATION int upstream_push(void *object, void *item) { return queue_of(object)->PushFront(item) == nullptr; }
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->PopFront(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->PopBack(); }
int upstream_maybe_lost(void *object) { return !queue_of(object)->Empty(); }
