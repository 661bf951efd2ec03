/* uts.h: the trees and their check, for every runtime: one task a node, as our workload uts has it. */
#ifndef STEALBENCH_RUNTIME_UTS_H
#define STEALBENCH_RUNTIME_UTS_H

#include "workloads/runtimes/runtime.h"
#include "workloads/runtimes/uts_count.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "workloads/applications/uts/tree.h"
#ifdef __cplusplus
}
#endif
#include <inttypes.h>

static const struct parameter uts_parameters[] = {
    PARAMETER_CHOICE("tree", "T1", TREE_NAMES, "a published tree"),
    PARAMETERS_END,
};

struct uts {
    const struct tree *tree;
    struct uts_count by_thread[UTS_THREADS_MAX];
};

static inline bool uts_prepare(void *context) {
    struct uts *uts = (struct uts *)context;
    for (unsigned i = 0; i < UTS_THREADS_MAX; i++)
        uts->by_thread[i].nodes = uts->by_thread[i].leaves = uts->by_thread[i].deepest = 0;
    return true;
}

static inline bool uts_verify(void *context) {
    const struct uts *uts = (const struct uts *)context;
    uint64_t nodes = 0, leaves = 0, deepest = 0;
    for (unsigned i = 0; i < UTS_THREADS_MAX; i++) {
        nodes += uts->by_thread[i].nodes;
        leaves += uts->by_thread[i].leaves;
        deepest = uts->by_thread[i].deepest > deepest ? uts->by_thread[i].deepest : deepest;
    }
    if (nodes == uts->tree->nodes && leaves == uts->tree->leaves && deepest == uts->tree->deepest)
        return true;
    fprintf(stderr, "stealbench: %s: %" PRIu64 " nodes, %" PRIu64 " leaves, depth %" PRIu64 " are not the published\n",
            uts->tree->name, nodes, leaves, deepest);
    return false;
}

/* A thread of the runtime, number from 0. How many children the node has. */
static inline unsigned uts_visit(struct uts *uts, unsigned thread, const struct tree_node *node) {
    struct uts_count *count = &uts->by_thread[thread];
    unsigned children = tree_children(uts->tree, node);
    count->nodes++;
    count->leaves += children == 0;
    if (node->depth > count->deepest)
        count->deepest = node->depth;
    return children;
}

/* Main thread, the runtime being there. */
static inline int uts_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    static struct uts uts;
    uts.tree = tree_named(cell_text(cell, "tree"));
    struct runtime_work work = {&uts, uts_prepare, run, uts_verify, NULL, 0};
    return runtime_measure(cell, &work, gather);
}

static inline const char *uts_unsupported(const struct cell *cell) {
    (void)cell;
    return tree_unsupported();
}

#endif
