/* parlaylib_abp.h: parlay::internal::Deque of parlaylib (G. E. Blelloch and others),
 * parlay/internal/work_stealing_deque.h: ABP on an array of 1000. It ends the program when that is full, so the shim
 * refuses the item before.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/parlaylib_abp", .title = "ABP (parlaylib)", .source = "parlaylib, live",                       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#include "queues/upstream/upstream.h"
