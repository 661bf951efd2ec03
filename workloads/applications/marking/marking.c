/* marking.c: the marking of a garbage collector on the pool: every object that can be reached from the roots is marked,
 * once. What Java's and other collectors have used work stealing for since their first parallel versions (Flood,
 * Detlefs, Shavit, Zhang: Parallel Garbage Collection for Shared Memory Multiprocessors, 2001; the BWoS
 * thesis, 2.3.1.1).
 *
 * A task scans one object: each object that it points at and that is not marked is marked, by an atomic exchange, and
 * becomes a task, unless it has no pointers.
 *
 * The heap (heap.h) is generated once; each repetition uses another number as its mark, like collectors that flip the
 * meaning of a mark. Afterwards every object is checked: does it bear the mark, and should it?
 */
#include "workloads/applications/marking/heap.h"
#include <inttypes.h>
#include <stdio.h>

#define TOGETHER 64 /* roots scanned by one call */

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("objects", 1000000, 1, 1u << 30, "objects", "in the heap, including garbage"),
    PARAMETER_INTEGER(
        "window", 1000, 1, 1 << 30, "pointers",
        "a new object hangs on one of the last so many free pointers: 1 makes long chains, many a wide heap"),
    PARAMETERS_END,
};

enum { OBJECTS, BYTES, POINTERS }; /* a worker's counts, of what it marked */

struct marking {
    struct heap heap;
    uint32_t cycle; /* the mark of this repetition */
};

static void scan_object(struct pool_worker *worker, struct pool_task *task);

/* Marks the object. true: this worker must scan it. Relaxed: the mark publishes nothing; the object's fields were
 * written before the run. */
static bool mark(const struct marking *marking, struct object *object, uint64_t *tally) {
    if (atomic_load_explicit(&object->mark, memory_order_relaxed) == marking->cycle ||
        atomic_exchange_explicit(&object->mark, marking->cycle, memory_order_relaxed) == marking->cycle)
        return false;
    tally[OBJECTS]++;
    tally[BYTES] += object->bytes;
    if (object->pointers == 0)
        return false;
    object->task.run = scan_object;
    return true;
}

/* At most TOGETHER pointers. */
static void scan(struct pool_worker *worker, struct object *const *to, uint32_t count) {
    const struct marking *marking = pool_context(worker);
    uint64_t *tally = pool_tally(worker);
    struct pool_task *tasks[TOGETHER];
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        tally[POINTERS] += to[i] != NULL;
        if (to[i] && mark(marking, to[i], tally))
            tasks[found++] = &to[i]->task;
    }
    if (found > 0)
        pool_spawn_all(worker, tasks, found);
}

static void scan_object(struct pool_worker *worker, struct pool_task *task) {
    const struct object *object = (const struct object *)(const void *)task;
    scan(worker, object->to, object->pointers);
}

static void scan_roots(struct pool_worker *worker, struct pool_task *task) {
    const struct marking *marking = pool_context(worker);
    (void)task;
    for (uint64_t i = 0; i < marking->heap.root_count; i += TOGETHER)
        scan(worker, marking->heap.roots + i,
             (uint32_t)(marking->heap.root_count - i < TOGETHER ? marking->heap.root_count - i : TOGETHER));
}

/* Every live object bears the mark and nothing else does; all was counted, and every pointer of theirs followed. */
static int check(const struct marking *marking, const uint64_t *sum) {
    const struct heap *heap = &marking->heap;
    uint64_t left_out = 0, garbage = 0;
    for (const struct object *object = (const struct object *)(const void *)heap->memory;
         (const char *)object < heap->end; object = heap_next(object)) {
        bool has = atomic_load_explicit(&object->mark, memory_order_relaxed) == marking->cycle;
        left_out += object->is_live && !has;
        garbage += !object->is_live && has;
    }
    if (left_out == 0 && garbage == 0 && sum[OBJECTS] == heap->live && sum[BYTES] == heap->live_bytes &&
        sum[POINTERS] == heap->live_pointers + heap->root_count)
        return 0;
    fprintf(stderr,
            "marking: wrong: %" PRIu64 " objects were left out, %" PRIu64 " of the garbage marked; %" PRIu64
            " of %" PRIu64 " objects counted, %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64 " of %" PRIu64 " pointers\n",
            left_out, garbage, sum[OBJECTS], heap->live, sum[BYTES], heap->live_bytes, sum[POINTERS],
            heap->live_pointers + heap->root_count);
    return 1;
}

static int mark_once(struct pool *pool, void *context, unsigned repetition) {
    struct marking *marking = context;
    struct pool_task roots = {scan_roots}, *task = &roots;
    marking->cycle = repetition + 1;
    int failure = pool_run(pool, &task, 1);
    if (failure != 0)
        return failure;
    const uint64_t sum[] = {pool_tallied(pool, OBJECTS), pool_tallied(pool, BYTES), pool_tallied(pool, POINTERS)};
    if (check(marking, sum) != 0)
        return 1;
    cell_sample(pool_cell(pool), "pool", repetition, "bytes_per_second", (double)sum[BYTES] / pool_seconds(pool),
                "bytes/s", 0);
    pool_report_run(pool, repetition, (double)sum[OBJECTS], "objects_per_second", "objects/s");
    return 0;
}

static int run(const struct cell *cell) {
    const uint64_t objects = cell_integer(cell, "objects");
    struct marking marking = {0};
    const struct pool_settings settings = {.context = &marking};
    if (heap_make(&marking.heap, objects, cell_integer(cell, "window"), cell_integer(cell, "seed")) != 0) {
        fprintf(stderr, "marking: no memory for a heap of %" PRIu64 " objects\n", objects);
        return 3;
    }
    cell_sample(cell, "process", 0, "live_objects", (double)marking.heap.live, "objects", 0);
    cell_sample(cell, "process", 0, "live_bytes", (double)marking.heap.live_bytes, "bytes", 0);
    cell_sample(cell, "process", 0, "heap_bytes", (double)(marking.heap.end - marking.heap.memory), "bytes", 0);
    int failure = pool_measure(cell, &settings, mark_once);
    heap_free(&marking.heap);
    return failure;
}

REGISTER_WORKLOAD(marking, .name = "marking",
                  .summary = "marks a garbage collector's heap: every object that the roots reach",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
