// parlaylib.hpp: a deque of ours in the place of parlay::internal::Deque, for its scheduler (scheduler.h), which wakes
// threads by "it was empty before this push" and "it is empty after this steal".
#pragma once
#include "transplant_glue.hpp"
#include <cstdlib>
#include <iostream>
#include <utility>

namespace transplant {

template <typename Job> class deque {
  public:
    // parlaylib's own deque tells the same: what thieves took since the owner last found it empty, still counts.
    bool push_bottom(Job *job) {
        if (!deque_.push(job)) {
            std::cerr << "internal error: scheduler queue overflow\n";
            std::abort();
        }
        return pushed_++ == 0;
    }
    Job *pop_bottom() {
        Job *job = deque_.pop();
        pushed_ = job ? pushed_ - 1 : 0;
        return job;
    }
    std::pair<Job *, bool> pop_top() {
        Job *job = deque_.steal();
        return {job, deque_.size() == 0};
    }

  private:
    deque_of<Job, 1024> deque_;
    alignas(TRANSPLANT_LINE) std::size_t pushed_ = 0; // the owner's: since it was found empty, less what it popped
};

} // namespace transplant
