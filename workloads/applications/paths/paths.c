/* paths.c: shortest paths from one crossing to all others of a map of roads (roads.h): a workload where order matters.
 *
 * A task is a crossing and the distance that it was reached at. If that is still the shortest one known, the crossing
 * is settled: each neighbour that it brings nearer becomes a task. Taken nearest first, as Dijkstra does, a crossing is
 * settled once. In any other order many are settled again, with all that lies behind them. The answer is the same.
 *
 * A task's priority is its distance as a share of the farthest (pool_spawn_at). Deques without priorities do the same
 * work in their own order. order=none: those that have them, too.
 */
#include "harness/measuring/clock/clock.h"
#include "workloads/applications/paths/roads.h"
#include "workloads/pool/pool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("side", 100, 2, ROADS_SIDE_MAX, "crossings", "side of the square of crossings"),
    PARAMETER_CHOICE("order", "distance", "distance|none", "a task's priority: its distance, or the same for all"),
    PARAMETERS_END,
};

struct tally {
    _Alignas(128) uint64_t settled, stale;
};

struct crossing_task {
    struct pool_task task;
    uint32_t crossing, distance;
};

struct paths {
    struct roads roads;
    bool ordered;
    size_t crossings;
    uint32_t *expected;          /* distances, by one thread */
    _Atomic uint32_t *distances; /* the shortest ones known */
    uint64_t reached;
    uint32_t farthest;
    struct tally *tallies; /* one a worker */
    struct crossing_task first;
};

/* Any worker: makes the distance shorter, if it is. Relaxed: a distance publishes nothing; tasks travel through deques.
 */
static bool shorten(_Atomic uint32_t *known, uint32_t distance) {
    uint32_t before = atomic_load_explicit(known, memory_order_relaxed);
    while (distance < before)
        if (atomic_compare_exchange_weak_explicit(known, &before, distance, memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

static void settle(struct pool_worker *worker, struct pool_task *task) {
    struct paths *paths = pool_context(worker);
    struct tally *tally = &paths->tallies[pool_worker_number(worker)];
    const struct crossing_task here = *(struct crossing_task *)task;
    struct road out[4];
    if (task != &paths->first.task)
        pool_give(worker, task);
    if (here.distance > atomic_load_explicit(&paths->distances[here.crossing], memory_order_relaxed)) {
        tally->stale++;
        return;
    }
    tally->settled++;
    for (unsigned i = roads_from(&paths->roads, here.crossing, out); i-- > 0;) {
        const uint32_t distance = here.distance + out[i].length;
        if (!shorten(&paths->distances[out[i].to], distance))
            continue;
        struct crossing_task *next = (struct crossing_task *)pool_take(worker);
        if (!next) {
            pool_fail(worker, 3, "no memory for the task of a crossing");
            return;
        }
        *next = (struct crossing_task){{settle}, out[i].to, distance};
        const uint64_t share = ((uint64_t)distance << 32) / ((uint64_t)paths->farthest + 1);
        pool_spawn_at(worker, &next->task, !paths->ordered ? 0 : share < UINT32_MAX ? (uint32_t)share : UINT32_MAX);
    }
}

/* Is every distance the shortest? */
static int check(const struct paths *paths) {
    for (size_t i = 0; i < paths->crossings; i++) {
        const uint32_t found = atomic_load_explicit(&paths->distances[i], memory_order_relaxed);
        if (found == paths->expected[i])
            continue;
        fprintf(stderr, "paths: wrong: crossing %zu is at %" PRIu32 ", found at %" PRIu32 "\n", i, paths->expected[i],
                found);
        return 1;
    }
    return 0;
}

static int search(struct pool *pool, struct paths *paths, unsigned repetition) {
    struct pool_task *const first = &paths->first.task;
    struct tally sum = {0};
    memset(paths->tallies, 0, pool_threads(pool) * sizeof paths->tallies[0]);
    for (size_t i = 0; i < paths->crossings; i++)
        atomic_store_explicit(&paths->distances[i], i == 0 ? 0 : ROADS_FAR, memory_order_relaxed);
    paths->first = (struct crossing_task){{settle}, 0, 0};
    int failure = pool_run(pool, &first, 1);
    if (failure == 0)
        failure = check(paths);
    if (failure != 0)
        return failure;
    for (unsigned i = 0; i < pool_threads(pool); i++) {
        sum.settled += paths->tallies[i].settled;
        sum.stale += paths->tallies[i].stale;
    }
    const struct cell *cell = pool_cell(pool);
    cell_sample(cell, "pool", repetition, "run_time", pool_seconds(pool), "s", 0);
    cell_sample(cell, "pool", repetition, "settled_again", (double)(sum.settled - paths->reached), "crossings", 0);
    cell_sample(cell, "pool", repetition, "settled_again_share",
                (double)(sum.settled - paths->reached) / (double)paths->reached, "", 0);
    cell_sample(cell, "pool", repetition, "stale_tasks", (double)sum.stale, "tasks", 0);
    pool_report(pool, cell, repetition);
    return 0;
}

/* The map, and the answer. 0; 3 no memory. */
static int prepare(const struct cell *cell, struct paths *paths) {
    const size_t threads = cell_integer(cell, "threads");
    paths->crossings = (size_t)paths->roads.side * paths->roads.side;
    paths->expected = malloc(paths->crossings * sizeof paths->expected[0]);
    paths->distances = malloc(paths->crossings * sizeof paths->distances[0]);
    paths->tallies = aligned_alloc(_Alignof(struct tally), threads * sizeof paths->tallies[0]);
    const uint64_t since = clock_nanoseconds();
    if (!paths->expected || !paths->distances || !paths->tallies ||
        roads_search(&paths->roads, paths->expected, &paths->reached, &paths->farthest) != 0) {
        fprintf(stderr, "paths: no memory for a map of %zu crossings\n", paths->crossings);
        return 3;
    }
    cell_sample(cell, "process", 0, "dijkstra_time", (double)(clock_nanoseconds() - since) * 1e-9, "s", 0);
    return 0;
}

static int run(const struct cell *cell) {
    struct paths paths = {.roads = {.side = (uint32_t)cell_integer(cell, "side"), .seed = cell_integer(cell, "seed")},
                          .ordered = cell_is(cell, "order", "distance")};
    const struct pool_settings settings = {.task_bytes = sizeof(struct crossing_task), .context = &paths};
    struct pool *pool = NULL;
    int failure = prepare(cell, &paths);
    if (failure == 0)
        failure = pool_open(&pool, cell, &settings);
    for (unsigned i = 0; failure == 0 && i < cell->repetitions; i++)
        failure = search(pool, &paths, i);
    pool_close(pool);
    free(paths.expected);
    free((void *)paths.distances);
    free(paths.tallies);
    return failure;
}

REGISTER_WORKLOAD(paths, .name = "paths",
                  .summary = "shortest paths on a map of roads, where the order of tasks matters",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
