/* parameters.h: parameters of single operations and batches. The handwritten loops that the suite is compared with
 * (harness/trust/) take those of push and pop too.
 */
#pragma once

#include "harness/measuring/cell.h"
#include "harness/measuring/items.h"
#include "workloads/latency/measured_loops.h"

/* Of push, pop, pair and steal. */
__attribute__((unused)) static const struct parameter microbenchmark_parameters[] = {
    PARAMETER_INTEGER("capacity", 0, 0, 1 << 30, "items",
                      "capacity of a fixed deque, first capacity of a growing one; 0: just enough"),
    PARAMETER_INTEGER("block", 0, 0, 1 << 20, "items",
                      "items in a block, in deques made of blocks; 0: the deque's own number"),
    PARAMETER_INTEGER(
        "node", 64, ITEMS_SMALLEST_NODE, 4096, "bytes",
        "size of an item's object (a list's node); rounded up to a multiple of 8, and to the size of the deque's link"),
    PARAMETER_CHOICE("order", "sequential", "sequential|shuffled",
                     "how the items' objects (a list's nodes) lie in memory: side by side, or at random"),
    PARAMETER_CHOICE("cache", "warm", "warm|cold", "cold: caches are evicted before each batch"),
    PARAMETER_CHOICE(
        "method", "corrected", "corrected|published|google",
        "corrected: timed windows; google: the same windows under Google Benchmark; published: one operation an "
        "iteration under PauseTiming and ResumeTiming"),
    PARAMETERS_END,
};

#define OPERATIONS_HELP                                                                                                \
    "in_a_row: on one deque; independent: each on another deque; dependent: each needs the last one's result"
#define PARAMETER_OPERATIONS PARAMETER_CHOICE("operations", "in_a_row", CHAINING_CHOICES, OPERATIONS_HELP)

__attribute__((unused)) static const struct parameter push_parameters[] = {
    PARAMETER_INTEGER("batch", 1, 1, 1 << 20, "items", "items pushed together"),
    PARAMETER_CHOICE(
        "push", "batch", "batch|single",
        "batch: one call for the whole batch; single: one call an item, as the bulk paper measured Taskflow"),
    PARAMETER_INTEGER(
        "fill", 0, 0, 1 << 24, "items",
        "items pushed into each deque; more than capacity: growth is measured, too; 0: as many as capacity"),
    PARAMETER_SWITCH("prelinked",
                     "1: the batch is already a list, so linking it is not timed (only deques of linked items)"),
    PARAMETER_OPERATIONS,
    PARAMETERS_END,
};
__attribute__((unused)) static const struct parameter pop_parameters[] = {
    PARAMETER_INTEGER("size", 1024, 1, 1 << 24, "items", "items in each deque beforehand"),
    PARAMETER_CHOICE("take", "one", "one|drain", "one: half of the items are popped; drain: all of them"),
    PARAMETER_OPERATIONS,
    PARAMETERS_END,
};
