// stdexec.hpp: a deque of ours in the place of bwos::lifo_queue, for exec::static_thread_pool. It is included instead
// of the queue's own header. What does not fit waits in the worker's list, as it does with its own queue of 256 items.
#pragma once
#include "transplant_glue.hpp"
#include <type_traits>

namespace experimental::execution::bwos {

template <typename Pointer, typename> class lifo_queue {
  public:
    lifo_queue(std::size_t blocks, std::size_t block_size, ...) : deque_(blocks * block_size) {}
    bool push_back(Pointer task) { return deque_.push(task); }
    Pointer pop_back() noexcept { return deque_.pop(); }
    Pointer steal_front() noexcept { return deque_.steal(); }

  private:
    transplant::deque_of<std::remove_pointer_t<Pointer>> deque_;
};

} // namespace experimental::execution::bwos
