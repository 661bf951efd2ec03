#include "workloads/applications/paths/roads.h"
#include "harness/measuring/random.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOTORWAY 16 /* every so many rows and columns */

/* The length of the street between a crossing and its right-hand or lower neighbour; 0: there is none. */
static uint32_t street(const struct roads *roads, uint32_t crossing, bool down) {
    const uint64_t drawn = random_of(roads->seed, 2 * (uint64_t)crossing + down);
    const uint32_t along = down ? crossing % roads->side : crossing / roads->side;
    const uint32_t length = 1 + (uint32_t)(drawn >> 32) % 100;
    if (along % MOTORWAY == 0)
        return length / 5 + 1;
    return drawn % 10 == 0 ? 0 : length;
}

static unsigned add(struct road *out, unsigned count, uint32_t to, uint32_t length) {
    out[count] = (struct road){to, length};
    return count + (length > 0);
}

unsigned roads_from(const struct roads *roads, uint32_t crossing, struct road out[4]) {
    const uint32_t side = roads->side, x = crossing % side, y = crossing / side;
    unsigned count = 0;
    if (x + 1 < side)
        count = add(out, count, crossing + 1, street(roads, crossing, false));
    if (y + 1 < side)
        count = add(out, count, crossing + side, street(roads, crossing, true));
    if (x > 0)
        count = add(out, count, crossing - 1, street(roads, crossing - 1, false));
    if (y > 0)
        count = add(out, count, crossing - side, street(roads, crossing - side, true));
    return count;
}

/* A binary heap of distance << 32 | crossing. */
struct heap {
    uint64_t *at;
    size_t count;
};

static void heap_put(struct heap *heap, uint64_t entry) {
    size_t at = heap->count++;
    for (; at > 0 && entry < heap->at[(at - 1) / 2]; at = (at - 1) / 2)
        heap->at[at] = heap->at[(at - 1) / 2];
    heap->at[at] = entry;
}

static uint64_t heap_take(struct heap *heap) {
    const uint64_t least = heap->at[0], last = heap->at[--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        child += child + 1 < heap->count && heap->at[child + 1] < heap->at[child];
        if (last <= heap->at[child])
            break;
        heap->at[at] = heap->at[child];
    }
    heap->at[at] = last;
    return least;
}

int roads_search(const struct roads *roads, uint32_t *distances, uint64_t *reached, uint32_t *farthest) {
    const size_t crossings = (size_t)roads->side * roads->side;
    struct heap heap = {.at = malloc((4 * crossings + 1) * sizeof *heap.at)}; /* an entry an arc, and the first */
    if (!heap.at)
        return ENOMEM;
    for (size_t i = 0; i < crossings; i++)
        distances[i] = i == 0 ? 0 : ROADS_FAR;
    *reached = 0;
    for (heap_put(&heap, 0); heap.count > 0;) {
        const uint64_t least = heap_take(&heap);
        const uint32_t crossing = (uint32_t)least, distance = (uint32_t)(least >> 32);
        struct road out[4];
        if (distance > distances[crossing])
            continue;
        ++*reached;
        *farthest = distance;
        for (unsigned i = roads_from(roads, crossing, out); i-- > 0;)
            if (distance + out[i].length < distances[out[i].to]) {
                distances[out[i].to] = distance + out[i].length;
                heap_put(&heap, (uint64_t)distances[out[i].to] << 32 | out[i].to);
            }
    }
    free(heap.at);
    return 0;
}
