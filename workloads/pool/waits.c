/* waits.c: how long tasks wait from push to start, when asked for (waits=1).
 *
 * A timestamped record (stamp) goes into the deque instead of its task. So tasks keep their size, and a run without
 * stamps costs nothing more. A stamped task costs two reads of the clock, and a cache line that travels with the task:
 * compare no run_time with that of a plain run. The wait begins before the push and ends when the task has been taken,
 * before it runs. Time in a slot, the overflow queue or an inbox is part of it. Forks that are run at once (no room, no
 * stack) were never pushed.
 */
#include "harness/measuring/histogram.h"
#include "workloads/pool/state.h"
#include <stdio.h>

#define DIGITS 2                    /* buckets at most 1 % wide */
#define LONGEST ((uint64_t)1 << 42) /* ns: above an hour */
#define WRITTEN_TOGETHER 8          /* buckets: those of the written distribution are at most 8 % wide */
#define STARVED 0.5                 /* of the run */

struct pool_waits {
    struct histogram all, moved; /* moved: tasks begun by another worker than the one that pushed them */
    uint64_t sum;                /* ns */
};

void pool_waits_free(struct pool_waits *waits) {
    if (waits) {
        histogram_free(&waits->all);
        histogram_free(&waits->moved);
    }
    free(waits);
}

static struct pool_waits *waits_make(void) {
    struct pool_waits *waits = calloc(1, sizeof *waits);
    if (!waits ||
        (histogram_init(&waits->all, DIGITS, LONGEST) == 0 && histogram_init(&waits->moved, DIGITS, LONGEST) == 0))
        return waits;
    pool_waits_free(waits);
    return NULL;
}

bool pool_waits_open(struct pool_worker *worker) {
    if (!worker->pool->waits)
        return true;
    pool_cache_open(&worker->stamps, &worker->pool->stamp_depot, sizeof(struct pool_stamp),
                    offsetof(struct pool_stamp, u));
    worker->waits = waits_make();
    return worker->waits != NULL;
}

bool pool_waits_open_all(struct pool *pool) {
    if (!pool->waits)
        return true;
    pool->waited = waits_make();
    return pool->waited != NULL;
}

void pool_waits_begin(struct pool_worker *worker) {
    struct pool_waits *waits = worker->waits;
    if (!waits)
        return;
    histogram_clear(&waits->all);
    histogram_clear(&waits->moved);
    waits->sum = 0;
}

uint64_t pool_waits_count(const struct pool_worker *worker) { return worker->waits ? worker->waits->all.total : 0; }

struct pool_task *pool_stamp(struct pool_worker *worker, struct pool_task *task) {
    struct pool_stamp *stamp = pool_cache_take(worker, &worker->stamps, offsetof(struct pool_stamp, u));
    if (!stamp) {
        pool_fail(worker, 3, "no memory for the stamp of a task");
        return task;
    }
    stamp->task.run = pool_stamp_run;
    stamp->u.of = task;
    stamp->worker = worker->number;
    stamp->pushed = clock_nanoseconds();
    return &stamp->task;
}

struct pool_task *pool_stamp_back(struct pool_worker *worker, struct pool_task *task) {
    struct pool_stamp *stamp = (struct pool_stamp *)(void *)task;
    struct pool_task *of = stamp->u.of;
    pool_cache_give(&worker->stamps, stamp, offsetof(struct pool_stamp, u));
    return of;
}

struct pool_task *pool_stamp_taken(struct pool_worker *worker, struct pool_task *task) {
    const struct pool_stamp *stamp = (const struct pool_stamp *)(const void *)task;
    uint64_t now = clock_nanoseconds(), waited = now > stamp->pushed ? now - stamp->pushed : 0;
    histogram_record(&worker->waits->all, waited);
    if (stamp->worker != worker->number)
        histogram_record(&worker->waits->moved, waited);
    worker->waits->sum += waited;
    return pool_stamp_back(worker, task);
}

