/* crossbeam_fifo.h: crossbeam-deque's FIFO flavor, as Rayon's breadth-first pools have it: the owner, too, takes the
 * oldest.
 *
 * The algorithm is in crossbeam.h, with what this flavor does otherwise.
 *
 * What differs: as in crossbeam.h, rings that were left are kept and used again, where Rust frees them by epochs.
 */
#define CROSSBEAM_FIFO
#include "crossbeam.h"

#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "crossbeam_fifo", .title = "crossbeam FIFO, rings kept", .source = "crossbeam-deque at 7de845aa",        \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }
