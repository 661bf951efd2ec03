/* as_shipped/crossbeam_deque.h: crossbeam-deque's batch steal, CVE-2021-32810.
 *
 * Source: github.com/crossbeam-rs/crossbeam, crossbeam-deque/src/deque.rs, releases 0.7.0 to 0.7.3 and 0.8.0, which
 * Rayon and others used. Advisory GHSA-pqqp-xmhj-wgcw (RUSTSEC-2021-0093). Shown as of 2653a6cf, repaired by 3e72cde5
 * (pull request 726, July 2021).
 *
 * The fault: a thief of a batch takes single items in a loop. Before the loop it loads the buffer, in the loop it loads
 * back anew. Meanwhile the owner fills the buffer, moves to a larger one and pushes there. The thief sees from back
 * that there is more and reads it from the buffer that was left, where that slot holds an older item or none. "Tasks
 * can be popped twice instead of other tasks that are forgotten" (the advisory).
 *
 * A right one is ../crossbeam.h, of which this is all but the batch; it looks at the buffer again before each CAS, as
 * 3e72cde5 does. What differs: stolen items go to an array instead of the thief's deque.
 */
#define deque_steal_batch crossbeam_repaired_batch
#define deque_steal_into crossbeam_repaired_into
#include "../crossbeam.h"
#undef deque_steal_batch
#undef deque_steal_into

#undef DEQUE_NATIVE
#define DEQUE_NATIVE DEQUE_STEAL_BATCH
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/crossbeam_deque", .title = "crossbeam-deque, as shipped",                                    \
        .source = "crossbeam-deque 0.8.0, CVE-2021-32810", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,         \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_LOCK_FREE,       \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
        .fault = "a batch is stolen from a buffer that the owner has left: items come out twice, others never",        \
    }

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    *n = 0;
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    int64_t left = crossbeam_left(victim, front);
    if (left <= 0 || max == 0)
        return DEQUE_EMPTY;
    size_t wanted = ring_share((size_t)left, percent, max);
    struct ring_buffer *ring = crossbeam_ring(victim); /* the fault: once */
    do {
        uint64_t at = front + *n;
        out[*n] = crossbeam_read(ring, at);
        if (!atomic_compare_exchange_strong_explicit(&victim->front, &at, at + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            break;
        ++*n;
    } while (*n < wanted && crossbeam_left(victim, front + *n) > 0);
    return *n > 0 ? DEQUE_OK : DEQUE_LOST;
}
