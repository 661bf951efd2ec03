/* as_shipped/parlay_abp.h: parlaylib's deque, which lacks one fence.
 *
 * Source: github.com/cmuparlay/parlaylib, include/parlay/internal/work_stealing_deque.h at 5101769, unrepaired. The
 * algorithm is ABP (Arora, Blumofe, Plaxton: SPAA 1998); a right one is in ../abp.h.
 *
 * The fault: a thief loads age, then bottom, both by acquire, with no fence in between. The fence in pop has no
 * partner, so a thief may read a new age and an old bottom. It then takes an item that the owner took without a CAS.
 * The item comes out twice. x86 keeps the two loads in order, as ARMv8 keeps loads that acquire; C11 and POWER do not.
 *
 * History: until 5af0694 (pull request 54, "Fix memory orders for ARM", April 2023) the two loads were relaxed, and pop
 * had the same fence. ParlayANN still used that version in 2026: its issue 44 counts 19,000 doubled jobs of 1.6 million
 * on an Apple M5. MPL had the same fault (issue 212, repaired by pull request 214 with orders taken from parlaylib).
 *
 * Found by: `lab explore --memory=weak` (not on TSO), and GenMC under RC11 and IMM. Form "repaired" has the fence.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_SHOWN_BY "--memory=weak"
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/parlay_abp", .title = "parlaylib's ABP, as shipped", .source = "parlaylib at 5101769",       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,     \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "code", .mode_values = "shipped|repaired",                          \
        .fault = "no fence between a thief's two loads: on weak memory an item comes out twice",                       \
    }

#define PARLAY_DEFAULT_CAPACITY 1000

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t age; /* top in the upper half, tag in the lower */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint64_t capacity;
    bool repaired;
};

DEQUE_OPERATION uint64_t parlay_age(uint64_t top, uint64_t tag) { return top << 32 | (tag & UINT32_MAX); }
DEQUE_OPERATION uint64_t parlay_top(uint64_t age) { return age >> 32; }
DEQUE_OPERATION uint64_t parlay_tag(uint64_t age) { return age & UINT32_MAX; }

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > 1)
        return EINVAL;
    size_t capacity = ring_asked(config, PARLAY_DEFAULT_CAPACITY, UINT32_MAX);
    if (capacity == 0)
        return EINVAL;
    deque->slots = ring_slots(capacity);
    if (!deque->slots)
        return ENOMEM;
    deque->capacity = capacity;
    deque->repaired = config->mode == 1;
    atomic_init(&deque->age, parlay_age(0, config->first_index));
    atomic_init(&deque->bottom, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t top = parlay_top(atomic_load_explicit(&deque->age, memory_order_relaxed));
    return bottom > top ? (size_t)(bottom - top) : 0;
}

/* A full deque says FULL where parlaylib's ends the program. */
DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
    if (bottom == deque->capacity)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom], item, memory_order_release);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_seq_cst);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
    if (bottom == 0)
        return DEQUE_EMPTY;
    bottom--;
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    *item = atomic_load_explicit(&deque->slots[bottom], memory_order_acquire);
    uint64_t age = atomic_load_explicit(&deque->age, memory_order_acquire);
    if (bottom > parlay_top(age))
        return DEQUE_OK;
    atomic_store_explicit(&deque->bottom, 0, memory_order_release);
    uint64_t fresh = parlay_age(0, parlay_tag(age) + 1);
    if (bottom == parlay_top(age) &&
        atomic_compare_exchange_strong_explicit(&deque->age, &age, fresh, memory_order_seq_cst, memory_order_seq_cst))
        return DEQUE_OK;
    atomic_store_explicit(&deque->age, fresh, memory_order_seq_cst);
    return DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t age = atomic_load_explicit(&victim->age, memory_order_acquire);
    if (victim->repaired)
        atomic_thread_fence(memory_order_seq_cst);                                 /* pairs with the fence in pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire); /* the fault: may be old */
    if (bottom <= parlay_top(age))
        return DEQUE_EMPTY;
    deque_item taken = atomic_load_explicit(&victim->slots[parlay_top(age)], memory_order_acquire);
    uint64_t next = parlay_age(parlay_top(age) + 1, parlay_tag(age));
    if (!atomic_compare_exchange_strong_explicit(&victim->age, &age, next, memory_order_seq_cst, memory_order_seq_cst))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
