/* items.h: what the microbenchmarks put into deques: objects of a stated size, in a stated order in memory.
 *
 * Items are handed out by number: item i is the address of an object that begins with room for a link, so that
 * intrusive and other deques get the same items. With order=shuffled consecutive items lie at random places.
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

/* Anybody. Bytes of an object for which `wanted` are asked: a multiple of 8, and room for a list's own link of `link`
 * bytes (0: no list). The bulk paper's listing has links of 72, larger than our nodes. */
static inline size_t items_node_bytes(size_t wanted, size_t link) {
    return ((wanted > link ? wanted : link) + 7) / 8 * 8;
}

/* The thread that will own them: it touches them first. Huge pages where the kernel grants them, so that the order
 * of links is measured and not the page table. node_bytes a multiple of 8, at least ITEMS_SMALLEST_NODE.
 * 0, EINVAL, ENOMEM. */
int items_create(struct items *, size_t count, size_t node_bytes, bool shuffled, uint64_t seed);
void items_destroy(struct items *);

/* Anybody. Writes through a buffer larger than the last-level cache, so that what was cached no longer is. 0, ENOMEM */
int evict_caches(void);

#endif
