/* as_shipped/tokio_queue.h: Tokio's run queue 0.2.14 to 0.2.16, which steals into slots that are still being read.
 *
 * Source: github.com/tokio-rs/tokio, tokio/src/runtime/queue.rs. Pull request 2315 (1cb1e291c, March 2020) brought it,
 * 2387 (58ba45a38, April 2020, issue 2382) repaired it. A right one is ../tokio.h, of which this is all but one
 * function.
 *
 * The fault: a worker whose ring is empty steals into it. "Empty" means that `real` equals tail. But another thief may
 * have claimed items of this ring and still be reading them: `steal` is behind `real`. The stolen items then overwrite
 * those that this thief reads. Items are lost, others come out twice.
 *
 * ../tokio.h has what 2387 added: a thief looks at the slots up to `steal`, and does not steal into a ring that is more
 * than half full.
 *
 * What differs: Tokio's positions had 8 bits there for 256 slots, so that its ring was full one item early; 2387 made
 * them 16. The same pull request's authors say that this hid the fault most of the time. Here they have 32.
 */
#define deque_steal_into tokio_repaired_steal_into
#include "../tokio.h"
#undef deque_steal_into

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/tokio_queue", .title = "Tokio's ring, as shipped", .source = "Tokio 0.2.14 to 0.2.16",       \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_LOCK_FREE,                              \
        .steal_progress = DEQUE_BLOCKING, .fault = "items are moved into slots that another thief is still reading",   \
    }

/* Tokio's worker calls this with an empty ring only, as far as it can see: any other is refused here. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint32_t position, count;
    uint32_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed);
    *moved = 0;
    /* acquire: pairs with the release of head in ring_release. The fault: nobody looks at the slots up to `steal`. */
    if (ring_real(atomic_load_explicit(&self->head, memory_order_acquire)) != tail)
        return deque_size(victim) > 0 ? DEQUE_LOST : DEQUE_EMPTY;
    enum deque_result result = ring_claim(victim, 0, self->mask + 1, &position, &count);
    if (result != DEQUE_OK)
        return result;
    /* All of them go through the ring, also the one that is to run at once. */
    deque_copy_across(self->slots, self->mask, tail, victim->slots, victim->mask, position, count);
    *first = self->slots[(tail + count - 1) & self->mask];
    ring_release(victim, position, count);
    if (count > 1)
        /* release: pairs with the acquire of tail in ring_claim */
        atomic_store_explicit(&self->tail, tail + count - 1, memory_order_release);
    *moved = count - 1;
    return DEQUE_OK;
}
