/* phanes_packed.h: phanes with front, back and buffer on one cache line. A reference, in no group: "The fix is
 * alignas(64)" (Phanes, part 4), and this shows the cost of the false sharing without it.
 */
#define PHANES_APART /* nothing */
#include "phanes.h"

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "phanes_packed", .title = "Phanes without alignas(64)", .source = "Phanes part 4 (blog), changed",       \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .reference = true, .aside = true, .push_progress = DEQUE_LOCK_FREE,                             \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
    }
