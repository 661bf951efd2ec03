/* quicksort.c: 8-byte integers, sequential partition, insertion sort of small pieces, one task a half. After BWoS
 * thesis, section 5.3.1 (figures 5.10 and 5.11, table 5.4): 10 million, insertion sort from 32. The thesis does not say
 * how it partitions; ours goes by blocks (partition.h), so compare ratios with its figures, not seconds. No input makes
 * it quadratic.
 */
#include "workloads/applications/quicksort/numbers.h"
#include "workloads/applications/quicksort/partition.h"
#include "workloads/pool/pool.h"
#include <stdio.h>
#include <stdlib.h>

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("size", 10000000, 0, 1 << 30, "numbers", "8-byte integers to sort"),
    PARAMETER_INTEGER("cutoff", 32, 1, 1 << 20, "numbers", "pieces up to this are sorted by insertion"),
    PARAMETER_CHOICE("input", "random", LIST_CHOICES(NUMBERS_ORDERS), NUMBERS_ORDERS_HELP),
    PARAMETERS_END,
};

struct piece {
    struct pool_task task;
    int64_t *values;
    uint32_t count, levels; /* sort_step */
};

struct sorting {
    size_t cutoff, size;
    int64_t *values;
    enum numbers_order order;
};

static void sort_piece(struct pool_worker *worker, struct pool_task *task);

static bool spawn_piece(struct pool_worker *worker, int64_t *values, size_t count, unsigned levels) {
    struct piece *piece = (struct piece *)(void *)pool_take(worker);
    if (!piece) {
        pool_fail(worker, 3, "no memory for a task");
        return false;
    }
    piece->task.run = sort_piece;
    piece->values = values;
    piece->count = (uint32_t)count;
    piece->levels = levels;
    pool_spawn(worker, &piece->task);
    return true;
}

static void sort(struct pool_worker *worker, int64_t *values, size_t count, unsigned levels) {
    const struct sorting *sorting = pool_context(worker);
    const size_t lower = sort_step(values, count, sorting->cutoff, levels);
    if (lower > 0 && spawn_piece(worker, values + lower, count - lower, levels - 1))
        spawn_piece(worker, values, lower, levels - 1);
}

static void sort_piece(struct pool_worker *worker, struct pool_task *task) {
    struct piece piece = *(struct piece *)(void *)task;
    pool_give(worker, task);
    sort(worker, piece.values, piece.count, piece.levels);
}

static void sort_all(struct pool_worker *worker, struct pool_task *task) {
    const struct piece *all = (const struct piece *)(const void *)task;
    sort(worker, all->values, all->count, all->levels);
}

/* One repetition: 0, or what run returns. */
static int sort_once(struct pool *pool, void *context, unsigned repetition) {
    const struct cell *cell = pool_cell(pool);
    const struct sorting *sorting = context;
    struct piece all = {.task = {sort_all},
                        .values = sorting->values,
                        .count = (uint32_t)sorting->size,
                        .levels = sort_levels(sorting->size)};
    struct pool_task *task = &all.task;
    numbers_fill(sorting->values, sorting->size, sorting->order, cell->seed + repetition);
    struct numbers_sum before = numbers_sum_of(sorting->values, sorting->size);
    int failure = pool_run(pool, &task, 1);
    if (failure != 0)
        return failure;
    double seconds = pool_seconds(pool);
    if (!numbers_verify(sorting->values, sorting->size, before))
        return 1;
    cell_sample(cell, "pool", repetition, "run_time", seconds, "s", 0);
    if (sorting->size > 0)
        cell_sample(cell, "pool", repetition, "time_per_number", seconds / (double)sorting->size * 1e9, "ns", 0);
    pool_report(pool, repetition);
    return 0;
}

static int run(const struct cell *cell) {
    struct sorting sorting = {.cutoff = (size_t)cell_integer(cell, "cutoff"),
                              .size = (size_t)cell_integer(cell, "size"),
                              .order = (enum numbers_order)cell_choice(cell, "input")};
    const struct pool_settings settings = {.task_bytes = sizeof(struct piece), .context = &sorting};
    sorting.values = malloc((sorting.size + 1) * sizeof *sorting.values); /* one more, so that 0 is no special case */
    if (!sorting.values) {
        fprintf(stderr, "stealbench: no memory for %zu numbers\n", sorting.size);
        return 3;
    }
    int failure = pool_measure(cell, &settings, sort_once);
    free(sorting.values);
    return failure;
}

REGISTER_WORKLOAD(quicksort, .name = "quicksort", .summary = "parallel quicksort, one task a half (BWoS thesis, 5.3.1)",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
