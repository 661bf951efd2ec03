/* as_shipped/ftl_wait_free_queue.h: FiberTaskingLib's deque, whose fences were taken away on x86.
 *
 * Source: github.com/RichieSams/FiberTaskingLib, include/ftl/wait_free_queue.h. Commit 85c11b61 (January 2017) made the
 * fences of push, pop and steal compiler fences wherever the processor has a "strong memory model", x86 by name.
 * 9d7b27d (pull request 138 for issue 137, September 2021) takes that back; the first tagged release, 1.0.0, has the
 * repair. The algorithm is Chase-Lev after Le et al.; a right one is in ../chase_lev.h.
 *
 * The fault: x86 has one weakness, and pop depends on it. The owner stores bottom and then loads top. The store waits
 * in the store buffer; the load does not. So the owner sees an old top while thieves see an old
 * bottom, and both take the same item.
 *
 * Form "repaired" has the fences. What differs: the ring does not grow, which has no part in the fault.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/ftl_wait_free_queue", .title = "FiberTaskingLib's queue, as shipped",                        \
        .source = "FiberTaskingLib before 9d7b27d", .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED,                   \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_WAIT_FREE,       \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE, .mode = "code",                            \
        .mode_values = "shipped|repaired",                                                                             \
        .fault = "pop has a compiler fence where it needs a real one: an item comes out twice",                        \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t mask;
    bool repaired;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > 1)
        return EINVAL;
    int error = ring_make(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    deque->repaired = config->mode == 1;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

/* The fault: on x86 only the compiler is ordered. */
DEQUE_OPERATION void ftl_fence(const struct deque *deque) {
    if (deque->repaired)
        atomic_thread_fence(memory_order_seq_cst); /* that of pop pairs with that of steal */
    else
        atomic_signal_fence(memory_order_seq_cst);
}

/* The stores of bottom are release stores, as C11 needs them and x86 makes any store; theirs are relaxed. */
DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    ftl_fence(deque);
    return atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#include "../parts/chase_lev.h"

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire);
    ftl_fence(victim);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    return ring_take(victim, top, item);
}
