/* as_shipped/sledge_deque.h: SLEdge's deque, which runs off the end of its array.
 *
 * Source: github.com/gwsystems/sledge-serverless-framework, runtime/include/deque.h, until 7771c873 (pull request 393,
 * June 2026). The algorithm is Chase-Lev; a right one is ../chase_lev.h.
 *
 * The fault: top and bottom only grow, and index the array as they are, without a modulus. The array has 2^23 slots.
 * The 2^23rd request that goes through the deque is written behind it, however few are inside at a time.
 *
 * Form "repaired" takes the index modulo the slots. What differs: the array has as many slots as the capacity, because
 * with an array of 64 MB the fault would only come later; the words are atomic where the original has volatile ones
 * with full fences.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/sledge_deque", .title = "SLEdge's deque, as shipped", .source = "SLEdge before 7771c873",    \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "code", .mode_values = "shipped|repaired",                          \
        .fault = "indices only grow: writes behind the end of its array",                                              \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t capacity;
    uint64_t mask;
};

/* Indices start at 0, whatever config says: any other would be outside of the array at once. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > 1)
        return EINVAL;
    uint64_t last;
    int error = ring_make(config, 4096, RING_MAX, &deque->slots, &last);
    if (error)
        return error;
    deque->capacity = last + 1;
    deque->mask = config->mode == 1 ? last : UINT64_MAX; /* the fault: no modulus */
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    return 0;
}

/* seq_cst, as all here: the original has full fences and __sync operations. */
DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    atomic_exchange_explicit(&deque->bottom, bottom, memory_order_seq_cst);
    return atomic_load_explicit(&deque->top, memory_order_seq_cst);
}

#define deque_push sledge_push_by_mask
#define deque_capacity sledge_capacity_by_mask
#include "../parts/chase_lev.h"
#undef deque_push
#undef deque_capacity

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if ((int64_t)(bottom - top) >= (int64_t)deque->capacity)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_seq_cst);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    return (int64_t)(bottom - top) > 0 ? ring_take(victim, top, item) : DEQUE_EMPTY;
}
