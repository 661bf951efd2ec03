#include "workloads/applications/walk/memory_tree.h"
#include "workloads/applications/walk/directory_walk.h"
#include <stdlib.h>
#include <string.h>

struct memory_node *memory_node_add(struct memory_node *parent, unsigned char type, const char *name) {
    size_t length = strlen(name) + 1;
    struct memory_node *node = malloc(sizeof *node + length);
    if (!node)
        return NULL;
    node->type = type;
    node->first = NULL;
    node->next = parent ? parent->first : NULL;
    memcpy(node->name, name, length);
    if (parent)
        parent->first = node;
    return node;
}

/* Makes the tree a list of all its nodes: what is below a node is moved behind the last one. Trees may be ten thousands
 * of levels deep, so this needs neither calls nor a stack. */
static struct memory_node *flattened(struct memory_node *root) {
    struct memory_node *last = root;
    for (struct memory_node *node = root; node; node = node->next) {
        while (last->next) /* each node is passed once in all */
            last = last->next;
        last->next = node->first;
        node->first = NULL;
    }
    return root;
}

void memory_tree_free(struct memory_node *root) {
    for (struct memory_node *node = flattened(root), *next; node; node = next) {
        next = node->next;
        free(node);
    }
}

void memory_tree_count(struct memory_node *root, struct walk_counts *counts) {
    *counts = (struct walk_counts){0};
    for (const struct memory_node *node = flattened(root); node; node = node->next)
        ++*walk_count_of(counts, node->type);
}
