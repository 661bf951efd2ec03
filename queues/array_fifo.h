/* array_fifo.h: a ring without synchronisation, first in, first out. A reference, not a work-stealing deque.
 *
 * The bound of deques whose owner takes the oldest item, as array.h is of the others (Wang et al.; BWoS thesis, 2.4.4).
 */
#include "deque.h"
#include "parts/array.h"

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
