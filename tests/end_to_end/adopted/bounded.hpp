// A bounded deque in an older style: answers are bool, items pointers to tasks. Its fault: a thief takes an item by a load and
// a store where it takes a compare-and-swap, so two threads may get the same. For readme.sh.
#pragma once
#include <atomic>
#include <cstddef>

namespace bounded {

struct Task;

template <class Item, size_t Room> class Ring {
  public:
    bool try_push(Item item) {
        const size_t bottom = bottom_.load();
        if (bottom - top_.load() == Room)
            return false;
        slots_[bottom % Room].store(item);
        bottom_.store(bottom + 1);
        return true;
    }

    bool try_pop(Item &item) {
        const size_t bottom = bottom_.load() - 1;
        bottom_.store(bottom);
        size_t top = top_.load();
        if (static_cast<ptrdiff_t>(bottom - top) > 0) {
            item = slots_[bottom % Room].load();
            return true;
        }
        const bool last = bottom == top && top_.compare_exchange_strong(top, top + 1);
        if (last)
            item = slots_[bottom % Room].load();
        bottom_.store(bottom + 1);
        return last;
    }

    bool rob(Item &item) {
        const size_t top = top_.load();
        if (static_cast<ptrdiff_t>(bottom_.load() - top) <= 0)
            return false;
        item = slots_[top % Room].load();
        top_.store(top + 1);
        return true;
    }

    bool empty() const { return size() == 0; }
    size_t size() const {
        const ptrdiff_t size = static_cast<ptrdiff_t>(bottom_.load() - top_.load());
        return size > 0 ? static_cast<size_t>(size) : 0;
    }
    static constexpr size_t capacity() { return Room; }

  private:
    std::atomic<size_t> top_{0}, bottom_{0};
    std::atomic<Item> slots_[Room];
};

} // namespace bounded
