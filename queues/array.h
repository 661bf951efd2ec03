/* array.h: an array stack without synchronisation. A reference, not a work-stealing deque.
 *
 * The least that a deque on an array can cost: a load, a store and an index at either end of a ring. Only the owner's
 * thread may call its operations, deque_steal and deque_size included.
 */
#include "deque.h"
#include "parts/array.h"

#define DEQUE_NATIVE (DEQUE_STEAL_BATCH + DEQUE_RESERVE)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "array", .title = "array, no synchronisation", .source = "for one thread", .owner_order = DEQUE_LIFO,    \
        .bound = DEQUE_FIXED, .thieves = DEQUE_OWNER_ONLY, .native = DEQUE_NATIVE, .sound = true, .reference = true,   \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_WAIT_FREE,          \
    }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    if (deque->bottom - deque->top > deque->mask)
        return DEQUE_FULL;
    deque->slots[deque->bottom++ & deque->mask] = item;
    return DEQUE_OK;
}

typedef deque_item deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) { *slot = item; }

DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t at = deque->bottom & deque->mask, room = deque->mask + 1 - (deque->bottom - deque->top);
    *span = deque_run(deque->mask, at, n < room ? n : (size_t)room);
    return *span > 0 ? deque->slots + at : NULL;
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    deque->bottom += n;
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    if (deque->bottom == deque->top)
        return DEQUE_EMPTY;
    *item = deque->slots[--deque->bottom & deque->mask];
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    if (victim->bottom == victim->top)
        return DEQUE_EMPTY;
    *item = victim->slots[victim->top++ & victim->mask];
    return DEQUE_OK;
}

/* percent of the items, in one copy: the lowest cost of moving items on an array. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    size_t size = deque_size(victim);
    (void)self;
    *n = ring_share(size, percent, max);
    deque_copy_out(victim->slots, victim->mask, victim->top, out, *n);
    victim->top += *n;
    return *n > 0 ? DEQUE_OK : DEQUE_EMPTY;
}
