/* libfork_deque.h: lf::deque of libfork (C. Williams), libfork/core/ext/deque.hpp: Chase-Lev after Lê and others.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/libfork_deque", .title = "libfork deque", .source = "libfork, live",                           \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = false, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault =                                                                                                       \
            "growth publishes the larger ring by a relaxed store: on weak memory a thief reads a slot of it that "     \
            "was not written yet (as_shipped/libfork_deque.h)",                                                        \
    }

#include "queues/upstream/upstream.h"
