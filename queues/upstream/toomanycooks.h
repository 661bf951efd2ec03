/* toomanycooks.h: tmc::detail::chase_lev_deque of TooManyCooks (L. McDougall), tmc/detail/qu_chase_lev64.hpp.
 *
 * Top and bottom are halves of one word. A pop is a fetch-and-subtract on the word, a push a store of its lower half;
 * so each makes the CAS of a thief fail that looked before.
 */
#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/toomanycooks", .title = "TooManyCooks", .source = "TooManyCooks, live",                        \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#include "queues/upstream/upstream.h"
