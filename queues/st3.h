/* st3.h: the LIFO ring of the St3 library, whose owner takes by a CAS instead of a fence.
 *
 * Algorithm of st3::lifo (S. Barral, the asynchronics project, Rust), where pushes is push_count, taken
 * pop_count_and_head, released head, and st3_book book_items. There is no bottom: how many items were pushed and how
 * many popped are counted apart, and the newest item is at their difference. Pops and head share a 64-bit word, so that
 * owner and thief, who each move one of the two by CAS, can never both take the same item. A thief books items by
 * moving head, copies them out, and then moves `released`, up to where slots are free, after it. While the two differ
 * nobody else steals; the owner goes on popping, and pushes as long as there are slots. Since items are booked before
 * they are read, slots need not be atomic.
 *
 * The price is a CAS in pop, on a word that thieves write too; push has none, and nobody has a fence.
 *
 * A thief that stops between the two keeps all other thieves out, and its slots occupied, until it goes on: push is
 * refused when the ring has come round to them, though fewer items than the capacity may be left inside.
 *
 * Counters have 32 bits. A thief errs only if it sleeps through exactly 2^32 pops with no steal among them.
 *
 * What differs from St3: the capacity is a setting; a thief without a ring takes into an array by the same steps; a
 * lost race is reported where St3 tries again.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "st3", .title = "St3 LIFO", .source = "St3, src/lifo.rs", .owner_order = DEQUE_LIFO,                     \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_BLOCKING,           \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t taken;    /* pops in the upper half, head in the lower; by CAS */
    alignas(DEQUE_LINE) _Atomic uint32_t pushes;   /* written by the owner alone */
    alignas(DEQUE_LINE) _Atomic uint32_t released; /* head when the last steal was over; written by that thief */
    alignas(DEQUE_LINE) deque_item *slots;
    uint32_t mask;
};

DEQUE_OPERATION uint64_t st3_taken(uint32_t pops, uint32_t head) { return (uint64_t)pops << 32 | head; }
DEQUE_OPERATION uint32_t st3_pops(uint64_t taken) { return (uint32_t)(taken >> 32); }
DEQUE_OPERATION uint32_t st3_head(uint64_t taken) { return (uint32_t)taken; }

/* Pops and head start at the lower half of first_index, pushes at their sum. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint32_t first = (uint32_t)config->first_index;
    uint64_t mask;
    int error = ring_make_plain(config, 256, RING_MAX_32, &deque->slots, &mask);
    if (error)
        return error;
    for (uint64_t i = 0; i <= mask; i++)
        deque->slots[i] = (deque_item)0;
    deque->mask = (uint32_t)mask;
    atomic_init(&deque->taken, st3_taken(first, first));
    atomic_init(&deque->pushes, first + first);
    atomic_init(&deque->released, first);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t taken = atomic_load_explicit(&deque->taken, memory_order_relaxed);
    uint32_t pushes = atomic_load_explicit(&deque->pushes, memory_order_relaxed);
    int32_t size = (int32_t)(pushes - st3_pops(taken) - st3_head(taken));
    return size > 0 ? (size_t)size : 0;
}

/* Owner: one past the newest item, and how many slots are free from there. */
DEQUE_OPERATION uint32_t st3_tail(struct deque *deque, uint32_t pushes, uint32_t *room) {
    uint32_t tail = pushes - st3_pops(atomic_load_explicit(&deque->taken, memory_order_relaxed));
    /* acquire: pairs with the release of `released` by thieves; they have read the slots below it before we write them
     * again */
    *room = deque->mask + 1 - (tail - atomic_load_explicit(&deque->released, memory_order_acquire));
    return tail;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t room, pushes = atomic_load_explicit(&deque->pushes, memory_order_relaxed);
    uint32_t tail = st3_tail(deque, pushes, &room);
    if (room == 0)
        return DEQUE_FULL;
    deque->slots[tail & deque->mask] = item;
    /* release: pairs with the acquire of pushes in st3_book; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->pushes, pushes + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint32_t room, pushes = atomic_load_explicit(&deque->pushes, memory_order_relaxed);
    uint32_t tail = st3_tail(deque, pushes, &room);
    uint32_t count = n < room ? (uint32_t)n : room;
    deque_copy_in(deque->slots, deque->mask, tail, items, count);
    /* release: pairs with the acquire of pushes in st3_book; publishes the whole batch */
    atomic_store_explicit(&deque->pushes, pushes + count, memory_order_release);
    return count;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t pushes = atomic_load_explicit(&deque->pushes, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&deque->taken, memory_order_relaxed);
    uint32_t pops = st3_pops(taken), tail = pushes - pops;
    while (st3_head(taken) != tail) {
        /* release: pairs with the acquire of `taken` in st3_book; a thief that finds our pops here finds the pushes
         * before them */
        if (atomic_compare_exchange_weak_explicit(&deque->taken, &taken, st3_taken(pops + 1, st3_head(taken)),
                                                  memory_order_release, memory_order_relaxed)) {
            *item = deque->slots[(tail - 1) & deque->mask];
            return DEQUE_OK;
        }
    }
    return DEQUE_EMPTY;
}

