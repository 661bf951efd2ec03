#include "workloads/applications/dag/graph.h"
#include <inttypes.h>
#include <stdio.h>

#define NO_NODE UINT32_MAX /* above GRAPH_NODES_MAX */

/* A number below bound (at most 2^32) that depends on the seed, the node and the arc alone. */
static uint32_t drawn_below(const struct graph *graph, uint32_t node, uint64_t arc, uint64_t bound) {
    uint64_t draw = mix64(graph->seed ^ ((uint64_t)node << 11 | arc));
    return (uint32_t)((draw >> 32) * bound >> 32);
}

static size_t computed_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children,
                                size_t max) {
    uint64_t after = graph->nodes - 1 - node, below = 2 * (uint64_t)node + 1;
    uint64_t fixed = below + 1 < graph->nodes ? 2 : below < graph->nodes ? 1 : 0;
    uint64_t arcs = after > 0 ? fixed + graph->degree - 2 : 0;
    size_t count = 0;
    if (graph->width > 0 && after > graph->width)
        after = graph->width;
    for (uint64_t arc = first; arc < arcs && count < max; arc++)
        children[count++] = arc < fixed ? (uint32_t)(below + arc) : node + 1 + drawn_below(graph, node, arc, after);
    return count;
}

size_t graph_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children, size_t max) {
    size_t count = 0;
    if (!graph->stored)
        return computed_children(graph, node, first, children, max);
    const uint32_t *arcs = graph->stored + (uint64_t)node * graph->degree;
    for (uint64_t arc = first; arc < graph->degree && count < max && arcs[arc] != NO_NODE; arc++)
        children[count++] = arcs[arc];
    return count;
}

void graph_store(struct graph *graph, uint64_t first, uint64_t count) {
    for (uint64_t node = first; node < first + count && node < graph->nodes; node++) {
        uint32_t *arcs = graph->stored + node * graph->degree;
        size_t there = computed_children(graph, (uint32_t)node, 0, arcs, graph->degree);
        while (there < graph->degree)
            arcs[there++] = NO_NODE;
    }
}

/* Each node but the root has one fixed arc to it; each node but the last has the others. */
struct graph_census graph_by_construction(const struct graph *graph) {
    struct graph_census census = {.nodes = graph->nodes, .arcs = (graph->nodes - 1) * (graph->degree - 1)};
    for (uint64_t node = 0; node < graph->nodes; node++)
        census.checksum += graph_mark(node);
    return census;
}

bool graph_verify(const struct graph_census *expected, const struct graph_census *found, uint64_t claimed) {
    if (found->nodes == expected->nodes && claimed == expected->nodes && found->arcs == expected->arcs &&
        found->checksum == expected->checksum)
        return true;
    fprintf(stderr,
            "dag: wrong: %" PRIu64 " nodes visited and %" PRIu64 " claimed of %" PRIu64 ", %" PRIu64 " arcs of %" PRIu64
            ", checksum %" PRIx64 ", which should be %" PRIx64 "\n",
            found->nodes, claimed, expected->nodes, found->arcs, expected->arcs, found->checksum, expected->checksum);
    return false;
}
