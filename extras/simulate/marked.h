/* marked.h: the deque of DEQUE_SIMULATED, unchanged, with a note to the simulator around each operation: there its
 * instructions pass. */
#pragma once

#include "extras/simulate/operations.h"

#include DEQUE_SIMULATED

DEQUE_OPERATION enum deque_result marked_push(struct deque *deque, deque_item item) {
    operation_begins();
    enum deque_result result = deque_push(deque, item);
    operation_ends(OPERATION_PUSH, 1);
    return result;
}
DEQUE_OPERATION enum deque_result marked_pop(struct deque *deque, deque_item *item) {
    operation_begins();
    enum deque_result result = deque_pop(deque, item);
    operation_ends(result == DEQUE_OK ? OPERATION_POP : OPERATION_POP_EMPTY, 1);
    return result;
}
DEQUE_OPERATION enum deque_result marked_steal(struct deque *victim, struct deque *own, deque_item *item) {
    operation_begins();
    enum deque_result result = deque_steal(victim, own, item);
    operation_ends(result == DEQUE_OK ? OPERATION_STEAL : OPERATION_STEAL_EMPTY, 1);
    return result;
}
#if DEQUE_NATIVE & DEQUE_PLACES
DEQUE_OPERATION enum deque_result marked_pop_from(struct deque *deque, deque_item *item, uint64_t at) {
    operation_begins();
    enum deque_result result = deque_pop_from(deque, item, at);
    operation_ends(result == DEQUE_OK ? OPERATION_POP : OPERATION_POP_EMPTY, 1);
    return result;
}
#endif
#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
DEQUE_OPERATION size_t marked_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    operation_begins();
    size_t pushed = deque_push_batch(deque, items, n);
    operation_ends(OPERATION_PUSH, pushed);
    return pushed;
}
#endif
#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
DEQUE_OPERATION enum deque_result marked_steal_batch(struct deque *victim, struct deque *own, unsigned percent,
                                                     deque_item *out, size_t max, size_t *n) {
    operation_begins();
    enum deque_result result = deque_steal_batch(victim, own, percent, out, max, n);
    operation_ends(result == DEQUE_OK ? OPERATION_STEAL : OPERATION_STEAL_EMPTY, *n);
    return result;
}
#endif
#if DEQUE_NATIVE & DEQUE_STEAL_INTO
DEQUE_OPERATION enum deque_result marked_steal_into(struct deque *victim, struct deque *own, deque_item *first,
                                                    size_t *moved) {
    operation_begins();
    enum deque_result result = deque_steal_into(victim, own, first, moved);
    operation_ends(result == DEQUE_OK ? OPERATION_STEAL : OPERATION_STEAL_EMPTY, 1 + *moved);
    return result;
}
#endif
#if DEQUE_NATIVE & DEQUE_LISTS
DEQUE_OPERATION void marked_push_list(struct deque *deque, struct deque_list *list) {
    const size_t n = list->count;
    operation_begins();
    deque_push_list(deque, list);
    operation_ends(OPERATION_PUSH, n);
}
DEQUE_OPERATION enum deque_result marked_steal_list(struct deque *victim, struct deque *own, unsigned percent,
                                                    struct deque_list *list) {
    operation_begins();
    enum deque_result result = deque_steal_list(victim, own, percent, list);
    operation_ends(result == DEQUE_OK ? OPERATION_STEAL : OPERATION_STEAL_EMPTY, list->count);
    return result;
}
#endif

/* Whoever includes this calls these. */
#define deque_push marked_push
#define deque_pop marked_pop
#define deque_steal marked_steal
#if DEQUE_NATIVE & DEQUE_PLACES
#define deque_pop_from marked_pop_from
#endif
#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
#define deque_push_batch marked_push_batch
#endif
#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
#define deque_steal_batch marked_steal_batch
#endif
#if DEQUE_NATIVE & DEQUE_STEAL_INTO
#define deque_steal_into marked_steal_into
#endif
#if DEQUE_NATIVE & DEQUE_LISTS
#define deque_push_list marked_push_list
#define deque_steal_list marked_steal_list
#endif
