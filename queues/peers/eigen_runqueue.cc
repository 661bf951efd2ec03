// eigen_runqueue.cc: peer.h over Eigen::RunQueue.

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

#include "queues/peers/eigen_runqueue.h"

using Queue = Eigen::RunQueue<void *, PEER_FIXED_CAPACITY>;
static_assert(sizeof(Queue) <= PEER_BYTES);

static Queue *queue_of(void *object) { return static_cast<Queue *>(object); }
static const Queue *queue_of(const void *object) { return static_cast<const Queue *>(object); }

int peer_init(void *object, const peer_settings *settings) {
    if (settings->capacity > PEER_FIXED_CAPACITY)
        return EINVAL;
    new (object) Queue;
    return 0;
}

void peer_destroy(void *object) {
    queue_of(object)->Flush(); // it insists on being empty
    queue_of(object)->~Queue();
}

size_t peer_capacity(const void *) { return PEER_FIXED_CAPACITY; }
size_t peer_size(const void *object) { return queue_of(object)->Size(); }

PEER_OPERATION int peer_push(void *object, void *item) { return queue_of(object)->PushFront(item) == nullptr; }
PEER_OPERATION void *peer_pop(void *object) { return queue_of(object)->PopFront(); }
PEER_OPERATION void *peer_steal(void *object) { return queue_of(object)->PopBack(); }
int peer_maybe_lost(void *object) { return !queue_of(object)->Empty(); }
