/* bag.c: a bag of independent tasks, all there from the start, of equal or unequal cost. The factory of "Work-Stealing
 * from First Principles" (Ilzam), whose first half asks how to distribute work:
 *
 *   all on one machine          victims=none first=one
 *   a fair split by their count victims=none first=each     static distribution
 *   work stealing               first=one or first=each
 *
 * Static distribution is as good as any when tasks cost the same; otherwise (cost=) it waits for the unlucky worker.
 * Tasks that do not fit into a deque wait in the overflow queue, from which all workers take: for a strict split, room=
 * has to hold a worker's whole share.
 */
#include "harness/measuring/random.h"
#include "workloads/applications/task_cost.h"
#include "workloads/pool/pool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("tasks", 1000, 1, 100000000, "tasks", "number of tasks"),
    COST_PARAMETERS(10000, "iterations", "a task"),
    PARAMETERS_END,
};

enum { TASKS, CHECKSUM }; /* a worker's counts: those that it ran, and of their numbers */

struct bag_task {
    struct pool_task task;
    uint64_t number;
};

struct bag {
    struct task_cost cost;
    struct bag_task *tasks;
    struct pool_task **pointers; /* to each */
    size_t count;
};

static void run_one(struct pool_worker *worker, struct pool_task *task) {
    const struct bag *bag = pool_context(worker);
    const uint64_t number = ((const struct bag_task *)task)->number;
    uint64_t *tally = pool_tally(worker);
    task_cost_work(task_cost_of(&bag->cost, number));
    tally[TASKS]++;
    tally[CHECKSUM] += mix64(number);
}

/* Was each task run once? */
static int check(const struct pool *pool, const struct bag *bag) {
    const uint64_t tasks = pool_tallied(pool, TASKS), found = pool_tallied(pool, CHECKSUM);
    uint64_t expected = 0;
    for (size_t i = 0; i < bag->count; i++)
        expected += mix64(i);
    if (tasks == bag->count && found == expected)
        return 0;
    fprintf(stderr, "bag: wrong: %" PRIu64 " tasks ran of %zu, checksum %" PRIx64 ", which should be %" PRIx64 "\n",
            tasks, bag->count, found, expected);
    return 1;
}

static int empty_once(struct pool *pool, void *context, unsigned repetition) {
    const struct bag *bag = context;
    int failure = pool_run(pool, bag->pointers, bag->count);
    if (failure == 0)
        failure = check(pool, bag);
    if (failure == 0)
        pool_report_run(pool, repetition, (double)bag->count, "tasks_per_second", "tasks/s");
    return failure;
}

static void set_cost(const struct cell *cell, struct bag *bag) {
    uint64_t sum = 0, most = 0;
    double each;
    bag->cost = task_cost_of_cell(cell, &each);
    for (size_t i = 0; i < bag->count; i++) {
        uint64_t cost = task_cost_of(&bag->cost, i);
        sum += cost;
        most = cost > most ? cost : most;
    }
    cell_sample(cell, "process", 0, "work_of_all", (double)sum * each * 1e-9, "s", 0);
    cell_sample(cell, "process", 0, "work_of_largest_task", (double)most * each * 1e-9, "s", 0);
}

static bool make_tasks(struct bag *bag) {
    bag->tasks = calloc(bag->count, sizeof bag->tasks[0]);
    bag->pointers = calloc(bag->count, sizeof bag->pointers[0]);
    if (!bag->tasks || !bag->pointers)
        return false;
    for (size_t i = 0; i < bag->count; i++) {
        bag->tasks[i] = (struct bag_task){.task = {run_one}, .number = i};
        bag->pointers[i] = &bag->tasks[i].task;
    }
    return true;
}

static int run(const struct cell *cell) {
    struct bag bag = {.count = (size_t)cell_integer(cell, "tasks")};
    const struct pool_settings settings = {.context = &bag};
    int failure = 3;
    if (!make_tasks(&bag)) {
        fprintf(stderr, "bag: no memory for %zu tasks\n", bag.count);
    } else {
        set_cost(cell, &bag);
        failure = pool_measure(cell, &settings, empty_once);
    }
    free(bag.tasks);
    free((void *)bag.pointers);
    return failure;
}

REGISTER_WORKLOAD(bag, .name = "bag",
                  .summary = "independent tasks, all there from the start: dealt out against stolen",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
