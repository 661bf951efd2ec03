/* skynet.h: a tree in which each node has ten children, and its leaves are numbered: their sum. For our pool and for
 * every runtime. After https://github.com/atemerev/skynet. C and C++.
 */
#ifndef STEALBENCH_SKYNET_H
#define STEALBENCH_SKYNET_H

#include "harness/measuring/cell/cell.h"

#define SKYNET_CHILDREN 10

static const struct parameter skynet_parameters[] = {
    PARAMETER_INTEGER("depth", 5, 1, 8, "levels", "levels below the root; 10^depth leaves"),
    PARAMETERS_END,
};

/* Leaves below a node that is `levels` above them. */
static inline uint64_t skynet_leaves(unsigned levels) {
    uint64_t leaves = 1;
    while (levels-- > 0)
        leaves *= SKYNET_CHILDREN;
    return leaves;
}

static inline uint64_t skynet_answer(unsigned levels) {
    return skynet_leaves(levels) * (skynet_leaves(levels) - 1) / 2;
}

/* Calls, one a node. */
static inline double skynet_calls(unsigned levels) { return (double)(skynet_leaves(levels + 1) - 1) / 9; }

#endif
