// A growing Chase-Lev deque in the style of today's C++: answers are optionals, a push cannot fail. For readme.sh.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace growing {

template <class T> class Deque {
    struct Ring {
        explicit Ring(int64_t capacity) : mask(capacity - 1), slots(new std::atomic<T>[static_cast<size_t>(capacity)]) {}
        std::atomic<T> &at(int64_t index) { return slots[static_cast<size_t>(index & mask)]; }
        int64_t mask;
        std::unique_ptr<std::atomic<T>[]> slots;
    };

  public:
    explicit Deque(int64_t capacity = 64) {
        rings_.push_back(std::make_unique<Ring>(capacity));
        ring_.store(rings_.back().get(), std::memory_order_release);
    }

    void push(T item) {
        const int64_t bottom = bottom_.load(std::memory_order_relaxed), top = top_.load(std::memory_order_acquire);
        Ring *ring = ring_.load(std::memory_order_relaxed);
        if (bottom - top > ring->mask)
            ring = grow(ring, top, bottom);
        ring->at(bottom).store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release);
    }

    std::optional<T> pop() {
        const int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        Ring *ring = ring_.load(std::memory_order_relaxed);
        bottom_.store(bottom, std::memory_order_seq_cst);
        int64_t top = top_.load(std::memory_order_seq_cst);
        if (top < bottom)
            return ring->at(bottom).load(std::memory_order_relaxed);
        std::optional<T> item;
        if (top == bottom && top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst))
            item = ring->at(bottom).load(std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release);
        return item;
    }

    std::optional<T> steal() {
        int64_t top = top_.load(std::memory_order_seq_cst);
        if (top >= bottom_.load(std::memory_order_seq_cst))
            return std::nullopt;
        T item = ring_.load(std::memory_order_acquire)->at(top).load(std::memory_order_relaxed);
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst))
            return std::nullopt;
        return item;
    }

    int64_t size() const { return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed); }

  private:
    Ring *grow(Ring *old, int64_t top, int64_t bottom) {
        rings_.push_back(std::make_unique<Ring>(2 * (old->mask + 1)));
        Ring *ring = rings_.back().get();
        for (int64_t i = top; i < bottom; i++)
            ring->at(i).store(old->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
        ring_.store(ring, std::memory_order_release);
        return ring;
    }

    alignas(64) std::atomic<int64_t> top_{0};
    alignas(64) std::atomic<int64_t> bottom_{0};
    alignas(64) std::atomic<Ring *> ring_{nullptr};
    std::vector<std::unique_ptr<Ring>> rings_;
};

} // namespace growing
