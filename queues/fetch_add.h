/* fetch_add.h: each operation is one atomic addition to one shared word. A reference: the least that a deque can cost
 * if every operation, the owner's and the thieves', is a read-modify-write of the same cache line.
 *
 * Like empty.h it keeps nothing. A batch is one addition, however long.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "fetch_add", .title = "fetch-and-add", .source = "one shared atomic an operation",                       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_LINKED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,       \
        .keeps_nothing = true, .sound = true, .reference = true, .push_progress = DEQUE_WAIT_FREE,                     \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_WAIT_FREE,                                            \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t operations; /* all of them, the owner's and the thieves' */
    alignas(DEQUE_LINE) size_t capacity;             /* what deque_size says */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    deque->capacity = config->capacity ? config->capacity : 1024;
    atomic_init(&deque->operations, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { (void)deque; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return deque->capacity; }

/* Relaxed: it orders nothing. On x86 every order of a read-modify-write costs the same. */
DEQUE_OPERATION void fetch_add_once(struct deque *deque) {
    atomic_fetch_add_explicit(&deque->operations, 1, memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    (void)item;
    fetch_add_once(deque);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    fetch_add_once(deque);
    *item = (deque_item)1;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    fetch_add_once(victim);
    *item = (deque_item)1;
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    (void)items;
    if (n > 0)
        fetch_add_once(deque);
    return n;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    (void)out;
    *n = ring_share(victim->capacity, percent, max);
    if (*n == 0)
        return DEQUE_EMPTY;
    fetch_add_once(victim);
    return DEQUE_OK;
}
