/* array_fifo.h: a ring without synchronisation, first in, first out. A reference, not a work-stealing deque.
 *
 * The bound of deques whose owner takes the oldest item, as array.h is of the others (Wang et al.; BWoS thesis, 2.4.4).
 */
#include "deque.h"
#include "parts/ring.h"

#ifndef ARRAY_FIFO_SLOT /* array_modulo.h has another */
#define ARRAY_FIFO_SLOT(deque, index) (&(deque)->slots[(index) & (deque)->mask])
#define ARRAY_FIFO_ID "array_fifo"
#define ARRAY_FIFO_TITLE "ring, no synchronisation"
#endif

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = ARRAY_FIFO_ID, .title = ARRAY_FIFO_TITLE, .source = "for one thread", .owner_order = DEQUE_FIFO,         \
        .bound = DEQUE_FIXED, .thieves = DEQUE_OWNER_ONLY, .native = DEQUE_NATIVE, .sound = true, .reference = true,   \
        .aside = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_WAIT_FREE,                                                                             \
    }

struct deque {
    alignas(DEQUE_LINE) uint64_t bottom; /* one past the newest */
    uint64_t top;                        /* the oldest item */
    deque_item *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    for (uint64_t i = 0; i <= deque->mask; i++)
        deque->slots[i] = (deque_item)0;
    deque->top = deque->bottom = config->first_index;
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return (size_t)(deque->bottom - deque->top); }

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    if (deque->bottom - deque->top > deque->mask)
        return DEQUE_FULL;
    *ARRAY_FIFO_SLOT(deque, deque->bottom) = item;
    deque->bottom++;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    if (deque->bottom == deque->top)
        return DEQUE_EMPTY;
    *item = *ARRAY_FIFO_SLOT(deque, deque->top);
    deque->top++;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    return deque_pop(victim, item);
}
