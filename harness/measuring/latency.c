#include "harness/measuring/latency.h"
#include <errno.h>
#include <stdio.h>

int latency_open(struct latency *latency, const struct cell *cell, const struct cycles_facts *facts, const char *role,
                 const char *const *metrics) {
    *latency = (struct latency){.cell = cell, .role = role, .facts = facts};
    for (size_t i = 0; i < LATENCY_OUTCOMES; i++) {
        latency->metric[i] = metrics[i];
        if (metrics[i] && (histogram_init(&latency->now[i], LOG_TICKS_MAX) != 0 ||
                           histogram_init(&latency->all[i], LOG_TICKS_MAX) != 0))
            return ENOMEM;
    }
    return 0;
}

void latency_take(struct latency *latency, const struct team_member *thread, const bool *counts) {
    for (size_t i = 0; i < thread->watch.windows; i++) {
        uint64_t from = thread->watch.snapshot[i].tally[TALLY_LOGGED];
        uint64_t to = thread->watch.snapshot[i + 1].tally[TALLY_LOGGED];
        for (uint64_t j = from; counts[i] && j < to; j++)
            histogram_record(&latency->now[thread->log[j] >> LOG_TICKS], thread->log[j] & LOG_TICKS_MAX);
    }
}

void latency_report(struct latency *latency, unsigned repetition, unsigned flags) {
    char metric[96];
    for (size_t i = 0; i < LATENCY_OUTCOMES; i++) {
        if (!latency->metric[i] || latency->now[i].total == 0)
            continue;
        histogram_report(&latency->now[i], latency->cell, latency->role, repetition, latency->metric[i],
                         latency->facts->tick, flags);
        snprintf(metric, sizeof metric, "%s_count", latency->metric[i]);
        cell_sample(latency->cell, latency->role, repetition, metric, (double)latency->now[i].total, "operations",
                    flags);
        histogram_merge(&latency->all[i], &latency->now[i]);
        histogram_clear(&latency->now[i]);
    }
}

void latency_close(struct latency *latency) {
    for (size_t i = 0; i < LATENCY_OUTCOMES; i++) {
        const struct histogram *all = &latency->all[i];
        for (size_t bucket = 0; latency->metric[i] && all->count && bucket < all->buckets; bucket++)
            if (all->count[bucket] > 0)
                cell_histogram(latency->role, latency->metric[i],
                               (double)histogram_lower(bucket) * latency->facts->tick,
                               (double)histogram_lower(bucket + 1) * latency->facts->tick, all->count[bucket], "ns");
        histogram_free(&latency->now[i]);
        histogram_free(&latency->all[i]);
    }
}
