/* PREFIX_deque.hpp: PREFIX_deque.h for C++17, by two handles: one owner, and as many stealers as there are thieves.
 *
@SAID@ *
 * Item is what the deque carries: a pointer, or the integer type of PREFIX_item. A handle belongs to one thread at a time
 * and is moved, not copied; one that was moved from may only be destroyed or assigned to. The deque lives until its last
 * handle is gone. */
#ifndef PREFIX_UP_DEQUE_HPP
#define PREFIX_UP_DEQUE_HPP

#include "PREFIX_deque.h"
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

namespace PREFIX {

template <class Item> class owner;

/* Any thread's; takes what was pushed first, unless the deque's order says otherwise. */
template <class Item> class stealer {
  public:
    stealer(stealer &&) noexcept = default;
    stealer &operator=(stealer &&) noexcept = default;

    /* Nothing: there is nothing to take now or, with *lost, another thread was faster or an answer came too late: worth
     * another try. */
    std::optional<Item> steal(@SELF_PARAMETER@bool *lost = nullptr) {
        PREFIX_item item{};
        PREFIX_result result = PREFIX_steal(deque_.get(), @SELF@, &item);
        if (lost)
            *lost = result == PREFIX_UP_LOST;
        return result == PREFIX_UP_OK ? std::optional<Item>(static_cast<Item>(item)) : std::nullopt;
    }
    std::size_t size() const { return PREFIX_size(deque_.get()); } /* a snapshot, which may be stale */

  private:
    friend class owner<Item>;
    explicit stealer(std::shared_ptr<PREFIX_deque> deque) : deque_(std::move(deque)) {}
    std::shared_ptr<PREFIX_deque> deque_;
};

/* One thread's, which pushes and pops. */
template <class Item> class owner {
  public:
    /* std::invalid_argument, std::bad_alloc */
    explicit owner(const PREFIX_config &config = PREFIX_config{}) : deque_(PREFIX_new(&config), PREFIX_delete) {
        if (!deque_ && errno == EINVAL)
            throw std::invalid_argument("PREFIX_deque: no such capacity, block or mode");
        if (!deque_)
            throw std::bad_alloc();
    }
    owner(owner &&) noexcept = default;
    owner &operator=(owner &&) noexcept = default;

    /* Of an item that is not 0; false: there is no room, or no memory to make room. */
    bool push(Item item) { return PREFIX_push(deque_.get(), static_cast<PREFIX_item>(item)) == PREFIX_UP_OK; }
    std::optional<Item> pop() {
        PREFIX_item item{};
        return PREFIX_pop(deque_.get(), &item) == PREFIX_UP_OK ? std::optional<Item>(static_cast<Item>(item)) : std::nullopt;
    }
@POLL@    std::size_t size() const { return PREFIX_size(deque_.get()); }
    PREFIX::stealer<Item> stealer() const { return PREFIX::stealer<Item>(deque_); }
    PREFIX_deque *get() const { return deque_.get(); } /* for the operations of PREFIX_deque.h that this leaves out */

  private:
    std::shared_ptr<PREFIX_deque> deque_;
};

} // namespace PREFIX

#endif
