/* taskflow_bounded.h: tf::BoundedWSQ of Taskflow (T.-W. Huang and others), taskflow/core/wsq.hpp, v4.1.
 *
 * The original of queues/taskflow_bounded.h. Its capacity is a constant of the program; Taskflow's workers have 256.
 */
#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/taskflow_bounded", .title = "Taskflow bounded (original)", .source = "Taskflow, live",         \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#include "queues/upstream/upstream.h"
