/* graph.h: directed acyclic graphs to explore. Deque-independent.
 *
 * A graph takes no memory, unless it is stored: the arcs of a node are computed from its number and the seed. Nodes 0
 * to roots - 1 are the roots.
 *
 * Shapes; degree is the number of arcs out of a node, less where too few nodes follow:
 *
 *   random    one root, node 0. Two arcs of node v lead to 2v+1 and 2v+2, so that every node is reached within log2(n)
 *             steps; the others lead to nodes drawn evenly from the width nodes after v (width 0: from all of them).
 *   layered   layers of width nodes; the nodes of the first are the roots. One arc of a node leads to the node below
 *             it, so that every node is reached; the others lead to nodes drawn evenly from the next layer.
 *   tree      one root, node 0; the arcs of node v lead to degree*v+1 ... degree*v+degree.
 *
 * So every node is reached, and the result of an exploration is known beforehand.
 */
#ifndef STEALBENCH_GRAPH_H
#define STEALBENCH_GRAPH_H

#include "harness/measuring/random.h"
#include "harness/measuring/words.h"
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NODES_MAX 4294967294u
#define GRAPH_MESSAGE 256

#define GRAPH_SHAPES(SHAPE) SHAPE(GRAPH_RANDOM, "random") SHAPE(GRAPH_LAYERED, "layered") SHAPE(GRAPH_TREE, "tree")
enum graph_shape { GRAPH_SHAPES(LIST_NAME) };

struct graph {
    enum graph_shape shape;
    uint64_t nodes; /* at most GRAPH_NODES_MAX: a node is a uint32_t below it */
    uint64_t roots;
    uint64_t arcs;
    uint64_t depth;   /* arcs on the longest path, where that is known; 0 for random ones */
    uint32_t degree;  /* 1 (random: 2) to GRAPH_DEGREE_MAX */
    uint32_t width;   /* layered: nodes in a layer; random: how far an arc leads, 0: to the end */
    uint64_t seed;    /* random and layered */
    uint32_t *stored; /* the arcs in memory, `degree` places for each node; NULL: they are computed */
};

#define GRAPH_DEGREE_MAX 1024

/* The parameters of a workload that generates a graph (parameters.h). */
#define GRAPH_PARAMETERS                                                                                               \
    PARAMETER_CHOICE("shape", "random", LIST_CHOICES(GRAPH_SHAPES), "of the graph: random arcs, layers, or a tree"),   \
        PARAMETER_INTEGER("nodes", 2500000, 1, GRAPH_NODES_MAX, "nodes", "size of the graph"),                         \
        PARAMETER_INTEGER("degree", 4, 1, GRAPH_DEGREE_MAX, "arcs", "arcs out of a node"),                             \
        PARAMETER_INTEGER(                                                                                             \
            "width", 1000, 0, GRAPH_NODES_MAX, "nodes",                                                                \
            "shape=layered: nodes in a layer; shape=random: how far an arc leads at most, 0: to any later node")

/* 0, or EINVAL with a message (GRAPH_MESSAGE bytes) that names what is out of range. */
int graph_generate(struct graph *, enum graph_shape, uint64_t nodes, uint32_t degree, uint32_t width, uint64_t seed,
                   char *message);

/* Fills children with arcs number first to first + max - 1 out of node, as far as there are such; returns how many.
 * Any thread. Fewer than max: these were the last. */
size_t graph_children(const struct graph *, uint32_t node, uint64_t first, uint32_t *children, size_t max);

/* Writes the arcs of count nodes from `first` on to `stored`. Any thread, each node by one. */
void graph_store(struct graph *, uint64_t first, uint64_t count);

/* The right result of an exploration from all roots. */
struct graph_census {
    uint64_t nodes, arcs;
    uint64_t checksum; /* the sum of graph_mark over the nodes: the same in any order */
};

/* A node's share of the checksum. */
static inline uint64_t graph_mark(uint64_t node) { return mix64(node); }

/* From the graph's definition: no arc is followed. */
void graph_by_construction(const struct graph *, struct graph_census *);

#endif
