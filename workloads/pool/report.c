/* report.c: what a run did, as samples. */
#include "harness/measuring/distance.h"
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

/* How evenly something is spread: the square of the sum over n times the sum of squares. */
static double jain(const double *each, unsigned count) {
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += each[i];
        squares += each[i] * each[i];
    }
    return squares > 0 ? sum * sum / (count * squares) : 1;
}

/* The balance of load: of tasks, and of the time that workers were not idle, which counts what tasks cost. */
static void report_balance(const struct pool *pool, unsigned repetition) {
    double *each = malloc(pool->threads * sizeof *each);
    if (!each) {
        fprintf(stderr, "stealbench: pool: no memory to report the balance of %u workers\n", pool->threads);
        return;
    }
    for (unsigned i = 0; i < pool->threads; i++)
        each[i] = (double)pool->worker[i]->counts.tasks;
    cell_sample(&pool->cell, "worker", repetition, "jain_tasks", jain(each, pool->threads), "ratio", 0);
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        uint64_t idle = worker->counts.idle_time;
        each[i] = worker->present > idle ? (double)(worker->present - idle) : 0;
    }
    cell_sample(&pool->cell, "worker", repetition, "jain_work", jain(each, pool->threads), "ratio", 0);
    free(each);
}

/* How long steals took, over all workers; nothing was stolen: no value. */
static void report_steal_times(const struct pool *pool, unsigned repetition) {
    static const struct {
        const char *metric, *unit;
        double fraction;
    } told[] = {{"steal_time_median", "ns", 0.5}, {"steal_time_p99", "ns", 0.99}, {"steal_time_p999", "ns", 0.999}};
    struct histogram *all = &pool->worker[0]->steal_times;
    if (!pool->steal_times)
        return;
    for (unsigned i = 1; i < pool->threads; i++)
        histogram_merge(all, &pool->worker[i]->steal_times);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (all->total == 0) {
            cell_no_sample(&pool->cell, "worker", repetition, told[i].metric, told[i].unit, "unsupported");
            continue;
        }
        cell_sample(&pool->cell, "worker", repetition, told[i].metric, histogram_value(all, told[i].fraction),
                    told[i].unit, 0);
    }
}

/* What an overflow costs a task that goes through the overflow queue. */
static void report_overflow(const struct pool *pool, unsigned repetition) {
    double tasks = 0, time = 0;
    for (unsigned i = 0; i < pool->threads; i++) {
        tasks += (double)pool->worker[i]->counts.overflowed;
        time += (double)pool->worker[i]->counts.overflow_time;
    }
    if (tasks > 0)
        cell_sample(&pool->cell, "worker", repetition, "overflow_cost", time / tasks, "ns", 0);
}

static void report_times(const struct pool *pool, unsigned repetition) {
    double share = 0, first = 0, processor = 0;
    unsigned late = 0;
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        share += worker->present ? (double)worker->cpu_time / (double)worker->present : 0;
        processor += (double)worker->cpu_time * 1e-9;
        double before = worker->first_task > pool->started ? (double)(worker->first_task - pool->started) * 1e-9 : 0;
        first = before > first ? before : first;
        late += worker->first_task == 0;
    }
    cell_sample(&pool->cell, "pool", repetition, "processor_time", processor, "s", 0);
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
        {"attempts_empty", "attempts", offsetof(struct pool_counts, empty), 1, false},
        {"attempts_lost", "attempts", offsetof(struct pool_counts, lost), 1, false},
        {"attempts_busy", "attempts", offsetof(struct pool_counts, busy), 1, false},
        {"tasks_overflowed", "tasks", offsetof(struct pool_counts, overflowed), 1, false},
        {"duplicates", "items", offsetof(struct pool_counts, duplicates), 1, false},
        {"sleeps", "sleeps", offsetof(struct pool_counts, sleeps), 1, false},
        {"idle_time", "s", offsetof(struct pool_counts, idle_time), 1e-9, true},
        {"sleep_time", "s", offsetof(struct pool_counts, sleep_time), 1e-9, false},
    };
    (void)cell;
    distance_report(&pool->cell, &pool->places);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        report_count(pool, repetition, counts[i].metric, counts[i].field, counts[i].unit, counts[i].factor,
                     counts[i].spread);
    report_times(pool, repetition);
    report_balance(pool, repetition);
    report_steal_times(pool, repetition);
    report_overflow(pool, repetition);
    report_counters(pool, repetition);
    interrupts_report(&pool->cell, "pool", repetition, &pool->interrupts_before, &pool->interrupts_after);
    pool_timeline_report(pool, repetition);
    pool_waits_report(pool, repetition);
}
