/* memory_tree.h: what a walk has found as a tree in memory, a node an entry with its name: what Phanes's program
 * builds, and calls its remaining bottleneck.
 *
 * A directory's entries are added by whoever reads it, so no node is written by two; who gets the directory from that
 * worker, or reads the tree after the walk, has it through what scheduled the directory.
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

/* Any thread, when nobody walks. What the tree holds, by kind. */
void memory_tree_count(const struct memory_node *root, struct walk_counts *);

/* The same; NULL is fine. */
void memory_tree_free(struct memory_node *root);

#endif
