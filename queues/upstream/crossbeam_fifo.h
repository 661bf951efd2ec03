/* crossbeam_fifo.h: crossbeam_deque::Worker::new_fifo (S. Glavina and others), in Rust, as its Stealer meets it.
 *
 * As crossbeam_lifo, but the owner takes the oldest too, by a fetch_add on the thieves' end.
 */
#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "upstream/crossbeam_fifo", .title = "crossbeam FIFO", .source = "crossbeam-deque, live",                 \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }

#define UPSTREAM_BYTES 128
#define UPSTREAM_FIFO 1
#include "queues/upstream/upstream.h"
