/* durations.h: how long an invocation of each cell takes: as in this run, as in the last run on this machine, or as
 * cells like it.
 *
 * results/.durations has a line a cell: a hash of what it measures (whatever the build), the seconds of an invocation,
 * and where a precision was asked for how many values there were and how precise they were. It may be deleted at any
 * time.
 */
#ifndef STEALBENCH_DURATIONS_H
#define STEALBENCH_DURATIONS_H

#include "harness/driver/plan/plan.h"

struct duration {
    uint64_t key;
    double seconds;
    unsigned values;  /* 0: none are known */
    double precision; /* that these had, in percent (precision.h) */
};

/* Sorted by key. */
struct durations {
    struct duration *at;
    size_t count;
};

/* What a cell is kept under. */
uint64_t durations_key(const struct planned_cell *);

/* Reads those kept in a folder of runs; none where there is no such file. Lines that cannot be read are left out. */
void durations_read(struct durations *, const char *parent);

/* Adds to them, or replaces, and writes all; 0, or an errno value. added need not be sorted; one without values leaves
 * those that are kept. */
int durations_keep(struct durations *, const char *parent, const struct duration *added, size_t count);

/* What is known of a plan's cells. */
struct estimate {
    const struct plan *plan;
    double *kept;     /* by cell: seconds of an invocation in the last run, or negative */
    double *measured; /* the same in this run, or negative */
    double *wanted;   /* invocations until it is as precise as asked for, by the last run's values, or negative */
};

void estimate_open(struct estimate *, const struct plan *, const struct durations *);

/* Fills seconds (one a cell) with what an invocation is expected to take: as measured; else as kept, scaled by how much
 * slower today's measurements are than the kept ones; else the mean of its group, or of its workload in its section;
 * else what it asks for. Returns how many cells are known, as measured or kept. */
size_t estimate_cells(const struct estimate *, double *seconds);

/* Fills invocations (one a cell) with how many each is expected to take: as many as it asks for; with a precision as in
 * the last run, else as the mean of its group, of its workload in its section, or of all. Returns whether half of the
 * cells with a precision are known; if not, every cell takes the most that it asks for. */
bool estimate_invocations(const struct estimate *, double *invocations);

/* Seconds of an invocation on a machine with so many processors where the cell cannot be tried: its minimum time, or
 * its section's `work` divided among its threads. */
double estimate_asked(const struct planned_cell *, unsigned processors);

/* The cells to be tried: of each workload in each section at most PILOTS, spread over the groups of which nothing is
 * known. Fills cells (room for all of the plan) and returns how many. */
#define PILOTS 6
size_t estimate_pilots(const struct estimate *, size_t *cells);

#endif
