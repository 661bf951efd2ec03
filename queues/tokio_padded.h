/* tokio_padded.h: tokio with head, tail and the pointer to the slots on lines of their own. A reference, in no group:
 * it shows what the original would gain by padding.
 */
#define TOKIO_APART alignas(DEQUE_LINE)
#include "tokio.h"

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "tokio_padded", .title = "Tokio ring, padded",                                                           \
        .source = "Tokio, scheduler/multi_thread/queue.rs, changed", .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED,  \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .reference = true, .aside = true,        \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_BLOCKING,            \
    }
