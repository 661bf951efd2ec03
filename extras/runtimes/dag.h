/* dag.h: the graph, the claims and their check, for every runtime: one task a node, as our workload dag has it. */
#pragma once

#include "extras/runtimes/runtime.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "workloads/applications/dag/graph.h"
#ifdef __cplusplus
}
#endif
#include <inttypes.h>

#define DAG_DEGREE_MAX 64
#define DAG_THREADS_MAX 128

static const struct parameter dag_parameters[] = {
    PARAMETER_INTEGER("nodes", 2500000, 1, GRAPH_NODES_MAX, "nodes", "size of the graph"),
    PARAMETER_INTEGER("degree", 4, 2, DAG_DEGREE_MAX, "arcs", "arcs out of a node"),
    PARAMETER_INTEGER("width", 1000, 0, GRAPH_NODES_MAX, "nodes", "how far an arc leads at most; 0: to any later node"),
    PARAMETERS_END,
};

struct dag_count {
    struct graph_census census;
    char apart[128 - sizeof(struct graph_census)]; /* threads count on lines of their own */
};

struct dag {
    struct graph graph;
    struct graph_census expected;
    uint64_t *claims; /* a bit a node */
    size_t words;
    struct dag_count by_thread[DAG_THREADS_MAX];
};

static inline bool dag_prepare(void *context) {
    struct dag *dag = (struct dag *)context;
    memset(dag->by_thread, 0, sizeof dag->by_thread);
    memset(dag->claims, 0, dag->words * sizeof dag->claims[0]);
    dag->claims[0] = 1; /* the root, which the caller visits */
    return true;
}

static inline bool dag_verify(void *context) {
    const struct dag *dag = (const struct dag *)context;
    struct graph_census found = {0, 0, 0};
    uint64_t claimed = 0;
    for (unsigned i = 0; i < DAG_THREADS_MAX; i++) {
        found.nodes += dag->by_thread[i].census.nodes;
        found.arcs += dag->by_thread[i].census.arcs;
        found.checksum += dag->by_thread[i].census.checksum;
    }
    for (size_t i = 0; i < dag->words; i++)
        claimed += (uint64_t)__builtin_popcountll(dag->claims[i]);
    return graph_verify(&dag->expected, &found, claimed);
}

/* Claims a node, as workloads/applications/dag/dag.c does; by builtins, which C and C++ have alike. Relaxed: a claim
 * publishes nothing. */
static inline bool dag_claim(struct dag *dag, uint32_t node) {
    uint64_t *word = &dag->claims[node / 64];
    const uint64_t bit = UINT64_C(1) << node % 64;
    return !(__atomic_load_n(word, __ATOMIC_RELAXED) & bit) && !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

/* A thread of the runtime, number from 0: visits the node. How many children it claimed, which it puts there. */
static inline size_t dag_visit(struct dag *dag, unsigned thread, uint32_t node, uint32_t claimed[DAG_DEGREE_MAX]) {
    struct graph_census *census = &dag->by_thread[thread].census;
    uint32_t children[DAG_DEGREE_MAX];
    const size_t count = graph_children(&dag->graph, node, 0, children, DAG_DEGREE_MAX);
    size_t taken = 0;
    census->nodes++;
    census->arcs += count;
    census->checksum += graph_mark(node);
    for (size_t i = 0; i < count; i++)
        if (dag_claim(dag, children[i]))
            claimed[taken++] = children[i];
    return taken;
}

/* Main thread, the runtime being there. run explores from node 0. */
static inline int dag_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    static struct dag dag;
    dag.graph.nodes = cell_integer(cell, "nodes");
    dag.graph.degree = (uint32_t)cell_integer(cell, "degree");
    dag.graph.width = (uint32_t)cell_integer(cell, "width");
    dag.graph.seed = cell->seed;
    dag.expected = graph_by_construction(&dag.graph);
    dag.words = dag.graph.nodes / 64 + 1;
    dag.claims = (uint64_t *)malloc(dag.words * sizeof dag.claims[0]);
    if (!dag.claims) {
        fprintf(stderr, "stealbench: no memory for a graph of %" PRIu64 " nodes\n", dag.graph.nodes);
        return 3;
    }
    struct runtime_work work = {&dag, dag_prepare, run, dag_verify, NULL, 0};
    const int failure = runtime_measure(cell, &work, gather);
    free(dag.claims);
    return failure;
}
