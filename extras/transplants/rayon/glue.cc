// glue.cc: a deque that `export` made (transplant_deque.h, with the prefix transplant) for src/lib.rs, whose items are
// two words. Two forms: the words lie in the deque's slots (-DWORDS), or a slot has a pointer to a cell of the owner's.
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace transplant {

using words = unsigned __int128;

// A slot of two words, each atomic, not both together. Right for a deque whose thief reads a slot after its claim, or
// before it and then counts what it read for nothing unless the claim says that the slot was not written meanwhile:
// nobody uses one word of an item with the other of another. crossbeam-deque reads its slots so, too.
struct slot {
    std::atomic<std::uint64_t> low, high;
};
inline words atomic_load_explicit(const slot *slot, std::memory_order order) {
    const auto low = slot->low.load(order);
    return static_cast<words>(slot->high.load(order)) << 64 | low;
}
inline void atomic_store_explicit(slot *slot, words item, std::memory_order order) {
    slot->low.store(static_cast<std::uint64_t>(item), order);
    slot->high.store(static_cast<std::uint64_t>(item >> 64), order);
}
inline void atomic_init(slot *slot, words item) { atomic_store_explicit(slot, item, std::memory_order_relaxed); }

// What the exported header's atomics are here (../crates.py changes one line of it).
template <typename type> using atomic_of = std::conditional_t<std::is_same_v<type, words>, slot, std::atomic<type>>;

} // namespace transplant

#include "transplant_deque.h"

namespace {

constexpr std::size_t capacity = 1024; // of a fixed one; what does not fit waits in src/lib.rs
constexpr std::uint32_t taken = 0, empty = 1, lost = 2;

#ifdef WORDS

struct glue {
    transplant_deque deque;

    transplant_item pack(std::uint64_t first, std::uint64_t second) {
        return static_cast<transplant::words>(second) << 64 | first;
    }
    void unpack(transplant_item item, std::uint64_t *to, bool) {
        to[0] = static_cast<std::uint64_t>(item);
        to[1] = static_cast<std::uint64_t>(item >> 64);
    }
    void drop(transplant_item) {}
};

#else

struct alignas(32) cell {
    std::uint64_t words[2];
    std::atomic<bool> used;
};

// The owner takes the cells of a ring in turn, and goes back when it pops, so that it mostly uses the same few. When
// all are used there is another ring, twice as large; the old ones stay, for their cells may still be in the deque.
struct glue {
    transplant_deque deque;
    std::vector<std::unique_ptr<cell[]>> rings;
    cell *ring = nullptr;
    std::size_t mask = 0, next = 0;

    // acquire: pairs with the release in unpack, of a thief that has read the cell
    bool is_free() const { return ring && !ring[next & mask].used.load(std::memory_order_acquire); }

    __attribute__((noinline)) void find_free() {
        for (std::size_t tried = 0; tried < mask; tried++) {
            next++;
            if (is_free())
                return;
        }
        mask = ring ? 2 * mask + 1 : capacity - 1;
        rings.emplace_back(new cell[mask + 1]());
        ring = rings.back().get();
        next = 0;
    }
    transplant_item pack(std::uint64_t first, std::uint64_t second) {
        if (!is_free())
            find_free();
        cell *cell = &ring[next++ & mask];
        cell->words[0] = first;
        cell->words[1] = second;
        cell->used.store(true, std::memory_order_relaxed); // the deque's push publishes it
        return cell;
    }
    void unpack(transplant_item item, std::uint64_t *to, bool owner) {
        cell *from = static_cast<cell *>(item);
        to[0] = from->words[0];
        to[1] = from->words[1];
        // release: pairs with the acquire in is_free; the owner may write the cell again
        from->used.store(false, owner ? std::memory_order_relaxed : std::memory_order_release);
        if (owner && static_cast<std::size_t>(from - ring) <= mask)
            next = static_cast<std::size_t>(from - ring);
    }
    void drop(transplant_item item) {
        std::uint64_t words[2];
        unpack(item, words, true);
    }
};

#endif

} // namespace

extern "C" {

glue *transplant_glue_new() {
    auto *made = new (std::nothrow) glue{};
    transplant_config config{};
    config.capacity = capacity;
    if (made && transplant_init(&made->deque, &config) == 0)
        return made;
    delete made;
    return nullptr;
}

void transplant_glue_delete(glue *glue) {
    transplant_destroy(&glue->deque);
    delete glue;
}

bool transplant_glue_push(glue *glue, std::uint64_t first, std::uint64_t second) {
    transplant_item item = glue->pack(first, second);
    if (transplant_push(&glue->deque, item) == TRANSPLANT_OK)
        return true;
    glue->drop(item);
    return false;
}

bool transplant_glue_pop(glue *glue, std::uint64_t *words) {
    transplant_item item;
    if (transplant_pop(&glue->deque, &item) != TRANSPLANT_OK)
        return false;
    glue->unpack(item, words, true);
    return true;
}

std::uint32_t transplant_glue_steal(glue *glue, std::uint64_t *words) {
    transplant_item item;
    const auto result = transplant_steal(&glue->deque, nullptr, &item);
    if (result == TRANSPLANT_OK)
        glue->unpack(item, words, false);
    return result == TRANSPLANT_OK ? taken : result == TRANSPLANT_EMPTY ? empty : lost;
}

bool transplant_glue_is_empty(const glue *glue) { return transplant_size(&glue->deque) == 0; }

} // extern "C"
