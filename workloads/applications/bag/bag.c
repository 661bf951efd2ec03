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
#include <string.h>

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("tasks", 1000, 1, 100000000, "tasks", "number of tasks"),
    COST_PARAMETERS(10000, "iterations", "a task"),
    PARAMETERS_END,
};

/* A worker's counts, summed up at the end. On a cache line of its own. */
struct tally {
    _Alignas(128) uint64_t tasks;
    uint64_t checksum; /* of their numbers */
};

struct bag_task {
    struct pool_task task;
    uint64_t number;
};

struct bag {
    struct task_cost cost;
    struct bag_task *tasks;
    struct pool_task **pointers; /* to each */
    size_t count;
    struct tally *tallies; /* one a worker */
};

static void run_one(struct pool_worker *worker, struct pool_task *task) {
    const struct bag *bag = pool_context(worker);
    const uint64_t number = ((const struct bag_task *)task)->number;
    struct tally *tally = &bag->tallies[pool_worker_number(worker)];
    task_cost_work(task_cost_of(&bag->cost, number));
    tally->tasks++;
    tally->checksum += mix64(number);
}

/* Was each task run once? */
static int check(const struct bag *bag, unsigned workers) {
    uint64_t tasks = 0, found = 0, expected = 0;
    for (unsigned i = 0; i < workers; i++) {
        tasks += bag->tallies[i].tasks;
        found += bag->tallies[i].checksum;
    }
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
    memset(bag->tallies, 0, pool_threads(pool) * sizeof bag->tallies[0]);
    int failure = pool_run(pool, bag->pointers, bag->count);
    if (failure == 0)
        failure = check(bag, pool_threads(pool));
    if (failure != 0)
        return failure;
    pool_report_run(pool, repetition, (double)bag->count, "tasks_per_second", "tasks/s");
    return 0;
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

static bool make_tasks(struct bag *bag, size_t workers) {
    bag->tasks = calloc(bag->count, sizeof bag->tasks[0]);
    bag->pointers = calloc(bag->count, sizeof bag->pointers[0]);
    bag->tallies = aligned_alloc(_Alignof(struct tally), workers * sizeof bag->tallies[0]);
    if (!bag->tasks || !bag->pointers || !bag->tallies)
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
    if (!make_tasks(&bag, (size_t)cell_integer(cell, "threads"))) {
        fprintf(stderr, "bag: no memory for %zu tasks\n", bag.count);
    } else {
        set_cost(cell, &bag);
        failure = pool_measure(cell, &settings, empty_once);
    }
    free(bag.tasks);
    free((void *)bag.pointers);
    free(bag.tallies);
    return failure;
}

REGISTER_WORKLOAD(bag, .name = "bag",
                  .summary = "independent tasks, all there from the start: dealt out against stolen",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
