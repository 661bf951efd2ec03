/* report.c: what a run did, as samples. */
#include "harness/measuring/distance.h"
#include "harness/measuring/median.h"
#include "harness/measuring/random.h"
#include "workloads/pool/state.h"

const struct cell *pool_cell(const struct pool *pool) { return &pool->cell; }
uint64_t pool_random(struct pool_worker *worker) { return random_next(&worker->random); }

/* What all workers recorded in this histogram; returns worker 0's, into which the others were merged. */
static const struct histogram *report_histogram(const struct pool *pool, unsigned repetition, const char *metric,
                                                size_t field) {
    struct histogram *all = (struct histogram *)(void *)((char *)pool->worker[0] + field);
    for (unsigned i = 1; i < pool->threads; i++)
        histogram_merge(all, (const struct histogram *)(const void *)((const char *)pool->worker[i] + field));
    histogram_report(all, &pool->cell, "worker", repetition, metric, 1, 0);
    return all;
}

/* The first repetition's distribution; of its buckets some together, so that they are at most 8 % wide. */
static void report_waits(const struct pool *pool, unsigned repetition) {
    enum { TOGETHER = 8 };
    const struct histogram *all = report_histogram(pool, repetition, "task_wait", offsetof(struct pool_worker, waits));
    for (size_t first = 0; repetition == 0 && first < all->buckets; first += TOGETHER) {
        uint64_t count = 0;
        for (size_t i = first; i < first + TOGETHER && i < all->buckets; i++)
            count += all->count[i];
        if (count > 0)
            cell_histogram("worker", "task_wait", (double)histogram_lower(first),
                           (double)histogram_lower(first + TOGETHER), count, "ns");
    }
}

#define SUM_OF(pool, count) (double)pool_sum(pool, offsetof(struct pool_counts, count))

/* What was on a processor, and the balance of load: of tasks, and of the time that workers were not idle, which counts
 * what tasks cost. */
static void report_times(const struct pool *pool, unsigned repetition) {
    double share = 0, processor = 0, tasks[POOL_WORKERS_MAX], work[POOL_WORKERS_MAX];
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        const uint64_t idle = worker->counts.idle_time;
        tasks[i] = (double)worker->counts.tasks;
        work[i] = worker->present > idle ? (double)(worker->present - idle) : 0;
        share += worker->present ? (double)worker->cpu_time / (double)worker->present : 0;
        processor += (double)worker->cpu_time * 1e-9;
    }
    cell_sample(&pool->cell, "pool", repetition, "processor_time", processor, "s", 0);
    cell_sample(&pool->cell, "worker", repetition, "share_on_processor", share / pool->threads, "ratio", 0);
    cell_sample(&pool->cell, "worker", repetition, "jain_tasks", fairness(tasks, pool->threads), "ratio", 0);
    cell_sample(&pool->cell, "worker", repetition, "jain_work", fairness(work, pool->threads), "ratio", 0);
}

/* The sum over workers of each count. */
static void report_counts(const struct pool *pool, unsigned repetition) {
    static const struct {
        const char *metric, *unit;
        size_t field;
        double factor;
    } counts[] = {
        {"tasks", "tasks", offsetof(struct pool_counts, tasks), 1},
        {"tasks_inlined", "tasks", offsetof(struct pool_counts, inlined), 1},
        {"steals", "steals", offsetof(struct pool_counts, steals), 1},
        {"items_stolen", "items", offsetof(struct pool_counts, stolen), 1},
        {"attempts_empty", "attempts", offsetof(struct pool_counts, empty), 1},
        {"attempts_lost", "attempts", offsetof(struct pool_counts, lost), 1},
        {"attempts_busy", "attempts", offsetof(struct pool_counts, busy), 1},
        {"tasks_overflowed", "tasks", offsetof(struct pool_counts, overflowed), 1},
        {"duplicates", "items", offsetof(struct pool_counts, duplicates), 1},
        {"sleeps", "sleeps", offsetof(struct pool_counts, sleeps), 1},
        {"idle_time", "s", offsetof(struct pool_counts, idle_time), 1e-9},
        {"sleep_time", "s", offsetof(struct pool_counts, sleep_time), 1e-9},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        cell_sample(&pool->cell, "worker", repetition, counts[i].metric,
                    counts[i].factor * (double)pool_sum(pool, counts[i].field), counts[i].unit, 0);
}

void pool_report(const struct pool *pool, unsigned repetition) {
    struct counters all = {0}; /* what the processor and the kernel counted */
    distance_report(&pool->cell, &pool->places);
    report_counts(pool, repetition);
    report_times(pool, repetition);
    if (pool->steal_times)
        report_histogram(pool, repetition, "steal_time", offsetof(struct pool_worker, steal_times));
    if (pool->waits)
        report_waits(pool, repetition);
    if (SUM_OF(pool, overflowed) > 0) /* what an overflow costs a task that goes through the overflow queue */
        cell_sample(&pool->cell, "worker", repetition, "overflow_cost",
                    SUM_OF(pool, overflow_time) / SUM_OF(pool, overflowed), "ns", 0);
    for (unsigned i = 0; i < pool->threads; i++)
        counters_add(&all, &pool->worker[i]->counters);
    counters_report(&pool->cell, "worker", repetition, &all, SUM_OF(pool, tasks));
}

void pool_report_run(const struct pool *pool, unsigned repetition, double done, const char *rate, const char *unit) {
    const double seconds = pool_seconds(pool);
    cell_sample(&pool->cell, "pool", repetition, "run_time", seconds, "s", 0);
    cell_sample(&pool->cell, "pool", repetition, rate, done / seconds, unit, 0);
    pool_report(pool, repetition);
}

int pool_measure(const struct cell *cell, const struct pool_settings *settings,
                 int (*once)(struct pool *, void *context, unsigned repetition)) {
    struct pool *pool = NULL;
    int failure = pool_open(&pool, cell, settings);
    for (unsigned i = 0; i < cell->repetitions && failure == 0; i++)
        failure = once(pool, settings->context, i);
    pool_close(pool);
    return failure;
}
