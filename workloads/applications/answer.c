#include "workloads/applications/answer.h"
#include <inttypes.h>
#include <stdio.h>

struct root {
    struct pool_task task;
    const struct answer *answer;
    uint64_t result;
};

static void run_root(struct pool_worker *worker, struct pool_task *task) {
    struct root *root = (struct root *)(void *)task;
    root->result = root->answer->compute(worker, root->answer->context);
}

/* Seconds of one computation; below 0: it failed, and *failure is set. */
static double compute_once(struct pool *pool, const struct answer *answer, int *failure) {
    struct root root = {.task = {run_root}, .answer = answer};
    struct pool_task *task = &root.task;
    *failure = pool_run(pool, &task, 1);
    if (*failure != 0)
        return -1;
    if (root.result != answer->expected) {
        fprintf(stderr, "stealbench: the answer is %" PRIu64 ", not %" PRIu64 "\n", answer->expected, root.result);
        *failure = 1;
        return -1;
    }
    return pool_seconds(pool);
}

static int measure_once(struct pool *pool, const struct answer *answer, const struct cell *cell, unsigned repetition) {
    double total = 0;
    unsigned runs = 0;
    int failure = 0;
    do {
        double seconds = compute_once(pool, answer, &failure);
        if (failure != 0)
            return failure;
        total += seconds;
        runs++;
    } while (total < cell->minimum_time);
    double each = total / runs;
    cell_sample(cell, "pool", repetition, "run_time", each, "s", 0);
    cell_sample(cell, "pool", repetition, "time_per_call", each / answer->calls * 1e9, "ns", 0);
    cell_sample(cell, "pool", repetition, "calls_per_second", answer->calls / each, "calls/s", 0);
    pool_report(pool, repetition);
    return 0;
}

int answer_measure(const struct cell *given, const struct answer *answer) {
    struct pool *pool;
    int failure = pool_open(&pool, given, NULL);
    if (failure != 0)
        return failure;
    const struct cell *cell = pool_cell(pool);
    compute_once(pool, answer, &failure); /* once to warm up: touches memory, raises frequencies */
    for (unsigned repetition = 0; repetition < cell->repetitions && failure == 0; repetition++)
        failure = measure_once(pool, answer, cell, repetition);
    pool_close(pool);
    return failure;
}
