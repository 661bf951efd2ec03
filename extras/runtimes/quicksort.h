/* quicksort.h: the numbers, their check and the parameters of quicksort, for every runtime. The partition is the one
 * that our workload uses (workloads/applications/quicksort/partition.h), and so is its bound on levels. */
#pragma once

#include "extras/runtimes/runtime.h"
#include "workloads/applications/quicksort/numbers.h"
#include "workloads/applications/quicksort/partition.h"
#include <stdlib.h>

static const struct parameter quicksort_parameters[] = {
    PARAMETER_INTEGER("size", 10000000, 0, 1 << 30, "numbers", "8-byte integers to sort"),
    PARAMETER_INTEGER("cutoff", 32, 1, 1 << 20, "numbers", "pieces up to this are sorted by insertion"),
    PARAMETER_CHOICE("input", "random", LIST_CHOICES(NUMBERS_ORDERS), NUMBERS_ORDERS_HELP),
    PARAMETERS_END,
};

struct sorting {
    int64_t *values;
    size_t size;
    unsigned cutoff;
    enum numbers_order order;
    uint64_t seed;
    struct numbers_sum before;
};

static inline bool sorting_prepare(void *context) {
    struct sorting *sorting = (struct sorting *)context;
    numbers_fill(sorting->values, sorting->size, sorting->order, sorting->seed++);
    sorting->before = numbers_sum_of(sorting->values, sorting->size);
    return true;
}

static inline bool sorting_verify(void *context) {
    const struct sorting *sorting = (const struct sorting *)context;
    return numbers_verify(sorting->values, sorting->size, sorting->before);
}

/* Main thread, the runtime being there. run sorts. */
static inline int quicksort_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    struct sorting sorting = {};
    sorting.size = cell_integer(cell, "size");
    sorting.cutoff = (unsigned)cell_integer(cell, "cutoff");
    sorting.order = (enum numbers_order)cell_choice(cell, "input");
    sorting.seed = cell->seed;
    sorting.values = (int64_t *)malloc((sorting.size + 1) * sizeof *sorting.values);
    if (!sorting.values) {
        fprintf(stderr, "stealbench: no memory for %zu numbers\n", sorting.size);
        return 3;
    }
    const char *per = sorting.size > 0 ? "time_per_number" : NULL;
    struct runtime_work work = {&sorting, sorting_prepare, run, sorting_verify, per, (double)sorting.size};
    int failure = runtime_measure(cell, &work, gather);
    free(sorting.values);
    return failure;
}
