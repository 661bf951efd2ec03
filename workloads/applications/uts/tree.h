/* tree.h: the trees of the Unbalanced Tree Search benchmark, which exist only as they are searched. A node is 20 bytes:
 * the SHA-1 of its parent's bytes and its number among its siblings. The bytes decide how many children it has.
 *
 * S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: UTS: an unbalanced tree search
 * benchmark, LCPC 2006. The sample trees and their sizes are those the authors published with it, T3S aside, which is
 * ours.
 */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_STATE 20
#define TREE_CHILDREN_MAX 100 /* of any node but a binomial tree's root */

enum tree_type { TREE_BINOMIAL, TREE_GEOMETRIC, TREE_HYBRID };
enum tree_shape { TREE_LINEAR, TREE_CYCLIC, TREE_FIXED };

struct tree {
    const char *name;
    enum tree_type type;
    enum tree_shape shape; /* geometric: how the mean number of children falls with depth */
    double branching;      /* mean number of children of the root */
    unsigned depth;        /* geometric: where they end, or fall to 0 */
    double inner;          /* binomial: the part of nodes that have children */
    unsigned children;     /* binomial: and how many these have */
    double geometric_part; /* hybrid: of the depth that is geometric */
    uint32_t seed;
    uint64_t nodes, leaves; /* as published, T3S counted by another SHA-1; 0: not known */
    unsigned deepest;
};

struct tree_node {
    uint8_t state[TREE_STATE];
    uint32_t depth;
};

#define TREE_NAMES "T1|T2|T3|T4|T5|T3S|T1L|T2L|T3L|T1XL"
/* The one of that name; NULL. */
const struct tree *tree_named(const char *name);

/* Any thread. */
void tree_root(const struct tree *, struct tree_node *);
void tree_child(const struct tree_node *parent, uint32_t number, struct tree_node *child);
unsigned tree_children(const struct tree *, const struct tree_node *);

/* One thread's counts, on cache lines of their own. Rayon's half has the same layout. */
struct tree_count {
    alignas(128) uint64_t nodes;
    uint64_t leaves, deepest;
};

/* The count's thread visits a node: how many children it has. */
static inline unsigned tree_visit(const struct tree *tree, struct tree_count *count, const struct tree_node *node) {
    const unsigned children = tree_children(tree, node);
    count->nodes++;
    count->leaves += children == 0;
    if (node->depth > count->deepest)
        count->deepest = node->depth;
    return children;
}

/* Main, after a search: the sum over `threads` counts. */
struct tree_count tree_sum(const struct tree_count *, unsigned threads);

/* Main. Was the whole tree visited? If not, says so on standard error. */
bool tree_verify(const struct tree *, const struct tree_count *sum);

/* Why trees are not available (built without libcrypto), or NULL. */
const char *tree_unsupported(void);
