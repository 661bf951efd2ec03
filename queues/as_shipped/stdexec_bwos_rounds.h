/* as_shipped/stdexec_bwos_rounds.h: the queue of stdexec's static_thread_pool after its repair of March 2026.
 *
 * Source: github.com/NVIDIA/stdexec, include/exec/detail/bwos_lifo_queue.hpp at e92245d5 (August 2026), from dcac2387
 * (pull request 1967) on. What was wrong before is in stdexec_bwos_lifo.h, which has this fault, too. A right one is
 * ../stdexec.h, of which this is all but a word of steal.
 *
 * The fault: a thief's CAS of `steal_tail` is relaxed (line 556 there), and the thief reads the slot after it (line
 * 563). Nothing orders that read behind the owner's last grant. The thief's load of `tail` acquires, but may read an
 * old tail. So the thief may find what was in the slot before: that item comes out twice, and the new one is lost.
 * This happens
 *  - if the owner takes a block back after the thief has read `steal_tail`, and grants it again from the same position;
 *  - if the thief reads the `steal_tail` of this round and the `tail` of the round before;
 *  - with a block's first grant, for `tail` begins as if the block were full: nothing comes out, and an item is lost.
 *
 * With slots that are plain, as they are there, C++ calls the read a data race. x86 shows nothing.
 *
 * The repair is one word: the CAS acquires. The owner's grant releases already. It does not suffice that the load of
 * `steal_tail` before it (line 533) acquires: that is of no use in the first case.
 */
#define deque_steal stdexec_repaired_steal
#include "../stdexec.h"
#undef deque_steal

#define DEQUE_SHOWN_BY "--memory=weak"
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/stdexec_bwos_rounds", .title = "stdexec's BWoS, with rounds",                                \
        .source = "stdexec at e92245d5", .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED,                              \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_BLOCKING,        \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = STDEXEC_DEFAULT_BLOCK,    \
        .fault = "a thief's claim does not acquire: on weak memory it takes what was in the slot before",              \
    }

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t thief = atomic_load_explicit(&victim->start, memory_order_relaxed);
    (void)self;
    do {
        struct stdexec_block *block = stdexec_block_at(victim, thief);
        uint64_t at = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
        if (stdexec_index(at) != block->size) {
            if (stdexec_index(at) == atomic_load_explicit(&block->tail, memory_order_acquire))
                return DEQUE_EMPTY;
            if (!atomic_compare_exchange_strong_explicit(&block->steal_tail, &at, at + 1, memory_order_relaxed,
                                                         memory_order_relaxed)) /* the fault */
                return DEQUE_LOST;
            *item = block->items[stdexec_index(at)];
            atomic_fetch_add_explicit(&block->steal_count, 1, memory_order_release);
            return DEQUE_OK;
        }
        if (stdexec_round(at) != stdexec_round(thief))
            return DEQUE_EMPTY;
        thief = stdexec_after(victim, thief);
    } while ((int64_t)(thief - atomic_load_explicit(&victim->last, memory_order_relaxed)) < 0);
    return DEQUE_EMPTY;
}
