#include "workloads/applications/uts/tree.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Name, type and shape; mean number of children of the root, depth; binomial: part of nodes with children, how many
 * each has; hybrid: part that is geometric; seed; nodes, leaves, depth as published. T3S is not among the published
 * trees: T3 with another root and seed, a sixtieth of its size, for quick runs. */
static const struct tree trees[] = {
    {"T1", TREE_GEOMETRIC, TREE_FIXED, 4, 10, 0, 0, 0, 19, 4130071, 3305118, 10},
    {"T2", TREE_GEOMETRIC, TREE_CYCLIC, 6, 16, 0, 0, 0, 502, 4117769, 2342762, 81},
    {"T3", TREE_BINOMIAL, TREE_LINEAR, 2000, 0, 0.124875, 8, 0, 42, 4112897, 3599034, 1572},
    {"T4", TREE_HYBRID, TREE_LINEAR, 6, 16, 0.234375, 4, 0.5, 1, 4132453, 3108986, 134},
    {"T5", TREE_GEOMETRIC, TREE_LINEAR, 4, 20, 0, 0, 0, 34, 4147582, 2181318, 20},
    {"T3S", TREE_BINOMIAL, TREE_LINEAR, 200, 0, 0.124875, 8, 0, 3, 68257, 59749, 208},
    {"T1L", TREE_GEOMETRIC, TREE_FIXED, 4, 13, 0, 0, 0, 29, 102181082, 81746377, 13},
    {"T2L", TREE_GEOMETRIC, TREE_CYCLIC, 7, 23, 0, 0, 0, 220, 96793510, 53791152, 67},
    {"T3L", TREE_BINOMIAL, TREE_LINEAR, 2000, 0, 0.200014, 5, 0, 7, 111345631, 89076904, 17844},
    {"T1XL", TREE_GEOMETRIC, TREE_FIXED, 4, 15, 0, 0, 0, 29, 1635119272, 1308100063, 15},
};

const struct tree *tree_named(const char *name) {
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++)
        if (strcmp(trees[i].name, name) == 0)
            return &trees[i];
    return NULL;
}

/* A node's random number, in 0 to 1: 31 bits of its state. */
static double drawn(const struct tree_node *node) {
    const uint8_t *end = node->state + TREE_STATE - 4;
    uint32_t bits = (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | end[3];
    return (double)(bits & 0x7fffffff) / 2147483648.0;
}

/* Mean number of children at that depth. */
static double mean_children(const struct tree *tree, unsigned depth) {
    double max = tree->depth;
    if (depth == 0)
        return tree->branching;
    switch (tree->shape) {
    case TREE_LINEAR:
        return tree->branching * (1 - depth / max);
    case TREE_CYCLIC:
        if (depth > 5 * tree->depth)
            return 0;
        return pow(tree->branching, sin(2 * 3.141592653589793 * depth / max));
    default:
        return depth < tree->depth ? tree->branching : 0;
    }
}

static unsigned geometric_children(const struct tree *tree, const struct tree_node *node) {
    double stop = 1 / (1 + mean_children(tree, node->depth));
    double children = floor(log(1 - drawn(node)) / log(1 - stop));
    return children > 0 ? children < TREE_CHILDREN_MAX ? (unsigned)children : TREE_CHILDREN_MAX : 0;
}

static unsigned binomial_children(const struct tree *tree, const struct tree_node *node) {
    return drawn(node) < tree->inner ? tree->children : 0;
}

unsigned tree_children(const struct tree *tree, const struct tree_node *node) {
    switch (tree->type) {
    case TREE_BINOMIAL:
        return node->depth == 0 ? (unsigned)tree->branching : binomial_children(tree, node);
    case TREE_GEOMETRIC:
        return geometric_children(tree, node);
    default:
        return node->depth < tree->geometric_part * tree->depth ? geometric_children(tree, node)
                                                                : binomial_children(tree, node);
    }
}

struct tree_count tree_sum(const struct tree_count *counts, unsigned threads) {
    struct tree_count sum = {0};
    for (unsigned i = 0; i < threads; i++) {
        sum.nodes += counts[i].nodes;
        sum.leaves += counts[i].leaves;
        sum.deepest = counts[i].deepest > sum.deepest ? counts[i].deepest : sum.deepest;
    }
    return sum;
}

bool tree_verify(const struct tree *tree, const struct tree_count *sum) {
    if (sum->nodes == tree->nodes && sum->leaves == tree->leaves && sum->deepest == tree->deepest)
        return true;
    fprintf(stderr,
            "stealbench: %s: %" PRIu64 " nodes, %" PRIu64 " leaves, depth %" PRIu64 "; published are %" PRIu64
            ", %" PRIu64 ", %u\n",
            tree->name, sum->nodes, sum->leaves, sum->deepest, tree->nodes, tree->leaves, tree->deepest);
    return false;
}
