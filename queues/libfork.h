/* libfork.h: the deque of libfork, a library for fork and join by coroutines: Chase-Lev on a ring that grows.
 *
 * Algorithm of lf::deque (C. Williams), github.com/ConorWilliams/libfork, include/libfork/core/ext/deque.hpp at
 * 2f359cda (January 2026), after Le, Pop, Cohen, Zappa Nardelli, PPoPP 2013. It is phanes.h (chase_lev.h on a ring that
 * grows) but for pop, which reads its slot after the CAS for the last item, and counts bottom up again instead of
 * setting it from top.
 *
 * What differs: the larger ring is published by a release store, where libfork has a relaxed one, which is wrong on
 * weak memory (as_shipped/libfork_deque.h) and on x86 the same instruction. Thieves acquire the ring, where libfork
 * consumes it; every store of back is a release store, where libfork has a release fence before the one in push; growth
 * that finds no memory refuses the item, where libfork throws.
 */
#define deque_pop phanes_pop
#include "phanes.h"
#undef deque_pop

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "libfork", .title = "libfork, growth apart", .source = "libfork at 2f359cda", .owner_order = DEQUE_LIFO, \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                 \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
    }

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed) - 1;
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    /* release, here and below: pairs with the acquire of back by phanes.h's thieves, which may read any of our stores
     * of it and must see every slot below */
    atomic_store_explicit(&deque->back, back, memory_order_release);
    /* pairs with the fence of phanes.h's thieves: either the thief sees the lowered back, or we see the raised front */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    int64_t left = (int64_t)(back - front);
    /* seq_cst, for the last item: pairs with the CAS of phanes.h's thieves */
    bool ours =
        left > 0 || (left == 0 && atomic_compare_exchange_strong_explicit(&deque->front, &front, front + 1,
                                                                          memory_order_seq_cst, memory_order_relaxed));
    if (left <= 0)
        atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    if (!ours)
        return DEQUE_EMPTY;
    *item = atomic_load_explicit(&buffer->pointer[back & buffer->mask], memory_order_relaxed);
    return DEQUE_OK;
}
