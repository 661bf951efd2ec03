/* taskflow_priority.h: tf::BoundedPriorityWSQ of Taskflow (T.-W. Huang and others), taskflow/core/wsq.hpp, July 2026.
 *
 * The original of queues/taskflow_priority.h: 8 bounded deques, one for each level, of which Taskflow's executor has 3.
 */
#ifndef STEALBENCH_UPSTREAM_TASKFLOW_PRIORITY_H
#define STEALBENCH_UPSTREAM_TASKFLOW_PRIORITY_H

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_PRIORITIES)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/taskflow_priority", .title = "Taskflow priority (original)", .source = "Taskflow, live",       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,      \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define UPSTREAM_LEVELS 8
#define UPSTREAM_BYTES                                                                                                 \
    (UPSTREAM_LEVELS * (8 * UPSTREAM_FIXED_CAPACITY + 512) + 128) /* the rings are inside, behind a level */
#include "queues/upstream/upstream.h"

#endif
