/* libfork_deque.h: lf::deque of libfork (C. Williams), libfork/core/ext/deque.hpp: Chase-Lev after Lê and others.
 */
#ifndef STEALBENCH_UPSTREAM_LIBFORK_DEQUE_H
#define STEALBENCH_UPSTREAM_LIBFORK_DEQUE_H

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/libfork_deque", .title = "libfork deque", .source = "libfork, live",                           \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .delivery = DEQUE_ONCE, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,      \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define UPSTREAM_BYTES 512
#include "queues/upstream/upstream.h"

#endif
