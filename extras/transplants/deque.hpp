// deque.hpp: a deque that `export` made (transplant_deque.h, with the prefix transplant), as an object whose items are
// pointers. What every host's glue is made of.
#pragma once
#include "transplant_deque.h"
#include <new>

namespace transplant {

// A deque with a fixed capacity holds `capacity` items, and a growing one starts with as many.
template <typename T, std::size_t usual = 256> class deque_of {
  public:
    explicit deque_of(std::size_t capacity = usual) {
        transplant_config config{};
        config.capacity = capacity;
        if (transplant_init(&deque_, &config) != 0)
            throw std::bad_alloc();
    }
    deque_of(const deque_of &) = delete;
    deque_of &operator=(const deque_of &) = delete;
    ~deque_of() { transplant_destroy(&deque_); }

    // Owner; false: there is no room. The item is not null.
    bool push(T *item) { return transplant_push(&deque_, item) == TRANSPLANT_OK; }
    // Owner; null: the deque is empty.
    T *pop() {
        void *item = nullptr;
        return transplant_pop(&deque_, &item) == TRANSPLANT_OK ? static_cast<T *>(item) : nullptr;
    }
    // Any thread; null: it is empty, or another thread was faster, which *lost tells apart.
    T *steal(bool *lost = nullptr) {
        void *item = nullptr;
        const auto result = transplant_steal(&deque_, nullptr, &item);
        if (lost)
            *lost = result == TRANSPLANT_LOST;
        return result == TRANSPLANT_OK ? static_cast<T *>(item) : nullptr;
    }
    std::size_t size() const noexcept { return transplant_size(&deque_); } // a snapshot, which may be stale
    std::size_t room() const noexcept { return transplant_capacity(&deque_); }

  private:
    transplant_deque deque_;
};

} // namespace transplant
