/* quicksort.c: 8-byte integers, sequential partition, insertion sort of small pieces, one task a half. After BWoS
 * thesis, section 5.3.1 (figures 5.10 and 5.11, table 5.4): 10 million, insertion sort from 32. How it partitions the
 * thesis does not say; ours goes by blocks (inputs/partition.h), so that ratios compare with its figures, not seconds.
 */
#include "workloads/inputs/numbers.h"
#include "workloads/inputs/partition.h"
#include "workloads/pool.h"
#include <stdio.h>
#include <stdlib.h>

static const struct parameter parameters[] = {
    {"size", PARAMETER_INTEGER, "10000000", 1, 1 << 30, NULL, "numbers", "8-byte integers to sort"},
    {"cutoff", PARAMETER_INTEGER, "32", 1, 1 << 20, NULL, "numbers", "pieces up to this are sorted by insertion"},
    {"input", PARAMETER_CHOICE, "random", 0, 0, NUMBERS_ORDERS, "", "their order before; few_distinct: 16 values"},
    POOL_PARAMETERS,
};

struct piece {
    struct pool_task task;
    int64_t *values;
    size_t count;
};

static void sort_piece(struct pool_worker *worker, struct pool_task *task);

static bool spawn_piece(struct pool_worker *worker, int64_t *values, size_t count) {
    struct piece *piece = (struct piece *)(void *)pool_take(worker);
    if (!piece) {
        pool_fail(worker, 3, "no memory for a task");
        return false;
    }
    piece->task.run = sort_piece;
    piece->values = values;
    piece->count = count;
    pool_spawn(worker, &piece->task);
    return true;
}

static void sort(struct pool_worker *worker, int64_t *values, size_t count) {
    size_t cutoff = *(const size_t *)pool_context(worker);
    if (count <= cutoff) {
        sort_by_insertion(values, count);
        return;
    }
    size_t lower = partition(values, count);
    if (spawn_piece(worker, values + lower, count - lower))
        spawn_piece(worker, values, lower);
}

static void sort_piece(struct pool_worker *worker, struct pool_task *task) {
    struct piece piece = *(struct piece *)(void *)task;
    pool_give(worker, task);
    sort(worker, piece.values, piece.count);
}

static void sort_all(struct pool_worker *worker, struct pool_task *task) {
    const struct piece *all = (const struct piece *)(const void *)task;
    sort(worker, all->values, all->count);
}

struct sorting {
    int64_t *values;
    size_t size;
    enum numbers_order order;
};

/* One repetition: 0, or what run returns. */
static int sort_once(struct pool *pool, const struct sorting *sorting, unsigned repetition) {
    const struct cell *cell = pool_cell(pool);
    struct piece all = {.task = {sort_all}, .values = sorting->values, .count = sorting->size};
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
    cell_sample(cell, "pool", repetition, "time_per_number", seconds / (double)sorting->size * 1e9, "ns", 0);
    pool_report(pool, cell, repetition);
    return 0;
}

static int run(const struct cell *cell) {
    size_t cutoff = (size_t)cell_integer(cell, "cutoff");
    struct sorting sorting = {.size = (size_t)cell_integer(cell, "size"),
                              .order = (enum numbers_order)choice_index(NUMBERS_ORDERS, cell_text(cell, "input"))};
    const struct pool_settings settings = {.task_bytes = sizeof(struct piece), .context = &cutoff};
    struct pool *pool;
    sorting.values = malloc(sorting.size * sizeof *sorting.values);
    if (!sorting.values) {
        fprintf(stderr, "stealbench: no memory for %zu numbers\n", sorting.size);
        return 3;
    }
    int failure = pool_open(&pool, cell, &settings);
    for (unsigned repetition = 0; repetition < cell->repetitions && failure == 0; repetition++)
        failure = sort_once(pool, &sorting, repetition);
    pool_close(pool);
    free(sorting.values);
    return failure;
}

static const struct workload quicksort = {
    .name = "quicksort",
    .summary = "parallel quicksort, one task a half (BWoS thesis, 5.3.1)",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .unsupported = pool_unsupported,
    .run = run,
};
REGISTER_WORKLOAD(quicksort);
