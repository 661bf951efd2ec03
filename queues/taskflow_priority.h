/* taskflow_priority.h: Taskflow's bounded deque, one for each level of priority.
 *
 * T.-W. Huang and others: tf::BoundedPriorityWSQ, taskflow/core/wsq.hpp, July 2026 (ec97c009).
 *
 * A push goes into the deque of its level; pops and steals look through the deques from the most urgent on, so an empty
 * level costs what an empty deque costs. Within a level the owner takes the newest item, thieves the oldest.
 *
 * Where this departs from the original: there are 8 levels, by the highest bits of the priority, where the original has
 * as many as a program chooses (Taskflow's executor: 3); a batch is of one level; the capacity is a level's, for all
 * items may be as urgent; a steal that lost a race at some level and found nothing below says LOST, not EMPTY.
 */
#ifndef STEALBENCH_TASKFLOW_PRIORITY_H
#define STEALBENCH_TASKFLOW_PRIORITY_H

/* A level is taskflow_bounded.h as it is, under other names. */
#include "deque.h"
#define deque level
#define deque_init level_init
#define deque_destroy level_destroy
#define deque_capacity level_capacity
#define deque_size level_size
#define deque_push level_push
#define deque_push_batch level_push_batch
#define deque_pop level_pop
#define deque_steal level_steal
#include "taskflow_bounded.h"
#undef deque
#undef deque_init
#undef deque_destroy
#undef deque_capacity
#undef deque_size
#undef deque_push
#undef deque_push_batch
#undef deque_pop
#undef deque_steal
#undef DEQUE_NATIVE
#undef DEQUE_TRAITS

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_PRIORITIES)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "taskflow_priority", .title = "Taskflow priority", .source = "Taskflow, July 2026",                      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,      \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#ifndef TASKFLOW_PRIORITY_LEVELS
#define TASKFLOW_PRIORITY_LEVELS 8
#endif

struct deque {
    struct level levels[TASKFLOW_PRIORITY_LEVELS];
};

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS; i++)
        level_destroy(&deque->levels[i]);
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = 0;
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS; i++)
        deque->levels[i].slots = NULL;
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS && !error; i++)
        error = level_init(&deque->levels[i], config);
    if (error != 0)
        deque_destroy(deque);
    return error;
}

/* Of a level: what fits if all items are as urgent. */
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return level_capacity(&deque->levels[0]); }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    size_t size = 0;
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS; i++)
        size += level_size(&deque->levels[i]);
    return size;
}

DEQUE_OPERATION enum deque_result deque_push_by(struct deque *deque, deque_item item, uint32_t priority) {
    return level_push(&deque->levels[(uint64_t)priority * TASKFLOW_PRIORITY_LEVELS >> 32], item);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return level_push(&deque->levels[0], item);
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    return level_push_batch(&deque->levels[0], items, n);
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS; i++)
        if (level_pop(&deque->levels[i], item) == DEQUE_OK)
            return DEQUE_OK;
    return DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    enum deque_result result, worst = DEQUE_EMPTY;
    (void)self;
    for (unsigned i = 0; i < TASKFLOW_PRIORITY_LEVELS; i++) {
        result = level_steal(&victim->levels[i], NULL, item);
        if (result == DEQUE_OK)
            return result;
        if (result == DEQUE_LOST)
            worst = result;
    }
    return worst;
}

#endif
