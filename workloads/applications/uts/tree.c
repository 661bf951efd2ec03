#include "workloads/applications/uts/tree.h"
#include <math.h>
#include <string.h>

static const struct tree trees[] = {
    {.name = "T1",
     .type = TREE_GEOMETRIC,
     .shape = TREE_FIXED,
     .branching = 4,
     .depth = 10,
     .seed = 19,
     .nodes = 4130071,
     .leaves = 3305118,
     .deepest = 10},
    {.name = "T2",
     .type = TREE_GEOMETRIC,
     .shape = TREE_CYCLIC,
     .branching = 6,
     .depth = 16,
     .seed = 502,
     .nodes = 4117769,
     .leaves = 2342762,
     .deepest = 81},
    {.name = "T3",
     .type = TREE_BINOMIAL,
     .branching = 2000,
     .inner = 0.124875,
     .children = 8,
     .seed = 42,
     .nodes = 4112897,
     .leaves = 3599034,
     .deepest = 1572},
    {.name = "T4",
     .type = TREE_HYBRID,
     .shape = TREE_LINEAR,
     .branching = 6,
     .depth = 16,
     .inner = 0.234375,
     .children = 4,
     .geometric_part = 0.5,
     .seed = 1,
     .nodes = 4132453,
     .leaves = 3108986,
     .deepest = 134},
    {.name = "T5",
     .type = TREE_GEOMETRIC,
     .shape = TREE_LINEAR,
     .branching = 4,
     .depth = 20,
     .seed = 34,
     .nodes = 4147582,
     .leaves = 2181318,
     .deepest = 20},
    /* Not among the published ones: as T3, with a root and a seed that make it a sixtieth, for who asks often. */
    {.name = "T3S",
     .type = TREE_BINOMIAL,
     .branching = 200,
     .inner = 0.124875,
     .children = 8,
     .seed = 3,
     .nodes = 68257,
     .leaves = 59749,
     .deepest = 208},
    {.name = "T1L",
     .type = TREE_GEOMETRIC,
     .shape = TREE_FIXED,
     .branching = 4,
     .depth = 13,
     .seed = 29,
     .nodes = 102181082,
     .leaves = 81746377,
     .deepest = 13},
    {.name = "T2L",
     .type = TREE_GEOMETRIC,
     .shape = TREE_CYCLIC,
     .branching = 7,
     .depth = 23,
     .seed = 220,
     .nodes = 96793510,
     .leaves = 53791152,
     .deepest = 67},
    {.name = "T3L",
     .type = TREE_BINOMIAL,
     .branching = 2000,
     .inner = 0.200014,
     .children = 5,
     .seed = 7,
     .nodes = 111345631,
     .leaves = 89076904,
     .deepest = 17844},
    {.name = "T1XL",
     .type = TREE_GEOMETRIC,
     .shape = TREE_FIXED,
     .branching = 4,
     .depth = 15,
     .seed = 29,
     .nodes = 1635119272,
     .leaves = 1308100063,
     .deepest = 15},
};

const struct tree *tree_named(const char *name) {
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++)
        if (strcmp(trees[i].name, name) == 0)
            return &trees[i];
    return NULL;
}

/* What a node draws, in 0 to 1: 31 bits of its state. */
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
    case TREE_EXPONENTIAL:
        return tree->branching * pow(depth, -log(tree->branching) / log(max));
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
    case TREE_HYBRID:
        return node->depth < tree->geometric_part * tree->depth ? geometric_children(tree, node)
                                                                : binomial_children(tree, node);
    default:
        return node->depth < tree->depth ? (unsigned)tree->branching : 0;
    }
}
