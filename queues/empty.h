/* empty.h: a deque that does nothing. A reference: it measures the harness's own cost.
 *
 * Every push is taken and forgotten; every pop and steal succeeds with the same item, so that a loop that waits for
 * items ends. deque_size is always the capacity it was given, so that a proportion of it is a number of items;
 * deque_steal_batch says that it took that many and leaves `out` as it was.
 *
 * EMPTY_OPERATION(deque) stands once in push, once in pop, once in steal, and nowhere else. Defined before this file
 * is included, it plants a known delay, and the suite must measure that delay. `planted` is there for it: what an
 * operation leaves in it, the next one finds, so that delays follow one another instead of overlapping.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#ifndef EMPTY_OPERATION
#define EMPTY_OPERATION(deque) ((void)(deque))
#endif

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "empty", .title = "empty (harness only)", .source = "the harness's own cost", .owner_order = DEQUE_LIFO, \
        .bound = DEQUE_LINKED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .keeps_nothing = true,           \
        .sound = true, .reference = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,           \
        .steal_progress = DEQUE_WAIT_FREE,                                                                             \
    }

struct deque {
    alignas(DEQUE_LINE) size_t capacity; /* what deque_size says */
    uint64_t planted;                    /* EMPTY_OPERATION's own */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    deque->capacity = config->capacity ? config->capacity : 1024;
    deque->planted = config->first_index;
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { (void)deque; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return deque->capacity; }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    (void)item;
    EMPTY_OPERATION(deque);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    EMPTY_OPERATION(deque);
    *item = (deque_item)1;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    EMPTY_OPERATION(victim);
    *item = (deque_item)1;
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    (void)deque;
    (void)items;
    return n;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    (void)out;
    *n = ring_share(victim->capacity, percent, max);
    return *n > 0 ? DEQUE_OK : DEQUE_EMPTY;
}
