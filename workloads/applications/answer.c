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

static int compute_once(struct pool *pool, const struct answer *answer) {
    struct root root = {.task = {run_root}, .answer = answer};
    struct pool_task *task = &root.task;
    int failure = pool_run(pool, &task, 1);
    if (failure != 0 || root.result == answer->expected)
        return failure;
    fprintf(stderr, "stealbench: the answer is %" PRIu64 ", not %" PRIu64 "\n", answer->expected, root.result);
    return 1;
}

static int measure_once(struct pool *pool, void *context, unsigned repetition) {
    const struct cell *cell = pool_cell(pool);
    const struct answer *answer = context;
    double total = 0;
    unsigned runs = 0;
    int failure = repetition == 0 ? compute_once(pool, answer) : 0; /* touches memory, raises frequencies */
    for (; failure == 0 && (runs == 0 || total < cell->minimum_time); runs++) {
        failure = compute_once(pool, answer);
        total += pool_seconds(pool);
    }
    if (failure != 0)
        return failure;
    double each = total / runs;
    cell_sample(cell, "pool", repetition, "run_time", each, "s", 0);
    cell_sample(cell, "pool", repetition, "time_per_call", each / answer->calls * 1e9, "ns", 0);
    cell_sample(cell, "pool", repetition, "calls_per_second", answer->calls / each, "calls/s", 0);
    pool_report(pool, repetition);
    return 0;
}

int answer_measure(const struct cell *cell, struct answer *answer) {
    return pool_measure(cell, &(struct pool_settings){.context = answer}, measure_once);
}
