// stdexec_bwos_lifo.cc: upstream.h over exec::bwos::lifo_queue.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

// The queue does not say how much it holds, which the checks and the workloads ask of every deque. upstream_size looks
// inside. No measured operation does.
#include <stdexec/__detail/__atomic.hpp>
#include <stdexec/__detail/__spin_loop_pause.hpp>
#define private public
#include <exec/detail/bwos_lifo_queue.hpp>
#undef private

#include "queues/upstream/stdexec_bwos_lifo.h"

UPSTREAM_OVER(exec::bwos::lifo_queue<void *>)

// The queue before dcac2387 mostly keeps one block from its owner: that of the thieves, even if they have emptied it.
template <class Of> static constexpr size_t kept() {
    if constexpr (requires(Of queue) { queue.thief_block_; })
        return 1;
    return 0;
}

int upstream_init(void *object, const upstream_settings *settings) {
    size_t capacity = settings->capacity ? settings->capacity : STDEXEC_DEFAULT_CAPACITY;
    size_t block = settings->block;
    if (block == 0)
        block = std::min<size_t>(capacity / STDEXEC_DEFAULT_BLOCKS, STDEXEC_DEFAULT_BLOCK);
    if (capacity > UPSTREAM_CAPACITY_MAX || block > UPSTREAM_CAPACITY_MAX)
        return EINVAL;
    block = std::bit_ceil(block);
    size_t blocks = std::max<size_t>(std::bit_ceil((capacity + block - 1) / block + kept<Queue>()), 2);
    return upstream_make<Queue>(object, blocks, block);
}

void upstream_destroy(void *object) { queue_of(object)->~Queue(); }

size_t upstream_capacity(const void *object) { return queue_of(object)->num_blocks() * queue_of(object)->block_size(); }

// The oldest block, the owner's, and the one after another: of the queue that counts rounds (from dcac2387 on), and of
// the one before.
template <class Of> static size_t first_block(const Of &queue) {
    if constexpr (requires { queue.start_block_; })
        return queue.start_block_.load();
    else
        return queue.thief_block_.load();
}
template <class Of> static size_t last_block(const Of &queue) {
    if constexpr (requires { queue.last_block_; })
        return queue.last_block_.load();
    else
        return queue.owner_block_.load();
}
template <class Of> static size_t next_block(const Of &queue, size_t at) {
    if constexpr (requires { queue.increase_block_counter(at); })
        return queue.increase_block_counter(at);
    else
        return at + 1;
}

// The owner's block from its head, those below from where thieves are.
size_t upstream_size(const void *object) {
    const Queue *queue = queue_of(object);
    const size_t last = last_block(*queue), full = queue->block_size();
    size_t size = 0;
    for (size_t at = first_block(*queue); at <= last; at = next_block(*queue, at)) {
        const auto &block = queue->blocks_[at & queue->mask_];
        size_t first = (at == last ? block.head_ : block.steal_tail_).load() & 0xffffffffu, past = block.tail_.load();
        if (first < past && first < full)
            size += past - first;
    }
    return size;
}

UPSTREAM_OPERATION int upstream_push(void *object, void *item) { return queue_of(object)->push_back(item); }
UPSTREAM_OPERATION size_t upstream_push_batch(void *object, void *const *items, size_t n) {
    void **first = const_cast<void **>(items); // it would move from them, which leaves a pointer as it is
    return static_cast<size_t>(queue_of(object)->push_back(first, first + n) - first);
}
UPSTREAM_OPERATION void *upstream_pop(void *object) { return queue_of(object)->pop_back(); }
UPSTREAM_OPERATION void *upstream_steal(void *object) { return queue_of(object)->steal_front(); }
int upstream_maybe_lost(void *) { return 0; } // it tries again by itself
