/* onetbb.h: the task pool of an arena slot in oneTBB (Intel and others), src/tbb/arena_slot.h and .cpp: the original of
 * queues/onetbb.h. It begins with 64 items, or as many as are asked for if that is more.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/onetbb", .title = "oneTBB (live)", .source = "oneTBB, live", .owner_order = DEQUE_LIFO,        \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                 \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING, .steal_progress = DEQUE_BLOCKING,             \
    }

#include "queues/upstream/upstream.h"
