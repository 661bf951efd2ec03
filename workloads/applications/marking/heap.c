#include "workloads/applications/marking/heap.h"
#include "harness/measuring/random.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POINTERS_MOST 4
#define PAYLOAD_MOST 32 /* bytes */
#define GARBAGE 0.3

/* While a heap is made: its objects' addresses, and the unset pointers of reached objects. */
struct making {
    struct heap *heap;
    uint64_t count, window, seed;
    struct object **objects;
    struct object **live;  /* those reached so far, and in the end all live ones */
    struct object ***free; /* a stack of pointers that are free */
    uint64_t free_count, random;
};

/* How large object number i is. */
static void size_of(uint64_t seed, uint64_t i, uint32_t *pointers, uint32_t *bytes) {
    const uint64_t drawn = random_of(seed, i);
    const uint32_t payload = (uint32_t)(drawn >> 32) % (PAYLOAD_MOST + 1);
    *pointers = (uint32_t)(drawn % (POINTERS_MOST + 1));
    *bytes = (uint32_t)sizeof(struct object) + *pointers * (uint32_t)sizeof(struct object *) + (payload + 7) / 8 * 8;
}

/* The first object is live. */
static bool is_live(uint64_t seed, uint64_t i) {
    return i == 0 || (double)(random_of(seed + 1, i) >> 11) * 0x1p-53 >= GARBAGE;
}

static bool lay_out(struct making *making) {
    struct heap *heap = making->heap;
    uint64_t bytes = 0, slots = 0;
    for (uint64_t i = 0; i < making->count; i++) {
        uint32_t pointers, size;
        size_of(making->seed, i, &pointers, &size);
        bytes += size;
        slots += pointers;
    }
    heap->memory = malloc(bytes);
    making->free = malloc((slots + 1) * sizeof *making->free);
    making->objects = malloc(making->count * sizeof *making->objects);
    making->live = malloc(making->count * sizeof *making->live);
    heap->roots = malloc(making->count * sizeof *heap->roots);
    if (!heap->memory || !making->free || !making->objects || !making->live || !heap->roots)
        return false;
    heap->end = heap->memory + bytes;
    char *at = heap->memory;
    for (uint64_t i = 0; i < making->count; i++) {
        struct object *object = making->objects[i] = (struct object *)(void *)at;
        size_of(making->seed, i, &object->pointers, &object->bytes);
        at += object->bytes;
        object->is_live = is_live(making->seed, i);
        atomic_init(&object->mark, 0);
        memset((void *)object->to, 0, object->bytes - sizeof *object);
    }
    return true;
}

/* Takes a free pointer among the last of the window; NULL: there is none. */
static struct object **take_free(struct making *making) {
    const uint64_t count = making->free_count, window = making->window;
    if (count == 0)
        return NULL;
    uint64_t place = count - 1 - random_below(&making->random, window < count ? window : count);
    struct object **taken = making->free[place];
    making->free[place] = making->free[--making->free_count];
    return taken;
}

/* Each live object is pointed at by one made before it, or is a root where no pointer was free. */
static void connect_live(struct making *making) {
    struct heap *heap = making->heap;
    for (uint64_t i = 0; i < making->count; i++) {
        struct object *object = making->objects[i], **from;
        if (!object->is_live)
            continue;
        if ((from = take_free(making)))
            *from = object;
        else
            heap->roots[heap->root_count++] = object;
        making->live[heap->live++] = object;
        heap->live_bytes += object->bytes;
        for (uint32_t k = 0; k < object->pointers; k++)
            making->free[making->free_count++] = &object->to[k];
    }
}

static void point_anywhere(struct making *making) {
    const struct heap *heap = making->heap;
    while (making->free_count > 0) {
        struct object **from = making->free[--making->free_count];
        if (random_next(&making->random) >> 63)
            *from = making->live[random_below(&making->random, heap->live)];
    }
    for (uint64_t i = 0; i < making->count; i++) {
        struct object *object = making->objects[i];
        for (uint32_t k = 0; !object->is_live && k < object->pointers; k++)
            object->to[k] = making->objects[random_below(&making->random, making->count)];
    }
}

static void count_pointers(struct making *making) {
    for (uint64_t i = 0; i < making->heap->live; i++)
        for (uint32_t k = 0; k < making->live[i]->pointers; k++)
            making->heap->live_pointers += making->live[i]->to[k] != NULL;
}

int heap_make(struct heap *heap, uint64_t objects, uint64_t window, uint64_t seed) {
    struct making making = {
        .heap = heap, .count = objects, .window = window, .seed = seed, .random = random_start(seed, 2)};
    *heap = (struct heap){0};
    bool made = lay_out(&making);
    if (made) {
        connect_live(&making);
        point_anywhere(&making);
        count_pointers(&making);
    } else {
        heap_free(heap);
    }
    free(making.objects);
    free(making.live);
    free((void *)making.free);
    return made ? 0 : ENOMEM;
}

void heap_free(struct heap *heap) {
    free(heap->memory);
    free(heap->roots);
    *heap = (struct heap){0};
}
