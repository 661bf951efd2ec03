// libfork.hpp: a deque of ours in the place of lf::deque, for lf::worker_context (core/ext/context.hpp). A fork pushes
// the rest of its parent, so a worker holds as many items as its forks are deep.
#pragma once
#include "libfork/core/ext/deque.hpp"
#include "transplant_glue.hpp"

namespace transplant {

template <typename Pointer> class deque {
  public:
    void push(Pointer task) {
        if (!deque_.push(task))
            throw std::bad_alloc(); // as lf::deque does where it cannot grow
    }
    template <typename F> Pointer pop(F &&when_empty) {
        Pointer task = deque_.pop();
        return task ? task : when_empty();
    }
    lf::steal_t<Pointer> steal() noexcept {
        bool lost = false;
        Pointer task = deque_.steal(&lost);
        return {.code = task ? lf::err::none : lost ? lf::err::lost : lf::err::empty, .val = task};
    }
    bool empty() const noexcept { return deque_.size() == 0; }

  private:
    deque_of<std::remove_pointer_t<Pointer>, std::size_t{1} << 16> deque_; // lf::deque grows; a fixed one gets room
};

} // namespace transplant
