/* crossbeam_lifo.h: crossbeam_deque::Worker::new_lifo (S. Glavina and others), in Rust, as its Stealer meets it.
 *
 * A Chase-Lev deque on a ring that grows and shrinks, freed by epochs. It begins with 64 items whatever is asked for.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/crossbeam_lifo", .title = "crossbeam LIFO", .source = "crossbeam-deque, live",                 \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define UPSTREAM_BYTES 128
#include "queues/upstream/upstream.h"