void pool_stamp_run(struct pool_worker *worker, struct pool_task *stamp) {
    struct pool_task *task = pool_stamp_taken(worker, stamp);
    task->run(worker, task);
}

static const char *const metrics[] = {"task_wait", "task_wait_moved"};

static void sample(const struct pool *pool, unsigned repetition, const char *metric, double value, const char *unit) {
    cell_sample(&pool->cell, "worker", repetition, metric, value, unit, 0);
}

static void report_kind(const struct pool *pool, unsigned repetition, const char *metric,
                        const struct histogram *histogram) {
    char name[64];
    snprintf(name, sizeof name, "%s_count", metric);
    sample(pool, repetition, name, (double)histogram->total, "tasks");
    if (histogram->total == 0)
        return;
    for (size_t i = 0; i < HISTOGRAM_QUANTILES; i++) {
        snprintf(name, sizeof name, "%s_%s", metric, histogram_quantiles[i].name);
        sample(pool, repetition, name, histogram_value(histogram, histogram_quantiles[i].fraction), "ns");
    }
    snprintf(name, sizeof name, "%s_maximum", metric);
    sample(pool, repetition, name, (double)histogram->maximum, "ns");
}

/* How many waited longer than that many ns, to the precision of a bucket. */
static uint64_t longer_than(const struct histogram *histogram, double nanoseconds) {
    uint64_t tasks = 0;
    for (size_t i = 0; i < histogram->buckets; i++)
        if ((double)histogram_lower(histogram, i) > nanoseconds)
            tasks += histogram->count[i];
    return tasks;
}

void pool_waits_report(const struct pool *pool, unsigned repetition) {
    struct pool_waits *run = pool->waits ? waits_make() : NULL;
    if (!run) {
        if (pool->waits)
            fprintf(stderr, "stealbench: pool: no memory to report how long tasks waited\n");
        return;
    }
    const struct histogram *all = &run->all;
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_waits *waits = pool->worker[i]->waits;
        histogram_merge(&run->all, &waits->all);
        histogram_merge(&run->moved, &waits->moved);
        run->sum += waits->sum;
    }
    double seconds = pool_seconds(pool), tasks = (double)all->total;
    report_kind(pool, repetition, metrics[0], all);
    report_kind(pool, repetition, metrics[1], &run->moved);
    if (all->total > 0) {
        const double starved = 100 * (double)longer_than(all, STARVED * seconds * 1e9) / tasks;
        cell_sample(&pool->cell, "worker", repetition, "task_wait_mean", (double)run->sum / tasks, "ns", 0);
        cell_sample(&pool->cell, "worker", repetition, "tasks_starved", starved, "percent", 0);
    }
    if (all->total > 0 && seconds > 0)
        cell_sample(&pool->cell, "worker", repetition, "task_wait_maximum_of_run",
                    (double)all->maximum * 1e-9 / seconds, "ratio", 0);
    histogram_merge(&pool->waited->all, &run->all);
    histogram_merge(&pool->waited->moved, &run->moved);
    pool_waits_free(run);
}

static void write_distribution(const struct pool *pool, const char *metric, const struct histogram *histogram) {
    for (size_t first = 0; first < histogram->buckets; first += WRITTEN_TOGETHER) {
        uint64_t count = 0;
        for (size_t i = first; i < first + WRITTEN_TOGETHER && i < histogram->buckets; i++)
            count += histogram->count[i];
        if (count > 0)
            cell_histogram(&pool->cell, "worker", metric, (double)histogram_lower(histogram, first),
                           (double)histogram_lower(histogram, first + WRITTEN_TOGETHER), count, "ns");
    }
}

void pool_waits_close(struct pool *pool) {
    if (pool->waited && pool->cell.repetitions > 0) {
        write_distribution(pool, metrics[0], &pool->waited->all);
        write_distribution(pool, metrics[1], &pool->waited->moved);
    }
    pool_waits_free(pool->waited);
}
