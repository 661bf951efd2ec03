/* go_runq_padded.h: go_runq with head, tail and the pointer to the slots on lines of their own. A reference, in no
 * group: it shows what the original would gain by padding.
 */
#define GO_RUNQ_APART alignas(DEQUE_LINE)
#include "go_runq.h"

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "go_runq_padded", .title = "Go run queue, padded", .source = "Go, runtime/proc.go, changed",             \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .reference = true, .aside = true, .push_progress = DEQUE_WAIT_FREE,                             \
        .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
    }
