/* items.h: the items that microbenchmarks put into deques: objects of a given size, in a given order in memory.
 *
 * Item i is the address of an object that begins with room for a link, so that intrusive and other deques get the same
 * items. With order=shuffled, consecutive items lie at random places.
 */
#ifndef STEALBENCH_ITEMS_H
#define STEALBENCH_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITEMS_SMALLEST_NODE 16

struct items {
    void **at; /* at[i]: item i */
    size_t count;
    void *memory;
    size_t bytes;
};

/* Any thread. The size of an object that should have `wanted` bytes: a multiple of 8, with room for a list's own link
 * of `link` bytes (0: no list). The bulk paper's listing has links of 72 bytes, larger than our nodes. */
static inline size_t items_node_bytes(size_t wanted, size_t link) {
    return ((wanted > link ? wanted : link) + 7) / 8 * 8;
}

/* Call in the thread that will own the items: it touches them first. Uses huge pages if the kernel grants them, so that
 * the order of links is measured and not the page table. node_bytes: a multiple of 8, at least ITEMS_SMALLEST_NODE.
 * Returns 0, EINVAL or ENOMEM. */
int items_create(struct items *, size_t count, size_t node_bytes, bool shuffled, uint64_t seed);
void items_destroy(struct items *);

/* Any thread. Empties the caches by writing through a buffer larger than the last-level cache. Returns 0 or ENOMEM. */
int evict_caches(void);

#endif
