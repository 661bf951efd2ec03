#include "harness/measuring/items.h"
#include "harness/measuring/random.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

static void shuffle(void **at, size_t count, uint64_t seed) {
    uint64_t state = random_start(seed, 0);
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(random_next(&state) % i);
        void *other = at[i - 1];
        at[i - 1] = at[j];
        at[j] = other;
    }
}

bool items_create(struct items *items, size_t count, size_t node_bytes, bool shuffled, uint64_t seed) {
    const size_t bytes = (count * node_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    *items = (struct items){.at = malloc(count * sizeof *items->at), .memory = aligned_alloc(HUGE_PAGE, bytes)};
    if (!items->at || !items->memory) {
        items_destroy(items);
        return false;
    }
    madvise(items->memory, bytes, MADV_HUGEPAGE);
    memset(items->memory, 0, bytes);
    for (size_t i = 0; i < count; i++)
        items->at[i] = (char *)items->memory + i * node_bytes;
    if (shuffled)
        shuffle(items->at, count, seed);
    return true;
}

void items_destroy(struct items *items) {
    free(items->memory);
    free(items->at);
    *items = (struct items){0};
}

bool evict_caches(void) {
    static volatile unsigned char *buffer;
    static size_t bytes;
    if (!buffer) {
        const long third = sysconf(_SC_LEVEL3_CACHE_SIZE), largest = third > 0 ? third : sysconf(_SC_LEVEL2_CACHE_SIZE);
        bytes = largest > 0 ? (size_t)largest * 2 : (size_t)64 << 20; /* the latter if the system reports none */
        buffer = malloc(bytes);
    }
    for (size_t i = 0; buffer && i < bytes; i += 64)
        buffer[i]++;
    return buffer != NULL;
}
