/* timeline.c: when each worker worked, stole and slept, for a picture of one run: the first repetition of the first
 * process. */
#include "workloads/pool/state.h"
#include <stdio.h>

bool pool_timeline_open(struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    if (cell_integer(&pool->cell, "timeline") == 0 || pool->cell.invocation > 0)
        return true;
    worker->span_room = POOL_SPANS_MAX / pool->threads;
    worker->spans = pool_memory(worker->span_room * sizeof *worker->spans);
    return worker->spans != NULL;
}

void pool_timeline_begin(struct pool_worker *worker, uint64_t now) {
    worker->span_count = worker->spans_lost = 0;
    worker->span_from = now;
}

void pool_timeline_add(struct pool_worker *worker, enum pool_state state, uint64_t now) {
    if (!worker->spans)
        return;
    if (worker->span_count == worker->span_room)
        worker->spans_lost++;
    else if (now > worker->span_from)
        worker->spans[worker->span_count++] = (struct pool_span){worker->span_from, now, state};
    worker->span_from = now;
}

/* ns since the run began; a worker may have been there before. */
static double since(const struct pool *pool, uint64_t time) {
    return time > pool->started ? (double)(time - pool->started) : 0;
}

/* Written as histogram buckets over time: timeline_work from lower to upper, and so on. A span too short for the digits
 * written is left out. */
static void report_span(const struct pool *pool, const char *role, const struct pool_span *span) {
    static const char *const metrics[] = {"timeline_work", "timeline_search", "timeline_steal", "timeline_sleep"};
    double start = since(pool, span->start), end = since(pool, span->end);
    if (end - start > 4e-9 * end)
        cell_histogram(&pool->cell, role, metrics[span->state], start, end, 1, "ns");
}

void pool_timeline_report(const struct pool *pool, unsigned repetition) {
    char role[24];
    if (repetition > 0)
        return;
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        if (!worker->spans)
            continue;
        snprintf(role, sizeof role, "worker%u", i);
        for (size_t j = 0; j < worker->span_count; j++)
            report_span(pool, role, &worker->spans[j]);
        cell_sample(&pool->cell, role, repetition, "timeline_spans_lost", (double)worker->spans_lost, "spans", 0);
    }
}
