// taskflow.hpp: a deque of ours in the place of tf::BoundedWSQ, for tf::Worker (worker.hpp). What does not fit goes to
// Taskflow's own overflow queue, as it does with its own deque of 256 items.
#pragma once
#include "transplant_glue.hpp"

namespace transplant {

template <typename Pointer> class wsq {
  public:
    using value_type = Pointer;
    bool empty() const noexcept { return deque_.size() == 0; }
    std::size_t size() const noexcept { return deque_.size(); }
    std::size_t capacity() const noexcept { return deque_.room(); }
    bool try_push(Pointer item) { return deque_.push(item); }
    template <typename I> std::size_t try_bulk_push(I &first, std::size_t count) {
        std::size_t done = 0;
        for (; done < count && deque_.push(*first); done++)
            ++first;
        return done;
    }
    Pointer pop() { return deque_.pop(); }
    Pointer steal() { return deque_.steal(); }
    static constexpr Pointer empty_value() { return nullptr; }

  private:
    deque_of<std::remove_pointer_t<Pointer>, std::size_t{1} << TF_DEFAULT_BOUNDED_TASK_QUEUE_LOG_SIZE> deque_;
};

} // namespace transplant
