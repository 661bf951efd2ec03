/* eigen_runqueue.h: the queue of Eigen's thread pool (D. Vyukov), unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h.
 *
 * A ring whose slots have a state each: the owner claims a slot at the front by a CAS on it, a thief at the back
 * likewise, and thieves exclude each other by a mutex. Its capacity is a constant of the program; Eigen's pool has
 * 1024.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/eigen_runqueue", .title = "Eigen RunQueue", .source = "Eigen's thread pool, live",             \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

#include "queues/upstream/upstream.h"
