/* quicksort.h: the numbers, their check and the parameters of quicksort, for every peer. The partition is the one that
 * our workload uses (workloads/inputs/partition.h), and so is its bound on levels; algorithm=own is the runtime's own
 * parallel sort. */
#ifndef STEALBENCH_PEER_QUICKSORT_H
#define STEALBENCH_PEER_QUICKSORT_H

#include "runtimes/peer.h"
#include "workloads/inputs/numbers.h"
#include "workloads/inputs/partition.h"
#include <stdlib.h>

static const struct parameter quicksort_parameters[] = {
    {"size", PARAMETER_INTEGER, "10000000", 0, 1 << 30, NULL, "numbers", "8-byte integers to sort"},
    {"cutoff", PARAMETER_INTEGER, "32", 1, 1 << 20, NULL, "numbers", "pieces up to this are sorted by insertion"},
    {"input", PARAMETER_CHOICE, "random", 0, 0, NUMBERS_ORDERS, "", NUMBERS_ORDERS_HELP},
    {"algorithm", PARAMETER_CHOICE, "same", 0, 0, "same|own", "",
     "same: the workload's, on the runtime's tasks; own: the runtime's parallel sort"},
    PEER_PARAMETERS,
};

struct sorting {
    int64_t *values;
    size_t size;
    unsigned cutoff;
    bool own;
    enum numbers_order order;
    uint64_t seed;
    struct numbers_sum before;
};

static inline bool sorting_prepare(void *context) {
    struct sorting *sorting = (struct sorting *)context;
    if (!numbers_fill(sorting->values, sorting->size, sorting->order, sorting->seed++))
        return false;
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
    sorting.own = cell_is(cell, "algorithm", "own");
    sorting.order = (enum numbers_order)choice_index(NUMBERS_ORDERS, cell_text(cell, "input"));
    sorting.seed = cell->seed;
    sorting.values = (int64_t *)malloc((sorting.size + 1) * sizeof *sorting.values);
    if (!sorting.values) {
        fprintf(stderr, "stealbench: no memory for %zu numbers\n", sorting.size);
        return 3;
    }
    const char *per = sorting.size > 0 ? "time_per_number" : NULL;
    struct peer_work work = {&sorting, sorting_prepare, run, sorting_verify, per, (double)sorting.size};
    int failure = peer_measure(cell, &work, gather);
    free(sorting.values);
    return failure;
}

#endif
