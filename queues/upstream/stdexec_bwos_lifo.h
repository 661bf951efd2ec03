/* stdexec_bwos_lifo.h: exec::bwos::lifo_queue of NVIDIA's stdexec (M. Nadolski), exec/detail/bwos_lifo_queue.hpp.
 *
 * The original of queues/stdexec.h, whose rule block and number of blocks follow. Its push waits for thieves that still
 * read in the block it comes to. A thief that found the owner in a block goes on to the next one; if the owner has
 * meanwhile granted both, it passes older items by, and gets them later.
 */
#define STDEXEC_DEFAULT_CAPACITY 256
#define STDEXEC_DEFAULT_BLOCK 8
#define STDEXEC_DEFAULT_BLOCKS 8 /* at least this many, if the capacity allows */

#define DEQUE_BLOCK STDEXEC_DEFAULT_BLOCK
#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/stdexec_bwos_lifo", .title = "BWoS LIFO (stdexec)", .source = "NVIDIA stdexec, live",          \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = STDEXEC_DEFAULT_BLOCK, .thieves_overtake = true,           \
        .fault = "a thief's CAS acquires nothing, so on weak memory it may read an item of the round before "          \
                 "(as_shipped/stdexec_bwos_rounds.h)",                                                                 \
    }

#include "queues/upstream/upstream.h"
