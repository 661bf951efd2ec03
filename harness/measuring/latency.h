/* latency.h: reports the distribution of single operations' times: quantiles as samples, and the whole as histogram
 * lines (README.md). Times are steps of the counter of cycles.h.
 */
#pragma once

#include "harness/measuring/cell.h"
#include "harness/measuring/cycles.h"
#include "harness/measuring/histogram.h"
#include "harness/measuring/team.h"

#define LATENCY_OUTCOMES 3

struct latency {
    const struct cell *cell;
    const struct cycles_facts *facts;
    const char *role;
    const char *metric[LATENCY_OUTCOMES];   /* by outcome; NULL: not in use */
    struct histogram now[LATENCY_OUTCOMES]; /* in this repetition */
    struct histogram all[LATENCY_OUTCOMES]; /* in this process */
};

/* Main thread. metrics: one per outcome, NULL for outcomes that do not occur. Returns 0 or ENOMEM. */
int latency_open(struct latency *, const struct cell *, const struct cycles_facts *, const char *role,
                 const char *const *metrics);

/* Adds what the thread logged in the counted windows. */
void latency_take(struct latency *, const struct team_member *, const bool *counts);

/* Reports this repetition's quantiles, maximum and number, and resets its counts. */
void latency_report(struct latency *, unsigned repetition, unsigned flags);

/* Writes the histograms of all repetitions together. */
void latency_close(struct latency *);
