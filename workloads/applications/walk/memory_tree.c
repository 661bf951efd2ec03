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

/* Every node, without a stack: what is below a node is hung behind the last of all. The tree is a list afterwards. */
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

/* Trees may be ten thousands of levels deep: not by calls. */
void memory_tree_count(const struct memory_node *root, struct walk_counts *counts) {
    size_t held = 0, room = 0;
    const struct memory_node **waiting = NULL;
    *counts = (struct walk_counts){0};
    for (const struct memory_node *node = root; node;) {
        ++*walk_count_of(counts, node->type);
        if (node->first) {
            if (held == room) {
                const struct memory_node **larger = realloc(waiting, (room = room ? 2 * room : 1024) * sizeof *larger);
                if (!larger)
                    break; /* too few are counted, which is a wrong answer */
                waiting = larger;
            }
            waiting[held++] = node->first;
        }
        node = node->next ? node->next : held > 0 ? waiting[--held] : NULL;
    }
    free(waiting);
}
