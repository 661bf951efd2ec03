/* timeline.c: who worked, stole and slept when, for a picture of one run: of the first repetition of the first process.
 */
#include "workloads/pool/state.h"
#include <stdio.h>

bool pool_timeline_open(struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    if (cell_integer(&pool->cell, "timeline") == 0 || pool->cell.invocation > 0)
        return true;
    worker->spans = pool_memory(POOL_SPANS_MOST * sizeof *worker->spans);
    return worker->spans != NULL;
}

void pool_timeline_begin(struct pool_worker *worker, uint64_t now) {
    worker->span_count = worker->spans_lost = 0;
    worker->span_from = now;
}

void pool_was(struct pool_worker *worker, enum pool_state state, uint64_t now) {
    if (!worker->spans)
        return;
    if (worker->span_count == POOL_SPANS_MOST)
        worker->spans_lost++;
    else if (now > worker->span_from)
        worker->spans[worker->span_count++] = (struct pool_span){worker->span_from, now, state};
    worker->span_from = now;
}

/* Seconds since the run began; a worker may have been there before. */
static double since(const struct pool *pool, uint64_t time) {
    return time > pool->started ? (double)(time - pool->started) * 1e-9 : 0;
}

void pool_timeline_report(const struct pool *pool, unsigned repetition) {
    static const char *const names[] = {"work", "search", "steal", "sleep"};
    char role[24];
    if (repetition > 0)
        return;
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        if (!worker->spans)
            continue;
        snprintf(role, sizeof role, "worker%u", i);
        for (size_t j = 0; j < worker->span_count; j++) {
            const struct pool_span *span = &worker->spans[j];
            if (span->end > pool->started)
                cell_timeline(&pool->cell, role, names[span->state], since(pool, span->start), since(pool, span->end));
        }
        cell_sample(&pool->cell, role, repetition, "timeline_spans_lost", (double)worker->spans_lost, "spans", 0);
    }
}
