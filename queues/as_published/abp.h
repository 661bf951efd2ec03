/* as_published/abp.h: the ABP queue exactly as a published listing prints it, to show that the checks catch it.
 *
 * S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025, figure 2.6. The algorithm as its
 * authors gave it (SPAA 1998) is right; it is in ../abp.h. Faults of the listing, each reached by one thread alone:
 *
 * 1. `bottom > oldAge.top + 1` (line 21) ought to be `bottom > oldAge.top`. Push A, push B, pop: bottom is 1, top 0;
 *    the owner takes B for the last item and starts over. A is lost.
 * 2. Nothing asks whether `bottom == oldAge.top` before the CAS (line 27). Push A, steal A, pop: bottom is 0, top 1,
 *    the CAS succeeds, and A comes out again.
 * 3. The array is plain: a thief may read a slot that the owner, having started over, is writing. A data race, harmless
 *    only in so far as the tag makes that thief lose.
 *
 * Line 29 says `newTop`, which nothing declares; it is read as newAge. Where the listing gives no memory order, it
 * means sequentially consistent; `bottom` is read and written but not incremented atomically, as its text says.
 */
#include "../deque.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/abp", .title = "ABP, as printed", .source = "Duwadi 2025, figure 2.6",                     \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault = "pop of the last but one loses the last; pop after the last was stolen gives it again",               \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    _Atomic uint64_t age; /* the listing's `top`: {top, tag}, top in the upper half */
    deque_item *queue;
    uint64_t capacity;
};

DEQUE_OPERATION uint64_t abp_age(uint64_t top, uint64_t tag) { return top << 32 | (tag & UINT32_MAX); }
DEQUE_OPERATION uint64_t abp_top(uint64_t age) { return age >> 32; }
DEQUE_OPERATION uint64_t abp_tag(uint64_t age) { return age & UINT32_MAX; }

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = config->capacity ? config->capacity : 1024;
    if (capacity > UINT32_MAX || capacity > SIZE_MAX / 4 / sizeof(deque_item))
        return EINVAL;
    deque->queue = DEQUE_ALLOC(capacity * sizeof *deque->queue);
    if (!deque->queue)
        return ENOMEM;
    for (size_t i = 0; i < capacity; i++)
        deque->queue[i] = (deque_item)0;
    deque->capacity = capacity;
    atomic_init(&deque->age, abp_age(0, config->first_index));
    atomic_init(&deque->bottom, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->queue); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t top = abp_top(atomic_load_explicit(&deque->age, memory_order_relaxed));
    return bottom > top ? (size_t)(bottom - top) : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
    if (bottom >= deque->capacity)
        return DEQUE_FULL;
    deque->queue[bottom] = item;
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_seq_cst);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
    if (bottom == 0)
        return DEQUE_EMPTY;
    bottom--;
    atomic_store_explicit(&deque->bottom, bottom, memory_order_seq_cst);
    *item = deque->queue[bottom];
    uint64_t old_age = atomic_load_explicit(&deque->age, memory_order_seq_cst);
    if (bottom > abp_top(old_age) + 1) /* fault 1 */
        return DEQUE_OK;
    atomic_store_explicit(&deque->bottom, 0, memory_order_seq_cst);
    uint64_t new_age = abp_age(0, abp_tag(old_age) + 1);
    if (atomic_compare_exchange_strong_explicit(&deque->age, &old_age, new_age, memory_order_seq_cst,
                                                memory_order_seq_cst)) /* fault 2 */
        return DEQUE_OK;
    atomic_store_explicit(&deque->age, new_age, memory_order_seq_cst);
    return DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t old_age = atomic_load_explicit(&victim->age, memory_order_seq_cst);
    if (atomic_load_explicit(&victim->bottom, memory_order_seq_cst) <= abp_top(old_age))
        return DEQUE_EMPTY;
    *item = victim->queue[abp_top(old_age)]; /* fault 3 */
    uint64_t new_age = abp_age(abp_top(old_age) + 1, abp_tag(old_age));
    if (atomic_compare_exchange_strong_explicit(&victim->age, &old_age, new_age, memory_order_seq_cst,
                                                memory_order_seq_cst))
        return DEQUE_OK;
    return DEQUE_LOST;
}
