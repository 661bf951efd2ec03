/* as_published/worksteal.h: the deque of a blog post exactly as printed, to show that the checks catch it.
 *
 * Ilzam: Work-stealing from first principles, April 2026 (Rust). A right one is in ../worksteal.h.
 * Faults of the listing:
 *
 * 1. A thief takes the item out of the slot before its CAS. Push A; T1 and T2 read top = 0; T1 takes A and leaves
 *    nothing; T2 takes nothing, wins the CAS and returns nothing; T1 loses the CAS and drops A. A is lost.
 * 2. Push never asks whether there is room. Push CAPACITY + 1 items: the first is overwritten and dropped, by
 *    one thread alone.
 * 3. No sequentially consistent order between steal's two loads and pop's store of bottom and load of top: pop may read
 *    an old top while a thief reads the old bottom, and both take the same item, the owner without a CAS. (Shows once
 *    slots are read instead of taken; before, fault 1 hides it.)
 * 4. Slots are plain and written by thieves: a data race between any two of them, and with the owner.
 * 5. Pop's relaxed stores of bottom do not publish what lies below.
 * 6. A lost race is reported as nothing to steal.
 *
 * The listing's None is item 0. Its memory orders are kept.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/worksteal", .title = "worksteal, as printed", .source = "Ilzam 2026 (blog)",               \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault = "a thief empties the slot before its CAS: losing it, it drops the item; push overwrites when full",   \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    _Atomic uint64_t top;
    deque_item *buffer;
    uint64_t capacity;
};

/* Counters start at 0, as in the listing, wherever a test would have them start. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint64_t last;
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->buffer, &last);
    if (error)
        return error;
    for (size_t i = 0; i <= last; i++)
        deque->buffer[i] = (deque_item)0;
    deque->capacity = last + 1;
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->buffer); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* Takes the item out of its slot, as Option::take does. */
DEQUE_OPERATION enum deque_result worksteal_take(struct deque *deque, uint64_t index, deque_item *item) {
    deque_item *slot = &deque->buffer[index % deque->capacity];
    *item = *slot;
    *slot = (deque_item)0;
    return *item ? DEQUE_OK : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    deque->buffer[bottom % deque->capacity] = item; /* fault 2 */
    /* release: pairs with the acquire of bottom in steal */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == 0)
        return DEQUE_EMPTY;
    uint64_t new_bottom = bottom - 1;
    atomic_store_explicit(&deque->bottom, new_bottom, memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_acquire); /* fault 3 */
    if (new_bottom > top)
        return worksteal_take(deque, new_bottom, item);
    if (new_bottom < top) {
        atomic_store_explicit(&deque->bottom, top, memory_order_relaxed); /* fault 5 */
        return DEQUE_EMPTY;
    }
    uint64_t expected = top;
    enum deque_result result = worksteal_take(deque, new_bottom, item);
    if (!atomic_compare_exchange_strong_explicit(&deque->top, &expected, top + 1, memory_order_seq_cst,
                                                 memory_order_seq_cst))
        result = DEQUE_EMPTY;
    atomic_store_explicit(&deque->bottom, top + 1, memory_order_relaxed); /* fault 5 */
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire, both: pair with the release of bottom in push, and with the CAS of another thief */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire); /* fault 3 */
    if (top >= bottom)
        return DEQUE_EMPTY;
    enum deque_result result = worksteal_take(victim, top, item); /* faults 1 and 4 */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_seq_cst))
        return DEQUE_EMPTY; /* fault 6 */
    return result;
}
