/* as_shipped/libfork_deque.h: libfork's deque, whose larger buffer may be seen before its contents.
 *
 * Source: github.com/ConorWilliams/libfork, include/libfork/core/ext/deque.hpp at 2f359cda (January 2026), unrepaired;
 * in every release since 2.0.0 (c87d7ac3, 2023). The algorithm is Chase-Lev after Le, Pop, Cohen and Zappa Nardelli,
 * PPoPP 2013. That paper's listing does not show how a deque grows. B. Norris and B. Demsky's benchmarks for CDSChecker
 * (model-checker-benchmarks, chase-lev-deque-bugfix) complete it with a release store of the array. A right one is
 * ../libfork.h, of which this is all but push.
 *
 * The fault: the owner stores the pointer to the larger buffer relaxed. The release fence that follows stands between
 * the new item and bottom; it does not order what was copied before that pointer. A thief that knows of an older item
 * loads the pointer (consume there, acquire here) and may find neither the mask nor the items. x86 keeps stores in
 * order; Arm and POWER do not.
 */
#define deque_push libfork_repaired_push
#include "../libfork.h"
#undef deque_push

#define DEQUE_SHOWN_BY "--memory=weak"
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/libfork_deque", .title = "libfork's deque, as shipped", .source = "libfork since 2.0.0",     \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = false, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .fault = "on weak memory a larger buffer is seen before its contents",      \
    }

DEQUE_SLOW_PATH struct ring_buffer *libfork_grow(struct deque *deque, struct ring_buffer *buffer, uint64_t front,
                                                 uint64_t back) {
    struct ring_buffer *larger = ring_buffer_new(2 * ((size_t)buffer->mask + 1), buffer);
    if (!larger)
        return NULL;
    ring_buffer_copy(buffer, larger, front, back);
    atomic_store_explicit(&deque->buffer, larger, memory_order_relaxed); /* the fault */
    return larger;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    struct ring_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if ((int64_t)(back - front) > (int64_t)buffer->mask) {
        buffer = libfork_grow(deque, buffer, front, back);
        if (!buffer)
            return DEQUE_FULL;
    }
    atomic_store_explicit(&buffer->slots[back & buffer->mask], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* with the store of back: pairs with the acquire of back in steal */
    atomic_store_explicit(&deque->back, back + 1, memory_order_relaxed);
    return DEQUE_OK;
}
