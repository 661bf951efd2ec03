#include "extras/simulate/memory.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define GRANULE ((size_t)64)
#define LISTS 1024

/* Before each allocation, on a granule of its own. Freed ones of a size wait in a list. */
struct head {
    size_t bytes; /* a multiple of GRANULE */
    struct head *next;
};
static struct head *lists[LISTS];
static uintptr_t used = MEMORY_BASE;

void *memory_reserve(void *at, size_t bytes) {
    void *got = mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (got != MAP_FAILED && (!at || got == at))
        return got;
    fprintf(stderr,
            "stealbench simulate: cannot reserve %zu GB of address space at its place; raise the limit (ulimit -v "
            "unlimited)\n",
            bytes >> 30);
    exit(3);
}

void memory_open(void) { memory_reserve((void *)MEMORY_BASE, MEMORY_BYTES); }

char *memory_stack(unsigned thread, size_t *bytes) {
    char *low = (char *)MEMORY_BASE + MEMORY_HEAP_BYTES + thread * MEMORY_STACK_BYTES;
    mprotect(low, PAGE, PROT_NONE);
    *bytes = MEMORY_STACK_BYTES - PAGE;
    return low + PAGE;
}

static struct head **list_of(size_t bytes) { return &lists[bytes / GRANULE % LISTS]; }

static void *allocate(size_t bytes, size_t alignment) {
    bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    for (struct head **at = list_of(bytes); *at; at = &(*at)->next)
        if ((*at)->bytes == bytes && ((uintptr_t)*at + GRANULE) % alignment == 0) {
            struct head *found = *at;
            *at = found->next;
            return (char *)found + GRANULE;
        }
    const uintptr_t start = (used + GRANULE + alignment - 1) & ~(uintptr_t)(alignment - 1);
    if (bytes > MEMORY_HEAP_BYTES || start + bytes > MEMORY_BASE + MEMORY_HEAP_BYTES)
        return NULL;
    used = start + bytes;
    struct head *head = (struct head *)(start - GRANULE);
    head->bytes = bytes;
    return (void *)start;
}

void *simulate_malloc(size_t bytes) { return allocate(bytes, GRANULE); }
void *simulate_aligned_alloc(size_t alignment, size_t bytes) {
    return allocate(bytes, alignment < GRANULE ? GRANULE : alignment);
}
int simulate_posix_memalign(void **pointer, size_t alignment, size_t bytes) {
    *pointer = simulate_aligned_alloc(alignment, bytes);
    return *pointer ? 0 : ENOMEM;
}
void *simulate_calloc(size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / bytes)
        return NULL;
    void *pointer = simulate_malloc(count * bytes);
    return pointer ? memset(pointer, 0, count * bytes) : NULL;
}

/* What the C library has allocated itself (a line that it read) is its own. */
static bool is_ours(const void *pointer) { return (uintptr_t)pointer - MEMORY_BASE < MEMORY_HEAP_BYTES; }

void simulate_free(void *pointer) {
    if (!is_ours(pointer)) {
        free(pointer);
        return;
    }
    struct head *head = (struct head *)((char *)pointer - GRANULE), **list = list_of(head->bytes);
    head->next = *list;
    *list = head;
}
void *simulate_realloc(void *old, size_t bytes) {
    if (old && !is_ours(old))
        return realloc(old, bytes);
    void *pointer = simulate_malloc(bytes);
    if (!pointer || !old)
        return pointer;
    const size_t before = ((struct head *)((char *)old - GRANULE))->bytes;
    memcpy(pointer, old, before < bytes ? before : bytes);
    simulate_free(old);
    return pointer;
}
