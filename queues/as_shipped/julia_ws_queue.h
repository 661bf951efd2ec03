/* as_shipped/julia_ws_queue.h: the queue of Julia's parallel collector, which is wrong on paper.
 *
 * Source: github.com/JuliaLang/julia, src/work-stealing-queue.h (pull request 48600, 2023; releases since 1.10), seen
 * at 034e0700f. Pull request 55629 (August 2024, open) says: "Lê uses a consume load, we mistakenly down-graded that to
 * a relaxed load". A right one is ../phanes.h, of which this is all but steal.
 *
 * The fault: a thief loads the pointer to the buffer relaxed. After growth it may see the new buffer, but neither its
 * mask nor the copied items. Every processor in use orders a load after the load of its address, so nobody has met
 * this. C11 does not promise that order, and a compiler may break it.
 */
#define deque_steal phanes_repaired_steal
#include "../phanes.h"
#undef deque_steal

#define DEQUE_SHOWN_BY "--memory=weak"
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/julia_ws_queue", .title = "Julia's GC queue, as shipped", .source = "Julia since 1.10",      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = false, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .fault = "a new buffer is seen before its contents (in C11 alone)",         \
    }

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of back in push and pop */
    uint64_t back = atomic_load_explicit(&victim->back, memory_order_acquire);
    if ((int64_t)(back - front) <= 0)
        return DEQUE_EMPTY;
    struct ring_buffer *buffer = atomic_load_explicit(&victim->buffer, memory_order_relaxed); /* the fault */
    deque_item taken = atomic_load_explicit(&buffer->slots[front & buffer->mask], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&victim->front, &front, front + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
