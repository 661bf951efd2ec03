/* abp.h: the deque of Arora, Blumofe and Plaxton, on a linear array.
 *
 * Differs from chase_lev.h in that bottom and top count from the start of an array instead of going round a ring. Slots
 * that thieves free at the front are reused only after the owner finds the deque empty and starts over at 0. That gives
 * top a value that it had before, so a tag in the same word distinguishes the two (unless a thief sleeps for 2^32
 * restarts).
 *
 * N. S. Arora, R. D. Blumofe, C. G. Plaxton: Thread scheduling for multiprogrammed multiprocessors, SPAA 1998. Push may
 * be refused while the deque holds fewer items than its capacity, even none.
 *
 * The price is the fence in pop, as in Chase-Lev, but a pop that finds bottom at 0 has none.
 *
 * What differs from the paper: the array ends, and push says FULL there; orders are C11's, where the paper assumes
 * sequential consistency.
 *
 * Mode orders: of steal, as in chase_lev.h. The paper names no fence.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "abp", .title = "ABP", .source = "Arora, Blumofe, Plaxton: SPAA 1998", .owner_order = DEQUE_LIFO,        \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true,   \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .mode = "orders", .mode_values = "accesses|fences",                                                            \
    }

enum abp_orders { ABP_ACCESSES, ABP_FENCES };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t age;    /* top in the upper half, tag in the lower */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t capacity;
    enum abp_orders orders;
};

DEQUE_OPERATION uint64_t abp_age(uint64_t top, uint64_t tag) { return top << 32 | (tag & UINT32_MAX); }
DEQUE_OPERATION uint64_t abp_top(uint64_t age) { return age >> 32; }
DEQUE_OPERATION uint64_t abp_tag(uint64_t age) { return age & UINT32_MAX; }

/* Indices always start at 0. The tag starts at the lower half of first_index. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_asked(config, 1024, UINT32_MAX);
    if (capacity == 0 || config->mode > ABP_FENCES)
        return EINVAL;
    deque->slots = ring_slots(capacity);
    if (!deque->slots)
        return ENOMEM;
    deque->capacity = capacity;
    deque->orders = config->mode == ABP_FENCES ? ABP_FENCES : ABP_ACCESSES;
    atomic_init(&deque->age, abp_age(0, config->first_index));
    atomic_init(&deque->bottom, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t top = abp_top(atomic_load_explicit(&deque->age, memory_order_relaxed));
    return bottom > top ? (size_t)(bottom - top) : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->capacity)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

/* Owner, having found top at or above the last index: the deque is empty, or becomes so with this item. Starts over at
 * index 0 under a new tag. Until age changes, bottom at 0 keeps thieves away. */
DEQUE_OPERATION enum deque_result abp_start_over(struct deque *deque, uint64_t last, uint64_t age) {
    enum deque_result result = DEQUE_EMPTY;
    uint64_t fresh = abp_age(0, abp_tag(age) + 1);
    /* release: pairs with the acquire of bottom in steal, as every store of bottom does */
    atomic_store_explicit(&deque->bottom, 0, memory_order_release);
    /* The last item: this CAS or the one in steal has it. release: pairs with the acquire of age in steal, whoever sees
     * the new tag sees bottom at 0; acquire: with that CAS, the thief has read its slot before we write it again */
    if (abp_top(age) == last &&
        atomic_compare_exchange_strong_explicit(&deque->age, &age, fresh, memory_order_acq_rel, memory_order_acquire))
        result = DEQUE_OK;
    else
        /* release: as above */
        atomic_store_explicit(&deque->age, fresh, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == 0)
        return DEQUE_EMPTY;
    bottom--;
    /* release: pairs with the acquire of bottom in steal, which may read any of our stores of it and must see every
     * slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    /* acquire: pairs with the CAS in steal; a thief that has passed a slot has read it before we write it again */
    uint64_t age = atomic_load_explicit(&deque->age, memory_order_acquire);
    *item = atomic_load_explicit(&deque->slots[bottom], memory_order_relaxed);
    if (bottom > abp_top(age))
        return DEQUE_OK;
    return abp_start_over(deque, bottom, age);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t age, bottom;
    (void)self;
    if (victim->orders == ABP_ACCESSES) {
        /* seq_cst, both: pair with the fence in pop, and as acquire with what the acquires below pair with */
        age = atomic_load_explicit(&victim->age, memory_order_seq_cst);
        bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    } else {
        /* acquire: pairs with the owner's store or CAS of age when it starts over, so that bottom below is not from
         * before, and with the CAS of the thief before us */
        age = atomic_load_explicit(&victim->age, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
        /* acquire: pairs with the release stores of bottom */
        bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    }
    if (bottom <= abp_top(age))
        return DEQUE_EMPTY;
    deque_item taken = atomic_load_explicit(&victim->slots[abp_top(age)], memory_order_relaxed);
    uint64_t next = abp_age(abp_top(age) + 1, abp_tag(age));
    /* seq_cst: pairs with the fence in pop and the acquire of age there and in abp_start_over; after it the slot may be
     * written again */
    if (!atomic_compare_exchange_strong_explicit(&victim->age, &age, next, memory_order_seq_cst, memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
