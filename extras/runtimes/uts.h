/* uts.h: the trees and their check, for every runtime: one task a node, as our workload uts has it. */
#pragma once

#include "extras/runtimes/runtime.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "workloads/applications/uts/tree.h"
#ifdef __cplusplus
}
#endif

static const struct parameter uts_parameters[] = {
    PARAMETER_CHOICE("tree", "T1", TREE_NAMES, "a published tree"),
    PARAMETERS_END,
};

#define UTS_THREADS_MAX 128

struct uts {
    const struct tree *tree;
    struct tree_count by_thread[UTS_THREADS_MAX];
};

static inline bool uts_prepare(void *context) {
    struct uts *uts = (struct uts *)context;
    memset(uts->by_thread, 0, sizeof uts->by_thread);
    return true;
}

static inline bool uts_verify(void *context) {
    const struct uts *uts = (const struct uts *)context;
    const struct tree_count sum = tree_sum(uts->by_thread, UTS_THREADS_MAX);
    return tree_verify(uts->tree, &sum);
}

/* A thread of the runtime, number from 0: visits the node. How many children it has. */
static inline unsigned uts_visit(struct uts *uts, unsigned thread, const struct tree_node *node) {
    return tree_visit(uts->tree, &uts->by_thread[thread], node);
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
