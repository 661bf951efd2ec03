/* report.c: what a run did, as samples. */
#include "harness/measuring/random.h"
#include "workloads/pool/state.h"
#include <math.h>
#include <stdio.h>

uint64_t pool_random(struct pool_worker *worker) { return random_next(&worker->random); }

/* The sum over workers, and where wanted the least and the most of one. */
static void report_count(const struct pool *pool, unsigned repetition, const char *metric, size_t field,
                         const char *unit, double factor, bool spread) {
    double sum = 0, least = INFINITY, max = 0;
    char name[64];
    for (unsigned i = 0; i < pool->threads; i++) {
        double each =
            factor * (double)*(const uint64_t *)(const void *)((const char *)&pool->worker[i]->counts + field);
        sum += each;
        least = each < least ? each : least;
        max = each > max ? each : max;
    }
    cell_sample(&pool->cell, "worker", repetition, metric, sum, unit, 0);
    if (!spread || pool->threads == 1)
        return;
    snprintf(name, sizeof name, "%s_least", metric);
    cell_sample(&pool->cell, "worker", repetition, name, least, unit, 0);
    snprintf(name, sizeof name, "%s_max", metric);
    cell_sample(&pool->cell, "worker", repetition, name, max, unit, 0);
}

static void report_times(const struct pool *pool, unsigned repetition) {
    double share = 0, first = 0;
    unsigned late = 0;
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        share += worker->present ? (double)worker->cpu_time / (double)worker->present : 0;
        double before = worker->first_task > pool->started ? (double)(worker->first_task - pool->started) * 1e-9 : 0;
        first = before > first ? before : first;
        late += worker->first_task == 0;
    }
    cell_sample(&pool->cell, "worker", repetition, "share_on_processor", share / pool->threads, "ratio", 0);
    cell_sample(&pool->cell, "worker", repetition, "workers_without_task", late, "workers", 0);
    cell_sample(&pool->cell, "worker", repetition, "time_to_first_task_max", first, "s", 0);
}

/* What the processor and the kernel counted, over all workers and a task. */
static void report_counters(const struct pool *pool, unsigned repetition) {
    struct counters *sets = malloc(pool->threads * sizeof *sets);
    double tasks = 0;
    if (!sets) {
        fprintf(stderr, "stealbench: pool: no memory to report the counters of %u workers\n", pool->threads);
        return;
    }
    for (unsigned i = 0; i < pool->threads; i++) {
        sets[i] = pool->worker[i]->counters;
        tasks += (double)pool->worker[i]->counts.tasks;
    }
    counters_report(&pool->cell, "worker", repetition, sets, pool->threads, tasks);
    free(sets);
}

void pool_report(const struct pool *pool, const struct cell *cell, unsigned repetition) {
    static const struct {
        const char *metric, *unit;
        size_t field;
        double factor;
        bool spread;
    } counts[] = {
        {"tasks", "tasks", offsetof(struct pool_counts, tasks), 1, true},
        {"tasks_inlined", "tasks", offsetof(struct pool_counts, inlined), 1, false},
        {"steals", "steals", offsetof(struct pool_counts, steals), 1, false},
        {"items_stolen", "items", offsetof(struct pool_counts, stolen), 1, true},
        {"steals_empty", "steals", offsetof(struct pool_counts, empty), 1, false},
        {"steals_lost", "steals", offsetof(struct pool_counts, lost), 1, false},
        {"steals_busy", "steals", offsetof(struct pool_counts, busy), 1, false},
        {"tasks_overflowed", "tasks", offsetof(struct pool_counts, overflowed), 1, false},
        {"duplicates", "items", offsetof(struct pool_counts, duplicates), 1, false},
        {"sleeps", "sleeps", offsetof(struct pool_counts, sleeps), 1, false},
        {"fences", "fences", offsetof(struct pool_counts, fences), 1, false},
        {"idle_time", "s", offsetof(struct pool_counts, idle_time), 1e-9, true},
        {"sleep_time", "s", offsetof(struct pool_counts, sleep_time), 1e-9, false},
    };
    (void)cell;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        report_count(pool, repetition, counts[i].metric, counts[i].field, counts[i].unit, counts[i].factor,
                     counts[i].spread);
    report_times(pool, repetition);
    report_counters(pool, repetition);
    pool_timeline_report(pool, repetition);
}
