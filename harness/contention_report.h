/* contention_report.h: what the threads of a contest counted, as samples. The metrics are in results/README.md. */
#ifndef STEALBENCH_CONTENTION_REPORT_H
#define STEALBENCH_CONTENTION_REPORT_H

#include "harness/contest.h"

struct contention {
    const struct contest *contest;
    double clock_overhead; /* ns that a read of the clock costs */
    bool duel, takes_turns;
    bool gives_items;     /* it keeps what is pushed, so that shares mean something */
    unsigned owner_flags; /* sample flags of all values */
    unsigned thief_flags; /* and of the thieves' */
};

/* Main thread, after a run of which at least one window counts. */
void contention_report(const struct contention *, unsigned repetition);

#endif
