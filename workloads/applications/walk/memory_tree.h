/* memory_tree.h: the result of a walk as a tree in memory, one node an entry: what Phanes's program builds, and calls
 * its remaining bottleneck.
 *
 * The worker that reads a directory adds its entries, so no node is written by two. Other workers see the nodes through
 * the scheduler that handed them the directory.
 */
#ifndef STEALBENCH_MEMORY_TREE_H
#define STEALBENCH_MEMORY_TREE_H

#include <stdint.h>

struct walk_counts;

struct memory_node {
    struct memory_node *next, *first; /* beside it, and of a directory the entry found last */
    unsigned char type;               /* DT_DIR and the like */
    char name[];
};

/* Any thread. NULL: no memory. parent: the directory that the caller reads, or NULL. */
struct memory_node *memory_node_add(struct memory_node *parent, unsigned char type, const char *name);

/* Any thread, when nobody walks. What the tree holds, by kind. Afterwards it is a list, which can only be freed or
 * counted again. */
void memory_tree_count(struct memory_node *root, struct walk_counts *);

/* The same; NULL is fine. */
void memory_tree_free(struct memory_node *root);

#endif
