/* graph.h: directed acyclic graphs to explore. Deque-independent.
 *
 * A graph takes no memory, unless it is stored: the arcs of a node are computed from its number and the seed. Its root
 * is node 0. Two arcs of node v lead to 2v+1 and 2v+2, so that every node is reached within log2(n) steps; the others
 * lead to nodes drawn evenly from the width nodes after v (width 0: from all of them). So the result of an exploration
 * is known beforehand.
 */
#pragma once

#include "harness/measuring/random.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NODES_MAX 4294967294u

struct graph {
    uint64_t nodes;  /* at most GRAPH_NODES_MAX: a node is a uint32_t below it */
    uint32_t degree; /* arcs out of a node, less where too few nodes follow; at least 2 */
    uint32_t width;  /* how far an arc leads; 0: to the end */
    uint64_t seed;
    uint32_t *stored; /* the arcs in memory, `degree` places for each node; NULL: they are computed */
};

/* Fills children with arcs number first to first + max - 1 out of node, as far as there are such; returns how many.
 * Any thread. Fewer than max: these were the last. */
size_t graph_children(const struct graph *, uint32_t node, uint64_t first, uint32_t *children, size_t max);

/* Writes the arcs of count nodes from `first` on to `stored`. Any thread, each node by one. */
void graph_store(struct graph *, uint64_t first, uint64_t count);

/* The right result of an exploration. */
struct graph_census {
    uint64_t nodes, arcs;
    uint64_t checksum; /* the sum of graph_mark over the nodes: the same in any order */
};

/* A node's share of the checksum. */
static inline uint64_t graph_mark(uint64_t node) { return mix64(node); }

/* From the graph's definition: no arc is followed. */
struct graph_census graph_by_construction(const struct graph *);

/* Was every node that can be reached visited once, over every arc, and nothing else claimed? false: says what is wrong.
 */
bool graph_verify(const struct graph_census *expected, const struct graph_census *found, uint64_t claimed);