/* A thief's first step: books percent of what it sees (0: half), rounded up, at most `most`. With OK it holds count
 * items from position first on, and must release them. */
DEQUE_OPERATION enum deque_result st3_book(struct deque *victim, unsigned percent, size_t most, uint32_t *first,
                                           uint32_t *count) {
    /* acquire: pairs with the release in pop, so that pushes below is not behind pops */
    uint64_t taken = atomic_load_explicit(&victim->taken, memory_order_acquire);
    /* acquire: pairs with the release of `released` by the thief before us, so that pushes below is not behind head */
    uint32_t released = atomic_load_explicit(&victim->released, memory_order_acquire);
    uint32_t head = st3_head(taken);
    /* acquire: pairs with the release stores of pushes */
    uint32_t available = atomic_load_explicit(&victim->pushes, memory_order_acquire) - st3_pops(taken) - head;
    if (released != head)
        return DEQUE_LOST; /* another thief is at work, perhaps with the last items */
    if (available == 0 || most == 0)
        return DEQUE_EMPTY;
    uint32_t share = (uint32_t)(((uint64_t)available * (percent ? percent : 50) + 99) / 100);
    if (share > most)
        share = (uint32_t)most;
    /* relaxed: the items were acquired above, and st3_release publishes that we have read them */
    if (!atomic_compare_exchange_strong_explicit(&victim->taken, &taken, st3_taken(st3_pops(taken), head + share),
                                                 memory_order_relaxed, memory_order_relaxed))
        return DEQUE_LOST;
    *first = head;
    *count = share;
    return DEQUE_OK;
}

/* The same thief's last step, when it has read all it booked. */
DEQUE_OPERATION void st3_release(struct deque *victim, uint32_t first, uint32_t count) {
    /* release: pairs with the acquires of `released` by the owner and by the next thief */
    atomic_store_explicit(&victim->released, first + count, memory_order_release);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint32_t first, count;
    (void)self;
    enum deque_result result = st3_book(victim, 0, 1, &first, &count);
    if (result != DEQUE_OK)
        return result;
    *item = victim->slots[first & victim->mask];
    st3_release(victim, first, 1);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    uint32_t first, count;
    (void)self;
    *n = 0;
    enum deque_result result = st3_book(victim, percent, max, &first, &count);
    if (result != DEQUE_OK)
        return result;
    deque_copy_out(victim->slots, victim->mask, first, out, count);
    st3_release(victim, first, count);
    *n = count;
    return DEQUE_OK;
}

/* The newest of the stolen items is to run at once, the others are put into self as far as they fit. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint32_t position, count;
    uint32_t room, pushes = atomic_load_explicit(&self->pushes, memory_order_relaxed);
    uint32_t tail = st3_tail(self, pushes, &room);
    *moved = 0;
    enum deque_result result = st3_book(victim, 0, (size_t)room + 1, &position, &count);
    if (result != DEQUE_OK)
        return result;
    deque_copy_across(self->slots, self->mask, tail, victim->slots, victim->mask, position, count - 1);
    *first = victim->slots[(position + count - 1) & victim->mask];
    if (count > 1)
        /* release: pairs with the acquire of pushes in st3_book */
        atomic_store_explicit(&self->pushes, pushes + count - 1, memory_order_release);
    st3_release(victim, position, count);
    *moved = count - 1;
    return DEQUE_OK;
}
