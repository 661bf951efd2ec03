/* catalogue_memory.c: how many bytes a deque takes, counted where it asks for them. catalogue.py compiles it for each
 * deque. Prints, tab-separated: the size of struct deque, the size of the link in each item (0: none), and for SMALLER
 * and for LARGER items what is allocated when empty and when full.
 */
#include <stddef.h>
__attribute__((unused)) static void *counted_allocate(size_t bytes);
__attribute__((unused)) static void counted_free(void *memory);
#define DEQUE_ALLOC(bytes) counted_allocate(bytes)
#define DEQUE_FREE(pointer) counted_free(pointer)

#include "harness/measuring/deque_under_test.h"
#include <stdio.h>

#define SMALLER 1024
#define LARGER 2048

static size_t live;

/* The size stands in a line of its own before what is given out. */
static void *counted_allocate(size_t bytes) {
    size_t rounded = (bytes + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE;
    char *memory = aligned_alloc(DEQUE_LINE, rounded + DEQUE_LINE);
    if (!memory)
        exit(3);
    memcpy(memory, &bytes, sizeof bytes);
    live += bytes;
    return memory + DEQUE_LINE;
}

static void counted_free(void *memory) {
    size_t bytes;
    if (!memory)
        return;
    memcpy(&bytes, (char *)memory - DEQUE_LINE, sizeof bytes);
    live -= bytes;
    free((char *)memory - DEQUE_LINE);
}

#if DEQUE_NATIVE & DEQUE_LISTS
#define LINK_BYTES sizeof(struct deque_link)
#else
#define LINK_BYTES ((size_t)0)
#endif

static int measure(size_t capacity) {
    static struct deque deque;
    static alignas(DEQUE_LINE) char objects[LARGER][64];
    struct deque_config config = {.capacity = capacity, .workers = 1, .first = &deque};
    if (deque_init(&deque, &config) != 0)
        return 3;
    printf("\t%zu", live);
    for (size_t i = 0; i < capacity; i++)
        if (deque_push(&deque, (deque_item)(uintptr_t)objects[i]) != DEQUE_OK)
            return 1;
    printf("\t%zu", live);
    deque_destroy(&deque);
    return live == 0 ? 0 : 1;
}

int main(void) {
    printf("%zu\t%zu", sizeof(struct deque), LINK_BYTES);
    int failure = measure(SMALLER);
    failure = failure ? failure : measure(LARGER);
    printf("\n");
    return failure;
}
