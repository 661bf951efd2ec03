/* items.h: the items that microbenchmarks put into deques: objects of a given size, in a given order in memory.
 *
 * Item i is the address of an object that begins with room for a link, so that intrusive and other deques get the same
 * items. With order=shuffled, consecutive items lie at random places.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITEMS_SMALLEST_NODE 16

struct items {
    void **at; /* at[i]: item i */
    void *memory;
};

/* Call in the thread that will own the items: it touches them first. Uses huge pages if the kernel grants them, so that
 * the order of links is measured and not the page table. node_bytes: a multiple of 8. false: no memory. */
bool items_create(struct items *, size_t count, size_t node_bytes, bool shuffled, uint64_t seed);
void items_destroy(struct items *);

/* Any thread. Empties the caches by writing through a buffer larger than the last-level cache. false: no memory. */
bool evict_caches(void);
