/* as_shipped/parlay_abp.h: parlaylib's deque, which lacks one fence.
 *
 * Source: github.com/cmuparlay/parlaylib, include/parlay/internal/work_stealing_deque.h at 5101769, unrepaired. The
 * algorithm is ABP (Arora, Blumofe, Plaxton: SPAA 1998); a right one is ../abp.h, of which this is all but steal.
 *
 * The fault: a thief loads age, then bottom, both by acquire, with no fence in between. The fence in pop has no
 * partner, so a thief may read a new age and an old bottom. It then takes an item that the owner took without a CAS.
 * The item comes out twice. x86 keeps the two loads in order, as ARMv8 keeps loads that acquire; C11 and POWER do not.
 *
 * History: until 5af0694 (pull request 54, "Fix memory orders for ARM", April 2023) the two loads were relaxed, and pop
 * had the same fence. ParlayANN still used that version in 2026: its issue 44 counts 19,000 doubled jobs of 1.6 million
 * on an Apple M5. MPL had the same fault (issue 212, repaired by pull request 214 with orders taken from parlaylib).
 *
 * Form "repaired" has the fence. What differs: push and pop have the orders of ../abp.h, of which some are stronger in
 * parlaylib.
 */
#define deque_steal parlay_right_steal
#include "../abp.h"
#undef deque_steal

#define DEQUE_SHOWN_BY "--memory=weak"
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/parlay_abp", .title = "parlaylib's ABP, as shipped", .source = "parlaylib at 5101769",       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "code", .mode_values = "shipped|repaired",                          \
        .fault = "no fence between a thief's two loads: on weak memory an item comes out twice",                       \
    }

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t age = atomic_load_explicit(&victim->age, memory_order_acquire);
    if (victim->orders == ABP_FENCES)                                              /* form "repaired" */
        atomic_thread_fence(memory_order_seq_cst);                                 /* pairs with the fence in pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire); /* the fault: may be old */
    if (bottom <= abp_top(age))
        return DEQUE_EMPTY;
    deque_item taken = atomic_load_explicit(&victim->slots[abp_top(age)], memory_order_acquire);
    uint64_t next = abp_age(abp_top(age) + 1, abp_tag(age));
    if (!atomic_compare_exchange_strong_explicit(&victim->age, &age, next, memory_order_seq_cst, memory_order_seq_cst))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
