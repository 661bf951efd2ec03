#include "workloads/applications/dag/graph.h"
#include <errno.h>
#include <stdio.h>

#define NO_NODE UINT32_MAX /* above GRAPH_NODES_MAX */

/* A number below bound (at most 2^32) that depends on the seed, the node and the arc alone. */
static uint32_t drawn_below(const struct graph *graph, uint32_t node, uint64_t arc, uint64_t bound) {
    uint64_t draw = mix64(graph->seed ^ ((uint64_t)node << 11 | arc));
    return (uint32_t)((draw >> 32) * bound >> 32);
}

static uint64_t tree_depth(uint64_t nodes, uint64_t degree) {
    uint64_t depth = 0;
    for (uint64_t last = nodes - 1; last > 0; last = (last - 1) / degree)
        depth++;
    return depth;
}

int graph_generate(struct graph *graph, enum graph_shape shape, uint64_t nodes, uint32_t degree, uint32_t width,
                   uint64_t seed, char *message) {
    uint32_t least = shape == GRAPH_RANDOM ? 2 : 1;
    *graph = (struct graph){.shape = shape, .nodes = nodes, .roots = 1, .degree = degree, .width = width, .seed = seed};
    if (nodes < 1 || nodes > GRAPH_NODES_MAX) {
        snprintf(message, GRAPH_MESSAGE, "nodes=%llu: expected 1 to %u", (unsigned long long)nodes, GRAPH_NODES_MAX);
        return EINVAL;
    }
    if (degree < least || degree > GRAPH_DEGREE_MAX) {
        snprintf(message, GRAPH_MESSAGE, "degree=%u: expected %u to %d for this shape", degree, least,
                 GRAPH_DEGREE_MAX);
        return EINVAL;
    }
    if (shape == GRAPH_LAYERED && (width < 1 || width > nodes)) {
        snprintf(message, GRAPH_MESSAGE, "width=%u: expected 1 to the number of nodes (%llu)", width,
                 (unsigned long long)nodes);
        return EINVAL;
    }
    graph->arcs = (nodes - 1) * (shape == GRAPH_RANDOM ? degree - 1 : 1);
    if (shape == GRAPH_LAYERED) {
        graph->roots = width;
        graph->depth = (nodes - 1) / width;
        graph->arcs = nodes - width + graph->depth * width * (degree - 1);
    } else if (shape == GRAPH_TREE) {
        graph->depth = tree_depth(nodes, degree);
    }
    return 0;
}

static size_t random_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children,
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

static size_t layered_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children,
                               size_t max) {
    uint64_t layer = (node / graph->width + 1) * (uint64_t)graph->width, place = node % graph->width;
    uint64_t there = layer < graph->nodes ? graph->nodes - layer : 0;
    if (there > graph->width)
        there = graph->width;
    uint64_t fixed = place < there ? 1 : 0;
    uint64_t arcs = there > 0 ? fixed + graph->degree - 1 : 0;
    size_t count = 0;
    for (uint64_t arc = first; arc < arcs && count < max; arc++)
        children[count++] = (uint32_t)(layer + (arc < fixed ? place : drawn_below(graph, node, arc, there)));
    return count;
}

static size_t tree_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children, size_t max) {
    uint64_t child = (uint64_t)node * graph->degree + 1 + first;
    size_t count = 0;
    for (uint64_t arc = first; arc < graph->degree && count < max && child < graph->nodes; arc++)
        children[count++] = (uint32_t)child++;
    return count;
}

static size_t computed_children(const struct graph *graph, uint32_t node, uint64_t first, uint32_t *children,
                                size_t max) {
    switch (graph->shape) {
    case GRAPH_RANDOM:
        return random_children(graph, node, first, children, max);
    case GRAPH_LAYERED:
        return layered_children(graph, node, first, children, max);
    default:
        return tree_children(graph, node, first, children, max);
    }
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

void graph_by_construction(const struct graph *graph, struct graph_census *census) {
    *census = (struct graph_census){.nodes = graph->nodes, .arcs = graph->arcs};
    for (uint64_t node = 0; node < graph->nodes; node++)
        census->checksum += graph_mark(node);
}
