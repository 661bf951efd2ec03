/* dag.h: explores a graph level by level, for every runtime: all nodes of a level side by side, and a barrier after
 * each level. Our workload dag has a task a node that joins nothing; runtimes whose tasks are joined would nest as deep
 * as the graph, and offer loops instead. The runtime decides who runs the pieces of a level.
 */
#ifndef STEALBENCH_RUNTIME_DAG_H
#define STEALBENCH_RUNTIME_DAG_H

#include "workloads/runtimes/runtime.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "workloads/applications/dag/graph.h"
#ifdef __cplusplus
}
#endif
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DAG_PIECE 256 /* nodes of a level that are visited together */
#define DAG_ROOM 1024 /* found nodes that are put into the next level together */
#define DAG_ARCS 64   /* looked at together */

static const struct parameter dag_parameters[] = {
    GRAPH_PARAMETERS,
    PARAMETERS_END,
};

struct exploration {
    struct graph graph;
    struct graph_census expected, found;
    uint64_t *claims; /* a bit a node */
    uint32_t *order;  /* the nodes as they were found: a level is a part of it, the next one grows behind */
    uint64_t end;     /* of order, as far as it is filled */
};

/* Relaxed throughout: a claim only decides which thread visits a node; the end of a level's loop publishes its
 * findings. */
static inline bool dag_claim(struct exploration *work, uint32_t node) {
    uint64_t *word = &work->claims[node / 64];
    const uint64_t bit = (uint64_t)1 << node % 64;
    return !(__atomic_load_n(word, __ATOMIC_RELAXED) & bit) && !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

static inline void dag_append(struct exploration *work, const uint32_t *nodes, size_t count) {
    memcpy(work->order + __atomic_fetch_add(&work->end, count, __ATOMIC_RELAXED), nodes, count * sizeof *nodes);
}

/* How many pieces the level order[first .. last) has. */
static inline uint64_t dag_pieces(uint64_t first, uint64_t last) { return (last - first + DAG_PIECE - 1) / DAG_PIECE; }

/* Any thread of the runtime: visits the piece of that number of the level order[first .. last). */
static inline void dag_visit(struct exploration *work, uint64_t first, uint64_t last, uint64_t piece) {
    const uint64_t begin = first + piece * DAG_PIECE, end = last - begin < DAG_PIECE ? last : begin + DAG_PIECE;
    uint64_t arcs = 0, checksum = 0;
    uint32_t room[DAG_ROOM], children[DAG_ARCS];
    size_t waiting = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t node = work->order[i];
        size_t count = DAG_ARCS;
        checksum += graph_mark(node);
        for (uint64_t from = 0; count == DAG_ARCS; from += DAG_ARCS) {
            count = graph_children(&work->graph, node, from, children, DAG_ARCS);
            arcs += count;
            if (waiting + count > DAG_ROOM) {
                dag_append(work, room, waiting);
                waiting = 0;
            }
            for (size_t child = 0; child < count; child++)
                if (dag_claim(work, children[child]))
                    room[waiting++] = children[child];
        }
    }
    dag_append(work, room, waiting);
    __atomic_fetch_add(&work->found.nodes, end - begin, __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->found.arcs, arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->found.checksum, checksum, __ATOMIC_RELAXED);
}

/* The first thread: the roots are the first level. */
static inline void dag_begin(struct exploration *work) {
    for (uint64_t i = 0; i < work->graph.roots; i++) {
        const uint32_t root = (uint32_t)i;
        if (dag_claim(work, root))
            dag_append(work, &root, 1);
    }
}

static inline bool dag_prepare(void *context) {
    struct exploration *work = (struct exploration *)context;
    memset(work->claims, 0, (work->graph.nodes / 64 + 1) * sizeof *work->claims);
    memset(&work->found, 0, sizeof work->found);
    work->end = 0;
    return true;
}

static inline bool dag_verify(void *context) {
    const struct exploration *work = (const struct exploration *)context;
    if (work->found.nodes == work->expected.nodes && work->found.arcs == work->expected.arcs &&
        work->found.checksum == work->expected.checksum)
        return true;
    fprintf(stderr, "stealbench: the exploration by levels found %" PRIu64 " of %" PRIu64 " nodes\n", work->found.nodes,
            work->expected.nodes);
    return false;
}

/* Main thread, the runtime being there. run explores. */
static inline int dag_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    static struct exploration work;
    char message[GRAPH_MESSAGE];
    const enum graph_shape shape = (enum graph_shape)cell_choice(cell, "shape");
    if (graph_generate(&work.graph, shape, cell_integer(cell, "nodes"), (uint32_t)cell_integer(cell, "degree"),
                       (uint32_t)cell_integer(cell, "width"), cell_integer(cell, "seed"), message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 2;
    }
    graph_by_construction(&work.graph, &work.expected);
    work.claims = (uint64_t *)malloc((work.graph.nodes / 64 + 1) * sizeof *work.claims);
    work.order = (uint32_t *)malloc(work.graph.nodes * sizeof *work.order);
    const struct runtime_work measured = {&work, dag_prepare, run, dag_verify, NULL, 0};
    int failure = 3;
    if (work.claims && work.order)
        failure = runtime_measure(cell, &measured, gather);
    else
        fprintf(stderr, "stealbench: no memory for a graph of %" PRIu64 " nodes\n", work.graph.nodes);
    free(work.claims);
    free(work.order);
    return failure;
}

#endif
